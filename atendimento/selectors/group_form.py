"""The form of a draft's groups: how what repeats is called, which field names it, how many there may be (G1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from atendimento.selectors.parts import Option
from memoria.patch import Json
from memoria.rows import ITEMS, TEMPLATE, GroupRule

KEYS: Final = ("label", "plural", "named_by", "most")


@dataclass(frozen=True, slots=True)
class GroupForm:
    """What is said of the groups, as the draft has it: what is left out has its default."""

    label: str
    plural: str
    naming: tuple[Option, ...]
    most: str
    faults: Mapping[str, tuple[str, ...]]  # by the row's key
    whole: tuple[str, ...] = ()  # of the row itself


def repeating(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The pointers of the draft's fields that repeat."""
    found = document.get("fields")
    return tuple(pointer for pointer in found if pointer.startswith(TEMPLATE)) if isinstance(found, dict) else ()


def row_of(document: Mapping[str, Any]) -> Mapping[str, Json]:
    """What the draft says of its groups, as far as it is anything."""
    found = document.get("groups")
    row = found.get(ITEMS) if isinstance(found, dict) else None
    return row if isinstance(row, dict) else {}


def called(document: Mapping[str, Any]) -> tuple[str, str]:
    """What one group of the draft is called, and several of them."""
    row = row_of(document)
    one = _text(row.get("label")) or GroupRule().label
    return one, _text(row.get("plural")) or one


def group_form(
    document: Mapping[str, Any],
    labels: Mapping[str, str],
    faults: Mapping[str, Iterable[str]],
    typed: Mapping[str, Json] | None,
) -> GroupForm | None:
    """The form, or None where nothing repeats and nothing is said of it. `labels`: the fields' own, by pointer."""
    pointers, row = repeating(document), row_of(document) if typed is None else typed
    if not pointers and "groups" not in document:
        return None
    named = row.get("named_by")
    known = dict.fromkeys((*pointers, *([named] if isinstance(named, str) and named else [])))
    return GroupForm(
        _text(row.get("label")),
        _text(row.get("plural")),
        (
            Option("", _("none: they are numbered"), not named),
            *(Option(one, labels.get(one, one), one == named) for one in known),
        ),
        "" if row.get("most") is None else str(row["most"]),
        {key: tuple(said) for key, said in faults.items() if key in KEYS},
        tuple(said for key, found in faults.items() if key not in KEYS for said in found),
    )


def reached(target: str, cause: str, label: str, document: Mapping[str, Any]) -> str:
    """A field that another invalidates, and in which of the groups (G4)."""
    if not target.startswith(TEMPLATE):
        return label
    one, several = called(document)
    return within(label, one) if cause.startswith(TEMPLATE) else throughout(label, several)


def within(label: str, one: str) -> str:
    return _("%(field)s (in the same group: %(group)s)") % {"field": label, "group": one}


def throughout(label: str, several: str) -> str:
    return _("%(field)s (in every group: %(groups)s)") % {"field": label, "groups": several}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
