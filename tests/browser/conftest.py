"""A real browser before a real server, signed in as one of the story's people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from atendimento.models import Membership, Ticket
from tests.support import stories
from tests.support.live import LiveServer
from tests.support.stories import World


@pytest.fixture
def world(transactional_db: None) -> World:
    return stories.make()


Open = Callable[..., Page]


@pytest.fixture
def open_ticket(context: BrowserContext, page: Page, world: World, live_server: LiveServer) -> Open:
    """Sign the page in as a member (Ana where none is named) and open a ticket's page, or the queue."""

    def opened(ticket: Ticket | None = None, member: Membership | None = None, query: str = "") -> Page:
        sign_in(context, live_server, member or world.ana)
        page.goto(f"/tickets/{ticket.pk}/{query}" if ticket is not None else f"/{query}")
        expect(page.locator("#live[data-state=on]")).to_be_attached()
        return page

    return opened


def sign_in(context: BrowserContext, live_server: LiveServer, member: Membership) -> None:
    """Give the browser a session of this member."""
    client = Client()
    client.force_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    cookie = client.cookies["lastro_session"].value
    context.add_cookies([{"name": "lastro_session", "value": cookie, "url": live_server.url}])


@pytest.fixture
def open_beside(
    browser: Browser, world: World, live_server: LiveServer, browser_options: dict[str, Any]
) -> Iterator[Callable[[Ticket], Page]]:
    """Open a ticket's page in a second browser, as Rui."""
    context = browser.new_context(base_url=live_server.url, **browser_options)
    context.set_default_timeout(20_000)

    def opened(ticket: Ticket) -> Page:
        sign_in(context, live_server, world.rui)
        page = context.new_page()
        page.goto(f"/tickets/{ticket.pk}/")
        expect(page.locator("#live[data-state=on]")).to_be_attached()
        return page

    yield opened
    context.close()
