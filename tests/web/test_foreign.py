"""What colleagues decided meanwhile is said, and a card that one was writing in stays, with scripts and without."""

from __future__ import annotations

import pytest
from django.test import Client

from atendimento.models import ProposedChange, Ticket
from tests.support import stories
from tests.support.stories import World

SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def ticket(world: World) -> Ticket:
    return stories.recife(world)


@pytest.fixture
def row(world: World, ticket: Ticket) -> ProposedChange:
    """The place, which Rui has accepted since the page was drawn."""
    rows = stories.correction(world, ticket)
    world.accept(rows[:1], world.rui)
    return rows[0]


@pytest.mark.parametrize("headers", [SCRIPT, {}], ids=["script", "form"])
def test_an_edit_that_comes_too_late_keeps_its_text_and_can_be_recorded(
    world: World, ana: Client, ticket: Ticket, row: ProposedChange, headers: dict[str, str]
) -> None:
    here = f"/tickets/{ticket.pk}/"
    answer = ana.post(f"{here}changes/{row.pk}/edit", {"value": "Casa Forte", "expected_version": "1"}, headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Rui Prado aceitou isto às" in page
    assert "O que vale agora: “Madalena”" in page
    assert 'value="Casa Forte"' in page
    assert f'name="change" value="{row.pk}"' in page
    form = {"value": "Casa Forte", "path": "/facts/bairro", "change": str(row.pk), "expected_version": "2"}
    done = ana.post(f"{here}set", form, headers={**headers, "Lastro-Keep": f"ch-{row.pk}"})
    assert done.status_code == (200 if headers else 302)
    world.enter()
    ticket.refresh_from_db()
    assert ticket.state_version == 3
    assert "Rui Prado aceitou isto" not in done.content.decode()


def test_a_correction_may_rest_on_the_quotes_of_the_card(
    world: World, ana: Client, ticket: Ticket, row: ProposedChange
) -> None:
    form = {"value": "casa da minha mãe", "path": "/facts/bairro", "change": str(row.pk), "expected_version": "2", "same": "1"}
    ana.post(f"/tickets/{ticket.pk}/set", form, headers=SCRIPT)
    world.enter()
    made = ProposedChange.objects.filter(ticket=ticket, path="/facts/bairro").latest("id")
    assert [item["message"] for item in made.citations] == ["m-4"]
    assert made.value == "casa da minha mãe"


def test_a_refresh_says_what_others_did_since_and_keeps_the_cards_that_are_named(
    world: World, ana: Client, ticket: Ticket, row: ProposedChange
) -> None:
    address = f"/tickets/{ticket.pk}/memory"
    known = {**SCRIPT, "Lastro-Seen": "1", "Lastro-Keep": f"ch-{row.pk} ch-nonsense sl-x"}
    page = ana.get(address, headers=known).content.decode()
    assert 'data-told="Rui Prado aceitou: Bairro da visita → Madalena (a confirmar agora: Horário)"' in page
    assert f'id="ch-{row.pk}"' in page
    page = ana.get(address, headers={**SCRIPT, "Lastro-Seen": "2"}).content.decode()
    assert 'data-told=""' in page
    assert f'id="ch-{row.pk}"' not in page


def test_what_i_did_myself_is_not_told_to_me(world: World, ana: Client, ticket: Ticket) -> None:
    world.accept(stories.correction(world, ticket)[:1], world.ana)
    page = ana.get(f"/tickets/{ticket.pk}/memory", headers={**SCRIPT, "Lastro-Seen": "1"}).content.decode()
    assert 'data-told=""' in page
