"""The pages on which a ticket is split, or merged into another one: what there is to choose, and what stays."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import Membership, Message, ProposedChange, Ticket, TicketStatus, TicketType
from atendimento.selectors import quotes, reading, values
from atendimento.selectors.parts import Option, Problem
from memoria.carrying import Offer, Why, offers
from memoria.errors import Code, Reason
from memoria.fields import TicketType as Definition
from memoria.members import FINISHED, SHAPES
from memoria.patch import MISSING
from memoria.proposals import Status
from memoria.state import State

WINDOW: Final = 100
CANDIDATES: Final = 30
EXCERPT: Final = 280  # characters of a message in a list

WHYS: Final[dict[Why, Promise]] = {
    Why.CONFLICT: _("in dispute: settle it first"),
    Why.UNKNOWN: _("that ticket type has no place for it"),
    Why.VALUE: _("that ticket type does not take this value"),
    Why.SOURCE: _("that ticket type does not take it from this source"),
    Why.HELD: _("the other ticket holds a value here already"),
    Why.OLDER: _("taken back there by newer words"),
}


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A present value that can be carried, or why it cannot."""

    pointer: str
    label: str
    value: str
    source: str
    why: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class MessageRow:
    ref: str
    author: str
    at: datetime
    text: str
    internal: bool
    files: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class SplitChoice:
    """What a split form holds. Values and messages by their pointers and ids."""

    subject: str | None = None
    ticket_type: str = ""
    messages: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    before: int | None = None  # the window: messages older than this one
    key: str = ""


@dataclass(frozen=True, slots=True)
class SplitPage:
    id: str
    url: str
    title: str
    protocol: str
    key: str
    version: int
    subject: str
    ticket_types: tuple[Option, ...]
    messages: tuple[MessageRow, ...]
    elsewhere: tuple[str, ...]  # chosen messages outside of this window
    elsewhere_words: str
    values: tuple[ValueRow, ...]
    first: str
    last: str
    older: int | None
    newer: int | None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    protocol: str
    subject: str
    ticket_type: str
    at: datetime
    url: str  # to choose it


