"""What people state, confirm, settle and take back in the console."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from atendimento.actions import ticket_types
from atendimento.models import Membership, ProposedChange, Ticket, TicketState
from tests.support import stories
from tests.support.asking import act, text
from tests.support.stories import World


def slot(ticket: Ticket, pointer: str) -> dict[str, Any]:
    found: dict[str, Any] = TicketState.objects.get(ticket=ticket).slots[pointer]
    return found


def value(ticket: Ticket, group: str, name: str) -> Any:
    return TicketState.objects.get(ticket=ticket).values[group].get(name)


@pytest.fixture
def stale(world: World) -> Ticket:
    """The place was corrected, so the time waits for confirmation; version 2."""
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    return ticket


# confirm


@pytest.mark.parametrize(("ground", "source", "kept"), [("me", "tool", "statement"), ("customer", "tool", "reported")])
def test_a_confirmation_says_on_what_ground(ana: Client, stale: Ticket, ground: str, source: str, kept: str) -> None:
    data = {"path": "/facts/horario", "expected_version": 2, "ground": ground}
    response = act(ana, f"/tickets/{stale.pk}/confirm", **data)
    assert response.status_code == 200
    held = slot(stale, "/facts/horario")
    assert (held["status"], held["source"], held["confirmed"]["ground"]) == ("current", source, kept)
    words = text(ana.get(f"/tickets/{stale.pk}/", {"pane": "state"}))
    assert "Confirmado por Ana Lima" in words
    assert ("sem mensagem do cliente" in words) == (kept == "statement")


def test_a_confirmation_by_a_whole_message(world: World, ana: Client, stale: Ticket) -> None:
    world.say(stale, "quinta às 14h continua bom")
    data = {"path": "/facts/horario", "expected_version": 2, "ground": "message", "message": "m-7", "quote": ""}
    assert act(ana, f"/tickets/{stale.pk}/confirm", **data).status_code == 200
    assert slot(stale, "/facts/horario")["evidence"][-1]["quote"] == "quinta às 14h continua bom"


def test_a_confirmation_without_its_message_says_what_is_missing(ana: Client, stale: Ticket) -> None:
    data = {"path": "/facts/horario", "expected_version": 2, "ground": "message", "message": "aquela"}
    response = ana.post(f"/tickets/{stale.pk}/confirm", data)
    assert response.status_code == 400
    card = response.context["page"].memory.confirms[0]
    assert (card.open_form, "m-12" in card.problem.title) == ("confirm", True)


def test_what_waits_for_nothing_cannot_be_confirmed(ana: Client, stale: Ticket) -> None:
    data = {"path": "/facts/bairro", "expected_version": 2, "ground": "me"}
    assert act(ana, f"/tickets/{stale.pk}/confirm", **data).status_code == 409


# set


OFFERED = [
    # An agent's word counts, whoever it relays: as an agent's.
    ("/facts/orcamento", ["", "customer", "third_party", "registry"], ["customer", "third_party", "registry"]),
    ("/facts/endereco", ["customer"], []),  # only what the customer tells by phone has a source of its own here
    ("/preferences/periodo", ["", "customer", "third_party", "registry"], ["third_party", "registry"]),
]


@pytest.mark.parametrize(("pointer", "offered", "as_staffs"), OFFERED)
def test_only_words_that_count_are_offered_and_as_what_they_count(
    world: World, ana: Client, pointer: str, offered: list[str], as_staffs: list[str]
) -> None:
    response = ana.get(f"/tickets/{stories.recife(world).pk}/", {"pane": "state"})
    rows = {row.pointer: row for group in response.context["page"].memory.groups for row in group.rows}
    (word,) = [control for control in rows[pointer].controls if control.name == "reported"]
    assert [option.value for option in word.options] == offered
    assert [option.value for option in word.options if "conta como palavra da equipe" in option.label] == as_staffs


def test_a_field_that_takes_nobodys_word_says_whose_messages_count(world: World, ana: Client) -> None:
    definition = {**stories.TICKET_TYPE, "fields": {**stories.TICKET_TYPE["fields"], "/facts/medicao": MEASURED}}
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    ticket_types.publish_ticket_type(member=admin, document=definition)
    response = ana.get(f"/tickets/{stories.recife(world).pk}/", {"pane": "state"})
    rows = {row.pointer: row for group in response.context["page"].memory.groups for row in group.rows}
    assert [control.name for control in rows["/facts/medicao"].controls] == ["value"]
    assert "Aqui só vale a palavra de: ferramenta." in rows["/facts/medicao"].notes
    # Nobody is offered to record it by themselves: the form shows once words are selected for it.
    assert [row.pointer for row in rows.values() if row.by_quote] == ["/facts/medicao"]
    details = re.search(r'<details id="sl-facts-medicao-set"[^>]*>', response.content.decode())
    assert details is not None
    assert "data-waits" in details[0]


MEASURED = {"label": "Medição", "schema": {"type": "string"}, "sources": ["tool"]}


@pytest.mark.parametrize(
    ("path", "data", "group", "expected"),
    [
        ("/facts/garantia", {"value": ["false", "true"]}, "facts", True),
        ("/facts/garantia", {"value": "false"}, "facts", False),
        ("/facts/comprado", {"value": "2026-03-12"}, "facts", "2026-03-12"),
        ("/facts/orcamento", {"value": "99"}, "facts", 99),
        ("/facts/aparelho", {"value": " freezer "}, "facts", "freezer"),
        ("/facts/endereco", {"value": "Rua X, 5", "reported": "customer"}, "facts", "Rua X, 5"),
    ],
)
def test_a_statement_is_read_by_its_fields_control(
    ana: Client, stale: Ticket, path: str, data: dict[str, Any], group: str, expected: Any
) -> None:
    response = act(ana, f"/tickets/{stale.pk}/set", path=path, expected_version=2, pane="state", **data)
    assert response.status_code == 200
    assert response.context["memory"].pane == "state"
    assert value(stale, group, path.rpartition("/")[2]) == expected


def test_withdrawing_leaves_the_field_open(ana: Client, stale: Ticket) -> None:
    response = act(ana, f"/tickets/{stale.pk}/set", path="/facts/aparelho", expected_version=2, withdraw="1", pane="state")
    assert response.status_code == 200
    assert "aparelho" not in TicketState.objects.get(ticket=stale).values["facts"]
    assert "em aberto" in text(response)


def test_a_new_commitment_with_its_due(ana: Client, stale: Ticket) -> None:
    data = {"value.task": "ligar de volta", "value.owner": "team", "value.due": "2026-03-12", "value.kind": "visit"}
    response = act(ana, f"/tickets/{stale.pk}/set", path="/commitments/-", expected_version=2, pane="state", **data)
    assert response.status_code == 200
    held = value(stale, "commitments", "c-2")
    assert (held["task"], held["due"], held["kind"], held["status"]) == ("ligar de volta", "2026-03-12", "visit", "requested")
    assert "vencido" in text(response)


def test_a_promise_is_kept_by_whoever_performs_it(ana: Client, stale: Ticket) -> None:
    response = act(
        ana, f"/tickets/{stale.pk}/set", path="/commitments/c-1/status", expected_version=2, value="done", pane="state"
    )
    assert response.status_code == 200
    assert value(stale, "commitments", "c-1")["status"] == "done"


def test_a_statement_that_the_field_does_not_take_is_refused_beside_it(ana: Client, stale: Ticket) -> None:
    data = {"path": "/identifiers/pedido", "expected_version": 2, "pane": "state", "value": "torto"}
    response = ana.post(f"/tickets/{stale.pk}/set", data)
    assert response.status_code == 409
    rows = [row for group in response.context["page"].memory.groups for row in group.rows]
    (failed,) = [row for row in rows if row.problem is not None]
    assert (failed.label, failed.controls[0].value) == ("Pedido", "torto")


def test_what_changed_meanwhile_is_told_with_who_and_what(world: World, ana: Client, stale: Ticket, sign_in: Any) -> None:
    data = {"path": "/facts/aparelho", "expected_version": 2, "pane": "state"}
    assert act(sign_in(world.rui), f"/tickets/{stale.pk}/set", **data, value="freezer").status_code == 200
    response = ana.post(f"/tickets/{stale.pk}/set", {**data, "value": "adega"})
    assert response.status_code == 409
    words = text(response)
    assert "O atendimento mudou enquanto você decidia." in words
    assert "Rui Prado" in words
    assert 'value="adega"' in response.content.decode()


def test_what_no_text_holds_is_left_out_of_a_statement(ana: Client, stale: Ticket) -> None:
    response = act(ana, f"/tickets/{stale.pk}/set", path="/facts/aparelho", value="ge\0lo", expected_version=2)
    assert response.status_code == 200
    assert value(stale, "facts", "aparelho") == "gelo"


def test_a_message_number_of_any_length_breaks_nothing(ana: Client, stale: Ticket) -> None:
    data = {"path": "/facts/horario", "expected_version": 2, "ground": "message", "message": "9" * 5000, "quote": "x"}
    assert act(ana, f"/tickets/{stale.pk}/confirm", **data).status_code == 400


def test_a_place_in_a_message_of_any_length_breaks_nothing(ana: Client, stale: Ticket) -> None:
    """A place that no message reaches is none: the words are looked for in the whole message."""
    data = {"path": "/facts/aparelho", "expected_version": 2, "value": "x", "message": "m-1", "quote": "x", "start": "9" * 5000}
    assert act(ana, f"/tickets/{stale.pk}/set", **data).status_code == 409


def test_a_field_that_there_is_not(ana: Client, stale: Ticket) -> None:
    assert act(ana, f"/tickets/{stale.pk}/set", path="/facts/xyz", expected_version=2, value="1").status_code == 404


# resolve


@pytest.fixture
def torn(world: World) -> Ticket:
    return stories.divergence(world)


@pytest.mark.parametrize(("choice", "expected"), [("current", "Rua das Flores, 10"), ("open", None)])
def test_an_agent_keeps_the_value_or_leaves_it_open(ana: Client, torn: Ticket, choice: str, expected: str | None) -> None:
    data = {"path": "/facts/endereco", "expected_version": 2, "choice": choice, "reason": "combinado"}
    assert act(ana, f"/tickets/{torn.pk}/resolve", **data).status_code == 200
    assert value(torn, "facts", "endereco") == expected


def test_the_weaker_side_is_a_supervisors_to_take(ana: Client, silvia: Client, torn: Ticket) -> None:
    data = {"path": "/facts/endereco", "expected_version": 2, "choice": "challenger:0", "reason": "conta de luz"}
    assert "um supervisor pode decidir" in text(ana.get(f"/tickets/{torn.pk}/"))
    assert act(ana, f"/tickets/{torn.pk}/resolve", **data).status_code == 403
    assert act(silvia, f"/tickets/{torn.pk}/resolve", **data).status_code == 200
    assert value(torn, "facts", "endereco") == "Rua do Sol, 22"


@pytest.mark.parametrize("data", [{"choice": "current"}, {"choice": "nobody", "reason": "x"}, {"reason": "x"}])
def test_a_settlement_needs_choice_and_reason(ana: Client, torn: Ticket, data: dict[str, str]) -> None:
    response = act(ana, f"/tickets/{torn.pk}/resolve", path="/facts/endereco", expected_version=2, **data)
    assert response.status_code == 400
    assert "diga o motivo" in text(response)


# undo


def test_an_agent_undoes_their_own_a_supervisor_any(
    ana: Client, silvia: Client, world: World, stale: Ticket, sign_in: Any
) -> None:
    rui = sign_in(world.rui)
    data = {"version": 2, "expected_version": 2, "reason": "engano", "pane": "history"}
    assert act(rui, f"/tickets/{stale.pk}/undo", **data).status_code == 403
    assert "Desfazer esta versão" not in text(rui.get(f"/tickets/{stale.pk}/", {"pane": "history"}))
    response = act(silvia, f"/tickets/{stale.pk}/undo", **data)
    assert response.status_code == 200
    assert value(stale, "facts", "bairro") == "Boa Viagem"
    assert "desfez a versão 2" in text(response)


def test_what_cannot_be_undone_says_why(ana: Client, stale: Ticket) -> None:
    response = act(ana, f"/tickets/{stale.pk}/undo", version=9, expected_version=2, reason="x")
    assert response.status_code == 409
    assert act(ana, f"/tickets/{stale.pk}/undo", version="x", expected_version=2).status_code == 400


@pytest.mark.parametrize("what", ["confirm", "set", "resolve", "undo", "propose", "decide"])
def test_another_organisations_ticket_is_not_there(stranger: Client, stale: Ticket, what: str) -> None:
    data = {"path": "/facts/bairro", "value": "x", "expected_version": 2, "choice": "open", "reason": "x", "version": 2}
    data |= {"accept": "00000000-0000-7000-8000-000000000001"}
    assert act(stranger, f"/tickets/{stale.pk}/{what}", **data).status_code == 404


# values read out of a message


def test_quoted_words_keep_the_weight_of_who_said_them(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    data = {"path": "/facts/sintoma", "value": "não gela", "expected_version": 1, "message": "m-1", "quote": "minha geladeira"}
    assert act(ana, f"/tickets/{ticket.pk}/set", **data).status_code == 200
    assert (slot(ticket, "/facts/sintoma")["source"], slot(ticket, "/facts/sintoma")["author"]["name"]) == (
        "customer",
        "Helena",
    )


def test_recording_the_same_words_twice_is_recording_them_once(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    data = {"path": "/facts/sintoma", "value": "não gela", "expected_version": 1, "message": "m-1", "quote": "minha geladeira"}
    for _press in range(2):
        assert act(ana, f"/tickets/{ticket.pk}/set", **data).status_code == 200
    assert TicketState.objects.get(ticket=ticket).version == 2
    assert ProposedChange.objects.filter(ticket=ticket, path="/facts/sintoma").count() == 1
    # Other words for the same value are added to it.
    more = {**data, "expected_version": 2, "message": "m-1", "quote": "moro em Boa Viagem"}
    assert act(ana, f"/tickets/{ticket.pk}/set", **more).status_code == 200
    quotes = [item["quote"] for item in slot(ticket, "/facts/sintoma")["evidence"]]
    assert quotes == ["moro em Boa Viagem", "minha geladeira"]


def test_a_withdrawal_on_quoted_words_is_the_customers(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "esqueça a geladeira")
    data = {"path": "/facts/aparelho", "withdraw": "1", "expected_version": 1, "message": "m-4", "quote": "esqueça a geladeira"}
    assert act(ana, f"/tickets/{ticket.pk}/set", **data).status_code == 200
    held = slot(ticket, "/facts/aparelho")
    assert (held["status"], held["evidence"][0]["message"], held["author"]["name"]) == ("open", "m-4", "Helena")


def test_a_quote_that_is_not_there_is_refused_and_keeps_nothing(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    before = ProposedChange.objects.count()
    data = {"path": "/facts/sintoma", "value": "não gela", "expected_version": 1, "message": "m-1", "quote": "não está lá"}
    response = ana.post(f"/tickets/{ticket.pk}/set", {**data, "pane": "state"})
    assert response.status_code == 409
    assert (ProposedChange.objects.count(), TicketState.objects.get(ticket=ticket).version) == (before, 1)


def test_a_quote_of_no_message_is_said(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    data = {"path": "/facts/sintoma", "value": "não gela", "expected_version": 1, "message": "aquela", "quote": "x"}
    assert act(ana, f"/tickets/{ticket.pk}/set", **data).status_code == 400
