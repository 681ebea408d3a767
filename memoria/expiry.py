"""How long a value holds (D1): when it ends, and the event that puts into doubt what has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from memoria.draft import Draft
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.judgement import Desk
from memoria.patch import Json
from memoria.state import Slot, SlotStatus, Stale, State

EXPIRED: Final = "expired"


def ends_at(pointer: str, slot: Slot, ticket_type: TicketType) -> datetime | None:
    """Until when a value holds: its words' age, or its confirmation's, and so long on. None where nothing ends it.

    A confirmation and a resolution count from their own moment, as everywhere (P7). What is in doubt or disputed already
    ends no more.
    """
    field = ticket_type.fields.get(pointer)
    if field is None or field.holds_for is None or slot.status is not SlotStatus.CURRENT:
        return None
    return slot.age.at + field.holds_for


def next_expiry(state: State, ticket_type: TicketType) -> datetime | None:
    """The first moment at which one of the values ends; None where none does."""
    moments = (ends_at(pointer, slot, ticket_type) for pointer, slot in state.slots.items())
    return min((moment for moment in moments if moment is not None), default=None)


def expire(state: State, desk: Desk) -> Event | None:
    """Put into doubt every value that has ended by now, in one event; None where none has.

    No value changes, so nothing falls with it (K7).
    """
    draft = Draft(state, desk)
    told: list[Json] = []
    for pointer, slot in state.slots.items():
        end = ends_at(pointer, slot, desk.ticket_type)
        if end is None or end > desk.now:
            continue
        since = end.isoformat()
        doubted = replace(slot, status=SlotStatus.NEEDS_CONFIRMATION, stale_because=Stale(EXPIRED, since=since), confirmed=None)
        draft.put(pointer, doubted)
        draft.touch(pointer)
        told.append({"pointer": pointer, "since": since, "valid_for": desk.ticket_type.fields[pointer].valid_for})
    return draft.finish(EventKind.EXPIRED, {"values": told}) if told else None
