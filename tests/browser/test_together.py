"""Two people in two browsers on one ticket: each sees the other, and what both touch is decided once and told to both."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from atendimento.actions.erasures import approve, request_erasure, work
from atendimento.models import LedgerEvent, Membership, ProposedChange, Ticket
from tests.browser.conftest import Open, sign_in
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.live import LiveServer
from tests.support.stories import World

Beside = Callable[[Ticket], Page]
PLACE = "Bairro da visita"


def card(page: Page, label: str = PLACE) -> Locator:
    return page.locator("#memory [data-card]").filter(has=page.locator("h3", has_text=label))


def edit(page: Page, text: str, label: str = PLACE) -> Locator:
    """Type another value into the card's form, and stay in it."""
    card(page, label).locator("summary[data-key=e]").click()
    field = card(page, label).locator("[name=value]")
    field.fill(text)
    return field


def test_who_is_here_and_who_edits_which_card_is_seen_and_ends(world: World, open_ticket: Open, open_beside: Beside) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    ana = open_ticket(ticket)
    expect(ana.locator("#here")).to_be_hidden()
    rui = open_beside(ticket)
    expect(ana.locator("#here li")).to_have_text(["RPRui Prado"])
    expect(rui.locator("#here li")).to_have_text(["ALAna Lima"])
    edit(rui, "Casa Forte")
    expect(card(ana).locator(".busy-tag")).to_have_text("Rui Prado está editando")
    expect(ana.locator(".busy-tag")).to_have_count(1)
    rui.keyboard.press("Escape")
    rui.locator("#reply").fill("Bom dia, Helena")
    expect(ana.locator("#writing")).to_have_text("Rui Prado está escrevendo uma resposta")
    expect(ana.locator(".busy-tag")).to_have_count(0)
    second = rui.context.new_page()
    second.goto(rui.url)
    expect(second.locator("#here li")).to_have_text(["ALAna Lima"])
    rui.close()
    expect(ana.locator("#writing")).to_have_text("")
    expect(ana.locator("#here li")).to_have_count(1)  # two pages of one person are one
    second.close()
    expect(ana.locator("#here")).to_be_hidden()


