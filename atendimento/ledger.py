"""A ticket's book: its state loaded under a lock, its log of events, and the one place that writes both.

Everything between `open_to_change` and the end of the transaction happens with the ticket's row locked, so two
decisions on one ticket come one after the other (V3); the unique (ticket, version) stands behind the lock.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.db.models import Q

from atendimento import access, corrections, timeline
from atendimento.models import (
    LedgerEvent,
    Organization,
    Proposal,
    ProposedChange,
    Reminder,
    RunStatus,
    Ticket,
    TicketState,
    TicketStatus,
    TicketType,
    TicketTypeVersion,
)
from atendimento.transcript import TicketTranscript
from memoria import fields
from memoria.events import (
    GENESIS,
    Event,
    EventKind,
    chain_hash,
    content_digest,
    event_to_record,
)
from memoria.expiry import next_expiry
from memoria.members import FINISHED
from memoria.merging import check_unmerged
from memoria.narrative import Narrative, narrative
from memoria.proposals import Status
from memoria.state import SlotStatus, State, state_from_json, state_to_json


def now() -> datetime:
    """The moment, in UTC: what is stored reads back as it was hashed."""
    return datetime.now(UTC)


# --- ticket types -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _compiled(digest: str, number: int, version_id: int) -> fields.TicketType:
    document = TicketTypeVersion.objects.values_list("document", flat=True).get(pk=version_id)
    return fields.TicketType.from_document(document, number)


def published_type(ticket_type_id: int) -> fields.TicketType:
    """The definition that is published now (T1). Published versions never change, so they are compiled once."""
    key = TicketType.objects.values_list("published__digest", "published__number", "published_id").get(pk=ticket_type_id)
    return _compiled(*key)


STANDING = (
    "version",
    "values",
    "slots",
    "minted",
    "head_hash",
    "ticket__ticket_type__published__digest",
    "ticket__ticket_type__published__number",
    "ticket__ticket_type__published_id",
)
"""What a ticket stands on: its projection, the head of its log and the key of its definition, in one query."""


# --- state --------------------------------------------------------------------------------------------------------


def start(ticket: Ticket) -> None:
    """Version 0 of a new ticket: the empty state."""
    empty = state_to_json(State())
    TicketState.objects.create(
        ticket=ticket,
        organization_id=ticket.organization_id,
        version=0,
        values=empty["values"],
        slots=empty["slots"],
        minted=empty["minted"],
        head_hash=GENESIS,
    )


def current_state(ticket_id: uuid.UUID) -> State:
    """The state that holds now, read from the projection."""
    return timeline.current(ticket_id)


def state_at(ticket_id: uuid.UUID, version: int) -> State | None:
    """The state at a version (H3), folded from the nearest that is kept; None where there is no such version."""
    return timeline.state_at(ticket_id, version)


@dataclass(frozen=True, slots=True)
class StateRead:
    """A state with what is needed to show it."""

    state: State
    ticket_type: fields.TicketType
    through_message: int  # up to where proposals had read then; 0: nothing


def read_state(ticket: Ticket, version: int | None = None, at: datetime | None = None) -> StateRead:
    """The state at a version, or at a moment; the present one where both are None.

    Raises access.NotFound for a version that there is not.
    """
    ticket_type = published_type(ticket.ticket_type_id)
    if version is None and at is not None:
        version = timeline.version_at(ticket.pk, at)
    if version is None:
        return StateRead(current_state(ticket.pk), ticket_type, ticket.through_message)
    held = state_at(ticket.pk, version)
    if held is None:
        raise access.NotFound("version")
    through = LedgerEvent.objects.filter(ticket=ticket, version=version).values_list("through_message", flat=True).first()
    return StateRead(held, ticket_type, through or 0)


def tell(ticket_id: uuid.UUID, organization: Organization, state: State, ticket_type: fields.TicketType) -> Narrative:
    """The narrative of a state, in the organisation's language and time zone (N2). Made anew each time, kept nowhere."""
    goal = state.slots.get("/goal")
    changed = goal is not None and goal.replaces is not None
    return narrative(
        state,
        ticket_type,
        language=organization.language,
        zone=ZoneInfo(organization.timezone),
        first_goal=timeline.first_goal(ticket_id) if changed else None,
    )


