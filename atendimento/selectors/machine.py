"""What the machine's door reads: pages of rows by keyset, each in a constant number of queries."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db.models import Model, Prefetch, Q, QuerySet

from atendimento import access
from atendimento.access import Caller
from atendimento.models import LedgerEvent, Message, Organization, Proposal, ProposedChange, Ticket, TicketStatus
from memoria.patch import MISSING, Missing, Op, Operation, make_pointer, same_json

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the key of the last one where more follow."""

    rows: Sequence[Any]
    after: list[Any] | None


def _page(rows: QuerySet[M], limit: int, *keys: str) -> Page:
    found = list(rows[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    return Page(found, [_plain(getattr(found[-1], key)) for key in keys] if more else None)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, uuid.UUID) else value


def _moment(key: Any) -> datetime:
    """A moment out of a cursor, which anybody may have written: in UTC, as the database takes it."""
    return datetime.fromisoformat(key).astimezone(UTC)


def _id(key: Any) -> uuid.UUID:
    return uuid.UUID(str(key))


ATTENTION = {
    "proposals": Q(pending_count__gt=0),
    "conflict": Q(conflict_count__gt=0),
    "needs_confirmation": Q(stale_count__gt=0),
    "overdue": Q(next_due__isnull=False),
}


def tickets(
    caller: Caller,
    *,
    status: str | None,
    assignee: str | None,
    attention: str | None,
    now: datetime,
    after: Sequence[Any] | None,
    limit: int,
) -> Page:
    """The tickets that the caller sees, the latest changed first. `assignee`: a member's id or address, `me` or `none`."""
    rows = access.visible_tickets(caller).select_related("ticket_type", "customer", "assignee", "team")
    if status is not None:
        rows = rows.filter(status=status)
    if assignee is not None:
        rows = _of_assignee(rows, caller, assignee)
    if attention is not None:
        rows = rows.filter(ATTENTION[attention])
        if attention == "overdue":
            rows = rows.filter(next_due__lt=now)
    if after is not None:
        at, key = _moment(after[0]), _id(after[1])
        rows = rows.filter(Q(updated_at__lt=at) | Q(updated_at=at, pk__lt=key))
    return _page(rows.order_by("-updated_at", "-id"), limit, "updated_at", "pk")


def _of_assignee(rows: QuerySet[Ticket], caller: Caller, assignee: str) -> QuerySet[Ticket]:
    if assignee == "none":
        return rows.filter(assignee=None)
    member = caller.member if assignee == "me" else access.member_named(caller.organization, assignee)
    return rows.none() if member is None else rows.filter(assignee=member)


def messages(ticket: Ticket, *, after: int, limit: int) -> Page:
    """The messages after a number, in the order of their arrival."""
    rows = Message.objects.filter(ticket=ticket, number__gt=after).order_by("number")
    return _page(rows, limit, "number")


def difference(before: Mapping[str, Any], after: Mapping[str, Any], at: str = "") -> list[Operation]:
    """The RFC 6902 operations that make `after` of `before`: objects are walked, anything else is replaced whole."""
    found: list[Operation] = []
    for key in (*before, *(key for key in after if key not in before)):
        pointer = at + make_pointer(key)
        old, new = before.get(key, MISSING), after.get(key, MISSING)
        if isinstance(new, Missing):
            found.append(Operation(Op.REMOVE, pointer))
        elif isinstance(old, Missing):
            found.append(Operation(Op.ADD, pointer, new))
        elif isinstance(old, dict) and isinstance(new, dict):
            found.extend(difference(old, new, pointer))
        elif not same_json(old, new):
            found.append(Operation(Op.REPLACE, pointer, new))
    return found


def _changes() -> QuerySet[ProposedChange]:
    return ProposedChange.objects.select_related("decided_by")


def proposals(ticket: Ticket, *, after: Sequence[Any] | None, limit: int) -> Page:
    """The ticket's proposals with their changes, newest first."""
    rows = Proposal.objects.filter(ticket=ticket).defer("request", "raw_answer")
    if after is not None:
        at, key = _moment(after[0]), _id(after[1])
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=key))
    prefetch = Prefetch("changes", queryset=_changes().order_by("position"))
    return _page(rows.prefetch_related(prefetch).order_by("-created_at", "-id"), limit, "created_at", "pk")


def changes_of(proposal: Proposal) -> list[ProposedChange]:
    """A proposal's changes in their order."""
    return list(_changes().filter(proposal=proposal).order_by("position"))


def changes_named(ids: Sequence[uuid.UUID]) -> list[ProposedChange]:
    """These changes, in the order named."""
    found = {row.pk: row for row in _changes().filter(pk__in=ids)}
    return [found[key] for key in ids]


def changes(caller: Caller, *, status: str | None, ticket: Ticket | None, after: Sequence[Any] | None, limit: int) -> Page:
    """Proposed changes, oldest first: the review queue."""
    rows = _changes().filter(access.visible(caller, "ticket__"))
    if status is not None:
        rows = rows.filter(status=status)
    if ticket is not None:
        rows = rows.filter(ticket=ticket)
    if after is not None:
        rows = rows.filter(pk__gt=_id(after[0]))
    return _page(rows.order_by("id"), limit, "pk")


def history(ticket: Ticket, *, after: Sequence[Any] | None, limit: int) -> Page:
    """The ticket's events, newest first."""
    rows = LedgerEvent.objects.select_related("ticket").filter(ticket=ticket)
    if after is not None:
        rows = rows.filter(version__lt=int(after[0]))
    return _page(rows.order_by("-version"), limit, "version")


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    field: str | None = None
    actor: int | None = None
    source: str | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def history_across(organization: Organization, wanted: HistoryFilter, *, after: Sequence[Any] | None, limit: int) -> Page:
    """Events of all the organisation's tickets, newest first."""
    rows = LedgerEvent.objects.select_related("ticket").filter(organization=organization)
    if wanted.field is not None:
        rows = rows.filter(pointers__contains=[wanted.field])
    if wanted.actor is not None:
        rows = rows.filter(member_id=wanted.actor)
    if wanted.source is not None:
        rows = rows.filter(sources__contains=[wanted.source])
    if wanted.kind is not None:
        rows = rows.filter(kind=wanted.kind)
    if wanted.since is not None:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until is not None:
        rows = rows.filter(at__lt=wanted.until)
    if after is not None:
        at, key = _moment(after[0]), int(after[1])
        rows = rows.filter(Q(at__lt=at) | Q(at=at, pk__lt=key))
    return _page(rows.order_by("-at", "-id"), limit, "at", "pk")


STATUSES = frozenset(TicketStatus.values)
