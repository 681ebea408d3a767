"""The administrators' page of teams: each step is a plain form, recorded, and refused with a sentence."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.actions.teams import create_team
from atendimento.actions.tickets import update_ticket
from atendimento.models import AdministrativeAct, Membership, Team, TeamMember
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn


@pytest.fixture
def boss(world: World, sign_in: SignIn) -> Client:
    return sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))


def kinds() -> list[str]:
    return list(AdministrativeAct.objects.filter(kind__startswith="team_").order_by("pk").values_list("kind", flat=True))


def test_a_team_is_made_peopled_renamed_opened_and_archived(world: World, boss: Client) -> None:
    assert boss.post("/admin/teams/", {"name": "  Peças  e rotas "}).status_code == 302
    team = Team.objects.get()
    assert (team.name, team.slug, team.open_to_all) == ("Peças e rotas", "pecas-e-rotas", False)
    address = f"/admin/teams/{team.pk}"
    boss.post(f"{address}/people", {"inside": [world.ana.pk], "leads": [world.rui.pk]})
    assert dict(TeamMember.objects.values_list("member", "leads")) == {world.ana.pk: False, world.rui.pk: True}
    boss.post(f"{address}/people", {"inside": [world.ana.pk], "leads": [world.rui.pk]})  # so it is already
    boss.post(f"{address}/change", {"name": "Rotas", "open": "on"})
    boss.post(f"{address}/archive", {"to": "archive"})
    team.refresh_from_db()
    assert (team.name, team.slug, team.open_to_all, team.archived_at is not None) == ("Rotas", "pecas-e-rotas", True, True)
    page = text(boss.get("/admin/teams/"))
    assert "Rui Prado, Ana Lima" in page
    assert "arquivado" in page
    boss.post(f"{address}/archive", {"to": "back"})
    assert kinds() == ["team_created", "team_members", "team_changed", "team_archived", "team_restored"]
    assert "alterou quem está no setor Peças e rotas" in text(boss.get("/admin/log/"))


@pytest.mark.parametrize(("name", "said"), [("", "até 100"), ("x" * 101, "até 100"), ("rotas", "Outro setor")])
def test_a_bad_or_taken_name_is_refused_beside_its_form(world: World, boss: Client, name: str, said: str) -> None:
    boss.post("/admin/teams/", {"name": "Rotas"})
    other = create_team(member=Membership.objects.get(organization=world.ana.organization, role="admin"), name="Peças")
    for answer in (
        boss.post("/admin/teams/", {"name": name}),
        boss.post(f"/admin/teams/{other.pk}/change", {"name": name}),
    ):
        assert answer.status_code == 400
        assert said in text(answer)
    assert sorted(Team.objects.values_list("name", flat=True)) == ["Peças", "Rotas"]


def test_an_archived_team_takes_no_ticket_and_its_members_keep_what_it_has(world: World, boss: Client, ana: Client) -> None:
    boss.post("/admin/teams/", {"name": "Rotas"})
    team = Team.objects.get()
    boss.post(f"/admin/teams/{team.pk}/people", {"inside": [world.ana.pk]})
    ticket, other = world.ticket("Um"), world.ticket("Dois")
    update_ticket(member=world.ana, ticket_id=ticket.pk, team="Rotas")
    boss.post(f"/admin/teams/{team.pk}/archive", {"to": "archive"})

    assert ana.get(f"/tickets/{ticket.pk}/").status_code == 200
    sent = {"to": f"t:{team.slug}", "note": ""}
    assert "não recebe mais" in text(ana.post(f"/tickets/{other.pk}/transfer", sent))


def test_people_of_another_organisation_join_no_team(world: World, boss: Client, stranger: Client) -> None:
    boss.post("/admin/teams/", {"name": "Rotas"})
    team = Team.objects.get()
    assert boss.post(f"/admin/teams/{team.pk}/people", {"inside": ["999999"]}).status_code == 404
    assert stranger.post(f"/admin/teams/{team.pk}/change", {"name": "x"}).status_code in (403, 404)
    assert TeamMember.objects.count() == 0
