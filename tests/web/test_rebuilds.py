"""The page on which a supervisor has the messages read again: who may, how far it is, and both states side by side."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from atendimento.actions.rereading import read_on
from atendimento.models import Message, Proposal, ProposedChange, Rebuild, RunStatus, Ticket
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.model_server import ModelServer
from tests.support.stories import World

ATTACK = "<script>alert(1)</script>"


def proposed(path: str, value: Any, message: str, quote: str) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value, "evidence": [{"message": message, "quote": quote}]}


def step() -> None:
    """What a worker does when the job is due."""
    Rebuild.objects.filter(status=RunStatus.QUEUED).update(not_before=timezone.now() - timedelta(seconds=1))
    row = Rebuild.objects.order_by("-created_at")[0]
    read_on(organization_id=row.organization_id, rebuild_id=row.pk)


def read_already(ticket: Ticket) -> str:
    """Nothing about new messages waits; the page's address."""
    Proposal.objects.filter(ticket=ticket, status=RunStatus.QUEUED).update(status=RunStatus.SUPERSEDED)
    Message.objects.filter(ticket=ticket).update(awaits_reading=False)
    return f"/tickets/{ticket.pk}/rebuild/"


def test_the_whole_way_without_a_script(world: World, silvia: Client, model_server: ModelServer) -> None:
    ticket = stories.recife(world)
    address = read_already(ticket)
    assert "Reler as mensagens" in text(silvia.get(address))

    assert silvia.post(f"{address}start")["Location"] == address
    waiting = silvia.get(address)
    assert "0 de 3 mensagens lidas" in text(waiting)
    assert b"Atualizar" in waiting.content
    assert "<html" not in ask(silvia, address).content.decode()
    model_server.answer(
        proposed("/facts/bairro", "Boa Viagem", "m-1", "moro em Boa Viagem"),
        proposed("/facts/aparelho", "minha geladeira", "m-1", "minha geladeira"),
        proposed("/facts/sintoma", "agendar uma visita", "m-1", "agendar uma visita"),
    )
    step()

    done = silvia.get(address)
    words = text(done)
    assert "Nada foi substituído: o que a releitura traz espera decisão." in words
    rows = {row.label: row for row in done.context["page"].rows}
    assert {label: row.difference for label, row in rows.items()} == {
        "Aparelho": "different",
        "Sintoma": "only_reread",
        "Objetivo atual": "only_now",
        "Horário": "only_now",
        "Período preferido": "only_now",
        "Compromisso: consultar a agenda": "only_now",
        "Bairro da visita": "same",
    }
    both = "Aparelho outro valor Vale agora geladeira minha geladeira Helena · m-1"
    assert both in words
    change = ProposedChange.objects.get(path="/facts/sintoma")
    assert f"?pane=decide&amp;show=memory#ch-{change.pk}" in done.content.decode()
    assert f'id="ch-{change.pk}"' in silvia.get(f"/tickets/{ticket.pk}/").content.decode()
    ticket.refresh_from_db()
    assert ticket.state_version == 1


def test_lost_evidence_is_marked(world: World, silvia: Client, model_server: ModelServer) -> None:
    ticket = stories.recife(world)
    address = read_already(ticket)
    Message.objects.filter(ticket=ticket, number=1).update(deleted_at=timezone.now())
    silvia.post(f"{address}start")
    step()

    words = text(silvia.get(address))
    assert "Começa em m-2: o que veio antes não existe mais." in words
    assert "1 mensagem foi apagada." in words
    assert "4 valores se apoiam em palavras que não existem mais." in words
    assert "Evidência que não existe mais: m-1" in words


def test_a_reading_that_stopped_says_why_and_goes_on(world: World, silvia: Client, model_server: ModelServer) -> None:
    ticket = stories.recife(world)
    address = read_already(ticket)
    silvia.post(f"{address}start")
    model_server.refuse()
    step()
    stopped = silvia.get(address)
    assert "O modelo recusou responder. O que já foi lido está guardado. Continuar daí" in text(stopped)

    row = Rebuild.objects.get()
    assert silvia.post(f"{address}{row.pk}/retry")["Location"] == address
    step()
    assert silvia.get(address).context["page"].state == "ready"


def test_agents_may_not_and_strangers_find_nothing(world: World, ana: Client, silvia: Client, stranger: Client) -> None:
    ticket = stories.recife(world)
    address = read_already(ticket)
    silvia.post(f"{address}start")
    row = Rebuild.objects.get()
    assert ana.get(address).status_code == ask(ana, address).status_code == 403
    assert stranger.get(address).status_code == 404
    for path in ("start", f"{row.pk}/retry"):
        assert ana.post(f"{address}{path}").status_code == 403
        assert stranger.post(f"{address}{path}").status_code == 404
    assert silvia.get(f"{address}start").status_code == 405
    other = read_already(world.ticket())
    assert silvia.post(f"{other}{row.pk}/retry").status_code == 404
    assert Rebuild.objects.count() == 1
    assert Client().get(address).status_code == 302


def test_the_way_there_is_shown_to_who_may(world: World, ana: Client, silvia: Client) -> None:
    ticket = stories.recife(world)
    link = f'href="/tickets/{ticket.pk}/rebuild/"'
    address = f"/tickets/{ticket.pk}/memory"
    assert link in ask(silvia, address, pane="history").content.decode()
    assert link not in ask(ana, address, pane="history").content.decode()


def test_what_people_wrote_is_escaped(world: World, silvia: Client, model_server: ModelServer) -> None:
    ticket = world.ticket(ATTACK)
    world.say(ticket, ATTACK, name=ATTACK)
    address = read_already(ticket)
    silvia.post(f"{address}start")
    model_server.answer(proposed("/facts/sintoma", ATTACK, "m-1", ATTACK))
    step()

    body = silvia.get(address).content.decode()
    assert "<script>alert" not in body
    assert "&lt;script&gt;alert" in body


def test_english_is_complete_too(world: World, silvia: Client) -> None:
    ticket = stories.recife(world)
    silvia.post("/look", {"language": "en", "next": "/"})
    assert "Read from the first message" in text(silvia.get(read_already(ticket)))
