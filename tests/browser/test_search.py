"""The search by keys alone: the slash, typing, arrows, Enter, Esc and back."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


def test_found_chosen_and_opened_by_keys_alone(world: World, open_ticket: Open) -> None:
    ticket = world.ticket("Conversa longa")
    world.many(ticket, [f"conversa {number}" for number in range(1, 200)])
    world.say(ticket, "o endereço é Rua do Sol, 22")
    world.many(ticket, [f"conversa {number}" for number in range(201, 400)])
    page = open_ticket(stories.recife(world))
    before = page.url
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("endereco sol")
    panel = page.locator("#search-panel")
    option = panel.get_by_role("option", name="Rua do Sol")
    expect(option).to_be_visible()
    expect(option.locator("mark.found")).to_have_text(["endereço", "Sol"])
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(panel).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    assert page.locator("#search").get_attribute("aria-activedescendant") == option.get_attribute("id")
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/tickets/{ticket.pk}/**")
    expect(page.locator("#m-200")).to_be_in_viewport()
    expect(page.locator("#m-200 mark.found")).to_have_text(["endereço", "Sol"])
    page.go_back()
    page.wait_for_url(before)


def test_enter_leads_to_the_page_of_everything_and_back_returns_to_it(world: World, open_ticket: Open) -> None:
    for number in range(12):
        world.say(world.ticket(f"Visita {number}"), f"a geladeira {number} não gela")
    page = open_ticket()
    page.keyboard.press("/")
    page.keyboard.type('geladeira "não gela"')
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?**")
    expect(page.locator(".hits li")).to_have_count(10)
    page.get_by_role("link", name="Mais: Mensagens").click()
    expect(page.locator(".hits li")).to_have_count(12)
    page.locator(".hits li a").first.click()
    expect(page.locator("mark.found").first).to_be_visible()
    page.go_back()
    expect(page.locator(".hits li")).to_have_count(12)
