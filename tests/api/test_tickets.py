"""POST and GET tickets, GET and PATCH tickets/{id}."""

from __future__ import annotations

import re

import pytest

from atendimento import jobs
from atendimento.models import Handing, OutboxEntry, Ticket, TicketStatus
from tests.builders import House, change, make_house, make_team, make_ticket, queries_of, say

NEW = {"ticket_type": "assistencia", "subject": "Não gela", "customer": {"external_id": "c-9", "name": "Helena"}}


def test_a_ticket_is_opened_with_a_number_that_people_can_read_out(house: House) -> None:
    answer = house.api("canal").post("tickets", NEW)

    assert answer.status == 201
    assert re.fullmatch(r"[0-9][0-9./ -]*", answer.body["protocol"])
    assert answer.body["state_version"] == 0
    assert answer.body["customer"]["name"] == "Helena"


def test_the_same_external_id_again_answers_the_same_ticket(house: House) -> None:
    first = house.api("canal").post("tickets", NEW | {"external_id": "zap-1"})
    again = house.api("canal").post("tickets", NEW | {"external_id": "zap-1", "subject": "outro"})

    assert (first.status, again.status) == (201, 200)
    assert again.body["id"] == first.body["id"]


def test_external_ids_are_the_source_s_own(house: House) -> None:
    first = house.api("canal").post("tickets", NEW | {"external_id": "zap-1"})
    by_ana = house.api("ana").post("tickets", NEW | {"external_id": "zap-1"})

    assert by_ana.status == 201
    assert by_ana.body["id"] != first.body["id"]


def test_protocols_follow_one_another(house: House) -> None:
    numbers = [house.api("canal").post("tickets", NEW).body["protocol"] for _ in range(3)]

    tails = [int(number.split("-")[1]) for number in numbers]
    assert tails == [1, 2, 3]


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({**NEW, "ticket_type": "nada"}, "/ticket_type", "ticket_type.unknown"),
        ({**NEW, "colour": 1}, "/colour", "member.unknown"),
        ({"ticket_type": "assistencia", "subject": "x"}, "/customer", "member.missing"),
        ({**NEW, "subject": 7}, "/subject", "type.wrong"),
        ({**NEW, "customer": {"external_id": ""}}, "/customer/external_id", "text.too_short"),
    ],
)
def test_a_bad_body_says_where(house: House, body: object, pointer: str, code: str) -> None:
    answer = house.api("canal").post("tickets", body)

    assert answer.status == 400
    assert {"pointer": pointer, "code": code} == {key: answer.body["errors"][0][key] for key in ("pointer", "code")}


def test_tickets_are_listed_the_latest_changed_first_page_by_page(house: House) -> None:
    made = [str(make_ticket(house, f"c-{number}").pk) for number in range(5)]

    first = house.api().get("tickets", limit=2)
    second = house.api().get(first.body["next"])
    third = house.api().get(second.body["next"])

    listed = [row["id"] for answer in (first, second, third) for row in answer.body["results"]]
    assert listed == made[::-1]
    assert third.body["next"] is None


def test_attention_tells_what_waits(house: House, ticket: Ticket) -> None:
    quiet = make_ticket(house, "c-2")
    message = say(house, ticket, "Moro em Torre")
    house.api().post(
        f"tickets/{ticket.pk}/proposals",
        {"base_version": 0, "producer": "p", "changes": [change("/facts/bairro", "Torre", (message, "Torre"))]},
    )

    waiting = [row["id"] for row in house.api().get("tickets", attention="proposals").body["results"]]

    assert waiting == [str(ticket.pk)]
    assert str(quiet.pk) not in waiting


def test_an_unfinished_commitment_past_its_due_is_overdue(house: House, ticket: Ticket) -> None:
    task = {"task": "ligar", "owner": "team", "due": "2020-01-01"}
    answer = house.api().post(
        f"tickets/{ticket.pk}/slots/set", {"path": "/commitments/-", "value": task, "expected_version": 0}
    )
    assert answer.status == 200

    assert [row["id"] for row in house.api().get("tickets", attention="overdue").body["results"]] == [str(ticket.pk)]
    done = {"path": "/commitments/c-1/status", "value": "done", "expected_version": 1}
    assert house.api().post(f"tickets/{ticket.pk}/slots/set", done).status == 200
    assert house.api().get("tickets", attention="overdue").body["results"] == []


