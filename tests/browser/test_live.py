"""What others do arrives by itself; a lost connection or session is seen, and nothing typed is lost."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, expect

from atendimento.models import Draft
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


def test_a_colleagues_decision_updates_the_card_and_keeps_what_i_type(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    field = page.locator("#memory .card.on input[name=value]")
    field.fill("499")
    world.accept(rows[:1], world.rui)
    expect(page.locator("#memory .card h3", has_text="Bairro da visita")).to_have_count(0)
    told = "Rui Prado aceitou: Bairro da visita → Madalena (a confirmar agora: Horário)"
    expect(page.locator("#announce")).to_have_text(told)
    expect(page.locator("#news")).to_contain_text(told)
    expect(field).to_have_value("499")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-toast]").last).to_contain_text("Orçamento, 499")


@pytest.mark.console_errors
def test_an_ended_session_is_said_and_no_login_form_lands_in_a_panel(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.locator("#reply").fill("isto fica")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    assert Draft.objects.get().text == "isto fica"
    Session.objects.all().delete()
    page.context.clear_cookies(name="lastro_session")
    page.locator("#memory .card").first.locator("button[data-key=a]").click()
    expect(page.locator("#notices")).to_contain_text("A sua sessão terminou")
    expect(page.locator("#notices a")).to_have_attribute("href", f"/conta/login/?next=%2Ftickets%2F{ticket.pk}%2F")
    expect(page.locator("#memory [data-card]")).to_have_count(4)
    expect(page.locator("#memory input[type=password]")).to_have_count(0)
    expect(page.locator("#reply")).to_have_value("isto fica")


def test_a_draft_survives_a_reload(world: World, open_ticket: Open) -> None:
    page = open_ticket(stories.recife(world))
    page.locator("#reply").fill("ainda pensando")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    page.reload()
    expect(page.locator("#reply")).to_have_value("ainda pensando")


@pytest.mark.console_errors
def test_a_lost_connection_shows_and_catches_up(world: World, open_ticket: Open, context: BrowserContext) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)
    expect(page.locator("#live")).to_have_text("ao vivo")
    context.set_offline(True)
    page.evaluate("window.dispatchEvent(new Event('offline'))")
    expect(page.locator("#live")).to_contain_text("sem conexão")
    world.say(ticket, "chegou enquanto isso")
    context.set_offline(False)
    page.reload()
    expect(page.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#stream")).to_contain_text("chegou enquanto isso")


def test_a_reply_appears_at_once_and_the_theme_is_kept(world: World, open_ticket: Open) -> None:
    page = open_ticket(stories.recife(world))
    page.locator("#reply").fill("Bom dia, Helena!")
    page.locator("#reply").press("Control+Enter")
    expect(page.locator("#stream")).to_contain_text("Bom dia, Helena!")
    expect(page.locator("#reply")).to_have_value("")
    page.locator("#menu summary").click()
    with page.expect_response("**/look"):
        page.get_by_role("button", name="Escuro").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
