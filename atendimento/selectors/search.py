"""The search: tickets, customers, identifiers and messages that a member may see, in groups, each in pages by key.

Words are found as they are written, whatever their endings and accents; nothing is found by meaning. Each group takes a
constant number of queries, however much there is.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import access
from atendimento.access import Permission
from atendimento.models import (
    Customer,
    CustomerWords,
    Membership,
    MessageWords,
    Ticket,
    TicketIdentifiers,
    TicketState,
    TicketType,
    TicketWords,
)
from atendimento.selectors import notation, queue, search_marks, search_terms, values
from atendimento.selectors.parts import Chip, Option, Segment
from atendimento.selectors.search_filters import GROUPS, Filters, as_number, as_uuid, day_of, key_of
from atendimento.selectors.search_terms import Sought
from memoria.patch import Json, make_pointer
from memoria.sources import Kind

PAGE: Final = 20
UNGUESSED: Final = 8  # letters and digits that nobody types by trial
FEW_ENOUGH: Final = 400  # hits that are put in order by themselves
FEW: Final[Mapping[str, int]] = {"tickets": 5, "customers": 5, "identifiers": 5, "messages": 10}
FEWER: Final[Mapping[str, int]] = {"tickets": 4, "customers": 3, "identifiers": 3, "messages": 5}
"""Rows of each group on the page of all groups, and in the panel below the field."""

ICONS: Final = {"tickets": "inbox", "customers": "user", "identifiers": "flag", "messages": "quote"}


# --- what is shown ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    url: str
    title: tuple[Segment, ...]
    subtitle: str
    at: datetime | None = None
    words: tuple[Segment, ...] = ()
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    label: str
    icon: str
    hits: tuple[Hit, ...]
    more_url: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    name: str
    label: str
    any: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Page:
    filters: Filters
    groups: tuple[Group, ...]
    tabs: tuple[Option, ...]  # `value` is an address
    choices: tuple[Choice, ...]
    asked: bool  # whether the query names something to look for
    address: str  # the whole page, for the panel's last line
    clear_url: str = ""  # the same words without filters
    first_url: str = ""  # from a later page, back to the newest

    @property
    def found(self) -> bool:
        return any(group.hits for group in self.groups)


@dataclass(frozen=True, slots=True)
class _Search:
    """One request's search, read by each group in turn. `kind`: the id of the ticket type that is asked for."""

    member: Membership
    filters: Filters
    sought: Sought
    count: Mapping[str, int]
    kind: int | None

    def tickets(self) -> Q:
        """The condition on the tickets that count: those that the member sees and the filters name.

        It names columns of the views alone: see `atendimento.models.search`.
        """
        wanted = access.visible(self.member, "ticket_")
        if self.filters.ticket_type:
            wanted &= Q(ticket_kind=self.kind)
        if self.filters.status:
            wanted &= Q(ticket_status=self.filters.status)
        return wanted

    def period(self, column: str) -> Q:
        zone = ZoneInfo(self.member.organization.timezone)
        wanted = Q()
        first, last = day_of(self.filters.start), day_of(self.filters.end)
        if first is not None:
            wanted &= Q(**{f"{column}__gte": datetime.combine(first, time.min, zone)})
        if last is not None:
            wanted &= Q(**{f"{column}__lt": datetime.combine(last + timedelta(days=1), time.min, zone)})
        return wanted

    def page(self, rows: QuerySet[Any], group: str, moment: str, read: Callable[[str], object]) -> tuple[list[Any], str]:
        """A page of rows, newest first, and the address of the next one; empty where there is none. Two queries.

        The first asks for a few hundred in no order, which the index of words answers whatever else the planner believes:
        where that is all, they are put in order. Words that stand in more are soon found along the newest.
        """
        some = list(rows.order_by().values_list("pk", flat=True)[: FEW_ENOUGH + 1])
        if len(some) <= FEW_ENOUGH:
            rows = rows.model.objects.filter(pk__in=some, organization=self.member.organization)
        key = key_of(self.filters.after) if self.filters.group == group else None
        if key is not None:
            at, last = key[0], read(key[1])
            rows = rows.filter(Q(**{f"{moment}__lt": at}) | Q(**{moment: at, "pk__lt": last}))
        count = self.count[group]
        found = list(rows.order_by(f"-{moment}", "-pk")[: count + 1])
        if len(found) <= count:
            return found, ""
        if not self.filters.group:
            return found[:count], self.filters.address(**{"in": group})
        edge = found[count - 1]
        after = f"{getattr(edge, moment).astimezone(UTC).isoformat()}_{edge.pk}"
        return found[:count], self.filters.address(after=after)


