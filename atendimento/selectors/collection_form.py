"""The forms of a draft that are not a field's: what the type is called, and who may add what to each collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from atendimento.selectors import policy_words as words
from atendimento.selectors.parts import Option
from memoria.fields import COMPLETERS, DEFAULT_COMPLETION
from memoria.members import SHAPES
from memoria.patch import Json
from memoria.sources import LISTABLE

HEAD: Final = ("name", "description")


@dataclass(frozen=True, slots=True)
class HeadForm:
    """The type's own name and description."""

    name: str
    description: str
    faults: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CollectionLine:
    name: str
    label: str
    says: str  # in few words, who adds to it
    faults: tuple[str, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class CollectionForm:
    name: str
    label: str
    there: bool  # whether the draft has it; one that it has not takes nothing
    sources: tuple[Option, ...]
    others: tuple[Option, ...]
    kinds: str | None  # one a line; None where this collection knows none
    completers: tuple[Option, ...]  # empty where nothing is completed
    faults: Mapping[str, tuple[str, ...]]


Faults = Mapping[str, Mapping[str, Iterable[str]]]


def head_form(document: Mapping[str, Any], faults: Mapping[str, Iterable[str]], typed: Mapping[str, str] | None) -> HeadForm:
    """As the draft has it, or as it was `typed` and could not be saved."""
    said = {name: str(document.get(name, "")) for name in HEAD} if typed is None else typed
    return HeadForm(said["name"], said["description"], {name: tuple(faults.get(name, ())) for name in HEAD})


def collection_lines(document: Mapping[str, Any], faults: Faults, opened: str) -> tuple[CollectionLine, ...]:
    """Every collection that there is, those first that the draft has."""
    kept = rows(document)
    return tuple(
        CollectionLine(
            name,
            label(name),
            _says(kept[name]) if name in kept else _("takes nothing"),
            tuple(said for beside in faults.get(name, {}).values() for said in beside),
            name == opened,
        )
        for name in (*kept, *(name for name in SHAPES if name not in kept))
    )


def collection_form(
    document: Mapping[str, Any], name: str, faults: Faults, typed: Mapping[str, Any] | None
) -> CollectionForm | None:
    """The form of one collection; None where there is no such one."""
    kept = rows(document)
    if name not in SHAPES and name not in kept:
        return None
    found = kept.get(name)
    row = typed if typed is not None else found if isinstance(found, dict) else {}
    sources, kinds = texts(row.get("sources")), texts(row.get("kinds"))
    completing = texts(row.get("completion_sources", DEFAULT_COMPLETION))
    commitments = name == "commitments"
    every = dict.fromkeys((*sorted(COMPLETERS), *completing)) if commitments else {}
    return CollectionForm(
        name,
        label(name),
        name in kept,
        named(sources),
        named(code for code in sorted(LISTABLE) if code not in sources),
        "\n".join(kinds) if commitments else None,
        tuple(Option(code, words.upper_first(words.source(code)), code in completing) for code in every),
        {key: tuple(said) for key, said in faults.get(name, {}).items()},
    )


def rows(document: Mapping[str, Any]) -> Mapping[str, Json]:
    """The draft's collections, as far as they are any."""
    found = document.get("collections")
    return found if isinstance(found, dict) else {}


def label(name: str) -> str:
    return str(words.COLLECTIONS.get(name, name))


def texts(value: Json) -> tuple[str, ...]:
    """The texts of what should be a list of them."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def named(codes: Iterable[str]) -> tuple[Option, ...]:
    return tuple(Option(code, words.upper_first(words.source(code))) for code in codes)


def _says(row: Json) -> str:
    sources = texts(row.get("sources")) if isinstance(row, dict) else ()
    return ", ".join(map(words.source, sources)) or _("nobody")
