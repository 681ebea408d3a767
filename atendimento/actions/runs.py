"""Runs: which messages the model is still to read, and when: after a burst, or as the ticket type says (T4).

One call for a burst, and never two at once for a ticket. What the type does not have read yet stays unread, and goes into
the next run whatever brings that about.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.models import Membership, Message, Organization, Origin, Proposal, RunStatus, TicketStatus, Waits
from atendimento.selectors.model_server import has_model, server_of
from memoria.instructions import PROMPT_VERSION
from memoria.reading import Event, When, first_free_day, next_time
from memoria.sources import Kind

PRODUCER = "model"
LONGEST_BURST = timedelta(seconds=15)
SPEAKS: Final = frozenset({Kind.CUSTOMER, Kind.THIRD_PARTY})
"""Whose message is the event `customer_message`."""
DAYS_AHEAD: Final = 30
"""So many days are looked through for one on which the type's caps leave room."""
SET_TIMES: Final = (Waits.CAP, Waits.SCHEDULE)
"""What a run waits for whose time the type has set: no message moves it."""


def owe(book: ledger.Book, message: Message) -> None:
    """Have the model read this message when the type says so, if now is such a time.

    After a burst: with the run that waits already, or in one of its own. With a debounce, a run starts that long after the
    last message, at most 15 s after the first; without one, each message has its own. On a schedule: at the next set time,
    while the ticket is open. Where no model is configured nothing is queued: the message waits to be asked for.
    """
    if not has_model(book.ticket.organization_id):
        return
    reading = book.ticket_type.reading
    match reading.when:
        case When.SCHEDULE:
            _owe_at_set_time(book)
        case When.EVENTS if Event.CUSTOMER_MESSAGE in reading.on and Kind(message.author_kind) in SPEAKS:
            _owe_burst(book, message.number)
        case When.BURST:
            _owe_burst(book, message.number)


def happened(book: ledger.Book, event: Event) -> None:
    """Something happened to the ticket that its type may have the model read on.

    A schedule holds while the ticket is open: closing takes the next set time away, opening again sets one.
    """
    if not has_model(book.ticket.organization_id) or book.ticket.merged_into_id is not None:
        return
    reading = book.ticket_type.reading
    if reading.when is When.SCHEDULE and event is Event.CLOSING:
        _forget_set_time(book)
    elif not _unread(book):
        return
    elif reading.when is When.SCHEDULE and event is Event.REOPENED:
        _owe_at_set_time(book)
    elif reading.when is When.EVENTS and event in reading.on and _waiting(book) is None:
        _enqueue_when_free(book, book.moment, 0)


def happened_to(organization: Organization, ticket_id: uuid.UUID, event: Event) -> None:
    """The same for a ticket that the caller's transaction has locked already."""
    happened(ledger.open_to_change(organization, ticket_id), event)


def go_on(book: ledger.Book, *, cut: bool) -> None:
    """A run has ended and something is unread that none is queued for: what came since, and (`cut`) what did not fit in.

    What did not fit belongs to the reading that was asked for, and is read now whatever the type says.
    """
    when = book.ticket_type.reading.when
    if cut:
        enqueue(book, None, book.moment, 0)
    elif when is When.BURST:
        _enqueue_when_free(book, book.moment, 0)
    elif when is When.SCHEDULE:
        _owe_at_set_time(book)


def _owe_burst(book: ledger.Book, number: int) -> None:
    debounce = timedelta(seconds=settings.PROPOSAL_DEBOUNCE)
    waiting = _waiting(book)
    if waiting is not None and waiting.waits_for in SET_TIMES:
        return
    if waiting is None or not debounce:
        _enqueue_when_free(book, book.moment + debounce, 0 if debounce else number)
        return
    _move(waiting, min(book.moment + debounce, waiting.created_at + LONGEST_BURST), book.moment)


def _waiting(book: ledger.Book) -> Proposal | None:
    """The run that waits to begin. One that has begun asks its own question; what came since goes into the next."""
    rows = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL, status=RunStatus.QUEUED, run=None)
    return rows.order_by("created_at").first()


def _unread(book: ledger.Book) -> bool:
    return Message.objects.filter(ticket=book.ticket, awaits_reading=True).exists()


def _owe_at_set_time(book: ledger.Book) -> None:
    """A run at the type's next set time, unless one waits already, or the ticket is closed."""
    zone = ZoneInfo(book.organization.timezone)
    due = next_time(book.ticket_type.reading, book.moment, zone)
    if due is None or book.ticket.status == TicketStatus.CLOSED or _waiting(book) is not None:
        return
    _enqueue_when_free(book, due, 0, Waits.SCHEDULE)


def _forget_set_time(book: ledger.Book) -> None:
    waiting = _waiting(book)
    if waiting is not None and waiting.waits_for in SET_TIMES:
        waiting.status, waiting.finished_at = RunStatus.SUPERSEDED, book.moment
        waiting.save(update_fields=["status", "finished_at"])
        jobs.settle(jobs.PROPOSE, waiting.pk)
        desks.announce(book, "run", None)


