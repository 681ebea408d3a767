"""The queue: saved views with their counts, filters, and pages by key."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from atendimento.models import Membership, Message, Ticket, TicketStatus, TicketType
from atendimento.selectors.pages import QueueList, QueueRow, SavedView
from atendimento.selectors.parts import Chip, Option

PAGE = 30

VIEWS: Final[Mapping[str, Promise]] = {
    "decide": _("To decide"),
    "mine": _("Mine"),
    "confirm": _("Needs confirmation"),
    "conflicts": _("Divergences"),
    "overdue": _("Commitments overdue"),
    "today": _("Due today"),
    "unowned": _("Without owner"),
    "failed": _("Failed reading"),
    "snoozed": _("Snoozed"),
    "all": _("All open"),
}
HOT: Final = frozenset({"conflicts", "overdue", "failed"})


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked of the queue; it lives in the address."""

    view: str = "decide"
    query: str = ""
    ticket_type: str = ""
    after: str = ""  # the last row of the page before: moment and id

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Filters:
        """From an address, whatever it holds: what is not known counts as not asked for."""
        view = given.get("view", "")
        query = given.get("q", "").replace("\0", "").strip()[:200]
        ticket_type = given.get("type", "").replace("\0", "")[:100]
        return cls(view if view in VIEWS else "decide", query, ticket_type, given.get("after", "")[:100])

    def address(self, **changed: str) -> str:
        asked = {"view": self.view, "q": self.query, "type": self.ticket_type} | changed
        named = {key: value for key, value in asked.items() if value and (key, value) != ("view", "decide")}
        return reverse("web:queue") + (f"?{urlencode(named)}" if named else "")

    def suffix(self) -> str:
        """For a ticket's own address, so that opening one never loses the place."""
        named = {"view": self.view, "q": self.query, "type": self.ticket_type}
        kept = {key: value for key, value in named.items() if value and (key, value) != ("view", "decide")}
        return f"?{urlencode(kept)}" if kept else ""


def _conditions(member: Membership) -> dict[str, Q]:
    zone = ZoneInfo(member.organization.timezone)
    now = timezone.now()
    tonight = datetime.combine(timezone.localdate(timezone=zone) + timedelta(days=1), time.min, zone)
    opened = Q(status=TicketStatus.OPEN)
    return {
        "decide": opened & Q(pending_count__gt=0),
        "mine": opened & Q(assignee=member),
        "confirm": opened & Q(stale_count__gt=0),
        "conflicts": opened & Q(conflict_count__gt=0),
        "overdue": opened & Q(next_due__lt=now),
        "today": opened & Q(next_due__gte=now, next_due__lt=tonight),
        "unowned": opened & Q(assignee=None),
        "failed": Q(parked_count__gt=0) & ~Q(status=TicketStatus.MERGED),
        "snoozed": Q(status=TicketStatus.SNOOZED),
        "all": opened,
    }


def _matching(member: Membership, query: str) -> Q:
    """Tickets by subject, protocol, customer, or a word that was said in them."""
    words = SearchQuery(query, config="portuguese", search_type="websearch")
    said = Message.objects.annotate(words=SearchVector("text", config="portuguese")).filter(
        organization=member.organization, words=words
    )
    named = Q(subject__icontains=query) | Q(customer__name__icontains=query) | Q(protocol__startswith=query)
    return named | Q(pk__in=said.values("ticket"))


def _rows(member: Membership, filters: Filters) -> QuerySet[Ticket]:
    rows = Ticket.objects.filter(organization=member.organization).select_related("customer", "ticket_type")
    rows = rows.filter(_matching(member, filters.query) if filters.query else _conditions(member)[filters.view])
    if filters.ticket_type:
        rows = rows.filter(ticket_type__slug=filters.ticket_type)
    return rows.order_by("-updated_at", "-id")


def _after(rows: QuerySet[Ticket], key: str) -> QuerySet[Ticket]:
    moment, _comma, identity = key.partition("_")
    try:
        at, last = datetime.fromisoformat(moment), uuid.UUID(identity)
        if at.tzinfo is None:
            return rows
        at = at.astimezone(UTC)  # an offset that Python reads may be more than the database takes
    except (ValueError, OverflowError):
        return rows
    return rows.filter(Q(updated_at__lt=at) | Q(updated_at=at, pk__lt=last))


