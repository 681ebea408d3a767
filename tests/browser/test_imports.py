"""A file dropped in a real browser, written by a real worker: preview, choices, visible progress, the ticket."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support.foreign import CHAT
from tests.support.live import LiveWorker
from tests.support.model_server import ModelServer
from tests.support.stories import World


def drop(page: Page, content: str, name: str = "Conversa do WhatsApp com Helena.txt") -> None:
    page.goto("/imports/")
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": content.encode()})
    page.get_by_role("button", name="Ler o arquivo").click()
    expect(page.get_by_role("heading", name="O que foi entendido")).to_be_visible()


def test_a_conversation_is_brought_in_and_taken_back(
    world: World, open_ticket: Open, live_worker: LiveWorker, model_server: ModelServer
) -> None:
    page = open_ticket(member=world.silvia)
    page.locator("#menu summary").click()
    page.get_by_role("link", name="Importar conversas").click()
    expect(page.get_by_role("heading", name="Importar conversas")).to_be_visible()
    drop(page, CHAT + "".join(f"26/03/2026 10:{n % 60:02} - Helena: mensagem {n}\n" for n in range(600)))
    expect(page.get_by_label("Helena")).to_have_value("customer")
    expect(page.get_by_label("Loja Centro")).to_have_value("agent")
    page.get_by_label("Assunto do atendimento novo").fill("Visita da geladeira")
    page.get_by_label("O modelo lê tudo").uncheck()
    page.get_by_role("button", name="Importar", exact=True).click()
    # No reload: the page asks for its progress until the worker is done.
    expect(page.locator("#outcome")).to_contain_text("604 mensagens foram importadas.", timeout=30_000)
    page.get_by_role("link", name="Visita da geladeira").click()
    expect(page.locator("#stream")).to_contain_text("mensagem 599")
    page.goto("/imports/")
    page.get_by_role("link", name="Conversa do WhatsApp com Helena.txt").click()
    page.get_by_text("Desfazer esta importação").click()
    page.get_by_role("button", name="Desfazer", exact=True).click()
    expect(page.locator("#outcome")).to_contain_text("Desfeita por Sílvia Reis")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_its_screens_are_accessible(world: World, open_ticket: Open, scheme: Any, size: tuple[int, int]) -> None:
    page = open_ticket(member=world.silvia)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    drop(
        page,
        "nada\n"
        + CHAT.replace("25/03", "05/03")
        + "31/02/2026 10:00 - Helena: perdida\n05/03/2026 15:00 - Helena: \u200ea.jpg (arquivo anexado)\n",
    )
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Importar", exact=True).click()
    expect(page.locator("#outcome progress")).to_be_visible()
    assert faults(page) == []
    page.goto("/imports/")
    assert faults(page) == []
