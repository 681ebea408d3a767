"""Closing asks once, with what it leaves; the dossier is clean on the screen in both themes and on paper."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from atendimento.actions import slots
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_closing_and_the_dossier(world: World, open_ticket: Open, scheme: Any) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    ticket.refresh_from_db()
    task = {"task": "ligar", "owner": "team", "due": "2020-01-02"}
    slots.set_slot(
        member=world.ana, ticket_id=ticket.pk, path="/commitments/-", value=task, expected_version=ticket.state_version
    )
    page = open_ticket(ticket)
    page.emulate_media(color_scheme=scheme)
    page.get_by_role("link", name="Encerrar").click()
    dialog = page.locator("dialog#over")
    expect(dialog).to_contain_text("ligar, equipe, até 02/01/2020, vencido")
    expect(dialog.get_by_role("link", name="Não decidido")).to_be_focused()  # the first thing to settle
    assert faults(page) == []
    dialog.get_by_role("button", name="Ainda não").click()
    expect(dialog).to_have_count(0)
    page.goto(f"/tickets/{ticket.pk}/dossier")
    expect(page.get_by_role("button", name="Imprimir")).to_be_visible()
    assert faults(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Imprimir")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".dossier-bar a").click()
    expect(page.locator("body.scripted")).to_be_attached()
    page.get_by_role("link", name="Encerrar").click()
    dialog.get_by_role("button", name="Encerrar mesmo assim").press("Enter")
    expect(page.locator("#head")).to_contain_text("Reabrir")
