"""What a card offers beside its decision: a question to the customer, a note to a supervisor, and what the model saw."""

from __future__ import annotations

import html

from django.test import Client

from tests.support import stories
from tests.support.asking import act, text
from tests.support.stories import World, change


def test_a_divergence_words_a_question_and_a_note_that_only_the_person_sends(world: World, ana: Client) -> None:
    ticket = world.ticket("Endereço")
    world.say(ticket, "Rua das Flores, 10", kind="registry", name="Cadastro")
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua das Flores, 10", ("m-1", "Rua das Flores, 10"))))
    world.say(ticket, "Agora é Rua do Sol, 22")
    world.propose(ticket, change("/facts/endereco", "Rua do Sol, 22", ("m-2", "Rua do Sol, 22")))
    page = ana.get(f"/tickets/{ticket.pk}/")
    question, note = page.context["page"].memory.changes[0].drafts
    assert (question.label, question.kind) == ("Pedir ao cliente", "reply")
    assert question.text == "Qual resposta vale para “Endereço”: “Rua das Flores, 10” ou “Rua do Sol, 22”?"
    checked = act(ana, f"/tickets/{ticket.pk}/check", text=question.text, kind="reply")
    assert {item.code for item in checked.context["check"].findings} <= {"unread"}  # it does not warn of its own words
    assert (note.label, note.kind) == ("Encaminhar ao supervisor", "note")
    assert "“Rua das Flores, 10” (cadastro) × “Rua do Sol, 22” (cliente)" in note.text
    assert f'data-compose="{html.escape(question.text)}"' in page.content.decode()


def test_what_the_model_saw_is_told_on_its_proposals(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    assert ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes[0].saw is None
    proposal = rows[0].proposal
    left = [{"what": "m-1", "why": "budget"}]
    layers = [
        {"name": "state", "tokens": 40, "included": 3, "left_out": []},
        {"name": "new", "tokens": 1200, "included": 2, "left_out": left},
    ]
    proposal.context_report = {"layers": layers, "total_tokens": 12400}
    proposal.model, proposal.prompt_version, proposal.through_message = "modelo-de-teste", "p-7", 4
    proposal.save(update_fields=["context_report", "model", "prompt_version", "through_message"])
    words = text(ana.get(f"/tickets/{ticket.pk}/"))
    assert "O que o modelo viu modelo-de-teste · instruções p-7" in words
    assert "leu até m-4 · 12.400 tokens" in words
    assert "mensagens novas 1.200 tokens ficou de fora: m-1 (sem espaço)" in words
