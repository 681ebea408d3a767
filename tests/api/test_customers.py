"""What a customer may ask for by the API, and who is told by the log that something sensitive was read."""

from __future__ import annotations

from typing import Any

import pytest

from atendimento import actions
from atendimento.actions import slots
from atendimento.models import Act, AdministrativeAct, ErasureRequest, Proposal, Ticket
from memoria.sources import Kind
from tests.builders import House, change, make_house, propose, say, ticket_type

SECRET = "segredo-do-cofre"


@pytest.fixture
def secret(house: House) -> Ticket:
    """A ticket that holds a sensitive value and another one."""
    kind = ticket_type("cofre")
    kind["fields"]["/facts/aparelho"]["sensitive"] = True
    actions.publish_ticket_type(member=house.davi, document=kind)
    row, _ = actions.create_ticket(
        caller=house.channel,
        ticket_type="cofre",
        subject="Cofre",
        customer=actions.CustomerData("cli-9", "Íris", "11 99999-0000", "iris@exemplo.test"),
    )
    say(house, row, f"é {SECRET}, e eu moro na Torre", name="Íris")
    for path, value in (("/facts/bairro", "Torre"), ("/facts/aparelho", SECRET)):
        slots.set_slot(
            member=house.ana,
            ticket_id=row.pk,
            path=path,
            value=value,
            expected_version=Ticket.objects.get(pk=row.pk).state_version,
        )
    return row


def readings() -> list[dict[str, Any]]:
    rows = AdministrativeAct.objects.filter(kind=Act.SENSITIVE_READ).order_by("pk")
    return [{"member": row.member.name if row.member else None, "subject": row.subject, **row.details} for row in rows]


@pytest.mark.parametrize(
    "call",
    ["tickets/{id}/state", "tickets/{id}/state?version=2", "tickets/{id}/state/diff?from=0", "tickets/{id}/history"],
)
def test_a_token_that_is_given_a_sensitive_value_is_written_down(house: House, secret: Ticket, call: str) -> None:
    answer = house.api().get(call.format(id=secret.pk))

    assert answer.status == 200
    assert SECRET in repr(answer.body)
    (row,) = readings()
    assert (row["member"], row["subject"], row["fields"], row["via"]) == ("Ana", secret.protocol, ["/facts/aparelho"], "api")
    assert row["token"] is not None
    assert SECRET not in repr(AdministrativeAct.objects.values())


def test_history_across_tickets_and_the_review_queue_count_as_readings_too(house: House, secret: Ticket) -> None:
    propose(house, secret, change("/facts/aparelho", "cofre", ("m-1", "segredo-do-cofre")))
    AdministrativeAct.objects.using("default").count()
    before = len(readings())

    house.api("celia").get("history")
    house.api("celia").get("changes?status=pending")
    house.api("celia").get(f"tickets/{secret.pk}/proposals")

    assert [row["member"] for row in readings()[before:]] == ["Celia"] * (len(readings()) - before)
    assert len(readings()) - before >= 2


@pytest.mark.parametrize("call", ["tickets/{id}/state?version=1", "tickets/{id}/state/diff?from=0&to=1", "tickets/{id}"])
def test_what_gives_no_sensitive_value_is_not(house: House, secret: Ticket, call: str) -> None:
    assert house.api().get(call.format(id=secret.pk)).status == 200
    assert readings() == []


def test_erasure_is_asked_for_once_and_its_state_is_answered(house: House, secret: Ticket) -> None:
    address = f"customers/{secret.customer_id}/erase"

    first = house.api("celia").post(address, {"reason": "a pedido"})
    again = house.api("davi").post(address, {})

    assert (first.status, again.status) == (202, 200)
    assert first.body["id"] == again.body["id"]
    assert (first.body["status"], first.body["requested_by"]["name"]) == ("requested", "Celia")
    assert ErasureRequest.objects.get().reason == "a pedido"


def test_agents_integrations_and_strangers_ask_for_nothing(house: House, secret: Ticket) -> None:
    address = f"customers/{secret.customer_id}"
    for who in ("ana", "canal"):
        assert house.api(who).post(f"{address}/erase", {}).status == 403
        assert house.api(who).get(f"{address}/export").status == 403
    other = make_house("outra")
    assert other.api("celia").post(f"{address}/erase", {}).status == 404
    assert other.api("celia").get(f"{address}/export").status == 404
    assert other.api("celia").get("customers/x/export").status == 404
    assert not ErasureRequest.objects.exists()


def test_an_export_holds_what_is_the_customer_s_and_masks_what_is_others(house: House, secret: Ticket) -> None:
    say(house, secret, "ligue 11 98888-7777, diz a vizinha", Kind.THIRD_PARTY, "Dona Zuleica")

    body = house.api("celia").get(f"customers/{secret.customer_id}/export").body

    assert body["customer"]["name"] == "Íris"
    (ticket,) = body["tickets"]
    assert ticket["state"]["values"]["facts"]["aparelho"] == SECRET
    assert [message["name"] for message in ticket["messages"]] == ["Íris", "[…]"]
    assert "98888" not in repr(body)
    assert "Zuleica" not in repr(body)
    assert "Ana" not in repr(ticket["history"])
    assert AdministrativeAct.objects.latest("pk").kind == Act.CUSTOMER_EXPORTED


def test_what_others_said_is_masked_wherever_it_is_quoted(house: House, secret: Ticket) -> None:
    kind = ticket_type("cofre")
    kind["fields"]["/facts/horario"]["sources"] = ["agent", "customer", "third_party"]
    actions.publish_ticket_type(member=house.davi, document=kind)
    number = say(house, secret, "ligue 11 98888-7777 às 14h, diz a vizinha", Kind.THIRD_PARTY, "Dona Zuleica")
    quote = "ligue 11 98888-7777 às 14h"
    (row,) = propose(house, secret, change("/facts/horario", "14h", (number, quote)))
    actions.accept_change(member=house.ana, change_id=row["id"], expected_version=2)
    answer = {"body": f"a vizinha disse: {quote}", "through": 2}
    Proposal.objects.filter(ticket=secret).update(raw_answer=answer, model="m")

    body = house.api("celia").get(f"customers/{secret.customer_id}/export").body

    (ticket,) = body["tickets"]
    (proposed,) = ticket["proposed"]
    for quoted in (proposed["quotes"], ticket["state"]["slots"]["/facts/horario"]["evidence"]):
        assert [item["quote"] for item in quoted] == ["ligue [TELEFONE] às 14h"]
    assert "98888" not in repr(body)
    assert "vizinha disse" not in repr(body)
    assert {run["model"] for run in ticket["model"]} == {"m"}
