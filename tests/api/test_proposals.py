"""POST and GET tickets/{id}/proposals, GET proposals/{id}, POST tickets/{id}/propose."""

from __future__ import annotations

from atendimento.models import Proposal, Ticket
from tests.builders import House, assert_replays, change, make_house, propose, queries_of, say


def test_a_proposal_comes_back_with_a_verdict_and_a_sentence_for_each_change(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")

    fine, bad = propose(
        house,
        ticket,
        change("/facts/bairro", "Torre", ("m-1", "Torre")),
        change("/facts/bairro", "Pina", ("m-1", "Pina")),
    )

    assert (fine["verdict"], fine["status"], fine["source"]) == ("allowed", "pending", "customer")
    assert fine["evidence"] == [{"message": "m-1", "quote": "Torre", "start": 8, "end": 13}]
    assert (bad["verdict"], bad["status"]) == ("refused", "refused")
    assert bad["reasons"] == [{"code": "evidence.quote_not_found", "rule": "E3", "detail": "O trecho não está em m-1."}]
    assert bad["evidence"] == [{"message": "m-1", "quote": "Pina"}]
    assert_replays(ticket)


def test_the_same_producer_and_key_again_answer_the_same_proposal(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")
    body = {
        "base_version": 0,
        "producer": "robô",
        "key": "k-1",
        "changes": [change("/facts/bairro", "Torre", ("m-1", "Torre"))],
    }
    first = house.api().post(f"tickets/{ticket.pk}/proposals", body)
    again = house.api("bruno").post(f"tickets/{ticket.pk}/proposals", body | {"base_version": 0, "changes": []})

    assert (first.status, again.status) == (201, 200)
    assert again.body == first.body


def test_a_later_proposal_by_the_same_producer_supersedes(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Torre ou Pina")
    (first,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    propose(house, ticket, change("/facts/bairro", "Pina", ("m-1", "Pina")), producer="outro")
    assert [row["id"] for row in house.api().get("changes", status="superseded").body["results"]] == []

    propose(house, ticket, change("/facts/bairro", "Pina", ("m-1", "Pina")))

    assert [row["id"] for row in house.api().get("changes", status="superseded").body["results"]] == [first["id"]]


def test_a_base_version_ahead_of_the_ticket_is_a_conflict(house: House, ticket: Ticket) -> None:
    answer = house.api().post(f"tickets/{ticket.pk}/proposals", {"base_version": 1, "producer": "p", "changes": []})

    assert (answer.status, answer.code, answer.body["current"]) == (409, "version.conflict", 0)


def test_more_than_100_changes_have_an_error_of_their_own(house: House, ticket: Ticket) -> None:
    body = {"base_version": 0, "producer": "p", "changes": [change("/goal", "x")] * 101}
    answer = house.api().post(f"tickets/{ticket.pk}/proposals", body)

    assert (answer.status, answer.code) == (400, "proposal.too_many_changes")


def test_a_message_that_is_not_there_was_read_by_nobody(house: House, ticket: Ticket) -> None:
    body = {"base_version": 0, "producer": "p", "changes": [], "through_message": "m-1"}

    assert house.api().post(f"tickets/{ticket.pk}/proposals", body).code == "message.unknown"
    say(house, ticket, "oi")
    assert house.api().post(f"tickets/{ticket.pk}/proposals", body).status == 201
    assert house.api().get(f"tickets/{ticket.pk}/state").body["through_message"] == "m-1"


def test_what_was_proposed_is_kept_to_the_letter(house: House, ticket: Ticket) -> None:
    say(house, ticket, "oi")
    value = {"n": 1e23, "i": 10**40, "s": "é\u0001", "l": [None, True, -0.5]}

    (back,) = propose(house, ticket, change("/facts/bairro", value, ("m-1", "oi")))

    assert back["value"] == value
    assert back["reasons"][0]["code"] == "schema.invalid_value"


def test_null_is_a_value_and_a_missing_value_is_none(house: House, ticket: Ticket) -> None:
    say(house, ticket, "oi")
    null, missing = propose(
        house,
        ticket,
        change("/facts/bairro", None, ("m-1", "oi")),
        {"op": "add", "path": "/facts/bairro", "evidence": [{"message": "m-1", "quote": "oi"}]},
    )

    assert null["value"] is None
    assert "value" not in missing


def test_proposals_are_listed_newest_first_and_read_one_by_one(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")
    for producer in ("a", "b", "c"):
        propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")), producer=producer)
    runs = Proposal.objects.filter(origin="model").count()

    listed = house.api().get(f"tickets/{ticket.pk}/proposals", limit=2).body
    rest = house.api().get(listed["next"]).body

    rows = listed["results"] + rest["results"]
    assert [row["producer"] for row in rows][:3] == ["c", "b", "a"]
    assert len(rows) == 3 + runs
    one = house.api().get(f"proposals/{rows[0]['id']}").body
    assert one == rows[0]


def test_a_list_of_proposals_costs_the_same_however_many_there_are(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")
    propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")), producer="a")
    one = queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/proposals"))
    for producer in ("b", "c", "d"):
        propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")), producer=producer)

    assert queries_of(lambda: house.api().get(f"tickets/{ticket.pk}/proposals")) == one


def test_judging_costs_the_same_for_one_change_and_for_many(house: House, ticket: Ticket) -> None:
    for number in range(8):
        say(house, ticket, f"Moro em Torre {number}")

    def cost(*numbers: int) -> int:
        changes = [change("/facts/bairro", "Torre", (f"m-{number}", "Torre")) for number in numbers]
        return queries_of(lambda: propose(house, ticket, *changes))

    cost(1)
    assert cost(1, 2, 3, 4, 5, 6, 7, 8) <= cost(1)


def test_asking_the_model_answers_the_run_that_is_under_way(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")

    first = house.api().post(f"tickets/{ticket.pk}/propose")
    again = house.api().post(f"tickets/{ticket.pk}/propose", {})

    assert (first.status, first.body["status"]) == (202, "queued")
    assert again.body["id"] == first.body["id"]
    assert Proposal.objects.count() == 1


def test_proposals_of_another_organisation_are_not_there(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Torre")
    propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    known = Proposal.objects.first()
    assert known is not None
    other = make_house("outra")

    assert other.api().get(f"proposals/{known.pk}").status == 404
    assert other.api().get(f"tickets/{ticket.pk}/proposals").status == 404
    assert other.api().post(f"tickets/{ticket.pk}/propose").status == 404
