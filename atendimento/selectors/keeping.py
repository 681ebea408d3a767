"""What administrators see of retention and erasure: periods, what is over them, runs, requests and holds."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Customer, ErasureRequest, ErasureStatus, LegalHold, Membership, RetentionRun, TaskStatus
from atendimento.selectors.parts import Chip, Problem
from memoria.retention import DataClass

SHOWN: Final = 50
RUNS: Final = 10
CLASSES: Final[Mapping[str, tuple[Promise, Promise]]] = {
    DataClass.MESSAGES.value: (
        gettext_lazy("Messages"),
        gettext_lazy("Texts, earlier texts, attachments, drafts, and who wrote them. Days from the ticket's closing."),
    ),
    DataClass.MODEL.value: (
        gettext_lazy("What the model saw and answered"),
        gettext_lazy("Copies of messages: they go with the messages at the latest. Empty: together with them."),
    ),
    DataClass.HISTORY.value: (
        gettext_lazy("History and values"),
        gettext_lazy("State, decisions with their quotes and reasons, corrections. Not before the messages."),
    ),
    DataClass.IMPORTS.value: (
        gettext_lazy("Imported files"),
        gettext_lazy("Days from the import. Empty: as long as the messages."),
    ),
    DataClass.LOG.value: (
        gettext_lazy("Log of administration"),
        gettext_lazy("Acts, and who opened what is sensitive. Days from the act."),
    ),
    "exports": (gettext_lazy("Exports past their time"), gettext_lazy("Exports past their time")),
}
PLACES: Final[Mapping[str, Promise]] = {
    "customer": gettext_lazy("customer's record"),
    "ticket": gettext_lazy("subjects and foreign ids of tickets"),
    "message": gettext_lazy("messages"),
    "messagerevision": gettext_lazy("earlier texts of messages"),
    "messagepin": gettext_lazy("fixed passages"),
    "draft": gettext_lazy("drafts"),
    "proposal": gettext_lazy("questions to the model and its answers"),
    "rebuild": gettext_lazy("new readings"),
    "rebuildreading": gettext_lazy("windows of new readings"),
    "proposedchange": gettext_lazy("proposed changes"),
    "correction": gettext_lazy("corrections"),
    "reminder": gettext_lazy("reminders"),
    "statesnapshot": gettext_lazy("kept states"),
    "ledgerevent": gettext_lazy("events of the history"),
    "import": gettext_lazy("imports"),
    "importfile": gettext_lazy("imported files"),
    "customerexport": gettext_lazy("exports"),
    "legalhold": gettext_lazy("reasons of holds"),
    "administrativeact": gettext_lazy("entries of the log"),
}
FAULTS: Final[Mapping[str, Promise]] = {
    "retention.no_period": gettext_lazy("Give a whole number of days from 1 to 36500, or nothing."),
    "retention.outlives_messages": gettext_lazy("A copy cannot be kept for longer than the messages."),
    "retention.before_messages": gettext_lazy("The history rests on the messages: it cannot go before them."),
    "hold.no_reason": gettext_lazy("Give a reason of at most 300 characters."),
    "hold.bad_day": gettext_lazy("Give a day from today on, or nothing."),
    "hold.erased_already": gettext_lazy("This is erased already: there is nothing to hold."),
    "erasure.held": gettext_lazy("A legal hold stands against it. Lift the hold first."),
    "erasure.refused": gettext_lazy("This request was refused. It can be made again."),
    "erasure.no_reason": gettext_lazy("Say why, in at most 300 characters."),
    "erasure.decided": gettext_lazy("This request was decided already."),
    "erasure.begun": gettext_lazy("The erasure has begun, and what is erased does not come back."),
    "erasure.no_export": gettext_lazy("The customer's data are erased, or about to be: no file is made of them any more."),
    "erasure.reason_too_long": gettext_lazy("At most 300 characters."),
}
RUN_STATUSES: Final[Mapping[str, tuple[Promise, str]]] = {
    TaskStatus.QUEUED.value: (gettext_lazy("waiting"), "proposed"),
    TaskStatus.RUNNING.value: (gettext_lazy("under way"), "proposed"),
    TaskStatus.DONE.value: (gettext_lazy("done"), "ok"),
}
STATUSES: Final[Mapping[str, tuple[Promise, str]]] = {
    ErasureStatus.REQUESTED.value: (gettext_lazy("awaits a decision"), "confirm"),
    ErasureStatus.APPROVED.value: (gettext_lazy("approved, waiting"), "proposed"),
    ErasureStatus.RUNNING.value: (gettext_lazy("under way"), "proposed"),
    ErasureStatus.HELD.value: (gettext_lazy("stopped by a legal hold"), "conflict"),
    ErasureStatus.REFUSED.value: (gettext_lazy("denied"), ""),
    ErasureStatus.DONE.value: (gettext_lazy("erased"), "ok"),
}


class Over(Protocol):
    """What of one class is over its period, as the dry run found it."""

    @property
    def kind(self) -> DataClass: ...
    @property
    def days(self) -> int | None: ...
    @property
    def count(self) -> int: ...
    @property
    def rows(self) -> Mapping[str, int]: ...
    @property
    def oldest(self) -> datetime | None: ...
    @property
    def examples(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class PeriodRow:
    kind: str
    label: str
    hint: str
    days: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class OverRow:
    label: str
    days: int | None
    count: int
    of_tickets: bool
    oldest: datetime | None
    examples: tuple[str, ...]
    places: tuple[PlaceRow, ...]


@dataclass(frozen=True, slots=True)
class RunPart:
    label: str
    tickets: int
    places: tuple[PlaceRow, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    id: str
    chip: Chip
    who: str
    begun: datetime
    finished: datetime | None
    parts: tuple[RunPart, ...]


@dataclass(frozen=True, slots=True)
class RetentionPage:
    periods: tuple[PeriodRow, ...]
    over: tuple[OverRow, ...] | None  # None: not asked for
    runs: tuple[RunRow, ...]
    under_way: bool
    has_periods: bool
    problem: Problem | None = None


def fault(code: str) -> str:
    return str(FAULTS.get(code, code))


def retention_page(
    member: Membership,
    *,
    over: Iterable[Over] | None = None,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
) -> RetentionPage:
    """Periods, the dry run where it was asked for, and the latest runs. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    kept = {kind: str(days) for kind, days in member.organization.retention.items()}
    given, wrong = kept if typed is None else typed, faults or {}
    runs = RetentionRun.objects.select_related("started_by").filter(organization=member.organization)
    rows = tuple(_run(row) for row in runs.order_by("-created_at")[:RUNS])
    return RetentionPage(
        tuple(_period(kind.value, given, wrong) for kind in DataClass),
        None if over is None else tuple(_over(item) for item in over),
        rows,
        runs.exclude(status=TaskStatus.DONE).exists(),
        bool(kept),
        Problem(_("Nothing was saved."), "") if wrong else None,
    )


