"""An administrator counts and erases what is over its period; a customer is erased at a supervisor's request."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from atendimento.actions import tickets
from atendimento.models import Customer, Membership, Message, Ticket
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.live import LiveWorker
from tests.support.stories import World

LATE = 60_000


def admin(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def closed(world: World, settings: Any) -> Ticket:
    """The story of Recife, closed forty days ago, and nothing left to be read in it."""
    settings.OPENAI_BASE_URL = ""
    ticket = stories.recife(world)
    tickets.update_ticket(member=world.ana, ticket_id=ticket.pk, status="closed")
    Ticket.objects.filter(pk=ticket.pk).update(closed_at=timezone.now() - timedelta(days=40))
    return ticket


def fits(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    # The page is laid out anew after its size was set: not in the same moment on a busy machine.
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def test_what_is_over_its_period_is_counted_then_erased_and_reported(
    world: World, closed: Ticket, open_ticket: Open, live_worker: LiveWorker
) -> None:
    page = open_ticket(member=admin(world))
    page.goto("/admin/retention/")
    page.get_by_label("Mensagens", exact=True).fill("30")
    page.get_by_role("button", name="Salvar os prazos").click()
    expect(page.get_by_text("Os prazos foram salvos")).to_be_visible()

    page.get_by_role("link", name="Contar agora").click()
    row = page.get_by_role("row", name="Mensagens")
    expect(row).to_contain_text("1 atendimento")
    expect(row).to_contain_text(closed.protocol)
    expect(row).to_contain_text("mensagens: ")
    assert faults(page) == []
    fits(page, 390)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert not Message.objects.filter(text="").exists()

    page.get_by_text("Apagar agora").click()
    page.get_by_role("button", name="Apagar o que passou do prazo").click()
    runs = page.locator("#runs")
    expect(runs).to_contain_text("concluído", timeout=LATE)
    expect(runs).to_contain_text(re.compile(r"Mensagens\s*· 1 atendimento"))
    assert faults(page) == []
    world.enter()
    assert set(Message.objects.filter(ticket=closed).values_list("text", flat=True)) == {""}
    page.goto(f"/tickets/{closed.pk}/?pane=state")
    expect(page.locator("#memory")).to_contain_text("As mensagens em que se apoia foram apagadas")


def test_a_customer_is_erased_at_request_and_the_report_says_what_went(
    world: World, closed: Ticket, open_ticket: Open, live_worker: LiveWorker
) -> None:
    page = open_ticket(closed, world.silvia)
    page.goto(f"/customers/{closed.customer_id}/")
    expect(page.get_by_role("heading", name="Helena Melo")).to_be_visible()
    page.get_by_text("Pedir apagamento").first.click()
    page.get_by_label("Motivo, para o administrador").fill("pediu por e-mail")
    assert faults(page) == []
    page.get_by_role("button", name="Pedir apagamento").click()
    expect(page.get_by_text("aguarda decisão")).to_be_visible()
    fits(page, 390)
    page.set_viewport_size({"width": 1280, "height": 800})

    page = open_ticket(member=admin(world))
    page.goto("/admin/erasures/")
    expect(page.get_by_text("pediu por e-mail")).to_be_visible()
    page.get_by_text("Aprovar", exact=True).click()
    assert faults(page) == []
    page.get_by_role("button", name="Apagar para sempre").click()
    requests = page.locator("#requests")
    expect(requests).to_contain_text("Cliente apagado", timeout=LATE)
    requests.get_by_text("Relatório: 1 atendimento").click()
    for place in ("mensagens: 3", "eventos do histórico: 1", "cadastro do cliente: 1"):
        expect(requests).to_contain_text(place)
    assert faults(page) == []
    world.enter()
    assert Customer.objects.get(pk=closed.customer_id).name == ""
    page.goto(f"/tickets/{closed.pk}/")
    expect(page.locator("#merged")).to_contain_text("Apagado com o cliente")
    expect(page.locator("#composer")).to_have_count(0)
    page.goto("/admin/log/?area=erasure")
    expect(page.locator(".rows")).to_contain_text("fez apagar o cliente")
    assert faults(page) == []
