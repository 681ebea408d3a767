"""POST and GET tickets/{id}/messages, DELETE tickets/{id}/messages/{message}."""

from __future__ import annotations

from typing import Any

import pytest

from atendimento.models import Message, MessageRevision, Proposal, Ticket, TicketStatus
from memoria.sources import Kind
from tests.builders import House, assert_replays, change, make_house, propose, queries_of, say

HELENA = {"kind": "customer", "name": "Helena", "external_id": "5581"}


def deliver(house: House, ticket: Ticket, text: str, who: str = "canal", **more: Any) -> Any:
    return house.api(who).post(f"tickets/{ticket.pk}/messages", {"author": HELENA, "text": text, **more})


def test_messages_are_numbered_by_arrival(house: House, ticket: Ticket) -> None:
    ids = [deliver(house, ticket, text).body["id"] for text in ("um", "dois", "três")]

    assert ids == ["m-1", "m-2", "m-3"]


def test_a_repeated_delivery_changes_nothing_and_is_read_once(house: House, ticket: Ticket) -> None:
    first = deliver(house, ticket, "É uma lavadora.", external_id="z-1")
    again = deliver(house, ticket, "É uma lavadora.", external_id="z-1")

    assert (first.status, again.status) == (201, 200)
    assert again.body == first.body
    assert Proposal.objects.count() == 1


def test_another_text_is_a_revision_and_an_old_one_a_late_repetition(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "Torre", external_id="z-1")
    edited = deliver(house, ticket, "Pina", external_id="z-1")
    late = deliver(house, ticket, "Torre", external_id="z-1")

    assert (edited.status, edited.body["text"]) == (200, "Pina")
    assert late.body["text"] == "Pina"
    assert [row.text for row in MessageRevision.objects.all()] == ["Torre"]


def test_an_edit_that_takes_the_quote_away_puts_the_value_in_doubt(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "Moro em Torre", external_id="z-1")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})

    deliver(house, ticket, "Moro em Pina", external_id="z-1")

    state = house.api().get(f"tickets/{ticket.pk}/state").body
    slot = state["slots"]["/facts/bairro"]
    assert (state["version"], slot["status"], slot["stale_because"]) == (2, "needs_confirmation", "evidence_changed")
    assert_replays(ticket)


def test_nul_characters_are_removed_with_a_note(house: House, ticket: Ticket) -> None:
    answer = deliver(house, ticket, "a\0b")

    assert (answer.body["text"], answer.body["notes"]) == ("ab", ["nul_removed"])


def test_a_text_of_100_000_characters_is_taken_and_one_more_is_not(house: House, ticket: Ticket) -> None:
    assert deliver(house, ticket, "é" * 100_000).status == 201
    refused = deliver(house, ticket, "é" * 100_001)

    assert (refused.status, refused.code) == (400, "message.too_long")


def test_a_customer_s_message_reopens_a_closed_ticket_and_staff_s_does_not(house: House, ticket: Ticket) -> None:
    house.api().call("PATCH", f"tickets/{ticket.pk}", {"status": "closed"})
    house.api().post(f"tickets/{ticket.pk}/messages", {"author": {"kind": "agent"}, "text": "Encerrado."})
    ticket.refresh_from_db()
    assert ticket.status == TicketStatus.CLOSED

    deliver(house, ticket, "Ainda não funciona")

    ticket.refresh_from_db()
    assert ticket.status == TicketStatus.OPEN


def test_a_member_writes_as_themselves_and_as_nobody_else(house: House, ticket: Ticket) -> None:
    path = f"tickets/{ticket.pk}/messages"
    written = house.api().post(path, {"author": {"kind": "agent", "name": "Outra", "external_id": "1"}, "text": "Oi"})

    assert written.body["author"] == {"kind": "agent", "name": "Ana", "external_id": str(house.ana.pk)}
    for kind in ("customer", "registry", "assistant"):
        forged = house.api().post(path, {"author": {"kind": kind, "name": "x"}, "text": "Oi"})
        assert (forged.status, forged.code) == (403, "permission.denied")


def test_a_note_is_internal_and_only_staff_write_notes(house: House, ticket: Ticket) -> None:
    assert deliver(house, ticket, "nota", internal=True).status == 400
    note = house.api().post(f"tickets/{ticket.pk}/messages", {"author": {"kind": "agent"}, "text": "nota", "internal": True})

    assert note.body["internal"] is True


