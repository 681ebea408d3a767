"""A supervisor looks for what a colleague corrected, and sees the ticket as it was then."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from atendimento.actions import slots
from atendimento.models import Ticket
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


def corrected(world: World) -> Ticket:
    """Ana accepts the customer's correction; Rui writes another appliance and another place down afterwards."""
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    version = world.accept(rows[:1])
    asked: dict[str, Any] = {"member": world.rui, "ticket_id": ticket.pk, "path": "/facts/aparelho"}
    slots.set_slot(**asked, value="freezer", expected_version=version)
    slots.set_slot(**asked | {"path": "/facts/bairro"}, value="Casa Forte", expected_version=version + 1)
    return ticket


def test_a_supervisor_filters_by_actor_and_sees_state_and_evidence_as_they_were(world: World, open_ticket: Open) -> None:
    ticket = corrected(world)
    page = open_ticket(member=world.silvia)
    page.locator("#menu summary").click()
    page.get_by_role("link", name="Correções").click()
    expect(page.locator(".correction-rows > li")).to_have_count(3)
    page.get_by_label("Quem").select_option(label="Ana Lima")
    page.get_by_role("button", name="Filtrar").click()
    row = page.locator(".correction-rows > li")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Boa Viagem")
    expect(row).to_contain_text("Madalena")
    expect(page.get_by_label("Quem")).to_have_value(str(world.ana.pk))

    row.get_by_text("Causa:").click()
    row.get_by_label("Qual foi a causa?").select_option(label="erro da equipe")
    row.get_by_role("button", name="Gravar a causa").click()
    expect(page.locator(".correction-rows > li")).to_have_count(1)
    expect(row).to_contain_text("erro da equipe")
    expect(row).to_contain_text("dita por Sílvia Reis")

    page.get_by_role("link", name=f"Atendimento {ticket.protocol}, versão 2").click()
    expect(page.get_by_text("Como estava na versão 2")).to_be_visible()
    state = page.locator(".groups")
    expect(state).to_contain_text("Madalena")
    expect(state).to_contain_text("geladeira")
    expect(state).not_to_contain_text("freezer")
    expect(state).not_to_contain_text("Casa Forte")
    expect(page.locator("#m-4 mark.state", has_text="na casa da minha mãe, na Madalena")).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_label("Quem")).to_have_value(str(world.ana.pk))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_its_screen_is_accessible(world: World, open_ticket: Open, scheme: Any, size: tuple[int, int]) -> None:
    corrected(world)
    page = open_ticket(member=world.silvia)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/corrections/?source=customer")
    page.locator(".cause summary").first.click()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
