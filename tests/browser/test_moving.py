"""Splitting and merging in the browser: from the head's menu to the new ticket, by keyboard, and nothing for axe to find."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from atendimento.actions import tickets
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


def test_a_conversation_is_split_and_the_new_ticket_is_merged_back(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)

    page.locator("#more > summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Desmembrar…").click()
    expect(page.get_by_role("heading", name="Desmembrar este atendimento")).to_be_visible()
    page.get_by_label("Assunto").fill("Máquina de lavar")
    page.get_by_role("checkbox", name=re.compile("moro em Boa Viagem")).check()
    page.get_by_role("checkbox", name=re.compile("^Bairro da visita")).check()
    page.get_by_role("button", name="Desmembrar", exact=True).click()

    expect(page.get_by_role("heading", name="Máquina de lavar", level=1).first).to_be_attached()
    expect(page.locator("#head")).to_contain_text(f"desmembrado de {ticket.protocol}")
    expect(page.locator("#m-1")).to_contain_text(f"veio de {ticket.protocol} m-1")
    card = page.locator("#cards")
    expect(card).to_contain_text(f"Trazido de {ticket.protocol}")
    page.locator("#m-1").get_by_role("link", name=re.compile("veio de")).click()
    expect(page).to_have_url(re.compile(str(ticket.pk)))
    page.get_by_role("link", name=re.compile("deu origem a")).click()

    page.locator("#more > summary").click()
    page.get_by_role("link", name="Unir a outro…").click()
    page.get_by_role("link", name=re.compile(ticket.protocol)).last.click()
    expect(page.get_by_text("Unir não pode ser desfeito.")).to_be_visible()
    expect(page.get_by_text("o outro atendimento já tem um valor aqui")).to_be_visible()
    page.get_by_role("button", name="Unir", exact=True).click()

    banner = page.locator("#merged")
    expect(banner).to_contain_text(f"Unido a {ticket.protocol} por Ana Lima")
    expect(page.locator("#composer")).to_have_count(0)
    banner.get_by_role("link", name=f"Continuar em {ticket.protocol}").click()
    expect(page.locator("#head")).to_contain_text("recebeu")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_pages_fit_a_phone_and_axe_finds_nothing(world: World, open_ticket: Open, scheme: Any) -> None:
    ticket = stories.recife(world)
    tickets.create_ticket(
        caller=world.channel,
        ticket_type="assistencia-tecnica",
        subject="Cobrança em dobro, com um assunto que não cabe numa linha só de um telefone",
        customer=tickets.CustomerData(ticket.customer.external_id),
    )
    page = open_ticket(ticket)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(f"/tickets/{ticket.pk}/split")
    _fits(page)
    _clean(page)
    page.goto(f"/tickets/{ticket.pk}/merge")
    _fits(page)
    page.get_by_role("link", name=re.compile("Cobrança em dobro")).click()
    expect(page.get_by_role("button", name="Unir", exact=True)).to_be_visible()
    _fits(page)
    _clean(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Unir", exact=True).click()
    expect(page.locator("#merged")).to_be_visible()
    _clean(page)


def _clean(page: Page) -> None:
    page.wait_for_load_state("load")  # with its look
    assert faults(page) == []


def _fits(page: Page) -> None:
    expect(page.locator("#content")).to_be_visible()
    page.wait_for_load_state("load")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate("(el => el.scrollWidth <= el.clientWidth)(document.getElementById('content'))")
