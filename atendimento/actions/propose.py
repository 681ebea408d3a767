"""Asking the model about a ticket's new messages: claim a run, ask once, and do what comes of it.

No transaction is open while the model thinks. What keeps a second worker away is a lock of this database session: it is
gone the moment the worker is, however it died, and the next one takes the run over. The answer is stored before it is used,
so a crash after the call costs no second call. Whether a request may go at all, the gate says; what it holds leaves masked.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction

from atendimento import jobs, ledger, llm
from atendimento.actions import asking, gate, masks, prompts
from atendimento.actions import desk as desks
from atendimento.actions import runs as queue
from atendimento.actions.proposals import take_in
from atendimento.actions.question import Held, Question, question
from atendimento.models import Message, Organization, Origin, Proposal, RunStatus
from memoria import runs
from memoria.extraction import read_completion
from memoria.runs import Again, Done, Outcome, Park, Run, Unreached

log = structlog.get_logger("atendimento.propose")

LONG = ("request", "context_report")
"""Columns of a run that are long, and looked at only where a lost worker left an answer."""


def propose_changes(*, organization_id: int, proposal_id: uuid.UUID) -> None:
    """Do the ticket's next run, whichever it is: runs of one ticket go one at a time, in the order they were queued."""
    row = Proposal.objects.only("ticket_id", "status").filter(pk=proposal_id).first()
    if row is None:
        jobs.settle(jobs.PROPOSE, proposal_id)
        return
    with asking.alone(row.ticket_id) as alone:
        if not alone:
            return  # another worker asks about this ticket now, and posts the next run when it is done
        asked = asking.endpoint(organization_id)
        with gate.opened(asked.identity) as way:
            claimed = _claim(organization_id, row, way, asked)
            if claimed is not None:
                _go_on(claimed, way)
            had_place = way.place is not None
    if had_place:
        gate.hand_on()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A run that is ours, as it and its ticket were when we took it."""

    row: Proposal
    organization: Organization
    run: Run
    held: Held
    endpoint: llm.Endpoint


@transaction.atomic
def _claim(organization_id: int, hint: Proposal, way: gate.Gate, endpoint: llm.Endpoint) -> Claimed | None:
    """Take the ticket's oldest unfinished run, if it is due and may ask; None where there is nothing to do now."""
    organization = Organization.objects.get(pk=organization_id)
    book = ledger.open_unless_erased(organization, hint.ticket_id)
    if book is None:
        jobs.settle(jobs.PROPOSE, hint.pk)
        return None
    rows = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL)
    unfinished = rows.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING])
    row = unfinished.defer(*LONG).order_by("created_at", "id").first()
    if hint.status not in (RunStatus.QUEUED, RunStatus.RUNNING):
        jobs.settle(jobs.PROPOSE, hint.pk)
    if row is None or (row.status == RunStatus.QUEUED and row.not_before is not None and row.not_before > book.moment):
        return None
    run = asking.remembered(row.run, endpoint)
    if row.raw_answer is None and row.attempts >= settings.MODEL_MAX_TRIES:
        # Its last try died with its worker.
        row.holder = None
        _park(book, row, Park(runs.Problem.UNAVAILABLE, "the worker was lost during the last try"))
        return None
    if row.raw_answer is None:
        wait = way.enter(organization, book.moment) if endpoint.base_url else None
        if wait is not None:
            _wait(book, row, wait)
            return None
        row.attempts += 1
    row.status, row.holder, row.waits_for = RunStatus.RUNNING, uuid.uuid4(), ""
    row.through_message = row.through_message or book.ticket.last_message_number
    row.save(update_fields=["status", "holder", "waits_for", "attempts", "through_message"])
    jobs.postpone(jobs.PROPOSE, row.pk, book.moment + asking.ALIVE_FOR, book.moment)
    desks.announce(book, "run", None)
    return Claimed(row, organization, run, Held(book.ticket, book.state, book.ticket_type), endpoint)


