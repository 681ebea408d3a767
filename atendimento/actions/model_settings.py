"""What administrators set for the model, masking and the budget of a day, each logged; and failed runs that they try again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from atendimento import access, jobs, ledger, llm, outbound, seals
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import Fault, InvalidInput, invalid
from atendimento.actions.runs import retry_run
from atendimento.models import (
    Act,
    EndpointHealth,
    EndpointMode,
    Membership,
    ModelEndpoint,
    Organization,
    Proposal,
    Rebuild,
    RunStatus,
    Waits,
)

MOST_AT_ONCE: Final = 200
MAX_MODEL_NAME: Final = 200
KNOCK_PATIENCE: Final = 20.0
"""Seconds for one question to a model that somebody waits to see saved."""
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


def save_endpoint(*, member: Membership, base_url: str, model: str, key: str) -> None:
    """Ask the organisation's own model from now on, once it has answered one question. An empty key leaves the one kept.

    Raises InvalidInput: an address that may not be called, no model named, a server that does not answer or refuses.
    """
    access.require(member, Permission.MANAGE)
    base_url = base_url.rstrip("/")
    try:
        outbound.check(base_url)
    except outbound.NotAllowed as error:
        raise invalid("/base_url", error.code, "is not an address that may be called") from None
    if not model or len(model) > MAX_MODEL_NAME:
        raise invalid("/name", "endpoint.no_model", f"must be a text of at most {MAX_MODEL_NAME} characters")
    kept = ModelEndpoint.objects.filter(organization_id=member.organization_id).first()
    same_server = kept is not None and kept.base_url == base_url
    # A kept key goes to the server that it was given for, and to no other.
    sealed = seals.seal(key) if key else (kept.sealed_key if kept is not None and same_server else "")
    try:
        opened = seals.unseal(sealed) if sealed else ""
    except seals.Unreadable:
        raise invalid("/key", "endpoint.key_lost", "was sealed under another secret") from None
    code, said = llm.knock(llm.Endpoint(base_url, opened, model, min(float(settings.MODEL_TIMEOUT), KNOCK_PATIENCE)))
    if code:
        raise invalid("/base_url", code, said)
    with transaction.atomic():
        moment = ledger.now()
        ModelEndpoint.objects.update_or_create(
            organization_id=member.organization_id,
            defaults={
                "base_url": base_url,
                "model": model,
                "sealed_key": sealed,
                "tried_at": moment,
                "changed_by": member,
                "changed_at": moment,
            },
        )
        server = urlsplit(base_url).netloc
        log_act(member=member, kind=Act.MODEL_ENDPOINT, subject=model, details={"server": server})
        identity = llm.Endpoint(base_url, "", model).identity
        EndpointHealth.objects.update_or_create(identity=identity, defaults={"last_answer_at": moment})


@transaction.atomic
def drop_endpoint(*, member: Membership) -> None:
    """Ask the installation's model again. Where there is no own one, nothing happens."""
    access.require(member, Permission.MANAGE)
    dropped, _ = ModelEndpoint.objects.filter(organization_id=member.organization_id).delete()
    if dropped:
        server = urlsplit(settings.OPENAI_BASE_URL).netloc.rpartition("@")[2]
        log_act(member=member, kind=Act.MODEL_ENDPOINT, subject=settings.OPENAI_MODEL or "—", details={"server": server or "—"})


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