def _period(kind: str, given: Mapping[str, str], wrong: Mapping[str, str]) -> PeriodRow:
    label, hint = CLASSES[kind]
    return PeriodRow(kind, str(label), str(hint), given.get(kind, ""), wrong.get(kind, ""))


def _over(item: Over) -> OverRow:
    return OverRow(
        str(CLASSES[item.kind.value][0]),
        item.days,
        item.count,
        item.kind not in (DataClass.IMPORTS, DataClass.LOG),
        item.oldest,
        tuple(item.examples),
        places(item.rows),
    )


def places(rows: Mapping[str, int]) -> tuple[PlaceRow, ...]:
    """By table, in words. Of a table of which several columns went, the most rows that any of them held."""
    found: dict[str, int] = {}
    for name, count in rows.items():
        table = name.split(" (")[0]
        found[table] = max(found.get(table, 0), count)
    return tuple(PlaceRow(str(PLACES.get(table, table)), count) for table, count in found.items() if count)


def _run(row: RetentionRun) -> RunRow:
    label, tone = RUN_STATUSES[row.status]
    parts = tuple(RunPart(str(CLASSES[kind][0]), part["tickets"], places(part["rows"])) for kind, part in row.report.items())
    who = row.started_by.name if row.started_by is not None else _("The clock")
    return RunRow(str(row.pk), Chip(str(label), tone), who, row.created_at, row.finished_at, parts)


