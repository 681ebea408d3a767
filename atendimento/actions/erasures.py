"""Erasing a customer (L2): asked for by a supervisor, decided by an administrator, done by a job that can be broken off.

The order is that of what leads where: tickets first, then the files that brought them, then the customer. Until the last
step the customer's row still says whom it is about, so a job that begins again finds what is left.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Final

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import erasing, erasing_files, holds
from atendimento.actions.administration import log_act
from atendimento.actions.announcing import announce
from atendimento.actions.erasing import OWNER, Counts
from atendimento.actions.faults import invalid
from atendimento.models import (
    Act,
    AdministrativeAct,
    Customer,
    CustomerExport,
    ErasureRequest,
    ErasureStatus,
    LegalHold,
    Membership,
    Ticket,
)

MAX_REASON: Final = 300
LEASE: Final = timedelta(minutes=5)
"""After so long without a finished ticket the job is posted again, in case its worker died."""

IMPORT_WAIT: Final = timedelta(minutes=1)
ENDED: Final = (ErasureStatus.REFUSED, ErasureStatus.DONE)


@transaction.atomic
def request_erasure(*, member: Membership, customer_id: str | uuid.UUID, reason: str = "") -> tuple[ErasureRequest, bool]:
    """Ask that a customer be erased; True where the request is new. One under way, or done, is the same request.

    Raises NotFound, InvalidInput for a reason that is too long, DomainError `permission.denied`.
    """
    access.require(member, Permission.REQUEST_ERASURE)
    if len(reason) > MAX_REASON:
        raise invalid("/reason", "erasure.reason_too_long", f"at most {MAX_REASON} characters")
    customer = Customer.objects.select_for_update().get(pk=access.customer(member.organization, customer_id).pk)
    known = ErasureRequest.objects.filter(customer=customer).exclude(status=ErasureStatus.REFUSED)
    found = known.order_by("-requested_at").first()
    if found is not None:
        return found, False
    row = ErasureRequest.objects.create(
        organization=member.organization,
        customer=customer,
        reason=reason.strip(),
        requested_by=member,
        requested_at=ledger.now(),
        report={},
    )
    log_act(member=member, kind=Act.ERASURE_REQUESTED, subject=str(customer.pk), details={"request": str(row.pk)})
    return row, True


@transaction.atomic
def approve(*, member: Membership, request_id: str | uuid.UUID) -> ErasureRequest:
    """Have it done. One that is under way or done stays so; one that stopped at a hold goes on.

    Raises NotFound, InvalidInput where a hold stands against it, or where it was refused.
    """
    access.require(member, Permission.MANAGE)
    row = _locked(member, request_id)
    if row.status in (ErasureStatus.APPROVED, ErasureStatus.RUNNING, ErasureStatus.DONE):
        return row
    if row.status == ErasureStatus.REFUSED:
        raise invalid("", "erasure.refused", "was refused")
    if holds.holds_against(member.organization, row.customer_id):
        raise invalid("", "erasure.held", "a legal hold stands against it")
    moment = ledger.now()
    row.status, row.decided_by, row.decided_at = ErasureStatus.APPROVED, member, moment
    row.save(update_fields=["status", "decided_by", "decided_at"])
    jobs.owe(jobs.ERASE, row.pk, row.organization_id, moment, moment)
    log_act(member=member, kind=Act.ERASURE_APPROVED, subject=str(row.customer_id), details={"request": str(row.pk)})
    return row


@transaction.atomic
def refuse(*, member: Membership, request_id: str | uuid.UUID, reason: str) -> ErasureRequest:
    """Say no, and why. Raises NotFound, InvalidInput: no reason, or it is approved or refused already."""
    access.require(member, Permission.MANAGE)
    row = _locked(member, request_id)
    if not reason.strip() or len(reason) > MAX_REASON:
        raise invalid("/reason", "erasure.no_reason", "must be a text")
    if row.status not in (ErasureStatus.REQUESTED, ErasureStatus.HELD):
        raise invalid("", "erasure.decided", "is decided already")
    if row.done:
        raise invalid("", "erasure.begun", "has begun: what is erased does not come back")
    row.status, row.refusal, row.decided_by, row.decided_at = ErasureStatus.REFUSED, reason.strip(), member, ledger.now()
    row.save(update_fields=["status", "refusal", "decided_by", "decided_at"])
    log_act(member=member, kind=Act.ERASURE_REFUSED, subject=str(row.customer_id), details={"request": str(row.pk)})
    return row


def _locked(member: Membership, request_id: str | uuid.UUID) -> ErasureRequest:
    found = ErasureRequest.objects.select_for_update().filter(organization=member.organization, pk=request_id).first()
    if found is None:
        raise NotFound("erasure request")
    return found


# --- the work -----------------------------------------------------------------------------------------------------


def work(*, organization_id: int, request_id: uuid.UUID) -> None:
    """Erase what is left of it. Again does no harm. Raises erasing.NoOwner."""
    erasing.require_owner()
    if not _begin(request_id):
        jobs.settle(jobs.ERASE, request_id)
        return
    row = ErasureRequest.objects.select_related("organization", "customer").get(pk=request_id)
    while True:
        tickets = list(_tickets(row.customer))
        if erasing_files.under_way(tickets):
            moment = ledger.now()
            jobs.postpone(jobs.ERASE, request_id, moment + IMPORT_WAIT, moment)
            return
        for key in tickets:
            if not _erase_ticket(row, key):
                return
        if not _erase_files(row, tickets) or _erase_customer(row):
            return


def _begin(request_id: uuid.UUID) -> bool:
    with transaction.atomic():
        row = ErasureRequest.objects.select_for_update().filter(pk=request_id).first()
        if row is None or row.status not in (ErasureStatus.APPROVED, ErasureStatus.RUNNING):
            return False
        row.status, row.total = ErasureStatus.RUNNING, Ticket.objects.filter(customer=row.customer_id).count()
        row.save(update_fields=["status", "total"])
    return True


def _tickets(customer: Customer) -> list[uuid.UUID]:
    return list(Ticket.objects.filter(customer=customer).order_by("pk").values_list("pk", flat=True))


def _stopped(row: ErasureRequest) -> bool:
    """Whether a hold has come between, looked at under the customer's lock; then the request waits for a person again."""
    stands = holds.holds_against(row.organization, row.customer_id)
    if stands:
        ErasureRequest.objects.filter(pk=row.pk).update(status=ErasureStatus.HELD)
        jobs.settle(jobs.ERASE, row.pk)
    return stands


