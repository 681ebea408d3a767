"""The queue's rows and counts, in a time that the number of tickets does not touch.

Every view has two partial indexes in its own order (see models/tickets.py): one of the whole organisation, one of each
team. Whoever sees all reads the first. A member whose sight ends at their teams reads the second once for each team, and
what is theirs from elsewhere; the first rows of each, put together, are the first rows of all. A count stops at `CAP`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Count, Q, QuerySet, Value
from django.utils import timezone

from atendimento import access
from atendimento.models import Membership, Team, Ticket, TicketStatus
from atendimento.selectors.queue_filters import NONE, UNCOUNTED, WAITING, Filters

CAP: Final = 999
"""So far a count goes; what is more is told as such."""

MANY_TEAMS: Final = 16
"""Whoever sees more teams than this sees so much of the organisation that its own index finds their rows soon enough."""

LATEST: Final = ("-updated_at", "-id")
DUE: Final = ("next_due", "id")


@dataclass(frozen=True, slots=True)
class Sight:
    """Which tickets a member sees: those in these lanes (None: in all), and those that are theirs."""

    member: Membership
    lanes: tuple[int, ...] | None

    @classmethod
    def of(cls, member: Membership) -> Sight:
        return cls(member, access.lanes(member))


def conditions(member: Membership) -> dict[str, Q]:
    """What each view holds, of the tickets that `member` sees."""
    zone = ZoneInfo(member.organization.timezone)
    now = timezone.now()
    tonight = datetime.combine(timezone.localdate(timezone=zone) + timedelta(days=1), time.min, zone)
    opened = Q(status=TicketStatus.OPEN)
    return {
        "decide": opened & Q(pending_count__gt=0),
        "mine": opened & Q(assignee=member),
        "escalated": Q(escalated_to=member, status__in=(TicketStatus.OPEN, TicketStatus.SNOOZED)),
        "confirm": opened & Q(stale_count__gt=0),
        "conflicts": opened & Q(conflict_count__gt=0),
        "overdue": opened & Q(next_due__lt=now),
        "today": opened & Q(next_due__gte=now, next_due__lt=tonight),
        "unowned": opened & Q(assignee=None),
        "failed": Q(parked_count__gt=0) & ~Q(status=TicketStatus.MERGED),
        "snoozed": Q(status=TicketStatus.SNOOZED),
        "all": opened,
        "closed": Q(status=TicketStatus.CLOSED),
    }


def order_of(view: str) -> tuple[str, str]:
    """What is due first stands first; everywhere else the latest changed does."""
    return DUE if view in ("overdue", "today") else LATEST


def _filtered(rows: QuerySet[Ticket], filters: Filters, member: Membership) -> QuerySet[Ticket]:
    if filters.ticket_type:
        rows = rows.filter(ticket_type__slug=filters.ticket_type)
    if filters.assignee:
        owners = {"me": member.pk, NONE: None}
        rows = rows.filter(assignee=owners[filters.assignee] if filters.assignee in owners else int(filters.assignee))
    if filters.channel:
        rows = rows.filter(channel=filters.channel)
    if filters.waiting:
        rows = rows.filter(waiting_since__lte=timezone.now() - WAITING[filters.waiting])
    return rows


def _after(rows: QuerySet[Ticket], filters: Filters) -> QuerySet[Ticket]:
    """What stands behind the row that the address names; an address that names none is not heard."""
    moment, _comma, identity = filters.after.partition("_")
    try:
        at, last = datetime.fromisoformat(moment), uuid.UUID(identity)
        if at.tzinfo is None:
            return rows
        at = at.astimezone(UTC)  # an offset that Python reads may be more than the database takes
    except (ValueError, OverflowError):
        return rows
    if order_of(filters.view) == DUE:
        return rows.filter(next_due__gte=at).exclude(next_due=at, pk__lte=last)
    return rows.filter(updated_at__lte=at).exclude(updated_at=at, pk__gte=last)


def _lane_of(sight: Sight, filters: Filters) -> int | None:
    """The lane that the address asks for; None: any. An unknown team's is one that no ticket is in."""
    if not filters.team:
        return None
    if filters.team == NONE:
        return access.NO_TEAM
    team = Team.objects.filter(organization=sight.member.organization_id, slug=filters.team)
    return team.values_list("pk", flat=True).first() or -1


def _arms(sight: Sight, filters: Filters) -> list[QuerySet[Ticket]]:
    """The lists whose first rows, put together, hold the first rows of the one that is asked for."""
    member = sight.member
    rows = Ticket.objects.filter(conditions(member)[filters.view], organization=member.organization_id)
    rows = _after(_filtered(rows, filters, member), filters)
    lane = _lane_of(sight, filters)
    if filters.view in ("mine", "escalated") or (sight.lanes is None and lane is None):
        return [rows if lane is None else rows.filter(lane=lane)]
    if lane is not None:
        within = rows.filter(lane=lane)
        if sight.lanes is None or lane in sight.lanes:
            return [within]
        return [within.filter(assignee=member), within.filter(escalated_to=member)]
    assert sight.lanes is not None
    theirs = [rows.filter(assignee=member), rows.filter(escalated_to=member)]
    if len(sight.lanes) > MANY_TEAMS:
        return [rows.filter(lane__in=sight.lanes), *theirs]
    return [*(rows.filter(lane=one) for one in sight.lanes), *theirs]


