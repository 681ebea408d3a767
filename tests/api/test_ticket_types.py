"""GET and PUT ticket-types/{slug}."""

from __future__ import annotations

from atendimento.models import LedgerEvent, Ticket
from tests.builders import House, make_house, make_ticket, ticket_type


def test_publishing_makes_a_version_and_the_same_content_makes_none(house: House) -> None:
    davi = house.api("davi")

    first = davi.call("PUT", "ticket-types/nova", ticket_type("nova"))
    again = davi.call("PUT", "ticket-types/nova", ticket_type("nova"))
    other = davi.call("PUT", "ticket-types/nova", ticket_type("nova", name="Outra"))

    assert [(answer.status, answer.body["version"]) for answer in (first, again, other)] == [(201, 1), (200, 1), (201, 2)]
    assert davi.get("ticket-types/nova").body["definition"] == ticket_type("nova", name="Outra")


def test_a_faulty_type_is_refused_with_every_fault(house: House) -> None:
    document = ticket_type("nova")
    document["fields"]["/facts/x"] = {"label": "", "schema": {"type": "nothing"}, "sources": []}
    answer = house.api("davi").call("PUT", "ticket-types/nova", document)

    assert (answer.status, answer.code) == (400, "ticket_type.invalid")
    assert len(answer.body["errors"]) >= 2


def test_a_circle_is_refused_with_its_path(house: House) -> None:
    document = ticket_type("nova")
    document["fields"]["/facts/horario"]["invalidates"] = ["/facts/bairro"]
    answer = house.api("davi").call("PUT", "ticket-types/nova", document)

    assert answer.code == "ticket_type.cycle"
    assert "/facts/bairro → /facts/horario → /facts/bairro" in answer.body["detail"]


def test_the_address_and_the_document_name_one_type(house: House) -> None:
    assert house.api("davi").call("PUT", "ticket-types/outra", ticket_type("nova")).code == "ticket_type.other_slug"


def test_only_admins_publish(house: House) -> None:
    for who in ("ana", "celia", "canal"):
        assert house.api(who).call("PUT", "ticket-types/nova", ticket_type("nova")).status == 403
    assert house.api("ana").get("ticket-types/assistencia").status == 200
    assert house.api("ana").get("ticket-types/nova").status == 404


def test_a_ticket_is_judged_by_the_version_published_now_and_events_name_it(house: House, ticket: Ticket) -> None:
    davi, path = house.api("davi"), f"tickets/{ticket.pk}/slots/set"
    davi.post(path, {"path": "/facts/bairro", "value": "Torre", "expected_version": 0})
    narrower = ticket_type()
    narrower["fields"]["/facts/bairro"]["schema"] = {"enum": ["Pina"]}

    davi.call("PUT", "ticket-types/assistencia", narrower)

    assert davi.post(path, {"path": "/facts/bairro", "value": "Graças", "expected_version": 1}).code == "schema.invalid_value"
    davi.post(path, {"path": "/facts/bairro", "value": "Pina", "expected_version": 1})
    versions = LedgerEvent.objects.order_by("version").values_list("ticket_type_version", flat=True)
    assert list(versions) == [1, 2]


def test_publishing_counts_what_no_longer_fits_and_changes_nothing(house: House, ticket: Ticket) -> None:
    davi, path = house.api("davi"), f"tickets/{ticket.pk}/slots/set"
    for version, (pointer, value) in enumerate((("/facts/bairro", "Torre"), ("/facts/horario", "14h"))):
        davi.post(path, {"path": pointer, "value": value, "expected_version": version})
    other = make_ticket(house, "c-2")
    davi.post(f"tickets/{other.pk}/slots/set", {"path": "/facts/bairro", "value": "Pina", "expected_version": 0})
    narrower = ticket_type()
    narrower["fields"]["/facts/bairro"]["schema"] = {"enum": ["Pina"]}
    narrower["fields"]["/facts/bairro"]["invalidates"] = ["commitments:visit"]
    del narrower["fields"]["/facts/horario"]

    published = davi.call("PUT", "ticket-types/assistencia", narrower)
    again = davi.call("PUT", "ticket-types/assistencia", narrower)

    assert (published.status, published.body["version"], published.body["misfits"]) == (201, 2, 2)
    assert (again.status, again.body["misfits"]) == (200, 2)
    assert "misfits" not in davi.get("ticket-types/assistencia").body
    assert davi.get(f"tickets/{ticket.pk}/state").body["version"] == 2
    assert davi.call("PUT", "ticket-types/assistencia", ticket_type()).body["misfits"] == 0


def test_types_of_another_organisation_are_not_there(house: House) -> None:
    house.api("davi").call("PUT", "ticket-types/nova", ticket_type("nova"))
    other = make_house("outra")

    assert other.api().get("ticket-types/nova").status == 404
    assert other.api("davi").call("PUT", "ticket-types/nova", ticket_type("nova")).body["version"] == 1


def test_an_address_that_no_type_can_have_is_not_there(house: House) -> None:
    assert house.api("davi").get("ticket-types/%00").status == 404
