"""The administrators' page of teams: who is in each, who leads it, and who sees its tickets."""

from __future__ import annotations

from dataclasses import dataclass

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Membership, Team, TeamMember


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    name: str
    inside: bool
    leads: bool
    sees_all: bool  # whatever the teams, by their role


@dataclass(frozen=True, slots=True)
class TeamRow:
    id: int
    name: str
    slug: str
    open_to_all: bool
    archived: bool
    people: tuple[Person, ...]
    inside: tuple[str, ...]  # names, those who lead first
    open: bool = False  # the form of this one is shown, with its fault
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TeamsPage:
    rows: tuple[TeamRow, ...]
    name: str = ""  # as typed for a new one
    fault: str = ""


def page(member: Membership, *, name: str = "", fault: str = "", team_id: int | None = None) -> TeamsPage:
    """All teams, archived ones last. `fault` is beside the team with this id, or beside the form for a new one."""
    access.require(member, Permission.MANAGE)
    teams = Team.objects.filter(organization=member.organization_id).order_by("archived_at", "name", "pk")
    people = list(Membership.objects.filter(organization=member.organization_id, is_active=True).order_by("name", "pk"))
    placed: dict[int, dict[int, bool]] = {}
    for row in TeamMember.objects.filter(organization=member.organization_id):
        placed.setdefault(row.team_id, {})[row.member_id] = row.leads
    rows = [
        _row(team, people, placed.get(team.pk, {}), fault if team.pk == team_id else "")
        for team in sorted(teams, key=lambda team: team.archived_at is not None)
    ]
    return TeamsPage(tuple(rows), name, fault if team_id is None else "")


def _row(team: Team, people: list[Membership], placed: dict[int, bool], fault: str) -> TeamRow:
    shown = tuple(
        Person(
            one.pk,
            one.name,
            one.pk in placed,
            placed.get(one.pk, False),
            access.caller_of(one).may(Permission.SEE_ALL_TICKETS),
        )
        for one in people
    )
    inside = sorted((one for one in shown if one.inside), key=lambda one: (not one.leads, one.name))
    return TeamRow(
        team.pk,
        team.name,
        team.slug,
        team.open_to_all,
        team.archived_at is not None,
        shown,
        tuple(one.name for one in inside),
        open=bool(fault),
        fault=fault,
    )
