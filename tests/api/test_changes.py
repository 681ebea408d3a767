"""GET changes; POST changes/{id}/accept, edit, reject; POST tickets/{id}/decisions."""

from __future__ import annotations

from typing import Any

from atendimento.models import Ticket
from tests.builders import House, assert_replays, change, make_house, propose, queries_of, say


def torre(house: House, ticket: Ticket, **more: Any) -> str:
    say(house, ticket, "Moro em Torre")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")), **more)
    return str(proposed["id"])


def test_accepting_makes_a_version_and_answers_the_state(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)

    answer = house.api().post(f"changes/{key}/accept", {"expected_version": 0})

    assert (answer.status, answer.body["version"], answer.body["state"]["version"]) == (200, 1, 1)
    assert answer.body["state"]["values"]["facts"] == {"bairro": "Torre"}
    assert answer.body["state"]["slots"]["/facts/bairro"]["label"] == "Bairro"
    assert answer.body["change"]["status"] == "accepted"
    assert answer.body["change"]["decided_by"] == {"member": str(house.ana.pk), "name": "Ana"}
    assert_replays(ticket)


def test_the_same_decision_again_answers_the_first_result_with_the_state_of_then(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)
    first = house.api().post(f"changes/{key}/accept", {"expected_version": 0})
    house.api().post(f"tickets/{ticket.pk}/slots/set", {"path": "/facts/horario", "value": "14h", "expected_version": 1})
    propose(house, ticket, through_message="m-1")  # what is read since then is not what was read when it was decided

    again = house.api("bruno").post(f"changes/{key}/accept", {"expected_version": 99})

    assert again.body == first.body
    assert house.api().post(f"changes/{key}/reject").code == "change.already_decided"
    assert house.api().post(f"changes/{key}/edit", {"expected_version": 2, "value": "Pina"}).code == "change.already_decided"


def test_an_edit_is_kept_with_what_was_proposed(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)

    edited = house.api().post(f"changes/{key}/edit", {"expected_version": 0, "value": "Torre Velha", "reason": "nome certo"})
    again = house.api().post(f"changes/{key}/edit", {"expected_version": 0, "value": "Torre Velha"})
    other = house.api().post(f"changes/{key}/edit", {"expected_version": 1, "value": "Torre Nova"})

    slot = edited.body["state"]["slots"]["/facts/bairro"]
    assert (edited.body["change"]["status"], edited.body["change"]["value"]) == ("edited", "Torre")
    assert (slot["source"], slot["edited_by"]["name"]) == ("customer", "Ana")
    assert again.body["version"] == 1
    assert other.code == "change.already_decided"
    assert_replays(ticket)


def test_an_edit_that_changes_nothing_is_an_accept(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)

    answer = house.api().post(f"changes/{key}/edit", {"expected_version": 0, "value": "Torre"})

    assert answer.body["change"]["status"] == "accepted"


def test_an_edit_without_evidence_is_the_member_s_own_statement(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)

    answer = house.api().post(f"changes/{key}/edit", {"expected_version": 0, "value": "Pina", "evidence": []})

    slot = answer.body["state"]["slots"]["/facts/bairro"]
    assert (slot["source"], slot["author"]["name"], slot["evidence"]) == ("agent", "Ana", [])


