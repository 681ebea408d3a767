"""Words selected in the conversation back a value, with the weight of whoever said them."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from atendimento.models import ProposedChange, Ticket, TicketState
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World

SELECT = """([id, words]) => {
  const root = document.querySelector(`#${id} .words`);
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const at = root.textContent.indexOf(words);
  const range = document.createRange();
  let seen = 0;
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const next = seen + node.length;
    if (at >= seen && at < next) range.setStart(node, at - seen);
    if (at + words.length > seen && at + words.length <= next) range.setEnd(node, at + words.length - seen);
    seen = next;
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


def select(page: Page, message: str, words: str) -> None:
    page.evaluate(SELECT, [message, words])
    expect(page.locator("#cite-bar")).to_be_visible()


def held(ticket: Ticket, pointer: str) -> dict[str, object]:
    found: dict[str, object] = TicketState.objects.get(ticket=ticket).slots[pointer]
    return found


def test_selected_words_are_recorded_as_the_customers(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "😩 ela esquenta por fora, esquenta de noite")
    page = open_ticket(ticket)
    select(page, "m-4", "esquenta de noite")
    page.locator("#cite-target").select_option(label="Sintoma")
    form = page.locator("#sl-facts-sintoma-set form")
    expect(form.locator("[name=value]")).to_have_value("esquenta de noite")
    expect(form.locator("[name=message]")).to_have_value("m-4")
    expect(form.locator("[name=value]")).to_be_focused()
    form.locator("button.main").click()
    expect(page.locator("[data-toast]").last).to_contain_text("Sintoma")
    slot = held(ticket, "/facts/sintoma")
    assert (slot["source"], slot["status"]) == ("customer", "current")
    assert slot["evidence"] == [{"message": "m-4", "quote": "esquenta de noite", "start": 25, "end": 42}]


def test_words_that_stand_twice_are_quoted_where_they_were_selected(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "gelo? não faz gelo")
    page = open_ticket(ticket)
    select(page, "m-4", "faz gelo")
    page.locator("#cite-target").select_option(label="Sintoma")
    expect(page.locator("#sl-facts-sintoma-set [name=start]")).to_have_value("")
    page.keyboard.press("Escape")
    page.evaluate("getSelection().removeAllRanges()")
    page.evaluate(
        """() => {
          const node = document.querySelector("#m-4 .words").lastChild;
          const range = document.createRange();
          range.setStart(node, node.data.lastIndexOf("gelo"));
          range.setEnd(node, node.length);
          getSelection().addRange(range);
        }"""
    )
    expect(page.locator("#cite-bar")).to_be_visible()
    page.locator("#cite-target").select_option(label="Aparelho")
    expect(page.locator("#sl-facts-aparelho-set [name=start]")).to_have_value("14")


def test_more_words_are_added_to_a_proposal_that_is_edited(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.keyboard.press("j")
    page.keyboard.press("e")
    select(page, "m-6", "vou falar com ela")
    page.locator("[data-cite-use]").click()
    card = page.locator(f"#ch-{rows[0].pk}")
    expect(card.locator("[name=quote]")).to_have_value("vou falar com ela")
    card.locator("input[name=value]").fill("Madalena, Recife")
    card.locator("form:has([name=value]) button.main").click()
    expect(page.locator("[data-toast]").last).to_contain_text("Madalena, Recife")
    quotes = [item["quote"] for item in held(ticket, "/facts/bairro")["evidence"]]  # type: ignore[attr-defined]
    assert quotes == ["na casa da minha mãe, na Madalena", "vou falar com ela"]


def test_what_bears_a_caution_waits_as_a_card(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "não é em Casa Forte")
    page = open_ticket(ticket)
    select(page, "m-4", "em Casa Forte")
    page.locator("#cite-target").select_option(label="Bairro da visita")
    page.locator("#sl-facts-bairro-set [name=value]").fill("Casa Forte")
    page.locator("#sl-facts-bairro-set button.main").click()
    card = page.locator("#memory .card", has_text="Bairro da visita")
    expect(card).to_contain_text("Casa Forte")
    expect(card.locator(".line.warn")).to_contain_text("não")
    assert ProposedChange.objects.get(path="/facts/bairro", status="pending").value == "Casa Forte"