def events_between(ticket_id: uuid.UUID, after: int, up_to: int) -> list[Event]:
    """The events with `after` < version <= `up_to`, oldest first."""
    return [timeline.event_of(row) for row in timeline.rows(ticket_id, after, up_to)]


# --- the book -----------------------------------------------------------------------------------------------------


@dataclass
class Book:
    """A locked ticket with its state. `append` moves the state on; `close` writes the ticket's own figures."""

    ticket: Ticket
    state: State
    head_hash: str
    ticket_type: fields.TicketType
    transcript: TicketTranscript
    moment: datetime  # taken after the lock, so that later decisions have later times
    commitments_changed: bool = False  # reminders are looked at anew

    @property
    def organization(self) -> Organization:
        return self.ticket.organization

    def since(self, version: int) -> list[Event]:
        """The events after `version` (V2), oldest first; none are read where `version` is the current one or newer."""
        return events_between(self.ticket.pk, version, self.state.version) if version < self.state.version else []

    def append(self, event: Event) -> State:
        """Store the event and the state after it, together. Returns that state."""
        record = event_to_record(event)
        # Beside what the domain replays: what only this row knows is under the chain too.
        record["content"] |= {timeline.READ_THROUGH: self.ticket.through_message}
        salt = os.urandom(16)
        digest = content_digest(record["content"], salt)
        before, self.state = self.state, self.state.evolve(event)
        self.commitments_changed |= any(pointer.startswith("/commitments/") for pointer in event.slots)
        previous, self.head_hash = self.head_hash, chain_hash(self.head_hash, str(self.ticket.pk), record, digest)
        row = LedgerEvent.objects.create(
            organization_id=self.ticket.organization_id,
            ticket=self.ticket,
            version=event.version,
            kind=event.kind.value,
            actor=record["actor"],
            at=event.at,
            ticket_type_version=event.ticket_type_version,
            content=record["content"],
            salt=salt,
            content_digest=digest,
            previous_hash=previous,
            hash=self.head_hash,
            **timeline.beside(event, self.ticket.through_message),
        )
        corrections.write(row, event, before, self.state, self._undone(event), self.ticket_type)
        after = state_to_json(self.state)
        TicketState.objects.filter(ticket=self.ticket).update(
            version=after["version"],
            values=after["values"],
            slots=after["slots"],
            minted=after["minted"],
            head_hash=self.head_hash,
        )
        if timeline.is_kept(event.version):
            timeline.keep(self.ticket.organization_id, self.ticket.pk, self.state)
        self.ticket.state_version = event.version
        return self.state

    def _undone(self, event: Event) -> Event | None:
        """The event that this one takes back, where it does."""
        if event.kind is not EventKind.UNDO:
            return None
        return next(iter(events_between(self.ticket.pk, event.cause["version"] - 1, event.cause["version"])), None)

    def close(self, pending: int | None = None) -> None:
        """Write the ticket's figures: what calls for attention, and that it changed. Call once, last.

        `pending`: how many changes are undecided, from whoever read them under this lock and touched no run.
        """
        if pending is None:
            self.ticket.pending_count = ProposedChange.objects.filter(ticket=self.ticket, status=Status.PENDING).count()
            self.ticket.parked_count = Proposal.objects.filter(ticket=self.ticket, status=RunStatus.PARKED).count()
        else:
            self.ticket.pending_count = pending
        statuses = [slot.status for slot in self.state.slots.values()]
        self.ticket.conflict_count = statuses.count(SlotStatus.CONFLICT)
        self.ticket.stale_count = statuses.count(SlotStatus.NEEDS_CONFIRMATION)
        self.ticket.next_due = next_due(self.state, ZoneInfo(self.organization.timezone))
        self.ticket.next_expiry = next_expiry(self.state, self.ticket_type)
        if self.ticket.merged_into_id is not None:  # it calls for nobody any more (S2)
            self.ticket.conflict_count = self.ticket.stale_count = self.ticket.parked_count = 0
            self.ticket.next_due = self.ticket.next_expiry = None
            self.commitments_changed = True
        if self.commitments_changed:
            self.ticket.remind_at = self.moment
            self._cancel_reminders()
        self.ticket.updated_at = self.moment
        note_closing(self.ticket, self.moment)
        self.ticket.save(update_fields=FIGURES)

    def _cancel_reminders(self) -> None:
        """Nobody is reminded any more of what was finished, or of a due that was moved."""
        held = {} if self.ticket.merged_into_id is not None else self.state.values.get("commitments", {})
        standing = Q(pk=None)
        for key, member in held.items():
            if member.get("due") and member.get("status") not in FINISHED:
                standing |= Q(commitment=key, due=member["due"])
        live = Reminder.objects.filter(ticket=self.ticket, cancelled_at=None)
        live.exclude(standing).update(cancelled_at=self.moment)


