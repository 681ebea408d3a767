"""Runs: which messages the model is still to read, and when (one call for a burst, never two at once for a ticket)."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.models import Membership, Message, Origin, Proposal, RunStatus
from memoria.instructions import PROMPT_VERSION

PRODUCER = "model"
LONGEST_BURST = timedelta(seconds=15)


def owe(book: ledger.Book, message: Message) -> None:
    """Have the model read this message: with the burst that waits already, or in a run of its own.

    With a debounce, a run starts that long after the last message, at most 15 s after the first; without one, each
    message has its own. Where no model is configured nothing is queued: the message waits to be asked for.
    """
    if not settings.OPENAI_BASE_URL:
        return
    debounce = timedelta(seconds=settings.PROPOSAL_DEBOUNCE)
    waiting = None
    if debounce:
        # One that has begun asks its own question, maybe again; what came since goes into the next.
        waiting = (
            Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL, status=RunStatus.QUEUED, run=None)
            .order_by("created_at")
            .first()
        )
    if waiting is None:
        enqueue(book, None, book.moment + debounce, 0 if debounce else message.number)
        return
    _move(waiting, min(book.moment + debounce, waiting.created_at + LONGEST_BURST), book.moment)


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


def enqueue(book: ledger.Book, member: Membership | None, due: datetime, through: int) -> Proposal:
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
        model=settings.OPENAI_MODEL,
        prompt_version=PROMPT_VERSION,
    )
    jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, due, book.moment)
    desks.announce(book, "run", member)
    return row


def _move(row: Proposal, due: datetime, moment: datetime) -> None:
    row.not_before = due
    row.save(update_fields=["not_before"])
    jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, due, moment)
