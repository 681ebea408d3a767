"""Values whose time is over, found by the moment that the ledger keeps (D1)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from atendimento import ledger, tenancy
from atendimento.actions.expiring import expire_values
from atendimento.actions.publications import run_publication
from atendimento.actions.slots import set_slot
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.tickets import update_ticket
from atendimento.models import LedgerEvent, Publication, Ticket
from memoria.sources import Kind
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, queries_of, say, ticket_type

HELD = timedelta(hours=8)


def with_end(**more: Any) -> dict[str, Any]:
    document = ticket_type()
    document["fields"]["/facts/horario"] |= {"valid_for": "PT8H", **more}
    return document


def old_ticket(house: House, hours: int = 9, customer: str = "cli-1") -> Ticket:
    """A ticket whose hour was said so long ago and is accepted now."""
    ticket = make_ticket(house, customer)
    sent = ledger.now() - timedelta(hours=hours)
    message = say(house, ticket, "às 14h", sent_at=sent)
    (row,) = propose(house, ticket, change("/facts/horario", "14h", (message, "14h")))
    answer = house.api().post(f"changes/{row['id']}/accept", {"expected_version": 0})
    assert answer.status == 200, answer.body
    tenancy.enter(house.organization.pk)
    return Ticket.objects.get(pk=ticket.pk)


def slot(house: House, ticket: Ticket) -> dict[str, Any]:
    found: dict[str, Any] = house.api().get(f"tickets/{ticket.pk}/state").body["slots"]["/facts/horario"]
    tenancy.enter(house.organization.pk)
    return found


@pytest.fixture
def ending(house: House) -> House:
    publish_ticket_type(member=house.davi, document=with_end())
    return house


def test_the_ledger_keeps_the_next_end_and_the_scheduler_finds_it(ending: House) -> None:
    ticket = old_ticket(ending)
    assert ticket.next_expiry is not None
    assert abs(ledger.now() - ticket.next_expiry - timedelta(hours=1)) < timedelta(minutes=1)

    assert expire_values(ending.organization, ledger.now()) == 1

    held = slot(ending, ticket)
    assert held["status"] == "needs_confirmation"
    assert held["stale_because"] == {"cause": "expired", "since": ticket.next_expiry.isoformat()}
    event = LedgerEvent.objects.get(ticket=ticket, kind="expired")
    assert (event.member, event.content["cause"]["values"][0]["pointer"]) == (None, "/facts/horario")
    after = Ticket.objects.get(pk=ticket.pk)
    assert (after.next_expiry, after.stale_count) == (None, 1)
    assert_replays(ticket)


def test_a_second_round_does_nothing_and_looks_at_no_ticket(ending: House) -> None:
    for number in range(5):
        old_ticket(ending, customer=f"cli-{number}")
    expire_values(ending.organization, ledger.now())

    assert expire_values(ending.organization, ledger.now()) == 0
    assert queries_of(lambda: expire_values(ending.organization, ledger.now())) == 1


def test_what_has_not_ended_yet_stays(ending: House) -> None:
    ticket = old_ticket(ending, hours=1)

    assert expire_values(ending.organization, ledger.now()) == 0
    assert slot(ending, ticket)["status"] == "current"


def test_a_confirmation_moves_the_end(ending: House) -> None:
    ticket = old_ticket(ending)
    expire_values(ending.organization, ledger.now())
    before = ledger.now()
    ending.api().post(f"tickets/{ticket.pk}/slots/confirm", {"path": "/facts/horario", "expected_version": 2})
    tenancy.enter(ending.organization.pk)

    end = Ticket.objects.get(pk=ticket.pk).next_expiry
    assert end is not None
    assert end >= before + HELD


def test_a_closed_ticket_waits_until_it_is_open_again(ending: House) -> None:
    ticket = old_ticket(ending)
    update_ticket(member=ending.ana, ticket_id=ticket.pk, status="closed")
    assert expire_values(ending.organization, ledger.now()) == 0

    update_ticket(member=ending.ana, ticket_id=ticket.pk, status="open")

    assert expire_values(ending.organization, ledger.now()) == 1


def test_a_new_version_that_ends_values_finds_those_that_are_old(house: House) -> None:
    ticket = old_ticket(house)
    assert ticket.next_expiry is None

    version, _ = publish_ticket_type(member=house.davi, document=with_end())
    row = Publication.objects.get(version=version)
    run_publication(organization_id=row.organization_id, publication_id=row.pk)

    assert expire_values(house.organization, ledger.now()) == 1
    assert slot(house, ticket)["status"] == "needs_confirmation"


def test_an_end_that_another_version_took_away_is_forgotten(ending: House) -> None:
    ticket = old_ticket(ending)
    publish_ticket_type(member=ending.davi, document=ticket_type())

    assert expire_values(ending.organization, ledger.now()) == 0
    assert Ticket.objects.get(pk=ticket.pk).next_expiry is None


def test_what_is_undecided_is_judged_against_the_doubt(ending: House) -> None:
    ticket = old_ticket(ending)
    set_slot(
        member=ending.ana, ticket_id=ticket.pk, path="/facts/horario", value="14h", expected_version=1, reported=Kind.CUSTOMER
    )

    assert expire_values(ending.organization, ledger.now()) == 0  # said again just now


@pytest.mark.django_db(transaction=True)
def test_two_workers_make_one_event() -> None:
    house = make_house()
    publish_ticket_type(member=house.davi, document=with_end())
    tickets = [old_ticket(house, customer=f"cli-{number}") for number in range(4)]
    moment: datetime = ledger.now()

    def work() -> None:
        with tenancy.organization(house.organization.pk):
            expire_values(house.organization, moment)
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    tenancy.enter(house.organization.pk)
    for ticket in tickets:
        assert LedgerEvent.objects.filter(ticket=ticket, kind="expired").count() == 1
