"""Saying what a correction's cause was."""

from __future__ import annotations

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions.faults import invalid
from atendimento.models import CauseChoice, Correction, Membership
from memoria.causes import Cause


@transaction.atomic
def choose_cause(*, member: Membership, correction_id: int, cause: str) -> Correction:
    """Record what the member says the cause was, with who and when. The same again records nothing.

    Raises DomainError `permission.denied`, NotFound, and InvalidInput for a cause that there is not.
    """
    access.require(member, Permission.READ_ALL_HISTORY)
    if cause not in set(Cause):
        raise invalid("/cause", "correction.unknown_cause", "is not one of the causes")
    row = access.correction_to_change(member.organization, correction_id)
    last = row.choices.order_by("-id").first()
    if last is not None and last.cause == cause:
        return row
    CauseChoice.objects.create(organization=member.organization, correction=row, cause=cause, by=member, at=ledger.now())
    row.cause = cause
    row.save(update_fields=["cause"])
    return row
