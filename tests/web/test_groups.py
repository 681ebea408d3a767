"""Fields that repeat in a ticket, in the console: cards, the state, recording by hand, moving to the right group."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from atendimento.actions import ticket_types
from atendimento.models import Membership, ProposedChange, Ticket, TicketState
from tests.support import appliances
from tests.support.asking import act, ask, text
from tests.support.stories import World, change

FRIDGE, STOVE = "Aparelho: geladeira Consul", "Aparelho: fogão Dako"


def pane(browser: Client, ticket: Ticket, which: str, **more: Any) -> Any:
    return ask(browser, f"/tickets/{ticket.pk}/memory", pane=which, **more)


def at(ticket: Ticket) -> int:
    return Ticket.objects.values_list("state_version", flat=True).get(pk=ticket.pk)


def held(ticket: Ticket) -> dict[str, Any]:
    found: dict[str, Any] = TicketState.objects.get(ticket=ticket).values["items"]
    return found


def headings(response: Any, level: int) -> list[str]:
    found = re.findall(rf"<h{level}[^>]*>(.*?)</h{level}>", response.content.decode(), re.DOTALL)
    return [re.sub(r"<[^>]+>", "", one).strip() for one in found]


def test_cards_of_one_new_group_stand_together_under_its_name(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    shown = pane(ana, ticket, "decide")
    assert headings(shown, 3) == [
        FRIDGE,
        f"{FRIDGE} · Modelo",
        f"{FRIDGE} · Endereço da visita",
        f"{FRIDGE} · Horário da visita",
        STOVE,
        f"{STOVE} · Modelo",
        f"{STOVE} · Endereço da visita",
    ]
    assert text(shown).count("cliente · novo: Aparelho") == 5
    first = [str(row.pk) for row in rows if row.path.startswith(rows[0].path.rsplit("/", 1)[0])]
    act(ana, f"/tickets/{ticket.pk}/decide", expected_version=0, accept=first)
    after = pane(ana, ticket, "decide")
    assert headings(after, 3) == [STOVE, f"{STOVE} · Modelo", f"{STOVE} · Endereço da visita"]
    assert headings(pane(ana, ticket, "state"), 2)[:4] == ["Estado", "Objetivo", "Fatos", FRIDGE]


def test_a_new_groups_head_says_what_falls_with_all_of_it(world: World, ana: Client) -> None:
    ticket, _rows = appliances.two(world)
    visit = {"task": "visitar", "owner": "team", "kind": "visit"}
    world.say(ticket, "vou visitar amanhã", "agent", "Ana")
    world.accept(world.propose(ticket, change("/commitments/-", visit, ("m-2", "vou visitar amanhã"))))
    shown = text(pane(ana, ticket, "decide"))
    head = shown[shown.index(f"{FRIDGE} ainda fora do estado") : shown.index(f"{FRIDGE} · Modelo")]
    assert "Aceitas juntas, estes passam a precisar de confirmação Compromisso c-1: visitar" in head


def test_a_group_that_may_be_there_already_is_told_by_its_name(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    world.propose(ticket, change("/items/-/aparelho", "Geladeira  consul", ("m-1", "geladeira Consul")))
    assert f"Já há um com este nome: {FRIDGE}." in text(pane(ana, ticket, "decide"))


def test_the_state_has_a_section_a_group_and_a_form_that_begins_one(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows)
    world.say(ticket, appliances.MOVED)
    world.accept(world.propose(ticket, change(rows[2].path, "Rua da Aurora, 5", ("m-2", "Rua da Aurora, 5"))))
    shown = pane(ana, ticket, "state")
    sections = dict(zip(headings(shown, 2), re.split(r"<h2", shown.content.decode())[1:], strict=True))
    assert "quinta às 14h" in sections[FRIDGE]
    assert "precisa confirmar" in sections[FRIDGE]
    assert "Rua das Flores, 10" in sections[STOVE]
    assert "precisa confirmar" not in sections[STOVE]
    assert "novo: Aparelho Modelo" in text(shown)
    answer = act(
        ana,
        f"/tickets/{ticket.pk}/set",
        path="/items/-/aparelho",
        expected_version=at(ticket),
        value="micro-ondas",
        pane="state",
    )
    assert answer.status_code == 200
    assert "Aparelho: micro-ondas" in headings(answer, 2)
    assert "novo: Aparelho Modelo" not in text(answer)  # the type takes three
    assert ProposedChange.objects.filter(ticket=ticket, status="pending").count() == 0


def test_an_edit_takes_a_change_for_another_group(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:2])
    wrong = rows[4]  # the time of the fridge's visit, which was the stove's
    stove = rows[1].path.split("/")[2]
    address = f"/tickets/{ticket.pk}/changes/{wrong.pk}/edit"
    card = ask(ana, f"/tickets/{ticket.pk}/memory", pane="decide").content.decode()
    assert re.search(rf'<option value="{stove}"\s*>{STOVE}</option>', card)
    sent = {"expected_version": 1, "value": "quinta às 14h", "group": stove}
    assert f"Aceito: {STOVE} · Horário da visita, quinta às 14h" in text(act(ana, address, **sent))
    assert (at(ticket), held(ticket)[stove]["horario"]) == (2, "quinta às 14h")
    slot = TicketState.objects.get(ticket=ticket).slots[f"/items/{stove}/horario"]
    assert (slot["source"], slot["evidence"][0]["message"]) == ("customer", "m-1")
    wrong.refresh_from_db()
    assert (wrong.status, wrong.version) == ("rejected", 2)
    told = text(pane(ana, ticket, "history"))
    assert f"{FRIDGE} · Horário da visita" in told
    assert f"É de “{STOVE}”." in told
    assert act(ana, address, **sent).status_code == 200  # pressed twice: the first answer (V4)
    assert (at(ticket), ProposedChange.objects.filter(ticket=ticket).count()) == (2, 6)
    act(ana, f"/tickets/{ticket.pk}/undo", version=2, expected_version=2)  # one version, one undo
    assert "horario" not in held(ticket)[stove]
    assert ProposedChange.objects.filter(ticket=ticket, path__endswith="/horario", status="pending").count() == 2


def test_what_its_card_did_not_say_stays_as_a_card_of_the_other_group(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows)
    world.say(ticket, appliances.MOVED)
    (wrong,) = world.propose(ticket, change(rows[3].path, "Rua da Aurora, 5", ("m-2", "Rua da Aurora, 5")))
    fridge = rows[0].path.split("/")[2]
    sent = {"expected_version": 1, "value": "Rua da Aurora, 5", "group": fridge}
    answer = act(ana, f"/tickets/{ticket.pk}/changes/{wrong.pk}/edit", **sent)
    assert headings(answer, 3) == [f"{FRIDGE} · Endereço da visita"]
    assert f"{FRIDGE} · Horário da visita: quinta às 14h" in text(answer)  # it would fall
    assert held(ticket)[fridge]["endereco"] == "Rua do Sol, 22"


def test_a_new_group_that_is_there_already_is_taken_for_it_at_once(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    again = world.propose(
        ticket,
        change("/items/new-1/aparelho", "Geladeira Consul", ("m-1", "geladeira Consul")),
        change("/items/new-1/horario", "quinta às 14h", ("m-1", "quinta às 14h")),
    )
    fridge = rows[0].path.split("/")[2]
    sent = {"expected_version": 1, "group": fridge, "change": [str(row.pk) for row in again]}
    assert act(ana, f"/tickets/{ticket.pk}/regroup", **sent).status_code == 200
    assert held(ticket) == {fridge: {"aparelho": "Geladeira Consul", "horario": "quinta às 14h"}}
    sent |= {"expected_version": 2, "change": [str(rows[1].pk)], "group": "i-77"}
    assert act(ana, f"/tickets/{ticket.pk}/regroup", **sent).status_code == 400


def test_an_own_word_for_a_new_group_is_a_statement(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    sent = {"expected_version": 0, "value": "fogão de embutir", "group": "-", "own": "1"}
    act(ana, f"/tickets/{ticket.pk}/changes/{rows[1].pk}/edit", **sent)
    assert (at(ticket), list(held(ticket).values())) == (2, [{"aparelho": "fogão de embutir"}])
    (pointer,) = TicketState.objects.get(ticket=ticket).slots
    assert pointer not in {row.path for row in rows}


def test_selected_words_are_recorded_in_a_group_or_begin_one(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    page = ana.get(f"/tickets/{ticket.pk}/")
    offered = {option.label for option in page.context["page"].cite_targets}
    assert {f"{FRIDGE} · Horário da visita", "novo: Aparelho · Modelo"} <= offered
    words = {"message": "m-1", "quote": "fogão Dako", "value": "fogão Dako", "path": "/items/-/aparelho"}
    sent = act(ana, f"/tickets/{ticket.pk}/set", expected_version=1, pane="state", **words)
    assert STOVE in headings(sent, 2)
    slots = TicketState.objects.get(ticket=ticket).slots
    assert [slot["source"] for pointer, slot in slots.items() if pointer.endswith("/aparelho")] == ["customer", "customer"]


def test_what_names_a_group_and_is_sensitive_is_not_told_but_opened(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    admin = Membership.objects.get(organization_id=world.ana.organization_id, role="admin")
    hidden = appliances.document()
    hidden["fields"] = hidden["fields"] | {appliances.NAME: hidden["fields"][appliances.NAME] | {"sensitive": True}}
    ticket_types.publish_ticket_type(member=admin, document=hidden)
    shown = pane(ana, ticket, "state")
    assert "Aparelho 1" in headings(shown, 2)
    assert "geladeira Consul" not in text(shown)
    opened = act(ana, f"/tickets/{ticket.pk}/open", path=rows[0].path, pane="state")
    assert "geladeira Consul" in text(opened)
    assert "Aparelho 1" in headings(opened, 2)


def test_what_closing_and_merging_would_leave_is_told_under_its_group(world: World, ana: Client) -> None:
    ticket, _rows = appliances.two(world)
    assert f"Não decidido {FRIDGE} · Modelo: geladeira Consul" in text(ana.get(f"/tickets/{ticket.pk}/closing"))
    other = world.ticket("Outro")
    Ticket.objects.filter(pk=other.pk).update(customer=ticket.customer)
    assert f"{STOVE} · Modelo fogão Dako" in text(ana.get(f"/tickets/{ticket.pk}/merge?into={other.protocol}"))


def test_a_groups_field_that_the_type_has_no_more_keeps_its_label_and_stays_hidden(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows)
    admin = Membership.objects.get(organization_id=world.ana.organization_id, role="admin")
    document = appliances.document()
    rest = {pointer: row for pointer, row in document["fields"].items() if pointer not in (appliances.WHEN, appliances.WHERE)}
    where = document["fields"][appliances.WHERE] | {"invalidates": []}
    secret = document["fields"][appliances.WHEN] | {"sensitive": True}
    for fields in ({**rest, appliances.WHERE: where, appliances.WHEN: secret}, rest):
        ticket_types.publish_ticket_type(member=admin, document={**document, "fields": fields})
    for shown in (
        pane(ana, ticket, "history"),
        ask(ana, f"/tickets/{ticket.pk}/memory", pane="history", **{"from": 0, "to": 1}),
    ):
        assert f"{FRIDGE} · Endereço da visita" in text(shown)
        assert "Rua do Sol, 22" in text(shown)
        assert f"{FRIDGE} · Horário da visita" in text(shown)
        assert "quinta às 14h" not in text(shown)
        assert "/items/" not in text(shown)
