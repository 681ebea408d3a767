"""Ana, signed in; Rui her colleague; Sílvia who supervises; and a stranger of another organisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from atendimento.models import Membership
from tests.support import stories
from tests.support.stories import World


@pytest.fixture
def world(db: None) -> World:
    return stories.make()


SignIn = Callable[[Membership], Client]


@pytest.fixture
def sign_in(world: World) -> SignIn:
    """A browser in which this member is signed in. What the test reads afterwards is the first organisation's again."""

    class Browser(Client):
        def request(self, **request: Any) -> Any:
            try:
                return super().request(**request)
            finally:
                world.enter()

    def signed(member: Membership) -> Client:
        browser = Browser(headers={"accept-language": "pt-BR"})
        browser.force_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
        return browser

    return signed


@pytest.fixture
def ana(world: World, sign_in: SignIn) -> Client:
    return sign_in(world.ana)


@pytest.fixture
def silvia(world: World, sign_in: SignIn) -> Client:
    return sign_in(world.silvia)


@pytest.fixture
def stranger(world: World, sign_in: SignIn) -> Client:
    """Signed in, but of another organisation."""
    other = stories.make("outra", "Outra")
    world.enter()
    return sign_in(other.silvia)
