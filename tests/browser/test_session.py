"""A session that ends, pages that come back, and what is left for whoever sits down next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.sessions.models import Session
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from atendimento.models import Draft, LedgerEvent, Message
from tests.browser.conftest import Open, sign_in
from tests.support import chromium, stories
from tests.support.live import LiveServer
from tests.support.stories import PASSWORD, World


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One that keeps left pages in its memory, as people's browsers do and the test's own does not."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        launched = playwright.chromium.launch(
            executable_path=chromium.executable(),
            args=chromium.ARGUMENTS,
            ignore_default_args=["--disable-back-forward-cache"],
        )
        yield launched
        launched.close()


@pytest.mark.console_errors
def test_a_session_that_ends_while_typing_costs_nothing(
    world: World, open_ticket: Open, context: BrowserContext, live_server: LiveServer
) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    # As the product's own server checks it; this process hashes in a hurry.
    world.ana.user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1)
    world.ana.user.save(update_fields=["password"])
    page = open_ticket(ticket)
    page.locator("#memory [data-card] summary[data-key=e]").first.click()
    field = page.locator("#memory [data-card] [name=value]").first
    field.fill("Casa Forte")
    Session.objects.all().delete()
    context.clear_cookies(name="lastro_session")
    page.locator("#reply").fill("isto ainda não foi guardado")
    expect(page.locator("#notices")).to_contain_text("A sua sessão terminou")
    expect(page.locator("#live")).to_have_text("sessão encerrada")
    with context.expect_page() as opened:
        page.locator("#notices a").click()
    login = opened.value
    login.locator("#id_login").fill("ana@frio-certo.example")
    login.locator("#id_password").fill(PASSWORD)
    login.locator("button.main").click()
    expect(login.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#notices")).to_be_empty()
    expect(page.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    assert Draft.objects.get().text == "isto ainda não foi guardado"
    expect(field).to_have_value("Casa Forte")
    with page.expect_response("**/seen") as seen:  # what is not a form has the new token too
        field.press("Enter")
        expect(page.locator("[data-toast]").last).to_contain_text("Casa Forte")
    assert seen.value.ok
    assert page.locator("input[type=password]").count() == 0


@pytest.mark.console_errors
def test_a_double_click_decides_and_sends_once_and_going_back_shows_what_holds(world: World, open_ticket: Open) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    before, said = LedgerEvent.objects.filter(ticket=ticket).count(), Message.objects.filter(ticket=ticket).count()
    page = open_ticket(ticket)
    page.locator("#memory [data-card] button[data-key=a]").first.dblclick()
    expect(page.locator("#memory h3", has_text="Bairro da visita")).to_have_count(0)
    page.locator("#reply").fill("Anotado.")
    page.locator("#composer button.main").dblclick()
    expect(page.locator("#stream")).to_contain_text("Anotado.")
    page.goto("/")
    page.go_back()
    expect(page.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#memory h3", has_text="Bairro da visita")).to_have_count(0)
    expect(page.locator("#reply")).to_have_value("")
    page.reload()
    assert LedgerEvent.objects.filter(ticket=ticket).count() == before + 1
    assert Message.objects.filter(ticket=ticket).count() == said + 1


def test_a_page_gone_back_to_cannot_act_on_what_is_over(
    world: World, open_ticket: Open, context: BrowserContext, live_server: LiveServer
) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    page = open_ticket(ticket)
    page.goto("/")
    world.accept(rows[:1], world.rui)
    page.go_back()
    expect(page.locator("#live")).to_have_text("ao vivo")
    expect(page.locator("#memory h3", has_text="Bairro da visita")).to_have_count(0)


def test_after_signing_out_nothing_is_left_to_read(
    world: World, open_ticket: Open, context: BrowserContext, live_server: LiveServer
) -> None:
    ticket = stories.recife(world)
    page = open_ticket(ticket)
    page.locator("#memory [data-pane=state]").click()
    expect(page).to_have_url(f"{live_server.url}/tickets/{ticket.pk}/?pane=state&show=memory")
    page.locator("#reply").fill("segredo da Helena")
    expect(page.locator("#draft-note")).to_have_text("rascunho guardado")
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator("#reply")).to_have_value("segredo da Helena")
    page.locator("#menu summary").click()
    with page.expect_response("**/conta/logout/") as left:
        page.locator("[data-sign-out] button").click()
    assert left.value.all_headers()["clear-site-data"] == '"cache", "storage"'
    page.wait_for_url("**/conta/login/**")
    other.wait_for_url("**/conta/login/**")  # the other pages of this browser go too
    for gone_back in (page, other):
        for _step in range(3):
            gone_back.go_back()
            assert_nothing(gone_back)
    page.goto("/conta/login/")
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    assert page.evaluate("(async () => (await caches.keys()).length)()") == 0
    sign_in(context, live_server, world.rui)
    page.goto(f"/tickets/{ticket.pk}/")
    expect(page.locator("#reply")).to_have_value("")


def assert_nothing(page: Page) -> None:
    """Whatever the browser shows now, it holds nothing of the ticket."""
    page.wait_for_load_state()
    for secret in ("segredo da Helena", "Boa Viagem", "Helena Melo"):
        expect(page.get_by_text(secret)).to_have_count(0)
    assert "segredo da Helena" not in page.content()
