"""Members, tokens and the log of administration, without any script."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import ProgrammingError, transaction
from django.test import Client

from atendimento import access
from atendimento.models import AdministrativeAct, ApiToken, Membership, User
from tests.builders import Api, queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn

NEW = {"email": "bia@frio-certo.example", "name": "Bia Souza", "role": "agent", "password": "agua-de-coco-gelada"}


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    return sign_in(boss)


def test_the_way_there_is_shown_to_administrators_alone(adm: Any, silvia: Any) -> None:
    assert 'href="/admin/ticket-types/"' in adm.get("/").content.decode()
    assert 'href="/admin/ticket-types/"' not in silvia.get("/").content.decode()


def test_a_member_is_added_and_can_sign_in(world: World, adm: Any) -> None:
    answer = adm.post("/admin/members/", NEW)
    assert "Bia Souza agora faz parte." in text(answer)
    assert "agua-de-coco" not in answer.content.decode()
    assert User.objects.get(email=NEW["email"]).check_password(NEW["password"])
    assert Membership.objects.get(user__email=NEW["email"]).role == "agent"
    assert "Adm incluiu Bia Souza como Agente" in text(adm.get("/admin/log/"))


def test_an_account_of_elsewhere_is_not_taken_in_since_its_password_was_chosen_there(world: World, adm: Any) -> None:
    other = stories.make("outra", "Outra")
    world.enter()
    answer = adm.post("/admin/members/", NEW | {"email": other.ana.user.email.upper()})
    assert answer.status_code == 400
    assert "Este endereço é de uma conta de outra organização." in text(answer)
    assert not Membership.objects.filter(organization=world.ana.organization, user_id=other.ana.user_id).exists()
    assert User.objects.get(pk=other.ana.user_id).check_password(stories.PASSWORD)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"email": "bia"}, "Isto não é um endereço de e-mail."),
        ({"name": " "}, "Dê um nome de até 100 caracteres."),
        ({"role": "dono"}, "Escolha um papel."),
        ({"password": "12345678901"}, "Use dez caracteres ou mais"),
        ({"email": "ANA@frio-certo.example"}, "Esta pessoa já faz parte. Veja na lista."),
    ],
)
def test_what_is_wrong_stands_beside_its_control(world: World, adm: Any, wrong: dict[str, str], words: str) -> None:
    answer = adm.post("/admin/members/", NEW | wrong)
    assert answer.status_code == 400
    assert words in text(answer)
    assert Membership.objects.filter(organization=world.ana.organization).count() == 4
    assert AdministrativeAct.objects.exclude(kind="type_published").count() == 0


def test_a_role_is_changed_and_holds_at_once(world: World, adm: Any, ana: Any) -> None:
    assert ana.get("/imports/").status_code == 403
    assert adm.post(f"/admin/members/{world.ana.pk}/role", {"role": "supervisor"})["Location"] == "/admin/members/"
    assert ana.get("/imports/").status_code == 200
    assert "Adm mudou o papel de Ana Lima de Agente para Supervisão" in text(adm.get("/admin/log/"))


def test_deactivating_ends_sessions_and_tokens(world: World, adm: Any, ana: Any) -> None:
    ApiToken.objects.create(
        organization=world.ana.organization, membership=world.ana, name="meu", scope="member", digest=access.token_digest("x")
    )
    assert ana.get("/").status_code == 200
    alive = Session.objects.count()
    adm.post(f"/admin/members/{world.ana.pk}/deactivate")
    assert ana.get("/")["Location"].startswith("/conta/login/")
    assert Session.objects.count() == alive - 1
    assert access.bearer("x") is None
    adm.post(f"/admin/members/{world.ana.pk}/reactivate")
    assert access.bearer("x") is None  # a revoked token stays so
    assert Membership.objects.get(pk=world.ana.pk).is_active
    log = text(adm.get("/admin/log/"))
    assert "Adm desativou Ana Lima; tokens revogados junto: 1" in log
    assert "Adm readmitiu Ana Lima" in log


@pytest.mark.parametrize("act", ["deactivate", "role"])
def test_the_last_administrator_stays(world: World, adm: Any, boss: Membership, act: str) -> None:
    answer = adm.post(f"/admin/members/{boss.pk}/{act}", {"role": "agent"})
    assert answer.status_code == 409
    assert "Esta é a única pessoa que administra." in text(answer)
    boss.refresh_from_db()
    assert (boss.is_active, boss.role) == (True, "admin")
    adm.post(f"/admin/members/{world.silvia.pk}/role", {"role": "admin"})
    assert adm.post(f"/admin/members/{boss.pk}/{act}", {"role": "agent"}).status_code == 302


def test_a_token_is_shown_once_works_and_is_revoked(world: World, adm: Any) -> None:
    answer = adm.post("/admin/tokens/", {"name": "mercado", "scope": "ingest"})
    found = re.search(r'value="(lastro_[^"]+)"', answer.content.decode())
    assert found is not None
    token = found[1]
    assert answer["Cache-Control"] == "no-store, private"
    assert token not in adm.get("/admin/tokens/").content.decode()
    assert "mercado integração criado" in text(adm.get("/admin/tokens/"))
    assert "nenhum uso conhecido" in text(adm.get("/admin/tokens/"))
    assert Api(token).get("tickets").status == 200
    world.enter()
    assert "usado por último" in text(adm.get("/admin/tokens/"))
    row = ApiToken.objects.get(name="mercado")
    adm.post(f"/admin/tokens/{row.pk}/revoke")
    assert Api(token).get("tickets").status == 401
    world.enter()
    log = text(adm.get("/admin/log/"))
    assert "Adm criou o token “mercado” (ingest)" in log
    assert "Adm revogou o token “mercado”" in log


def test_a_token_of_a_member_acts_as_its_maker_alone(adm: Any, boss: Membership) -> None:
    adm.post("/admin/tokens/", {"name": "meu", "scope": "member"})
    assert ApiToken.objects.get(name="meu").membership == boss
    for wrong in ({"name": "", "scope": "ingest"}, {"name": "x", "scope": "root"}, {"name": "x" * 101, "scope": "ingest"}):
        assert adm.post("/admin/tokens/", wrong).status_code == 400
    assert ApiToken.objects.filter(organization=boss.organization).count() == 2


def test_what_is_of_another_organisation_is_not_there(world: World, boss: Membership, adm: Any) -> None:
    other = stories.make("outra", "Outra")
    theirs = ApiToken.objects.get(organization=other.ana.organization)
    world.enter()
    for act in ("role", "deactivate", "reactivate"):
        assert adm.post(f"/admin/members/{other.ana.pk}/{act}", {"role": "admin"}).status_code == 404
    assert adm.post(f"/admin/tokens/{theirs.pk}/revoke").status_code == 404
    theirs.refresh_from_db()
    assert theirs.revoked_at is None
    for page in ("members", "tokens", "log"):
        assert "outra" not in text(adm.get(f"/admin/{page}/")).lower().replace("outra pessoa", "")


def test_names_are_never_markup(adm: Any) -> None:
    attack = "<img src=x onerror=alert(1)>"
    adm.post("/admin/members/", NEW | {"name": attack})
    adm.post("/admin/tokens/", {"name": attack, "scope": "ingest"})
    for page in ("members", "tokens", "log"):
        body = adm.get(f"/admin/{page}/").content.decode()
        assert "&lt;img" in body
        assert "<img" not in body


def test_the_log_only_grows(adm: Any) -> None:
    adm.post("/admin/tokens/", {"name": "a", "scope": "ingest"})
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        AdministrativeAct.objects.update(subject="b")
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        AdministrativeAct.objects.all().delete()


def test_pages_ask_the_database_the_same_however_much_there_is(adm: Any) -> None:
    pages = ("/admin/members/", "/admin/tokens/", "/admin/log/")
    adm.post("/admin/tokens/", {"name": "a", "scope": "member"})
    few = [queries_of(lambda page=page: adm.get(page)) for page in pages]  # type: ignore[misc]
    for number in range(8):
        adm.post("/admin/members/", NEW | {"email": f"p{number}@x.example", "name": f"P{number}"})
        adm.post("/admin/tokens/", {"name": f"t{number}", "scope": "member"})
    assert [queries_of(lambda page=page: adm.get(page)) for page in pages] == few  # type: ignore[misc]
