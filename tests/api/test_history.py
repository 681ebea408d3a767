"""POST tickets/{id}/undo; GET tickets/{id}/history and history."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from atendimento.models import Ticket
from tests.builders import Answer, House, assert_replays, change, make_house, make_ticket, propose, queries_of, say


def put(house: House, ticket: Ticket, path: str, value: object, version: int, who: str = "ana") -> Answer:
    body = {"path": path, "value": value, "expected_version": version}
    return house.api(who).post(f"tickets/{ticket.pk}/slots/set", body)


def undo(house: House, ticket: Ticket, version: int, expected: int, who: str = "ana") -> Answer:
    body = {"version": version, "expected_version": expected, "reason": "engano"}
    return house.api(who).post(f"tickets/{ticket.pk}/undo", body)


def test_undo_is_a_new_version_that_restores(house: House, ticket: Ticket) -> None:
    put(house, ticket, "/facts/bairro", "Torre", 0)
    put(house, ticket, "/facts/bairro", "Pina", 1)

    answer = undo(house, ticket, 2, 2)

    assert (answer.status, answer.body["version"]) == (200, 3)
    assert answer.body["state"]["values"]["facts"]["bairro"] == "Torre"
    assert_replays(ticket)


def test_undoing_a_decision_makes_its_changes_pending_again(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})

    undo(house, ticket, 1, 1)

    (shown,) = house.api().get("changes", status="pending").body["results"]
    assert (shown["id"], shown["version"], shown["decided_by"]) == (proposed["id"], None, None)
    assert house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 2}).body["version"] == 3
    assert_replays(ticket)


def test_agents_undo_their_own_and_supervisors_any(house: House, ticket: Ticket) -> None:
    put(house, ticket, "/facts/bairro", "Torre", 0)

    assert undo(house, ticket, 9, 1, "bruno").code == "undo.unknown_version"
    refused = undo(house, ticket, 1, 1, "bruno")
    assert (refused.status, refused.code) == (403, "permission.denied")
    assert undo(house, ticket, 1, 1, "celia").status == 200


def test_what_was_built_upon_is_not_undone_by_itself(house: House, ticket: Ticket) -> None:
    put(house, ticket, "/facts/bairro", "Torre", 0)
    put(house, ticket, "/facts/bairro", "Pina", 1)

    assert undo(house, ticket, 1, 2).code == "undo.superseded"


def test_events_are_listed_newest_first_with_patch_and_inverse(house: House, ticket: Ticket) -> None:
    for version, value in enumerate(("Torre", "Pina", "Graças")):
        put(house, ticket, "/facts/bairro", value, version)

    page = house.api().get(f"tickets/{ticket.pk}/history", limit=2).body
    rest = house.api().get(page["next"]).body

    events = page["results"] + rest["results"]
    assert [event["version"] for event in events] == [3, 2, 1]
    assert events[0]["patch"] == [{"op": "replace", "path": "/facts/bairro", "value": "Graças"}]
    assert events[0]["inverse"] == [{"op": "replace", "path": "/facts/bairro", "value": "Pina"}]
    assert events[0]["previous_hash"] == events[1]["hash"]
    assert events[0]["actor"] == {"member": str(house.ana.pk), "name": "Ana"}


def test_supervisors_read_across_tickets_and_filter(house: House, ticket: Ticket) -> None:
    second = make_ticket(house, "c-2")
    put(house, ticket, "/facts/bairro", "Torre", 0)
    put(house, second, "/facts/horario", "14h", 0, "bruno")
    celia = house.api("celia")

    def found(**query: Any) -> list[str]:
        return [event["ticket"] for event in celia.get("history", **query).body["results"]]

    assert found() == [str(second.pk), str(ticket.pk)]
    assert found(field="/facts/bairro") == [str(ticket.pk)]
    assert found(actor=house.bruno.pk) == [str(second.pk)]
    assert found(source="customer") == []
    assert found(kind="statement", source="agent") == [str(second.pk), str(ticket.pk)]
    assert found(**{"from": "2099-01-01T00:00:00Z"}) == []
    assert found(to="2099-01-01T00:00:00+00:00") == [str(second.pk), str(ticket.pk)]
    first = celia.get("history", limit=1).body
    assert [event["ticket"] for event in celia.get(first["next"]).body["results"]] == [str(ticket.pk)]
    assert house.api("ana").get("history").code == "permission.denied"


def test_a_bad_filter_is_refused(house: House) -> None:
    celia = house.api("celia")

    for query in ({"actor": "x"}, {"from": "ontem"}, {"kind": "x"}, {"cursor": "x"}, {"cursor": "WyJhIiwgMV0"}, {"limit": "x"}):
        assert celia.get("history", **query).code == "query.invalid"


@pytest.mark.parametrize(
    "path", ["tickets", "changes", "history", "tickets/{}/messages", "tickets/{}/history", "tickets/{}/proposals"]
)
def test_a_cursor_that_somebody_wrote_themselves_breaks_nothing(house: House, ticket: Ticket, path: str) -> None:
    moments = ("2026-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+14:00", "\0")
    pairs = [[at, key] for at in moments for key in (-1, "\0", ticket.pk.hex)]
    for keys in ([7], [-1], [True], [10**30], ["\0"], *pairs):
        written = base64.urlsafe_b64encode(json.dumps(keys).encode()).decode()
        assert house.api("celia").get(path.format(ticket.pk), cursor=written).status in (200, 400)


def test_any_moment_with_its_zone_is_a_filter(house: House) -> None:
    for moment in ("1970-01-01T00:00:00+23:59", "9998-12-31T23:59:59-23:59"):
        assert house.api("celia").get("history", **{"from": moment, "to": moment}).status == 200


def test_history_costs_the_same_however_long_it_is(house: House, ticket: Ticket) -> None:
    put(house, ticket, "/facts/bairro", "Torre", 0)
    one = queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/history"))
    for version in range(1, 6):
        put(house, ticket, "/facts/bairro", f"B{version}", version)

    assert queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/history")) == one


def test_history_of_another_organisation_is_not_there(house: House, ticket: Ticket) -> None:
    put(house, ticket, "/facts/bairro", "Torre", 0)
    other = make_house("outra")

    assert other.api().get(f"tickets/{ticket.pk}/history").status == 404
    assert other.api("celia").get("history").body["results"] == []
    assert undo(other, ticket, 1, 1).status == 404
