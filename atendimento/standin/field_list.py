"""The ticket type as the instructions end with it: a line a field, read back into fields and collections.

# Campos …
Assistência técnica
sources=agent,customer
/goal: Objetivo
/facts/
valor: Valor combinado | type=number | sources=tool,agent
/commitments/- | kind=visit,return_call
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Any

_HEADING: Final = re.compile(r"^# (?:Campos|Fields)\b.*$", re.MULTILINE)
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    # Who may speak of a collection that has no line, or a line without sources.
    "commitments": ("registry", "tool", "agent", "customer"),
    "pending": ("agent", "customer", "third_party", "assistant"),
    "constraints": ("agent", "customer"),
    "decisions": ("agent",),
    "authorizations": ("registry", "customer"),
    "attempts": ("agent", "customer", "tool"),
}


@dataclass(frozen=True, slots=True)
class FieldLine:
    path: str
    label: str
    schema: Json
    sources: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class CollectionLine:
    sources: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldList:
    fields: tuple[FieldLine, ...]
    collections: Mapping[str, CollectionLine]


def read_field_list(instructions: str) -> FieldList:
    """The list at the end of these instructions; an empty one where there is none."""
    headings = list(_HEADING.finditer(instructions))
    if not headings:
        return FieldList((), {})
    lines = instructions[headings[-1].end() :].lstrip("\n").split("\n\n")[0].split("\n")
    usual: tuple[str, ...] = ("customer", "agent")
    fields: list[FieldLine] = []
    collections = {name: CollectionLine(sources, ()) for name, sources in _USUAL.items()}
    group = ""
    for line in lines[1:]:
        head, said = _columns(line)
        if not head:
            usual = _texts(said.get("sources", "")) or usual
        elif head.startswith("/") and head.endswith("/-"):
            name = head[1:-2]
            if "none" in said:
                collections.pop(name, None)
            elif name in collections:
                sources = _texts(said.get("sources", "")) or collections[name].sources
                collections[name] = CollectionLine(sources, _texts(said.get("kind", "")))
        elif head.startswith("/") and head.endswith("/"):
            group = head
        else:
            name, _, label = head.partition(": ")
            path = name if name.startswith("/") else group + name
            sources = _texts(said.get("sources", "")) or usual
            spoken = label or name.rpartition("/")[2].replace("_", " ")
            fields.append(FieldLine(path, spoken, _schema(said.get("type", "")), sources, said.get("about", "")))
    return FieldList(tuple(fields), collections)


def _columns(line: str) -> tuple[str, dict[str, str]]:
    """What stands first, and the named columns after it; `none` has no value."""
    head, *rest = line.split(" | ")
    if re.match(r"sources=", head):
        head, rest = "", [head, *rest]
    said = {}
    for column in rest:
        key, _, value = column.partition("=")
        said[key] = value
    return head, said


def _texts(value: str) -> tuple[str, ...]:
    return tuple(filter(None, value.split(",")))


def _schema(kind: str) -> Json:
    if kind in _TYPES:
        return {"type": kind}
    if kind.endswith("[]") and kind[:-2] in _TYPES:
        return {"type": "array", "items": {"type": kind[:-2]}}
    if kind.startswith("/") and kind.endswith("/") and len(kind) > 2:
        return {"type": "string", "pattern": kind[1:-1]}
    if kind[:1] in "[{" and kind:
        try:
            document = json.loads(kind)
        except ValueError:
            return {"type": "string"}
        return {"enum": document} if isinstance(document, list) else document
    return {} if kind == "any" else {"type": "string"}
