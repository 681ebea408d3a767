"""The customer beside the conversation, opened and closed by keys; a tab of its own where the page is narrow."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from atendimento.actions.customers import change_contact
from atendimento.actions.tickets import CustomerData, create_ticket
from atendimento.selectors.customer import fingerprint
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


@pytest.mark.console_errors
def test_opened_by_key_remembered_and_closed(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)
    panel = page.locator("#customer")
    expect(panel).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(panel.get_by_role("heading", name="Helena Melo")).to_be_visible()
    expect(panel).to_be_focused()
    panel.get_by_text("Mudar o contato").click()
    panel.get_by_label("Nome").fill("Helena de Melo")
    panel.get_by_role("button", name="Salvar").click()
    expect(page.locator("#head .sub")).to_contain_text("Helena de Melo")
    panel.get_by_text("Mudar o contato").click()
    panel.get_by_label("Telefone").fill("+55 81 9")
    contact = {"name": "Helena de Melo", "phone": "+5581900000001", "email": ""}
    same = CustomerData(ticket.customer.external_id)
    kind = {"ticket_type": "assistencia-tecnica", "channel": "whatsapp"}
    other, _new = create_ticket(caller=world.channel, subject="Outra visita", customer=same, **kind)
    seen = fingerprint("Helena de Melo", "", "")
    change_contact(member=world.rui, ticket_id=other.pk, contact=contact, seen=seen)
    expect(panel.locator("dd").first).to_have_text("+55 (81) 90000-0001")
    expect(panel.get_by_role("link", name="Outra visita")).to_be_visible()
    expect(panel.get_by_label("Telefone")).to_have_value("+55 81 9")
    panel.get_by_role("button", name="Salvar").click()
    expect(panel.get_by_role("alert")).to_contain_text("Alguém mudou isto")
    page.reload()
    expect(panel.get_by_role("heading", name="Helena de Melo")).to_be_visible()
    panel.get_by_role("button", name="Fechar o cliente").click()
    expect(panel).to_be_hidden()
    expect(page.locator("[data-customer-toggle]")).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("link", name="Cliente", exact=True).click()
    expect(panel.get_by_role("heading", name="Helena de Melo")).to_be_visible()
    expect(page.locator("#memory")).to_be_hidden()
