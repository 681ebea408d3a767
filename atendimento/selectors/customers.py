"""A customer's page for supervisors: what is held, what was asked for, and what stands against it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone

from atendimento import access
from atendimento.access import Permission
from atendimento.models import CustomerExport, ErasureRequest, LegalHold, Membership, Ticket
from atendimento.selectors import keeping
from atendimento.selectors.keeping import ErasureRow, HoldRow
from atendimento.selectors.parts import Chip, Problem
from atendimento.selectors.queue import STATUSES

SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class TicketRow:
    id: str
    protocol: str
    subject: str
    url: str
    chip: Chip
    opened: datetime
    closed: datetime | None
    messages: int
    erased: bool
    held: bool


@dataclass(frozen=True, slots=True)
class ExportRow:
    id: str
    by: str
    at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CustomerPage:
    id: str
    name: str
    external_id: str
    phone: str
    email: str
    since: datetime
    erased_at: datetime | None
    tickets: tuple[TicketRow, ...]
    more: int
    requests: tuple[ErasureRow, ...]
    can_ask: bool
    exports: tuple[ExportRow, ...]
    holds: tuple[HoldRow, ...]
    may_manage: bool
    typed: Mapping[str, str]
    faults: Mapping[str, str]
    problem: Problem | None = None


def may_open(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.REQUEST_ERASURE)


def page(
    member: Membership,
    customer_id: str | uuid.UUID,
    standing: Collection[int],
    *,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    problem: Problem | None = None,
) -> CustomerPage:
    """The page. `standing`: the holds that stand today. Raises NotFound, DomainError `permission.denied`."""
    customer = keeping.of_customer(member, customer_id)
    tickets = Ticket.objects.filter(customer=customer).annotate(said=Count("messages")).order_by("-created_at", "-pk")
    requests = ErasureRequest.objects.filter(customer=customer)
    rows = tuple(
        keeping.erasure_row(row)
        for row in requests.select_related("customer", "requested_by", "decided_by").order_by("-requested_at")
    )
    holds = LegalHold.objects.filter(Q(customer=customer) | Q(ticket__customer=customer), organization=member.organization)
    kept = list(holds.select_related("ticket", "customer", "placed_by", "lifted_by").order_by("-pk")[:SHOWN])
    held = {row.ticket_id for row in kept if row.pk in standing}
    exports = CustomerExport.objects.defer("content").select_related("made_by").filter(customer=customer)
    return CustomerPage(
        str(customer.pk),
        keeping.customer_name(customer),
        "" if customer.erased_at else customer.external_id,
        customer.phone,
        customer.email,
        customer.created_at,
        customer.erased_at,
        tuple(_ticket(row, held) for row in tickets[:SHOWN]),
        max(0, tickets.count() - SHOWN),
        rows,
        customer.erased_at is None and not any(row.undecided or row.under_way for row in rows),
        tuple(
            ExportRow(str(row.pk), row.made_by.name, row.made_at, row.expires_at)
            for row in exports.filter(expires_at__gt=timezone.now()).order_by("-made_at")
        ),
        tuple(keeping.hold_row(row, standing) for row in kept),
        access.caller_of(member).may(Permission.MANAGE),
        typed or {},
        faults or {},
        problem,
    )


def _ticket(row: Ticket, held: Collection[uuid.UUID | None]) -> TicketRow:
    said: int = getattr(row, "said")  # noqa: B009 - annotated by the query above
    return TicketRow(
        str(row.pk),
        row.protocol,
        row.subject,
        reverse("web:ticket", args=[row.pk]),
        Chip(str(STATUSES[row.status])),
        row.created_at,
        row.closed_at,
        said,
        row.erased_at is not None,
        row.pk in held,
    )
