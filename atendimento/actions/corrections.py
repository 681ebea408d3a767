"""Saying what a correction's cause was, and finding the corrections of events that are older than their table."""

from __future__ import annotations

import uuid

from django.db import transaction

from atendimento import access, corrections, ledger, timeline
from atendimento.access import Permission
from atendimento.actions.faults import invalid
from atendimento.models import CauseChoice, Correction, Membership, Organization, Ticket, TicketTypeVersion
from memoria.causes import Cause
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.state import State


@transaction.atomic
def choose_cause(*, member: Membership, correction_id: int, cause: str) -> Correction:
    """Record what the member says the cause was, with who and when. The same again records nothing.

    Raises DomainError `permission.denied`, NotFound, and InvalidInput for a cause that there is not.
    """
    access.require(member, Permission.READ_ALL_HISTORY)
    if cause not in set(Cause):
        raise invalid("/cause", "correction.unknown_cause", "is not one of the causes")
    row = access.correction_to_change(member.organization, correction_id)
    last = row.choices.order_by("-id").first()
    if last is not None and last.cause == cause:
        return row
    CauseChoice.objects.create(organization=member.organization, correction=row, cause=cause, by=member, at=ledger.now())
    row.cause = cause
    row.save(update_fields=["cause"])
    return row


def find_corrections(organization: Organization) -> tuple[int, int]:
    """Write the corrections, with the causes that the rule proposes, of events that have none written yet.

    Returns how many were written, and how many tickets were read. What was written before stays, with the cause that a
    person chose; a second time writes nothing. A ticket whose log is erased is read up to there.
    """
    keys = list(Ticket.objects.filter(organization=organization, erased_at=None).order_by("pk").values_list("pk", flat=True))
    return sum(_find_in(organization, key) for key in keys), len(keys)


@transaction.atomic
def _find_in(organization: Organization, ticket_id: uuid.UUID) -> int:
    book = ledger.open_to_change(organization, ticket_id)
    mine = Correction.objects.filter(ticket=book.ticket)
    known, before = set(mine.values_list("event_id", flat=True)), mine.count()
    types: dict[int, TicketType] = {}
    events: dict[int, Event] = {}
    state = State()
    for row in timeline.rows(ticket_id):
        if row.content is None:
            break
        event = events[row.version] = timeline.event_of(row)
        was, state = state, state.evolve(event)
        if row.pk in known:
            continue
        if row.ticket_type_version not in types:
            types[row.ticket_type_version] = _type(book.ticket, row.ticket_type_version)
        undone = events[event.cause["version"]] if event.kind is EventKind.UNDO else None
        corrections.write(row, event, was, state, undone, types[row.ticket_type_version])
    return mine.count() - before


def _type(ticket: Ticket, number: int) -> TicketType:
    version = TicketTypeVersion.objects.get(ticket_type_id=ticket.ticket_type_id, number=number)
    return TicketType.from_document(version.document, number)
