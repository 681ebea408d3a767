"""Personal data in running text: Brazilian taxpayers' numbers and cards by their check digits, telephones, e-mail, Pix keys.

What is found is a span of the original text, however it was typed: full-width digits, other dashes, invisible characters and
a line's end are seen through, and digits may be said one by one. What is doubtful is taken for personal data: a placeholder
too many costs a word, one too few costs somebody's number. Numbers spelled out in words are not found, nor are names and
addresses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memoria.typography import INVISIBLE

Span = tuple[int, int]


class Personal(StrEnum):
    """What a value is; the word stands in its placeholder."""

    CPF = "CPF"
    CNPJ = "CNPJ"
    CARD = "CARTAO"
    PHONE = "TELEFONE"
    EMAIL = "EMAIL"
    PIX = "PIX"


@dataclass(frozen=True, slots=True)
class Found:
    """A value of this kind, and where it stands in the text (code points)."""

    kind: Personal
    start: int
    end: int


def find(text: str) -> list[Found]:
    """What the text holds, in its order; where two readings overlap, the surer one."""
    plain, places = _plain(text)
    taken: list[Found] = []
    covered = bytearray(len(plain))
    for kind, detect in _DETECTORS:
        for low, high in detect(plain):
            if not any(covered[low:high]):
                covered[low:high] = b"\x01" * (high - low)
                taken.append(Found(kind, places[low], places[high - 1] + 1))
    return sorted(taken, key=lambda found: found.start)


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """The text with one spelling of digits, dashes and spaces, and for each character its place in the original.

    The end of a line, with the space around it, is one space: a number may go on in the next. An empty line parts.
    """
    if text.isascii() and "\n" not in text:
        return text, range(len(text))
    characters: list[str] = []
    places: list[int] = []
    last = 0
    for broken in [*_LINE_END.finditer(text), None]:
        for place in range(last, len(text) if broken is None else broken.start()):
            character = text[place]
            if character in INVISIBLE or character == "\u00ad":
                continue
            characters.append(character if character.isascii() else _simple(character))
            places.append(place)
        if broken is not None:
            characters.append(" " if broken["one"] else "\n")
            places.append(broken.start())
            last = broken.end()
    return "".join(characters), places


_LINE_END: Final = re.compile(r"[ \t]*+(?:(?P<one>\r?\n)(?![ \t]*+\r?\n)|(?:\r?\n[ \t]*+)++)[ \t]*+")


def _simple(character: str) -> str:
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


# --- the detectors, the surest first ------------------------------------------------------------------------------

_EMAIL: Final = re.compile(r"(?<![\w.%+'-])[\w.%+'-]+@(?:[\w-]+\.)+[\w-]{2,}")
_SAID: Final = r"(?: *[(\[] *(?:arroba|at) *[)\]] *| +arroba +| @ )"
_DOT: Final = r"(?:\.| *[(\[] *(?:ponto|dot) *[)\]] *| +(?:ponto|dot) +)"
_JOIN: Final = r"(?:[.%+'-]| +(?:ponto|dot|underline|underscore|tra[çc]o|h[ií]fen) +)"
_LABEL: Final = r"[\w-]{1,63}+"
_SAID_EMAIL: Final = re.compile(
    # "ana ponto souza arroba exemplo ponto com ponto br", "ana(at)exemplo.com"; in English alone "ana at exemplo dot com"
    rf"(?<![\w.%+'-])\w{{1,64}}+(?:{_JOIN}\w{{1,64}}+){{0,8}}"
    rf"(?:{_SAID}{_LABEL}(?:{_DOT}{_LABEL}){{0,4}}{_DOT}| +at +{_LABEL}(?: +dot +{_LABEL}){{0,4}} +dot +)"
    r"[^\W\d_]{2,24}(?![\w-])",
    re.IGNORECASE,
)
_BR_CODE: Final = re.compile(r"(?<!\d)000201(?=\d)[^\n]{0,600}?6304[0-9A-Fa-f]{4}(?![0-9A-Fa-f])")
_UUID: Final = re.compile(
    r"(?<![0-9A-Fa-f-])(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32})(?![0-9A-Fa-f-])"
)
_CARD: Final = re.compile(r"(?<!\d)[2-6](?:[ .-]?\d){12,}(?!\d)")
_CNPJ_DIGITS: Final = re.compile(r"(?<!\d)\d{2}[./ -]{0,3}\d{3}[./ -]{0,3}\d{3}[./ -]{0,3}\d{4}[./ -]{0,3}\d{2}(?!\d)")
_CNPJ_LETTERS: Final = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\d{2}(?![0-9A-Za-z])"
)
_CPF: Final = re.compile(r"(?<!\d)\d{3}[./ -]{0,3}\d{3}[./ -]{0,3}\d{3}[./ -]{0,3}\d{2}(?!\d)")
_ELEVEN: Final = re.compile(r"(?<!\d)(?<!\d[./ -])\d(?:[./ -]{0,3}\d){10}(?![./ -]?\d)")
"""Eleven digits in whatever groups, one by one at the least, with no further digit beside them."""
_NAMED_CPF: Final = re.compile(r"\bcpf\b[^\d\n]{0,20}(?P<value>\d(?:[./ -]{0,3}\d){10})(?!\d)", re.IGNORECASE)
_AREA: Final = r"\(?0?(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])\)?[ .-]{0,3}"
_PHONES: Final = tuple(
    map(
        re.compile,
        (
            # Brazilian, with its area: "(81) 98765-4321", "081 3222 1234", "+55 81 987654321", "8187654321"
            rf"(?<!\d)(?<!\d[.,/-])(?:\+?55[ .-]?)?{_AREA}(?:9[ .-]?\d{{4}}|[2-9]\d{{3}})[ .-]?\d{{4}}(?!\d)",
            # Of any country, with its code: "+351 912 345 678", "+1 (415) 555-2671", "00 44 20 7946 0958"
            r"(?<![\w+])(?<!\d[.,])(?:\+[ ]?|00[ ]?(?=[1-9]))(?:[1-9]\d{0,2})(?:[ .()-]{0,2}\d){6,12}(?![\w/:])",
            # North American without it: "(415) 555-2671"
            r"(?<!\d)(?<!\d[.,/-])\(?[2-9]\d{2}\)?[ .-]\d{3}[.-]\d{4}(?!\d)",
            # Brazilian without an area: "98765-4321", "3222-1234"; "2024-0012" is a protocol
            r"(?<!\d)(?<!\d[.,/-])(?:9[ .-]?\d{4}[ -]|[2-5]\d{3}-)(?<!\b20\d\d-)\d{4}(?![\d-])",
            # The same in one piece, "987654321", or "9 87654321"
            r"(?<!\d)(?<!\d[ .,/-])9[ -]?[1-9]\d{7}(?![ .,/-]?\d)",
            r"(?<!\d)0[3589]00[ -]?\d{3}[ -]?\d{3,4}(?!\d)",
        ),
    )
)


_NUMBERED: Final = re.compile(
    r"(?:\b(?:pedido|protocolo|chamado|ticket|ordem|os|nota|nf-?e?|fatura|boleto|contrato|c[óo]digo|rastreio|s[ée]rie|serial|"
    r"matr[íi]cula|lote|sku|order|invoice|tracking|code|conta|ag[êe]ncia)\b|#|\bn[º°o.])\W{0,3}"
    r"(?:(?:n[º°o.]{1,2}|n[úu]mero|number|de|do|da|é|foi|fiscal)\W{1,3}){0,3}$",
    re.IGNORECASE,
)
"""Words before a number that say that it is no telephone's."""


