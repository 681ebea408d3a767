"""The whole decision loop in a browser that runs no script: every step is a form that is answered by a page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from atendimento.actions.canned import save_canned
from atendimento.models import Message, Ticket, TicketState
from tests.support import stories
from tests.support.live import LiveServer
from tests.support.stories import World, change

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser_options() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 900}, "locale": "pt-BR", "java_script_enabled": False}


@pytest.fixture
def signed_in(page: Page, context: BrowserContext, world: World, live_server: LiveServer) -> Page:
    client = Client()
    client.force_login(world.ana.user, "allauth.account.auth_backends.AuthenticationBackend")
    cookie = client.cookies["lastro_session"].value
    context.add_cookies([{"name": "lastro_session", "value": cookie, "url": live_server.url}])
    return page


def card(page: Page, label: str) -> Any:
    return page.locator("#memory [data-card]", has=page.get_by_role("heading", name=label, exact=True))


def held(ticket: Ticket) -> Any:
    return TicketState.objects.get(ticket=ticket).values


def test_from_the_queue_through_every_decision(signed_in: Page, world: World) -> None:
    page = signed_in
    ticket = stories.recife(world)
    stories.correction(world, ticket)

    # The queue's filters are addresses, and a ticket is a link.
    page.goto("/?view=decide")
    page.locator("#tickets a", has_text="Visita da geladeira").click()

    # Accept, and take it back.
    card(page, "Bairro da visita").get_by_role("button", name="Aceitar").click()
    expect(page.locator("[data-toast]")).to_be_visible()
    world.enter()
    assert held(ticket)["facts"]["bairro"] == "Madalena"
    page.locator("[data-undo] button").click()
    expect(card(page, "Bairro da visita")).to_be_visible()

    # Edit.
    edit = card(page, "Orçamento")
    edit.locator("summary[data-key=e]").click()
    edit.get_by_label("Orçamento").fill("420")
    edit.get_by_role("button", name="Aceitar com a edição").click()
    world.enter()
    assert held(ticket)["facts"]["orcamento"] == 420

    # Reject, with a reason of the organisation's or without one.
    rejected = card(page, "Período preferido")
    rejected.locator("summary[data-key=r]").click()
    rejected.get_by_role("button", name="Sem motivo").click()
    expect(card(page, "Período preferido")).to_have_count(0)

    # What falls with the correction is confirmed on one's own word.
    card(page, "Bairro da visita").get_by_role("button", name="Aceitar").click()
    doubtful = card(page, "Horário")
    doubtful.locator("summary[data-key=c]").click()
    doubtful.locator("[name=ground][value=me]").check()
    doubtful.locator("[data-confirm]").click()
    expect(card(page, "Horário")).to_have_count(0)
    world.enter()
    assert TicketState.objects.get(ticket=ticket).slots["/facts/horario"]["status"] == "current"


def test_the_customer_stands_beside_the_conversation_and_a_report_leads_to_its_field(signed_in: Page, world: World) -> None:
    page, ticket = signed_in, stories.recife(world)
    page.goto(f"/tickets/{ticket.pk}/")
    expect(page.locator("[data-customer-toggle]")).to_be_hidden()
    page.locator("#head").get_by_role("link", name="Cliente").click()
    expect(page.locator("#customer")).to_contain_text("Contato")
    expect(page.locator("#customer h2")).to_contain_text("Helena Melo")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#customer h2")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.locator("#head").get_by_role("link", name="Cliente").click()
    expect(page.locator("#customer")).to_be_hidden()

    page.locator("[data-report=customer]").click()
    expect(page.locator("#report-place")).to_be_hidden()
    page.locator(".report").get_by_role("link", name="Orçamento").click()
    expect(page.locator(":target")).to_contain_text("Orçamento")


@pytest.mark.console_errors  # so is a value that its schema refuses
def test_several_at_once_a_divergence_and_a_value_of_ones_own(signed_in: Page, world: World) -> None:
    page = signed_in
    ticket = stories.divergence(world)
    world.say(ticket, "A geladeira faz barulho à noite")
    world.propose(
        ticket,
        change("/facts/aparelho", "geladeira", ("m-3", "A geladeira")),
        change("/facts/sintoma", "barulho à noite", ("m-3", "faz barulho à noite")),
    )
    page.goto(f"/tickets/{ticket.pk}/")

    page.locator("#bulk form.bulk button").click()
    expect(card(page, "Aparelho")).to_have_count(0)

    # The question about a divergence goes into the composer.
    card(page, "Endereço").locator("[data-compose]").first.click()
    expect(page.locator("#reply")).to_have_value(re.compile("Rua do Sol, 22"))
    page.goto(f"/tickets/{ticket.pk}/")
    settled = card(page, "Endereço")
    settled.locator("summary[data-key=e]").click()
    settled.get_by_label(re.compile("Rua das Flores, 10")).check()
    settled.get_by_label("Motivo").fill("confirmado por telefone")
    settled.locator("form[action$='/resolve'] button.main").click()
    page.goto(f"/tickets/{ticket.pk}/?pane=state")

    # What is refused comes back with what was typed.
    row = page.locator("#memory .slot", has_text="Pedido")
    row.locator("summary").first.click()
    row.get_by_label("Pedido").fill("doze")
    row.locator("form[action$='/set'] button.main").click()
    expect(page.locator("#memory").get_by_label("Pedido")).to_have_value("doze")
    expect(page.locator("#memory [role=alert]")).to_be_visible()

    row = page.locator("#memory .slot", has_text="Orçamento")
    row.locator("summary").first.click()
    row.get_by_label("Orçamento").fill("420")
    row.locator("form[action$='/set'] button.main").click()
    expect(page.locator("[data-toast]")).to_be_visible()

    world.enter()
    values = held(ticket)
    assert values["facts"] | {"aparelho": "geladeira", "sintoma": "barulho à noite", "orcamento": 420} == values["facts"]
    assert values["facts"]["endereco"] == "Rua das Flores, 10"
    assert TicketState.objects.get(ticket=ticket).slots["/facts/endereco"]["status"] == "current"


@pytest.mark.console_errors  # a reply that asks once more is answered 409
def test_a_reply_a_note_a_question_and_the_end(signed_in: Page, world: World) -> None:
    page = signed_in
    save_canned(member=world.silvia, title="Saudação", text="Olá! Aqui é a Frio Certo.")
    ticket = stories.recife(world)
    page.goto(f"/tickets/{ticket.pk}/?show=talk")

    # A canned reply, from its own page, stands in the composer afterwards.
    page.locator("#canned summary").click()
    page.locator("#canned a", has_text="Escolher").click()
    page.get_by_role("button", name=re.compile("Saudação")).click()
    expect(page.locator("#reply")).to_have_value("Olá! Aqui é a Frio Certo.")

    # A reply that the state does not bear out asks once more, and keeps its words.
    page.locator("#reply").fill("Pronto: já consultei a agenda.")
    page.locator("#composer button.main").click()
    expect(page.locator("#reply")).to_have_value("Pronto: já consultei a agenda.")
    expect(page.locator("#composer .findings")).to_be_visible()
    page.locator("#composer button.main").click()
    expect(page.locator("#stream")).to_contain_text("já consultei a agenda")

    page.locator("#reply").fill("ligar depois do almoço")
    page.locator("#composer [value=note]").check()
    page.locator("#composer button.main").click()
    expect(page.locator("#stream .note")).to_contain_text("ligar depois do almoço")

    page.get_by_role("link", name="Encerrar").click()
    page.get_by_role("button", name=re.compile("Encerrar")).click()
    expect(page.locator("#head")).to_contain_text("Reabrir")
    world.enter()
    assert Ticket.objects.get(pk=ticket.pk).status == "closed"
    assert Message.objects.filter(ticket=ticket, internal=True).count() == 1