def test_a_rejection_names_no_version_and_is_remembered(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)

    rejected = house.api().post(f"changes/{key}/reject", {"reason": "não procede"})
    (back,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")))

    assert (rejected.body["version"], rejected.body["change"]["status"]) == (1, "rejected")
    assert back["reasons"][0]["code"] == "change.previously_rejected"
    assert house.api().post(f"changes/{back['id']}/accept", {"expected_version": 1}).code == "change.refused"
    assert_replays(ticket)


def test_occurrences_are_pointed_at_and_other_quotes_refused(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Torre? Sim, Torre.")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    path = f"changes/{proposed['id']}/accept"

    assert "ambiguous" in [item["kind"] for item in proposed["cautions"]]
    for wrong in ([{"message": "m-1", "quote": "Sim", "start": 7}], [{"message": "m-1", "quote": "Torre"}], []):
        assert house.api().post(path, {"expected_version": 0, "evidence": wrong}).code == "evidence.other_quotes"
    pointed = house.api().post(path, {"expected_version": 0, "evidence": [{"message": "m-1", "quote": "Torre", "start": 12}]})
    assert pointed.body["state"]["slots"]["/facts/bairro"]["evidence"][0]["start"] == 12


def test_only_a_supervisor_overrides(house: House, ticket: Ticket) -> None:
    house.api().post(f"tickets/{ticket.pk}/slots/set", {"path": "/facts/bairro", "value": "Pina", "expected_version": 0})
    key = torre(house, ticket)
    body = {"expected_version": 1, "override": {"reason": "o cliente mostrou a conta"}}

    refused = house.api().post(f"changes/{key}/accept", body)
    taken = house.api("celia").post(f"changes/{key}/accept", body)

    assert (refused.status, refused.code) == (403, "permission.denied")
    assert taken.body["state"]["values"]["facts"]["bairro"] == "Torre"


def test_a_batch_is_one_version_or_nothing(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre, às 14h, com a geladeira")
    bairro, horario, aparelho = propose(
        house,
        ticket,
        change("/facts/bairro", "Torre", ("m-1", "Torre")),
        change("/facts/horario", "14h", ("m-1", "14h")),
        change("/facts/aparelho", "geladeira", ("m-1", "geladeira")),
    )
    path = f"tickets/{ticket.pk}/decisions"
    body = {"expected_version": 0, "accept": [bairro["id"], horario["id"]], "reject": [aparelho["id"]]}

    answer = house.api().post(path, body)
    again = house.api().post(path, body)

    assert answer.body["version"] == 1
    assert [row["status"] for row in answer.body["changes"]] == ["accepted", "accepted", "rejected"]
    assert again.body == answer.body
    assert_replays(ticket)


def test_a_batch_that_is_sent_again_costs_the_same_however_many_it_decided(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre, de manhã, a geladeira parou")
    path = f"tickets/{ticket.pk}/decisions"

    def cost(*quotes: tuple[str, str]) -> int:
        changes = [change(pointer, quote, ("m-1", quote)) for pointer, quote in quotes]
        ids = [item["id"] for item in propose(house, ticket, *changes, producer=quotes[0][0])]
        body = {"expected_version": Ticket.objects.get(pk=ticket.pk).state_version, "reject": ids}
        house.api().post(path, body)
        return queries_of(lambda: house.api().post(path, body))

    assert cost(("/facts/bairro", "Torre")) == cost(("/facts/horario", "manhã"), ("/facts/aparelho", "geladeira"))


def test_a_batch_without_ids_or_with_one_twice_is_no_batch(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)
    path = f"tickets/{ticket.pk}/decisions"

    assert house.api().post(path, {"expected_version": 0}).code == "decision.empty"
    assert house.api().post(path, {"expected_version": 0, "accept": [key], "reject": [key]}).code == "decision.repeated"
    assert house.api().post(path, {"expected_version": 0, "accept": [key, key.upper()]}).code == "decision.repeated"
    assert house.api().post(path, {"expected_version": 0, "accept": ["nada"]}).status == 404


def test_two_changes_at_one_pointer_are_no_batch(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Torre ou Pina")
    one, two = propose(
        house,
        ticket,
        change("/facts/bairro", "Torre", ("m-1", "Torre")),
        change("/facts/bairro", "Pina", ("m-1", "Pina")),
    )
    body = {"expected_version": 99, "accept": [one["id"], two["id"]]}

    assert house.api().post(f"tickets/{ticket.pk}/decisions", body).code == "decision.duplicate_pointer"


def test_a_conflict_of_versions_says_what_happened_since(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Pode ser às 14h")
    (proposed,) = propose(house, ticket, change("/facts/horario", "14h", ("m-1", "14h")))
    # The time depends on the district, which somebody else sets meanwhile.
    house.api("bruno").post(f"tickets/{ticket.pk}/slots/set", {"path": "/facts/bairro", "value": "Pina", "expected_version": 0})

    answer = house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})

    assert (answer.status, answer.code, answer.body["current"]) == (409, "version.conflict", 1)
    assert answer.body["since"][0]["by"] == "Bruno"


def test_the_first_of_several_faults_is_answered(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)
    house.api().post(f"changes/{key}/reject")

    # 403 before 404 before 400 before the change's state before the version.
    assert house.api("canal").post("changes/nada/accept", {}).status == 403
    assert house.api().post("changes/nada/accept", {"x": 1}).status == 404
    assert house.api().post(f"changes/{key}/accept", {"x": 1}).status == 400
    assert house.api().post(f"changes/{key}/accept", {"expected_version": 99}).code == "change.already_decided"


def test_the_queue_is_oldest_first_and_filtered(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    first, second = propose(
        house,
        ticket,
        change("/facts/bairro", "Torre", ("m-1", "Torre")),
        change("/facts/horario", "14h", ("m-1", "14h")),
    )

    page = house.api().get("changes", status="pending", ticket=str(ticket.pk), limit=1).body
    rest = house.api().get(page["next"]).body

    assert [row["id"] for row in page["results"] + rest["results"]] == [first["id"], second["id"]]
    assert house.api().get("changes", status="accepted").body["results"] == []
    assert house.api().get("changes", status="nada").status == 400
    assert house.api().get("changes", ticket="nada").status == 404


def test_changes_of_another_organisation_are_not_there(house: House, ticket: Ticket) -> None:
    key = torre(house, ticket)
    other = make_house("outra")

    for call, body in (("accept", {"expected_version": 0}), ("edit", {"expected_version": 0, "value": 1}), ("reject", {})):
        assert other.api().post(f"changes/{key}/{call}", body).status == 404
    assert other.api().get("changes").body["results"] == []
    assert other.api().get("changes", ticket=str(ticket.pk)).status == 404
