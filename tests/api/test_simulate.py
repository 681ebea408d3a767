"""POST ticket-types/{slug}/simulate."""

from __future__ import annotations

from typing import Any

import pytest

from atendimento.models import Ticket
from tests.builders import House, change, propose, say, ticket_type


def weaker_customer() -> dict[str, Any]:
    """The type with the staff above the customer at the neighbourhood, and no cascade from it."""
    document = ticket_type()
    document["fields"]["/facts/bairro"] |= {"sources": ["customer", "registry"], "invalidates": []}
    return document


@pytest.fixture
def decided(house: House, ticket: Ticket) -> Ticket:
    """Four decisions: staff state a neighbourhood and an hour, the customer's is accepted, and the hour is confirmed."""
    ana = house.api("ana")
    path = f"tickets/{ticket.pk}/slots/"
    ana.post(f"{path}set", {"path": "/facts/bairro", "value": "Torre", "expected_version": 0})
    ana.post(f"{path}set", {"path": "/facts/horario", "value": "14h", "expected_version": 1})
    message = say(house, ticket, "agora é Pina")
    (row,) = propose(house, ticket, change("/facts/bairro", "Pina", (message, "Pina")))
    celia = house.api("celia")
    answer = celia.post(f"changes/{row['id']}/accept", {"expected_version": 2, "override": {"reason": "mudou-se"}})
    assert answer.status == 200, answer.body
    ana.post(f"{path}confirm", {"path": "/facts/horario", "expected_version": 3})
    return ticket


def test_each_verdict_that_would_differ_is_answered_with_both_reasons(house: House, decided: Ticket) -> None:
    answer = house.api("davi").post("ticket-types/assistencia/simulate", {"definition": weaker_customer()})

    assert answer.status == 200, answer.body
    assert (answer.body["decisions"], answer.body["different"], answer.body["incomparable"]) == (4, 2, 0)
    told = {item["version"]: item for item in answer.body["differences"]}
    assert (told[1]["kind"], told[1]["act"]) == ("allowed>refused", "statement")
    assert told[1]["after"]["reasons"][0] | {"detail": ""} == {"code": "source.not_allowed", "rule": "P1", "detail": ""}
    assert (told[3]["kind"], told[3]["before"]["cascade"], told[3]["after"]["cascade"]) == (
        "conflict>allowed", ["/facts/horario"], [],
    )  # fmt: skip


def test_the_type_in_force_itself_decides_nothing_otherwise(house: House, decided: Ticket) -> None:
    answer = house.api("davi").post("ticket-types/assistencia/simulate", {"definition": ticket_type()})

    assert answer.body | {"differences": []} == answer.body
    assert (answer.body["decisions"], answer.body["different"]) == (4, 0)


def test_the_last_so_many_or_a_period(house: House, decided: Ticket) -> None:
    davi = house.api("davi")

    def counted(**scope: Any) -> int:
        body = {"definition": ticket_type(), **scope}
        return int(davi.post("ticket-types/assistencia/simulate", body).body["decisions"])

    assert counted(last=3) == 3
    assert counted(**{"from": "2020-01-01"}) == 4
    assert counted(to="2020-01-01") == 0


@pytest.mark.parametrize(
    "body",
    [{"last": 0}, {"last": 2001}, {"from": "2026-02-30"}, {"from": "2026-02-02", "to": "2026-01-01"}, {"from": "0001-01-01"}],
)
def test_a_scope_that_is_none_is_refused(house: House, body: dict[str, Any]) -> None:
    answer = house.api("davi").post("ticket-types/assistencia/simulate", {"definition": ticket_type(), **body})

    assert answer.status == 400


def test_a_faulty_definition_and_another_type_s_are_refused_and_nothing_without_a_draft(house: House) -> None:
    davi, path = house.api("davi"), "ticket-types/assistencia/simulate"

    assert davi.post(path, {"definition": {"slug": "assistencia"}}).code == "ticket_type.invalid"
    assert davi.post(path, {"definition": ticket_type("outra")}).code == "ticket_type.other_slug"
    assert davi.post(path, {}).status == 404
    assert davi.post("ticket-types/nenhum/simulate", {"definition": ticket_type("nenhum")}).status == 404


def test_only_admins_simulate(house: House) -> None:
    for who in ("ana", "celia", "canal"):
        assert house.api(who).post("ticket-types/assistencia/simulate", {"definition": ticket_type()}).status == 403
