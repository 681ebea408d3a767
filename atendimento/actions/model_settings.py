"""What administrators set for the model, masking and the budget of a day, each logged; and failed runs that they try again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import Fault, InvalidInput
from atendimento.actions.runs import retry_run
from atendimento.models import Act, EndpointMode, Membership, Organization, Proposal, Rebuild, RunStatus, Waits

MOST_AT_ONCE: Final = 200
_TOKENS: Final = re.compile(r"[0-9]{1,15}")
_MONEY: Final = re.compile(r"[0-9]{1,9}(?:[.,][0-9]{1,2})?")


@transaction.atomic
def set_masking(*, member: Membership, on: bool) -> None:
    """Have personal data leave for the model as placeholders, or as they are (U2). What is set already is not set again."""
    access.require(member, Permission.MANAGE)
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    if organization.masks_personal_data == on:
        return
    organization.masks_personal_data = on
    organization.save(update_fields=["masks_personal_data"])
    log_act(member=member, kind=Act.MASKING, subject=organization.slug, details={"on": on})


@transaction.atomic
def set_budget(*, member: Membership, tokens: str, cost: str) -> None:
    """What a day may come to, each empty for no limit. Runs that wait for the budget look again at once.

    Raises InvalidInput: no whole number of tokens, no sum of money.
    """
    access.require(member, Permission.MANAGE)
    faults = []
    if tokens and not _TOKENS.fullmatch(tokens):
        faults.append(Fault("/tokens", "budget.no_number", "must be a whole number, or empty"))
    if cost and not _MONEY.fullmatch(cost):
        faults.append(Fault("/cost", "budget.no_amount", "must be an amount with at most two decimals, or empty"))
    if faults:
        raise InvalidInput(*faults)
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    wanted = (int(tokens) if tokens else None, Decimal(cost.replace(",", ".")) if cost else None)
    if wanted == (organization.daily_tokens, organization.daily_cost):
        return
    organization.daily_tokens, organization.daily_cost = wanted
    organization.save(update_fields=["daily_tokens", "daily_cost"])
    log_act(
        member=member,
        kind=Act.BUDGET,
        subject=organization.slug,
        details={"tokens": wanted[0], "cost": None if wanted[1] is None else str(wanted[1])},
    )
    _look_again(organization)


@transaction.atomic
def forget_endpoint(*, member: Membership, identity: str, model: str) -> bool:
    """Forget in which way this endpoint (`identity`) takes structured answers: the next reading finds it out again.

    For a server that was changed behind its address. False where nothing is known of it, and nothing is logged then.
    """
    access.require(member, Permission.MANAGE)
    forgotten, _ = EndpointMode.objects.filter(identity=identity).delete()
    if forgotten:
        log_act(member=member, kind=Act.MODEL_FORGOTTEN, subject=model, details={})
    return bool(forgotten)


def retry_runs(*, member: Membership, proposals: Iterable[str]) -> int:
    """Try these parked runs again, each in a transaction of its own; how many were. What is parked no more is passed over."""
    access.require(member, Permission.MANAGE)
    tried = 0
    for reference in list(dict.fromkeys(proposals))[:MOST_AT_ONCE]:
        try:
            tried += retry_run(member=member, proposal_id=reference)
        except NotFound:
            continue
    return tried


def _look_again(organization: Organization) -> None:
    moment = ledger.now()
    wanted = {"organization": organization, "status": RunStatus.QUEUED, "waits_for": Waits.BUDGET}
    runs, rebuilds = Proposal.objects.filter(**wanted), Rebuild.objects.filter(**wanted)
    due = [(jobs.PROPOSE, pk) for pk in runs.values_list("pk", flat=True)]
    due += [(jobs.REREAD, pk) for pk in rebuilds.values_list("pk", flat=True)]
    runs.update(not_before=moment, waits_for="")
    rebuilds.update(not_before=moment, waits_for="")
    for job, subject in due:
        jobs.owe(job, subject, organization.pk, moment, moment)
