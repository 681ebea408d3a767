"""A canned reply is picked into the composer, filled; the page on which they are kept is clean in both themes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from atendimento.actions.canned import save_canned
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_canned_reply_is_picked_by_keyboard_below_what_stands_there(world: World, open_ticket: Open, scheme: Any) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    save_canned(member=world.silvia, title="Visita", text="Sua visita será em {bairro}, {horario}.")
    page = open_ticket(ticket, world.silvia)
    page.emulate_media(color_scheme=scheme)
    page.locator("#reply").fill("Oi, Helena!")
    page.locator("#canned > summary").press("Enter")
    entry = page.locator("#canned").get_by_role("button", name="Visita")
    expect(entry).to_contain_text("sem valor vigente: Horário")
    assert faults(page) == []
    entry.press("Enter")
    expect(page.locator("#reply")).to_have_value("Oi, Helena!\nSua visita será em Madalena, [Horário].")
    expect(page.locator("#reply")).to_be_focused()
    expect(entry).to_be_hidden()
    expect(page.locator("#reply-findings")).to_contain_text("não tem valor vigente")
    page.goto("/canned/")
    page.locator(".canned-row summary").click()
    page.locator(".places summary").click()
    assert faults(page) == []
