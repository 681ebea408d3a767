"""What pages need of a ticket: its definition, its state, its messages by number. Reads alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache

from atendimento.models import LedgerEvent, Message, TicketState, TicketType, TicketTypeVersion
from memoria import fields
from memoria.events import Event, event_from_record
from memoria.evidence import message_number
from memoria.state import State, state_from_json


@lru_cache(maxsize=512)
def _compiled(version_id: int, number: int) -> fields.TicketType:
    document = TicketTypeVersion.objects.values_list("document", flat=True).get(pk=version_id)
    return fields.TicketType.from_document(document, number)


def definition(ticket_type_id: int) -> fields.TicketType:
    """The definition that is published now. A published version never changes, so each is compiled once."""
    version_id, number = TicketType.objects.values_list("published_id", "published__number").get(pk=ticket_type_id)
    assert version_id is not None
    assert number is not None
    return _compiled(version_id, number)


def current_state(ticket_id: uuid.UUID) -> State:
    row = TicketState.objects.get(ticket_id=ticket_id)
    return state_from_json({"version": row.version, "values": row.values, "slots": row.slots, "minted": row.minted})


def state_before(state: State, ticket_id: uuid.UUID, version: int) -> State | None:
    """The state at an earlier version, unwound from `state`; None where there is none, or its record is erased."""
    if not 0 <= version <= state.version:
        return None
    for row in LedgerEvent.objects.filter(ticket_id=ticket_id, version__gt=version).order_by("-version"):
        if row.content is None:
            return None
        state = state.rewind(event_of(row))
    return state


def event_of(row: LedgerEvent) -> Event:
    """The event of a ledger row that is not erased."""
    return event_from_record(
        {
            "version": row.version,
            "kind": row.kind,
            "actor": row.actor,
            "at": row.at.astimezone(UTC).isoformat(),
            "ticket_type_version": row.ticket_type_version,
            "content": row.content,
        }
    )


@dataclass(frozen=True, slots=True)
class Cited:
    """The messages that quotes on a page come from, by their id."""

    rows: Mapping[str, Message]

    def get(self, reference: str) -> Message | None:
        return self.rows.get(reference)


def cited(ticket_id: uuid.UUID, references: Iterable[str], known: Iterable[Message] = ()) -> Cited:
    """The messages named, in one query for those that are not `known`; none where all are."""
    rows = {row.ref: row for row in known}
    numbers = {message_number(reference) for reference in references if reference not in rows}
    missing = sorted(number for number in numbers if number is not None)
    if missing:
        rows |= {row.ref: row for row in Message.objects.filter(ticket_id=ticket_id, number__in=missing)}
    return Cited(rows)