def test_times_are_the_channel_s_unless_they_lie_ahead(house: House, ticket: Ticket) -> None:
    past = deliver(house, ticket, "ontem", sent_at="2020-05-01T08:00:00-03:00").body
    ahead = deliver(house, ticket, "amanhã", sent_at="2999-01-01T00:00:00Z").body

    assert past["said_at"] == "2020-05-01T11:00:00+00:00"
    assert ahead["said_at"] == ahead["received_at"]


@pytest.mark.parametrize("sent_at", ["2020-05-01T08:00:00", "ontem", "0001-01-01T00:00:00Z", 7])
def test_a_time_that_is_none_is_refused(house: House, ticket: Ticket, sent_at: object) -> None:
    assert deliver(house, ticket, "x", sent_at=sent_at).status == 400


@pytest.mark.parametrize("sent_at", ["1970-01-01T00:00:00+23:59", "9998-12-31T23:59:59-23:59"])
def test_a_time_of_any_zone_is_taken(house: House, ticket: Ticket, sent_at: str) -> None:
    assert deliver(house, ticket, "x", sent_at=sent_at).status == 201


def test_a_deleted_message_is_kept_and_deleting_again_answers_the_same(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "Moro em Torre", external_id="z-1")
    path = f"tickets/{ticket.pk}/messages/m-1"

    assert [house.api("canal").call("DELETE", path).status for _ in range(2)] == [204, 204]

    assert Message.objects.get().deleted_at is not None
    assert deliver(house, ticket, "Moro em Pina", external_id="z-1").body["text"] == "Moro em Torre"
    assert house.api("canal").call("DELETE", f"tickets/{ticket.pk}/messages/m-9").status == 404
    assert house.api().call("DELETE", path).status == 403
    assert_replays(ticket)


def test_a_deleted_message_is_no_evidence_and_doubts_what_it_backed(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "Moro em Torre")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Torre")))
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})

    house.api("canal").call("DELETE", f"tickets/{ticket.pk}/messages/m-1")

    slot = house.api().get(f"tickets/{ticket.pk}/state").body["slots"]["/facts/bairro"]
    assert slot["status"] == "needs_confirmation"
    (later,) = propose(house, ticket, change("/facts/horario", "Torre", ("m-1", "Torre")))
    assert later["reasons"][0]["code"] == "evidence.quote_not_found"


def test_the_author_s_next_message_turns_a_pending_change(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "Pode ser na quinta")
    (proposed,) = propose(house, ticket, change("/facts/horario", "quinta", ("m-1", "quinta")))
    assert "negation" not in [item["kind"] for item in proposed["cautions"]]

    deliver(house, ticket, "não, melhor não")

    (shown,) = house.api().get("changes", ticket=str(ticket.pk)).body["results"]
    assert "negation" in [item["kind"] for item in shown["cautions"]]


def test_messages_are_read_by_windows(house: House, ticket: Ticket) -> None:
    for number in range(5):
        say(house, ticket, f"texto {number}")

    page = house.api("canal").get(f"tickets/{ticket.pk}/messages", after="m-1", limit=2)
    rest = house.api("canal").get(page.body["next"])

    assert [row["id"] for row in page.body["results"]] == ["m-2", "m-3"]
    assert [row["id"] for row in rest.body["results"]] == ["m-4", "m-5"]
    assert rest.body["next"] is None
    assert house.api("canal").get(f"tickets/{ticket.pk}/messages", after="x").status == 400


def test_taking_a_message_in_costs_the_same_in_a_long_conversation(house: House, ticket: Ticket) -> None:
    deliver(house, ticket, "primeira")
    short = queries_of(lambda: deliver(house, ticket, "mais uma"))
    for number in range(40):
        say(house, ticket, f"texto {number}", Kind.CUSTOMER)

    assert queries_of(lambda: deliver(house, ticket, "mais uma")) == short


def test_messages_of_another_organisation_are_not_there(house: House, ticket: Ticket) -> None:
    say(house, ticket, "segredo")
    other = make_house("outra")

    assert other.api().get(f"tickets/{ticket.pk}/messages").status == 404
    assert deliver(other, ticket, "oi").status == 404
    assert other.api("canal").call("DELETE", f"tickets/{ticket.pk}/messages/m-1").status == 404
