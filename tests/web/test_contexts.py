"""What the model sees: pins, readings with what was left out, prompts side by side, a checked summary."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from structlog.testing import capture_logs

from atendimento import ledger
from atendimento.actions import contexts, runs
from atendimento.actions.faults import InvalidInput
from atendimento.actions.question import Held, question
from atendimento.models import BriefReading, Membership, Message, MessagePin, PromptText, Proposal, RunStatus, Ticket
from memoria.instructions import PROMPT_VERSION, instructions
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

SECRET = "o portão é o azul,\nao lado da padaria “Sol”"


def held(ticket: Ticket) -> Held:
    return Held(ticket, ledger.current_state(ticket.pk), ledger.published_type(ticket.ticket_type_id))


def asked(world: World, ticket: Ticket) -> Any:
    """The document that the model would be sent now."""
    row = Proposal(organization=world.ana.organization, ticket=ticket, created_by=world.ana, through_message=10**6)
    found = question(row, world.ana.organization, held(ticket))
    assert found is not None
    return json.loads(found.request.user)


def talk(world: World, ticket: Ticket, number: int = 30) -> None:
    for index in range(number):
        world.say(ticket, f"mensagem {index}: alguma novidade do meu caso, por favor?")
    Message.objects.filter(ticket=ticket).update(awaits_reading=False)


def test_a_pinned_message_goes_letter_by_letter_into_every_question_however_old_it_is(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, SECRET)
    talk(world, ticket)
    assert "pinned" not in asked(world, ticket)

    answer = ana.post(f"/tickets/{ticket.pk}/context", {"message": "m-1", "words": ""})
    world.enter()
    assert answer.status_code == 302
    assert [row["text"] for row in asked(world, ticket)["pinned"]] == [SECRET]
    assert [row["id"] for row in asked(world, ticket)["pinned"]] == ["m-1"]

    # Words that were selected in the conversation stand in the form already.
    form = ana.get(f"/tickets/{ticket.pk}/context", {"message": "m-2", "words": "alguma novidade"}).content.decode()
    assert 'value="m-2"' in form
    assert ">alguma novidade</textarea>" in form
    page = text(ana.get(f"/tickets/{ticket.pk}/context"))
    assert "fixado por Ana Lima" in page
    assert "ao lado da padaria “Sol”" in page
    world.enter()
    ana.post(f"/tickets/{ticket.pk}/context/{MessagePin.objects.get().pk}/unpin")
    world.enter()
    assert "pinned" not in asked(world, ticket)


def test_a_passage_is_pinned_alone_until_its_message_is_edited(world: World) -> None:
    ticket = world.ticket()
    message = world.say(ticket, "Bom dia. O código é AB-77. Obrigada.")
    talk(world, ticket, 12)
    contexts.pin(member=world.ana, ticket_id=ticket.pk, message="m-1", words="O código é AB-77.")
    assert [row["text"] for row in asked(world, ticket)["pinned"]] == ["O código é AB-77."]
    message.text, message.edited_at = "O código é AB-78.", datetime.now(UTC) + timedelta(seconds=1)
    message.save(update_fields=["text", "edited_at"])
    assert [row["text"] for row in asked(world, ticket)["pinned"]] == ["O código é AB-78."]


def test_pinning_the_same_again_changes_nothing_and_what_cannot_be_pinned_says_why(world: World, ana: Client) -> None:
    ticket, other = world.ticket(), world.ticket()
    world.say(ticket, "Moro em Torre")
    first = contexts.pin(member=world.ana, ticket_id=ticket.pk, message="m-1")
    assert contexts.pin(member=world.silvia, ticket_id=ticket.pk, message=" m-1 ").pk == first.pk
    for where, message, words, code in [
        (ticket, "m-9", "", "pin.unknown_message"),
        (other, "m-1", "", "pin.unknown_message"),
        (ticket, "primeira", "", "pin.unknown_message"),
        (ticket, "m-1", "Madalena", "pin.not_in_message"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            contexts.pin(member=world.ana, ticket_id=where.pk, message=message, words=words)
        assert refused.value.faults[0].code == code
    answer = ana.post(f"/tickets/{ticket.pk}/context", {"message": "m-1", "words": "Madalena"})
    assert answer.status_code == 400
    assert "não estão na mensagem" in text(answer)


def test_no_more_is_pinned_than_every_question_can_carry(world: World) -> None:
    ticket = world.ticket()
    world.say(ticket, "x" * (contexts.MOST_PINNED - 10))
    world.say(ticket, "curta, e mais de dez letras")
    contexts.pin(member=world.ana, ticket_id=ticket.pk, message="m-1")
    with pytest.raises(InvalidInput):
        contexts.pin(member=world.ana, ticket_id=ticket.pk, message="m-2")


def test_a_question_that_leaves_something_out_is_an_event_that_names_it_and_tells_no_words(world: World) -> None:
    ticket = world.ticket()
    talk(world, ticket, 20)
    world.say(ticket, "palavra secreta. " * 3000)
    row = runs.request_proposal(member=world.ana, ticket_id=ticket.pk)
    row.through_message = 21
    with capture_logs() as logs:
        assert question(row, world.ana.organization, held(ticket)) is not None
    (event,) = [entry for entry in logs if entry["event"] == "left out of a question"]
    assert event["ticket"] == str(ticket.pk)
    assert {"layer": "new", "what": "m-21 on", "why": "next run"} in event["cuts"] or any(
        cut["layer"] == "new" and cut["what"].startswith("m-") for cut in event["cuts"]
    )
    assert "secreta" not in json.dumps(logs, default=str)


def test_the_readings_tell_layer_by_layer_what_went_in_what_was_left_out_and_what_it_cost(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "Moro em Torre")
    now = datetime.now(UTC)
    Proposal.objects.create(
        organization=world.ana.organization,
        ticket=ticket,
        origin="model",
        producer="model",
        status=RunStatus.READY,
        created_at=now,
        finished_at=now,
        through_message=1,
        model="modelo-de-teste",
        prompt_version="extraction-9",
        usage={"prompt_tokens": 900, "completion_tokens": 10, "cached_tokens": 0, "cost": 0.0123},
        raw_answer={"body": "{}", "moment": (now - timedelta(seconds=3.2)).isoformat()},
        context_report={
            "layers": [
                {"name": "pinned", "tokens": 12, "included": 1, "left_out": []},
                {"name": "recent", "tokens": 40, "included": 2, "left_out": [{"what": "6 before", "why": "older"}]},
                {
                    "name": "state",
                    "tokens": 9,
                    "included": 1,
                    "left_out": [{"what": "trocar a placa (done)", "why": "settled"}],
                },
            ],
            "total_tokens": 910,
        },
    )
    words = text(ana.get(f"/tickets/{ticket.pk}/context"))
    for told in (
        "modelo-de-teste",
        "extraction-9",
        "910 tokens",
        "USD 0,0123",
        "levou 3,2 s",
        "fixado",
        "mais 6 (",
        "trocar a placa (concluído)",
    ):
        assert told in words, words[-900:]


# --- prompts ------------------------------------------------------------------------------------------------------


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    return sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))


def test_prompts_are_read_and_compared_by_version(world: World, adm: Client) -> None:
    now = datetime.now(UTC)
    PromptText.objects.create(version="extraction-0", language="pt-br", text="linha um\nlinha dois", first_used_at=now)
    language = world.ana.organization.language
    PromptText.objects.update(language=language)
    words = text(adm.get("/admin/model/prompts/"))
    assert PROMPT_VERSION in words
    assert instructions(language).split("\n")[0] in words
    body = adm.get("/admin/model/prompts/", {"shown": PROMPT_VERSION, "against": "extraction-0"}).content.decode()
    assert "<del>- linha um</del>" in body
    assert "<ins>+ " in body
    assert adm.get("/admin/model/prompts/", {"shown": "extraction-77"}).status_code == 404


# --- the summary --------------------------------------------------------------------------------------------------


def test_a_summary_that_was_read_and_checked_says_by_whom_and_whether_something_came_since(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    brief = ana.get(f"/tickets/{ticket.pk}/summary").context["brief"]
    shown = {"version": brief.version, "last_message": brief.last_message}
    world.enter()
    path = f"/tickets/{ticket.pk}/summary"
    assert "Li e conferi" in text(ana.get(path))
    ana.post(f"{path}/checked", shown)
    ana.post(f"{path}/checked", shown)
    world.enter()
    assert BriefReading.objects.count() == 1
    words = text(ana.get(path))
    assert "Lido e conferido por Ana Lima" in words
    assert "chegou algo depois" not in words
    world.enter()
    world.say(ticket, "Mais uma coisa")
    assert "chegou algo depois" in text(ana.get(path))
    # Signed from the page as it was before that message, it is not said of it.
    ana.post(f"{path}/checked", shown)
    world.enter()
    assert "chegou algo depois" in text(ana.get(path))


def test_the_summary_tells_the_goal_and_the_first_one_however_often_it_changed(world: World, ana: Client) -> None:
    ticket = world.ticket()
    for number, goal in enumerate(("agendar visita", "trocar a peça", "receber o dinheiro"), 1):
        world.say(ticket, f"agora quero {goal}")
        world.accept(world.propose(ticket, change("/goal", goal, (f"m-{number}", goal))))
    assert "receber o dinheiro (o primeiro foi: agendar visita)" in text(ana.get(f"/tickets/{ticket.pk}/summary"))


def test_what_has_changed_since_it_was_read_cannot_be_signed(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    world.accept(world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem"))))
    answer = ana.post(f"/tickets/{ticket.pk}/summary/checked", {"version": 0})
    world.enter()
    assert answer.status_code == 409
    assert "mudou desde então" in text(answer)
    assert not BriefReading.objects.exists()


def test_updating_the_summary_has_the_new_messages_read_now(world: World, ana: Client, settings: Any) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    ticket = world.ticket()
    world.say(ticket, "Moro em Torre")
    Ticket.objects.filter(pk=ticket.pk).update(through_message=0)
    answer = ana.post(f"/tickets/{ticket.pk}/summary/refresh")
    world.enter()
    assert (answer.status_code, answer["Location"]) == (302, f"/tickets/{ticket.pk}/summary")
    assert Proposal.objects.filter(ticket=ticket, origin="model", status=RunStatus.QUEUED).exists()
