"""Closing says first what it leaves; the dossier tells who promised what and whether it was kept, without what is personal."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from atendimento.actions import erasing, messages, slots
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, Ticket
from memoria.patch import Json
from tests.support import stories
from tests.support.asking import act, ask, text
from tests.support.stories import World, change

SECRET = "Rua das Flores, 10"


def put(world: World, ticket: Ticket, path: str, value: Json) -> None:
    ticket.refresh_from_db()
    slots.set_slot(member=world.ana, ticket_id=ticket.pk, path=path, value=value, expected_version=ticket.state_version)


@pytest.fixture
def ticket(world: World) -> Ticket:
    """The visit in Recife, corrected, under a type whose address is sensitive."""
    fields = {**stories.TICKET_TYPE["fields"]}
    fields["/facts/endereco"] = {**fields["/facts/endereco"], "sensitive": True}
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    publish_ticket_type(member=admin, document={**stories.TICKET_TYPE, "fields": fields})
    made = stories.recife(world)
    world.accept(stories.correction(world, made)[:1])
    return made


def test_closing_lists_what_it_leaves_and_closes_all_the_same(world: World, ana: Client, ticket: Ticket) -> None:
    put(world, ticket, "/pending/-", {"question": "Tem portaria?"})
    page = ask(ana, f"/tickets/{ticket.pk}/closing")
    words = text(page)
    assert [group.key for group in page.context["closing"].groups] == ["undecided", "doubtful", "questions", "promises"]
    for part in (
        "Período preferido: tarde",
        "Horário: quinta às 14h (precisa confirmar)",
        "Tem portaria?",
        "consultar a agenda",
    ):
        assert part in words
    assert "Madalena" not in words  # it holds
    assert "Encerrar mesmo assim" in words
    first = page.content.decode().index("autofocus")
    assert "?pane=decide" in page.content.decode()[:first].rpartition("<a ")[2]  # the focus is on what is to be settled
    assert "Isto não terminou" in text(ana.get(f"/tickets/{ticket.pk}/closing"))
    act(ana, f"/tickets/{ticket.pk}/status", act="close")
    ticket.refresh_from_db()
    assert ticket.status == "closed"


def test_an_erased_ticket_says_so_and_offers_nothing_that_would_be_refused(world: World, ana: Client, ticket: Ticket) -> None:
    act(ana, f"/tickets/{ticket.pk}/status", act="close")
    erasing.erase_ticket(world.ana.organization, ticket.pk)

    for pane in ("decide", "state", "history"):
        page = ana.get(f"/tickets/{ticket.pk}/?pane={pane}&show=memory")
        world.enter()
        shown = page.content.decode()
        assert "Apagado com o cliente" in text(page)
        assert 'id="cite-bar"' not in shown
        looking = {"/look", "/search", "/conta/logout/", f"/tickets/{ticket.pk}/"}
        assert set(re.findall(r'action="([^"]*)"', shown)) <= looking, pane


def test_a_finished_ticket_leaves_nothing(world: World, ana: Client) -> None:
    ticket = world.ticket()
    put(world, ticket, "/commitments/-", {"task": "ligar", "owner": "team"})
    assert ask(ana, f"/tickets/{ticket.pk}/closing").context["closing"].count == 1
    put(world, ticket, "/commitments/c-1/status", "cancelled")
    words = text(ask(ana, f"/tickets/{ticket.pk}/closing"))
    assert "Nada por decidir" in words
    assert "mesmo assim" not in words


def test_the_dossier_tells_each_thing_with_its_quote(world: World, ana: Client, ticket: Ticket) -> None:
    put(world, ticket, "/decisions/-", {"text": "trocar a placa", "reason": "queimada"})
    put(world, ticket, "/decisions/-", {"text": "sem cobrança"})
    words = text(ana.get(f"/tickets/{ticket.pk}/dossier"))
    assert f"Dossiê do protocolo {ticket.protocol}" in words
    for part in (
        "consultar a agenda Prometido por Ana, da equipe,",
        "Ainda não feito, sem prazo",
        "“vou consultar a agenda” Ana · m-2 ·",
        "trocar a placa Ana Lima (equipe)",
        "Motivo: queimada",
        "Motivo não registrado.",
        "Bairro da visita: Madalena",
        "Bairro da visita: “Boa Viagem” foi trocado por “Madalena”.",
        "O que continua em aberto",
    ):
        assert part in words, part
    assert "Período preferido: tarde" not in words  # only proposed


def test_a_promise_is_told_as_kept_or_not(world: World, ana: Client) -> None:
    ticket = world.ticket()
    late, ahead = timezone.localdate() - timedelta(days=3), timezone.localdate() + timedelta(days=3)
    for task, due in (("ligar", late), ("avisar", ahead), ("enviar", late)):
        put(world, ticket, "/commitments/-", {"task": task, "owner": "team", "due": due.isoformat()})
    put(world, ticket, "/commitments/c-2/status", "done")
    put(world, ticket, "/commitments/c-3/status", "done")
    words = text(ana.get(f"/tickets/{ticket.pk}/dossier"))
    first, second, third = (words.index(f" {task} Prometido") for task in ("ligar", "avisar", "enviar"))
    assert "Não cumprido até aqui: o prazo passou" in words[first:second]
    assert "Cumprido, dentro do prazo" in words[second:third]
    assert "Cumprido depois do prazo" in words[third:]
    assert words.count("Não cumprido") == 1


def test_nothing_personal_and_nothing_internal_goes_out(world: World, ana: Client, ticket: Ticket) -> None:
    world.say(ticket, f"meu CPF é 390.533.447-05, moro na {SECRET}, e o vizinho ligou do (81) 98765-4321")
    number = ticket.messages.count()
    world.accept(
        world.propose(
            ticket,
            change("/facts/endereco", SECRET, (f"m-{number}", SECRET)),
            change(
                "/constraints/-",
                {"text": "o vizinho ligou do (81) 98765-4321"},
                (f"m-{number}", "o vizinho ligou do (81) 98765-4321"),
            ),
        )
    )
    put(world, ticket, "/pending/-", {"question": f"É na {SECRET.upper()}?"})
    note = messages.write_reply(member=world.ana, ticket_id=ticket.pk, text="cliente difícil, urgente", internal=True).message
    world.accept(world.propose(ticket, change("/attempts/-", {"action": "urgência"}, (note.ref, "urgente"))))
    page = ana.get(f"/tickets/{ticket.pk}/dossier").content.decode()
    words = text(ana.get(f"/tickets/{ticket.pk}/dossier"))
    for secret in (SECRET, SECRET.upper(), "Flores", "FLORES", "390.533", "98765", "difícil", "“urgente”"):
        assert secret not in page, secret
    assert "Endereço: [dado protegido]" in words
    assert "É na [dado protegido]?" in words
    assert "o vizinho ligou do [telefone oculto]" in words
    assert "nota interna, não reproduzida" in words


def test_an_empty_ticket_has_its_dossier_and_english_its_words(world: World, ana: Client) -> None:
    ticket = world.ticket()
    words = text(ana.get(f"/tickets/{ticket.pk}/dossier"))
    assert "Nenhum compromisso foi registrado." in words
    ana.post("/look", {"language": "en"})
    page = text(ana.get(f"/tickets/{ticket.pk}/dossier"))
    assert "No commitment was recorded." in page
    assert "Close ticket" in text(ana.get(f"/tickets/{ticket.pk}/closing"))


def test_message_text_is_escaped_in_both(world: World, ana: Client) -> None:
    attack = "<img src=x onerror=alert(1)>"
    ticket = world.ticket(attack, attack)
    put(world, ticket, "/pending/-", {"question": attack})
    for path in ("dossier", "closing"):
        assert "<img" not in ana.get(f"/tickets/{ticket.pk}/{path}").content.decode()
