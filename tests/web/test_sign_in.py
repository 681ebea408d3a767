"""Who is not signed in sees the sign-in page; a script is told so, and no login form lands in a panel."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from tests.support.asking import SCRIPT, text
from tests.support.stories import PASSWORD, World
from tests.web.conftest import SignIn

TICKET = "/tickets/00000000-0000-7000-8000-000000000001/"


@pytest.mark.parametrize("path", ["/", TICKET, f"{TICKET}memory", f"{TICKET}messages", f"{TICKET}summary"])
def test_a_page_leads_to_the_sign_in_and_back(db: None, path: str) -> None:
    response = Client().get(path)
    assert response.status_code == 302
    assert response["Location"] == f"/conta/login/?next={path}"


@pytest.mark.parametrize("path", ["/", TICKET, f"{TICKET}memory", "/live"])
def test_a_script_gets_a_bare_401(db: None, path: str) -> None:
    response = Client().get(path, headers=SCRIPT)
    assert (response.status_code, response.content) == (401, b"")


@pytest.mark.parametrize("act", ["reply", "draft", "decide", "confirm", "set", "resolve", "undo", "propose", "status", "seen"])
def test_a_forms_answer_is_401_for_a_script_too(db: None, act: str) -> None:
    assert Client().post(TICKET + act, headers=SCRIPT).status_code == 401


def test_signing_in_leads_to_the_queue(world: World) -> None:
    client = Client(headers={"accept-language": "pt-BR"})
    page = client.get("/conta/login/")
    assert "Senha" in text(page)
    response = client.post("/conta/login/", {"login": "ana@frio-certo.example", "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, "/")
    assert "Decidir" in text(client.get("/"))


def test_a_wrong_password_keeps_the_address_and_says_so(world: World) -> None:
    client = Client(headers={"accept-language": "pt-BR"})
    response = client.post("/conta/login/", {"login": "ana@frio-certo.example", "password": "errada-mas-longa"})
    assert response.status_code == 200
    assert 'value="ana@frio-certo.example"' in response.content.decode()
    assert 'role="alert"' in response.content.decode()


@pytest.mark.parametrize(
    ("preferred", "word"),
    [
        ("en-US,en;q=0.9", "Password"),
        ("pt-PT", "Senha"),
        ("es, fr;q=0.8", "Senha"),  # neither is ours: Portuguese
        ("", "Senha"),
        ("de;q=0.9, en;q=0.5", "Password"),
    ],
)
def test_the_sign_in_speaks_the_browser_s_language(db: None, preferred: str, word: str) -> None:
    assert word in text(Client(headers={"accept-language": preferred}).get("/conta/login/"))


def test_a_language_chosen_on_the_sign_in_page_holds_against_the_browser_s(db: None) -> None:
    client = Client(headers={"accept-language": "en-US,en;q=0.9"})
    response = client.post("/look", {"language": "pt-br", "next": "/conta/login/"})
    assert (response.status_code, response["Location"]) == (302, "/conta/login/")
    assert "Senha" in text(client.get("/conta/login/"))


def test_a_language_that_a_person_chose_is_theirs_in_every_browser(world: World, sign_in: SignIn) -> None:
    sign_in(world.ana).post("/look", {"language": "en"})
    world.ana.user.refresh_from_db()

    assert "Sign out" in text(sign_in(world.ana).get("/"))
    assert "Sair" in text(sign_in(world.rui).get("/"))


def test_a_language_that_there_is_not_is_not_kept(world: World, ana: Client) -> None:
    ana.post("/look", {"language": "tlh"})
    world.ana.user.refresh_from_db()
    assert world.ana.user.language == ""


def test_nobody_signs_up(db: None) -> None:
    assert "cadastro" in text(Client(headers={"accept-language": "pt-BR"}).get("/conta/signup/"))


def test_nobody_takes_another_address(world: World, ana: Client) -> None:
    taken = {"action_add": "", "email": "silvia@frio-certo.example"}
    assert ana.get("/conta/email/").status_code == 404
    assert ana.post("/conta/email/", taken).status_code == 404
    assert not EmailAddress.objects.filter(email=taken["email"], user=world.ana.user).exists()


@pytest.mark.parametrize("path", ["/conta/password/reset/", "/conta/password/reset/done/"])
def test_the_other_account_pages_are_ours(db: None, path: str) -> None:
    assert "css/tokens.css" in Client().get(path).content.decode()


def test_a_person_without_membership_is_told_so(world: World) -> None:
    world.ana.is_active = False
    world.ana.save(update_fields=["is_active"])
    client = Client()
    client.force_login(world.ana.user, "allauth.account.auth_backends.AuthenticationBackend")
    assert client.get("/").status_code == 403
    assert client.get("/", headers=SCRIPT).status_code == 403


def test_signing_out_has_the_browser_forget(ana: Client) -> None:
    assert "Clear-Site-Data" not in ana.get("/conta/logout/")
    answer = ana.post("/conta/logout/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert "no-store" in answer["Cache-Control"]
    assert "lastro_membership" not in ana.session


def test_a_form_that_came_after_the_session_gives_back_what_was_written(world: World) -> None:
    address = f"/tickets/{world.ticket().pk}/reply"
    answer = Client().post(address, {"text": "Bom dia, <b>Helena</b>", "kind": "reply", "key": "not-shown"})
    assert answer.status_code == 401
    page = answer.content.decode()
    assert "Bom dia, &lt;b&gt;Helena&lt;/b&gt;" in page
    assert "not-shown" not in page
    assert Client().post(address, {"text": "", "kind": "reply"}).status_code == 302
    assert Client().post(address, {"text": "x"}, headers=SCRIPT).content == b""
