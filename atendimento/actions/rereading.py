"""Reading a ticket's messages again, in the workers (H5): a window, an answer, and the scratch state moves on.

Each window is a run like any other: asked outside of a transaction, one at a time for a ticket, its answer stored before it
is used, tried again from the queue, parked with its reason. The ticket's own state is not touched: at the end stand a report
of what differs and a proposal.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db import transaction

from atendimento import jobs, ledger, llm
from atendimento.actions import asking, gate, masks
from atendimento.actions import desk as desks
from atendimento.actions.proposals import MAX_CHANGES, take_in
from atendimento.actions.question import MOST_NEW, Held, count_tokens
from atendimento.actions.rebuilds import UNDER_WAY, readable
from atendimento.models import Message, Organization, Origin, Proposal, ProposedChange, Rebuild, RebuildReading, RunStatus
from atendimento.transcript import to_domain
from memoria import groups, runs
from memoria.context import Budget, Material
from memoria.events import canonical
from memoria.extraction import Request, build_request, read_completion
from memoria.patch import Json, Missing
from memoria.proposals import Change
from memoria.rebuild import Report, Row, compare, reread
from memoria.rows import ROOT, TEMPLATE, group_of
from memoria.runs import Again, Done, Outcome, Park, Run
from memoria.state import State, state_from_json, state_to_json

log = structlog.get_logger("atendimento.rereading")

PRODUCER: Final = "rebuild"
GIVES_WAY_FOR: Final = timedelta(seconds=2)
"""A new message is read before old ones: so long a reading waits for a run that is due."""


@dataclass(frozen=True, slots=True)
class _Claimed:
    row: Rebuild
    organization: Organization
    run: Run
    held: Held
    endpoint: llm.Endpoint


def read_on(*, organization_id: int, rebuild_id: uuid.UUID) -> None:
    """Read the next window of a rebuild, or finish it."""
    row = Rebuild.objects.filter(pk=rebuild_id).first()
    if row is None or row.status not in UNDER_WAY:
        jobs.settle(jobs.REREAD, rebuild_id)
        return
    asked = asking.endpoint(organization_id)
    with asking.alone(row.ticket_id) as alone, gate.opened(asked.identity) as way:
        claimed = _claim(organization_id, row, way, asked) if alone else _give_way(row)
        if claimed is not None:
            _go_on(claimed, way)
        had_place = way.place is not None
    if had_place:
        gate.hand_on()


@transaction.atomic
def _give_way(row: Rebuild) -> None:
    moment = ledger.now()
    jobs.owe(jobs.REREAD, row.pk, row.organization_id, moment + GIVES_WAY_FOR, moment)


@transaction.atomic
def _claim(organization_id: int, hint: Rebuild, way: gate.Gate, endpoint: llm.Endpoint) -> _Claimed | None:
    organization = Organization.objects.get(pk=organization_id)
    book = ledger.open_unless_erased(organization, hint.ticket_id)
    row = Rebuild.objects.get(pk=hint.pk)
    if book is None or row.status not in UNDER_WAY or (row.not_before is not None and row.not_before > book.moment):
        return None
    if _post_waiting_run(book):
        jobs.owe(jobs.REREAD, row.pk, row.organization_id, book.moment + GIVES_WAY_FOR, book.moment)
        return None
    run = asking.remembered(row.run, endpoint)
    stored = RebuildReading.objects.filter(rebuild=row, position=row.position).exclude(raw_answer="").exists()
    if not stored and row.attempts >= settings.MODEL_MAX_TRIES:
        _park(row, Park(runs.Problem.UNAVAILABLE, "the worker was lost during the last try"), book)
        return None
    if not stored:
        wait = way.enter(organization, book.moment) if endpoint.base_url else None
        if wait is not None:
            row.status, row.holder, row.waits_for, row.not_before = RunStatus.QUEUED, None, wait.reason, wait.until
            row.save(update_fields=["status", "holder", "waits_for", "not_before"])
            jobs.owe(jobs.REREAD, row.pk, row.organization_id, wait.until, book.moment)
            return None
        row.attempts += 1
    row.status, row.holder, row.waits_for = RunStatus.RUNNING, uuid.uuid4(), ""
    row.save(update_fields=["status", "holder", "waits_for", "attempts"])
    jobs.postpone(jobs.REREAD, row.pk, book.moment + asking.ALIVE_FOR, book.moment)
    return _Claimed(row, organization, run, Held(book.ticket, book.state, book.ticket_type), endpoint)


def _post_waiting_run(book: ledger.Book) -> bool:
    """Post the ticket's run about new messages, where one is due: its job found the model busy with this reading."""
    waiting = Proposal.objects.filter(
        ticket=book.ticket, origin=Origin.MODEL, status=RunStatus.QUEUED, not_before__lte=book.moment
    )
    run = waiting.order_by("created_at", "id").first()
    if run is not None:
        jobs.owe(jobs.PROPOSE, run.pk, run.organization_id, book.moment, book.moment)
    return run is not None


