"""Q words the question on the chosen card; the customer's yes arrives as a card that one key accepts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from atendimento.selectors import reading
from memoria.state import SlotStatus
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
def test_asking_and_confirming_by_keys(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    page = open_ticket(ticket)
    page.keyboard.press("q")  # no card is chosen: nothing happens
    expect(page.locator("#reply")).to_have_value("")
    page.keyboard.press("k")  # the last card: the hour, to be confirmed
    page.keyboard.press("q")
    expect(page.locator("#reply")).to_have_value("Só confirmando: horário, quinta às 14h?")
    expect(page.locator("#reply")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type("q")  # in a field it is a letter
    expect(page.locator("#reply")).to_have_value("Só confirmando: horário, quinta às 14h?q")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stream")).to_contain_text("Só confirmando: horário, quinta às 14h?")
    world.say(ticket, "sim")
    card = page.locator("#memory [data-card]").filter(has_text="disse sim em")
    expect(card).to_be_visible()
    assert faults(page) == []
    page.locator("#reply").blur()
    card.click()
    page.keyboard.press("a")
    expect(card).to_have_count(0)
    assert reading.current_state(ticket.pk).slots["/facts/horario"].status is SlotStatus.CURRENT
