"""The customer beside the conversation: how to reach them, what a record says of them, and their other tickets.

A constant number of queries, however many tickets they have.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access
from atendimento.models import LedgerEvent, LegalHold, Membership, Ticket, TicketState, TicketType
from atendimento.selectors import notation, queue, reading, search_filters, values
from atendimento.selectors.parts import Chip
from memoria.fields import TicketType as Definition
from memoria.groups import unfolded
from memoria.patch import Missing
from memoria.proposals import Evidence
from memoria.retention import Hold, held
from memoria.sources import Kind
from memoria.state import State

PAGE: Final = 8
RECORDS: Final = (Kind.REGISTRY.value, f"{Kind.REGISTRY.value}_reported")
"""Sources that count as a record: the registry's own word, and what staff read there."""

FAULTS: Final[Mapping[str, Promise]] = {
    "customer.too_long": gettext_lazy("This is too long."),
    "customer.bad_email": gettext_lazy("This is no e-mail address."),
    "customer.overtaken": gettext_lazy("Somebody has changed this meanwhile: look at it again."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is known, and where from."""

    label: str
    value: str
    source: str = ""
    message: str = ""  # "m-3": whose words it rests on
    chip: Chip | None = None


@dataclass(frozen=True, slots=True)
class OtherTicket:
    url: str
    title: str
    subtitle: str
    at: datetime
    goal: str
    decided: str  # the last decision of a person, in a line
    decided_at: datetime | None
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """A form that was not taken: what was typed, and what is wrong with each control."""

    name: str
    phone: str
    email: str
    faults: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Panel:
    ticket_id: str
    ticket_url: str
    ticket_title: str
    customer_id: str
    name: str
    initials: str
    subtitle: str  # of the ticket's head, which names the customer too
    contact: tuple[Line, ...]
    record: tuple[Line, ...]
    tickets: tuple[OtherTicket, ...]
    form: Typed  # what the form holds
    seen: str  # the contact as the form shows it, so that nobody's change is overwritten unseen
    editing: bool = False
    erased: bool = False  # nothing is written about the customer any more
    held: bool = False  # a legal hold stands on the ticket, or on the customer
    next_url: str = ""
    more: bool = False  # these are further tickets, without what stands above them


def panel(member: Membership, ticket_id: str | uuid.UUID, after: str = "", typed: Typed | None = None) -> Panel:
    """The panel of a ticket's customer, or the next of their other tickets. Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    customer = ticket.customer
    others, next_url = _others(member, ticket, after)
    state = reading.current_state(ticket.pk)
    definition = unfolded(reading.definition(ticket.ticket_type_id), state)
    channel = values.CHANNELS.get(ticket.channel, ticket.channel)
    held = Typed(customer.name, customer.phone, customer.email, {})
    return Panel(
        ticket_id=str(ticket.pk),
        ticket_url=reverse("web:ticket", args=[ticket.pk]),
        ticket_title=ticket.subject,
        customer_id=str(customer.pk),
        name=str(customer),
        initials=values.initials(customer.name),
        subtitle=" · ".join(filter(None, (str(customer), channel))),
        contact=tuple(_contact(ticket, channel)),
        record=tuple(_record(definition, state)),
        tickets=others,
        form=typed or held,
        seen=fingerprint(customer.name, customer.phone, customer.email),
        editing=typed is not None,
        erased=customer.erased_at is not None,
        held=_is_held(ticket),
        next_url=next_url,
        more=bool(after),
    )


def _is_held(ticket: Ticket) -> bool:
    today = timezone.localdate(timezone=ZoneInfo(ticket.organization.timezone))
    rows = LegalHold.objects.filter(Q(ticket=ticket) | Q(customer=ticket.customer_id), lifted_at=None)
    return held(map(Hold, rows.values_list("until", flat=True)), today)


def fingerprint(name: str, phone: str, email: str) -> str:
    """A contact as one value: two are alike where all three are."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{name}\0{phone}\0{email}").hex


def _contact(ticket: Ticket, channel: str) -> Iterator[Line]:
    customer = ticket.customer
    given = (
        Line(_("Telephone"), notation.phone(customer.phone)),
        Line(_("E-mail"), customer.email),
        Line(_("Channel"), channel),
        Line(_("Id at the channel"), customer.external_id),
        Line(_("The ticket's id there"), ticket.external_id or ""),
    )
    return (line for line in given if line.value)


def _record(definition: Definition, state: State) -> Iterator[Line]:
    """What a registry says: the values that rest on its word, and those that are at odds with what holds."""
    for pointer, field in definition.fields.items():
        slot = state.slots.get(pointer)
        if slot is None:
            continue
        if slot.source in RECORDS and slot.holds:
            held = values.show_at(definition, pointer, values.held(state, pointer), state)
            yield _said(field.label, held, slot.source, slot.evidence)
        for challenger in slot.challengers:
            if challenger.source in RECORDS and not isinstance(challenger.value, Missing):
                value = values.show_at(definition, pointer, challenger.value, state)
                chip = Chip(_("divergence"), "conflict", "split")
                yield _said(field.label, value, challenger.source, challenger.evidence, chip)


def _said(label: str, value: str, source: str, evidence: Sequence[Evidence], chip: Chip | None = None) -> Line:
    return Line(label, value, values.source(source), evidence[0].message if evidence else "", chip)


# --- the other tickets --------------------------------------------------------------------------------------------


def _others(member: Membership, ticket: Ticket, after: str) -> tuple[tuple[OtherTicket, ...], str]:
    """The customer's other tickets that the member sees, newest first, and the address of the next ones."""
    decided = LedgerEvent.objects.filter(ticket=OuterRef("pk"), member__isnull=False).order_by("-version")
    rows = (
        access.visible_tickets(member)
        .filter(customer=ticket.customer_id)
        .exclude(pk=ticket.pk)
        .select_related("ticket_type")
        .annotate(decided_at=Subquery(decided.values("at")[:1]), decided_by=Subquery(decided.values("member__name")[:1]))
    )
    key = search_filters.key_of(after) if after else None
    if key is not None:
        rows = rows.filter(Q(updated_at__lt=key[0]) | Q(updated_at=key[0], pk__lt=search_filters.as_uuid(key[1])))
    found = list(rows.order_by("-updated_at", "-pk")[: PAGE + 1])
    goals = _goals(found[:PAGE])
    shown = tuple(_other(row, goals[row.pk]) for row in found[:PAGE])
    if len(found) <= PAGE:
        return shown, ""
    last = found[PAGE - 1]
    asks = {"after": f"{last.updated_at.isoformat()}_{last.pk}"}
    return shown, reverse("web:ticket-customer", args=[ticket.pk], query=asks)


def _goals(rows: Sequence[Ticket]) -> Mapping[uuid.UUID, str]:
    """What each ticket is about, in words; of a type that marks the goal as sensitive, that there is one."""
    states = dict(TicketState.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", "values"))
    types = TicketType.objects.filter(pk__in={row.ticket_type_id for row in rows})
    documents = dict(types.values_list("pk", "published__document"))
    found = {}
    for row in rows:
        goal = states[row.pk].get("goal")
        field = documents[row.ticket_type_id]["fields"].get("/goal", {})
        found[row.pk] = values.HIDDEN if goal is not None and field.get("sensitive", False) is True else values.show(goal)
    return found


def _other(row: Ticket, goal: str) -> OtherTicket:
    by, at = getattr(row, "decided_by", None), getattr(row, "decided_at", None)
    return OtherTicket(
        url=reverse("web:ticket", args=[row.pk]),
        title=row.subject,
        subtitle=f"{row.protocol} · {row.ticket_type.name}",
        at=row.updated_at,
        goal=goal,
        decided=_("last decision by %(name)s") % {"name": by} if by else "",
        decided_at=at,
        chips=tuple(_chips(row)),
    )


def _chips(row: Ticket) -> Iterator[Chip]:
    """The ticket's standing: whether it is open, what waits for a decision, and what is due next."""
    yield Chip(str(queue.STATUSES[row.status]))
    waiting = row.pending_count + row.conflict_count + row.stale_count
    if waiting:
        yield Chip(ngettext("%(count)d to decide", "%(count)d to decide", waiting) % {"count": waiting}, "proposed", "sparkles")
    if row.next_due is not None:
        due, late = values.due_words(row.next_due.isoformat(), timezone.localdate())
        yield Chip(due, "conflict" if late else "", "calendar-clock")
