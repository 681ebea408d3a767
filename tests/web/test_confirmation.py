"""A question drafted by one key, and the customer's yes that comes back as a change ready to accept."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from structlog.testing import capture_logs

from atendimento.actions import messages, slots
from atendimento.models import Origin, Proposal, ProposedChange, Ticket
from atendimento.selectors import reading
from memoria.patch import MISSING
from memoria.state import SlotStatus
from tests.support import stories
from tests.support.asking import act, ask, text
from tests.support.stories import World, change

HOUR = "/facts/horario"


@pytest.fixture
def ticket(world: World) -> Ticket:
    """Madalena holds; the hour, a tool's word, awaits confirmation."""
    made = stories.recife(world)
    world.accept(stories.correction(world, made)[:1])
    return made


def reply(world: World, ticket: Ticket, words: str, *, internal: bool = False) -> None:
    messages.write_reply(member=world.ana, ticket_id=ticket.pk, text=words, internal=internal)


def answers(ticket: Ticket) -> list[ProposedChange]:
    return list(ProposedChange.objects.filter(ticket=ticket, proposal__origin=Origin.RULE, status="pending"))


def version(ticket: Ticket) -> int:
    ticket.refresh_from_db()
    return ticket.state_version


def test_the_drafted_question_names_the_value_so_that_a_yes_answers_it(world: World, ana: Client, ticket: Ticket) -> None:
    (card,) = ask(ana, f"/tickets/{ticket.pk}/memory").context["memory"].confirms
    (draft,) = card.drafts
    assert draft.text == "Só confirmando: horário, quinta às 14h?"
    reply(world, ticket, draft.text)
    world.say(ticket, "sim 👍")
    (row,) = answers(ticket)
    number = ticket.messages.count()
    assert [item["message"] for item in row.citations] == [f"m-{number}", f"m-{number - 1}"]
    assert (row.path, row.value, row.proposal.producer) == (HOUR, "quinta às 14h", "rule:confirmation")
    page = text(ask(ana, f"/tickets/{ticket.pk}/memory"))
    assert f"Helena disse sim em m-{number} ao que se perguntou em m-{number - 1} ." in page
    assert "Só confirmando: horário, quinta às 14h?" in page


def test_one_key_confirms_the_value_on_both_quotes_whoevers_word_it_was(world: World, ana: Client, ticket: Ticket) -> None:
    reply(world, ticket, "Só confirmando: horário, quinta às 14h?")
    world.say(ticket, "isso")
    (row,) = answers(ticket)
    (card,) = [one for one in ask(ana, f"/tickets/{ticket.pk}/memory").context["memory"].changes if one.by_rule]
    assert card.accept_label == "Confirmar"
    assert act(ana, card.urls.accept, expected_version=version(ticket)).status_code == 200
    slot = reading.current_state(ticket.pk).slots[HOUR]
    assert (slot.status, slot.source) == (SlotStatus.CURRENT, "tool")
    assert {item.quote for item in slot.evidence} >= {"isso", "Só confirmando: horário, quinta às 14h?"}
    assert slot.confirmed is not None
    assert (slot.confirmed.ground, slot.confirmed.by.name) == ("evidence", "Ana Lima")
    row.refresh_from_db()
    assert row.status == "superseded"
    assert act(ana, card.urls.accept, expected_version=version(ticket)).status_code == 409


def test_words_for_another_value_confirm_nothing(world: World, ana: Client, ticket: Ticket) -> None:
    message = world.say(ticket, "melhor sexta às 9h")
    (row,) = world.propose(ticket, change(HOUR, "sexta às 9h", (message.ref, "sexta às 9h")))
    refused = act(ana, reverse("web:answer", args=[ticket.pk, row.pk]), expected_version=version(ticket))
    assert refused.status_code == 409
    assert reading.current_state(ticket.pk).slots[HOUR].status is SlotStatus.NEEDS_CONFIRMATION
    row.refresh_from_db()
    assert row.status == "pending"


@pytest.mark.parametrize(
    ("question", "answer", "why"),
    [
        ("Só confirmando: horário, quinta às 14h?", "sim, mas às 15h", "more than a yes"),
        ("Só confirmando: horário, quinta às 14h?", "não", "a no"),
        ("Fica quinta às 14h.", "sim", "nobody asked"),
        ("Madalena?", "sim", "it holds already"),
    ],
)
def test_what_is_no_plain_yes_to_a_question_proposes_nothing(
    world: World, ticket: Ticket, question: str, answer: str, why: str
) -> None:
    reply(world, ticket, question)
    world.say(ticket, answer)
    assert answers(ticket) == [], why


def test_a_yes_that_cannot_be_proposed_costs_nobody_the_message(world: World, ana: Client, ticket: Ticket) -> None:
    (card,) = ask(ana, f"/tickets/{ticket.pk}/memory").context["memory"].confirms
    reply(world, ticket, card.drafts[0].text)
    number = ticket.messages.count() + 1
    # What the rule would store is there already, so that storing it fails.
    fields = {"origin": Origin.RULE, "producer": "rule:confirmation", "key": f"m-{number}", "status": "ready"}
    organization = world.ana.organization
    Proposal.objects.create(ticket=ticket, organization=organization, base_version=0, created_at=timezone.now(), **fields)
    with capture_logs() as logs:
        world.say(ticket, "sim")
    assert ticket.messages.get(number=number).text == "sim"
    assert answers(ticket) == []
    assert [entry["error"] for entry in logs if entry["event"] == "answer not read"] == ["IntegrityError"]
    world.say(ticket, "e obrigada")
    assert ticket.messages.count() == number + 1


def test_a_note_asks_nobody_and_an_absence_note_answers_nothing(world: World, ticket: Ticket) -> None:
    reply(world, ticket, "Só confirmando: horário, quinta às 14h?", internal=True)
    world.say(ticket, "sim")
    assert answers(ticket) == []
    reply(world, ticket, "Só confirmando: horário, quinta às 14h?")
    world.say(ticket, "sim", automatic=True)
    assert answers(ticket) == []


def test_a_customers_own_value_comes_back_as_a_change_too_and_a_side_of_a_divergence_as_one(world: World) -> None:
    ticket = stories.divergence(world)
    slot = reading.current_state(ticket.pk).slots["/facts/endereco"]
    theirs = slot.challengers[0].value
    reply(world, ticket, f"Só confirmando: endereço, {theirs}?")
    world.say(ticket, "sim")
    (row,) = answers(ticket)
    assert (row.path, row.value, row.verdict) == ("/facts/endereco", theirs, "conflict")


def test_a_withdrawn_value_is_asked_for_by_its_name(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro na Madalena")
    world.accept(world.propose(ticket, change("/facts/bairro", "Madalena", ("m-1", "Madalena"))))
    slots.set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/bairro", value=MISSING, expected_version=version(ticket))
    groups = ask(ana, f"/tickets/{ticket.pk}/memory", pane="state").context["memory"].groups
    (row,) = [row for group in groups for row in group.rows if row.pointer == "/facts/bairro"]
    assert [draft.text for draft in row.drafts] == ["Você pode nos dizer: bairro da visita?"]


def test_it_is_worded_in_english_too(ana: Client, ticket: Ticket) -> None:
    ana.post("/look", {"language": "en"})
    (card,) = ask(ana, f"/tickets/{ticket.pk}/memory").context["memory"].confirms
    assert card.drafts[0].text == "Just to confirm: horário, quinta às 14h?"
