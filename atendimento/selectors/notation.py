"""Brazilian numbers as people write them: CPF, CNPJ, CEP and telephones.

A field says that it holds one by its JSON Schema's `format`: `cpf`, `cnpj`, `cpf-cnpj` (either), `cep`, `phone-br`. That
changes how a value is shown and how a form reads what was typed, and nothing else: the stored value, what a quote is
compared with, and the rules never see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoria.personal import is_cnpj, is_cpf

_TYPED: Final = re.compile(r"[0-9A-Za-z .\-/()+\u00a0\u2010-\u2013]+")
"""What such a number is written with; a text with anything else in it is shown as it is."""
_AREAS: Final = re.compile(r"1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]")


class Misspelled(ValueError):
    """What was typed is no such number. `args[0]` says why, in the reader's language."""


@dataclass(frozen=True, slots=True)
class Notation:
    """One way of writing. `mask` is given the bare characters and answers None where they are none of its own."""

    mask: Callable[[str], str | None]
    right: Callable[[str], bool]
    wrong_length: Promise
    wrong: Promise
    keyboard: str  # of a phone: an HTML inputmode
    example: str


def bare(text: str) -> str:
    """The letters and digits alone, in capitals."""
    return "".join(character for character in text.upper() if character.isascii() and character.isalnum())


def _cpf(plain: str) -> str | None:
    if len(plain) != 11 or not plain.isdecimal():
        return None
    return f"{plain[:3]}.{plain[3:6]}.{plain[6:9]}-{plain[9:]}"


def _cnpj(plain: str) -> str | None:
    if len(plain) != 14 or not plain[12:].isdecimal():
        return None
    return f"{plain[:2]}.{plain[2:5]}.{plain[5:8]}/{plain[8:12]}-{plain[12:]}"


def _cpf_or_cnpj(plain: str) -> str | None:
    return _cpf(plain) or _cnpj(plain)


def _cep(plain: str) -> str | None:
    return f"{plain[:5]}-{plain[5:]}" if len(plain) == 8 and plain.isdecimal() else None


def _phone(plain: str) -> str | None:
    """With the country's code where it was given; numbers without an area, and 0800 and its like, in their own way."""
    if not plain.isdecimal():
        return None
    if len(plain) in (12, 13) and plain.startswith("55"):
        local = _phone(plain[2:])
        return None if local is None else f"+55 {local}"
    if len(plain) in (10, 11) and plain[0] == "0":
        return f"{plain[:4]} {plain[4:7]} {plain[7:]}" if re.match("0[3589]00", plain) else None
    if len(plain) in (10, 11):
        return f"({plain[:2]}) {plain[2:-4]}-{plain[-4:]}"
    return f"{plain[:-4]}-{plain[-4:]}" if len(plain) in (8, 9) else None


def _dials(plain: str) -> bool:
    """Whether the area exists, and a number of nine digits begins with 9."""
    if re.fullmatch("0[3589]00[0-9]{6,7}", plain) or len(plain) in (8, 9):
        return len(plain) != 9 or plain[0] == "9"
    local = plain[2:] if len(plain) > 11 else plain
    return _AREAS.match(local) is not None and (len(local) == 10 or local[2] == "9")


_CHECK: Final = _("The check digit does not match.")

NOTATIONS: Final[Mapping[str, Notation]] = {
    "cpf": Notation(_cpf, is_cpf, _("A CPF has 11 digits."), _CHECK, "numeric", "123.456.789-09"),
    "cnpj": Notation(_cnpj, is_cnpj, _("A CNPJ has 14 digits or letters."), _CHECK, "text", "12.345.678/0001-95"),
    "cpf-cnpj": Notation(
        _cpf_or_cnpj,
        lambda plain: is_cpf(plain) if len(plain) == 11 else is_cnpj(plain),
        _("A CPF has 11 digits, a CNPJ 14 digits or letters."),
        _CHECK,
        "text",
        "123.456.789-09",
    ),
    "cep": Notation(
        _cep, lambda plain: plain != "0" * 8, _("A CEP has 8 digits."), _("There is no such CEP."), "numeric", "50030-230"
    ),
    "phone-br": Notation(
        _phone,
        _dials,
        _("A telephone number has its area and 8 or 9 digits."),
        _("There is no such telephone number."),
        "tel",
        "(81) 99999-9999",
    ),
}


def of_schema(schema: Any) -> str:
    """The format by which a field's schema asks for a notation; empty where it asks for none."""
    named = schema.get("format") if isinstance(schema, dict) else None
    return named if isinstance(named, str) and named in NOTATIONS else ""


def shown(notation: str, text: str) -> str:
    """The number in its usual spelling; a text that is none stays as it is, to the last character."""
    if not _TYPED.fullmatch(text):
        return text
    return NOTATIONS[notation].mask(bare(text)) or text


def read(notation: str, typed: str, held: str = "", pattern: str = "", max_length: int | None = None) -> str:
    """What a form's text stands for: the number that is held where it is the same one; else as the schema spells it.

    Of the three spellings, as typed, bare and usual, it is the first that the schema's `pattern` and `maxLength` take.
    Raises Misspelled.
    """
    given = typed.strip()
    if not given:
        return given
    rule, plain = NOTATIONS[notation], bare(given)
    usual = rule.mask(plain) if _TYPED.fullmatch(given) else None
    if usual is None:
        raise Misspelled(str(rule.wrong_length))
    if held and bare(held) == plain:
        return held
    if not rule.right(plain):
        raise Misspelled(str(rule.wrong))
    return next((text for text in (given, plain, usual) if _fits(text, pattern, max_length)), given)


def _fits(text: str, pattern: str, max_length: int | None) -> bool:
    if max_length is not None and len(text) > max_length:
        return False
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True  # a pattern that Python does not read: the schema itself has the last word


def phone(text: str) -> str:
    """A telephone number of a contact, whose field has no schema."""
    return shown("phone-br", text)
