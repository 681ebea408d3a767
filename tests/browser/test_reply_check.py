"""Findings come while one writes and once more on sending; one key sends all the same, another records the promise."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from atendimento.models import Message, Ticket
from atendimento.selectors import reading
from memoria.next_step import unfinished
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World


def said(ticket: Ticket) -> list[str]:
    return list(Message.objects.filter(ticket=ticket, member__isnull=False).order_by("number").values_list("text", flat=True))


@pytest.fixture
def ticket(world: World) -> Ticket:
    made = stories.recife(world)
    world.accept(stories.correction(world, made)[:1])
    return made


def end_gap(page: Page) -> float:
    """How far the conversation is from its end."""
    return float(page.locator("#transcript").evaluate("box => box.scrollHeight - box.scrollTop - box.clientHeight"))


@pytest.mark.timeout(120)
@pytest.mark.console_errors  # a reply that is held is answered 409
def test_a_finding_comes_by_itself_and_sending_asks_once_more(world: World, ticket: Ticket, open_ticket: Open) -> None:
    page = open_ticket(ticket)
    findings = page.locator("#reply-findings")
    page.locator("#transcript").evaluate("box => { box.scrollTop = box.scrollHeight; }")
    page.locator("#reply").fill("Técnico em Boa Viagem.")
    expect(findings).to_contain_text("foi corrigido: agora é “Madalena”")
    assert end_gap(page) < 2
    expect(page.locator("#reply")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(findings).to_contain_text("Ainda não registrada.")
    expect(page.locator("#reply")).to_have_value("Técnico em Boa Viagem.")
    expect(page.locator("#reply")).to_be_focused()
    assert said(ticket) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    page.keyboard.press("Control+Enter")
    expect(page.locator("#stream")).to_contain_text("Técnico em Boa Viagem.")
    expect(page.locator("#reply")).to_have_value("")
    expect(findings.locator("p")).to_have_count(0)
    assert said(ticket) == ["Técnico em Boa Viagem."]


@pytest.mark.timeout(120)
def test_one_key_records_the_promise_with_the_reply_and_another_takes_it_back(
    world: World, ticket: Ticket, open_ticket: Open
) -> None:
    page = open_ticket(ticket, query="?pane=state")
    page.locator("#reply").fill("Retorno até amanhã, Helena.")
    expect(page.locator("[data-record]")).to_contain_text("Registrar o compromisso “retornar” com a resposta")
    page.locator("#reply").press("Alt+Enter")
    expect(page.locator("#memory")).to_contain_text("retornar")
    expect(page.locator("#reply")).to_have_value("")
    assert said(ticket) == ["Retorno até amanhã, Helena."]
    promises = list(unfinished(reading.current_state(ticket.pk)))
    assert promises[-1][1]["due_text"] == "amanhã"
    page.get_by_role("button", name="Desfazer").click()
    expect(page.locator("#memory")).not_to_contain_text("retornar")
    assert len(list(unfinished(reading.current_state(ticket.pk)))) == len(promises) - 1


@pytest.mark.timeout(120)
@pytest.mark.console_errors
def test_a_draft_survives_reload_a_foreign_decision_and_the_sessions_end(
    world: World, ticket: Ticket, open_ticket: Open
) -> None:
    page = open_ticket(ticket)
    page.locator("#reply").fill("Ainda escrevendo")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    rows = world.propose(ticket, stories.change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    expect(page.locator("#memory")).to_contain_text("Aparelho")
    world.accept(rows, world.rui)
    expect(page.locator("#reply")).to_have_value("Ainda escrevendo")
    page.reload()
    expect(page.locator("#reply")).to_have_value("Ainda escrevendo")
    page.context.clear_cookies()
    page.locator("#reply").fill("Ainda escrevendo, sem sessão")
    expect(page.locator("#notices")).to_contain_text("A sua sessão terminou")
    expect(page.locator("#reply")).to_have_value("Ainda escrevendo, sem sessão")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#reply")).to_have_value("Ainda escrevendo, sem sessão")
    assert said(ticket) == []
    page = open_ticket(ticket)
    expect(page.locator("#reply")).to_have_value("Ainda escrevendo")
