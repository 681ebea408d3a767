"""The corrections of all tickets in the browser, without any script: filters, pages, causes, spreadsheet, permissions."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from django.utils import timezone

from atendimento.actions import decisions, slots
from atendimento.actions.undo import undo_version
from atendimento.models import CauseChoice, Correction, Membership, Ticket
from atendimento.selectors import corrections as pages
from atendimento.selectors.spreadsheet import harmless, lines
from memoria.patch import MISSING
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World, change


def at(ticket: Ticket) -> int:
    return Ticket.objects.get(pk=ticket.pk).state_version


def story(world: World) -> Ticket:
    """Helena changes the place, Rui overwrites the appliance, Sílvia overrides the registry's address."""
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[:1])
    decisions.reject_change(member=world.ana, change_id=rows[3].pk, reason="não foi dito")
    slots.set_slot(
        member=world.rui,
        ticket_id=ticket.pk,
        path="/facts/aparelho",
        value="Freezer",
        expected_version=at(ticket),
        reason="foto",
    )
    world.say(ticket, "Endereço: Rua das Flores, 10", "registry", "Cadastro")
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua das Flores, 10", ("m-7", "Rua das Flores, 10"))))
    world.say(ticket, "é Rua do Sol, 22")
    (row,) = world.propose(ticket, change("/facts/endereco", "Rua do Sol, 22", ("m-8", "Rua do Sol, 22")))
    decisions.accept_change(
        member=world.silvia, change_id=row.pk, expected_version=at(ticket), override="mandou a conta de luz"
    )
    return ticket


def shown(client: Any, **query: Any) -> list[str]:
    """The fields of the rows that the list shows."""
    answer = client.get("/corrections/", {key: value for key, value in query.items() if value is not None})
    assert answer.status_code == 200
    return [row.label for row in answer.context["page"].rows]


ALL = ["Endereço", "Aparelho", "Orçamento", "Bairro da visita"]


def test_each_row_says_what_where_who_and_why(world: World, silvia: Any) -> None:
    ticket = story(world)
    answer = silvia.get("/corrections/")
    assert [row.label for row in answer.context["page"].rows] == ALL
    words = text(answer)
    assert "Endereço substituído mesmo assim fonte: cliente Rua das Flores, 10 passou a Rua do Sol, 22" in words
    assert f"Atendimento {ticket.protocol} , versão" in words.replace(f"{ticket.protocol},", f"{ticket.protocol} ,")
    assert "Motivo para substituir: mandou a conta de luz" in words
    assert "Causa: cadastro antigo conta como erro" in words
    assert "Aparelho substituído fonte: equipe geladeira passou a Freezer" in words
    assert "Rui Prado ·" in words
    assert "Causa: o cliente mudou de ideia O que" not in words
    assert "Orçamento proposta rejeitada" in words
    assert "Motivo: não foi dito" in words
    assert "<script>" not in answer.content.decode()


def test_a_row_opens_the_ticket_as_it_was(world: World, silvia: Any) -> None:
    story(world)
    rows = {row.label: row for row in silvia.get("/corrections/").context["page"].rows}
    then = silvia.get(rows["Bairro da visita"].url)
    assert "Como estava na versão 2" in text(then)
    assert "Freezer" not in text(then)
    assert 'data-focus="4"' in then.content.decode()


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"field": "bairro"}, ["Bairro da visita"]),
        ({"field": "ORCAMENTO"}, ["Orçamento"]),
        ({"field": "/facts/bairro"}, ["Bairro da visita"]),
        ({"old": "boa viagem"}, ["Bairro da visita"]),
        ({"new": "madalena"}, ["Bairro da visita"]),
        ({"new": "boa viagem"}, []),
        ({"source": "agent"}, ["Aparelho"]),
        ({"verdict": "conflict"}, ["Endereço"]),
        ({"override": "1"}, ["Endereço"]),
        ({"kind": "rejected"}, ["Orçamento"]),
        ({"cause": "changed_mind"}, ["Bairro da visita"]),
        ({"cause": "unknown"}, []),
        ({"cause": "staff_error", "source": "agent"}, ["Aparelho"]),
        ({"cause": "staff_error", "source": "customer"}, []),
        # What makes no sense asks for nothing.
        ({"from": "ontem", "kind": "x", "actor": "ana", "after": "x_1", "verdict": "\0"}, ALL),
    ],
)
def test_filters_narrow_the_list(world: World, silvia: Any, query: dict[str, str], fields: list[str]) -> None:
    story(world)
    assert shown(silvia, **query) == fields


def test_filters_by_person_and_period(world: World, silvia: Any) -> None:
    story(world)
    assert shown(silvia, actor=world.rui.pk) == ["Aparelho"]
    today = timezone.localdate(timezone=timezone.get_fixed_timezone(-180))
    assert shown(silvia, **{"from": today, "to": today}) == ALL
    assert shown(silvia, **{"from": today + timedelta(days=1)}) == []
    assert shown(silvia, to=today - timedelta(days=1)) == []


def test_pages_follow_one_another_and_keep_the_filters(world: World, silvia: Any, monkeypatch: Any) -> None:
    story(world)
    monkeypatch.setattr(pages, "PAGE", 3)
    first = silvia.get("/corrections/", {"field": "/facts/aparelho"})
    assert first.context["page"].next_url == ""
    first = silvia.get("/corrections/", {"from": "2020-01-01"}).context["page"]
    assert [row.label for row in first.rows] == ALL[:3]
    second = silvia.get(first.next_url).context["page"]
    assert [row.label for row in second.rows] == ALL[3:]
    assert (second.next_url, second.first_url, second.filters.start) == ("", "/corrections/?from=2020-01-01", "2020-01-01")


