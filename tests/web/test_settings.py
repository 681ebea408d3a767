"""The organisation's settings: what is wrong stands beside the control, what is right takes effect."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from atendimento.models import AdministrativeAct, Membership, Organization
from atendimento.selectors.working import calendar_of
from tests.support.asking import text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

RIGHT: dict[str, dict[str, Any]] = {
    "identity": {"name": "Frio Certo", "timezone": "America/Manaus", "language": "en"},
    "working-time": {
        "weekday": ["0", "5"],
        "opens": "08:00",
        "closes": "12:30",
        "holidays": "24/06 São João\n08/12/2026 - Conceição",
    },
    "reasons": {"reject_reasons": "Ouviu mal\nOutro aparelho"},
    "causes": {"cause-staff_error": "Engano nosso"},
}


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    return sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))


def kept(world: World) -> Organization:
    return Organization.objects.get(pk=world.ana.organization_id)


def test_each_card_is_kept_logged_and_shown_again(world: World, adm: Any) -> None:
    for card, typed in RIGHT.items():
        answer = adm.post(f"/admin/settings/{card}", typed)
        assert (card, answer.status_code, answer["Location"]) == (card, 302, "/admin/settings/?saved")
    found = kept(world)
    assert (found.name, found.timezone, found.language) == ("Frio Certo", "America/Manaus", "en")
    assert (found.weekdays, f"{found.opens_at:%H:%M}", f"{found.closes_at:%H:%M}") == ([0, 5], "08:00", "12:30")
    assert found.holidays == [{"day": "--06-24", "name": "São João"}, {"day": "2026-12-08", "name": "Conceição"}]
    assert found.reject_reasons == ["Ouviu mal", "Outro aparelho"]
    assert found.cause_names == {"staff_error": "Engano nosso"}
    page = adm.get("/admin/settings/").content.decode()
    assert "24/06 São João\n08/12/2026 Conceição" in page
    assert AdministrativeAct.objects.filter(kind="settings").count() == len(RIGHT)


def test_what_is_set_already_is_not_set_again(world: World, adm: Any) -> None:
    for _again in range(2):
        for card, typed in RIGHT.items():
            adm.post(f"/admin/settings/{card}", typed)
    assert AdministrativeAct.objects.filter(kind="settings").count() == len(RIGHT)


@pytest.mark.parametrize(
    ("card", "wrong", "words"),
    [
        ("identity", {"name": " "}, "Dê um nome"),
        ("identity", {"timezone": "America/Atlantida"}, "fuso horário da lista"),
        ("identity", {"language": "tlh"}, "Escolha um idioma"),
        ("working-time", {"weekday": []}, "pelo menos um dia"),
        ("working-time", {"opens": "18:00", "closes": "09:00"}, "terminar depois de começar"),
        ("working-time", {"closes": "25:00"}, "terminar depois de começar"),
        ("working-time", {"holidays": "24/06 ok\n31/02 não existe"}, "linha 2"),
        ("working-time", {"holidays": "Carnaval"}, "linha 1"),
        ("reasons", {"reject_reasons": "\n".join(map(str, range(10)))}, "no máximo nove"),
        ("reasons", {"reject_reasons": "x" * 81}, "no máximo nove"),
        ("reasons", {"reject_reasons": "a\na"}, "no máximo nove"),
        ("causes", {"cause-staff_error": "Um", "cause-old_record": "Um"}, "um nome próprio"),
    ],
)
def test_what_is_wrong_is_told_beside_it_and_what_was_typed_stays(
    world: World, adm: Any, card: str, wrong: dict[str, Any], words: str
) -> None:
    before = kept(world)
    answer = adm.post(f"/admin/settings/{card}", RIGHT[card] | wrong)
    assert answer.status_code == 400
    assert answer.content.decode().count("autofocus") == 1  # the page opens at what is wrong
    assert words in text(answer)
    after = kept(world)
    for name in (
        "name",
        "timezone",
        "language",
        "weekdays",
        "opens_at",
        "closes_at",
        "holidays",
        "reject_reasons",
        "cause_names",
    ):
        assert getattr(after, name) == getattr(before, name)
    assert not AdministrativeAct.objects.filter(kind="settings").exists()


def test_own_days_off_come_back_each_year_and_the_29th_of_february_only_where_it_is(world: World) -> None:
    organization = Organization(
        weekdays=[0, 1, 2, 3, 4],
        holidays=[{"day": "--06-24", "name": ""}, {"day": "--02-29", "name": ""}, {"day": "2026-12-08", "name": ""}],
    )
    at = datetime(2027, 6, 1, 12, tzinfo=ZoneInfo("America/Sao_Paulo"))
    days = {day.isoformat() for day in calendar_of(organization, at).holidays}
    assert {"2026-06-24", "2027-06-24", "2028-06-24", "2028-02-29", "2026-12-08", "2027-12-25"} <= days
    assert not {"2027-02-29", "2027-12-08"} & days


def test_a_card_offers_the_reasons_and_corrections_the_causes_by_their_names_here(world: World, adm: Any, ana: Any) -> None:
    for card in ("reasons", "causes"):
        adm.post(f"/admin/settings/{card}", RIGHT[card])
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem")))
    assert "Outro aparelho" in text(ana.get(f"/tickets/{ticket.pk}/"))
    assert "Engano nosso" in text(adm.get("/corrections/"))


@pytest.mark.parametrize("days", [["", "1"], ["12"], ["x"]])
def test_days_that_are_none_are_told_or_left_out(world: World, adm: Any, days: list[str]) -> None:
    assert adm.post("/admin/settings/working-time", RIGHT["working-time"] | {"weekday": days}).status_code in {302, 400}
