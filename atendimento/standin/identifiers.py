"""Numbers and codes that name something: by the field's own pattern, by check digits, by their form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from atendimento.standin.mentions import Mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence, plain

_TOKEN: Final = re.compile(r"[A-Za-z0-9]+(?:[-./_#][A-Za-z0-9]+)*")
_CPF: Final = re.compile(r"(?<![\w.-])\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}(?![\w-])")
_CNPJ: Final = re.compile(r"(?<![\w.-])\d{2}[. ]?\d{3}[. ]?\d{3}/?\d{4}-?\d{2}(?![\w-])")
_PHONE: Final = re.compile(r"(?<![\w./-])(?:\+?55\s?)?(?:\(\d{2}\)\s?|\d{2}[\s-])9?\d{4}[-\s]?\d{4}(?![\w-])")
_EMAIL: Final = re.compile(r"(?<![\w.])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FILE: Final = re.compile(r"(?<!\w)[\w-]+(?:/[\w.-]+)+(?::\d+)?|(?<!\w)[\w-]+\.(?:py|js|ts|java|go|rb|cs|php|sql)(?::\d+)?")
_MASKED: Final = r"[\[{{<⟦](?:{kinds})[ _:-]?\d*[\]}}>⟧]"
_ANY_MASKED: Final = re.compile(r"\[(?P<kind>[A-Z]{2,20})-\d{6,18}\]")
_SAMPLES: Final = {
    # What a placeholder of each kind may stand for, to see whether a pattern takes it.
    "CPF": ("390.533.447-05", "39053344705"),
    "CNPJ": ("11.222.333/0001-81", "11222333000181"),
    "CARTAO": ("4111 1111 1111 1111", "4111111111111111"),
    "TELEFONE": ("(81) 98765-4321", "81 98765-4321", "81987654321", "+5581987654321"),
    "EMAIL": ("ana@exemplo.test",),
    "PIX": ("123e4567-e89b-42d3-a456-426614174000",),
}


def by_pattern(field: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """The tokens, single or two in a row, that the field's pattern takes; `AB 12` is tried as `AB-12` too.

    So is a placeholder that stands for such a value: of a kind that the pattern takes, or named after the field.
    """
    try:
        pattern = re.compile(str(field.schema["pattern"]))
    except (KeyError, re.error):
        return
    kinds = {kind for kind, samples in _SAMPLES.items() if any(map(pattern.search, samples))}
    kinds.add(re.sub(r"[^a-z]", "", plain(field.path.rpartition("/")[2])).upper()[:20])
    for match in _ANY_MASKED.finditer(sentence.text):
        if match["kind"] in kinds:
            yield _whole(sentence, match.group(), *match.span())
    tokens = list(_TOKEN.finditer(_ANY_MASKED.sub(lambda match: " " * len(match.group()), sentence.text)))
    spans = [(token.start(), token.end()) for token in tokens]
    pairs = [(one.start(), other.end()) for one, other in pairwise(tokens) if sentence.text[one.end() : other.start()] == " "]
    for low, high in [*pairs, *spans]:
        written = sentence.text[low:high]
        for value in dict.fromkeys((written, written.replace(" ", "-"), written.replace(" ", ""))):
            if re.search(r"\d", value) and pattern.search(value):
                yield _whole(sentence, value, low, high)
                break


def cpf(_: Field, __: Message, sentence: Sentence) -> Iterable[Mention]:
    """A taxpayer's number whose check digits are right."""
    for match in _CPF.finditer(sentence.text):
        if is_cpf(match.group()):
            yield _whole(sentence, match.group(), *match.span())
    yield from _masked(sentence, "CPF")


def cnpj(_: Field, __: Message, sentence: Sentence) -> Iterable[Mention]:
    """A company's number in its form."""
    yield from _all(_CNPJ, sentence)
    yield from _masked(sentence, "CNPJ")


def phone(_: Field, __: Message, sentence: Sentence) -> Iterable[Mention]:
    """A telephone with its area code; what is a CPF is none."""
    for match in _PHONE.finditer(sentence.text):
        if not is_cpf(match.group()):
            yield _whole(sentence, match.group(), *match.span())
    yield from _masked(sentence, "TELEFONE|PHONE|FONE")


def email(_: Field, __: Message, sentence: Sentence) -> Iterable[Mention]:
    """An e-mail address."""
    yield from _all(_EMAIL, sentence)
    yield from _masked(sentence, "EMAIL|E-MAIL")


def location(_: Field, __: Message, sentence: Sentence) -> Iterable[Mention]:
    """A file of source code, with its line."""
    return _all(_FILE, sentence)


def is_cpf(text: str) -> bool:
    """Whether the eleven digits have the check digits that they must; eleven alike have not."""
    digits = [int(digit) for digit in text if digit.isdigit()]
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    for count in (9, 10):
        total = sum(digit * weight for digit, weight in zip(digits, range(count + 1, 1, -1), strict=False))
        if digits[count] != total * 10 % 11 % 10:
            return False
    return True


def _whole(sentence: Sentence, value: str, low: int, high: int) -> Mention:
    return Mention(value, sentence.start + low, sentence.start + high, sentence.start + low)


def _all(pattern: re.Pattern[str], sentence: Sentence) -> Iterable[Mention]:
    return (_whole(sentence, match.group(), *match.span()) for match in pattern.finditer(sentence.text))


def _masked(sentence: Sentence, kinds: str) -> Iterable[Mention]:
    """A placeholder that stands for a value which was taken out before the text was sent."""
    return _all(re.compile(_MASKED.format(kinds=kinds), re.IGNORECASE), sentence)
