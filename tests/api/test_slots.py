"""POST tickets/{id}/slots/confirm, resolve and set."""

from __future__ import annotations

from typing import Any

import pytest

from atendimento.models import Ticket
from memoria.sources import Kind
from tests.builders import Answer, House, assert_replays, change, make_house, propose, say


def slot_call(house: House, ticket: Ticket, name: str, who: str = "ana", **body: Any) -> Answer:
    ticket.refresh_from_db()
    return house.api(who).post(f"tickets/{ticket.pk}/slots/{name}", {"expected_version": ticket.state_version, **body})


def in_doubt(house: House, ticket: Ticket) -> None:
    slot_call(house, ticket, "set", path="/facts/horario", value="14h")
    slot_call(house, ticket, "set", path="/facts/bairro", value="Torre")


def in_conflict(house: House, ticket: Ticket) -> None:
    slot_call(house, ticket, "set", path="/facts/aparelho", value="fogão")
    say(house, ticket, "É a geladeira")
    (proposed,) = propose(house, ticket, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    assert proposed["verdict"] == "conflict"
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 1})


def test_staff_state_a_value_by_themselves(house: House, ticket: Ticket) -> None:
    answer = slot_call(house, ticket, "set", path="/facts/bairro", value="Torre", reason="disse ao telefone")

    slot = answer.body["state"]["slots"]["/facts/bairro"]
    assert (answer.status, answer.body["change"], slot["source"]) == (200, None, "agent")
    assert_replays(ticket)


def test_a_value_left_out_withdraws_and_null_does_not(house: House, ticket: Ticket) -> None:
    slot_call(house, ticket, "set", path="/facts/bairro", value="Torre")

    null = slot_call(house, ticket, "set", path="/facts/bairro", value=None)
    withdrawn = slot_call(house, ticket, "set", path="/facts/bairro")

    assert (null.status, null.code) == (409, "schema.invalid_value")
    assert withdrawn.body["state"]["slots"]["/facts/bairro"]["status"] == "open"


def test_a_person_confirms_what_is_in_doubt(house: House, ticket: Ticket) -> None:
    in_doubt(house, ticket)
    answer = slot_call(house, ticket, "confirm", path="/facts/horario")

    slot = answer.body["state"]["slots"]["/facts/horario"]
    assert (slot["status"], slot["confirmed"]["ground"], slot["confirmed"]["by"]["name"]) == ("current", "statement", "Ana")
    assert slot_call(house, ticket, "confirm", path="/facts/horario").code == "slot.wrong_status"
    assert_replays(ticket)


def test_a_confirmation_may_rest_on_the_customer_s_words(house: House, ticket: Ticket) -> None:
    in_doubt(house, ticket)
    say(house, ticket, "Sim, pode ser às 14h")
    evidence = [{"message": "m-1", "quote": "às 14h"}]

    answer = slot_call(house, ticket, "confirm", path="/facts/horario", evidence=evidence, reported=None)

    assert answer.body["state"]["slots"]["/facts/horario"]["confirmed"]["ground"] == "evidence"


@pytest.mark.parametrize(
    ("choice", "more", "status", "value"),
    [
        ("current", {}, "current", "fogão"),
        ("open", {}, "open", None),
        ("challenger", {"challenger": 0}, "current", "geladeira"),
    ],
)
def test_a_conflict_is_settled(house: House, ticket: Ticket, choice: str, more: Any, status: str, value: object) -> None:
    in_conflict(house, ticket)

    answer = slot_call(
        house, ticket, "resolve", who="celia", path="/facts/aparelho", choice=choice, reason="falei com ela", **more
    )

    state = answer.body["state"]
    assert (answer.status, state["slots"]["/facts/aparelho"]["status"]) == (200, status)
    assert state["values"]["facts"].get("aparelho") == value
    assert_replays(ticket)


def test_an_agent_takes_no_weaker_challenger(house: House, ticket: Ticket) -> None:
    in_conflict(house, ticket)
    body = {"path": "/facts/aparelho", "choice": "challenger", "reason": "r"}

    assert slot_call(house, ticket, "resolve", **body, challenger=7).code == "slot.unknown_challenger"
    refused = slot_call(house, ticket, "resolve", **body, challenger=0)
    assert (refused.status, refused.code) == (403, "permission.denied")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("set", {"value": 1}),
        ("set", {"path": "/goal", "value": "x", "expected_version": "0"}),
        ("set", {"path": "/goal", "value": "x", "reported": "agent"}),
        ("confirm", {"path": 1}),
        ("resolve", {"path": "/goal", "choice": "other", "reason": "r"}),
        ("resolve", {"path": "/goal", "choice": "open"}),
        ("resolve", {"path": "/goal", "choice": "open", "reason": ""}),
    ],
)
def test_bad_bodies_are_refused(house: House, ticket: Ticket, name: str, body: Any) -> None:
    assert slot_call(house, ticket, name, **body).status == 400


def test_what_the_system_says_is_evidence_of_no_kind_that_a_field_lists(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Bairro: Torre", Kind.SYSTEM, "sistema")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))

    assert proposed["reasons"][0]["code"] == "source.not_allowed"


def test_slots_of_another_organisation_are_not_there(house: House, ticket: Ticket) -> None:
    other = make_house("outra")

    for name in ("set", "confirm", "resolve"):
        body = {"path": "/goal", "expected_version": 0}
        body |= {"choice": "open", "reason": "r"} if name == "resolve" else {}
        assert other.api().post(f"tickets/{ticket.pk}/slots/{name}", body).status == 404
