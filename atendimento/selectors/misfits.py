"""How much of what tickets hold no longer fits their type, for whoever publishes a version of it (T1)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from atendimento.models import Ticket, TicketState, TicketType, TicketTypeVersion
from atendimento.selectors import reading
from memoria.misfits import misfits
from memoria.state import SlotStatus

CHUNK: Final = 500
LOOKED_AT: Final = 2_000
"""Tickets that are looked at for misfits while somebody waits. What is chosen is done to all, by a task that has its time."""


def holding(slots: Mapping[str, Any]) -> dict[str, str]:
    """Of slots as they are stored, the pointers that hold a value, each with its source."""
    return {pointer: slot["source"] for pointer, slot in slots.items() if slot["status"] != SlotStatus.OPEN.value}


def newest(ticket_type: TicketType) -> tuple[list[uuid.UUID], bool]:
    """The tickets of the type that changed last, merged ones aside, newest first; and whether there are more of them."""
    rows = Ticket.objects.filter(organization=ticket_type.organization_id, ticket_type=ticket_type, merged_into=None)
    rows = rows.filter(state_version__gt=0)
    keys = list(rows.order_by("-updated_at", "-pk").values_list("pk", flat=True)[: LOOKED_AT + 1])
    return keys[:LOOKED_AT], len(keys) > LOOKED_AT


@dataclass(frozen=True, slots=True)
class MisfitCount:
    values: int
    tickets: int
    more: bool  # whether there are tickets that were not looked at


def count(version: TicketTypeVersion) -> MisfitCount:
    """The values that the published version would not take, in the tickets that changed last; and in how many of these.

    Their stored states are read once, a few at a time; nothing is changed.
    """
    ticket_type = reading.definition(version.ticket_type_id)
    keys, more = newest(version.ticket_type)
    values = tickets = 0
    for start in range(0, len(keys), CHUNK):
        states = TicketState.objects.filter(ticket__in=keys[start : start + CHUNK])
        for held, slots in states.values_list("values", "slots"):
            found = len(misfits(held, holding(slots), ticket_type))
            values += found
            tickets += found > 0
    return MisfitCount(values, tickets, more)
