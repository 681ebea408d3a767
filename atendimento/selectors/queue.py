"""The queue's page: saved views with their counts, a member's own ones, filters, and rows by key."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.db.models import CharField, Q, Value
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento.models import Membership, QueueView, Team, Ticket, TicketStatus, TicketType
from atendimento.selectors import queue_rows, values
from atendimento.selectors.pages import FilterChip, FilterPanel, OwnView, QueueList, QueueRow, SavedView
from atendimento.selectors.parts import Chip, Choice, Option
from atendimento.selectors.queue_filters import HOT, NONE, PAGE, VIEWS, WAITING, Filters
from atendimento.selectors.queue_rows import CAP, Sight

__all__ = ["STATUSES", "VIEWS", "Filters", "known", "next_to_decide", "own_views", "panel", "queue"]

STATUSES: Final[Mapping[str, Promise]] = {
    TicketStatus.OPEN.value: gettext_lazy("open ticket"),
    TicketStatus.SNOOZED.value: gettext_lazy("snoozed"),
    TicketStatus.CLOSED.value: gettext_lazy("closed"),
    TicketStatus.MERGED.value: gettext_lazy("merged"),
}


def queue(
    member: Membership,
    filters: Filters,
    current: uuid.UUID | None = None,
    base: Filters | None = None,
    *,
    choosing: bool = False,
    sight: Sight | None = None,
) -> QueueList:
    """The queue as `member` sees it, in a number of queries that the tickets do not touch.

    `base`: where the rows are put behind those of a list that is open already, the place in which that list begins.
    `choosing`: the filter panel is asked for too; of a list that is narrowed it always is.
    `sight`: what the member sees, where that is known already.
    """
    sight = sight or Sight.of(member)
    counts = queue_rows.counts(sight)
    found, more = queue_rows.page(sight, filters)
    place = base or filters
    whole = filters.whole
    next_url, more_url = "", ""
    if more and found:
        after = queue_rows.key_of(found[-1], filters.view)
        next_url = replace(whole, after=after).address()
        more_url = replace(whole, after=after).address(base=place.after, shown=str(place.rows + PAGE))
    part = {"part": "queue"} | ({"current": str(current)} if current is not None else {})
    own = own_views(member, filters)
    panel = _panel(member, sight, filters, own) if choosing or filters.narrowed else None
    return QueueList(
        views=tuple(_view(key, counts.get(key), filters) for key in VIEWS),
        own=own,
        rows=tuple(_row(ticket, place.suffix(), current) for ticket in found),
        view=filters.view,
        title=str(VIEWS[filters.view]),
        panel=panel,
        choosing=choosing,
        chips=_set(filters, panel.choices) if panel is not None and not choosing else (),
        panel_url=whole.address(filters="open"),
        next_url=next_url,
        more_url=more_url,
        top_url=whole.address() if filters.after else "",
        place=place.address(),
        address=filters.address(**part),
    )


def _view(key: str, count: int | None, filters: Filters) -> SavedView:
    shown = "" if count is None else f"{CAP}+" if count > CAP else str(count)
    here = key == filters.view and not filters.narrowed
    return SavedView(key, str(VIEWS[key]), count, Filters(key).address(), here, key in HOT, shown)


def own_views(member: Membership, filters: Filters) -> tuple[OwnView, ...]:
    """The views that the member keeps, in their order."""
    rows = QueueView.objects.filter(member=member).order_by("position", "pk")
    kept = [(row, Filters.read(row.asked)) for row in rows]
    return tuple(OwnView(row.pk, row.name, one.address(), one == filters.whole) for row, one in kept)


def panel(member: Membership, filters: Filters) -> FilterPanel:
    """The filter panel alone."""
    return _panel(member, Sight.of(member), filters, own_views(member, filters))


def _panel(member: Membership, sight: Sight, filters: Filters, own: Sequence[OwnView]) -> FilterPanel:
    return FilterPanel(
        filters.view,
        _choices(member, sight, filters),
        tuple(filters.asked.items()),
        Filters(filters.view).address() if filters.narrowed else "",
        any(view.current for view in own),
    )


def _set(filters: Filters, choices: Sequence[Choice]) -> tuple[FilterChip, ...]:
    """The filters that are set; where one is set that is not to be chosen (any more), a way to be rid of all as well."""
    asked = filters.whole.asked
    found = []
    for choice in choices:
        for option in choice.options:
            if option.selected:
                rest = Filters.read({key: value for key, value in asked.items() if key != choice.name})
                found.append(FilterChip(f"{choice.label}: {option.label}", rest.address()))
    if len(found) < len(asked.keys() - {"view"}):
        found.append(FilterChip(_("Clear the filters"), Filters(filters.view).address()))
    return tuple(found)


def _choices(member: Membership, sight: Sight, filters: Filters) -> tuple[Choice, ...]:
    """What the list can be narrowed by. A filter that has one choice alone is none."""
    organization = member.organization_id
    types = TicketType.objects.filter(organization=organization, published__isnull=False).order_by("name")
    teams = Team.objects.filter(organization=organization).filter(Q(archived_at=None) | Q(slug=filters.team))
    if sight.lanes is not None:
        teams = teams.filter(pk__in=sight.lanes)
    people = Membership.objects.filter(organization=organization, is_active=True)
    # One question for what three filters offer.
    named = (
        types.order_by()
        .values_list(Value("type"), "slug", "name")
        .union(
            teams.values_list(Value("team"), "slug", "name"),
            people.values_list(Value("person"), Cast("pk", CharField()), "name"),
            all=True,
        )
    )
    kinds: dict[str, list[tuple[str, str]]] = {"type": [], "team": [], "person": []}
    for kind, value, name in named.order_by("name", "slug"):
        kinds[kind].append((value, name))
    team_options = kinds["team"]
    channels = dict(values.CHANNELS) | ({filters.channel: filters.channel} if filters.channel not in values.CHANNELS else {})
    channels.pop("", None)
    waits = {"1h": _("over 1 hour"), "4h": _("over 4 hours"), "1d": _("over 1 day"), "3d": _("over 3 days")}
    offered = (
        ("type", _("Ticket type"), _("Every ticket type"), kinds["type"], 2),
        ("team", _("Team"), _("Every team"), [(NONE, _("Without team")), *team_options] if team_options else [], 1),
        (
            "assignee",
            _("Owner"),
            _("Every owner"),
            [("me", _("Me")), (NONE, _("Without owner")), *kinds["person"]],
            1,
        ),
        ("channel", _("Channel"), _("Every channel"), list(channels.items()), 1),
        ("waiting", _("Waiting for a reply"), _("However long"), [(key, waits[key]) for key in WAITING], 1),
    )
    asked = filters.asked
    return tuple(
        Choice(name, label, every, tuple(Option(value, word, value == asked.get(name, "")) for value, word in options))
        for name, label, every, options, least in offered
        if len(options) >= least
    )


def _row(ticket: Ticket, suffix: str, current: uuid.UUID | None) -> QueueRow:
    owner = ticket.assignee.name if ticket.assignee is not None else ""
    return QueueRow(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]) + suffix,
        title=ticket.subject,
        subtitle=f"{ticket.customer} · {ticket.ticket_type.name}",
        at=ticket.updated_at,
        chips=tuple(_chips(ticket)),
        current=ticket.pk == current,
        owner=owner,
        owner_initials=values.initials(owner) if owner else "",
        waiting_since=ticket.waiting_since if ticket.status in (TicketStatus.OPEN, TicketStatus.SNOOZED) else None,
    )


def _chips(ticket: Ticket) -> list[Chip]:
    chips = []
    if ticket.woken_at is not None and ticket.status == TicketStatus.OPEN:
        chips.append(Chip(_("back from snooze"), "confirm", "clock"))
    if ticket.escalated_to is not None:
        chips.append(Chip(_("escalated to %(name)s") % {"name": ticket.escalated_to.name}, "confirm", "flag"))
    if ticket.pending_count:
        label = ngettext("%(count)d proposal", "%(count)d proposals", ticket.pending_count) % {"count": ticket.pending_count}
        chips.append(Chip(label, "proposed", "sparkles"))
    if ticket.conflict_count:
        chips.append(Chip(_("divergence"), "conflict", "split"))
    if ticket.stale_count:
        label = ngettext("%(count)d to confirm", "%(count)d to confirm", ticket.stale_count) % {"count": ticket.stale_count}
        chips.append(Chip(label, "confirm", "circle-question-mark"))
    if ticket.next_due is not None and ticket.next_due < timezone.now():
        chips.append(Chip(_("commitment overdue"), "conflict", "calendar-clock"))
    if ticket.parked_count:
        chips.append(Chip(_("reading stopped"), "conflict", "triangle-alert"))
    if ticket.status != TicketStatus.OPEN:
        chips.append(Chip(status_words(ticket), "", "clock"))
    return chips


def status_words(ticket: Ticket) -> str:
    """The status in words; of a snoozed ticket with the time at which it comes back."""
    if ticket.status != TicketStatus.SNOOZED or ticket.snoozed_until is None:
        return str(STATUSES[ticket.status])
    local = timezone.localtime(ticket.snoozed_until)
    pattern = "H:i" if local.date() == timezone.localdate() else _("d/m H:i")
    return _("snoozed until %(time)s") % {"time": date_format(local, pattern)}


def next_to_decide(
    member: Membership, current: Ticket | None = None, filters: Filters | None = None, sight: Sight | None = None
) -> str:
    """The address of the ticket to decide that the list shows below this one; empty where there is no other.

    `filters` go with it: the next one is of the same list, as long as that holds any. `sight`: as in `queue`.
    """
    asked = filters or Filters()
    found = queue_rows.next_id(sight or Sight.of(member), asked, current)
    return reverse("web:ticket", args=[found]) + asked.suffix() if found is not None else ""


def known(reference: str) -> uuid.UUID | None:
    """The ticket's id that an address names, if it is one."""
    try:
        return uuid.UUID(reference)
    except ValueError:
        return None