def _go_on(claimed: _Claimed, way: gate.Gate) -> None:
    row = claimed.row
    reading = RebuildReading.objects.filter(rebuild=row, position=row.position).first()
    if reading is not None and reading.raw_answer:
        # A lost worker left it.
        body = asking.document(reading.raw_answer)
        _conclude(claimed, read_completion(body, read=masks.reader_of(reading.request)))
        return
    if not claimed.endpoint.base_url:
        _finish(claimed, claimed.run, Park(runs.Problem.UNAVAILABLE, "no model is configured"))
        return
    asked = _window(claimed)
    if asked is None:
        _finish(claimed, claimed.run, Done(()))
        return
    request, through, count = asked
    sent = masks.protect(request, claimed.held, claimed.organization)
    kept = masks.stored(sent)
    columns = {"through_message": through, "count": count, "request": kept, "context_report": request.report.to_json()}
    if not _store_question(row, columns):
        return
    reply = asking.ask(sent.request, claimed.endpoint, claimed.run.mode, masks.reader_of(kept))
    if reply.raw:
        _keep(claimed, reply)
    way.learn(reply.outcome)
    _conclude(claimed, reply.outcome)


def _still_ours(row: Rebuild) -> bool:
    """Whether the reading is this worker's until the transaction ends: whoever ends it, as an erasure does (L2), waits."""
    ours = Rebuild.objects.select_for_update().filter(pk=row.pk, holder=row.holder, status=RunStatus.RUNNING)
    return ours.values_list("pk", flat=True).first() is not None


@transaction.atomic
def _store_question(row: Rebuild, columns: Mapping[str, Json]) -> bool:
    """Put down what is about to be asked; False, and nothing is written, where the reading was ended meanwhile."""
    ours = _still_ours(row)
    if ours:
        RebuildReading.objects.update_or_create(
            rebuild=row,
            position=row.position,
            defaults={"organization_id": row.organization_id, "raw_answer": "", **columns},
        )
    return ours


@transaction.atomic
def _keep(claimed: _Claimed, reply: llm.Reply) -> None:
    """Store the answer before anything is made of it, and book what it cost. One to an ended reading is only booked."""
    row = claimed.row
    gate.spend(claimed.organization, reply.usage, ledger.now())
    if not _still_ours(row):
        return
    RebuildReading.objects.filter(rebuild=row, position=row.position).update(raw_answer=reply.raw)
    row.usage = gate.booked(row.usage, reply.usage)
    row.model = reply.model or row.model
    Rebuild.objects.filter(pk=row.pk).update(usage=row.usage, model=row.model)


def _scratch(row: Rebuild) -> State:
    return State() if row.state is None else state_from_json(row.state)


def _window(claimed: _Claimed) -> tuple[Request, int, int] | None:
    """The question about the next messages, its last message and their count; None where all are read."""
    row = claimed.row
    messages = readable(row.ticket_id)
    new = list(messages.filter(number__gt=row.read_through, number__lte=row.through_message).order_by("number")[:MOST_NEW])
    if not new:
        return None
    budget = Budget()
    older = list(messages.filter(number__lte=row.read_through).order_by("-number")[: budget.older])[::-1]
    material = Material(
        claimed.held.ticket_type,
        _scratch(row),
        [to_domain(message) for message in new],
        [to_domain(message) for message in older],
    )
    request = build_request(
        material,
        language=claimed.organization.language,
        zone=ZoneInfo(claimed.organization.timezone),
        count_tokens=count_tokens,
        budget=budget,
    )
    if claimed.run.repair is not None:
        request = replace(request, repair=claimed.run.repair)
    through = request.through or new[-1].number
    return request, through, sum(message.number <= through for message in new)