def _wait(book: ledger.Book, row: Proposal, wait: gate.Wait) -> None:
    """Back to the queue without a try: for what it waits, and until when, is there to be seen."""
    news = row.waits_for != wait.reason
    row.status, row.holder, row.waits_for, row.not_before = RunStatus.QUEUED, None, wait.reason, wait.until
    row.save(update_fields=["status", "holder", "waits_for", "not_before"])
    jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, wait.until, book.moment)
    if news:
        desks.announce(book, "run", None)


def _go_on(claimed: Claimed, way: gate.Gate) -> None:
    """Ask, or take up the answer that a lost worker left; then store what comes of it."""
    row = claimed.row
    if row.raw_answer is not None:
        outcome: Outcome = read_completion(asking.document(row.raw_answer["body"]), read=masks.reader_of(row.request))
        _conclude(claimed, outcome)
        return
    if not claimed.endpoint.base_url:
        _finish(claimed, claimed.run, Park(runs.Problem.UNAVAILABLE, "no model is configured"))
        return
    asked = question(row, claimed.organization, claimed.held)
    if asked is None:
        _nothing_new(claimed)
        return
    request = asked.request if claimed.run.repair is None else replace(asked.request, repair=claimed.run.repair)
    sent = masks.protect(request, claimed.held, claimed.organization)
    kept = masks.stored(sent)

    def store_question() -> None:
        prompts.remember(sent.request, claimed.organization)
        Proposal.objects.filter(pk=row.pk, holder=row.holder).update(
            request=kept,
            context_report=request.report.to_json(),
            base_version=asked.base_version,
            prompt_version=sent.request.prompt_version,
        )

    # Stored before its answer is; the server need not wait for that.
    reply = asking.ask(sent.request, claimed.endpoint, claimed.run.mode, masks.reader_of(kept), store_question)
    if reply.raw:
        _keep(claimed, reply, asked)
    way.learn(reply.outcome)
    _conclude(claimed, reply.outcome)


@transaction.atomic
def _keep(claimed: Claimed, reply: llm.Reply, asked: Question) -> None:
    """Store the answer before anything is made of it, and book what it cost."""
    row = claimed.row
    row.raw_answer = {
        "body": reply.raw,
        "through": asked.request.through,
        "numbers": list(asked.numbers),
        "moment": asked.moment.isoformat(),
        "rest": {str(number): [list(span) for span in spans] for number, spans in asked.request.rest.items()},
    }
    row.usage = gate.booked(row.usage, reply.usage)
    row.model = reply.model or row.model
    gate.spend(claimed.organization, reply.usage, ledger.now())
    Proposal.objects.filter(pk=row.pk, holder=row.holder).update(raw_answer=row.raw_answer, usage=row.usage, model=row.model)


def _conclude(claimed: Claimed, outcome: Outcome) -> None:
    before = replace(claimed.run, tries=claimed.row.attempts - 1)
    after, then = asking.after(before, outcome, claimed.endpoint)
    if isinstance(outcome, Unreached):
        log.warning("model not reached", proposal=str(claimed.row.pk), kind=outcome.kind, attempt=claimed.row.attempts)
    _finish(claimed, after, then)


@transaction.atomic
def _finish(claimed: Claimed, run: Run, then: runs.Next) -> None:
    """Store what the run came to, unless another worker took it over meanwhile, or the ticket was erased."""
    book = ledger.open_unless_erased(claimed.organization, claimed.row.ticket_id)
    row = Proposal.objects.defer(*LONG).get(pk=claimed.row.pk)
    if book is None or row.holder != claimed.row.holder or row.status != RunStatus.RUNNING:
        return
    row.holder = None
    match then:
        case Again(after):
            row.status, row.run, row.raw_answer = RunStatus.QUEUED, run.to_json(), None
            row.not_before = book.moment + timedelta(seconds=after)
            row.save(update_fields=["status", "run", "raw_answer", "not_before", "holder"])
            jobs.owe(jobs.PROPOSE, row.pk, row.organization_id, row.not_before, book.moment)
            desks.finish(book, "run", None)
        case Park():
            _park(book, row, then)
        case Done(changes):
            _read(book, row)
            row.status, row.finished_at, row.run = RunStatus.READY, book.moment, run.to_json()
            row.save(update_fields=["status", "finished_at", "run", "through_message", "holder"])
            _supersede_parked(book, row)
            jobs.settle(jobs.PROPOSE, row.pk)
            take_in(book, row, changes, None)
            _next(book)