def page(member: Membership, filters: Filters, *, panel: bool = False) -> Page:
    """Everything found, or one group of it. Raises DomainError for who may not read messages."""
    access.require(member, Permission.READ_MESSAGES)
    sought = search_terms.sought(member, filters.query)
    count = dict.fromkeys(GROUPS, PAGE) if filters.group else FEWER if panel else FEW
    groups: tuple[Group, ...] = ()
    if sought is not None:
        search = _Search(member, filters, sought, count, _kind(member, filters))
        wanted = (filters.group,) if filters.group else GROUPS
        # Who has said it is a question about messages alone.
        groups = tuple(READERS[key](search) for key in wanted if key == "messages" or not filters.author)
    return Page(
        filters=filters,
        groups=groups,
        tabs=_tabs(filters),
        choices=() if panel else _choices(member, filters),
        asked=sought is not None,
        address=filters.address(**{"in": ""}),
        clear_url=Filters(filters.query, filters.group).address() if filters.narrowed else "",
        first_url=filters.address() if filters.after else "",
    )


def _kind(member: Membership, filters: Filters) -> int | None:
    if not filters.ticket_type:
        return None
    found = TicketType.objects.filter(organization=member.organization, slug=filters.ticket_type)
    return found.values_list("pk", flat=True).first()


def _tabs(filters: Filters) -> tuple[Option, ...]:
    named = (("", _("Everything")), *((key, str(label)) for key, label in GROUPS.items()))
    return tuple(Option(filters.address(**{"in": key}), label, key == filters.group) for key, label in named)


def _choices(member: Membership, filters: Filters) -> tuple[Choice, ...]:
    types = TicketType.objects.filter(organization=member.organization, published__isnull=False).order_by("name", "pk")
    kinds = tuple(Option(slug, name, slug == filters.ticket_type) for slug, name in types.values_list("slug", "name"))
    statuses = tuple(Option(key, str(word), key == filters.status) for key, word in queue.STATUSES.items())
    authors = tuple(Option(kind.value, values.source(kind.value), kind.value == filters.author) for kind in Kind)
    return (
        Choice("type", _("Ticket type"), _("any"), kinds),
        Choice("status", _("Status"), _("any, closed ones too"), statuses),
        Choice("author", _("Who wrote"), _("anybody"), authors),
    )


# --- the groups ---------------------------------------------------------------------------------------------------


def _line(ticket: Ticket) -> str:
    return f"{ticket.protocol} · {ticket.customer} · {ticket.ticket_type.name}"


def _standing(ticket: Ticket) -> tuple[Chip, ...]:
    return (Chip(str(queue.STATUSES[ticket.status])),) if ticket.status != "open" else ()


def _marked(texts: Sequence[str], sought: Sought) -> list[tuple[Segment, ...]]:
    found = search_marks.spans(texts, sought)
    return [search_marks.segments(text, spans) for text, spans in zip(texts, found, strict=True)]


def _named(member: Membership, ids: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, Ticket]:
    """The tickets with what a line says of them. They were found as ones that the member sees."""
    rows = access.visible_tickets(member).filter(pk__in=set(ids)).select_related("customer", "ticket_type")
    return {row.pk: row for row in rows}


def _tickets(search: _Search) -> Group:
    """By protocol (whole, its digits, or its beginning), subject, and the id that its source gave it."""
    rows = TicketWords.objects.filter(
        search.tickets(),
        search.period("ticket_updated_at"),
        organization=search.member.organization,
        words=search.sought.of_ticket(),
    ).defer("words")
    found, more = search.page(rows, "tickets", "ticket_updated_at", as_uuid)
    named = _named(search.member, (row.pk for row in found))
    tickets = [named[row.pk] for row in found if row.pk in named]
    titles = _marked([ticket.subject for ticket in tickets], search.sought)
    hits = (
        Hit(_address(ticket.pk), title, _line(ticket), ticket.updated_at, chips=_standing(ticket))
        for ticket, title in zip(tickets, titles, strict=True)
    )
    return _group("tickets", hits, more)


def _customers(search: _Search) -> Group:
    """By name, telephone, e-mail and the id that their source gave them: who has a ticket that counts, newest first.

    Each leads to the newest of those tickets, where the panel beside the conversation names the others.
    """
    theirs = TicketWords.objects.filter(
        search.tickets(), search.period("ticket_updated_at"), organization=search.member.organization, customer=OuterRef("pk")
    )
    rows = CustomerWords.objects.filter(
        Exists(theirs), organization=search.member.organization, words=search.sought.lexemes()
    ).defer("words")
    found, more = search.page(rows, "customers", "created_at", as_uuid)
    count = theirs.order_by().values("customer").annotate(count=Count("pk")).values("count")
    newest = theirs.order_by("-ticket_updated_at", "-pk").values("pk")[:1]
    shown = Customer.objects.filter(organization=search.member.organization, pk__in=[row.pk for row in found])
    shown = shown.annotate(newest=Subquery(newest), tickets_count=Coalesce(Subquery(count), 0)).order_by("-created_at", "-pk")
    customers = [row for row in shown if row.newest is not None]
    names = _marked([str(row) for row in customers], search.sought)
    hits = (
        Hit(
            f"{_address(row.newest)}?customer=open&show=customer",
            name,
            " · ".join(filter(None, (notation.phone(row.phone), row.email, row.external_id if row.name else ""))),
            chips=(Chip(_tickets_of(row.tickets_count)),),
        )
        for row, name in zip(customers, names, strict=True)
    )
    return _group("customers", hits, more)


