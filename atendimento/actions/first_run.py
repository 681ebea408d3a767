"""Setting up a new organisation: steps that are passed over, whether the model answers, and the end of it."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import asking
from atendimento.actions.administration import log_act
from atendimento.models import Act, EndpointHealth, Membership, Organization
from atendimento.selectors.first_run import PASSABLE


@transaction.atomic
def pass_over(*, member: Membership, step: str, passed: bool) -> None:
    """Leave a step for later, or take it up again. A step that cannot be passed over stays as it is."""
    access.require(member, Permission.MANAGE)
    if step not in PASSABLE:
        return
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    kept = set(organization.first_run.get("passed", ()))
    kept = kept | {step} if passed else kept - {step}
    organization.first_run = organization.first_run | {"passed": sorted(kept)}
    organization.save(update_fields=["first_run"])


@transaction.atomic
def finish(*, member: Membership) -> None:
    """Say that the organisation is set up: the console leads there no more."""
    access.require(member, Permission.MANAGE)
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    if organization.first_run.get("finished_at"):
        return
    organization.first_run = organization.first_run | {"finished_at": ledger.now().isoformat()}
    organization.save(update_fields=["first_run"])
    log_act(member=member, kind=Act.FIRST_RUN, subject=organization.name)


def try_model(*, member: Membership) -> tuple[str, str]:
    """Ask the model one short question, outside any transaction: what went wrong, as a code, and what the server said."""
    access.require(member, Permission.MANAGE)
    endpoint = asking.endpoint(member.organization_id)
    if not endpoint.base_url:
        return "model.not_configured", ""
    problem = asking.knock(endpoint)
    if not problem[0]:
        EndpointHealth.objects.update_or_create(identity=endpoint.identity, defaults={"last_answer_at": Now()})
    return problem
