"""Retention (L1): the periods, what is over them, and the runs that erase it, ticket by ticket.

A run is a job that goes on where it was broken off: what it has erased it does not find again. Each ticket is erased in a
transaction of its own, and the report is written in the same one, so that it tells what happened and nothing else.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from atendimento import access, jobs, ledger, places
from atendimento.access import Permission
from atendimento.actions import erasing, erasing_files, holds
from atendimento.actions.administration import log_act
from atendimento.actions.erasing import OWNER, Counts
from atendimento.actions.faults import Fault, InvalidInput
from atendimento.models import (
    Act,
    AdministrativeAct,
    CustomerExport,
    Import,
    Membership,
    Organization,
    Proposal,
    Rebuild,
    RetentionRun,
    RunStatus,
    TaskStatus,
    Ticket,
    TicketStatus,
)
from memoria import retention
from memoria.retention import OF_TICKETS, DataClass, Periods, cut_off, effective

SLICE: Final = 200
"""So many tickets one job erases before it makes room for others."""

LEASE: Final = timedelta(minutes=5)
"""After so long without a finished ticket the job is posted again, in case its worker died."""

EXPORTS: Final = "exports"
"""In a report, beside the classes: exports that are past their time."""


# --- periods ------------------------------------------------------------------------------------------------------


def periods_of(organization: Organization) -> dict[DataClass, int]:
    """The periods as they were set."""
    return {DataClass(kind): days for kind, days in organization.retention.items()}


@transaction.atomic
def set_periods(*, member: Membership, typed: Mapping[str, str]) -> None:
    """Set the periods from what was typed, days by class; empty: without limit.

    Raises InvalidInput, with a fault for each class that is wrong, and DomainError `permission.denied`.
    """
    access.require(member, Permission.MANAGE)
    given = {kind: typed.get(kind.value, "").strip() for kind in DataClass}
    periods = {kind: _days(text) for kind, text in given.items() if text}
    wrong = retention.faults(periods)
    if wrong:
        raise InvalidInput(*(Fault(f"/{kind.value}", fault.value, "is no such period") for kind, fault in wrong.items()))
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    before = dict(organization.retention)
    after = {kind.value: days for kind, days in periods.items()}
    if before == after:
        return
    organization.retention = after
    organization.save(update_fields=["retention"])
    log_act(member=member, kind=Act.RETENTION_SET, subject="", details={"was": before, "periods": after})


def _days(text: str) -> int:
    """The number that was typed; 0, which is no period, where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0


# --- what is over its period ----------------------------------------------------------------------------------------


def due_tickets(organization: Organization, kind: DataClass, days: int, now: datetime) -> QuerySet[Ticket]:
    """The tickets whose data of this class are over their period: closed for longer, not held, and still holding some.

    A merged ticket goes with the one that it was merged into. None goes while a run reads it.
    """
    limit = cut_off(days, now)
    ended = Q(status=TicketStatus.CLOSED) | reduce(or_, (_merged_into_closed(limit, steps) for steps in (1, 2, 3)))
    reading = [
        Exists(QuerySet[Any](model).filter(ticket=OuterRef("pk"), status__in=[RunStatus.QUEUED, RunStatus.RUNNING]))
        for model in (Proposal, Rebuild)
    ]
    found = Ticket.objects.filter(ended, organization=organization, closed_at__lte=limit, erased_at=None)
    found = found.exclude(holds.held(organization).covers)
    return found.filter(~reading[0], ~reading[1]).filter(reduce(or_, (Q(Exists(rows)) for rows in _holding(kind))))


def _merged_into_closed(limit: datetime, steps: int) -> Q:
    """Merged, and that many steps on into a ticket that goes no further and is closed for longer too."""
    way = "__".join(["merged_into"] * steps)
    last = {f"{way}__isnull": False, f"{way}__merged_into": None, f"{way}__closed_at__lte": limit}
    return Q(status=TicketStatus.MERGED, **last)


def _holding(kind: DataClass) -> list[QuerySet[Any]]:
    rows = []
    for owner in (False, True):
        for place in places.of(kind, owner=owner):
            found = QuerySet[Any](place.model).filter(place.only, **{place.ticket: OuterRef("pk")})
            rows.append(found.filter(place.holding) if place.left else found)
    return rows


