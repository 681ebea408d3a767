"""The queue: saved views with counts, filters in the address, pages by key, one organisation alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from atendimento.actions.tickets import update_ticket
from atendimento.selectors.queue import Filters, queue
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import ask
from tests.support.stories import World, change


def titles(response: Any) -> list[str]:
    return [row.title for row in response.context["queue"].rows]


def counts(response: Any) -> dict[str, int]:
    return {view.key: view.count for view in response.context["queue"].views}


@pytest.fixture
def mixed(world: World) -> World:
    """One ticket to decide, one with a divergence, one to confirm, one overdue, one of Ana's that waits for nothing."""
    decide = world.ticket("A decidir")
    world.say(decide, "uso geladeira")
    world.propose(decide, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    stories.divergence(world)
    stale = stories.recife(world)
    world.accept(stories.correction(world, stale)[:1])
    late = world.ticket("Retorno prometido")
    world.say(late, "retorno ontem", "agent", "Ana")
    due = (timezone.localdate() - timedelta(days=2)).isoformat()
    promise = {"task": "retornar", "owner": "team", "due": due}
    world.accept(world.propose(late, change("/commitments/-", promise, ("m-1", "retorno ontem"))))
    mine = world.ticket("Da Ana")
    update_ticket(member=world.ana, ticket_id=mine.pk, assignee="me")
    return world


def test_every_view_counts_and_lists_its_tickets(mixed: World, ana: Client) -> None:
    response = ana.get("/")
    found = counts(response)
    assert found["conflicts"] == found["confirm"] == found["overdue"] == found["mine"] == 1
    assert (found["decide"], found["unowned"], found["all"], found["failed"], found["snoozed"]) == (2, 4, 5, 0, 0)
    assert "A decidir" in titles(response)
    assert titles(ana.get("/", {"view": "conflicts"})) == ["Endereço diverge do cadastro"]
    assert titles(ana.get("/", {"view": "overdue"})) == ["Retorno prometido"]
    assert titles(ana.get("/", {"view": "confirm"})) == ["Visita da geladeira"]
    assert titles(ana.get("/", {"view": "mine"})) == ["Da Ana"]


@pytest.mark.parametrize(
    "asked", [{"view": "nonsense"}, {"after": "x"}, {"after": "2026-01-01_x"}, {"q": "\0"}, {"type": "x"}, {"type": "\0"}]
)
def test_nonsense_in_the_address_breaks_nothing(mixed: World, ana: Client, asked: dict[str, str]) -> None:
    assert ana.get("/", asked).status_code == 200


@pytest.mark.parametrize("moment", ["2026-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+14:00"])
def test_a_page_s_key_that_somebody_wrote_themselves_breaks_nothing(ana: Client, moment: str) -> None:
    assert ana.get("/", {"after": f"{moment}_00000000-0000-7000-8000-000000000001"}).status_code == 200


def test_pages_follow_each_other_by_key_without_gap_or_repetition(world: World, ana: Client) -> None:
    for index in range(35):
        world.ticket(f"Atendimento {index:02}")
    first = ana.get("/", {"view": "all"})
    second = ask(ana, first.context["queue"].next_url)
    assert len(titles(first)) == 30
    assert sorted([*titles(first), *titles(second)]) == [f"Atendimento {index:02}" for index in range(35)]
    assert second.context["queue"].next_url == ""


def test_a_ticket_keeps_the_place_in_the_queue(mixed: World, ana: Client) -> None:
    row = ana.get("/", {"view": "overdue"}).context["queue"].rows[0]
    page = ana.get(row.url)
    assert [view.key for view in page.context["page"].queue.views if view.current] == ["overdue"]
    assert [one.current for one in page.context["page"].queue.rows] == [True]


def test_the_queue_alone_is_a_fragment(mixed: World, ana: Client) -> None:
    body = ask(ana, "/", part="queue").content.decode()
    assert body.lstrip().startswith("<nav")
    assert "<html" not in body


def test_other_organisations_have_their_own(mixed: World, stranger: Client) -> None:
    response = stranger.get("/", {"view": "all"})
    assert titles(response) == []
    assert counts(response)["all"] == 0


def test_the_queries_do_not_grow_with_the_tickets(world: World) -> None:
    member, counted = world.ana, []
    for many in (1, 12):
        for index in range(many):
            world.ticket(f"Mais um {index}")
        counted.append(queries_of(lambda: queue(member, Filters("all"))))
    assert counted[0] == counted[1]
