"""A policy changes from draft over simulation and publishing to its effect, as an administrator and an agent see it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from atendimento.actions.expiring import expire_values
from atendimento.actions.publications import run_publication
from atendimento.actions.simulations import run_simulation
from atendimento.actions.slots import set_slot
from atendimento.ledger import now
from atendimento.models import Membership, Publication, Simulation, Ticket
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World, change

TYPE = "/admin/ticket-types/assistencia-tecnica/"


@pytest.fixture
def admin_page(world: World, open_ticket: Open) -> Page:
    return open_ticket(member=Membership.objects.get(organization=world.ana.organization, role="admin"))


@pytest.fixture
def ticket(world: World) -> Ticket:
    """A ticket with an appliance by the registry and one by the staff, each decided."""
    made = stories.recife(world)
    world.say(made, "Aparelho: geladeira", "registry", "Cadastro")
    world.accept(world.propose(made, change("/facts/aparelho", "geladeira", ("m-4", "geladeira"))))
    made.refresh_from_db()
    set_slot(member=world.ana, ticket_id=made.pk, path="/facts/orcamento", value=80, expected_version=made.state_version)
    return made


def work(world: World) -> None:
    """What the workers do."""
    world.enter()
    for row in Simulation.objects.filter(status__in=["queued", "running"]):
        run_simulation(organization_id=row.organization_id, simulation_id=row.pk)
    for publication in Publication.objects.filter(status__in=["queued", "running"]):
        run_publication(organization_id=publication.organization_id, publication_id=publication.pk)


def test_a_policy_goes_from_draft_over_simulation_and_publishing_to_its_effect(
    world: World, ticket: Ticket, admin_page: Page
) -> None:
    page = admin_page
    page.goto(TYPE)
    page.get_by_role("button", name="Editar num rascunho").click()

    # The draft: only the customer may say what appliance it is, and a budget is at least 100 and holds for 30 days.
    page.get_by_role("link", name="Aparelho", exact=True).click()
    for source in ("registry", "agent"):
        page.locator(f'button[value="drop:{source}"]').click()
        expect(page.locator(f"#source-{source}")).to_have_count(0)
    page.get_by_role("link", name="Orçamento", exact=True).click()
    page.get_by_label("Vale por", exact=True).fill("P30D")
    page.get_by_label("O que cabe, em JSON Schema").fill('{"type": "number", "minimum": 100}')
    page.get_by_role("button", name="Salvar o campo").click()
    expect(page.locator("#differences").locator("..")).to_contain_text("vale por: — → 30 dias")

    # Simulated: what was decided on the appliance and the budget would be refused.
    page.get_by_role("button", name="Simular", exact=True).click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    work(world)
    expect(page.locator("#simulation [role=status]")).to_contain_text("seriam decididas de outro modo")
    page.get_by_role("link", name="Aparelho", exact=True).click()
    expect(page.get_by_text("Sob o rascunho", exact=True)).to_be_visible()
    expect(page.locator(".answers .card").first).to_contain_text("Sob a versão 1, em vigor então")
    expect(page.locator(".answers .card").last).to_contain_text("recusada")
    assert faults(page) == []
    page.get_by_role("link", name="À simulação").click()
    page.get_by_role("link", name="Ao rascunho").click()

    # Published: the registry's appliance is to be confirmed, the budget of 80 is withdrawn.
    page.get_by_role("button", name="Publicar", exact=True).click()
    appliance = page.get_by_role("group", name="Aparelho")
    expect(appliance).to_contain_text("A fonte em que se apoia não pode mais dizê-lo. 1 em atendimentos abertos")
    expect(appliance.get_by_label("Precisa confirmar")).to_be_checked()
    page.get_by_role("group", name="Orçamento").get_by_label("Retirar").check()
    assert faults(page) == []
    page.get_by_role("button", name="Publicar a versão 2").click()
    expect(page.locator("#publication progress")).to_be_visible()
    work(world)
    expect(page.locator("#publication")).to_contain_text("1 valor aguarda confirmação e 1 valor foi retirado.")

    # Its effect: the ticket shows both, and history says why.
    page.goto(f"/tickets/{ticket.pk}/?pane=history&show=memory")
    expect(page.locator("#memory")).to_contain_text("tratou o que a versão 2 do tipo não aceita mais")
    page.goto(f"/tickets/{ticket.pk}/?pane=state&show=memory")
    row = page.locator("details.slot", has_text="Aparelho").first
    expect(row).to_contain_text("precisa confirmar")
    world.enter()
    version = Ticket.objects.get(pk=ticket.pk).state_version
    set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/orcamento", value=120, expected_version=version)
    page.reload()
    expect(page.locator("details.slot", has_text="Orçamento").first).to_contain_text("vale até")
    assert expire_values(world.ana.organization, now()) == 0


@pytest.mark.parametrize(("scheme", "size"), [("light", (1440, 900)), ("dark", (390, 844))], ids=["wide", "narrow"])
def test_its_screens_are_accessible(world: World, ticket: Ticket, admin_page: Page, scheme: Any, size: tuple[int, int]) -> None:
    page = admin_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(TYPE)
    page.get_by_role("button", name="Editar num rascunho").click()
    page.get_by_role("link", name="Aparelho", exact=True).click()
    page.locator('button[value="drop:registry"]').click()
    expect(page.locator("#source-registry")).to_have_count(0)
    page.get_by_role("button", name="Simular", exact=True).click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    address = page.url
    assert faults(page) == []
    work(world)
    world.enter()
    difference = Simulation.objects.get().differences.first()
    assert difference is not None
    for path in (address, f"{address}{difference.pk}", f"{TYPE}draft/", f"{TYPE}draft/publish"):
        page.goto(path)
        assert faults(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_what_was_typed_in_one_form_of_a_draft_is_not_lost_by_another_s_button(admin_page: Page) -> None:
    page = admin_page
    page.goto(TYPE)
    page.get_by_role("button", name="Editar num rascunho").click()
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    head = page.locator("form", has=page.get_by_role("button", name="Salvar nome e descrição"))
    expect(head.get_by_text("não salvo")).to_be_hidden()
    head.get_by_label("Nome", exact=True).press_sequentially("!")
    expect(head.get_by_text("não salvo")).to_be_visible()
    page.get_by_role("button", name="Salvar quando ele lê").click(no_wait_after=True)
    expect(head.get_by_label("Nome", exact=True)).to_have_value(re.compile("!"))
    head.get_by_role("button", name="Salvar nome e descrição").click()
    expect(head.get_by_text("Salvo.")).to_be_visible()
    assert asked == ["beforeunload"]

    head.get_by_label("Nome", exact=True).fill("")
    head.get_by_role("button", name="Salvar nome e descrição").click()
    expect(page.locator(".notice").get_by_role("link", name="O próprio tipo")).to_be_visible()
    assert faults(page) == []
