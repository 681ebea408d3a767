"""Canned replies: kept by supervisors, filled with what holds, and a gap that the check finds for all else."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.models import CannedReply, Ticket
from tests.support import stories
from tests.support.asking import act, ask, text
from tests.support.stories import World
from tests.web.conftest import SignIn

TEXT = "Olá, {cliente}! Sua visita será em {bairro}, {horario}. Protocolo {protocolo}. {atendente}"


@pytest.fixture
def ticket(world: World) -> Ticket:
    """Madalena holds; the hour awaits confirmation."""
    made = stories.recife(world)
    world.accept(stories.correction(world, made)[:1])
    return made


def test_a_supervisor_adds_changes_and_removes_one(silvia: Client, ana: Client) -> None:
    assert silvia.post("/canned/", {"title": "  Visita   marcada ", "text": TEXT}).status_code == 302
    row = CannedReply.objects.get()
    assert (row.title, row.text, row.changed_by.name) == ("Visita marcada", TEXT, "Sílvia Reis")
    silvia.post(f"/canned/{row.pk}/change", {"title": "Visita", "text": "Oi"})
    assert list(CannedReply.objects.values_list("title", "text")) == [("Visita", "Oi")]
    assert ana.get("/canned/").status_code == 403
    assert ana.post(f"/canned/{row.pk}/remove").status_code == 403
    assert silvia.post(f"/canned/{row.pk}/remove").status_code == 302
    assert not CannedReply.objects.exists()
    assert "Ainda não há resposta pronta" in text(silvia.get("/canned/"))


@pytest.mark.parametrize(
    ("title", "words", "fault"),
    [
        (" ", "Oi", "Dê um título"),
        ("x" * 81, "Oi", "Dê um título"),
        ("Outra", " \n ", "Escreva o texto"),
        ("Outra", "x" * 4001, "Escreva o texto"),
        ("VISITA", "Oi", "Outra resposta pronta tem este título."),
    ],
)
def test_what_cannot_be_kept_is_said_and_stays_in_the_form(silvia: Client, title: str, words: str, fault: str) -> None:
    silvia.post("/canned/", {"title": "Visita", "text": "Oi"})
    answer = silvia.post("/canned/", {"title": title, "text": words})
    assert answer.status_code == 400
    assert fault in text(answer)
    assert (answer.context["page"].title, answer.context["page"].text) == (title, words)
    assert CannedReply.objects.count() == 1


def test_a_change_that_fails_opens_its_own_form(silvia: Client) -> None:
    silvia.post("/canned/", {"title": "Visita", "text": "Oi"})
    silvia.post("/canned/", {"title": "Prazo", "text": "Oi"})
    row = CannedReply.objects.get(title="Prazo")
    answer = silvia.post(f"/canned/{row.pk}/change", {"title": "visita", "text": "Olá"})
    (failed,) = [one for one in answer.context["page"].rows if one.open]
    assert (failed.id, failed.text, failed.fault) == (row.pk, "Olá", "Outra resposta pronta tem este título.")
    assert answer.context["page"].fault == ""
    assert silvia.post("/canned/999999/change", {"title": "x", "text": "y"}).status_code == 404


def test_a_name_that_no_ticket_type_has_is_told(silvia: Client) -> None:
    silvia.post("/canned/", {"title": "Visita", "text": "{bairro} {bairo} {cliente}"})
    (row,) = silvia.get("/canned/").context["page"].rows
    assert row.unknown == ("bairo",)
    assert "Nenhum tipo de atendimento tem: bairo" in text(silvia.get("/canned/"))


def test_the_picker_fills_in_what_holds_and_the_check_finds_the_gap(
    world: World, silvia: Client, ana: Client, ticket: Ticket
) -> None:
    silvia.post("/canned/", {"title": "Visita marcada", "text": TEXT})
    (one,) = ask(ana, f"/tickets/{ticket.pk}/canned").context["canned"]
    assert one.text == f"Olá, Helena Melo! Sua visita será em Madalena, [Horário]. Protocolo {ticket.protocol}. Ana Lima"
    assert one.gaps == ("Horário",)
    answer = text(ask(ana, f"/tickets/{ticket.pk}/canned"))
    assert "sem valor vigente: Horário" in answer
    assert "Editar as respostas prontas" not in answer
    found = text(act(ana, f"/tickets/{ticket.pk}/check", text=one.text, kind="reply"))
    assert "[Horário] “Horário” não tem valor vigente." in found


def test_they_belong_to_one_organisation(silvia: Client, stranger: Client, sign_in: SignIn, ticket: Ticket) -> None:
    silvia.post("/canned/", {"title": "Visita", "text": "Só nossa"})
    row = CannedReply.objects.get()
    assert "Só nossa" not in text(stranger.get("/canned/"))
    assert stranger.post(f"/canned/{row.pk}/change", {"title": "x", "text": "y"}).status_code == 404
    assert stranger.post(f"/canned/{row.pk}/remove").status_code == 404
    assert ask(stranger, f"/tickets/{ticket.pk}/canned").status_code == 404
    assert CannedReply.objects.get().text == "Só nossa"