@dataclass(frozen=True, slots=True)
class OpenItem:
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What the person sees before merging, of this ticket and of the one that takes it in."""

    protocol: str
    subject: str
    url: str
    version: int
    into_version: int
    undecided: tuple[OpenItem, ...]
    seen: tuple[str, ...]
    open_items: tuple[OpenItem, ...]
    unread: str
    carried: tuple[ValueRow, ...]
    left: tuple[ValueRow, ...]


@dataclass(frozen=True, slots=True)
class MergePage:
    id: str
    url: str
    title: str
    protocol: str
    query: str
    candidates: tuple[Candidate, ...]
    more: bool
    preview: MergePreview | None = None
    problem: Problem | None = None


# --- what both show -----------------------------------------------------------------------------------------------


def _rows(found: Iterable[Offer], definition: Definition, state: State, chosen: Collection[str] | None) -> list[ValueRow]:
    """The offers as rows; `chosen` None: all that can be carried."""
    rows = []
    for offer in found:
        is_field = offer.pointer in definition.fields
        is_member = offer.pointer.split("/")[1] in SHAPES
        label = values.label(definition, offer.pointer, state) if is_field or not is_member else ""
        said = values.show_at(definition, offer.pointer, offer.value, state)
        first = offer.slot.evidence[0].message if offer.slot.evidence else offer.slot.author.name
        why = str(WHYS[offer.why]) if offer.why is not None else ""
        rows.append(
            ValueRow(
                offer.pointer,
                label or values.kind_and_id(offer.pointer),
                said,
                " · ".join(filter(None, [values.source(offer.slot.source), first])),
                why,
                not why and (chosen is None or offer.pointer in chosen),
            )
        )
    return rows


def _may(member: Membership) -> None:
    access.require(member, Permission.CHANGE_TICKETS)
    access.require(member, Permission.DECIDE)


# --- splitting ----------------------------------------------------------------------------------------------------


def split_page(
    member: Membership, ticket_id: str | uuid.UUID, choice: SplitChoice, problem: Problem | None = None
) -> SplitPage:
    """The form for splitting a ticket, with what was chosen in it so far. Five queries, however long the ticket is."""
    _may(member)
    ticket = access.ticket(member, ticket_id)
    definition, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    last = ticket.last_message_number if choice.before is None else min(choice.before - 1, ticket.last_message_number)
    first = max(1, last - WINDOW + 1)
    shown = list(Message.objects.filter(ticket=ticket, number__gte=first, number__lte=last, deleted_at=None).order_by("number"))
    chosen = set(choice.messages)
    elsewhere = tuple(sorted(chosen - {row.ref for row in shown}))
    words = ngettext(
        "%(count)d message chosen outside of this list", "%(count)d messages chosen outside of this list", len(elsewhere)
    )
    types = TicketType.objects.filter(organization=member.organization, published__isnull=False).order_by("name")
    named = choice.ticket_type or ticket.ticket_type.slug
    return SplitPage(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]),
        title=ticket.subject,
        protocol=ticket.protocol,
        key=choice.key or str(uuid.uuid4()),
        version=state.version,
        subject=ticket.subject if choice.subject is None else choice.subject,
        ticket_types=tuple(Option(slug, name, slug == named) for slug, name in types.values_list("slug", "name")),
        messages=tuple(_message(row, row.ref in chosen) for row in shown),
        elsewhere=elsewhere,
        elsewhere_words=words % {"count": len(elsewhere)} if elsewhere else "",
        values=tuple(_rows(offers(state, State(), definition), definition, state, choice.values)),
        first=choice.first,
        last=choice.last,
        older=first if first > 1 else None,
        newer=min(last + WINDOW, ticket.last_message_number) + 1 if last < ticket.last_message_number else None,
        problem=problem,
    )


def _message(row: Message, chosen: bool) -> MessageRow:
    text = row.text if len(row.text) <= EXCERPT else row.text[:EXCERPT].rstrip() + "…"
    return MessageRow(row.ref, quotes.author_name(row), row.said_at, text, row.internal, len(row.attachments), chosen)


def not_taken(member: Membership, ticket_id: str | uuid.UUID, slug: str, pointers: Sequence[str]) -> tuple[str, ...]:
    """Which of the chosen values a ticket of this type does not take, each with the reason, as items of a problem."""
    ticket = access.ticket(member, ticket_id)
    kind = TicketType.objects.filter(organization=member.organization, slug=slug, published__isnull=False).first()
    if kind is None:
        return ()
    definition, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    found = [offer for offer in offers(state, State(), reading.definition(kind.pk)) if offer.pointer in pointers]
    return tuple(f"{row.label}: {row.why}" for row in _rows(found, definition, state, ()) if row.why)


# --- merging ------------------------------------------------------------------------------------------------------


def merge_page(
    member: Membership,
    ticket_id: str | uuid.UUID,
    *,
    query: str = "",
    into: str = "",
    chosen: Collection[str] | None = None,
    problem: Problem | None = None,
) -> MergePage:
    """The tickets that can take this one in; with `into` (a protocol), what merging would do."""
    _may(member)
    ticket = access.ticket(member, ticket_id)
    address = reverse("web:merge", args=[ticket.pk])
    target = _open_ones(member, ticket).filter(protocol=into).first() if into else None
    if into and target is None and problem is None:
        problem = Problem(wording.sentence(Reason(Code.MERGE_REFUSED, "S2", {"protocol": into})))
    found: list[Ticket] = []
    if target is None:
        rows = _open_ones(member, ticket)
        if query:
            rows = rows.filter(Q(protocol__startswith=query) | Q(subject__icontains=query))
        found = list(rows.order_by("-updated_at", "-id")[: CANDIDATES + 1])
    return MergePage(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]),
        title=ticket.subject,
        protocol=ticket.protocol,
        query=query,
        candidates=tuple(
            Candidate(row.protocol, row.subject, row.ticket_type.name, row.updated_at, f"{address}?into={row.protocol}")
            for row in found[:CANDIDATES]
        ),
        more=len(found) > CANDIDATES,
        preview=_preview(ticket, target, chosen) if target is not None else None,
        problem=problem,
    )


def _open_ones(member: Membership, ticket: Ticket) -> QuerySet[Ticket]:
    """The other open tickets of the same customer."""
    rows = access.visible_tickets(member).filter(customer=ticket.customer, status=TicketStatus.OPEN)
    return rows.exclude(pk=ticket.pk).select_related("ticket_type")


def _preview(ticket: Ticket, target: Ticket, chosen: Collection[str] | None) -> MergePreview:
    definition, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    there, taking = reading.current_state(target.pk), reading.definition(target.ticket_type_id)
    pending = list(ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING).order_by("id"))
    rows = _rows(offers(state, there, taking), definition, state, chosen)
    unread = Message.objects.filter(ticket=ticket, awaits_reading=True).count()
    words = ngettext("%(count)d message not yet read by the model", "%(count)d messages not yet read by the model", unread)
    return MergePreview(
        protocol=target.protocol,
        subject=target.subject,
        url=reverse("web:ticket", args=[target.pk]),
        version=state.version,
        into_version=there.version,
        undecided=tuple(_undecided(row, reading.with_groups(definition, state, pending), state) for row in pending),
        seen=tuple(str(row.pk) for row in pending),
        open_items=tuple(_open_items(state)),
        unread=words % {"count": unread} if unread else "",
        carried=tuple(row for row in rows if not row.why),
        left=tuple(row for row in rows if row.why),
    )


def _undecided(row: ProposedChange, definition: Definition, state: State) -> OpenItem:
    said = values.show_at(definition, row.path, row.value, state) if row.value is not MISSING else ""
    return OpenItem(values.label(definition, row.path, state), said or str(_("withdrawn")))


def _open_items(state: State) -> Iterable[OpenItem]:
    """Commitments that are not finished, what waits for an answer, and what is in dispute or in doubt."""
    for key, member in state.values["commitments"].items():
        if member.get("status") not in FINISHED:
            due, _late = values.due_words(member.get("due"), timezone.localdate())
            yield OpenItem(values.kind_and_id(f"/commitments/{key}"), ", ".join(filter(None, [member["task"], due])))
    for key, member in state.values["pending"].items():
        if member.get("status") == "open":
            yield OpenItem(values.kind_and_id(f"/pending/{key}"), member["question"])
