"""What a card cites is lit in the conversation, letter for letter, whatever the customer's keyboard wrote."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from atendimento.models import Message, ProposedChange, TicketState
from tests.browser.conftest import Open
from tests.browser.test_citing import select
from tests.support import stories
from tests.support.stories import World

FAMILY, WOMAN = "👨\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🔧"
# Message, quote, and the message's own words that must be lit. The same words stand before them where that could confuse.
HOSTILE: list[tuple[str, str, str]] = [
    (f"{FAMILY} somos quatro, {WOMAN} quero quinta de manhã", "quero quinta", "quero quinta"),
    (f"oi {FAMILY}! é a família {FAMILY} toda", f"a família {FAMILY} toda", f"a família {FAMILY} toda"),
    ("\u200fשלום\u200f moro na Rua \u202bאבג\u202c 10, portão azul", "portão azul", "portão azul"),
    ("o nome é \u2067دانا\u2069 e o prédio \u2066Sol\u2069 fica ali", "prédio Sol fica", "prédio \u2066Sol\u2069 fica"),
    ("e\u0301 na Sa\u0303o Jose\u0301, ta\u0301?", "São José", "Sa\u0303o Jose\u0301"),
    ("linha um\r\nlinha dois\r\nquero sexta\r\n\r\nobrigada", "quero sexta obrigada", "quero sexta\r\n\r\nobrigada"),
    ("primeira\r\n\r\nquero\u00a0o reem\u200bbolso – hoje…", "o reembolso - hoje...", "o reem\u200bbolso – hoje…"),
    ("<b>não</b> & “aspas” &amp; quero <i>domingo</i>", "quero <i>domingo</i>", "quero <i>domingo</i>"),
    ("𝒶𝒷𝒸 \U0001f1e7\U0001f1f7 1\ufe0f\u20e3 fica no térreo", "fica no térreo", "fica no térreo"),
]  # fmt: skip

LIT = """([message, ref]) => {
  const words = document.querySelector(`#${message} .words`);
  const marks = [...words.querySelectorAll("mark")].filter((mark) => mark.dataset.refs.split(" ").includes(ref));
  const before = document.createRange();
  before.setStart(words, 0);
  before.setEndBefore(marks[0]);
  return [words.textContent, marks.map((mark) => mark.textContent).join(""), [...before.toString()].length];
}"""


def lit(page: Page, message: str, ref: str) -> tuple[str, str, int]:
    """The whole text of a message as the browser has it, what of it is lit for a card, and from which code point on."""
    expect(page.locator(f"#{message} mark").first).to_be_attached()
    whole, marked, start = page.evaluate(LIT, [message, ref])
    return whole, marked, start


def test_the_words_that_a_card_cites_are_lit_exactly(world: World, open_ticket: Open) -> None:
    """E3: offsets are code points of the original text, and the console lights exactly those."""
    ticket = world.ticket()
    for text, _, _ in HOSTILE:
        world.say(ticket, text)
    rows: list[ProposedChange] = []
    for number, (_, quote, _) in enumerate(HOSTILE, 1):
        question = {"question": f"pergunta {number}?"}
        rows += world.propose(ticket, stories.change("/pending/-", question, (f"m-{number}", quote)))
    page = open_ticket(ticket)
    for number, (row, (text, _, words)) in enumerate(zip(rows, HOSTILE, strict=True), 1):
        (evidence,) = row.evidence
        assert text[evidence["start"] : evidence["end"]] == words, text
        assert Message.objects.get(ticket=ticket, number=number).text == text
        assert lit(page, f"m-{number}", f"ch-{row.pk}") == (text, words, evidence["start"])


def test_words_selected_behind_such_signs_are_kept_at_their_own_place(world: World, open_ticket: Open) -> None:
    """E6: said twice, they are told apart by their place, counted in code points of the original."""
    ticket = stories.recife(world)
    text = f"não gela\r\n{FAMILY} Sa\u0303o\r\nnão gela"
    world.say(ticket, text)
    page = open_ticket(ticket)
    page.evaluate(
        """() => {
          const node = document.querySelector("#m-4 .words").lastChild;
          const range = document.createRange();
          range.setStart(node, node.data.lastIndexOf("gela"));
          range.setEnd(node, node.length);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }"""
    )
    expect(page.locator("#cite-bar")).to_be_visible()
    page.locator("#cite-target").select_option(label="Sintoma")
    start = text.rindex("gela")
    form = page.locator("#sl-facts-sintoma-set form")
    expect(form.locator("[name=start]")).to_have_value(str(start))
    form.locator("button.main").click()
    card = page.locator("#memory .card", has_text="Sintoma")
    expect(card).to_be_visible()
    row = ProposedChange.objects.get(ticket=ticket, path="/facts/sintoma")
    assert row.evidence[0]["start"] == start
    assert lit(page, "m-4", f"ch-{row.pk}")[1:] == ("gela", start)


def test_what_is_remembered_is_lit_exactly_too(world: World, open_ticket: Open) -> None:
    """E3: the words of a value that holds, picked up in the browser and lit from the state."""
    ticket = stories.recife(world)
    world.say(ticket, f"olha\r\n{FAMILY}\r\nfica em Sa\u0303o Jose\u0301, viu")
    page = open_ticket(ticket)
    select(page, "m-4", "fica em Sa\u0303o Jose\u0301")
    page.locator("#cite-target").select_option(label="Sintoma")
    page.locator("#sl-facts-sintoma-set form button.main").click()
    expect(page.locator("[data-toast]").last).to_contain_text("Sintoma")
    (evidence,) = TicketState.objects.get(ticket=ticket).slots["/facts/sintoma"]["evidence"]
    assert evidence["quote"] == "fica em Sa\u0303o Jose\u0301"
    mark = page.locator("#m-4 mark")
    expect(mark).to_have_count(1)
    assert mark.evaluate("mark => mark.textContent") == evidence["quote"]