def _emails(text: str) -> Iterator[Span]:
    if "@" in text:
        yield from (match.span() for match in _EMAIL.finditer(text))
    if _AT.search(text):
        yield from (match.span() for match in _SAID_EMAIL.finditer(text))


_AT: Final = re.compile(r"arroba| @ |[(\[ ]at[)\] ]", re.IGNORECASE)


def _pix(text: str) -> Iterator[Span]:
    for match in _BR_CODE.finditer(text):
        if "br.gov.bcb.pix" in match.group().lower():
            yield match.span()
    for match in _UUID.finditer(text):
        yield match.span()


def _cards(text: str) -> Iterator[Span]:
    """13 to 19 digits that fulfil Luhn's rule, as whole groups of what may be a longer row of digits."""
    for run in _CARD.finditer(text):
        digits = [place for place in range(run.start(), run.end()) if text[place].isdigit()]
        begins = [index for index, place in enumerate(digits) if index == 0 or digits[index - 1] != place - 1]
        done = 0
        for first in begins[:60]:
            if first < done:
                continue
            ends = [end for end in range(min(len(digits), first + 19), first + 12, -1) if end in (len(digits), *begins)]
            for end in ends:
                if is_card("".join(text[place] for place in digits[first:end])):
                    yield digits[first], digits[end - 1] + 1
                    done = end
                    break


def _cnpjs(text: str) -> Iterator[Span]:
    for pattern in (_CNPJ_DIGITS, _CNPJ_LETTERS):
        for match in pattern.finditer(text):
            if is_cnpj(match.group()):
                yield match.span()


def _cpfs(text: str) -> Iterator[Span]:
    """By the check digits; and whatever is called a CPF, since a mistyped one names its owner nearly as well."""
    for pattern in (_CPF, _ELEVEN):
        for match in pattern.finditer(text):
            if is_cpf(match.group()):
                yield match.span()
    for match in _NAMED_CPF.finditer(text):
        yield match.span("value")


def _phones(text: str) -> Iterator[Span]:
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            # A telephone without its area, written in one piece, has nothing of its own to be known by.
            if len(match.group()) != 9 or not match.group().isdigit() or not _NUMBERED.search(text[: match.start()][-40:]):
                yield match.span()


_DETECTORS: Final[tuple[tuple[Personal, Callable[[str], Iterator[Span]]], ...]] = (
    (Personal.EMAIL, _emails),
    (Personal.PIX, _pix),
    (Personal.CARD, _cards),
    (Personal.CNPJ, _cnpjs),
    (Personal.CPF, _cpfs),
    (Personal.PHONE, _phones),
)


# --- check digits -------------------------------------------------------------------------------------------------


def is_card(digits: str) -> bool:
    """Luhn's rule on 13 to 19 digits."""
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_cpf(written: str) -> bool:
    """Eleven digits, the last two of them right; eleven alike are none."""
    digits = [int(character) for character in written if character.isdigit()]
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    return all(
        digits[count] == sum(digit * (count + 1 - place) for place, digit in enumerate(digits[:count])) * 10 % 11 % 10
        for count in (9, 10)
    )


def is_cnpj(written: str) -> bool:
    """Twelve digits or letters and two check digits; a letter counts as its character code less 48 (as of July 2026)."""
    characters = [character for character in written.upper() if character.isalnum()]
    if len(characters) != 14 or len(set(characters)) == 1 or not all(character.isascii() for character in characters):
        return False
    values = [ord(character) - 48 for character in characters]
    for count in (12, 13):
        total = sum(value * (2 + (count - 1 - place) % 8) for place, value in enumerate(values[:count]))
        check = 11 - total % 11
        if values[count] != (0 if check > 9 else check):
            return False
    return True
