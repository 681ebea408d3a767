"""Coming in by an organisation's own OpenID Connect service: a real provider, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from atendimento import embedded, tenancy
from atendimento.actions.invitations import invite
from atendimento.models import Membership, SingleSignOn, User
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import PASSWORD, World
from tests.web.conftest import SignIn

SECRET = "not-told-to-anybody"
PEOPLE = [
    {"sub": "1", "email": "ana@frio-certo.example", "email_verified": True},
    {"sub": "2", "email": "ana@frio-certo.example", "email_verified": False},
    {"sub": "3", "email": "bia@frio-certo.example", "email_verified": True},
    {"sub": "4", "email": "ninguem@frio-certo.example", "email_verified": True},
    {"sub": "5", "email": "ana@outra.example", "email_verified": True},
]


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    port = embedded.free_port()
    people = [argument for person in PEOPLE for argument in ("--user-claims", json.dumps(person))]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), *people]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"
        ends = time.monotonic() + 60
        while True:
            try:
                requests.get(f"{address}/.well-known/openid-configuration", timeout=5).raise_for_status()
                break
            except requests.RequestException:
                assert process.poll() is None, "the provider ended"
                assert time.monotonic() < ends, "the provider did not come up"
                time.sleep(0.1)
        yield address
        process.terminate()


@pytest.fixture(autouse=True)
def _inside(settings: Any) -> None:
    settings.ALLOW_INTERNAL_ENDPOINTS = True


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    return sign_in(boss)


def typed(issuer: str, **changed: str) -> dict[str, str]:
    return {"issuer": issuer, "client_id": "lastro", "secret": SECRET, "active": "on"} | changed


@pytest.fixture
def slug(world: World, adm: Any, issuer: str) -> str:
    answer = adm.post("/admin/sign-in/", typed(issuer))
    assert answer.status_code == 200, text(answer)
    return world.ana.organization.slug


def come_in(slug: str, person: str, browser: Client | None = None) -> tuple[Client, Any]:
    """Through the organisation's page, the provider, and back; the browser and what it is answered at the end."""
    browser = browser or Client(headers={"accept-language": "pt-BR"})
    assert browser.get(f"/enter/{slug}/").status_code == 200
    away = browser.post(f"/conta/entrada/{slug}/login/")
    assert away.status_code == 302, text(away)
    back = requests.post(away["Location"], data={"sub": person}, allow_redirects=False, timeout=20)
    assert back.status_code == 302, back.text
    parts = urlsplit(back.headers["Location"])
    return browser, browser.get(f"{parts.path}?{parts.query}")


def test_a_member_comes_in_by_the_verified_address(world: World, slug: str) -> None:
    browser, answer = come_in(slug, "1")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    page = text(browser.get("/"))
    assert "Ana Lima" in page
    assert world.ana.organization.name in page


def test_the_page_lets_its_form_lead_to_the_service_and_nowhere_else(world: World, slug: str, issuer: str) -> None:
    policy = Client().get(f"/enter/{slug}/")["Content-Security-Policy"]
    assert f"form-action 'self' {issuer}" in policy
    assert "form-action 'self';" in Client().get("/conta/login/")["Content-Security-Policy"] + ";"


def test_the_secret_is_kept_sealed_and_never_shown(world: World, adm: Any, slug: str, issuer: str) -> None:
    kept = SingleSignOn.objects.get()
    assert SECRET not in kept.sealed_secret
    assert SECRET not in adm.get("/admin/sign-in/").content.decode()
    assert adm.post("/admin/sign-in/", typed(issuer, secret="")).status_code == 200
    assert SingleSignOn.objects.get().sealed_secret == kept.sealed_secret
    assert "definiu o serviço de acesso" in text(adm.get("/admin/log/"))


def test_an_address_that_the_service_did_not_verify_opens_nothing(world: World, slug: str) -> None:
    browser, answer = come_in(slug, "2")
    assert answer.status_code == 403
    assert "não confirmou nenhum endereço" in text(answer)
    assert browser.get("/").status_code == 302


def test_whoever_is_no_member_is_told_so_and_gets_no_account(world: World, slug: str) -> None:
    _browser, answer = come_in(slug, "4")
    assert answer.status_code == 403
    assert "ninguem@frio-certo.example" in text(answer)
    assert not User.objects.filter(email="ninguem@frio-certo.example").exists()


