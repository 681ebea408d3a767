"""Legal holds: what is kept whatever the periods say, and whoever asks for erasure (L4)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Customer, LegalHold, Membership, Organization, Ticket
from memoria.retention import Hold

MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Held:
    """What stands under a hold today."""

    tickets: frozenset[uuid.UUID]
    customers: frozenset[uuid.UUID]

    @property
    def covers(self) -> Q:
        """That a ticket is under a hold: its own, its customer's, or that of the ticket which it was merged into."""
        return Q(pk__in=self.tickets) | Q(customer__in=self.customers) | Q(merged_into__in=self.tickets)


def today(organization: Organization) -> date:
    """The day, where the organisation is."""
    return ledger.now().astimezone(ZoneInfo(organization.timezone)).date()


def standing(rows: Iterable[LegalHold], day: date) -> list[LegalHold]:
    """Those of these holds that stand on a day."""
    return [row for row in rows if Hold(row.until, row.lifted_at is not None).stands(day)]


def held(organization: Organization) -> Held:
    """What stands under a hold now."""
    rows = standing(LegalHold.objects.filter(organization=organization, lifted_at=None), today(organization))
    return Held(
        frozenset(row.ticket_id for row in rows if row.ticket_id is not None),
        frozenset(row.customer_id for row in rows if row.customer_id is not None),
    )


def lock_customer(organization: Organization, customer_id: uuid.UUID) -> Customer:
    """The customer, locked until the transaction ends: no hold on them or on a ticket of theirs is placed meanwhile.

    Taken before a ticket's lock, and what holds there are is read after it. Raises NotFound.
    """
    found = Customer.objects.select_for_update(no_key=True).filter(organization=organization, pk=customer_id).first()
    if found is None:
        raise NotFound("customer")
    return found


def held_tickets(organization: Organization) -> QuerySet[Ticket]:
    """The tickets that are under a hold now."""
    return Ticket.objects.filter(held(organization).covers, organization=organization)


def holds_against(organization: Organization, customer_id: uuid.UUID) -> bool:
    """Whether the customer, or any of the customer's tickets, is under a hold now."""
    found = held(organization)
    if customer_id in found.customers:
        return True
    return Ticket.objects.filter(found.covers, organization=organization, customer_id=customer_id).exists()


@transaction.atomic
def place_hold(
    *,
    member: Membership,
    reason: str,
    ticket_id: str | uuid.UUID | None = None,
    customer_id: str | uuid.UUID | None = None,
    until: str = "",
) -> LegalHold:
    """Hold one ticket, or all of a customer's, until the end of a day (ISO 8601) or until it is lifted.

    Raises NotFound, InvalidInput: no reason, no day or one that is past, what is erased already.
    """
    access.require(member, Permission.MANAGE)
    given = reason.strip()
    if not given or len(given) > MAX_REASON:
        raise invalid("/why", "hold.no_reason", "must be a text")
    day = _day(until, today(member.organization))
    ticket = access.ticket(member.organization, ticket_id) if ticket_id is not None else None
    customer = access.customer(member.organization, customer_id) if ticket is None and customer_id is not None else None
    # What erases takes the same locks: it is over, and seen here, or finds the hold.
    if ticket is not None:
        lock_customer(member.organization, ticket.customer_id)
        ticket = Ticket.objects.select_for_update(no_key=True).get(pk=ticket.pk)
    elif customer is not None:
        customer = lock_customer(member.organization, customer.pk)
    else:
        raise NotFound("ticket")
    if (ticket is not None and ticket.erased_at) or (customer is not None and customer.erased_at):
        raise invalid("", "hold.erased_already", "is erased already")
    row = LegalHold.objects.create(
        organization=member.organization,
        ticket=ticket,
        customer=customer,
        reason=given,
        until=day,
        placed_by=member,
        placed_at=ledger.now(),
    )
    log_act(member=member, kind=Act.HOLD_PLACED, subject=_subject(row), details={"until": day.isoformat() if day else None})
    return row


@transaction.atomic
def lift_hold(*, member: Membership, hold_id: int) -> None:
    """Raises NotFound. One that is lifted stays so."""
    access.require(member, Permission.MANAGE)
    row = LegalHold.objects.select_for_update().filter(organization=member.organization, pk=hold_id).first()
    if row is None:
        raise NotFound("hold")
    if row.lifted_at is not None:
        return
    row.lifted_at, row.lifted_by = ledger.now(), member
    row.save(update_fields=["lifted_at", "lifted_by"])
    log_act(member=member, kind=Act.HOLD_LIFTED, subject=_subject(row))


def _subject(row: LegalHold) -> str:
    """What is held, without a name: a protocol, or the customer's id."""
    return row.ticket.protocol if row.ticket is not None else str(row.customer_id)


def _day(until: str, first: date) -> date | None:
    if not until.strip():
        return None
    try:
        day = date.fromisoformat(until.strip())
    except ValueError:
        day = None
    if day is None or day < first:
        raise invalid("/until", "hold.bad_day", "must be a day from today on")
    return day
