"""The line about what changed opens to it; what arrives while one looks is seen, and asked about no more."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from atendimento.actions import console
from atendimento.models import TicketVisit
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
def test_since_you_were_here(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    console.note_visit(member=world.ana, ticket_id=ticket.pk)
    world.accept(stories.correction(world, ticket)[:1], world.rui)
    page = open_ticket(ticket)
    line = page.locator("#since")
    expect(line).to_contain_text("Desde que você abriu: 3 mensagens, 1 decisão")
    line.locator("summary").click()
    expect(line).to_contain_text("Bairro da visita: Boa Viagem → Madalena")
    assert faults(page) == []
    expect(line.get_by_role("link", name="Da primeira mensagem nova")).to_have_attribute("href", "?m=4#m-4")
    with page.expect_response(lambda answer: answer.url.endswith("/seen")):
        world.say(ticket, "mais uma, que chega agora")
    expect(page.locator("#stream")).to_contain_text("mais uma, que chega agora")
    ticket.refresh_from_db()
    with page.expect_response(lambda answer: answer.url.endswith("/seen")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert TicketVisit.objects.get(member=world.ana).seen_message == ticket.last_message_number
    page.reload()
    expect(page.locator("#live[data-state=on]")).to_be_attached()
    expect(page.locator("#since")).to_have_count(0)