# --- erasures and holds -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ErasureRow:
    id: str
    customer_id: str
    customer: str
    chip: Chip
    status: str
    reason: str
    asked_by: str
    asked_at: datetime
    decided_by: str
    decided_at: datetime | None
    refusal: str
    done: int
    total: int
    finished_at: datetime | None
    places: tuple[PlaceRow, ...]

    @property
    def undecided(self) -> bool:
        return self.status in (ErasureStatus.REQUESTED, ErasureStatus.HELD)

    @property
    def under_way(self) -> bool:
        return self.status in (ErasureStatus.APPROVED, ErasureStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class HoldRow:
    id: int
    what: str
    customer_id: str
    reason: str
    until: date | None
    standing: bool
    by: str
    at: datetime
    lifted_by: str = ""
    lifted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ErasuresPage:
    requests: tuple[ErasureRow, ...]
    holds: tuple[HoldRow, ...]
    problem: Problem | None = None

    @property
    def under_way(self) -> bool:
        return any(row.under_way for row in self.requests)


def erasures_page(member: Membership, standing: Collection[int], problem: Problem | None = None) -> ErasuresPage:
    """The latest requests, those that wait first, and every hold. `standing`: the holds that stand today.

    Raises DomainError `permission.denied`.
    """
    access.require(member, Permission.MANAGE)
    found = ErasureRequest.objects.filter(organization=member.organization)
    rows = found.select_related("customer", "requested_by", "decided_by").order_by("-requested_at")[:SHOWN]
    requests = sorted(map(erasure_row, rows), key=lambda row: not row.undecided)
    holds = LegalHold.objects.filter(organization=member.organization)
    kept = holds.select_related("ticket", "customer", "placed_by", "lifted_by").order_by("-pk")[:SHOWN]
    return ErasuresPage(tuple(requests), tuple(hold_row(row, standing) for row in kept), problem)


def erasure_row(row: ErasureRequest) -> ErasureRow:
    """One request, as its lists show it."""
    label, tone = STATUSES[row.status]
    return ErasureRow(
        str(row.pk),
        str(row.customer_id),
        customer_name(row.customer),
        Chip(str(label), tone),
        row.status,
        row.reason,
        row.requested_by.name,
        row.requested_at,
        row.decided_by.name if row.decided_by is not None else "",
        row.decided_at,
        row.refusal,
        row.done,
        row.total,
        row.finished_at,
        places(row.report),
    )


def customer_name(customer: Customer) -> str:
    """What a customer is called; of an erased one, that it was one."""
    if customer.erased_at is not None:
        return _("Erased customer %(id)s") % {"id": str(customer.pk)[-6:]}
    return customer.name or customer.external_id


def hold_row(row: LegalHold, standing: Collection[int]) -> HoldRow:
    """One hold, as its lists show it. A lifted one keeps its place as a record."""
    customer = row.customer if row.customer is not None else None
    what = row.ticket.protocol if row.ticket is not None else customer_name(customer) if customer is not None else ""
    whose = row.customer_id if row.customer_id is not None else row.ticket.customer_id if row.ticket is not None else ""
    return HoldRow(
        row.pk,
        what,
        str(whose),
        row.reason,
        row.until,
        row.pk in standing,
        row.placed_by.name,
        row.placed_at,
        row.lifted_by.name if row.lifted_by is not None else "",
        row.lifted_at,
    )


# --- one customer ---------------------------------------------------------------------------------------------------


def of_customer(member: Membership, customer_id: str | uuid.UUID) -> Customer:
    """The customer, for whoever may ask for erasure. Raises NotFound, DomainError `permission.denied`."""
    access.require(member, Permission.REQUEST_ERASURE)
    return access.customer(member.organization, customer_id)
