"""Invitations, the second factor, and the sessions of a person: what lets people in, and what puts them out."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.test import Client
from django.utils import timezone

from atendimento.models import AdministrativeAct, Invitation, Membership, User
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import PASSWORD, World
from tests.web.conftest import SignIn

BIA = {"email": "bia@frio-certo.example", "name": "Bia Souza", "role": "supervisor"}
CHOSEN = "agua-de-coco-gelada"
PORTUGUESE = {"accept-language": "pt-BR"}


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    return sign_in(boss)


def link_in(page: Any) -> str:
    found = re.search(r"/invitations/[A-Za-z0-9_-]+/", page.content.decode())
    assert found is not None
    return found.group()


def by_password(email: str, password: str = PASSWORD) -> Client:
    browser = Client(headers=PORTUGUESE)
    browser.post("/conta/login/", {"login": email, "password": password})
    return browser


# --- invitations --------------------------------------------------------------------------------------------------


def test_an_invited_person_chooses_a_password_and_is_a_member(world: World, adm: Any) -> None:
    page = adm.post("/admin/members/invite", BIA)
    link = link_in(page)
    assert "o e-mail está a caminho" in text(page)
    [sent] = mail.outbox
    assert sent.to == [BIA["email"]]
    assert link in sent.body
    kept = Invitation.objects.get()
    assert kept.digest not in link
    assert link.split("/")[2] not in kept.digest

    person = Client(headers=PORTUGUESE)
    shown = text(person.get(link))
    assert "Convite para Frio Certo" in shown
    assert "Supervisão" in shown
    answer = person.post(link, {"password": CHOSEN})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    world.enter()
    joined = Membership.objects.get(user__email=BIA["email"])
    assert (joined.role, joined.name, joined.user.check_password(CHOSEN)) == ("supervisor", "Bia Souza", True)
    assert "Bia Souza" in text(person.get("/"))
    assert text(Client(headers=PORTUGUESE).get(link)).count("não vale mais") == 1
    world.enter()
    assert "entrou por convite como Supervisão" in text(adm.get("/admin/log/"))


@pytest.mark.parametrize("password", ["curta", "1234567890", "password123"])
def test_a_weak_password_is_refused_and_the_link_still_works(world: World, adm: Any, password: str) -> None:
    link = link_in(adm.post("/admin/members/invite", BIA))
    person = Client(headers=PORTUGUESE)
    refused = person.post(link, {"password": password})
    assert refused.status_code == 400
    assert 'role="alert"' in refused.content.decode()
    assert person.post(link, {"password": CHOSEN}).status_code == 302


def test_whoever_has_an_account_accepts_as_that_account_and_no_password_is_set(world: World, adm: Any) -> None:
    other = stories.make("outra", "Outra")
    world.enter()
    link = link_in(adm.post("/admin/members/invite", BIA | {"email": other.ana.user.email.upper()}))

    stranger = Client(headers=PORTUGUESE)
    assert "já tem uma conta" in text(stranger.get(link))
    assert stranger.post(link, {"password": CHOSEN})["Location"] == f"/conta/login/?next={link}"
    signed_in = by_password(other.ana.user.email)
    assert signed_in.post(link).status_code == 302
    world.enter()
    assert Membership.objects.get(organization=world.ana.organization, user=other.ana.user).role == "supervisor"
    assert User.objects.get(pk=other.ana.user_id).check_password(PASSWORD)


def test_another_person_s_link_opens_nothing(world: World, adm: Any) -> None:
    other = stories.make("outra", "Outra")
    world.enter()
    link = link_in(adm.post("/admin/members/invite", BIA | {"email": other.ana.user.email}))
    nosy = by_password(other.silvia.user.email)
    assert "Saia primeiro" in text(nosy.get(link))
    assert nosy.post(link).status_code == 409
    world.enter()
    assert not Membership.objects.filter(organization=world.ana.organization, user=other.silvia.user).exists()


def test_a_link_ends_when_it_is_taken_back_replaced_or_seven_days_old(world: World, adm: Any) -> None:
    first = link_in(adm.post("/admin/members/invite", BIA))
    second = link_in(adm.post("/admin/members/invite", BIA))
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    world.enter()
    Invitation.objects.filter(revoked_at=None).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(second).status_code == 404
    world.enter()
    third = link_in(adm.post("/admin/members/invite", BIA))
    adm.post(f"/admin/invitations/{Invitation.objects.get(revoked_at=None).pk}/revoke")
    assert Client().post(third, {"password": CHOSEN}).status_code == 404
    assert not User.objects.filter(email=BIA["email"]).exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"email": "nada"}, "Isto não é um endereço de e-mail."),
        ({"name": " "}, "Dê um nome de até 100 caracteres."),
        ({"role": "king"}, ""),
        ({"email": "ana@frio-certo.example"}, "Esta pessoa já faz parte."),
    ],
)
def test_what_is_wrong_with_an_invitation_stands_beside_it(world: World, adm: Any, wrong: dict[str, str], words: str) -> None:
    page = adm.post("/admin/members/invite", BIA | wrong)
    assert page.status_code == 400
    assert words in text(page)
    assert not mail.outbox
    assert not Invitation.objects.exists()


# --- sessions -----------------------------------------------------------------------------------------------------


def test_a_person_sees_their_sessions_and_ends_the_others(world: World) -> None:
    here, there = by_password(world.ana.user.email), by_password(world.ana.user.email)
    page = text(here.get("/account/"))
    assert page.count("Encerrar") >= 1
    answer = here.post("/account/sessions", {})
    assert "1 sessão foi encerrada." in text(answer)
    assert there.get("/").status_code == 302
    assert here.get("/").status_code == 200


def test_nobody_ends_another_person_s_session_by_its_number(world: World) -> None:
    hers, mine = by_password(world.silvia.user.email), by_password(world.ana.user.email)
    from_her = re.search(
        r'name="session"\s+value="(\d+)"', by_password(world.silvia.user.email).get("/account/").content.decode()
    )
    assert from_her is not None
    mine.post("/account/sessions", {"session": from_her.group(1)})
    assert hers.get("/").status_code == 200


def test_an_administrator_signs_a_member_out_everywhere(world: World, adm: Any) -> None:
    browser = by_password(world.ana.user.email)
    world.enter()
    assert adm.post(f"/admin/members/{world.ana.pk}/sessions").status_code == 302
    assert browser.get("/").status_code == 302
    world.enter()
    assert AdministrativeAct.objects.filter(kind="sessions_ended").count() == 1


# --- the second factor --------------------------------------------------------------------------------------------


def code_of(secret: str) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return f"{hotp_value(secret, counter):06d}"


def set_up(browser: Client) -> str:
    """The second factor of who is signed in there; its secret."""
    asked = browser.get("/conta/fator/totp/activate/")
    assert asked["Location"].startswith("/conta/reauthenticate/"), "what changes the sign-in asks once more"
    assert browser.post(asked["Location"], {"password": PASSWORD}).status_code == 302
    page = browser.get("/conta/fator/totp/activate/")
    found = re.search(r'id="secret"\s+value="([A-Z2-7]+)"', page.content.decode())
    assert found is not None
    answer = browser.post("/conta/fator/totp/activate/", {"code": code_of(found.group(1))})
    assert answer.status_code == 302
    return found.group(1)


def test_a_second_factor_is_set_up_kept_sealed_and_asked_for(world: World) -> None:
    browser = by_password(world.ana.user.email)
    secret = set_up(browser)
    kept = Authenticator.objects.get(type="totp")
    assert secret not in str(kept.data)

    again = Client(headers=PORTUGUESE)
    answer = again.post("/conta/login/", {"login": world.ana.user.email, "password": PASSWORD})
    assert answer["Location"] == "/conta/fator/authenticate/"
    assert again.get("/").status_code == 302
    assert "Segundo fator" in text(again.get("/conta/fator/authenticate/"))
    assert again.post("/conta/fator/authenticate/", {"code": "000000"}).status_code == 200
    assert again.get("/").status_code == 302


def test_a_recovery_code_opens_once(world: World) -> None:
    browser = by_password(world.ana.user.email)
    set_up(browser)
    codes = re.findall(r"<code>(\d+)</code>", browser.get("/conta/fator/recovery-codes/").content.decode())
    assert len(codes) == 10
    for tries, opened in ((1, 302), (2, 200)):
        again = by_password(world.ana.user.email)
        answer = again.post("/conta/fator/authenticate/", {"code": codes[0]})
        assert (tries, answer.status_code) == (tries, opened)


SAID = '<p class="notice" role="status">'


def test_what_the_sign_in_has_to_say_is_said_on_the_next_page_and_no_later(world: World, adm: Any) -> None:
    wanted = {"oldpassword": PASSWORD, "password1": CHOSEN, "password2": CHOSEN}
    answer = adm.post("/conta/password/change/", wanted)
    assert answer.status_code == 302
    assert adm.get(answer["Location"]).content.decode().count(SAID) == 1
    world.enter()
    assert SAID not in adm.get("/admin/model/").content.decode()


def test_where_the_organisation_asks_for_it_nothing_opens_before_it_is_set_up(world: World, adm: Any) -> None:
    browser = by_password(world.ana.user.email)
    assert browser.get("/").status_code == 200
    world.enter()
    assert adm.post("/admin/sign-in/factor", {"required": "on"}).status_code == 302
    assert browser.get("/")["Location"] == "/conta/fator/totp/activate/"
    assert browser.get("/", headers={"HX-Request": "true"}).status_code == 401
    set_up(browser)
    assert browser.get("/").status_code == 200
    refused = browser.post("/conta/fator/totp/deactivate/")
    assert refused.status_code == 200
    assert Authenticator.objects.filter(type="totp").exists()


def test_a_lost_factor_is_taken_away_and_the_person_signed_out(world: World, adm: Any) -> None:
    browser = by_password(world.ana.user.email)
    set_up(browser)
    world.enter()
    assert adm.post(f"/admin/members/{world.ana.pk}/factor").status_code == 302
    assert browser.get("/").status_code == 302
    assert not Authenticator.objects.exists()
    world.enter()
    assert "retirou o segundo fator perdido de Ana" in text(adm.get("/admin/log/"))


def test_the_factor_of_somebody_who_belongs_elsewhere_too_stays(world: World, adm: Any) -> None:
    other = stories.make("outra", "Outra")
    world.enter()
    shared = Membership.objects.create(
        user=other.ana.user, organization=world.ana.organization, role="agent", name="Duas Casas"
    )
    Authenticator.objects.create(user=other.ana.user, type="totp", data={"secret": "x"})
    assert adm.post(f"/admin/members/{shared.pk}/factor").status_code == 409
    assert Authenticator.objects.filter(user=other.ana.user).exists()


# --- what ends an invitation --------------------------------------------------------------------------------------


def test_a_link_opens_nothing_for_who_is_or_was_a_member(world: World, adm: Any) -> None:
    link = link_in(adm.post("/admin/members/invite", BIA))
    made = adm.post("/admin/members/", {"email": BIA["email"], "name": "Bia", "role": "agent", "password": CHOSEN})
    assert made.status_code == 200
    bia = Membership.objects.get(user__email=BIA["email"])
    assert by_password(BIA["email"], CHOSEN).post(link).status_code == 404, "the account that was made ends the link"
    world.enter()
    Invitation.objects.update(revoked_at=None)
    adm.post(f"/admin/members/{bia.pk}/deactivate")
    assert Client(headers=PORTUGUESE).get(link).status_code == 404, "shutting out ends it too"
    world.enter()
    Invitation.objects.update(revoked_at=None)
    User.objects.filter(pk=bia.user_id).update(is_active=True)
    browser = by_password(BIA["email"], CHOSEN)
    browser.post(link)
    world.enter()
    bia.refresh_from_db()
    assert (bia.is_active, bia.role) == (False, "agent")


def test_what_an_administrator_gave_out_ends_with_their_own_rights(world: World, adm: Any, boss: Membership) -> None:
    link = link_in(adm.post("/admin/members/invite", BIA | {"role": "admin"}))
    Membership.objects.filter(pk=boss.pk).update(is_active=False)
    assert Client(headers=PORTUGUESE).post(link, {"password": CHOSEN}).status_code == 404
    Membership.objects.filter(pk=boss.pk).update(is_active=True, role="supervisor")
    assert Client(headers=PORTUGUESE).post(link, {"password": CHOSEN}).status_code == 404


def test_the_live_stream_waits_for_the_second_factor_as_every_page_does(world: World, adm: Any) -> None:
    browser = by_password(world.ana.user.email)
    world.enter()
    adm.post("/admin/sign-in/factor", {"required": "on"})
    assert browser.get("/live").status_code == 401


@pytest.mark.parametrize("query", ["until=9999-12-31", "since=0001-01-01", "until=0001-01-01"])
def test_the_ends_of_the_calendar_filter_the_log_without_a_fault(world: World, adm: Any, query: str) -> None:
    assert adm.get(f"/admin/log/?{query}").status_code == 200
