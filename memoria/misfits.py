"""What of a state no longer fits its ticket type (T1): found when a version is published, changed by events of its own (T2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memoria.fields import TicketType
from memoria.members import FINISHED, SHAPES, member_problem
from memoria.patch import Json, lookup, make_pointer, parse_pointer
from memoria.rows import template_of
from memoria.sources import INFERENCE

SETTLED: Final[Mapping[str, frozenset[str]]] = {
    "commitments": FINISHED,
    "pending": frozenset({"answered", "withdrawn"}),
    "authorizations": frozenset({"revoked"}),
}
"""By collection, the statuses of members that are history and ask for nothing."""


class Why(StrEnum):
    GONE = "gone"  # the type does not define the pointer any more
    VALUE = "value"  # the value is none that its field, or its collection, takes
    KIND = "kind"  # the type has no such kind of commitment any more
    TARGET = "target"  # it applies to a field, or a kind of commitment, that the type does not have
    SOURCE = "source"  # the source that it rests on may not say it any more


@dataclass(frozen=True, slots=True)
class Misfit:
    pointer: str
    why: Why

    @property
    def group(self) -> str:
        """What misfits are counted and settled by: the field (of all groups at once, G3), or the collection."""
        parts = parse_pointer(self.pointer)
        return make_pointer(parts[0]) if parts[0] in SHAPES else template_of(self.pointer)


def misfits(values: Mapping[str, Json], held: Mapping[str, str], ticket_type: TicketType) -> tuple[Misfit, ...]:
    """Every pointer of `held` (those whose slots hold a value, each with its source) that the type would not take today.

    Of a collection its members are looked at, not their parts; what is settled is history and asks for nothing.
    """
    found = ((pointer, _why(pointer, source, lookup(values, pointer), ticket_type)) for pointer, source in held.items())
    return tuple(Misfit(pointer, why) for pointer, why in found if why is not None)


def _why(pointer: str, source: str, value: Json, ticket_type: TicketType) -> Why | None:
    parts = parse_pointer(pointer)
    if parts[0] in SHAPES:
        return _member_why(parts, source, value, ticket_type)
    field = ticket_type.fields.get(pointer)
    if field is None:
        return Why.GONE
    if field.value_problem(value) is not None:
        return Why.VALUE
    may = field.inference != "refuse" if source == INFERENCE else source in field.sources
    return None if may else Why.SOURCE


def _member_why(parts: tuple[str, ...], source: str, value: Json, ticket_type: TicketType) -> Why | None:
    collection = parts[0]
    if len(parts) != 2 or (isinstance(value, dict) and value.get("status") in SETTLED.get(collection, ())):
        return None
    rules = ticket_type.collections.get(collection)
    if rules is None:
        return Why.GONE
    problem = member_problem(collection, value, rules.kinds, ticket_type.targets)
    if problem is not None:
        return {"kind": Why.KIND, "applies_to": Why.TARGET}.get(problem[0], Why.VALUE)
    return None if source in rules.sources else Why.SOURCE