def _read(book: ledger.Book, row: Proposal) -> None:
    """The messages that were asked about are read, save those edited since; the rest waits for the next run."""
    kept = row.raw_answer
    row.through_message = kept["through"] or row.through_message
    messages = Message.objects.filter(ticket=book.ticket, number__in=kept["numbers"], awaits_reading=True)
    since = datetime.fromisoformat(kept["moment"])
    read = messages.exclude(edited_at__gt=since)
    rest = {int(number): spans for number, spans in kept.get("rest", {}).items()}
    for number, spans in rest.items():
        # Too long for one call: what was cut off is asked about in the next.
        read.filter(number=number).update(unread=spans)
    read.exclude(number__in=rest).update(awaits_reading=False, unread=None)


def _supersede_parked(book: ledger.Book, row: Proposal) -> None:
    """What stopped earlier has been read by this run: nobody need try it again, and the ticket calls for nobody."""
    if not book.ticket.parked_count and book.ticket.merged_into_id is None:
        return  # counted under the lock whenever a run stops; a merged ticket counts nothing
    parked = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL, status=RunStatus.PARKED)
    parked.filter(through_message__lte=row.through_message).update(status=RunStatus.SUPERSEDED)


def _park(book: ledger.Book, row: Proposal, park: Park) -> None:
    row.status, row.finished_at = RunStatus.PARKED, book.moment
    row.problem_code, row.problem_detail = park.problem.value, park.detail[:2000]
    row.save(update_fields=["status", "finished_at", "problem_code", "problem_detail", "holder"])
    jobs.settle(jobs.PROPOSE, row.pk)
    log.warning("run parked", proposal=str(row.pk), problem=park.problem.value)
    desks.finish(book, "run", None)
    _next(book)


@transaction.atomic
def _nothing_new(claimed: Claimed) -> None:
    """An earlier run read what this one was queued for."""
    book = ledger.open_unless_erased(claimed.organization, claimed.row.ticket_id)
    if book is None:
        return
    Proposal.objects.filter(pk=claimed.row.pk, holder=claimed.row.holder).update(
        status=RunStatus.SUPERSEDED, finished_at=book.moment, holder=None, attempts=claimed.row.attempts - 1
    )
    jobs.settle(jobs.PROPOSE, claimed.row.pk)
    desks.finish(book, "run", None)
    _next(book)


def _next(book: ledger.Book) -> None:
    """Post the ticket's next run; what no run is queued for, and did not fit into this one, gets a run of its own."""
    rows = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL)
    waiting = rows.filter(status=RunStatus.QUEUED).defer(*LONG).order_by("created_at", "id").first()
    if waiting is not None:
        due = max(waiting.not_before or book.moment, book.moment)
        if waiting.waits_for in queue.SET_TIMES:
            return  # its time is its own, and is owed already
        if due > book.moment:
            jobs.owe(jobs.PROPOSE, waiting.pk, waiting.organization_id, due, book.moment)
        else:
            # Posted once this worker has let go of the ticket: another would find it taken.
            jobs.plan(jobs.PROPOSE, waiting.pk, waiting.organization_id, due)
        return
    unread = Message.objects.filter(ticket=book.ticket, awaits_reading=True)
    cut = unread.filter(unread__isnull=False).exists()
    if not cut and not unread.filter(number__gt=book.ticket.through_message).exists():
        return
    last = rows.order_by("-created_at", "-id").values_list("status", flat=True).first()
    if last == RunStatus.READY:
        queue.go_on(book, cut=cut)
