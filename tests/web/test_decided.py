"""The answer to a decision brings what it changed, and the pane is then what asking for the whole of it would bring."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from atendimento.models import ProposedChange, Ticket
from tests.support import stories
from tests.support.asking import act, text
from tests.support.patching import patched, tree
from tests.support.stories import World, change

SCRIPT = {"HX-Request": "true"}


def pane(browser: Client, ticket: Ticket) -> str:
    return browser.get(f"/tickets/{ticket.pk}/memory?pane=decide", headers=SCRIPT).content.decode()


def at(ticket: Ticket) -> int:
    return Ticket.objects.values_list("state_version", flat=True).get(pk=ticket.pk)


def address(row: ProposedChange, what: str) -> str:
    return f"/tickets/{row.ticket_id}/changes/{row.pk}/{what}"


def told(browser: Client, row: ProposedChange, what: str, **given: object) -> tuple[str, object, object]:
    """The answer, the pane with its parts put in, and the pane as it is when asked for whole."""
    before = pane(browser, row.ticket)
    answer = act(browser, address(row, what), expected_version=at(row.ticket), **given)
    assert answer.status_code == 200
    body = answer.content.decode()
    assert body.lstrip().startswith("<hx-partial")
    return body, patched(before, body).plain(), tree(pane(browser, row.ticket)).plain()


@pytest.fixture
def ticket(world: World) -> Ticket:
    return stories.recife(world)


@pytest.fixture
def rows(world: World, ticket: Ticket) -> list[ProposedChange]:
    return stories.correction(world, ticket)


def _plain(world: World, ticket: Ticket, _rows: list[ProposedChange]) -> ProposedChange:
    return world.propose(ticket, change("/facts/sintoma", "não gela", ("m-1", "minha geladeira")))[0]


def _with_cascade(_world: World, _ticket: Ticket, rows: list[ProposedChange]) -> ProposedChange:
    return rows[0]


def _anew(world: World, ticket: Ticket) -> ProposedChange:
    number = world.say(ticket, "consulta concluída: sexta 9h livre", "tool", "Agenda").number
    return world.propose(ticket, change("/facts/horario", "sexta às 9h", (f"m-{number}", "sexta 9h livre")))[0]


def _which_others_show(world: World, ticket: Ticket, _rows: list[ProposedChange]) -> ProposedChange:
    return _anew(world, ticket)  # the correction's card shows the value that would fall with it


def _which_makes_another_moot(world: World, ticket: Ticket, _rows: list[ProposedChange]) -> ProposedChange:
    first = world.propose(ticket, change("/facts/sintoma", "não gela", ("m-1", "minha geladeira")))[0]
    world.propose(ticket, change("/facts/sintoma", "não gela", ("m-1", "geladeira")), producer="outro")
    return first


def _beside_a_value_that_waits(world: World, ticket: Ticket, rows: list[ProposedChange]) -> ProposedChange:
    world.accept(rows[:1])
    return _anew(world, ticket)


@pytest.mark.parametrize(
    "which",
    [_plain, _with_cascade, _which_others_show, _which_makes_another_moot, _beside_a_value_that_waits],
    ids=lambda one: one.__name__.strip("_"),
)
@pytest.mark.parametrize("what", ["accept", "reject"])
def test_the_parts_put_in_are_the_whole_pane(
    which: Callable[[World, Ticket, list[ProposedChange]], ProposedChange],
    what: str,
    world: World,
    ana: Client,
    ticket: Ticket,
    rows: list[ProposedChange],
) -> None:
    row = which(world, ticket, rows)
    body, put_in, whole = told(ana, row, what)
    assert put_in == whole
    assert f'hx-target="#ch-{row.pk}" hx-swap="delete"' in body
    assert "data-toast" in body


def test_a_member_is_told_by_its_words_and_not_by_its_id(world: World, ana: Client, ticket: Ticket) -> None:
    asked = {"question": "Qual a marca da geladeira?"}
    (row,) = world.propose(ticket, change("/pending/-", asked, ("m-1", "minha geladeira")))
    answer = act(ana, address(row, "accept"), expected_version=at(ticket))
    assert "Aceito: Pendência “Qual a marca da geladeira?”" in text(answer)


def test_an_edit_is_answered_the_same_way(ana: Client, rows: list[ProposedChange]) -> None:
    _body, put_in, whole = told(ana, rows[0], "edit", value="Madalena, Recife")
    assert put_in == whole


def test_a_plain_acceptance_brings_no_card(world: World, ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    body, _put_in, _whole = told(ana, _plain(world, ticket, rows), "accept")
    assert "data-card" not in body.replace("data-cards", "")


def test_who_has_not_seen_what_others_did_gets_the_whole_pane(
    world: World, ana: Client, ticket: Ticket, rows: list[ProposedChange]
) -> None:
    seen = at(ticket)
    world.accept(rows[1:2], world.rui)
    answer = act(ana, address(rows[0], "accept"), expected_version=seen)
    assert answer.status_code == 200
    assert answer.content.decode().lstrip().startswith("<section")


def test_the_last_decision_brings_the_pane_that_says_so(world: World, ana: Client, ticket: Ticket) -> None:
    (row,) = world.propose(ticket, change("/facts/sintoma", "não gela", ("m-1", "minha geladeira")))
    answer = act(ana, address(row, "accept"), expected_version=at(ticket))
    assert answer.content.decode().lstrip().startswith("<section")
    assert "Nada a decidir" in text(answer)


def test_a_change_of_another_ticket_is_not_there(world: World, ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    other = stories.divergence(world)
    for what in ("accept", "reject"):
        answer = act(ana, f"/tickets/{other.pk}/changes/{rows[0].pk}/{what}", expected_version=at(other))
        assert answer.status_code == 404
