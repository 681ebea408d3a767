"""The line above the memory pane: what is due, missing, asked and tried, in both languages."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from atendimento.actions import slots
from atendimento.models import Ticket
from memoria.patch import Json
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.stories import World


def put(world: World, ticket: Ticket, path: str, value: Json) -> None:
    ticket.refresh_from_db()
    slots.set_slot(member=world.ana, ticket_id=ticket.pk, path=path, value=value, expected_version=ticket.state_version)


def step(client: Client, ticket: Ticket) -> str:
    """The line's words, without what it opens to."""
    line = ask(client, f"/tickets/{ticket.pk}/memory").context["memory"].step
    return " · ".join(f"{part.label}: {part.text}" for part in line.short)


def test_a_new_ticket_lacks_its_goal_and_a_settled_one_nothing(world: World, ana: Client) -> None:
    ticket = world.ticket()
    assert step(ana, ticket) == "Falta: Objetivo atual"
    put(world, ticket, "/goal", "tirar uma dúvida")
    assert step(ana, ticket).startswith("Nada falta: ")
    assert "o atendimento pode ser encerrado" in text(ana.get(f"/tickets/{ticket.pk}/"))


def test_what_is_overdue_stands_first_then_what_is_missing_then_what_was_tried(world: World, ana: Client) -> None:
    ticket = world.ticket()
    put(world, ticket, "/goal", "agendar visita")
    put(world, ticket, "/facts/bairro", "Madalena")
    yesterday = timezone.localdate() - timedelta(days=2)
    for due in (None, yesterday.isoformat()):
        put(world, ticket, "/commitments/-", {"task": f"ligar {due}", "owner": "team", "due": due})
    put(world, ticket, "/attempts/-", {"action": "religar", "by": "customer", "status": "failed"})
    line = step(ana, ticket)
    assert line.startswith(f"Compromisso vencido: ligar {yesterday.isoformat()} (equipe, até ")
    assert line.endswith(" · Falta: Horário · Já tentado: religar (falhou)")
    opened = text(ana.get(f"/tickets/{ticket.pk}/"))
    assert "Compromisso: ligar None (equipe, sem prazo)" in opened
    assert "Horário, que decorre de Bairro da visita" in opened


def test_a_corrected_place_leaves_the_hour_to_be_confirmed(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    assert "Horário (precisa confirmar)" in step(ana, ticket)
    past = ask(ana, f"/tickets/{ticket.pk}/memory", pane="state", version=1)
    assert past.context["memory"].step is None
    assert "Próximo passo" not in text(past)


def test_it_is_said_in_english_too(world: World, ana: Client) -> None:
    ticket = world.ticket()
    ana.cookies["django_language"] = "en"
    ana.post("/look", {"language": "en"})
    assert "Next step Missing: Objetivo atual" in text(ana.get(f"/tickets/{ticket.pk}/"))
