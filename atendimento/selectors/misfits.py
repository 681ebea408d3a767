"""How much of what tickets hold no longer fits their type, for whoever publishes a version of it (T1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from atendimento.models import TicketState, TicketTypeVersion
from atendimento.selectors import reading
from memoria.misfits import misfits
from memoria.state import SlotStatus

CHUNK = 500


def holding(slots: Mapping[str, Any]) -> dict[str, str]:
    """Of slots as they are stored, the pointers that hold a value, each with its source."""
    return {pointer: slot["source"] for pointer, slot in slots.items() if slot["status"] != SlotStatus.OPEN.value}


@dataclass(frozen=True, slots=True)
class MisfitCount:
    values: int
    tickets: int


def count(version: TicketTypeVersion) -> MisfitCount:
    """The values of the type's tickets that its published version would not take, and in how many tickets they are.

    Every ticket's stored state is read once, a few at a time; nothing is changed.
    """
    ticket_type = reading.definition(version.ticket_type_id)
    states = TicketState.objects.filter(ticket__ticket_type_id=version.ticket_type_id, version__gt=0)
    values = tickets = 0
    for held, slots in states.values_list("values", "slots").iterator(chunk_size=CHUNK):
        found = len(misfits(held, holding(slots), ticket_type))
        values += found
        tickets += found > 0
    return MisfitCount(values, tickets)
