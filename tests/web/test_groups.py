"""Fields that repeat in a ticket, in the console: cards, the state, recording by hand, moving to the right group."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from atendimento.models import ProposedChange, Ticket
from tests.support import appliances
from tests.support.asking import act, ask, text
from tests.support.stories import World, change

FRIDGE, STOVE = "Aparelho: geladeira Consul", "Aparelho: fogão Dako"


def pane(browser: Client, ticket: Ticket, which: str, **more: Any) -> Any:
    return ask(browser, f"/tickets/{ticket.pk}/memory", pane=which, **more)


def at(ticket: Ticket) -> int:
    return Ticket.objects.values_list("state_version", flat=True).get(pk=ticket.pk)


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
    assert text(shown).count("novo: Aparelho") == 5
    first = [str(row.pk) for row in rows if row.path.startswith(rows[0].path.rsplit("/", 1)[0])]
    act(ana, f"/tickets/{ticket.pk}/decide", expected_version=0, accept=first)
    after = pane(ana, ticket, "decide")
    assert headings(after, 3) == [STOVE, f"{STOVE} · Modelo", f"{STOVE} · Endereço da visita"]
    assert headings(pane(ana, ticket, "state"), 2)[:4] == ["Estado", "Objetivo", "Fatos", FRIDGE]


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
    sections = {one: words for one, words in zip(headings(shown, 2), re.split(r"<h2", shown.content.decode())[1:], strict=True)}
    assert "quinta às 14h" in sections[FRIDGE] and "precisa confirmar" in sections[FRIDGE]
    assert "Rua das Flores, 10" in sections[STOVE] and "precisa confirmar" not in sections[STOVE]
    assert "novo: Aparelho Modelo" in text(shown)
    answer = act(
        ana,
        f"/tickets/{ticket.pk}/set",
        path="/items/-/aparelho",
        expected_version=at(ticket),
        value="micro-ondas",
        pane="state",
    )
    assert answer.status_code == 200 and "Aparelho: micro-ondas" in headings(answer, 2)
    assert "novo: Aparelho Modelo" not in text(answer)  # the type takes three
    assert ProposedChange.objects.filter(ticket=ticket, status="pending").count() == 0
