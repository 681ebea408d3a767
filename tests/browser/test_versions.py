"""Through the versions by keyboard: the slider says where it stands, and its form goes there."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


def test_the_slider_is_moved_and_sent_by_keyboard(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    page = open_ticket(ticket)
    page.goto(f"/tickets/{ticket.pk}/?pane=state")
    slider = page.get_by_role("slider", name="Estado na versão")
    expect(slider).to_have_value("2")

    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".versions output")).to_have_text("v1")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"version=1"))
    expect(page.get_by_text("Como estava na versão 1")).to_be_visible()
    expect(page.locator("mark.state", has_text="moro em Boa Viagem")).to_be_visible()
    page.get_by_role("link", name="Versão seguinte").click()
    expect(page).to_have_url(re.compile(r"version=2"))


def test_two_versions_are_chosen_and_compared(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    page = open_ticket(ticket)
    page.goto(f"/tickets/{ticket.pk}/?pane=history")

    page.get_by_label("Da versão", exact=True).select_option("0")
    page.get_by_role("button", name="Comparar").click()

    expect(page).to_have_url(re.compile(r"from=0&to=2"))
    expect(page.get_by_role("heading", name="O que difere entre a versão 0 e a versão 2")).to_be_visible()
    page.reload()
    expect(page.locator(".compared")).to_contain_text("Madalena")