def _conclude(claimed: _Claimed, outcome: Outcome) -> None:
    after, then = asking.after(replace(claimed.run, tries=claimed.row.attempts - 1), outcome, claimed.endpoint)
    _finish(claimed, after, then)


@transaction.atomic
def _finish(claimed: _Claimed, run: Run, then: runs.Next) -> None:
    """Store what the window came to, unless another worker took it over meanwhile, or the ticket was erased."""
    book = ledger.open_unless_erased(claimed.organization, claimed.row.ticket_id)
    row = Rebuild.objects.get(pk=claimed.row.pk)
    if book is None or row.holder != claimed.row.holder or row.status != RunStatus.RUNNING:
        return
    row.holder = None
    reading = RebuildReading.objects.filter(rebuild=row, position=row.position)
    match then:
        case Again(after):
            reading.update(raw_answer="")
            row.run, row.status = run.to_json(), RunStatus.QUEUED
            row.not_before = book.moment + timedelta(seconds=after)
            row.save(update_fields=["status", "run", "not_before", "holder"])
            jobs.owe(jobs.REREAD, row.pk, row.organization_id, row.not_before, book.moment)
        case Park():
            _park(row, then, book)
        case Done(changes):
            _take(row, book, reading.first(), changes)


def _take(row: Rebuild, book: ledger.Book, reading: RebuildReading | None, changes: tuple[Change, ...]) -> None:
    """Move the scratch state on; after the last window, compare it with what holds now."""
    desk = desks.desk_of(book, None)
    scratch = _scratch(row)
    book.transcript.load(item.message for change in changes for item in change.evidence)
    scratch = reread(scratch, changes, desk)
    if reading is not None:
        row.read_through, row.done = reading.through_message, min(row.total, row.done + reading.count)
        row.position += 1
    row.state, row.run, row.attempts, row.not_before = state_to_json(scratch), None, 0, book.moment
    more = reading is not None and row.read_through < row.through_message
    row.status = RunStatus.QUEUED if more else RunStatus.READY
    if more:
        jobs.owe(jobs.REREAD, row.pk, row.organization_id, book.moment, book.moment)
    else:
        _report(row, book, scratch)
    row.save()


def _report(row: Rebuild, book: ledger.Book, scratch: State) -> None:
    """The difference report, and the proposal of what differs (never a write)."""
    desks.load_cited(book, ())
    report = compare(book.state, scratch, book.transcript)
    begun = groups.ids(book.state)
    waiting = {_same_as_waiting(desks.change_of(change), begun): change for change in desks.pending_of(book)}
    called = _waiting_groups(report.proposals, waiting, begun)
    report = Report(tuple(_called(item, called) for item in report.rows))
    proposals = [change for change in report.proposals if _same_as_waiting(change, begun) not in waiting]
    # The ids are given before the changes are parted among proposals, so that a new group stays one (G2).
    fresh = groups.resolve_ids(proposals, book.state, desks.desk_of(book, None).last_group)
    paths = {change.path: given.path for change, given in zip(proposals, fresh, strict=True)}
    paths |= {one.path: found.path for one in report.proposals if (found := waiting.get(_same_as_waiting(one, begun)))}
    given_ids = {old.split("/")[2]: new.split("/")[2] for old, new in paths.items() if old.startswith(f"{ROOT}/")}
    made: list[ProposedChange] = []
    # V6 takes back what an earlier reading proposed at the same pointers; its additions are told apart by their words.
    for first in range(0, len(fresh), MAX_CHANGES):
        part = fresh[first : first + MAX_CHANGES]
        row.proposal = Proposal.objects.create(
            organization_id=row.organization_id,
            ticket=book.ticket,
            origin=Origin.REBUILD,
            producer=PRODUCER,
            status=RunStatus.READY,
            base_version=book.state.version,
            # How far the reading of new messages came stays as it is.
            through_message=min(row.read_through, book.ticket.through_message),
            created_by=row.created_by,
            created_at=book.moment,
            finished_at=book.moment,
            usage=row.usage,
            model=row.model,
            prompt_version=row.prompt_version,
        )
        made += take_in(book, row.proposal, part, None)
    proposed = iter(made)
    links = [
        "" if item.change is None else str((waiting.get(_same_as_waiting(item.change, begun)) or next(proposed)).pk)
        for item in report.rows
    ]
    report = Report(
        tuple(replace(_called(item, given_ids), pointer=paths.get(item.pointer, item.pointer)) for item in report.rows)
    )
    row.base_version, row.finished_at = book.state.version, book.moment
    row.report = _stored(report, links, book)
    jobs.settle(jobs.REREAD, row.pk)
    log.info("messages read again", rebuild=str(row.pk), rows=len(report.rows), proposed=len(made))


