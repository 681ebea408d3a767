"""A card words a question or a note into the composer; what stands there stays, and nothing is sent."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from atendimento.models import Message
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
def test_a_question_and_a_note_are_drafted_below_what_stands_there(world: World, open_ticket: Open) -> None:
    ticket = stories.divergence(world)
    said = Message.objects.filter(ticket=ticket).count()
    page = open_ticket(ticket)
    reply = page.locator("#reply")
    reply.fill("Bom dia!")
    page.locator("#memory .card").get_by_role("button", name="Pedir ao cliente").first.click()
    expect(reply).to_be_focused()
    assert reply.input_value().startswith("Bom dia!\nQual resposta vale para “Endereço”")
    page.locator("#memory .card").get_by_role("button", name="Encaminhar ao supervisor").first.click()
    expect(page.locator("[name=kind][value=note][type=radio]")).to_be_checked()
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    assert Message.objects.filter(ticket=ticket).count() == said
