"""The queue keeps its place; a ticket is taken, handed on and put off by keys and by dialogs over it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from atendimento.models import Handing, Ticket
from tests.browser.conftest import Open
from tests.support.stories import World, change


def top_of(page: Page) -> float:
    return float(page.locator("#queue-scroll").evaluate("box => box.scrollTop"))


def test_opening_a_ticket_and_going_back_keeps_rows_scroll_and_row(world: World, open_ticket: Open) -> None:
    for number in range(65):
        world.ticket(f"Atendimento {number:02}")
    page = open_ticket(query="?view=all")
    expect(page.locator("#tickets li a")).to_have_count(31)
    page.locator("#more-tickets a").click()
    expect(page.locator("#tickets [id^=row-]")).to_have_count(60)
    row = page.locator("#tickets a", has_text="Atendimento 15")
    row.scroll_into_view_if_needed()
    before = top_of(page)
    assert before > 300

    row.click()
    expect(page.locator("#head h1")).to_have_text("Atendimento 15")
    expect(page.locator("#tickets [id^=row-]")).to_have_count(60)
    chosen = page.locator("#tickets a[aria-current]")
    expect(chosen).to_contain_text("Atendimento 15")
    expect(chosen).to_be_in_viewport()

    page.go_back()
    expect(page).to_have_url(re.compile(r"view=all&rows=60"))
    expect(page.locator("#tickets [id^=row-]")).to_have_count(60)
    expect(page.locator("#tickets a.last")).to_contain_text("Atendimento 15")
    expect(page.locator("#tickets a.last")).to_be_in_viewport()
    assert abs(top_of(page) - before) < 40


@pytest.mark.console_errors  # the refusal is answered 400
def test_a_ticket_is_taken_transferred_and_snoozed(world: World, open_ticket: Open) -> None:
    ticket = world.ticket("Geladeira parada")
    world.say(ticket, "uso geladeira")
    world.propose(ticket, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    page = open_ticket(ticket)

    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.locator("#head .face")).to_have_attribute("title", re.compile("Ana Lima"))

    expect(page.locator("#live[data-state=on]")).to_be_attached()
    page.keyboard.press("g")
    page.keyboard.press("z")
    here = page.url
    page.get_by_role("button", name="Adiar até lá").click()  # without a date: said in the dialogue, over the same page
    expect(page.locator("dialog[open]").get_by_role("alert")).to_be_visible()
    assert page.url == here
    page.locator("dialog[open] button[value=tomorrow]").click()
    expect(page.locator("#head")).to_contain_text("adiado até")
    page.get_by_role("button", name="Reabrir").click()
    expect(page.locator("#head [data-dialog=closing]")).to_be_visible()
    expect(page.locator("#live[data-state=on]")).to_be_attached()

    page.keyboard.press("g")
    page.keyboard.press("t")
    dialog = page.locator("dialog[open]")
    expect(dialog.locator("#hand-to")).to_be_focused()
    dialog.get_by_role("button", name="Cancelar").click()
    expect(dialog).to_have_count(0)
    page.locator("#more summary").click()
    page.get_by_role("link", name="Transferir…").click()
    dialog.locator("#hand-to").select_option(label="Rui Prado")
    dialog.locator("#hand-note").fill("Ele conhece o endereço.")
    dialog.get_by_role("button", name="Transferir").click()
    expect(page.locator("#head .face")).to_have_attribute("title", re.compile("Rui Prado"))
    expect(page.locator("#stream .msg").last).to_contain_text("Ele conhece o endereço.")
    assert list(Handing.objects.order_by("pk").values_list("kind", flat=True)) == ["assumed", "transferred"]
    ticket.refresh_from_db()
    assert ticket.assignee == world.rui


@pytest.mark.console_errors  # the refusal is answered 409
def test_who_has_it_by_now_is_said_before_it_is_taken(world: World, open_ticket: Open) -> None:
    ticket = world.ticket("Geladeira parada")
    page = open_ticket(ticket)
    Ticket.objects.filter(pk=ticket.pk).update(assignee=world.rui)
    page.get_by_role("button", name="Assumir").click()
    expect(page.get_by_role("alert")).to_contain_text("mudou de mãos")
    ticket.refresh_from_db()
    assert ticket.assignee == world.rui
    page.get_by_role("button", name="Assumir mesmo assim").click()
    expect(page.locator("#head .face")).to_have_attribute("title", re.compile("Ana Lima"))