def _waiting_groups(changes: Iterable[Change], waiting: Mapping[str, ProposedChange], begun: Collection[str]) -> dict[str, str]:
    """The reading's new groups of which something waits already, with the ids under which it does."""
    called: dict[str, str] = {}
    for change in changes:
        found = waiting.get(_same_as_waiting(change, begun))
        group = None if found is None or not change.path.startswith(f"{ROOT}/") else group_of(found.path)
        if group is not None and group not in begun and group not in called.values():
            called.setdefault(change.path.split("/")[2], group)
    return called


def _called(row: Row, called: Mapping[str, str]) -> Row:
    """The row with these ids in the place of others."""
    here = groups.renamed(Change("add", row.pointer, row.reread), called)
    change = None if row.change is None else groups.renamed(row.change, called)
    return replace(row, pointer=here.path, reread=here.value, change=change)


def _same_as_waiting(change: Change, begun: Collection[str]) -> str:
    """What makes a change that waits for its decision the same as one that the reading brings; in a group that has not
    `begun`, whatever its id is."""
    path, value = _anywhere(change.path, begun), change.value
    if isinstance(value, dict) and isinstance(value.get("applies_to"), list) and not path.startswith(f"{ROOT}/"):
        value = {**value, "applies_to": [_anywhere(str(target), begun) for target in value["applies_to"]]}
    value = "" if isinstance(value, Missing) else canonical(value).decode()
    first = change.evidence[0].message if change.evidence else ""
    return f"{change.op == 'remove'} {path} {first} {value}"


def _anywhere(pointer: str, begun: Collection[str]) -> str:
    """A pointer in a group that has not begun as that of all groups; any other itself."""
    if not pointer.startswith(f"{ROOT}/") or group_of(pointer) in begun:
        return pointer
    return TEMPLATE + pointer.split("/", 3)[-1]


def _stored(report: Report, links: list[str], book: ledger.Book) -> Json:
    first = readable(book.ticket.pk).order_by("number").first()
    return {
        "rows": [_row(row, link) for row, link in zip(report.rows, links, strict=True)],
        "gone": Message.objects.filter(
            ticket=book.ticket,
        )
        .exclude(deleted_at=None, erased_at=None)
        .count(),
        "first": first.number if first is not None else None,
    }


def _row(row: Row, link: str) -> Mapping[str, Any]:
    shown: dict[str, Any] = {
        "pointer": row.pointer,
        "difference": row.difference.value,
        "held": [item.to_json() for item in row.held],
        "evidence": [item.to_json() for item in row.evidence],
        "lost": list(row.lost),
        "change": link or None,
    }
    if not isinstance(row.now, Missing):
        shown["now"] = row.now
    if not isinstance(row.reread, Missing):
        shown["reread"] = row.reread
    return shown


def _park(row: Rebuild, park: Park, book: ledger.Book) -> None:
    row.status, row.finished_at, row.holder = RunStatus.PARKED, book.moment, None
    row.problem_code, row.problem_detail = park.problem.value, park.detail[:2000]
    row.save(update_fields=["status", "finished_at", "problem_code", "problem_detail", "holder"])
    jobs.settle(jobs.REREAD, row.pk)
    _post_waiting_run(book)
    log.warning("reading parked", rebuild=str(row.pk), problem=park.problem.value)