def queue(member: Membership, filters: Filters, current: uuid.UUID | None = None) -> QueueList:
    """The queue as `member` sees it: three queries, however many tickets there are."""
    conditions = _conditions(member)
    counts = Ticket.objects.filter(organization=member.organization).aggregate(
        **{key: Count("pk", filter=condition) for key, condition in conditions.items()}
    )
    found = list(_after(_rows(member, filters), filters.after)[: PAGE + 1])
    suffix = filters.suffix()
    types = TicketType.objects.filter(organization=member.organization, published__isnull=False).order_by("name")
    options = tuple(Option(slug, name, slug == filters.ticket_type) for slug, name in types.values_list("slug", "name"))
    next_url = ""
    if len(found) > PAGE:
        last = found[PAGE - 1]
        next_url = filters.address(after=f"{last.updated_at.isoformat()}_{last.pk}")
    address = filters.address() + ("&" if "?" in filters.address() else "?") + urlencode({"part": "queue"})
    if current is not None:
        address += "&" + urlencode({"current": str(current)})
    return QueueList(
        views=tuple(
            SavedView(
                key, str(label), counts[key], Filters(key).address(), key == filters.view and not filters.query, key in HOT
            )
            for key, label in VIEWS.items()
        ),
        rows=tuple(_row(ticket, suffix, current) for ticket in found[:PAGE]),
        view=filters.view,
        title=str(VIEWS[filters.view]),
        query=filters.query,
        ticket_type=filters.ticket_type,
        ticket_types=options if len(options) > 1 else (),
        next_url=next_url,
        reset_url=Filters(filters.view).address(),
        address=address,
    )


def _row(ticket: Ticket, suffix: str, current: uuid.UUID | None) -> QueueRow:
    return QueueRow(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]) + suffix,
        title=ticket.subject,
        subtitle=f"{ticket.customer} · {ticket.ticket_type.name}",
        at=ticket.updated_at,
        chips=tuple(_chips(ticket)),
        current=ticket.pk == current,
    )


def _chips(ticket: Ticket) -> list[Chip]:
    chips = []
    if ticket.pending_count:
        label = ngettext("%(count)d proposal", "%(count)d proposals", ticket.pending_count) % {"count": ticket.pending_count}
        chips.append(Chip(label, "proposed", "sparkles"))
    if ticket.conflict_count:
        chips.append(Chip(str(_("divergence")), "conflict", "split"))
    if ticket.stale_count:
        label = ngettext("%(count)d to confirm", "%(count)d to confirm", ticket.stale_count) % {"count": ticket.stale_count}
        chips.append(Chip(label, "confirm", "circle-question-mark"))
    if ticket.next_due is not None and ticket.next_due < timezone.now():
        chips.append(Chip(str(_("commitment overdue")), "conflict", "calendar-clock"))
    if ticket.parked_count:
        chips.append(Chip(str(_("reading stopped")), "conflict", "triangle-alert"))
    if ticket.status != TicketStatus.OPEN:
        chips.append(Chip(str(STATUSES[ticket.status]), "", "clock"))
    return chips


STATUSES: Final[Mapping[str, Promise]] = {
    TicketStatus.OPEN.value: _("open ticket"),
    TicketStatus.SNOOZED.value: _("snoozed"),
    TicketStatus.CLOSED.value: _("closed"),
    TicketStatus.MERGED.value: _("merged"),
}


def next_to_decide(member: Membership, current: uuid.UUID | None = None) -> str:
    """The address of the ticket that has waited longest for a decision, other than this one; empty where none has."""
    rows = Ticket.objects.filter(_conditions(member)["decide"], organization=member.organization)
    if current is not None:
        rows = rows.exclude(pk=current)
    found = rows.order_by("updated_at", "id").values_list("pk", flat=True).first()
    return reverse("web:ticket", args=[found]) if found is not None else ""


def known(reference: str) -> uuid.UUID | None:
    """The ticket's id that an address names, if it is one."""
    try:
        return uuid.UUID(reference)
    except ValueError:
        return None