def test_an_invited_person_joins_by_it_without_a_password(world: World, boss: Membership, slug: str) -> None:
    invite(member=boss, email="bia@frio-certo.example", name="Bia Souza", role="agent")
    browser, answer = come_in(slug, "3")
    assert answer.status_code == 302, text(answer)
    assert "Bia Souza" in text(browser.get("/"))
    world.enter()
    assert not User.objects.get(email="bia@frio-certo.example").has_usable_password()


def test_a_member_who_was_shut_out_stays_out(world: World, slug: str) -> None:
    Membership.objects.filter(pk=world.ana.pk).update(is_active=False)
    _browser, answer = come_in(slug, "1")
    assert answer.status_code == 403


def test_the_service_opens_its_own_organisation_alone(world: World, boss: Membership, slug: str) -> None:
    """Whoever runs a service can have it say any address: that must not open what is another organisation's."""
    other = stories.make("outra", "Outra")
    world.enter()
    browser, answer = come_in(slug, "5")
    assert answer.status_code == 403
    world.enter()
    invite(member=boss, email=other.ana.user.email, name="Ana da Outra", role="agent")
    browser, answer = come_in(slug, "5")
    assert answer.status_code == 302
    page = text(browser.get("/"))
    assert world.ana.organization.name in page
    session = browser.session
    session[tenancy.SESSION_KEY] = other.ana.pk
    session.save()
    assert world.ana.organization.name in text(browser.get("/")), "the choice of another membership does not count"
    for shut in ("/conta/fator/totp/activate/", "/conta/password/change/", "/conta/reauthenticate/"):
        assert browser.get(shut).status_code == 404
    Membership.objects.filter(user=other.ana.user, organization=world.ana.organization).update(is_active=False)
    assert browser.get("/").status_code == 403


def test_signing_in_never_joins_the_service_to_the_account_that_is_open(world: World, slug: str) -> None:
    browser = Client(headers={"accept-language": "pt-BR"})
    browser.post("/conta/login/", {"login": world.silvia.user.email, "password": PASSWORD})
    away = browser.post(f"/conta/entrada/{slug}/login/?process=connect")
    back = requests.post(away["Location"], data={"sub": "1"}, allow_redirects=False, timeout=20)
    parts = urlsplit(back.headers["Location"])
    assert browser.get(f"{parts.path}?{parts.query}").status_code == 403
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"issuer": "http://127.0.0.1:1"}, "não respondeu"),
        ({"issuer": "ftp://frio-certo.example"}, "endereço de um serviço"),
        ({"client_id": " "}, "client id"),
        ({"secret": ""}, "segredo"),
    ],
)
def test_a_service_is_tried_before_it_is_kept(world: World, adm: Any, issuer: str, wrong: dict[str, str], words: str) -> None:
    answer = adm.post("/admin/sign-in/", typed(issuer) | wrong)
    assert answer.status_code == 400
    assert words in text(answer)
    assert not SingleSignOn.objects.exists()


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9", "https://127.0.0.1", "https://localhost", "https://10.0.0.8", "https://[::1]"]
)
def test_an_address_inside_is_refused_unless_the_operator_permits_it(
    world: World, adm: Any, settings: Any, address: str
) -> None:
    settings.ALLOW_INTERNAL_ENDPOINTS = False
    answer = adm.post("/admin/sign-in/", typed(address))
    assert answer.status_code == 400
    assert not SingleSignOn.objects.exists()


def test_one_that_is_switched_off_lets_nobody_in(world: World, adm: Any, slug: str, issuer: str) -> None:
    assert (
        adm.post("/admin/sign-in/", {key: value for key, value in typed(issuer).items() if key != "active"}).status_code == 200
    )
    assert Client().get(f"/enter/{slug}/").status_code == 404
    assert Client().post(f"/conta/entrada/{slug}/login/").status_code == 404
    assert Client().get("/enter/?organization=" + slug).status_code == 404


def test_a_kept_secret_goes_to_its_own_service_and_to_no_other(world: World, adm: Any, slug: str, issuer: str) -> None:
    elsewhere = issuer.replace("127.0.0.1", "localhost")
    answer = adm.post("/admin/sign-in/", typed(elsewhere, secret=""))
    assert answer.status_code == 400
    assert "Informe o segredo do cliente." in text(answer)
    assert SingleSignOn.objects.get().issuer == issuer
