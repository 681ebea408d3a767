"""A ticket's past decisions with all that deciding them again needs (T3). Reads alone; the rules are `memoria.simulation`'s."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from atendimento import access, timeline
from atendimento.models import LedgerEvent, Membership, Message, MessageRevision, ProposedChange, Ticket
from atendimento.selectors import reading
from atendimento.transcript import to_domain
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.past_messages import Archive, Kept
from memoria.proposals import Change, Citation, Status
from memoria.simulation import Case, Record, Simulated, simulate
from memoria.sources import Actor
from memoria.state import State


@dataclass(frozen=True, slots=True)
class Again:
    """A ticket's wanted decisions, decided again; and the versions of those that cannot be, their content being erased."""

    ticket: Ticket
    decisions: tuple[Simulated, ...]
    lost: tuple[int, ...]


def decide_again(ticket_id: uuid.UUID, versions: Sequence[int], draft: TicketType, actors: Mapping[str, Actor]) -> Again:
    """Decide these versions of a ticket again, under the rules of then and under `draft`. Nothing is written."""
    ticket = Ticket.objects.select_related("ticket_type").get(pk=ticket_id)
    rows = _rows(ticket_id, versions)
    found: list[Simulated] = []
    case: Case | None = None
    for start, events in _stretches(ticket_id, rows):
        if case is None:
            case = _case(ticket, [event for event in map(_event, rows) if event is not None], actors)
        found += simulate(start, events, frozenset(versions), draft, case)
    known = {item.event.version for item in found}
    return Again(ticket, tuple(found), tuple(version for version in versions if version not in known))


def actors_of(organization_id: int) -> dict[str, Actor]:
    """The organisation's members as they may act today, by the id that events name them by."""
    members = Membership.objects.filter(organization_id=organization_id).select_related("user")
    return {str(member.pk): access.actor_of(member) for member in members}


def _rows(ticket_id: uuid.UUID, versions: Sequence[int]) -> list[LedgerEvent]:
    """The events from the first one wanted to the last; from further back where one of them undid an earlier version."""
    first, last = min(versions), max(versions)
    rows = list(timeline.rows(ticket_id, first - 1, last))
    undone = [
        row.content["cause"]["version"]
        for row in rows
        if row.kind == EventKind.UNDO and row.content is not None and row.version in versions
    ]
    earliest = min([first, *undone])
    return rows if earliest == first else list(timeline.rows(ticket_id, earliest - 1, last))


def _event(row: LedgerEvent) -> Event | None:
    return None if row.content is None else timeline.event_of(row)


def _stretches(ticket_id: uuid.UUID, rows: Sequence[LedgerEvent]) -> Iterator[tuple[State, list[Event]]]:
    """Runs of events without an erased one between them, each with the state before it, where that can be had."""
    stretch: list[Event] = []
    for event in [*map(_event, rows), None]:
        if event is not None:
            stretch.append(event)
        elif stretch:
            start = State() if stretch[0].version == 1 else timeline.state_at(ticket_id, stretch[0].version - 1)
            if start is not None:
                yield start, stretch
            stretch = []


def _case(ticket: Ticket, events: Sequence[Event], actors: Mapping[str, Actor]) -> Case:
    records = _records(ticket.pk, events)
    return Case(
        Archive(_messages(ticket.pk)),
        records,
        lambda number: reading.definition_at(ticket.ticket_type_id, number),
        actors,
    )


def _records(ticket_id: uuid.UUID, events: Sequence[Event]) -> dict[str, Record]:
    ids = {entry["id"] for event in events if event.kind is EventKind.DECISION for entry in event.cause["changes"]}
    rows = ProposedChange.objects.filter(ticket_id=ticket_id, pk__in=ids)
    return {str(row.pk): _record(row) for row in rows}


def _record(row: ProposedChange) -> Record:
    change = Change(row.op, row.path, row.value, _citations(row.citations), row.inference, row.reason or None)
    decision = row.decision or {}
    edited = row.status == Status.EDITED and decision.get("evidence") is not None
    starts = decision.get("starts")
    return Record(
        change,
        row.version,
        _citations(decision["evidence"]) if edited else None,
        None if starts is None else _citations(starts),
    )


def _citations(documents: Sequence[Mapping[str, object]]) -> tuple[Citation, ...]:
    return tuple(Citation.from_json(item) for item in documents)


def _messages(ticket_id: uuid.UUID) -> Iterator[Kept]:
    revisions: dict[int, list[MessageRevision]] = {}
    for revision in MessageRevision.objects.filter(message__ticket_id=ticket_id).order_by("message_id", "number"):
        revisions.setdefault(revision.message_id, []).append(revision)
    for row in Message.objects.filter(ticket_id=ticket_id).order_by("number").iterator(chunk_size=1000):
        before = revisions.get(row.pk, ())
        texts = tuple((revision.received_at, revision.text) for revision in before)
        if texts:
            texts = (*texts, (row.edited_at or row.received_at, row.text))
        yield Kept(to_domain(row), row.received_at, texts, row.deleted_at)
