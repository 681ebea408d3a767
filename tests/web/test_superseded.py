"""What a decision makes moot is not lost: the card says so before, and undoing the decision brings it back (V6, H4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from atendimento.actions import decisions, slots, undo
from atendimento.models import ProposedChange, Ticket
from tests.support.asking import text
from tests.support.stories import World, change

BAIRRO = "/facts/bairro"


def at(ticket: Ticket) -> int:
    ticket.refresh_from_db()
    return ticket.state_version


def status(row: ProposedChange) -> str:
    row.refresh_from_db()
    return row.status


def test_undoing_a_confirmation_brings_the_proposal_back_that_it_had_made_moot(world: World, ana: Any) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem", ago=timedelta(hours=3))
    world.say(ticket, "pode ser de manhã", ago=timedelta(hours=2))
    (first,) = world.propose(ticket, change("/facts/horario", "manhã", ("m-2", "de manhã")))
    decisions.accept_change(member=world.ana, change_id=first.pk, expected_version=0)
    (place,) = world.propose(ticket, change(BAIRRO, "Boa Viagem", ("m-1", "Boa Viagem")))
    decisions.accept_change(member=world.ana, change_id=place.pk, expected_version=at(ticket))
    world.say(ticket, "melhor às 15h", ago=timedelta(hours=1))
    (other,) = world.propose(ticket, change("/facts/horario", "15h", ("m-3", "15h")))
    assert "confirmar este deixa aquela proposta para trás" in text(ana.get(f"/tickets/{ticket.pk}/"))

    slots.confirm_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/horario", expected_version=at(ticket))
    assert status(other) == "superseded"
    version = at(ticket)
    undo.undo_version(member=world.ana, ticket_id=ticket.pk, version=version, expected_version=version, reason="engano")
    assert status(other) == "pending"
    assert other.superseded_by is None
    decisions.accept_change(member=world.ana, change_id=other.pk, expected_version=at(ticket))
    assert status(other) == "accepted"


def test_what_a_later_proposal_made_moot_stays_so(world: World, ana: Any) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    world.say(ticket, "digo, no Pina")
    (old,) = world.propose(ticket, change(BAIRRO, "Boa Viagem", ("m-1", "Boa Viagem")))
    (new,) = world.propose(ticket, change(BAIRRO, "Pina", ("m-2", "Pina")))
    assert status(old) == "superseded"
    decisions.accept_change(member=world.ana, change_id=new.pk, expected_version=0)
    undo.undo_version(member=world.ana, ticket_id=ticket.pk, version=1, expected_version=1, reason="engano")
    assert (status(old), status(new)) == ("superseded", "pending")