def keys(sight: Sight, filters: Filters, limit: int) -> QuerySet[Ticket, tuple[Any, ...]]:
    """The ids of the first `limit` rows, with what they are ordered by."""
    order = order_of(filters.view)
    heads = [arm.order_by(*order).values_list("pk", order[0].lstrip("-"))[:limit] for arm in _arms(sight, filters)]
    if len(heads) == 1:
        return heads[0]
    return heads[0].union(*heads[1:]).order_by(*order)[:limit]


def page(sight: Sight, filters: Filters) -> tuple[list[Ticket], bool]:
    """The rows that the address asks for, in order, and whether more follow."""
    ids = [row[0] for row in keys(sight, filters, filters.rows + 1)]
    found = Ticket.objects.select_related("customer", "ticket_type", "assignee", "escalated_to").in_bulk(ids[: filters.rows])
    return [found[key] for key in ids[: filters.rows] if key in found], len(ids) > filters.rows


def key_of(ticket: Ticket, view: str) -> str:
    """What names the row as the last one of a page."""
    moment = ticket.next_due if order_of(view) == DUE else ticket.updated_at
    assert moment is not None
    return f"{moment.isoformat()}_{ticket.pk}"


def counting(sight: Sight) -> dict[str, QuerySet[Ticket, Any]]:
    """For each counted view the query whose rows are counted, `CAP` + 1 of them at most."""
    member = sight.member
    found: dict[str, QuerySet[Ticket, Any]] = {}
    for view, condition in conditions(member).items():
        if view in UNCOUNTED:
            continue
        rows, order = Ticket.objects.filter(condition, organization=member.organization_id), order_of(view)
        # An order says nothing to a count, and much to the database: one that an index has lets it stop at the limit.
        if sight.lanes is not None and view not in ("mine", "escalated"):
            found[view] = rows.filter(lane__in=sight.lanes).order_by("lane", *order).values("pk")[: CAP + 1]
        else:
            found[view] = rows.order_by(*order).values("pk")[: CAP + 1]
    return found


def counts(sight: Sight) -> dict[str, int]:
    """How many tickets each view holds, `CAP` + 1 for all that are more. One statement, two where teams bound the sight."""
    named = counting(sight)
    statements: list[str] = []
    values: list[Any] = []
    for query in named.values():
        sql, params = query.query.sql_with_params()
        statements.append(f"(SELECT count(*) FROM ({sql}) AS counted)")  # noqa: S608 - the ORM's own, with parameters
        values.extend(params)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(statements)}", values)
        row = cursor.fetchone()
    found = dict(zip(named, row, strict=True))
    for view, count in _elsewhere(sight).items():
        if view not in ("mine", "escalated"):
            found[view] = min(found[view] + count, CAP + 1)
    return found


def _elsewhere(sight: Sight) -> Mapping[str, int]:
    """What the member sees because it is theirs, in teams that are not; counted by view."""
    if sight.lanes is None:
        return {}
    member = sight.member
    outside = Ticket.objects.filter(organization=member.organization_id).exclude(lane__in=sight.lanes)
    # What nobody works on any more is in one counted view alone.
    alive = Q(status__in=(TicketStatus.OPEN, TicketStatus.SNOOZED))
    mine: Sequence[QuerySet[Ticket]] = [
        outside.filter(alive, assignee=member),
        outside.filter(alive, escalated_to=member),
        outside.filter(conditions(member)["failed"], assignee=member),
        outside.filter(conditions(member)["failed"], escalated_to=member),
    ]
    heads = [rows.values_list("pk")[: CAP + 1] for rows in mine]
    ids = [row[0] for row in heads[0].union(*heads[1:])]
    if not ids:
        return {}
    counted = {key: Count("pk", filter=condition) for key, condition in conditions(member).items() if key not in UNCOUNTED}
    return Ticket.objects.filter(pk__in=ids).aggregate(**counted)


def next_id(sight: Sight, filters: Filters, current: Ticket | None) -> uuid.UUID | None:
    """The ticket to decide that the list shows below this one, its first row behind the last; without one the first row.

    Of those that the filters leave, else of all. Going on without deciding so passes every ticket once before one comes again.
    """
    owner = "me" if filters.view == "mine" else filters.assignee
    narrow = replace(filters.whole, view="decide", assignee=owner)
    for asked in (narrow, Filters()) if narrow.narrowed else (narrow,):
        found = _next(sight, asked, current)
        if found is not None:
            return found
    return None


def _next(sight: Sight, filters: Filters, current: Ticket | None) -> uuid.UUID | None:
    """One statement: the first row below `current`, and for where there is none the first of all."""
    order = order_of(filters.view)
    below = [] if current is None else [replace(filters, after=key_of(current, filters.view))]
    heads = []
    for turn, asked in enumerate((*below, filters)):
        for arm in _arms(sight, asked):
            rows = arm if current is None else arm.exclude(pk=current.pk)
            heads.append(rows.annotate(turn=Value(turn)).order_by(*order).values_list("pk", order[0].lstrip("-"), "turn")[:1])
    both = heads[0] if len(heads) == 1 else heads[0].union(*heads[1:], all=True).order_by("turn", *order)[:1]
    return next((uuid.UUID(str(row[0])) for row in both), None)
