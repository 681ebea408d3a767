"""A telephone in one hand: one column, nothing wider than the screen, and room for a finger on whatever is pressed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from atendimento.actions.type_drafts import start_draft
from atendimento.models import Membership, TicketState
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World

pytestmark = pytest.mark.django_db(transaction=True)

FINGER = 44
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# What is pressed and lower than a finger is wide, by its words; a link within a sentence is as high as its line (2.5.8).
SMALL = """finger => [...document.querySelectorAll("button, a[href], summary, select, input:not([type=hidden]), textarea")]
  .filter(element => {
    const pressed = ["checkbox", "radio"].includes(element.type) ? element.labels[0] || element : element;
    const box = pressed.getBoundingClientRect(), style = getComputedStyle(element);
    return box.width && box.height && style.visibility !== "hidden" && style.display !== "inline"
      && !element.closest(".sr, .skip, [hidden]") && box.height < finger - 0.5;
  })
  .map(element => `${element.tagName} ${(element.textContent.trim() || element.name).slice(0, 40)} ${element.className}`)"""


@pytest.fixture
def browser_options() -> dict[str, Any]:
    return {"viewport": {"width": 390, "height": 844}, "locale": "pt-BR", "has_touch": True, "is_mobile": True}


def fits(page: Page, what: str) -> None:
    # A page that a tap has led to is there before its styles are, and sizes are looked at.
    page.wait_for_load_state()
    assert page.evaluate(WIDER) <= 0, f"{what} is wider than the screen"
    assert page.evaluate(SMALL, FINGER) == [], f"{what} has what no finger hits"


def test_the_decision_loop_with_a_finger(open_ticket: Open, world: World) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = open_ticket()
    fits(page, "the queue")
    page.locator("#tickets a", has_text="Visita da geladeira").tap()

    accept = page.locator("#memory [data-card]", has_text="Bairro da visita").get_by_role("button", name="Aceitar")
    expect(accept).to_be_visible()
    fits(page, "what is to be decided")
    accept.tap()
    expect(page.locator("[data-toast]")).to_be_visible()
    page.locator("[data-undo] button").tap()
    expect(accept).to_be_visible()
    accept.tap()
    expect(page.locator("#memory [data-card]", has_text="Horário").first).to_be_visible()

    page.locator("[data-show-pane=talk]").tap()
    reply = page.locator("#reply")
    expect(reply).to_be_in_viewport()
    fits(page, "the conversation")
    reply.fill("Anotado, obrigada!")
    page.locator("#composer [value=note]").check()
    page.locator("#composer button.main").tap()
    expect(page.locator("#stream .note")).to_contain_text("Anotado, obrigada!")
    world.enter()
    assert TicketState.objects.get(ticket=ticket).values["facts"]["bairro"] == "Madalena"


AGENTS = ("reminders/", "search?q=visita", "{ticket}?pane=state", "{ticket}?pane=history", "{ticket}closing", "{ticket}split")
ADMINS = (
    "corrections/",
    "imports/",
    "canned/",
    "admin/members/",
    "admin/tokens/",
    "admin/model/",
    "admin/reminders/",
    "admin/log/",
    "admin/ticket-types/",
    "admin/ticket-types/assistencia-tecnica/",
    "admin/ticket-types/assistencia-tecnica/draft/?field=/facts/bairro",
)


@pytest.mark.parametrize(("who", "paths"), [("agent", AGENTS), ("admin", ADMINS)])
def test_no_page_is_wider_than_the_narrowest_telephone(
    open_ticket: Open, world: World, who: str, paths: tuple[str, ...]
) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    member = Membership.objects.get(organization=world.ana.organization, role="admin") if who == "admin" else world.ana
    if who == "admin":
        start_draft(member=member, slug="assistencia-tecnica")
    page = open_ticket(member=member)
    page.set_viewport_size({"width": 360, "height": 740})

    found: dict[str, object] = {}
    for path in paths:
        page.goto("/" + path.format(ticket=f"tickets/{ticket.pk}/"))
        found |= {path: (page.evaluate(WIDER), page.evaluate(SMALL, FINGER))}
    assert {path: wrong for path, wrong in found.items() if wrong != (0, [])} == {}