def _erase_ticket(row: ErasureRequest, key: uuid.UUID) -> bool:
    """Both steps for one ticket; False where a hold has come between."""
    jobs.postpone(jobs.ERASE, row.pk, ledger.now() + LEASE, ledger.now())
    with transaction.atomic():
        holds.lock_customer(row.organization, row.customer_id)
        ticket = access.ticket_to_erase(row.organization, key)
        if _stopped(row):
            return False
        if ticket.erased_at is None:
            _note(row, erasing.erase_ticket(row.organization, key), tickets=1)
    moment = ledger.now()
    with transaction.atomic(using=OWNER):
        _note(row, erasing.erase_history(key, moment), using=OWNER)
    return True


def _erase_files(row: ErasureRequest, tickets: list[uuid.UUID]) -> bool:
    """The files, one by one; False where a hold has come between. What brought a held ticket of somebody else stays (L4)."""
    for batch in list(erasing_files.of_customer(row.customer, tickets, holds.held_tickets(row.organization))):
        with transaction.atomic():
            holds.lock_customer(row.organization, row.customer_id)
            if _stopped(row):
                return False
            _note(row, erasing_files.erase_import(batch))
    return True


@transaction.atomic
def _erase_customer(row: ErasureRequest) -> bool:
    """The last step; False where a ticket was opened for the customer meanwhile, True where it ends: done, or held."""
    customer = Customer.objects.select_for_update().get(pk=row.customer_id)
    if _stopped(row):
        return True
    if Ticket.objects.filter(customer=customer, erased_at=None).exists():
        return False
    moment = ledger.now()
    counts: Counts = {
        "customer": int(customer.erased_at is None),
        "customerexport": CustomerExport.objects.filter(customer=customer).delete()[0],
        "legalhold (reason)": _without_reason(customer),
    }
    customer.external_id, customer.name, customer.phone, customer.email = f"erased:{customer.pk}", "", "", ""
    customer.erased_at = moment
    customer.save(update_fields=["external_id", "name", "phone", "email", "erased_at"])
    for ticket in Ticket.objects.filter(customer=customer):
        announce(ticket, None)  # the name goes from open pages as well
    _note(row, counts)
    ErasureRequest.objects.filter(customer=customer).update(reason="", refusal="")
    ErasureRequest.objects.filter(pk=row.pk).update(status=ErasureStatus.DONE, finished_at=moment)
    jobs.settle(jobs.ERASE, row.pk)
    done = ErasureRequest.objects.get(pk=row.pk)
    AdministrativeAct.objects.create(
        organization_id=row.organization_id,
        member_id=row.decided_by_id,
        kind=Act.ERASURE_DONE,
        subject=str(customer.pk),
        details={"request": str(row.pk), "tickets": done.done, "rows": sum(done.report.values())},
        at=moment,
    )
    return True


def _without_reason(customer: Customer) -> int:
    whole = LegalHold.objects.filter(customer=customer).exclude(reason="").update(reason="")
    return whole + LegalHold.objects.filter(ticket__customer=customer).exclude(reason="").update(reason="")


def _note(row: ErasureRequest, counts: Counts, *, tickets: int = 0, using: str = "default") -> None:
    """Add to the report, in the transaction that erased."""
    kept = ErasureRequest.objects.using(using).select_for_update().get(pk=row.pk)
    kept.report, kept.done = erasing.added(kept.report, counts), kept.done + tickets
    kept.save(using=using, update_fields=["report", "done"])