def _tickets_of(count: int) -> str:
    return ngettext("%(count)d ticket", "%(count)d tickets", count) % {"count": count}


def _messages(search: _Search) -> Group:
    """By what was said, as the latest revision has it; what the channel deleted was not said."""
    rows = MessageWords.objects.filter(
        search.tickets(),
        search.period("said_at"),
        organization=search.member.organization,
        words=search.sought.lexemes(),
    ).defer("words")
    if search.filters.author:
        rows = rows.filter(author_kind=search.filters.author)
    found, more = search.page(rows, "messages", "said_at", as_number)
    named = _named(search.member, (row.ticket_id for row in found))
    found = [row for row in found if row.ticket_id in named]
    excerpts = _marked([row.text for row in found], search.sought)
    hits = (
        Hit(
            _address(row.ticket_id, row.number, search.filters.query),
            (Segment(_author(row)),),
            f"{named[row.ticket_id].subject} · {_line(named[row.ticket_id])}",
            row.said_at,
            excerpt,
            (
                *((Chip(_("internal note"), "confirm", "sticky-note"),) if row.internal else ()),
                *_standing(named[row.ticket_id]),
            ),
        )
        for row, excerpt in zip(found, excerpts, strict=True)
    )
    return _group("messages", hits, more)


def _author(row: MessageWords) -> str:
    kind = values.source(row.author_kind)
    return f"{row.author_name} · {kind}" if row.author_name else kind.capitalize()


def _identifiers(search: _Search) -> Group:
    """By what the state holds as an identifier: the whole of it, however it is punctuated, and no part."""
    if not search.sought.identifiers:
        return _group("identifiers", (), "")
    rows = TicketIdentifiers.objects.filter(
        search.tickets(),
        search.period("ticket_updated_at"),
        organization=search.member.organization,
        identifiers=search.sought.as_identifier(),
    ).defer("identifiers")
    found, more = search.page(rows, "identifiers", "ticket_updated_at", as_uuid)
    named = _named(search.member, (row.pk for row in found))
    states = dict(TicketState.objects.filter(pk__in=list(named)).values_list("pk", "values"))
    types = TicketType.objects.filter(pk__in={ticket.ticket_type_id for ticket in named.values()})
    documents = dict(types.values_list("pk", "published__document"))
    tickets = [named[row.pk] for row in found if row.pk in named]
    hits = tuple(
        hit
        for ticket in tickets
        for hit in _held(ticket, states[ticket.pk], documents[ticket.ticket_type_id], search.sought.identifiers)
    )
    return _group("identifiers", hits, more if hits else "")


def _held(ticket: Ticket, state: Json, definition: Json, asked: Sequence[str]) -> Sequence[Hit]:
    """The identifiers of a ticket that are what was asked for. A sensitive one is opened in the state, and not here.

    To be found is to be told: a sensitive one that could be guessed, being short, is not.
    """
    held = []
    for name, value in state.get("identifiers", {}).items():
        plain = search_terms.identifier(value)
        if plain not in asked:
            continue
        field = definition["fields"].get(make_pointer("identifiers", name), {})
        sensitive = field.get("sensitive", False) is True
        if sensitive and len(plain) < UNGUESSED:
            continue
        shown = values.show(value)
        held.append(
            Hit(
                f"{_address(ticket.pk)}?pane=state&show=memory",
                (Segment(field.get("label", name)),),
                f"{ticket.subject} · {_line(ticket)}",
                ticket.updated_at,
                (Segment(values.HIDDEN if sensitive else shown, search_marks.FOUND),),
                ((Chip(_("sensitive"), "confirm"),) if sensitive else ()) + _standing(ticket),
            )
        )
    return held


READERS: Final[Mapping[str, Callable[[_Search], Group]]] = {
    "tickets": _tickets,
    "customers": _customers,
    "identifiers": _identifiers,
    "messages": _messages,
}


def _group(key: str, hits: Any, more: str) -> Group:
    return Group(key, str(GROUPS[key]), ICONS[key], tuple(hits), more)


def _address(ticket_id: uuid.UUID, number: int | None = None, find: str = "") -> str:
    address = reverse("web:ticket", args=[ticket_id])
    if number is None:
        return address
    return f"{address}?{urlencode({'m': number, 'show': 'talk', 'find': find})}#m-{number}"