def test_a_member_takes_snoozes_and_closes_a_ticket(house: House, ticket: Ticket) -> None:
    api, path = house.api(), f"tickets/{ticket.pk}"

    taken = api.call("PATCH", path, {"assignee": "me"})
    snoozed = api.call("PATCH", path, {"status": "snoozed", "snoozed_until": "2030-01-01T10:00:00-03:00"})
    closed = api.call("PATCH", path, {"status": "closed", "assignee": house.bruno.user.email})

    assert taken.body["assignee"] == str(house.ana.pk)
    assert snoozed.body["snoozed_until"] == "2030-01-01T13:00:00+00:00"
    assert (closed.body["status"], closed.body["snoozed_until"]) == ("closed", None)
    assert closed.body["assignee_name"] == "Bruno"


def test_what_is_so_already_leaves_the_ticket_in_its_place(house: House, ticket: Ticket) -> None:
    newer = make_ticket(house, "c-2")
    make_team(house, "Rotas", house.ana)
    path = f"tickets/{ticket.pk}"
    for body in ({}, {"status": "open"}, {"assignee": None, "subject": ticket.subject}):
        assert house.api().call("PATCH", path, body).status == 200

    assert [row["id"] for row in house.api().get("tickets").body["results"]] == [str(newer.pk), str(ticket.pk)]
    assert house.api().call("PATCH", path, {"team": "rotas"}).status == 200
    assert house.api().get("tickets").body["results"][0]["id"] == str(ticket.pk)


@pytest.mark.parametrize(
    "body",
    [
        {"status": "gone"},
        {"assignee": "nobody@casa.example"},
        {"snoozed_until": "2030-01-01T10:00:00Z"},
        {"status": "snoozed", "snoozed_until": "2030-01-01T10:00:00"},
    ],
)
def test_a_change_that_makes_no_sense_is_refused_whole(house: House, ticket: Ticket, body: object) -> None:
    assert house.api().call("PATCH", f"tickets/{ticket.pk}", body).status == 400
    ticket.refresh_from_db()
    assert ticket.status == TicketStatus.OPEN


def test_a_ticket_of_another_organisation_is_not_there(house: House, ticket: Ticket) -> None:
    other = make_house("outra")

    assert other.api().get(f"tickets/{ticket.pk}").status == 404
    assert other.api().call("PATCH", f"tickets/{ticket.pk}", {"team": "x"}).status == 404
    assert other.api().get("tickets").body["results"] == []


def test_a_page_of_tickets_costs_the_same_however_many_there_are(house: House) -> None:
    make_ticket(house, "c-1")
    one = queries_of(lambda: house.api().get("tickets"))
    for number in range(8):
        make_ticket(house, f"d-{number}")

    assert queries_of(lambda: house.api().get("tickets")) == one


def test_a_team_is_named_by_its_name_or_slug_and_nothing_else(house: House, ticket: Ticket) -> None:
    make_team(house, "Assistência técnica", house.ana)
    api, path = house.api(), f"tickets/{ticket.pk}"

    assert api.call("PATCH", path, {"team": "assistência TÉCNICA"}).body["team"] == "Assistência técnica"
    assert api.call("PATCH", path, {"team": ""}).body["team"] == ""
    assert api.call("PATCH", path, {"team": "assistencia-tecnica"}).body["team"] == "Assistência técnica"
    refused = api.call("PATCH", path, {"team": "outra"})
    assert (refused.status, [item["code"] for item in refused.body["errors"]]) == (400, ["team.unknown"])
    assert api.get(path).body["team"] == "Assistência técnica"


def test_what_the_api_hands_on_stands_in_the_book_of_hands(house: House, ticket: Ticket) -> None:
    api, path = house.api(), f"tickets/{ticket.pk}"
    for body in ({"assignee": "me"}, {"assignee": "me"}, {"assignee": house.bruno.user.email}, {"assignee": None}):
        assert api.call("PATCH", path, body).status == 200

    rows = Handing.objects.filter(ticket=ticket).order_by("pk").values_list("kind", "by", "from_member", "to_member")
    ana, bruno = house.ana.pk, house.bruno.pk
    assert list(rows) == [("assumed", ana, None, ana), ("transferred", ana, ana, bruno), ("released", ana, bruno, None)]


def test_a_snooze_by_the_api_is_owed_its_wake_and_no_more_once_it_is_over(house: House, ticket: Ticket) -> None:
    api, path = house.api(), f"tickets/{ticket.pk}"
    owed = OutboxEntry.objects.filter(job=jobs.WAKE, subject=ticket.pk)

    api.call("PATCH", path, {"status": "snoozed", "snoozed_until": "2030-01-01T10:00:00-03:00"})
    api.call("PATCH", path, {"snoozed_until": "2030-01-02T10:00:00-03:00"})
    assert owed.get().due_at.isoformat() == "2030-01-02T13:00:00+00:00"
    api.call("PATCH", path, {"status": "open"})
    assert not owed.exists()
