"""Groups that repeat, from the model's answer to the state, over the API and the database (G1 to G7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from atendimento.models import Act, AdministrativeAct, Correction, Proposal, RunStatus, Ticket
from tests.atendimento.test_rebuilds import begin, step
from tests.atendimento.test_runs import run
from tests.builders import House, assert_replays, change, propose, say, ticket_type
from tests.support.model_server import ModelServer

NAMED, WHERE, WHEN = "/items/{id}/aparelho", "/items/{id}/endereco", "/items/{id}/horario"
SAID = "A geladeira fica na Rua A, de manhã. O fogão fica na Rua B, de tarde."


def fields() -> dict[str, Any]:
    row = {"schema": {"type": "string"}, "sources": ["agent", "customer"]}
    return {
        **ticket_type()["fields"],
        NAMED: {"label": "Aparelho", **row},
        WHERE: {"label": "Endereço", **row, "invalidates": [WHEN]},
        WHEN: {"label": "Horário", **row},
        "/items/{id}/senha": {"label": "Senha do portão", **row, "sensitive": True},
    }


GROUPS = {"items": {"label": "Aparelho", "plural": "Aparelhos", "named_by": NAMED, "most": 3}}


@pytest.fixture
def grouped(house: House) -> House:
    published = house.api("davi").call("PUT", "ticket-types/assistencia", ticket_type(fields=fields(), groups=GROUPS))
    assert published.status == 201, published.body
    assert published.body["definition"]["groups"] == GROUPS
    return house


def answer() -> tuple[dict[str, Any], ...]:
    rows = [
        ("new-1", "aparelho", "geladeira", "geladeira"),
        ("new-1", "endereco", "Rua A", "Rua A"),
        ("new-1", "horario", "manhã", "de manhã"),
        ("new-2", "aparelho", "fogão", "fogão"),
        ("new-2", "endereco", "Rua B", "Rua B"),
        ("new-2", "horario", "tarde", "de tarde"),
    ]
    return tuple(change(f"/items/{group}/{name}", value, ("m-1", quote)) for group, name, value, quote in rows)


def accept(house: House, ticket: Ticket, *ids: str) -> Any:
    version = Ticket.objects.get(pk=ticket.pk).state_version
    body = {"expected_version": version, "accept": list(ids), "reject": []}
    decided = house.api().post(f"tickets/{ticket.pk}/decisions", body)
    assert decided.status == 200, decided.body
    return decided.body["state"]


def pending(house: House, ticket: Ticket) -> dict[str, Any]:
    rows = house.api().get("changes", status="pending", ticket=str(ticket.pk)).body["results"]
    return {row["path"]: row for row in rows}


def test_two_groups_begin_in_one_answer_and_a_correction_stays_in_its_own(
    grouped: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(grouped, ticket, SAID)
    model_server.answer(*answer())
    run(grouped)
    waiting = pending(grouped, ticket)
    assert list(waiting) == [f"/items/{g}/{n}" for g in ("i-1", "i-2") for n in ("aparelho", "endereco", "horario")]

    state = accept(grouped, ticket, *(row["id"] for row in waiting.values()))

    assert state["values"]["items"] == {
        "i-1": {"aparelho": "geladeira", "endereco": "Rua A", "horario": "manhã"},
        "i-2": {"aparelho": "fogão", "endereco": "Rua B", "horario": "tarde"},
    }
    assert state["slots"]["/items/i-2/horario"]["label"] == "Aparelho: fogão · Horário"

    say(grouped, ticket, "O fogão fica na Rua C. E o horário muda para noite.")
    unclear = {"question": "De qual é o novo horário?", "options": ["Aparelho: geladeira", "Aparelho: fogão"]}
    model_server.answer(
        change("/items/i-2/endereco", "Rua C", ("m-2", "O fogão fica na Rua C"), op="replace"),
        change("/pending/-", unclear, ("m-2", "o horário muda para noite")),
        change("/items/fogao-da-helena/aparelho", "Fogão", ("m-2", "fogão")),
    )
    run(grouped)

    asked = json.loads(model_server.chats[-1].body["messages"][-1]["content"])
    assert asked["groups"] == [{"id": "i-1", "label": "Aparelho: geladeira"}, {"id": "i-2", "label": "Aparelho: fogão"}]
    waiting = pending(grouped, ticket)
    assert waiting["/items/i-2/endereco"]["cascade"] == ["/items/i-2/horario"]
    assert waiting["/items/i-3/aparelho"]["cautions"] == [{"kind": "group_exists", "members": ["i-2"]}]
    state = accept(grouped, ticket, waiting["/items/i-2/endereco"]["id"], waiting["/pending/-"]["id"])
    assert state["slots"]["/items/i-2/horario"]["status"] == "needs_confirmation"
    assert state["slots"]["/items/i-1/horario"]["status"] == "current"
    assert state["values"]["pending"]["p-1"]["options"] == unclear["options"]
    assert Correction.objects.get(pointer="/items/i-2/endereco").label == "Aparelho: fogão · Endereço"
    narrative = grouped.api().get(f"tickets/{ticket.pk}/state").body["narrative"]
    assert "Aparelho: fogão · Horário: tarde — precisa confirmar" in narrative
    assert_replays(ticket)


def test_a_new_group_gets_its_id_once_and_no_other_gets_it_again(grouped: House, ticket: Ticket) -> None:
    say(grouped, ticket, SAID)
    first = change("/items/new-1/aparelho", "geladeira", ("m-1", "geladeira"))
    (held,) = propose(grouped, ticket, first, key="k-1")
    (same,) = propose(grouped, ticket, first, key="k-1")
    assert (held["path"], same["path"]) == ("/items/i-1/aparelho", "/items/i-1/aparelho")
    grouped.api().post(f"changes/{held['id']}/reject", {})
    (again, other) = propose(grouped, ticket, first, change("/items/-/aparelho", "fogão", ("m-1", "fogão")))
    assert (again["reasons"][0]["code"], other["path"]) == ("change.previously_rejected", "/items/i-3/aparelho")

    said = {"path": "/items/-/aparelho", "value": "forno", "expected_version": 1}
    stated = grouped.api().post(f"tickets/{ticket.pk}/slots/set", said)

    assert list(stated.body["state"]["values"]["items"]) == ["i-4"]
    undone = {"version": 2, "expected_version": 2, "reason": "engano"}
    back = grouped.api().post(f"tickets/{ticket.pk}/undo", undone).body["state"]
    assert "items" not in back["values"]
    stated = grouped.api().post(f"tickets/{ticket.pk}/slots/set", said | {"expected_version": 3})
    assert list(stated.body["state"]["values"]["items"]) == ["i-5"]
    assert_replays(ticket)


def test_more_groups_than_the_type_has_are_refused(grouped: House, ticket: Ticket) -> None:
    said = {"path": "/items/-/aparelho", "value": "forno"}
    for version in range(3):
        assert grouped.api().post(f"tickets/{ticket.pk}/slots/set", said | {"expected_version": version}).status == 200
    refused = grouped.api().post(f"tickets/{ticket.pk}/slots/set", said | {"expected_version": 3})
    assert (refused.status, refused.code, refused.body["rule"]) == (409, "schema.too_many_groups", "G2")


def test_what_is_sensitive_in_a_group_is_masked_and_its_reading_written_down(
    grouped: House, ticket: Ticket, model_server: ModelServer
) -> None:
    said = {"path": "/items/-/senha", "value": "girassol", "expected_version": 0}
    grouped.api().post(f"tickets/{ticket.pk}/slots/set", said)
    say(grouped, ticket, "A senha é girassol mesmo.")
    run(grouped)
    assert "girassol" not in model_server.chats[-1].raw.decode()
    grouped.api().get(f"tickets/{ticket.pk}/state")
    log = AdministrativeAct.objects.filter(kind=Act.SENSITIVE_READ).order_by("-pk")[0]
    assert log.details["fields"] == ["/items/i-1/senha"]


@pytest.mark.parametrize(
    ("groups", "pointer"),
    [({"items": {"most": 0}}, "/groups/items/most"), ({"items": {"named_by": "/facts/bairro"}}, "/groups/items/named_by")],
)
def test_a_fault_in_groups_is_answered_with_its_pointer(house: House, groups: dict[str, Any], pointer: str) -> None:
    answer_ = house.api("davi").call("PUT", "ticket-types/assistencia", ticket_type(fields=fields(), groups=groups))
    assert (answer_.status, answer_.code) == (400, "ticket_type.invalid")
    assert [error["pointer"] for error in answer_.body["errors"]] == [pointer]


def test_a_type_without_groups_asks_nothing_of_them(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    run(house)
    row = Proposal.objects.get()
    assert row.status == RunStatus.READY
    asked = json.dumps(model_server.chats[0].body["messages"])
    assert "/items/" not in asked
    assert "groups" not in asked


def test_reading_again_proposes_a_new_group_once(grouped: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(grouped, ticket, SAID)
    rule = {"text": "de tarde", "applies_to": ["/items/new-2/horario"]}
    for _ in range(2):
        model_server.answer(change("/constraints/-", rule, ("m-1", "de tarde")), *answer())
        row = step(grouped, begin(grouped, ticket))
        pointers = [f"/items/{g}/{n}" for g in ("i-1", "i-2") for n in ("aparelho", "endereco", "horario")]
        rows = row.report["rows"]
        assert sorted(item["pointer"] for item in rows) == ["/constraints/-", *pointers]
        waiting = pending(grouped, ticket)
        assert sorted(waiting) == ["/constraints/-", *pointers]
        named = [waiting["/constraints/-"]["value"], *(one["reread"] for one in rows if one["pointer"] == "/constraints/-")]
        assert [one["applies_to"] for one in named] == [["/items/i-2/horario"]] * 2