@dataclass(frozen=True, slots=True)
class Due:
    """What of one class is over its period now."""

    kind: DataClass
    days: int | None  # None: whatever the periods say
    count: int  # tickets; of imports and of the log, rows
    rows: Counts  # by place
    oldest: datetime | None  # the first closing; of imports and of the log, the first row
    examples: tuple[str, ...]  # protocols


def due(organization: Organization, periods: Periods, now: datetime) -> tuple[Due, ...]:
    """What a run would erase now, class by class. Nothing is written (L1)."""
    applied = effective(periods)
    found = [_due_of(organization, kind, applied[kind], now) for kind in OF_TICKETS if kind in applied]
    days = applied.get(DataClass.IMPORTS)
    imports = _imports(organization, days, now)
    if days is not None or imports.exists():
        first = imports.order_by("created_at").values_list("created_at", flat=True).first()
        found.append(Due(DataClass.IMPORTS, days, imports.count(), {"import": imports.count()}, first, ()))
    if DataClass.LOG in applied:
        days = applied[DataClass.LOG]
        acts = AdministrativeAct.objects.filter(organization=organization, at__lte=cut_off(days, now))
        first = acts.order_by("at").values_list("at", flat=True).first()
        found.append(Due(DataClass.LOG, days, acts.count(), {"administrativeact": acts.count()}, first, ()))
    return tuple(found)


def _imports(organization: Organization, days: int | None, now: datetime) -> QuerySet[Import]:
    """The files that are over their period, and those of erased customers that no hold keeps any more (L4)."""
    held = holds.held_tickets(organization)
    found = erasing_files.left_behind(organization, held)
    return found if days is None else found | erasing_files.over(organization, cut_off(days, now), held)


def _due_of(organization: Organization, kind: DataClass, days: int, now: datetime) -> Due:
    tickets = due_tickets(organization, kind, days, now)
    keys = tickets.values("pk")
    rows: Counts = {}
    for owner in (False, True):
        for place in places.of(kind, owner=owner):
            rows = erasing.added(rows, {place.name: place.rows(keys).count()})
    first = tickets.order_by("closed_at", "pk")
    return Due(
        kind,
        days,
        tickets.count(),
        rows,
        first.values_list("closed_at", flat=True).first(),
        tuple(first.values_list("protocol", flat=True)[:5]),
    )


# --- runs ---------------------------------------------------------------------------------------------------------


def is_wanted(organization: Organization) -> bool:
    """Whether a run could have anything to do: there are periods, exports past their time, files that a hold kept."""
    past = CustomerExport.objects.filter(organization=organization, expires_at__lte=ledger.now())
    left = erasing_files.left_behind(organization, holds.held_tickets(organization))
    return bool(organization.retention) or past.exists() or left.exists()


@transaction.atomic
def begin_run(*, organization: Organization, member: Membership | None) -> RetentionRun:
    """Owe a run over the organisation's data; while one is under way, that one. `member` None: the clock, a command."""
    if member is not None:
        access.require(member, Permission.MANAGE)
    locked = Organization.objects.select_for_update().get(pk=organization.pk)
    under_way = RetentionRun.objects.filter(organization=locked).exclude(status=TaskStatus.DONE).first()
    if under_way is not None:
        return under_way
    moment = ledger.now()
    row = RetentionRun.objects.create(
        organization=locked,
        periods={kind.value: days for kind, days in effective(periods_of(locked)).items()},
        started_by=member,
        created_at=moment,
        report={},
    )
    jobs.owe(jobs.RETAIN, row.pk, locked.pk, moment, moment)
    return row


