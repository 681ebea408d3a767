"""A customer's data as a file (L2): made once, kept for a while, read by whoever may ask for erasure; both are logged."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Final

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import holds
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, CustomerExport, ErasureRequest, ErasureStatus, Membership
from atendimento.selectors.held_data import held_data
from memoria.patch import Json

KEPT: Final = timedelta(days=7)


@transaction.atomic
def make_export(*, member: Membership, customer_id: str | uuid.UUID) -> CustomerExport:
    """Write down all that is held about the customer.

    Raises NotFound, DomainError `permission.denied`, InvalidInput where the customer is erased or about to be.
    """
    access.require(member, Permission.REQUEST_ERASURE)
    # An erasure that ends takes the exports with it under this lock: what is read here goes with them, or is gone already.
    customer = holds.lock_customer(member.organization, access.customer(member.organization, customer_id).pk)
    decided = ErasureRequest.objects.filter(customer=customer, status__in=(ErasureStatus.APPROVED, ErasureStatus.RUNNING))
    if customer.erased_at is not None or decided.exists():
        raise invalid("", "erasure.no_export", "is erased, or about to be")
    moment = ledger.now()
    document = held_data(member, customer_id, moment)
    made = CustomerExport.objects.create(
        organization=member.organization,
        customer=customer,
        content=json.dumps(document, ensure_ascii=False, indent=1).encode(),
        made_by=member,
        made_at=moment,
        expires_at=moment + KEPT,
    )
    log_act(member=member, kind=Act.CUSTOMER_EXPORTED, subject=str(customer.pk), details={"export": str(made.pk)})
    return made


@transaction.atomic
def read_export(*, member: Membership, export_id: str | uuid.UUID) -> bytes:
    """The file's bytes. Raises NotFound where there is none, or its time is over."""
    access.require(member, Permission.REQUEST_ERASURE)
    rows = CustomerExport.objects.filter(organization=member.organization, expires_at__gt=ledger.now())
    found = rows.filter(pk=export_id).first()
    if found is None:
        raise NotFound("export")
    log_act(member=member, kind=Act.CUSTOMER_EXPORT_READ, subject=str(found.customer_id), details={"export": str(found.pk)})
    return bytes(found.content)


@transaction.atomic
def read_held_data(*, member: Membership, customer_id: str | uuid.UUID) -> dict[str, Json]:
    """The same document at once, kept nowhere; that it was read is logged. Raises NotFound, DomainError."""
    document = held_data(member, customer_id, ledger.now())
    log_act(member=member, kind=Act.CUSTOMER_EXPORTED, subject=document["customer"]["id"], details={"export": None})
    return document
