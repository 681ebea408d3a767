"""A ticket about two appliances: each has its cards, its section of the state and its own consequences."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import appliances
from tests.support.stories import World, change

FRIDGE, STOVE = "Aparelho: geladeira Consul", "Aparelho: fogão Dako"


def card(page: Page, label: str) -> Locator:
    return page.locator("#memory [data-card]").filter(has=page.locator("h3", has_text=re.compile(f"^{re.escape(label)}$")))


def whole(page: Page, label: str) -> Locator:
    """The button that accepts all that would begin a group."""
    return page.locator(".new-group", has_text=label).locator("> form button")


def section(page: Page, label: str) -> Locator:
    return page.locator(".group").filter(has=page.get_by_role("heading", name=label, exact=True))


def test_two_appliances_in_one_ticket(world: World, open_ticket: Open) -> None:
    ticket, rows = appliances.two(world, most=4)
    page = open_ticket(ticket)
    time = card(page, f"{FRIDGE} · Horário da visita")
    whole(page, STOVE).click()
    expect(card(page, f"{STOVE} · Modelo")).to_have_count(0)
    time.locator("summary[data-key=e]").click()  # the time was the stove's: it is moved without being typed again
    time.get_by_label("De qual").select_option(label=STOVE)
    time.get_by_role("button", name="Aceitar com a edição").click()
    expect(time).to_have_count(0)
    page.emulate_media(color_scheme="dark")
    assert faults(page) == []
    whole(page, FRIDGE).click()
    expect(page.locator("#memory")).to_contain_text("Nada a decidir")

    page.locator("#memory [data-pane=state]").click()
    place = section(page, FRIDGE).locator("details.slot", has_text="Horário da visita")
    place.locator("summary").first.click()
    place.locator("[name=value]").fill("sexta às 9h")
    place.locator("[name=value]").press("Enter")
    expect(section(page, FRIDGE)).to_contain_text("sexta às 9h")
    more = page.locator("#add-items")
    more.locator("> summary").click()
    more.locator("[name=value]").first.fill("micro-ondas")  # what names it is asked for first
    more.locator("[name=value]").first.press("Enter")
    expect(section(page, "Aparelho: micro-ondas")).to_be_visible()
    expect(more).not_to_have_attribute("open", "")
    more.locator("> summary").click()
    expect(more.locator("[name=value]").first).to_have_value("")
    expect(more.locator("[name=value]").first).to_be_visible()
    more.locator("> summary").click()

    page.locator("#memory [data-pane=decide]").click()
    expect(page.locator("#memory")).to_have_attribute("data-pane", "decide")
    world.say(ticket, "O fogão agora está na Rua da Aurora, 5")
    world.propose(ticket, change(rows[3].path, "Rua da Aurora, 5", ("m-2", "Rua da Aurora, 5")))
    moved = card(page, f"{STOVE} · Endereço da visita")
    expect(moved.locator(".falls")).to_contain_text(f"{STOVE} · Horário da visita")
    expect(moved.locator(".falls li")).to_have_count(1)  # the other appliance's time does not fall
    moved.locator("button[data-key=a]").click()
    confirm = card(page, f"{STOVE} · Horário da visita")
    confirm.get_by_role("button", name="Pedir ao cliente").click()
    expect(page.locator("#reply")).to_have_value(re.compile("horário da visita .Aparelho: fogão Dako., quinta às 14h"))

    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/tickets/{ticket.pk}/?pane=state&show=memory")
    expect(section(page, STOVE)).to_contain_text("precisa confirmar")
    expect(section(page, FRIDGE)).not_to_contain_text("precisa confirmar")
    page.evaluate("document.querySelectorAll('#memory details').forEach(details => { details.open = true; })")
    assert faults(page) == []
    expect(page.locator("body")).to_have_js_property("scrollWidth", 390)