def work(*, organization_id: int, run_id: uuid.UUID, most: int = SLICE) -> bool:
    """Go on with a run, for at most so many tickets and files; True where it is done. Raises erasing.NoOwner.

    Two workers on one run take turns ticket by ticket, and none erases or counts what the other did.
    """
    erasing.require_owner()
    row = RetentionRun.objects.select_related("organization").filter(pk=run_id).first()
    if row is None or row.status == TaskStatus.DONE:
        jobs.settle(jobs.RETAIN, run_id)
        return True
    RetentionRun.objects.filter(pk=run_id, status=TaskStatus.QUEUED).update(status=TaskStatus.RUNNING)
    organization, periods = row.organization, {DataClass(kind): days for kind, days in row.periods.items()}
    left = most
    for kind in OF_TICKETS:
        if kind in periods:
            left -= _erase_class(row, kind, periods[kind], left)
    left -= _erase_imports(row, periods.get(DataClass.IMPORTS), left)
    if left <= 0:
        moment = ledger.now()
        with transaction.atomic():
            jobs.owe(jobs.RETAIN, run_id, organization_id, moment, moment)
        return False
    _erase_log(row, periods.get(DataClass.LOG))
    _finish(organization, run_id)
    return True


def _erase_class(run: RetentionRun, kind: DataClass, days: int, most: int) -> int:
    """Erase this class in the tickets that are over its period, at most so many. Returns in how many."""
    found = due_tickets(run.organization, kind, days, run.created_at)
    keys = list(found.order_by("pk").values_list("pk", flat=True)[: max(0, most)])
    for key in keys:
        jobs.postpone(jobs.RETAIN, run.pk, ledger.now() + LEASE, ledger.now())
        with transaction.atomic():
            ticket = Ticket.objects.filter(pk=key).first()
            if ticket is not None:  # what is held is read under the lock that placing a hold takes
                holds.lock_customer(run.organization, ticket.customer_id)
            still = due_tickets(run.organization, kind, days, run.created_at).filter(pk=key)
            if still.select_for_update(of=("self",)).first() is None:
                continue  # reopened, held, erased or gone since
            counts = erasing.erase_kept(run.organization, key, [kind])
            _note(run.pk, kind.value, counts, tickets=1)
        if kind is DataClass.HISTORY:
            moment = ledger.now()
            with transaction.atomic(using=OWNER):
                _note(run.pk, kind.value, erasing.erase_history(key, moment), using=OWNER)
    return len(keys)


def _erase_imports(run: RetentionRun, days: int | None, most: int) -> int:
    found = list(_imports(run.organization, days, run.created_at).order_by("pk")[: max(0, most)])
    for row in found:
        with transaction.atomic():
            _note(run.pk, DataClass.IMPORTS.value, erasing_files.erase_import(row))
    return len(found)


def _erase_log(run: RetentionRun, days: int | None) -> None:
    """Exports that are past their time, and acts of the log that are over its period: whole rows, in one statement each."""
    with transaction.atomic():
        past = CustomerExport.objects.filter(organization=run.organization, expires_at__lte=ledger.now())
        _note(run.pk, EXPORTS, {"customerexport": past.delete()[0]})
    if days is None:
        return
    with transaction.atomic(using=OWNER):
        acts = AdministrativeAct.objects.using(OWNER).filter(organization_id=run.organization_id)
        gone = acts.filter(at__lte=cut_off(days, run.created_at)).delete()[0]
        _note(run.pk, DataClass.LOG.value, {"administrativeact": gone}, using=OWNER)


def _note(run_id: uuid.UUID, kind: str, counts: Counts, *, tickets: int = 0, using: str = "default") -> None:
    """Add to the report, in the transaction that erased."""
    if not any(counts.values()) and not tickets:
        return
    row = RetentionRun.objects.using(using).select_for_update().get(pk=run_id)
    before = row.report.get(kind, {"tickets": 0, "rows": {}})
    row.report[kind] = {"tickets": before["tickets"] + tickets, "rows": erasing.added(before["rows"], counts)}
    row.save(using=using, update_fields=["report"])


@transaction.atomic
def _finish(organization: Organization, run_id: uuid.UUID) -> None:
    row = RetentionRun.objects.select_for_update().get(pk=run_id)
    jobs.settle(jobs.RETAIN, run_id)
    if row.status == TaskStatus.DONE:
        return
    row.status, row.finished_at = TaskStatus.DONE, ledger.now()
    row.save(update_fields=["status", "finished_at"])
    rows = sum(sum(part["rows"].values()) for part in row.report.values())
    AdministrativeAct.objects.create(
        organization=organization,
        member_id=row.started_by_id,
        kind=Act.RETENTION_RUN,
        subject="",
        details={"rows": rows, "run": str(row.pk)},
        at=row.finished_at,
    )