def note_closing(ticket: Ticket, moment: datetime) -> None:
    """Put down when a ticket was closed, as long as it is: its periods of retention count from then (L1)."""
    ended = ticket.status in (TicketStatus.CLOSED, TicketStatus.MERGED)
    ticket.closed_at = (ticket.closed_at or moment) if ended else None


FIGURES = (
    "waiting_since",
    "woken_at",
    "merged_into",
    "merged_by",
    "merged_at",
    "status",
    "snoozed_until",
    "closed_at",
    "updated_at",
    "last_message_at",
    "last_message_number",
    "state_version",
    "through_message",
    "pending_count",
    "conflict_count",
    "stale_count",
    "parked_count",
    "next_due",
    "next_expiry",
    "remind_at",
)


def open_to_change(reader: access.Reader, ticket_id: str | uuid.UUID) -> Book:
    """Lock the ticket and load its state, in a transaction that the caller opened.

    Raises access.NotFound, and DomainError `ticket.erased` (L2).
    """
    return _book(access.ticket_to_change(reader, ticket_id))


def open_unless_erased(organization: Organization, ticket_id: uuid.UUID) -> Book | None:
    """The same for a worker's job, which has nothing to do any more where the ticket was erased meanwhile: None (L2).

    Raises access.NotFound.
    """
    ticket = access.ticket_to_erase(organization, ticket_id)
    return None if ticket.erased_at is not None else _book(ticket)


def open_to_erase(organization: Organization, ticket_id: uuid.UUID) -> Book:
    """The same for erasure, which goes on where it was broken off. Raises access.NotFound."""
    return _book(access.ticket_to_erase(organization, ticket_id))


def _book(ticket: Ticket) -> Book:
    version, values, slots, minted, head_hash, *key = TicketState.objects.values_list(*STANDING).get(ticket=ticket)
    return Book(
        ticket,
        state_from_json({"version": version, "values": values, "slots": slots, "minted": minted}),
        head_hash,
        _compiled(*key),
        TicketTranscript(ticket.pk, ticket.last_message_number),
        now(),
    )


def open_to_decide(reader: access.Reader, ticket_id: str | uuid.UUID) -> Book:
    """The same for a decision, which a merged ticket takes no more: raises DomainError `ticket.merged` (S2)."""
    book = open_to_change(reader, ticket_id)
    refuse_merged(book.ticket)
    return book


def refuse_merged(ticket: Ticket) -> None:
    """Raises DomainError `ticket.merged` for a ticket that goes on elsewhere (S2)."""
    if ticket.merged_into_id is not None:
        into = Ticket.objects.values_list("protocol", flat=True).get(pk=ticket.merged_into_id)
        check_unmerged(ticket.protocol, into)


def next_due(state: State, zone: ZoneInfo) -> datetime | None:
    """The first moment at which an unfinished commitment is due; a day ends at midnight in the organisation's zone."""
    moments = [
        _end_of(member["due"], zone)
        for member in state.values.get("commitments", {}).values()
        if member.get("due") and member.get("status") not in FINISHED
    ]
    return min(moments, default=None)


def _end_of(due: str, zone: ZoneInfo) -> datetime:
    if len(due) == len("2026-01-31"):
        return datetime.combine(date.fromisoformat(due), time.max, zone)
    return datetime.fromisoformat(due.upper())


def write_replayed(book: Book, state: State) -> None:
    """Write the log's own state as the ticket's stored one, in the transaction that opened the book."""
    last = LedgerEvent.objects.filter(ticket=book.ticket).order_by("-version").first()
    after = state_to_json(state)
    book.head_hash = last.hash if last is not None else GENESIS
    TicketState.objects.filter(ticket=book.ticket).update(
        version=after["version"],
        values=after["values"],
        slots=after["slots"],
        minted=after["minted"],
        head_hash=book.head_hash,
    )
    book.state = state
    book.ticket.state_version = state.version
    book.commitments_changed = True
    book.close()