# --- caps ---------------------------------------------------------------------------------------------------------


def _enqueue_when_free(book: ledger.Book, due: datetime, through: int, waits: str = "") -> None:
    """A run that nobody asked for: on the first day, from `due` on, on which the type's caps leave room."""
    reading = book.ticket_type.reading
    if reading.most_per_ticket is None and reading.most_per_day is None:
        enqueue(book, None, due, through, waits)
        return
    zone = ZoneInfo(book.organization.timezone)
    wanted = due.astimezone(zone).date()
    free = first_free_day(reading, _counts(book, wanted, zone))
    if free == wanted:
        enqueue(book, None, due, through, waits)
        return
    later = free or wanted + timedelta(days=DAYS_AHEAD)
    begins = datetime.combine(later, time(), zone)
    set_time = next_time(reading, begins - timedelta(microseconds=1), zone)
    if _waiting(book) is None:
        enqueue(book, None, set_time or begins, 0, Waits.CAP)


def _counts(book: ledger.Book, first: date, zone: ZoneInfo) -> Iterator[tuple[date, int, int]]:
    """Day by day, the readings that nobody asked for: of the ticket, and of all tickets of its type."""
    kind = book.ticket.ticket_type_id
    for number in range(DAYS_AHEAD):
        day = first + timedelta(days=number)
        begins, ends = (datetime.combine(day + timedelta(days=more), time(), zone) for more in (0, 1))
        rows = Proposal.objects.filter(
            organization_id=book.ticket.organization_id,
            origin=Origin.MODEL,
            created_by=None,
            not_before__gte=begins,
            not_before__lt=ends,
        ).exclude(status=RunStatus.SUPERSEDED)
        of_type = 0
        if book.ticket_type.reading.most_per_day is not None:
            # Ids grow with time: of what is made today or was put off by a cap, none is older than the days ahead.
            since = uuid.UUID(int=int((begins - timedelta(days=DAYS_AHEAD)).timestamp() * 1000) << 80)
            of_type = rows.filter(ticket__ticket_type_id=kind, pk__gte=since).count()
        yield day, rows.filter(ticket=book.ticket).count(), of_type


# --- people -------------------------------------------------------------------------------------------------------


@transaction.atomic
def request_proposal(*, member: Membership, ticket_id: str | uuid.UUID) -> Proposal:
    """Ask the model now. While a run is under way, that one; a parked one is tried again from the first try on."""
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_decide(member, ticket_id)
    runs = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL)
    under_way = runs.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).order_by("created_at").first()
    if under_way is not None:
        if under_way.status == RunStatus.QUEUED:
            _move(under_way, book.moment, book.moment)
        return under_way
    last = runs.order_by("-created_at", "-id").first()
    if last is not None and last.status == RunStatus.PARKED:
        return _retry(book, last, member)
    return enqueue(book, member, book.moment, 0)


@transaction.atomic
def retry_run(*, member: Membership, proposal_id: str | uuid.UUID) -> bool:
    """Try this run again from the first try on; False where it is parked no more. Raises access.NotFound."""
    access.require(member, Permission.DECIDE)
    hint = access.proposal(member, proposal_id)
    book = ledger.open_to_change(member, hint.ticket_id)
    row = Proposal.objects.get(pk=hint.pk)  # as it is under the lock
    if row.origin != Origin.MODEL or row.status != RunStatus.PARKED:
        return False
    _retry(book, row, member)
    return True


def _retry(book: ledger.Book, row: Proposal, member: Membership) -> Proposal:
    row.status, row.attempts, row.run, row.raw_answer = RunStatus.QUEUED, 0, None, None
    row.problem_code = row.problem_detail = row.waits_for = ""
    row.finished_at, row.not_before = None, book.moment
    row.save(
        update_fields=[
            "status", "attempts", "run", "raw_answer", "problem_code", "problem_detail", "finished_at", "not_before",
            "waits_for",
        ]
    )  # fmt: skip
    jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, book.moment, book.moment)
    desks.finish(book, "run", member)
    return row


def enqueue(book: ledger.Book, member: Membership | None, due: datetime, through: int, waits: str = "") -> Proposal:
    """A new run, due then, about the messages up to `through`; 0: up to the last one when it begins."""
    row = Proposal.objects.create(
        organization_id=book.ticket.organization_id,
        ticket=book.ticket,
        origin=Origin.MODEL,
        producer=PRODUCER,
        status=RunStatus.QUEUED,
        base_version=book.state.version,
        through_message=through,
        created_by=member,
        created_at=book.moment,
        not_before=due,
        waits_for=waits,
        model=server_of(book.ticket.organization_id).model,
        prompt_version=PROMPT_VERSION,
    )
    if waits:
        jobs.plan(jobs.PROPOSE, row.pk, row.organization_id, due)
    else:
        jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, due, book.moment)
    desks.announce(book, "run", member)
    return row


def _move(row: Proposal, due: datetime, moment: datetime) -> None:
    row.not_before, row.waits_for = due, ""
    row.save(update_fields=["not_before", "waits_for"])
    jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, due, moment)
