"""Replies, notes, drafts, visits, and who has the ticket."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.models import Draft, Message, Proposal, RunStatus, Ticket, TicketVisit
from tests.support import stories
from tests.support.asking import SCRIPT, act, text
from tests.support.stories import World, change


@pytest.fixture
def ticket(world: World) -> Ticket:
    return stories.recife(world)


def test_a_reply_is_recorded_and_says_that_it_was_not_sent(ana: Client, ticket: Ticket) -> None:
    response = ana.post(f"/tickets/{ticket.pk}/reply", {"text": "Olá, Helena!", "kind": "reply"})
    assert response.status_code == 302
    assert "não enviada ao canal" in text(ana.get(f"/tickets/{ticket.pk}/"))
    last = Message.objects.filter(ticket=ticket).order_by("number").last()
    assert last is not None
    assert (last.text, last.author_kind, last.author_name, last.internal) == ("Olá, Helena!", "agent", "Ana Lima", False)


def test_a_note_is_internal_and_empties_the_composer(ana: Client, ticket: Ticket) -> None:
    response = act(ana, f"/tickets/{ticket.pk}/reply", text="cuidado com o prazo", kind="note")
    assert response.status_code == 200
    assert response.context["composer"].text == ""
    assert Message.objects.get(ticket=ticket, internal=True).text == "cuidado com o prazo"
    assert "nota interna" in text(ana.get(f"/tickets/{ticket.pk}/"))


def test_saying_nothing_is_refused_and_keeps_the_page(ana: Client, ticket: Ticket) -> None:
    assert "Escreva algo antes" in text(act(ana, f"/tickets/{ticket.pk}/reply", text="  ", kind="reply"))
    response = ana.post(f"/tickets/{ticket.pk}/reply", {"text": " \n ", "kind": "reply"})
    assert response.status_code == 400
    assert "Escreva algo antes" in text(response)


def test_a_draft_survives_and_goes_with_its_reply(ana: Client, world: World, ticket: Ticket, silvia: Client) -> None:
    address = f"/tickets/{ticket.pk}/"
    assert act(ana, f"{address}draft", text="Estou escrev", kind="reply").status_code == 204
    assert act(ana, f"{address}draft", text="Estou escrevendo", kind="note").status_code == 204
    composer = ana.get(address).context["page"].composer
    assert (composer.text, composer.internal) == ("Estou escrevendo", True)
    assert silvia.get(address).context["page"].composer.text == ""
    act(ana, f"{address}reply", text="Estou escrevendo", kind="note")
    assert not Draft.objects.exists()
    act(ana, f"{address}draft", text="outro", kind="reply")
    act(ana, f"{address}draft", text=" ", kind="reply")
    assert not Draft.objects.exists()
    assert act(ana, f"{address}draft", text="x" * 100_001, kind="reply").status_code == 400


def test_since_you_were_here(world: World, ana: Client, ticket: Ticket) -> None:
    address = f"/tickets/{ticket.pk}/"
    assert "Desde que você abriu" not in text(ana.get(address))
    assert act(ana, f"{address}seen").status_code == 204
    assert TicketVisit.objects.get().seen_version == 1
    assert "Desde que você abriu" not in text(ana.get(address))
    world.accept(stories.correction(world, ticket)[:1])
    assert "Desde que você abriu: 3 mensagens, 1 decisão" in text(ana.get(address))


@pytest.mark.parametrize(
    ("act_", "status", "owner"), [("take", "open", "Ana Lima"), ("close", "closed", None), ("open", "open", None)]
)
def test_taking_closing_and_reopening(ana: Client, ticket: Ticket, act_: str, status: str, owner: str | None) -> None:
    assert ana.post(f"/tickets/{ticket.pk}/status", {"act": act_}).status_code == 302
    ticket.refresh_from_db()
    assert ticket.status == status
    assert (ticket.assignee.name if ticket.assignee else None) == owner
    assert ana.post(f"/tickets/{ticket.pk}/status", {"act": "burn"}).status_code == 400


@pytest.mark.parametrize("what", ["reply", "draft", "seen", "status"])
def test_another_organisations_ticket_is_not_there(stranger: Client, ticket: Ticket, what: str) -> None:
    assert act(stranger, f"/tickets/{ticket.pk}/{what}", text="x", kind="reply", act="take").status_code == 404


def test_a_parked_reading_says_why_and_can_be_tried_again(world: World, ana: Client, ticket: Ticket) -> None:
    run = Proposal.objects.filter(ticket=ticket, origin="model").order_by("-created_at").first()
    assert run is not None
    Proposal.objects.filter(ticket=ticket, origin="model").exclude(pk=run.pk).delete()
    address = f"/tickets/{ticket.pk}/"
    assert "Lendo" in text(ana.get(address))
    Proposal.objects.filter(pk=run.pk).update(status=RunStatus.PARKED, problem_code="model.unavailable", attempts=5)
    words = text(ana.get(address))
    assert "após 5 tentativas" in words
    assert "Tentar de novo" in words
    assert act(ana, f"{address}propose").status_code == 200
    run.refresh_from_db()
    assert run.status == RunStatus.QUEUED
    assert "Tentar de novo" not in text(ana.get(address))


def test_the_look_is_remembered_by_the_browser(ana: Client, ticket: Ticket) -> None:
    assert ana.post("/look", {"theme": "dark", "next": "/tickets/"}).status_code == 302
    assert ana.post("/look", {"queue": "closed"}, headers=SCRIPT).status_code == 204
    ana.post("/look", {"theme": "pink"})
    body = ana.get("/").content.decode()
    assert 'data-theme="dark"' in body
    assert 'data-queue="closed"' in body
    assert ana.post("/look", {"theme": "dark", "next": "https://elsewhere.example/"})["Location"] == "/"


# decisions between the messages


def test_decisions_stand_between_the_messages_when_asked_for(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    assert "event-1" not in ana.get(f"/tickets/{ticket.pk}/").content.decode()
    world.accept(rows[:1])
    world.say(ticket, "e aí?")
    response = ana.post("/look", {"events": "on", "next": f"/tickets/{ticket.pk}/"})
    assert response["Location"] == f"/tickets/{ticket.pk}/"
    page = ana.get(f"/tickets/{ticket.pk}/").context["page"]
    woven = {view.number: [event.version for event in view.after] for view in page.transcript.messages if view.after}
    assert woven == {3: [1], 6: [2]}, "after the message that had come, before the one that came next"
    (second,) = page.transcript.messages[5].after
    assert (second.sentence, second.told) == (
        "Ana Lima aceitou 1 mudança",
        "Bairro da visita: Madalena; Horário: quinta às 14h (a confirmar)",
    )
    words = text(ana.get(f"/tickets/{ticket.pk}/messages?around=6", headers={"HX-Request": "true"}))
    assert "Ana Lima aceitou 1 mudança" in words
    ana.post("/look", {"events": "off"})
    assert not any(view.after for view in ana.get(f"/tickets/{ticket.pk}/").context["page"].transcript.messages)


def test_a_window_of_the_past_shows_its_own_decisions_alone(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.many(ticket, [f"mensagem {index}" for index in range(150)])
    rows = world.propose(ticket, change("/facts/sintoma", "mensagem", ("m-150", "mensagem")))
    world.accept(rows)
    ana.post("/look", {"events": "on"})

    def versions(address: str) -> list[int]:
        page = ana.get(address).context["page"]
        return [event.version for view in page.transcript.messages for event in view.after]

    assert 2 not in versions(f"/tickets/{ticket.pk}/?m=5")
    assert versions(f"/tickets/{ticket.pk}/")[-1] == 2


def test_the_line_opens_to_who_decided_what(world: World, ana: Client, ticket: Ticket) -> None:
    address = f"/tickets/{ticket.pk}/"
    act(ana, f"{address}seen")
    world.accept(stories.correction(world, ticket)[:1], world.rui)
    since = ana.get(address).context["page"].since
    (item,) = since.items
    assert (item.sentence, since.more) == ("Rui Prado aceitou 1 mudança", 0)
    assert item.lines[0] == "Bairro da visita: Boa Viagem → Madalena"
    assert since.first_message == 4
    act(ana, f"{address}seen")
    assert ana.get(address).context["page"].since is None
    world.say(ticket, "mais uma")
    since = ana.get(address).context["page"].since
    assert (since.sentence, since.items, since.first_message) == ("Desde que você abriu: 1 mensagem", (), 7)
