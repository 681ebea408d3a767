"""What colleagues decided meanwhile is said, and a card that one was writing in stays, with scripts and without."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.actions import decisions, slots
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


def test_an_arrow_leads_to_what_holds_and_to_nothing_else(world: World, ana: Client, ticket: Ticket) -> None:
    """What was rejected was only proposed; what fell along was given nothing."""
    rows = stories.correction(world, ticket)
    world.accept(rows[:1], world.rui)
    slots.confirm_slot(member=world.rui, ticket_id=ticket.pk, path="/facts/horario", expected_version=2)
    decisions.reject_change(member=world.rui, ticket_id=ticket.pk, change_id=rows[3].pk, reason="ainda não")
    page = ana.get(f"/tickets/{ticket.pk}/memory", headers={**SCRIPT, "Lastro-Seen": "1"}).content.decode()
    assert "Rui Prado rejeitou: Orçamento: 350 (só proposto)" in page
    assert "Horário → quinta às 14h" in page
    assert "Bairro da visita → Madalena (a confirmar agora: Horário)" in page


def test_what_i_did_myself_is_not_told_to_me(world: World, ana: Client, ticket: Ticket) -> None:
    world.accept(stories.correction(world, ticket)[:1], world.ana)
    page = ana.get(f"/tickets/{ticket.pk}/memory", headers={**SCRIPT, "Lastro-Seen": "1"}).content.decode()
    assert 'data-told=""' in page


@pytest.mark.parametrize("kind", ["confirm", "resolve"])
def test_a_value_that_a_colleague_settled_stays_with_what_was_typed_and_can_be_recorded(
    world: World, ana: Client, kind: str
) -> None:
    """The time that the new place put in doubt, and an address at odds with the registry's."""
    if kind == "confirm":
        ticket, path, key = stories.recife(world), "/facts/horario", "sl-facts-horario"
        world.accept(stories.correction(world, ticket)[:1])
        typed = {"ground": "message", "message": "m-3", "quote": "quinta"}
    else:
        ticket, path, key = stories.divergence(world), "/facts/endereco", "sl-facts-endereco"
        typed = {"choice": "open", "reason": "ela vai conferir"}
    ticket.refresh_from_db()
    seen = ticket.state_version
    if kind == "confirm":
        slots.confirm_slot(member=world.rui, ticket_id=ticket.pk, path=path, expected_version=seen)
    else:
        given: dict[str, Any] = {"choice": "challenger", "challenger": 0, "reason": "é de agora", "expected_version": seen}
        slots.resolve_slot(member=world.silvia, ticket_id=ticket.pk, path=path, **given)
    who = {"confirm": "Rui Prado", "resolve": "Sílvia"}[kind]
    here = f"/tickets/{ticket.pk}/"
    kept = {**SCRIPT, "Lastro-Seen": str(seen), "Lastro-Keep": f"{key}:{kind}"}
    page = ana.get(f"{here}memory", headers=kept).content.decode()
    assert f'id="{key}-{kind}"' in page
    assert f"<b>{who}" in page
    assert f'id="{key}"' not in ana.get(f"{here}memory", headers=SCRIPT).content.decode()
    for headers in (kept, {}):  # what comes too late is told on the card, with scripts and without
        answer = ana.post(f"{here}{kind}", {"path": path, "expected_version": str(seen), **typed}, headers=headers)
        page = answer.content.decode()
        assert answer.status_code == 409
        assert f'id="{key}-{kind}"' in page
        assert f'value="{typed.get("reason", "quinta")}"' in page
    quoted = {}
    if kind == "resolve":  # the team's own word does not do there
        world.say(ticket, "é na Rua da Aurora, 5", name="Eva")
        quoted = {"message": "m-3", "quote": "Rua da Aurora, 5"}
    form = {"path": path, "value": "Rua da Aurora, 5", "expected_version": str(seen + 1), "reason": "conferido", **quoted}
    assert "data-kept" not in ana.post(f"{here}set", form, headers=kept).content.decode()