def test_what_is_typed_in_a_card_is_there_again_after_a_look_at_another_tab(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    edit(page, "Casa Forte")
    page.locator("#memory [data-pane=history]").click()
    expect(page.locator("#memory .events")).to_be_visible()
    world.accept(rows[:1], world.rui)  # a colleague's decision meanwhile takes neither card nor text
    page.locator("#memory [data-pane=decide]").click()
    expect(card(page)).to_contain_text("Rui Prado aceitou isto")
    expect(card(page).locator("[name=value]")).to_have_value("Casa Forte")
    # It is on this page alone: the card says so, and the browser asks before it goes.
    expect(card(page)).to_contain_text("fica aqui enquanto esta página estiver aberta")
    leaves = "dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert not page.evaluate(leaves)
    card(page).get_by_role("link", name="Fechar").click()
    assert page.evaluate(leaves)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_an_erasure_takes_name_words_and_draft_off_the_pages_that_are_open(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)
    expect(page.locator("#head")).to_contain_text("Helena")
    page.locator("#reply").fill("segredo da Helena")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    world.enter()
    asked, _new = request_erasure(member=world.silvia, customer_id=ticket.customer_id)
    approve(member=Membership.objects.get(organization=world.ana.organization, role="admin"), request_id=asked.pk)
    work(organization_id=ticket.organization_id, request_id=asked.pk)
    expect(page.locator("#toasts")).to_contain_text("Apagado com o cliente")
    expect(page.locator("#merged")).to_be_visible()
    expect(page.locator("#composer")).to_have_count(0)
    expect(page.locator("#memory[data-erased=customer]")).to_be_attached()
    expect(page.locator("body")).not_to_contain_text("Helena")
    assert "Helena" not in page.title()


@pytest.mark.console_errors
def test_both_accept_and_one_accepts_what_the_other_rejects(world: World, open_ticket: Open, open_beside: Beside) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    ana, rui = open_ticket(ticket), open_beside(ticket)
    deafen(ana)
    card(rui).locator("button[data-key=a]").click()
    expect(card(rui)).to_have_count(0)
    card(ana).locator("button[data-key=a]").click()
    expect(ana.locator("#news")).to_contain_text("Rui Prado aceitou: Bairro da visita → Madalena")
    expect(card(ana)).to_have_count(0)
    card(rui, "Período").locator("button[data-key=a]").click()
    expect(card(rui, "Período")).to_have_count(0)
    card(ana, "Período").locator("summary[data-key=r]").click()
    card(ana, "Período").locator("button[data-digit='1']").click()
    expect(card(ana, "Período")).to_contain_text("Rui Prado aceitou isto às")
    expect(card(ana, "Período").locator(".notice.conflict")).to_contain_text("já foi decidida")
    decided = ProposedChange.objects.filter(pk__in=[row.pk for row in rows[:2]])
    assert {(row.status, row.decided_by_id) for row in decided} == {("accepted", world.rui.pk)}
    assert LedgerEvent.objects.filter(ticket=ticket, member=world.ana, version__gt=1).count() == 0


@pytest.mark.console_errors
def test_two_edit_one_card_and_the_later_text_stays_and_can_go_on(world: World, open_ticket: Open, open_beside: Beside) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    ana, rui = open_ticket(ticket), open_beside(ticket)
    field = edit(ana, "Casa Forte")
    edit(rui, "Madalena, casa da mãe").press("Enter")
    expect(card(ana)).to_contain_text("Rui Prado aceitou isto com edição às")
    expect(card(ana)).to_contain_text("O que vale agora: “Madalena, casa da mãe”")
    expect(field).to_have_value("Casa Forte")
    expect(field).to_be_focused()
    assert faults(ana) == []
    card(ana).get_by_role("button", name="Registrar como correção").click()
    expect(card(ana)).to_have_count(0)
    expect(ana.locator("[data-toast]").last).to_contain_text("Casa Forte")
    expect(rui.locator("#news")).to_contain_text("Ana Lima registrou um valor: Bairro da visita → Casa Forte")


@pytest.mark.console_errors
def test_a_submit_that_comes_too_late_is_told_beside_what_was_typed(
    world: World, open_ticket: Open, open_beside: Beside
) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    ana, rui = open_ticket(ticket), open_beside(ticket)
    deafen(ana)
    ana.locator("#reply").fill("Confirmo a visita em")
    field = edit(ana, "Casa Forte")
    card(rui).locator("button[data-key=a]").click()
    expect(card(rui)).to_have_count(0)
    field.press("Enter")
    expect(card(ana)).to_contain_text("Rui Prado aceitou isto às")
    expect(card(ana).locator("[name=value]")).to_have_value("Casa Forte")
    expect(ana.locator("#reply")).to_have_value("Confirmo a visita em")


def deafen(page: Page) -> None:
    """Let the page hear nothing of what others do: its member acts on what it shows."""
    page.evaluate("window.dispatchEvent(new Event('pagehide')); delete document.documentElement.dataset.away")


@pytest.mark.console_errors
def test_what_happened_while_the_connection_was_cut_is_there_when_it_is_back(
    world: World, open_ticket: Open, context: BrowserContext
) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.locator("#reply").fill("ainda escrevo")
    context.set_offline(True)
    expect(page.locator("#live")).to_have_text("sem conexão, tentando…")
    world.say(ticket, "chegou enquanto isso")
    world.accept(rows[:1], world.rui)
    context.set_offline(False)
    expect(page.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#stream")).to_contain_text("chegou enquanto isso")
    expect(card(page)).to_have_count(0)
    expect(page.locator("#news")).to_contain_text("Rui Prado aceitou: Bairro da visita → Madalena")
    expect(page.locator("#reply")).to_have_value("ainda escrevo")


def test_where_no_stream_comes_through_the_page_asks_now_and_then(
    world: World, page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    ticket = stories.recife(world)
    sign_in(context, live_server, world.ana)
    page.add_init_script("delete window.EventSource")
    page.goto(f"/tickets/{ticket.pk}/")
    expect(page.locator("#live")).to_have_text("atualizando a cada poucos segundos")
    world.say(ticket, "mesmo sem canal")
    expect(page.locator("#stream")).to_contain_text("mesmo sem canal")
