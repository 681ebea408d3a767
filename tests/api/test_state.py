"""GET tickets/{id}/state and tickets/{id}/state/diff."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import jsonpatch

from atendimento.models import LedgerEvent, Ticket
from tests.builders import House, change, make_house, propose, queries_of, say


def three_versions(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    for version, (path, value) in enumerate((("/facts/bairro", "Torre"), ("/facts/horario", "14h"))):
        (proposed,) = propose(house, ticket, change(path, value, ("m-1", value)))
        house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": version})
    house.api().post(f"tickets/{ticket.pk}/slots/set", {"path": "/facts/bairro", "value": "Pina", "expected_version": 2})


def test_version_0_is_empty_but_for_its_maps(house: House, ticket: Ticket) -> None:
    state = house.api().get(f"tickets/{ticket.pk}/state").body

    assert (state["version"], state["through_message"], state["slots"]) == (0, None, {})
    assert "goal" not in state["values"]
    assert state["values"]["facts"] == {}


def test_any_version_can_be_read(house: House, ticket: Ticket) -> None:
    three_versions(house, ticket)

    facts = [house.api().get(f"tickets/{ticket.pk}/state", version=n).body["values"]["facts"] for n in range(4)]

    assert facts == [{}, {"bairro": "Torre"}, {"bairro": "Torre", "horario": "14h"}, {"bairro": "Pina", "horario": "14h"}]


def test_a_version_that_there_is_not_is_not_found(house: House, ticket: Ticket) -> None:
    for version in ("1", "-1", "99999999999", "x"):
        assert house.api().get(f"tickets/{ticket.pk}/state", version=version).status == 404


def test_a_slot_says_where_its_value_comes_from(house: House, ticket: Ticket) -> None:
    three_versions(house, ticket)

    slot = house.api().get(f"tickets/{ticket.pk}/state").body["slots"]["/facts/bairro"]

    assert (slot["status"], slot["source"], slot["author"]["name"]) == ("current", "agent", "Ana")
    assert slot["replaces"]["value"] == "Torre"
    assert slot["since_version"] == 3
    assert "ground" not in slot


def test_a_member_slot_is_called_by_its_words(house: House, ticket: Ticket) -> None:
    value = {"task": "ligar para Helena", "owner": "team"}
    body = {"path": "/commitments/-", "value": value, "expected_version": 0}
    state = house.api().post(f"tickets/{ticket.pk}/slots/set", body).body["state"]

    assert state["slots"]["/commitments/c-1"]["label"] == "Compromisso: ligar para Helena"


def test_two_versions_are_compared(house: House, ticket: Ticket) -> None:
    three_versions(house, ticket)

    diff = house.api().get(f"tickets/{ticket.pk}/state/diff", **{"from": 1, "to": 3}).body

    assert diff["patch"] == [
        {"op": "replace", "path": "/facts/bairro", "value": "Pina"},
        {"op": "add", "path": "/facts/horario", "value": "14h"},
    ]
    assert set(diff["slots"]) == {"/facts/bairro", "/facts/horario"}
    back = house.api().get(f"tickets/{ticket.pk}/state/diff", **{"from": 3, "to": 1}).body
    assert [item["op"] for item in back["patch"]] == ["replace", "remove"]
    assert house.api().get(f"tickets/{ticket.pk}/state/diff", **{"from": 0, "to": 9}).status == 404


def test_what_held_at_a_time_can_be_read(house: House, ticket: Ticket) -> None:
    three_versions(house, ticket)
    moments = [row.at for row in LedgerEvent.objects.order_by("version")]
    at, step = f"tickets/{ticket.pk}/state", timedelta(microseconds=1)

    def version(moment: datetime) -> int:
        return int(house.api().get(at, at=moment.isoformat()).body["version"])

    assert [version(moment) for moment in moments] == [1, 2, 3]
    assert [version(moment - step) for moment in moments] == [0, 1, 2]
    assert version(datetime.now(UTC) + timedelta(days=1)) == 3
    assert house.api().get(at, at=moments[0].astimezone(UTC).isoformat().replace("+00:00", "Z")).body["version"] == 1


def test_a_time_that_is_none_is_refused(house: House, ticket: Ticket) -> None:
    for query in ({"at": "ontem"}, {"at": "2026-03-10"}, {"at": "2026-03-10T09:00:00"}, {"at": "x\0"}):
        assert house.api().get(f"tickets/{ticket.pk}/state", **query).code == "query.invalid"
    both = house.api().get(f"tickets/{ticket.pk}/state", at="2026-03-10T09:00:00Z", version=0)
    assert (both.status, both.code) == (400, "query.invalid")


def test_a_patch_makes_one_version_of_another_with_any_reader_of_the_standard(house: House, ticket: Ticket) -> None:
    three_versions(house, ticket)
    value = {"task": "ligar/voltar ~ depois", "owner": "team"}
    body = {"path": "/commitments/-", "value": value, "expected_version": 3}
    house.api().post(f"tickets/{ticket.pk}/slots/set", body)
    held = [house.api().get(f"tickets/{ticket.pk}/state", version=n).body["values"] for n in range(5)]

    for before in range(5):
        for after in range(5):
            diff = house.api().get(f"tickets/{ticket.pk}/state/diff", **{"from": before, "to": after}).body
            assert jsonpatch.apply_patch(held[before], diff["patch"]) == held[after]


def test_the_past_costs_the_same_however_long_the_history_is(house: House, ticket: Ticket, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = 4
    address = f"tickets/{ticket.pk}/slots/set"
    for version in range(6):
        house.api().post(address, {"path": "/facts/bairro", "value": f"B{version + 1}", "expected_version": version})

    def cost(version: int) -> int:
        return queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/state", version=version))

    cost(3)  # the ticket type is compiled once
    early = cost(3)
    for version in range(6, 30):
        house.api().post(address, {"path": "/facts/bairro", "value": f"B{version + 1}", "expected_version": version})

    assert [cost(version) for version in (3, 11, 18, 27)] == [early] * 4


def test_reading_the_present_state_costs_the_same_at_any_version(house: House, ticket: Ticket) -> None:
    house.api().get(f"tickets/{ticket.pk}/state")  # the ticket type is compiled once
    early = queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/state"))
    three_versions(house, ticket)

    assert queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/state")) == early


def test_the_state_of_another_organisation_is_not_there(house: House, ticket: Ticket) -> None:
    other = make_house("outra")

    assert other.api().get(f"tickets/{ticket.pk}/state").status == 404
    assert other.api().get(f"tickets/{ticket.pk}/state/diff", **{"from": 0, "to": 0}).status == 404
