"""Moving what is proposed to the group that it is about: whose words it stays, what goes along, what a second press says."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.models import ProposedChange, TicketState
from atendimento.selectors import grouping, reading
from tests.support import appliances
from tests.support.asking import act, ask, text
from tests.support.stories import World, change
from tests.web.test_groups import at, held


def test_a_move_that_edits_says_who_edited(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:2])
    wrong, stove = rows[4], rows[1].path.split("/")[2]
    sent = {"expected_version": 1, "value": "quinta às 15h", "group": stove}
    address = f"/tickets/{ticket.pk}/changes/{wrong.pk}/edit"
    for _ in range(2):
        assert act(ana, address, **sent).status_code == 200
    slot = TicketState.objects.get(ticket=ticket).slots[f"/items/{stove}/horario"]
    assert (held(ticket)[stove]["horario"], slot["source"], slot["edited_by"]["name"]) == (
        "quinta às 15h",
        "customer",
        "Ana Lima",
    )
    moved = ProposedChange.objects.get(ticket=ticket, path=f"/items/{stove}/horario")
    assert (moved.value, moved.status, at(ticket)) == ("quinta às 14h", "edited", 2)


@pytest.mark.parametrize("new", [True, False])
def test_an_own_word_is_stated_once_however_often_the_button_is_pressed(world: World, ana: Client, new: bool) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[1:2])
    sent = {"expected_version": 1, "value": "às 16h", "group": "-" if new else rows[1].path.split("/")[2], "own": "1"}
    for _ in range(2):
        assert act(ana, f"/tickets/{ticket.pk}/changes/{rows[4].pk}/edit", **sent).status_code == 200
    times = [one["horario"] for one in held(ticket).values() if "horario" in one]
    assert (at(ticket), times) == (3, ["às 16h"])
    other = act(ana, f"/tickets/{ticket.pk}/changes/{rows[4].pk}/edit", **{**sent, "value": "às 17h"})
    assert (other.status_code, at(ticket)) == (409, 3)


@pytest.mark.parametrize("how", ["there", "new", "own", "part"])
def test_what_applies_to_a_group_that_is_moved_goes_along(world: World, ana: Client, how: str) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    fridge, stove = (row.path.split("/")[2] for row in rows[:2])
    again = world.propose(
        ticket,
        change("/items/new-1/endereco", "Rua das Flores, 10", ("m-1", "Rua das Flores, 10")),
        change("/constraints/-", {"text": "quinta", "applies_to": ["/items/new-1/horario"]}, ("m-1", "quinta")),
        *([change("/items/new-1/horario", "quinta às 14h", ("m-1", "quinta às 14h"))] if how == "part" else []),
    )
    sent = {"expected_version": 1, "value": "Rua das Flores, 10", "group": "-" if how in ("new", "own") else stove}
    if how == "own":
        sent |= {"own": "1", "value": "Rua do Meio"}
    for _ in range(2):
        assert act(ana, f"/tickets/{ticket.pk}/changes/{again[0].pk}/edit", **sent).status_code == 200
    (waiting,) = ProposedChange.objects.filter(ticket=ticket, path="/constraints/-", status="pending")
    (target,) = waiting.value["applies_to"]
    taken = {"there": stove, "part": again[0].path.split("/")[2]}.get(how) or next(one for one in held(ticket) if one != fridge)
    assert target == f"/items/{taken}/horario"


def test_what_is_no_change_of_the_ticket_is_not_moved(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    other, _rows = appliances.two(world)
    for ticket_, named in ((ticket, "abc"), (ticket, ticket.pk), (other, rows[1].pk)):
        sent = {"expected_version": 0, "group": "-", "change": [str(named)]}
        assert act(ana, f"/tickets/{ticket_.pk}/regroup", **sent).status_code == 404


def test_a_move_that_was_undone_can_be_made_again(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:2])
    wrong, stove = rows[4], rows[1].path.split("/")[2]
    move = f"/tickets/{ticket.pk}/changes/{wrong.pk}/edit"
    sent = {"value": "quinta às 14h", "group": stove}
    act(ana, move, expected_version=1, **sent)
    act(ana, f"/tickets/{ticket.pk}/undo", version=2, expected_version=2)
    copy = ProposedChange.objects.get(ticket=ticket, path=f"/items/{stove}/horario")
    act(ana, f"/tickets/{ticket.pk}/changes/{copy.pk}/reject")
    for _ in range(2):
        assert act(ana, move, expected_version=4, **sent).status_code == 200
        assert (held(ticket)[stove]["horario"], at(ticket)) == ("quinta às 14h", 5)


def test_what_was_rejected_meanwhile_is_not_moved(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:2])
    wrong, stove = rows[4], rows[1].path.split("/")[2]
    act(ana, f"/tickets/{ticket.pk}/changes/{wrong.pk}/reject")
    sent = {"expected_version": 2, "value": "quinta às 14h", "group": stove}
    assert act(ana, f"/tickets/{ticket.pk}/changes/{wrong.pk}/edit", **sent).status_code == 409
    assert not ProposedChange.objects.filter(ticket=ticket, path=f"/items/{stove}/horario").exists()


def test_a_card_offers_a_few_of_the_groups_that_are_only_proposed(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows[:1])
    many = [change("/items/-/aparelho", f"fogão {number}", ("m-1", "fogão Dako")) for number in range(40)]
    last = world.propose(ticket, *many)[-1]
    state, ticket_type = reading.standing(ticket.pk)
    called = grouping.names(ticket_type, state, ProposedChange.objects.filter(ticket=ticket, status="pending"))
    control = grouping.choice(last, ticket_type, state, called)
    assert control is not None
    assert [option.label for option in control.options if option.selected] == ["Aparelho: fogão 39"]
    assert control.options[0].value == rows[0].path.split("/")[2]
    assert len(control.options) == 1 + grouping.PROPOSED_OFFERED + 2  # the one that there is, its own, and a new one


def test_a_prohibition_says_when_its_group_is_not_there(world: World, ana: Client) -> None:
    ticket, rows = appliances.two(world)
    rule = {"text": "quinta", "applies_to": [rows[0].path.replace("aparelho", "horario")]}
    world.propose(ticket, change("/constraints/-", rule, ("m-1", "quinta")))
    told = "Vale para algo que este atendimento não tem."
    assert told not in text(ask(ana, f"/tickets/{ticket.pk}/memory", pane="decide"))
    act(ana, f"/tickets/{ticket.pk}/changes/{rows[2].pk}/reject")
    act(ana, f"/tickets/{ticket.pk}/changes/{rows[4].pk}/reject")
    assert told not in text(act(ana, f"/tickets/{ticket.pk}/changes/{rows[3].pk}/reject"))
    assert told in text(act(ana, f"/tickets/{ticket.pk}/changes/{rows[0].pk}/reject"))
    act(ana, f"/tickets/{ticket.pk}/undo", version=4, expected_version=4)
    assert told not in text(ask(ana, f"/tickets/{ticket.pk}/memory", pane="decide"))
