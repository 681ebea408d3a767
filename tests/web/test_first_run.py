"""A new organisation becomes usable in five steps, which can be left and taken up; the demonstration is walked through."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from atendimento.access import Caller
from atendimento.actions import organizations
from atendimento.actions.invitations import invite
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.tickets import CustomerData, create_ticket
from atendimento.demo import stage
from atendimento.models import Membership, Organization
from atendimento.selectors import tour
from tests.support import stories
from tests.support.asking import text
from tests.support.model_server import ModelServer
from tests.support.stories import World, change
from tests.web.conftest import SignIn


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def empty(db: None) -> Membership:
    """The administrator of an organisation in which there is nothing yet."""
    organization, _new = organizations.create_organization(slug="nova", name="Casa Nova")
    member, _new = organizations.create_member(
        organization=organization, email="chefe@nova.example", role="admin", name="Chefe", password=stories.PASSWORD
    )
    return member


def settled(page: Any) -> str:
    found = re.search(r"(\d) de 5\.", text(page))
    assert found is not None, text(page)
    return found.group(1)


def test_an_empty_organisation_is_led_from_step_to_step(empty: Membership, model_server: ModelServer) -> None:
    browser = Client(headers={"accept-language": "pt-BR"})
    browser.force_login(empty.user, "allauth.account.auth_backends.AuthenticationBackend")
    assert 'href="/first-steps/"' in browser.get("/").content.decode()
    page = browser.get("/first-steps/")
    assert settled(page) == "0"
    assert page.content.decode().count('aria-current="step"') == 1

    world = World(empty, empty, empty, Caller(empty.organization, None, "ingest:whatsapp"))
    world.enter()
    publish_ticket_type(member=empty, document=stories.TICKET_TYPE)
    assert settled(browser.get("/first-steps/")) == "1"
    world.enter()
    invite(member=empty, email="bia@nova.example", name="Bia", role="agent")
    assert settled(browser.get("/first-steps/")) == "2"
    model_server.answer()
    assert "O modelo respondeu." in text(browser.post("/first-steps/model"))
    assert settled(browser.get("/first-steps/")) == "3"
    world.enter()
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    assert settled(browser.get("/first-steps/")) == "4"
    world.enter()
    (row,) = world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem")))
    browser.post(f"/tickets/{ticket.pk}/changes/{row.pk}/accept", {"expected_version": "0"})
    assert settled(browser.get("/first-steps/")) == "5"
    assert browser.post("/first-steps/finish").status_code == 302
    assert 'href="/first-steps/"' not in browser.get("/").content.decode()
    assert Organization.objects.get(pk=empty.organization_id).first_run["finished_at"]


def test_a_step_is_left_for_later_and_taken_up_again(world: World, boss: Membership, sign_in: SignIn) -> None:
    adm = sign_in(boss)
    before = settled(adm.get("/first-steps/"))
    adm.post("/first-steps/pass", {"step": "model", "passed": "on"})
    assert int(settled(adm.get("/first-steps/"))) == int(before) + 1
    adm.post("/first-steps/pass", {"step": "model", "passed": "off"})
    assert settled(adm.get("/first-steps/")) == before
    adm.post("/first-steps/pass", {"step": "decision", "passed": "on"})
    assert settled(adm.get("/first-steps/")) == before, "the work itself is no step to be passed over"


def test_a_model_that_does_not_answer_is_told_and_the_step_stays_open(
    world: World, boss: Membership, sign_in: SignIn, model_server: ModelServer
) -> None:
    model_server.fail(401, message="no such key")
    page = sign_in(boss).post("/first-steps/model")
    assert "recusou a pergunta" in text(page)
    assert "401" in text(page)


def test_agents_are_not_led_there(world: World, ana: Any) -> None:
    assert 'href="/first-steps/"' not in ana.get("/").content.decode()


# --- the tour -----------------------------------------------------------------------------------------------------


def test_the_tour_knows_the_demonstration_s_tickets_by_its_own_name() -> None:
    assert tour.SOURCE == stage.SOURCE


def test_without_the_demonstration_there_is_no_tour(world: World, ana: Any) -> None:
    assert ana.get("/tour/").status_code == 404
    assert "/tour/" not in ana.get("/").content.decode()


def test_the_tour_leads_from_stop_to_stop_and_ends_at_the_queue(world: World, ana: Any) -> None:
    for slug in {place.conversation for place in tour.PLACES}:
        create_ticket(
            caller=stage.integration(world.ana.organization),
            ticket_type=stories.TICKET_TYPE["slug"],
            subject=slug,
            external_id=slug,
            channel="whatsapp",
            customer=CustomerData(external_id=slug, name="Cliente de Mostra"),
        )
    address, seen = ana.get("/tour/")["Location"], []
    while address != "/":
        page = ana.get(address)
        assert page.status_code == 200
        html = page.content.decode()
        seen.append(re.search(r"Passeio, (\d) de 5", text(page)).group(1))  # type: ignore[union-attr]
        after = re.search(r'<a class="btn main" href="([^"]+)">\s*(?:Próximo|Ir para a fila)', html[html.index('id="tour"') :])
        assert after is not None, html[html.index('id="tour"') :][:1500]
        address = after.group(1).replace("&amp;", "&")
    assert seen == ["1", "2", "3", "4", "5"]


def test_a_stop_at_another_ticket_shows_no_tour(world: World, ana: Any) -> None:
    ticket = world.ticket()
    assert 'id="tour"' not in ana.get(f"/tickets/{ticket.pk}/?tour=1").content.decode()
