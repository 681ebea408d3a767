"""Ways in which reviews went wrong elsewhere: two acts on one change, old pages, and more to decide than a page holds."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.models import LedgerEvent, Message, ProposedChange, Ticket, TicketState
from tests.support import stories
from tests.support.asking import act, text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

# Two acts on the same change, each from the page as it was before either: who, what, with which form, and what the
# second is answered. The first always wins; the second never writes over it, and is told who was first.
A, R, E = "accept", "reject", "edit"
TWICE: list[tuple[str, tuple[str, str], tuple[str, str], int, str, int]] = [
    # RU-01 a, b: the same person twice, by a double click or by Back: the first result, no error page
    ("a double click", ("ana", A), ("ana", A), 200, "Madalena", 2),
    ("a double rejection", ("ana", R), ("ana", R), 200, "Boa Viagem", 2),
    ("the same edit twice", ("ana", E), ("ana", E), 200, "Casa Forte", 2),
    # RU-01 c: two acts against each other: one wins
    ("accept, then reject", ("ana", A), ("rui", R), 409, "Madalena", 2),
    ("reject, then accept", ("ana", R), ("rui", A), 409, "Boa Viagem", 2),
    # RU-02: from the old page of somebody else
    ("a colleague's edit, then accept", ("rui", E), ("ana", A), 409, "Casa Forte", 2),
    ("a colleague's accept, then edit", ("rui", A), ("ana", E), 409, "Madalena", 2),
    ("a colleague's rejection, then edit", ("rui", R), ("ana", E), 409, "Boa Viagem", 2),
    # what is decided alike by two people is decided once
    ("two accept", ("ana", A), ("rui", A), 200, "Madalena", 2),
]


@pytest.mark.parametrize(
    ("first", "second", "status", "place", "version"), [row[1:] for row in TWICE], ids=[row[0] for row in TWICE]
)
def test_two_acts_on_one_change_make_one_event(
    world: World,
    sign_in: SignIn,
    first: tuple[str, str],
    second: tuple[str, str],
    status: int,
    place: str,
    version: int,
) -> None:
    ticket = stories.recife(world)
    row = stories.correction(world, ticket)[0]
    people = {"ana": sign_in(world.ana), "rui": sign_in(world.rui)}
    form: dict[str, dict[str, Any]] = {A: {}, R: {"reason": "Valor errado"}, E: {"value": "Casa Forte"}}

    def press(who: str, what: str) -> Any:
        return act(people[who], f"/tickets/{ticket.pk}/changes/{row.pk}/{what}", expected_version=1, **form[what])

    assert press(*first).status_code == 200
    answer = press(*second)
    assert answer.status_code == status
    if status == 409:
        winner = {"ana": "Ana Lima", "rui": "Rui Prado"}[first[0]]
        assert winner in text(answer), "it says who decided before"
    state = TicketState.objects.get(ticket=ticket)
    assert (state.values["facts"]["bairro"], state.version) == (place, version)
    assert LedgerEvent.objects.filter(ticket=ticket).count() == version


# RU-08: a long conversation with more to decide than anybody sees at once


@pytest.fixture
def crowded(world: World) -> Ticket:
    ticket = world.ticket("Muitas mensagens")
    world.many(ticket, [f"pergunta {index}" for index in range(1, 5001)])
    for first in (1, 101, 201):
        world.propose(
            ticket,
            *(
                change("/pending/-", {"question": f"Pergunta {index}?"}, (f"m-{index}", f"pergunta {index}"))
                for index in range(first, first + 100)
            ),
        )
    return ticket


def test_the_first_page_holds_a_bounded_number_of_messages_and_changes(ana: Client, crowded: Ticket) -> None:
    page = ana.get(f"/tickets/{crowded.pk}/").context["page"]
    assert (len(page.memory.changes), page.memory.waiting, page.memory.to_decide) == (60, 240, 300)
    assert len(page.transcript.messages) == 100
    assert page.memory.changes[16].quotes[0].message == "m-17"
    assert "mais 240 propostas" in text(ana.get(f"/tickets/{crowded.pk}/")).lower()


def test_a_cited_message_is_brought_without_all_between(ana: Client, crowded: Ticket) -> None:
    window = ana.get(f"/tickets/{crowded.pk}/messages?around=17", headers={"HX-Request": "true"}).context["transcript"]
    assert (window.first, window.last) == (1, 100)
    (marked,) = [view for view in window.messages if view.number == 17]
    change_id = next(row.pk for row in ProposedChange.objects.filter(ticket=crowded) if row.value["question"] == "Pergunta 17?")
    assert [(part.text, part.mark, part.refs) for part in marked.segments] == [("pergunta 17", "proposed", f"ch-{change_id}")]
    assert Message.objects.filter(ticket=crowded).count() == 5000


def test_the_next_changes_come_as_the_first_are_decided(ana: Client, crowded: Ticket) -> None:
    memory = ana.get(f"/tickets/{crowded.pk}/").context["page"].memory
    data = {"expected_version": 0, "accept": list(memory.bulk_ids)}
    after = act(ana, f"/tickets/{crowded.pk}/decide", **data)
    assert after.status_code == 200
    memory = after.context["memory"]
    assert (len(memory.changes), memory.waiting) == (60, 180)
