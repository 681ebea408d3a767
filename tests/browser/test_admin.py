"""An administrator changes who holds against whom, by keyboard, publishes, and the next verdict is another one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from atendimento.models import Membership
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World, change


@pytest.fixture
def admin_page(world: World, open_ticket: Open) -> Page:
    return open_ticket(member=Membership.objects.get(organization=world.ana.organization, role="admin"))


def test_an_order_is_changed_published_and_the_next_verdict_differs(world: World, admin_page: Page) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "Aparelho: geladeira", "registry", "Cadastro")
    world.accept(world.propose(ticket, change("/facts/aparelho", "geladeira", ("m-4", "geladeira"))))
    world.say(ticket, "na verdade é um freezer")
    (before,) = world.propose(ticket, change("/facts/aparelho", "freezer", ("m-5", "um freezer")))
    assert before.verdict == "conflict"

    page = admin_page
    page.locator("#menu summary").click()
    page.get_by_role("link", name="Administração").click()
    page.get_by_role("link", name="Assistência técnica").first.click()
    page.get_by_role("button", name="Editar num rascunho").click()
    page.get_by_role("link", name="Aparelho", exact=True).click()
    for _step in range(2):
        page.get_by_role("button", name="O cliente: mais forte").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#source-customer")).to_be_visible()
    expect(page.locator(".sources li").first).to_contain_text("O cliente")
    page.get_by_role("button", name="Publicar").click()
    page.get_by_role("button", name="Publicar a versão 2").click()
    expect(page.get_by_text("versão 2", exact=True)).to_be_visible()

    (after,) = world.propose(ticket, change("/facts/aparelho", "freezer", ("m-5", "é um freezer")))
    assert after.verdict == "allowed"


@pytest.mark.console_errors
def test_a_refused_form_opens_at_what_is_wrong(admin_page: Page) -> None:
    admin_page.goto("/admin/settings/")
    admin_page.locator("#in-holidays").fill("31/02 não existe")
    admin_page.locator("form:has(#in-holidays) button.main").click()
    expect(admin_page.locator("#fault-holidays")).to_be_in_viewport()
    expect(admin_page.locator("#in-holidays")).to_be_focused()


def names_of(page: Page) -> list[str]:
    page.locator(".sources li").first.wait_for()
    return [words.split("\n")[0] for words in page.locator(".sources li").all_inner_texts()]


def middle(row: Locator, step: int) -> tuple[float, float]:
    box = row.bounding_box()
    assert box is not None
    return box["x"] + 60 + step, box["y"] + box["height"] / 2


def test_sources_are_dragged_into_another_order(admin_page: Page) -> None:
    page = admin_page
    page.goto("/admin/ticket-types/assistencia-tecnica/")
    page.get_by_role("button", name="Editar num rascunho").click()
    page.get_by_role("link", name="Aparelho", exact=True).click()
    rows = page.locator(".sources li")
    before = names_of(page)
    rows.last.hover(position={"x": 60, "y": 10})
    page.mouse.down()
    drag_over(rows.first, before[-1])
    expect(rows.first).to_contain_text(before[-1])  # it has been seen over its place
    for step in range(5):  # a hand goes on moving; a browser asks where it is once more before it lets go
        page.mouse.move(*middle(rows.first, step))
    page.mouse.up()
    page.wait_for_url("**#source-*")
    expect(rows).to_contain_text([before[-1], *before[:-1]])
    page.reload()
    expect(rows).to_contain_text([before[-1], *before[:-1]])


def drag_over(place: Locator, expected: str) -> None:
    """Move as a hand does, a little at a time, until what is dragged stands there: a browser asks where when it gets to it."""
    for step in range(100):
        place.hover(position={"x": 60 + step % 5, "y": 2 + step % 3})
        if expected in (place.text_content() or ""):
            return
    expect(place).to_contain_text(expected)


def test_a_drag_that_ends_elsewhere_changes_nothing(admin_page: Page) -> None:
    page = admin_page
    page.goto("/admin/ticket-types/assistencia-tecnica/")
    page.get_by_role("button", name="Editar num rascunho").click()
    page.get_by_role("link", name="Compromissos", exact=True).click()
    rows = page.locator(".sources li")
    before = names_of(page)
    rows.last.hover(position={"x": 60, "y": 10})
    page.mouse.down()
    drag_over(rows.first, before[-1])
    expect(rows.first).to_contain_text(before[-1])
    expect(page.locator("[data-dragged]")).to_have_count(1)
    page.locator("h1").hover()
    page.mouse.up()
    expect(page.locator("[data-dragged]")).to_have_count(0)
    expect(rows).to_contain_text(before)
    assert "#source" not in page.url


def test_the_rules_answer_while_one_types(admin_page: Page) -> None:
    page = admin_page
    page.goto("/admin/ticket-types/assistencia-tecnica/")
    box = page.locator("#try")
    box.get_by_label("Campo", exact=True).select_option("/facts/bairro")
    box.get_by_label("O que está lá", exact=True).fill("Boa Viagem")
    box.get_by_label("dito por", exact=True).select_option("registry")
    box.get_by_label("A nova afirmação", exact=True).fill("Madalena")
    expect(box.locator(".outcome")).to_contain_text("o cliente vale menos que o cadastro")
    expect(box.get_by_label("A nova afirmação", exact=True)).to_be_focused()
    expect(page).to_have_url(re.compile(r"new=Madalena"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_its_screens_are_accessible(admin_page: Page, scheme: Any, size: tuple[int, int]) -> None:
    page = admin_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    kind = "/admin/ticket-types/assistencia-tecnica/"
    page.goto(kind)
    page.get_by_role("button", name="Editar num rascunho").click()
    asked = "?try=/facts/bairro&current=A&current_source=registry&new=B&new_source=customer"
    for path in (
        "/admin/ticket-types/",
        f"{kind}{asked}",
        f"{kind}draft/?field=/facts/bairro",
        f"{kind}draft/?collection=commitments",
        "/admin/members/",
        "/admin/tokens/",
        "/admin/log/",
    ):
        page.goto(path)
        assert faults(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
