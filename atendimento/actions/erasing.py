"""Erasing what a ticket holds (L1, L2), ticket by ticket, in two steps that can each be taken again.

First, under the ticket's lock and as the application: an event that says what is left of the state, and everything that
the application may change. Then, as the tables' owner, what it may not: events lose their content to a tombstone,
corrections their words. Whoever dies between the two finds the second step still to be done.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from django.db import connections
from django.db.models import QuerySet

from atendimento import jobs, ledger, places
from atendimento.actions import desk as desks
from atendimento.models import LedgerEvent, Organization, Proposal, ProposedChange, Rebuild, RunStatus, Ticket, TicketStatus
from memoria import erasure
from memoria.events import EventKind
from memoria.proposals import Status
from memoria.retention import OF_TICKETS, DataClass

OWNER: Final = "owner"
UNFINISHED: Final = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.PARKED)

Counts = Mapping[str, int]
"""Rows that held something, by the name of their place."""


class NoOwner(Exception):
    """This process is not connected as the tables' owner, so it can erase no history."""


def require_owner() -> None:
    """Raises NoOwner where DATABASE_OWNER_URL is not the owner's."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(current_user, 'atendimento_ledgerevent', 'UPDATE')")
        if not cursor.fetchone()[0]:
            raise NoOwner


def added(counts: Counts, more: Counts) -> dict[str, int]:
    """Both together, without what came to nothing."""
    names = [*counts, *(name for name in more if name not in counts)]
    return {name: total for name in names if (total := counts.get(name, 0) + more.get(name, 0))}


def erase_kept(organization: Organization, ticket_id: uuid.UUID, kinds: Collection[DataClass]) -> Counts:
    """The first step for these classes, in the transaction that the caller opened; what each place held.

    The ticket goes on: what is said and decided in it later is as in any other.
    """
    book = ledger.open_to_erase(organization, ticket_id)
    counts: Counts = {}
    for kind in (kind for kind in OF_TICKETS if kind in kinds):
        counts = added(counts, _places(kind, [ticket_id], book.moment))
        if kind is DataClass.MESSAGES:
            _doubt(book)
        if kind is DataClass.HISTORY:
            _forget(book, "retention")
    _close(book)
    return counts


def erase_ticket(organization: Organization, ticket_id: uuid.UUID) -> Counts:
    """The first step for a ticket whose customer is erased, in the caller's transaction. Nothing is written to it again."""
    book = ledger.open_to_erase(organization, ticket_id)
    _end_work(book)
    counts: Counts = {}
    for kind in (*OF_TICKETS, None):
        counts = added(counts, _places(kind, [ticket_id], book.moment))
    _forget(book, "erasure")
    _end(book.ticket)
    _close(book)
    return counts


def erase_history(ticket_id: uuid.UUID, moment: datetime) -> Counts:
    """The second step, as the owner, in the caller's transaction on that connection; what each place held.

    Only where the ticket's last event began anew: what was written since the first step is not to go.
    """
    if Ticket.objects.using(OWNER).select_for_update().filter(pk=ticket_id).first() is None:
        return {}
    last = LedgerEvent.objects.using(OWNER).filter(ticket_id=ticket_id).order_by("-version").first()
    if last is not None and last.kind != EventKind.ERASED.value:
        return {}
    found = places.of(DataClass.HISTORY, owner=True)
    return added({}, {place.name: place.erase([ticket_id], moment, OWNER) for place in found})


def _places(kind: DataClass | None, tickets: Collection[uuid.UUID], moment: datetime) -> Counts:
    counts: dict[str, int] = {}
    for place in places.of(kind, owner=False):
        counts[place.name] = counts.get(place.name, 0) + place.erase(tickets, moment)
    return counts


def _doubt(book: ledger.Book) -> None:
    """L3: what rests on the messages that were just erased."""
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desk = desks.desk_of(book, None)
    event = erasure.without_evidence(book.state, desk)
    if event is not None:
        desks.append(book, event, desk, pending)


def _close(book: ledger.Book) -> None:
    """Write the ticket's figures; it keeps its place among the others, for nobody worked on it."""
    before = book.ticket.updated_at
    desks.finish(book, "erasure", None)
    Ticket.objects.filter(pk=book.ticket.pk).update(updated_at=before)


def _end(ticket: Ticket) -> None:
    """It waits for nobody: no view of the queue shows it among what is to be done. A merged one ended before."""
    ticket.snoozed_until = ticket.waiting_since = ticket.woken_at = None
    if ticket.merged_into_id is None:
        ticket.status = TicketStatus.CLOSED


def _forget(book: ledger.Book, how: str) -> None:
    """Begin the log anew, once; what was undecided is moot."""
    ProposedChange.objects.filter(ticket=book.ticket, status=Status.PENDING).update(status=Status.SUPERSEDED)
    last = LedgerEvent.objects.filter(ticket=book.ticket).order_by("-version").first()
    if last is not None and last.kind != EventKind.ERASED.value:
        book.append(erasure.forget(book.state, desks.desk_of(book, None), how))


def _end_work(book: ledger.Book) -> None:
    """No run goes on, and what a model answers from now on is wanted by nobody."""
    ended = {"status": RunStatus.SUPERSEDED, "finished_at": book.moment, "holder": None}
    for model, job in ((Proposal, jobs.PROPOSE), (Rebuild, jobs.REREAD)):
        rows = QuerySet[Any](model).filter(ticket=book.ticket, status__in=UNFINISHED)
        for key in list(rows.values_list("pk", flat=True)):
            jobs.settle(job, key)
        rows.update(**ended)
    jobs.settle(jobs.WAKE, book.ticket.pk)
