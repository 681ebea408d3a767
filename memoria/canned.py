"""Replies written beforehand, with places for what a ticket holds.

A place is a name in braces: `{bairro}` stands for the field `/facts/bairro`, `{goal}` for the goal; where two maps have the
name, `{facts/bairro}` tells them apart. Other names are the caller's (the customer's, the protocol). Only a value that
holds now is filled in: anything else leaves the field's label in brackets, which `reply_check` finds before it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memoria.fields import TicketType
from memoria.patch import Json, Missing, lookup
from memoria.state import SlotStatus, State

_PLACE: Final = re.compile(r"\{([^{}\n]{1,120})\}")


@dataclass(frozen=True, slots=True)
class Filled:
    text: str
    gaps: tuple[str, ...]  # pointers of the fields whose value does not hold, once each


def names_in(text: str) -> Iterator[str]:
    """The names of a text's places, in order."""
    return (found[1].strip() for found in _PLACE.finditer(text))


def field_named(name: str, ticket_type: TicketType) -> str | None:
    """The pointer of the field that a name stands for; None where there is none, or more than one."""
    wanted = "/" + name.strip("/ ").casefold()
    single = (pointer for pointer, row in ticket_type.fields.items() if not row.repeats)  # which group is meant, no name says
    ends = [pointer for pointer in single if pointer.casefold() == wanted or pointer.casefold().endswith(wanted)]
    exact = [pointer for pointer in ends if pointer.casefold() == wanted]
    return (exact or ends)[0] if len(exact or ends) == 1 else None


def fill(
    text: str,
    state: State,
    ticket_type: TicketType,
    names: Mapping[str, str],
    show: Callable[[str, Json], str],
) -> Filled:
    """The text with its places filled. `names` are filled in as they are; `show(pointer, value)` writes a field's value.

    A name that nobody knows stays as it is written.
    """
    gaps: dict[str, None] = {}

    def filled(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name.casefold() in names:
            return names[name.casefold()]
        pointer = field_named(name, ticket_type)
        if pointer is None:
            return found[0]
        slot, value = state.slots.get(pointer), lookup(state.values, pointer)
        if isinstance(value, Missing) or slot is None or slot.status is not SlotStatus.CURRENT:
            gaps[pointer] = None
            return f"[{ticket_type.fields[pointer].label}]"
        return show(pointer, value)

    return Filled(_PLACE.sub(filled, text), tuple(gaps))
