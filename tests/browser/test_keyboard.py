"""Twenty mixed changes on a long ticket, decided without a mouse; letters never act while somebody types."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from atendimento.models import ProposedChange, Ticket
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World, change


@pytest.fixture
def long_ticket(world: World) -> Ticket:
    """400 messages, of which the last say twenty things."""
    ticket = world.ticket("Conversa longa")
    things = [f"preciso da coisa {number:02}" for number in range(1, 21)]
    world.many(ticket, [f"conversa {number}" for number in range(1, 381)] + things)
    changes = [
        change("/pending/-", {"question": f"Entregar a coisa {number:02}?"}, (f"m-{380 + number}", f"coisa {number:02}"))
        for number in range(1, 21)
    ]
    world.propose(ticket, *changes)
    return ticket


def left(page: Page) -> int:
    return page.locator("#memory [data-card]").count()


@pytest.mark.timeout(240)
def test_twenty_changes_are_decided_by_keys_alone(long_ticket: Ticket, open_ticket: Open) -> None:
    page = open_ticket(long_ticket)
    assert page.locator("#stream .msg").count() == 100
    assert left(page) == 20
    top = page.locator("#memory .tabs").bounding_box()
    looked_up: list[str] = []  # messages fetched to look back at
    page.on("request", lambda request: looked_up.append(request.url) if "around=" in request.url else None)
    pressed: list[str] = []

    def press(*keys: str) -> None:
        for key in keys:
            pressed.append(key)
            page.keyboard.press(key)

    press("j")
    for number in range(1, 21):
        expect(page.locator("#memory .card.on .diff, #memory .card.on .value").first).to_contain_text(f"coisa {number:02}")
        if number % 5 == 0:
            press("r", "2")
        elif number % 7 == 0:
            press("e", "End")
            page.keyboard.type(" Até sexta.")
            press("Enter")
        else:
            press("a")
        expect(page.locator("#memory [data-card]")).to_have_count(20 - number)
    assert page.locator("#memory .tabs").bounding_box() == top
    fates = ProposedChange.objects.filter(ticket=long_ticket).order_by("position").values_list("status", flat=True)
    kinds = ["rejected" if n % 5 == 0 else "edited" if n % 7 == 0 else "accepted" for n in range(1, 21)]
    assert list(fates) == kinds
    # One key to choose the first card, one an acceptance, two a rejection with its reason, three an edit beside its words.
    assert (len(pressed), looked_up) == (1 + 14 + 4 * 2 + 2 * 3, [])


def test_letters_act_on_the_chosen_card_alone_and_never_in_a_field(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.keyboard.press("a")
    page.locator("#reply").fill("")
    page.locator("#reply").press_sequentially("jaeruc/?n1")
    expect(page.locator("#reply")).to_have_value("jaeruc/?n1")
    assert left(page) == 4
    assert page.url.endswith(f"{ticket.pk}/")
    page.locator("#reply").press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    assert left(page) == 4


def test_panes_queue_search_and_next_by_key(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    other = stories.divergence(world)
    world.say(other, "uso geladeira", name="Eva")
    world.propose(other, change("/facts/aparelho", "geladeira", ("m-3", "geladeira")))
    page = open_ticket(ticket)
    for key, pane in (("e", "state"), ("h", "history"), ("d", "decide")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.locator(f"#memory[data-pane={pane}]")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.locator("#tickets a[aria-current]")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_url(f"**/{other.pk}/**")


def test_the_tab_key_reaches_every_decision(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    for _step in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.key") == "a":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#memory .card h3", has_text="Bairro da visita")).to_have_count(0)
    expect(page.locator("#memory .card.on")).to_be_focused()


def test_a_quote_leads_to_its_message_and_back(long_ticket: Ticket, world: World, open_ticket: Open) -> None:
    world.propose(long_ticket, change("/facts/aparelho", "conversa 7", ("m-7", "conversa 7")))
    page = open_ticket(long_ticket)
    page.locator("#memory .card", has_text="Aparelho").locator("[data-quote]").click()
    expect(page.locator("#m-7")).to_be_in_viewport()
    expect(page.locator("#m-7.found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#memory .card.on h3")).to_have_text("Aparelho")


def test_a_link_to_a_message_works_on_a_long_ticket(long_ticket: Ticket, open_ticket: Open) -> None:
    page = open_ticket(long_ticket, query="#m-148")
    expect(page.locator("#m-148")).to_be_in_viewport()
    page.locator("#older a").scroll_into_view_if_needed()
    before = page.locator("#m-98").bounding_box()
    page.locator("#older a").click()
    expect(page.locator("#m-1")).to_be_attached()
    after = page.locator("#m-98").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 60, "what was read stays where it was"


def test_a_key_held_down_decides_one_card(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = open_ticket(ticket)
    accepted: list[str] = []
    page.on("request", lambda request: accepted.append(request.url) if request.url.endswith("/accept") else None)
    page.keyboard.press("j")
    page.keyboard.down("a")
    expect(page.locator("#toasts")).to_contain_text("Aceito")
    page.keyboard.down("a")  # the browser repeats it
    page.keyboard.up("a")
    page.keyboard.press("r")
    reasons = page.locator("#memory .card.on details[open] .reasons")
    expect(reasons).to_be_in_viewport()
    assert len(accepted) == 1


def test_what_an_undo_brings_back_is_chosen_and_forms_go_on_from_the_new_version(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    first, second = (page.locator(f"#ch-{row.pk}") for row in rows[:2])
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(first).to_have_count(0)
    expect(second).to_be_focused()
    expect(page.locator("#memory input[name=expected_version]:not([value='2'])")).to_have_count(0)
    expect(page.locator("#slot-cards [data-card]")).to_have_count(1)
    page.keyboard.press("u")
    expect(first).to_be_focused()
    expect(page.locator("#slot-cards [data-card]")).to_have_count(0)


def test_what_was_said_by_telephone_is_one_key_away(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)
    page.keyboard.press("t")
    place = page.locator("#report-place")
    expect(place).to_be_focused()
    place.select_option(label="Endereço")
    form = page.locator("#sl-facts-endereco-set form")
    expect(form.locator("[name=value]")).to_be_focused()
    expect(form.locator("[name=reported]")).to_have_value("customer")
    page.keyboard.type("Rua A, 1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sl-facts-endereco > summary .value")).to_have_text("Rua A, 1")
    expect(page.locator("#sl-facts-endereco-set")).not_to_have_attribute("open", "")  # what is recorded is done with
    # Where a message is named, whose word it is need not be said.
    page.locator("#sl-facts-sintoma > summary").click()
    form = page.locator("#sl-facts-sintoma-set form")
    expect(form.locator("[name=reported]")).to_be_visible()
    form.locator("[data-cite] > summary").click()
    form.locator("[name=message]").fill("m-1")
    expect(form.locator("[name=reported]")).to_be_hidden()
    # From this pane as well: every form carries the source, what was typed stays, and no other form opens by itself.
    form.locator("[name=value]").fill("não gela")
    form.locator("[name=value]").blur()
    page.locator("#sl-facts-bairro > summary").click()
    page.keyboard.press("t")
    expect(place).to_be_focused()
    expect(form.locator("[name=value]")).to_have_value("não gela")
    expect(form.locator("[name=reported]")).to_have_value("customer")
    expect(page.locator("#sl-facts-aparelho-set form [name=reported]")).to_have_value("customer")
    expect(page.locator("#memory details.slot[open]")).to_have_count(1)