def test_agents_may_not_and_strangers_see_nothing(world: World, ana: Any, stranger: Any) -> None:
    story(world)
    row = Correction.objects.order_by("id")[0]
    for path in ("/corrections/", "/corrections/export.csv"):
        assert ana.get(path).status_code == 403
        assert Client().get(path).status_code == 302
    for client, status in ((ana, 403), (stranger, 404)):
        assert client.post(f"/corrections/{row.pk}/cause", {"cause": "old_record"}).status_code == status
    assert shown(stranger) == []
    assert CauseChoice.objects.count() == 0
    assert 'href="/corrections/"' not in ana.get("/").content.decode()


def test_a_supervisor_says_the_cause_and_the_list_says_who_said_so(world: World, silvia: Any) -> None:
    story(world)
    row = Correction.objects.get(pointer="/facts/bairro")
    answer = silvia.post(f"/corrections/{row.pk}/cause", {"cause": "model_misread", "back": "field=bairro&next=//evil"})
    assert answer["Location"] == f"/corrections/?field=bairro#correction-{row.pk}"
    silvia.post(f"/corrections/{row.pk}/cause", {"cause": "model_misread"})
    row.refresh_from_db()
    (choice,) = CauseChoice.objects.all()
    assert (row.cause, row.proposed_cause, choice.by) == ("model_misread", "changed_mind", world.silvia)
    assert "Causa: o modelo leu errado conta como erro dita por Sílvia Reis" in text(silvia.get("/corrections/?field=bairro"))
    refused = silvia.post(f"/corrections/{row.pk}/cause", {"cause": "outra"})
    assert (refused.status_code, "Escolha primeiro uma causa." in text(refused)) == (400, True)


def test_the_list_costs_the_same_however_long(world: World, silvia: Any) -> None:
    story(world)
    silvia.get("/corrections/")
    few = queries_of(lambda: silvia.get("/corrections/"))
    world.enter()
    ticket = Ticket.objects.get()
    for number in range(6):
        value = MISSING if number % 2 else f"freezer {number}"
        slots.set_slot(member=world.rui, ticket_id=ticket.pk, path="/facts/aparelho", value=value, expected_version=at(ticket))
    assert len(shown(silvia)) > len(ALL)
    assert queries_of(lambda: silvia.get("/corrections/")) == few


async def downloaded(member: Membership, query: str = "") -> tuple[Any, str]:
    client = AsyncClient(headers={"accept-language": "pt-BR"})
    await client.aforce_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    response: Any = await client.get(f"/corrections/export.csv{query}")
    return response, b"".join([part async for part in response.streaming_content]).decode("utf-8")


@pytest.mark.django_db(transaction=True)
def test_the_spreadsheet_holds_what_the_filters_leave(monkeypatch: Any) -> None:
    monkeypatch.setattr("atendimento.web.corrections.BATCH", 1)
    world = stories.make()
    ticket = story(world)
    ticket.refresh_from_db()
    Ticket.objects.filter(pk=ticket.pk).update(subject='=HYPERLINK("http://x.exemplo.test";"ver")')
    response, body = async_to_sync(downloaded)(world.silvia, "?from=2020-01-01&kind=replaced")
    assert (response.streaming, response["Content-Type"]) == (True, "text/csv; charset=utf-8")
    assert "attachment" in response["Content-Disposition"]
    first, *rows = list(csv.reader(io.StringIO(body.removeprefix("\ufeff")), delimiter=";"))
    assert first[:3] == ["Atendimento", "Assunto", "Versão"]
    assert [row[6:9] for row in rows] == [
        ["Aparelho", "geladeira", "Freezer"],
        ["Bairro da visita", "Boa Viagem", "Madalena"],
    ]
    assert {row[1] for row in rows} == {'\'=HYPERLINK("http://x.exemplo.test";"ver")'}
    assert rows[1][13:15] == ["o cliente mudou de ideia", "não"]


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1+1", "-1+1", "@ana", "\t=1", "\r=1", "=HYPERLINK(1)", "+cmd|' /C calc'!A0", "-", "+"]
)
def test_no_cell_is_run(cell: str) -> None:
    assert harmless(cell) == f"'{cell}" or harmless(cell).startswith("'")


@pytest.mark.parametrize(
    "cell", ["+55 31 98888-0001", "+5531988880001", "+55 (31) 98888-0001", "-42,00", "-1.234,5", "a=b", "1-2", ""]
)
def test_phones_and_amounts_stay_what_they_are(cell: str) -> None:
    assert harmless(cell) == cell


def test_a_separator_inside_begins_no_formula_where_a_spreadsheet_cuts_otherwise() -> None:
    assert harmless("x;=1+1") == "x;'=1+1"
    assert lines([["a", "b;c"]], "pt-br") == 'a;"b;c"\r\n'
    assert lines([["a", "b;c"]], "en") == "a,b;c\r\n"


def test_a_rejection_that_was_undone_is_told_as_one(world: World, silvia: Any) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    decisions.reject_change(member=world.silvia, change_id=rows[1].pk, reason="engano")
    undo_version(member=world.silvia, ticket_id=ticket.pk, version=2, expected_version=2, reason="era isso")
    answer = silvia.get("/corrections/", {"act": "undone"})
    row = answer.context["page"].rows[0]
    assert (row.act.label, row.new, row.reopened) == ("rejeição desfeita", "tarde", True)
    assert "tarde a decidir de novo" in text(answer)
    assert "sem valor" not in text(silvia.get(f"/tickets/{ticket.pk}/dossier"))
