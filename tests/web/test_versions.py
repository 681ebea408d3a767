"""Going through a ticket's past without a script: any two versions side by side, and a state with its words lit."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.models import Ticket
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.stories import World, change


@pytest.fixture
def corrected(world: World) -> Ticket:
    """Version 1 as it began, version 2 with the place corrected."""
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    return ticket


def test_any_two_versions_are_compared_by_their_address(corrected: Ticket, ana: Client) -> None:
    response = ana.get(f"/tickets/{corrected.pk}/", {"pane": "history", "from": "1", "to": "2"})
    words = text(response)
    assert "O que difere entre a versão 1 e a versão 2" in words
    assert "Bairro da visita v1 Boa Viagem vigente · cliente moro em Boa Viagem Helena · m-1" in words
    assert "v2 Madalena vigente · cliente O aparelho está na casa da minha mãe, na Madalena" in words
    assert "Horário v1 quinta às 14h vigente" in words
    assert "v2 quinta às 14h precisa confirmar" in words
    rows = response.context["page"].memory.past.comparison.rows
    assert [row.label for row in rows] == ["Bairro da visita", "Horário"]


def test_it_goes_both_ways_and_from_nothing(corrected: Ticket, ana: Client) -> None:
    back = ask(ana, f"/tickets/{corrected.pk}/memory", **{"pane": "history", "from": 2, "to": 1}).context["memory"]
    assert back.past.comparison.rows[0].before.value == "Madalena"
    assert back.past.comparison.rows[0].after.value == "Boa Viagem"
    start = ask(ana, f"/tickets/{corrected.pk}/memory", **{"pane": "history", "from": 0, "to": 1})
    assert {row.before for row in start.context["memory"].past.comparison.rows} == {None}
    assert start.context["memory"].past.comparison.rows[0].label == "Objetivo atual"
    same = ask(ana, f"/tickets/{corrected.pk}/memory", **{"pane": "history", "from": 2, "to": 2})
    assert "Nada difere." in text(same)


def test_a_comparison_survives_a_refresh_of_the_pane(corrected: Ticket, ana: Client) -> None:
    body = ask(ana, f"/tickets/{corrected.pk}/memory", **{"pane": "history", "from": 1, "to": 2}).content.decode()
    assert "pane=history&amp;from=1&amp;to=2" in body


@pytest.mark.parametrize(
    ("first", "second"), [("1", "9"), ("9", "1"), ("99999999999", "1"), ("-1", "1"), ("x", "1"), ("1", "")]
)
def test_what_cannot_be_compared_breaks_nothing(corrected: Ticket, ana: Client, first: str, second: str) -> None:
    response = ana.get(f"/tickets/{corrected.pk}/", {"pane": "history", "from": first, "to": second})
    assert response.status_code == 200
    assert response.context["page"].memory.past.comparison is None
    assert ("Uma destas versões não existe" in text(response)) == (first.isdecimal() and second.isdecimal() and len(first) < 11)


def test_the_controls_are_forms_that_need_no_script(corrected: Ticket, ana: Client) -> None:
    history = ana.get(f"/tickets/{corrected.pk}/", {"pane": "history"}).content.decode()
    assert '<select id="compare-from" name="from">' in history
    assert 'value="1"' in history
    state = ana.get(f"/tickets/{corrected.pk}/", {"pane": "state", "version": "1"})
    body = state.content.decode()
    assert 'type="range"' in body
    assert '<label for="version">Estado na versão</label>' in body
    past = state.context["page"].memory.past
    assert (past.shown, past.newest) == (1, 2)
    assert (past.previous_url[-1], past.next_url[-1]) == ("0", "2")
    assert ana.get(past.previous_url).status_code == 200
    empty = ana.get(ana.get(past.previous_url).context["page"].memory.past.next_url)
    assert empty.context["page"].memory.shown_version == 1


def test_the_words_that_a_past_state_rests_on_are_lit(world: World, corrected: Ticket, ana: Client) -> None:
    def lit(**query: str) -> list[str]:
        messages = ana.get(f"/tickets/{corrected.pk}/", query).context["page"].transcript.messages
        return [part.text for row in messages for part in row.segments if part.mark == "state" and "Bairro" in part.title]

    assert lit(pane="state") == ["na casa da minha mãe, na Madalena"]
    assert lit(pane="state", version="1") == ["moro em Boa Viagem"]
    assert lit(pane="state", version="0") == []
    page = ana.get(f"/tickets/{corrected.pk}/", {"pane": "state", "version": "1"}).context["page"]
    assert [part for row in page.transcript.messages for part in row.segments if part.mark == "proposed"] == []
    assert page.transcript.window_url.endswith("messages?version=1")
    window = ask(ana, f"/tickets/{corrected.pk}/messages", around=1, version=1).context["transcript"]
    assert "moro em Boa Viagem" in [part.text for row in window.messages for part in row.segments if part.mark == "state"]
    assert ask(ana, f"/tickets/{corrected.pk}/messages", around=1, version=9).status_code == 404


def test_a_long_history_offers_its_newest_versions_and_the_chosen_ones(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "uma geladeira " * 3)
    for number in range(104):
        asked = change("/pending/-", {"question": f"{number}?"}, ("m-1", "geladeira uma"))
        world.accept(world.propose(ticket, asked))
    past = ana.get(f"/tickets/{ticket.pk}/", {"pane": "history", "from": "2", "to": "104"}).context["page"].memory.past
    offered = [int(option.value) for option in past.first_options]
    assert offered == [*range(104, 4, -1), 2, 0]
    assert [option.value for option in past.first_options if option.selected] == ["2"]


def test_another_organisation_compares_nothing(corrected: Ticket, stranger: Client) -> None:
    assert stranger.get(f"/tickets/{corrected.pk}/", {"pane": "history", "from": "1", "to": "2"}).status_code == 404


def test_the_history_of_one_field_has_its_versions_alone(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[1:2])  # the time of day
    world.accept(rows[:1])  # the place, with which the time falls

    def versions(pointer: str) -> list[int]:
        memory = ana.get(f"/tickets/{ticket.pk}/", {"pane": "history", "field": pointer}).context["page"].memory
        return [row.version for row in memory.history]

    assert versions("/facts/bairro") == [3, 1]
    assert versions("/facts/horario") == [3, 1]
    assert versions("/preferences/periodo") == [2, 1]
    assert versions("/facts/nada") == []
    words = text(ana.get(f"/tickets/{ticket.pk}/", {"pane": "history", "field": "/facts/bairro"}))
    assert "Só o que tocou em “Bairro da visita”" in words
    memory = ana.get(f"/tickets/{ticket.pk}/", {"pane": "history", "field": "/facts/bairro"}).context["page"].memory
    assert [{line.label for line in row.lines} for row in memory.history] == [{"Bairro da visita"}] * 2
    assert [len(row.others) for row in memory.history] == [1, 5]
    assert "5 outros valores nesta versão" in words
    assert "field=/facts/bairro" in ana.get(f"/tickets/{ticket.pk}/", {"pane": "state"}).content.decode()


@pytest.mark.parametrize("field", ["x", "~", "/facts/~2"])
def test_a_history_of_what_is_no_pointer_is_the_whole_history(world: World, ana: Client, field: str) -> None:
    ticket = stories.recife(world)
    page = ana.get(f"/tickets/{ticket.pk}/", {"pane": "history", "field": field}).context["page"]
    assert (page.memory.history_of, [row.version for row in page.memory.history]) == ("", [1])


def test_the_history_says_what_held_at_each_version_not_what_holds_now(world: World, ana: Client) -> None:
    """A value that fell in version 2 and was corrected in version 3: its line in version 2 stays as it was."""
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[:1])
    world.say(ticket, "então fica na quarta às 15h")
    world.accept(world.propose(ticket, change("/facts/horario", "quarta às 15h", ("m-7", "quarta às 15h"))))
    for query in ({}, {"field": "/facts/horario"}, {"before": "3"}):
        memory = ask(ana, f"/tickets/{ticket.pk}/memory", pane="history", **query).context["memory"]
        fallen = {row.version: [(line.label, line.new) for line in row.lines] for row in memory.history}[2]
        assert ("Horário", "quinta às 14h") in fallen
    ana.cookies["lastro_events"] = "on"
    shown = ana.get(f"/tickets/{ticket.pk}/").context["page"].transcript.messages
    told = [line.told for message in shown for line in message.after if line.version == 2]
    assert len(told) == 1
    assert "Horário: quinta às 14h (a confirmar)" in told[0]
