"""The next step is one line, however much there is to do; it opens to all of it, and stays open over what others do."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from atendimento.actions import slots
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World


@pytest.mark.timeout(120)
def test_the_line_keeps_its_height_and_opens_to_everything(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    page = open_ticket(ticket)
    line = page.locator("#next-step")
    expect(line).to_contain_text("Horário (precisa confirmar)")
    height = "element => element.getBoundingClientRect().height"
    before = line.evaluate(height)
    ticket.refresh_from_db()
    task = {"task": "ligar para a cliente " + "e contar tudo " * 20, "owner": "team", "due": "2020-01-02"}
    slots.set_slot(
        member=world.rui, ticket_id=ticket.pk, path="/commitments/-", value=task, expected_version=ticket.state_version
    )
    expect(line).to_contain_text("Compromisso vencido")
    assert line.evaluate(height) == before
    line.locator("summary").click()
    expect(line.locator("li").first).to_contain_text("até 02/01/2020")
    assert line.locator("li").first.evaluate("element => element.scrollWidth <= element.clientWidth")
