"""An organisation's teams: made, renamed, opened or closed to others, archived; and who is in them."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils.text import slugify

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Membership, Organization, Team, TeamMember

MAX_NAME = 100


def _named(organization: Organization, name: str, other_than: Team | None = None) -> str:
    """The name as it is kept. Raises InvalidInput for none, a long one, or one that another team has."""
    kept = " ".join(name.replace("\0", "").split())
    if not kept or len(kept) > MAX_NAME:
        raise invalid("/name", "team.name", f"must have between 1 and {MAX_NAME} characters")
    others = Team.objects.filter(organization=organization, name__iexact=kept)
    if (others if other_than is None else others.exclude(pk=other_than.pk)).exists():
        raise invalid("/name", "team.taken", "another team has this name")
    return kept


def _free_slug(organization: Organization, name: str) -> str:
    """A slug of the name that no other team of the organisation has, archived ones included."""
    wanted = slugify(name)[:90] or "team"
    taken = set(Team.objects.filter(organization=organization, slug__startswith=wanted).values_list("slug", flat=True))
    number, slug = 1, wanted
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug


@transaction.atomic
def create_team(*, member: Membership, name: str, open_to_all: bool = False) -> Team:
    """A team with nobody in it yet. Raises InvalidInput, and DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    organization = _locked(member)
    kept = _named(organization, name)
    team = Team.objects.create(
        organization=organization,
        slug=_free_slug(organization, kept),
        name=kept,
        open_to_all=open_to_all,
        created_at=ledger.now(),
    )
    log_act(member=member, kind=Act.TEAM_CREATED, subject=kept, details={"open_to_all": open_to_all})
    return team


@transaction.atomic
def change_team(*, member: Membership, team_id: int, name: str, open_to_all: bool) -> Team:
    """Rename a team, open it to all or close it. What is so already is not recorded. Raises InvalidInput, NotFound."""
    access.require(member, Permission.MANAGE)
    organization = _locked(member)
    team = access.team(organization, team_id)
    kept = _named(organization, name, team)
    if (kept, open_to_all) != (team.name, team.open_to_all):
        log_act(member=member, kind=Act.TEAM_CHANGED, subject=team.name, details={"name": kept, "open_to_all": open_to_all})
        team.name, team.open_to_all = kept, open_to_all
        team.save(update_fields=["name", "open_to_all"])
    return team


@transaction.atomic
def archive_team(*, member: Membership, team_id: int, archived: bool) -> Team:
    """Archive a team, or bring it back. An archived one takes no more tickets; those that it has, its members keep."""
    access.require(member, Permission.MANAGE)
    team = access.team(_locked(member), team_id)
    if archived != (team.archived_at is not None):
        team.archived_at = ledger.now() if archived else None
        team.save(update_fields=["archived_at"])
        log_act(member=member, kind=Act.TEAM_ARCHIVED if archived else Act.TEAM_RESTORED, subject=team.name)
    return team


@transaction.atomic
def set_team_members(*, member: Membership, team_id: int, members: Collection[int], leads: Collection[int]) -> Team:
    """Say who is in the team, and who of them leads it: members' ids, all of them. Raises NotFound for an unknown one."""
    access.require(member, Permission.MANAGE)
    organization = _locked(member)
    team = access.team(organization, team_id)
    wanted = {key: key in set(leads) for key in {*members, *leads}}
    people = {row.pk: row for row in Membership.objects.filter(organization=organization, pk__in=wanted)}
    if len(people) != len(wanted):
        raise NotFound("member")
    held = dict(TeamMember.objects.filter(team=team).values_list("member", "leads"))
    if held != wanted:
        TeamMember.objects.filter(team=team).delete()
        TeamMember.objects.bulk_create(
            TeamMember(organization=organization, team=team, member=people[key], leads=is_lead)
            for key, is_lead in sorted(wanted.items())
        )
        details = {"members": sorted(wanted), "leads": sorted(key for key in wanted if wanted[key])}
        log_act(member=member, kind=Act.TEAM_MEMBERS, subject=team.name, details=details)
    return team


def _locked(member: Membership) -> Organization:
    """The organisation, its row locked: two administrators change its teams one after the other."""
    return Organization.objects.select_for_update(no_key=True).get(pk=member.organization_id)
