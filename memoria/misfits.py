"""What of a state no longer fits its ticket type (T1): found when a version is published, changed by events of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoria.fields import TicketType
from memoria.members import FINISHED, SHAPES, member_problem
from memoria.patch import Json, lookup, parse_pointer


class Why(StrEnum):
    GONE = "gone"  # the type does not define the pointer any more
    VALUE = "value"  # the value is none that its field, or its collection, takes


@dataclass(frozen=True, slots=True)
class Misfit:
    pointer: str
    why: Why


def misfits(values: Mapping[str, Json], holding: Iterable[str], ticket_type: TicketType) -> tuple[Misfit, ...]:
    """Every pointer of `holding` (those whose slots hold a value) whose value the ticket type would not take today.

    Of a collection its members are looked at, not their parts; a finished commitment is history and asks for nothing.
    """
    found = ((pointer, _why(pointer, lookup(values, pointer), ticket_type)) for pointer in holding)
    return tuple(Misfit(pointer, why) for pointer, why in found if why is not None)


def _why(pointer: str, value: Json, ticket_type: TicketType) -> Why | None:
    parts = parse_pointer(pointer)
    if parts[0] in SHAPES:
        return _member_why(parts, value, ticket_type)
    field = ticket_type.fields.get(pointer)
    if field is None:
        return Why.GONE
    return None if field.value_problem(value) is None else Why.VALUE


def _member_why(parts: tuple[str, ...], value: Json, ticket_type: TicketType) -> Why | None:
    collection = parts[0]
    if len(parts) != 2 or (collection == "commitments" and isinstance(value, dict) and value.get("status") in FINISHED):
        return None
    rules = ticket_type.collections.get(collection)
    if rules is None:
        return Why.GONE
    return None if member_problem(collection, value, rules.kinds, ticket_type.targets) is None else Why.VALUE
