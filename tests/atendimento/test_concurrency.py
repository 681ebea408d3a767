"""Many at once: decisions on one ticket come one after the other, deliveries of one thing make it once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.db import connection

from atendimento import actions, tenancy
from atendimento.actions.canned import save_canned
from atendimento.actions.faults import InvalidInput
from atendimento.models import CannedReply, LedgerEvent, Message, OutboxEntry, Proposal, ProposedChange, Ticket
from memoria.errors import DomainError
from memoria.proposals import Change, Citation, Status
from memoria.sources import Author, Kind
from tests.builders import House, assert_replays, make_house, make_ticket, say, ticket_type
from tests.support.live import ROOT, environment

T = TypeVar("T")
PROCESSES, SETS, ACCEPTS = 4, 40, 10


@pytest.fixture(autouse=True)
def _no_run_begins(settings: Any) -> None:
    """A worker that another test left running must not read these messages while they are counted."""
    settings.PROPOSAL_DEBOUNCE = 15


def at_once(house: House, call: Callable[[int], T], times: int = 6) -> list[T | Exception]:
    """The call in as many threads, each with a connection of its own."""

    def one(number: int) -> T | Exception:
        try:
            with tenancy.organization(house.organization.pk):
                return call(number)
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def test_200_decisions_of_several_processes_make_200_consecutive_versions(transactional_db: None) -> None:
    house = make_house()
    fields = {
        f"/facts/f{number}": {"label": f"F{number}", "schema": {"type": "string"}, "sources": ["agent", "customer"]}
        for number in range(PROCESSES * (SETS + ACCEPTS))
    }
    actions.publish_ticket_type(member=house.davi, document=ticket_type(fields=fields))
    ticket = make_ticket(house)
    say(house, ticket, "x x x")
    paths = list(fields)
    proposed = [Change("add", path, "valor", (Citation("m-1", "x x x"),)) for path in paths[PROCESSES * SETS :]]
    actions.store_proposal(member=house.ana, ticket_id=ticket.pk, base_version=0, producer="p", changes=proposed)
    keys = [str(key) for key in ProposedChange.objects.values_list("pk", flat=True)]
    plans = [
        {
            "organization": house.organization.pk,
            "member": member.pk,
            "ticket": str(ticket.pk),
            "sets": paths[number * SETS : (number + 1) * SETS],
            "accepts": keys[number * ACCEPTS : (number + 1) * ACCEPTS],
        }
        for number, member in enumerate((house.ana, house.bruno, house.celia, house.davi))
    ]

    command = [sys.executable, "-m", "tests.support.decider"]
    deciders = [
        subprocess.Popen([*command, json.dumps(plan)], cwd=ROOT, env=environment(), stdout=subprocess.PIPE) for plan in plans
    ]
    answers = [decider.communicate(timeout=150)[0] for decider in deciders]

    assert [decider.returncode for decider in deciders] == [0] * PROCESSES
    made = sorted(version for answer in answers for version in json.loads(answer))
    assert made == list(range(1, PROCESSES * (SETS + ACCEPTS) + 1))
    assert list(LedgerEvent.objects.order_by("version").values_list("version", flat=True)) == made
    assert ProposedChange.objects.filter(status=Status.ACCEPTED).count() == PROCESSES * ACCEPTS
    assert_replays(ticket)


def test_of_two_decisions_on_one_change_one_decides(transactional_db: None) -> None:
    house = make_house()
    ticket = make_ticket(house)
    say(house, ticket, "Moro em Torre")
    change = Change("add", "/facts/bairro", "Torre", (Citation("m-1", "Torre"),))
    actions.store_proposal(member=house.ana, ticket_id=ticket.pk, base_version=0, producer="p", changes=[change])
    key = ProposedChange.objects.get().pk

    def decide(number: int) -> int:
        if number % 2:
            return actions.reject_change(member=house.bruno, change_id=key).version
        return actions.accept_change(member=house.ana, change_id=key, expected_version=0).version

    answers = at_once(house, decide)

    assert sorted(str(answer) for answer in answers if not isinstance(answer, int)) == ["change.already_decided (V4)"] * 3
    assert [answer for answer in answers if isinstance(answer, int)] == [1, 1, 1]
    assert LedgerEvent.objects.count() == 1
    assert_replays(ticket)


def test_one_message_delivered_by_many_at_once_is_one_message(transactional_db: None, servers: None) -> None:
    house = make_house()
    ticket = make_ticket(house)

    def deliver(number: int) -> tuple[str, bool]:
        received = actions.receive_message(
            caller=house.channel,
            ticket_id=ticket.pk,
            author=Author(Kind.CUSTOMER, "h", "Helena"),
            text="Não gela",
            external_id="zap-1",
        )
        return received.message.ref, received.created

    answers = at_once(house, deliver)

    assert sorted(answers) == sorted([("m-1", True)] + [("m-1", False)] * 5)  # type: ignore[type-var]
    assert (Message.objects.count(), Proposal.objects.count(), OutboxEntry.objects.count()) == (1, 1, 1)


def test_messages_that_arrive_at_once_have_a_number_each(transactional_db: None, servers: None) -> None:
    house = make_house()
    ticket = make_ticket(house)

    at_once(house, lambda number: say(house, ticket, f"texto {number}"), times=8)

    assert sorted(Message.objects.values_list("number", flat=True)) == list(range(1, 9))


def test_one_ticket_opened_by_many_at_once_is_one_ticket(transactional_db: None, servers: None) -> None:
    house = make_house()

    def opened(number: int) -> bool:
        return actions.create_ticket(
            caller=house.channel,
            ticket_type="assistencia",
            subject="s",
            customer=actions.CustomerData("c-1"),
            external_id="zap-1",
        )[1]

    assert sorted(map(str, at_once(house, opened))) == ["False"] * 5 + ["True"]
    assert Ticket.objects.count() == 1


def test_tickets_opened_at_once_have_a_protocol_each(transactional_db: None, servers: None) -> None:
    house = make_house()

    at_once(house, lambda number: make_ticket(house, f"c-{number}"), times=8)

    assert sorted(int(protocol.split("-")[1]) for protocol in Ticket.objects.values_list("protocol", flat=True)) == list(
        range(1, 9)
    )


def test_one_proposal_handed_in_by_many_at_once_is_one_proposal(transactional_db: None, servers: None) -> None:
    house = make_house()
    ticket = make_ticket(house)
    say(house, ticket, "Moro em Torre")
    change = Change("add", "/facts/bairro", "Torre", (Citation("m-1", "Torre"),))

    def hand_in(number: int) -> bool:
        return actions.store_proposal(
            member=house.ana, ticket_id=ticket.pk, base_version=0, producer="p", key="k", changes=[change]
        )[1]

    assert sorted(map(str, at_once(house, hand_in))) == ["False"] * 5 + ["True"]
    assert ProposedChange.objects.count() == 1


def test_a_type_published_by_many_at_once_is_published_once(transactional_db: None, servers: None) -> None:
    house = make_house()

    def publish(number: int) -> int:
        return actions.publish_ticket_type(member=house.davi, document=ticket_type("nova"))[0].number

    assert at_once(house, publish) == [1] * 6


def test_one_title_saved_by_many_at_once_is_one_canned_reply(transactional_db: None) -> None:
    house = make_house()

    def save(number: int) -> str:
        try:
            return save_canned(member=house.celia, title="Visita", text=f"Texto {number}").title
        except InvalidInput as error:
            return error.faults[0].code

    answers = at_once(house, save)

    assert sorted(map(str, answers)) == ["Visita"] + ["canned.title_taken"] * 5
    assert CannedReply.objects.count() == 1
