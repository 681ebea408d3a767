"""The visit in Recife: a correction arrives live, its cascade is read, and everything is decided by keyboard."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from atendimento.models import Proposal, Ticket, TicketState
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.live import LiveWorker
from tests.support.model_server import ModelServer
from tests.support.stories import World


def settled(ticket: Ticket) -> None:
    """Wait until the worker owes this ticket nothing."""
    deadline = time.monotonic() + 30
    while Proposal.objects.filter(ticket=ticket, status__in=["queued", "running"]).exists():
        assert time.monotonic() < deadline, "the worker did not come to an end"
        time.sleep(0.05)


def proposed(path: str, value: Any, message: str, quote: str) -> dict[str, Any]:
    return {
        "op": "add",
        "path": path,
        "value": value,
        "evidence": [{"message": message, "quote": quote}],
        "inference": False,
        "reason": None,
    }


def chosen(page: Page) -> str:
    return page.locator("#memory .card.on h3").inner_text()


@pytest.mark.timeout(240)
def test_the_correction_arrives_and_is_decided_without_a_mouse(
    world: World, live_worker: LiveWorker, model_server: ModelServer, open_ticket: Open
) -> None:
    ticket = stories.recife(world)
    settled(ticket)
    page = open_ticket(ticket)
    expect(page.locator("#memory")).to_contain_text("Nada a decidir")
    page.locator("#reply").fill("Estou escrevendo algo que não se perde")

    # The correction arrives by itself, and what is being written stays.
    model_server.answer(
        proposed("/facts/bairro", "Madalena", "m-4", "na casa da minha mãe, na Madalena"),
        proposed("/preferences/periodo", "tarde", "m-4", "pode ser à tarde"),
        proposed("/facts/aparelho", "freezer", "m-4", "O aparelho"),
    )
    world.say(ticket, "O aparelho está na casa da minha mãe, na Madalena. E pode ser à tarde")
    card = page.locator("#memory .card", has_text="Bairro da visita")
    expect(card).to_be_visible(timeout=20_000)
    expect(page.locator("#stream")).to_contain_text("na casa da minha mãe, na Madalena")
    expect(page.locator("#reply")).to_have_value("Estou escrevendo algo que não se perde")
    expect(page.locator("#announce")).not_to_be_empty()

    # What it invalidates is read before it is decided; its words are lit.
    expect(card.locator(".falls")).to_contain_text("Horário:quinta às 14h")
    page.locator("#reply").press("Escape")
    page.keyboard.press("j")
    assert chosen(page) == "Bairro da visita"
    expect(page.locator("mark.lit")).to_have_text("na casa da minha mãe, na Madalena")

    # Accept; the focus goes to the next change.
    page.keyboard.press("a")
    expect(page.locator("[data-toast]")).to_contain_text("Aceito: Bairro da visita, Madalena")
    expect(page.locator("#memory .card.on h3")).to_have_text("Período preferido")
    expect(page.locator("#memory .card", has_text="Horário").locator(".chip.confirm")).to_be_visible()
    expect(page.locator("#m-1 .margin")).to_contain_text("Bairro da visita: substituído por m-4")

    # Edit with the field's own control.
    page.keyboard.press("e")
    select = page.locator("#memory .card.on select[name=value]")
    expect(select).to_be_focused()
    select.select_option(label="noite")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#memory .card.on h3")).to_have_text("Aparelho")

    # Reject by digit, take the rejection back.
    page.keyboard.press("r")
    page.keyboard.press("1")
    expect(page.locator("[data-toast]").last).to_contain_text("Rejeitado: Aparelho, freezer")
    expect(page.locator("#memory .card", has_text="Aparelho")).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#memory .card", has_text="Aparelho")).to_be_visible()

    # Confirm what the correction put in doubt.
    page.locator("#memory .card", has_text="Horário").click()
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    expect(page.locator("#memory .card .chip.confirm")).to_have_count(0)

    held = TicketState.objects.get(ticket=ticket).values
    assert held["facts"]["bairro"] == "Madalena"
    assert held["preferences"]["periodo"] == "noite"
    assert held["facts"]["aparelho"] == "geladeira"
    assert TicketState.objects.get(ticket=ticket).slots["/facts/horario"]["status"] == "current"
