"""A reply is checked while it is written and once more when it is sent; what it promises can be recorded with it."""

from __future__ import annotations

import uuid
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from atendimento.models import Draft, Message, Ticket
from atendimento.selectors import reading
from memoria.next_step import unfinished
from tests.support import stories
from tests.support.asking import act, text
from tests.support.stories import World


@pytest.fixture
def ticket(world: World) -> Ticket:
    """The visit in Recife, corrected: Madalena holds, Boa Viagem no longer, the hour awaits confirmation."""
    made = stories.recife(world)
    world.accept(stories.correction(world, made)[:1])
    return made


def sent(ticket: Ticket) -> int:
    return Message.objects.filter(ticket=ticket, author_kind="agent").count()


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        ("Técnico em Boa Viagem.", "Boa Viagem “Bairro da visita” foi corrigido: agora é “Madalena”.", "em divergência"),
        ("Fica quinta às 14h.", "“Horário” precisa de confirmação.", "foi corrigido"),
        ("Consultei a agenda.", "Compromisso c-1 “consultar a agenda” não está concluído: solicitado.", "Nenhum compromisso"),
        ("Te ligo amanhã às 15h.", "Nenhum compromisso registra isto. Prazo: ", "não é dia útil"),
        ("Fica quinta às 14h?", "", "Horário"),
        ("Bom dia, Helena!", "", "compromisso"),
    ],
)
def test_what_is_found_while_writing(ana: Client, ticket: Ticket, words: str, right: str, wrong: str) -> None:
    answer = text(act(ana, f"/tickets/{ticket.pk}/check", text=words, kind="reply"))
    assert right in answer
    assert wrong not in answer
    assert "Ainda não registrada" not in answer


def test_a_note_is_checked_by_nobody(ana: Client, ticket: Ticket) -> None:
    assert text(act(ana, f"/tickets/{ticket.pk}/check", text="Boa Viagem", kind="note")) == ""
    before = sent(ticket)
    assert act(ana, f"/tickets/{ticket.pk}/reply", text="Era em Boa Viagem", kind="note").status_code == 200
    assert sent(ticket) == before + 1


def test_what_a_rule_finds_holds_the_reply_once_and_keeps_what_was_written(ana: Client, ticket: Ticket) -> None:
    address, words, before = f"/tickets/{ticket.pk}/reply", "Técnico em Boa Viagem.", sent(ticket)
    act(ana, f"/tickets/{ticket.pk}/draft", text=words, kind="reply")
    held = act(ana, address, text=words, kind="reply", send="reply")
    assert held.status_code == 409
    assert held.context["composer"].text == words
    assert "Ainda não registrada. Veja isto antes, ou registre mesmo assim." in text(held)
    assert (sent(ticket), Draft.objects.count()) == (before, 1)
    shown = held.context["composer"].check.digest
    # All the same is said of the words that were shown, and of no others.
    assert act(ana, address, text=words + " Quinta às 14h.", kind="reply", checked=shown).status_code == 409
    assert act(ana, address, text=words, kind="reply", checked=shown).status_code == 200
    assert (sent(ticket), Draft.objects.count()) == (before + 1, 0)


def test_without_scripts_the_whole_page_asks_once_more(ana: Client, ticket: Ticket) -> None:
    address, words = f"/tickets/{ticket.pk}/reply", "Técnico em Boa Viagem."
    held = ana.post(address, {"text": words, "kind": "reply"})
    assert held.status_code == 409
    assert "Registrar mesmo assim" in text(held)
    again = ana.post(address, {"text": words, "kind": "reply", "checked": held.context["page"].composer.check.digest})
    assert again.status_code == 302


def test_a_promise_is_recorded_with_its_reply_and_rests_on_its_words(world: World, ana: Client, ticket: Ticket) -> None:
    words = "Oi, Helena. Te ligo amanhã às 15h!"
    seen = act(ana, f"/tickets/{ticket.pk}/check", text=words, kind="reply")
    assert "Registrar o compromisso “ligar” com a resposta" in text(seen)
    promised = seen.context["check"].promised
    answer = act(ana, f"/tickets/{ticket.pk}/reply", text=words, kind="reply", send="record", promised=promised)
    assert answer.status_code == 200
    assert "Desfazer" in text(answer)
    state = reading.current_state(ticket.pk)
    pointer, member = list(unfinished(state))[-1]
    tomorrow = timezone.localdate(timezone=ZoneInfo("America/Recife")) + timedelta(days=1)
    assert (member["task"], member["owner"], member["due_text"]) == ("ligar", "team", "amanhã às 15h")
    assert member["due"] == f"{tomorrow.isoformat()}T15:00:00-03:00"
    quoted = state.slots[pointer].evidence[0]
    assert (quoted.quote, state.slots[pointer].source) == ("Te ligo amanhã às 15h", "agent")
    assert quoted.message == Message.objects.filter(ticket=ticket).order_by("number").last().ref  # type: ignore[union-attr]
    # What is recorded is no longer asked for.
    assert "Nenhum compromisso" not in text(act(ana, f"/tickets/{ticket.pk}/check", text=words, kind="reply"))


def test_recording_the_promise_does_not_let_other_findings_pass_unseen(ana: Client, ticket: Ticket) -> None:
    words, before = "Te ligo amanhã às 15h. Técnico em Boa Viagem.", sent(ticket)
    held = act(ana, f"/tickets/{ticket.pk}/reply", text=words, kind="reply", send="record")
    assert (held.status_code, sent(ticket)) == (409, before)
    shown = held.context["composer"].check
    again = {"text": words, "kind": "reply", "send": "record", "checked": shown.digest, "promised": shown.promised}
    assert act(ana, f"/tickets/{ticket.pk}/reply", **again).status_code == 200
    assert len(list(unfinished(reading.current_state(ticket.pk)))) == 2


def test_only_the_promise_that_the_button_named_is_recorded(ana: Client, ticket: Ticket) -> None:
    address, before = f"/tickets/{ticket.pk}/reply", sent(ticket)
    named = act(ana, f"/tickets/{ticket.pk}/check", text="Te ligo amanhã às 15h.", kind="reply").context["check"].promised
    for words in ("Te ligo amanhã às 15h. Te mando a nota hoje às 18h.", "Bom dia, Helena!"):
        held = act(ana, address, text=words, kind="reply", send="record", promised=named)
        assert (held.status_code, held.context["composer"].text) == (409, words)
    assert sent(ticket) == before


@pytest.mark.parametrize("kind", ["reply", "note"])
def test_pressed_twice_it_is_sent_once(ana: Client, ticket: Ticket, kind: str) -> None:
    address, before, key = f"/tickets/{ticket.pk}/reply", sent(ticket), str(uuid.uuid4())
    for _press in range(2):
        assert act(ana, address, text="Bom dia!", kind=kind, key=key).status_code == 200
    assert sent(ticket) == before + 1
    assert act(ana, address, text="Bom dia!", kind=kind, key=str(uuid.uuid4())).status_code == 200
    assert sent(ticket) == before + 2, "said again in a form of its own, it is said again"


def test_a_promise_pressed_twice_is_recorded_once(ana: Client, ticket: Ticket) -> None:
    words, before = "Te ligo amanhã às 15h.", sent(ticket)
    named = act(ana, f"/tickets/{ticket.pk}/check", text=words, kind="reply").context["check"].promised
    form = {"text": words, "kind": "reply", "send": "record", "promised": named, "key": str(uuid.uuid4())}
    for _press in range(2):
        assert act(ana, f"/tickets/{ticket.pk}/reply", **form).status_code == 200
    assert (sent(ticket), len(list(unfinished(reading.current_state(ticket.pk))))) == (before + 1, 2)


def test_unread_messages_are_told_and_hold_nothing(world: World, ana: Client, ticket: Ticket) -> None:
    world.say(ticket, "na verdade mudei de ideia")
    number = Message.objects.filter(ticket=ticket).count()
    answer = text(act(ana, f"/tickets/{ticket.pk}/check", text="Bom dia!", kind="reply"))
    assert f"m-{number}" in answer
    assert "ainda não lida" in answer
    assert act(ana, f"/tickets/{ticket.pk}/reply", text="Bom dia!", kind="reply").status_code == 200


def test_another_organisations_reply_is_checked_by_nobody(stranger: Client, ticket: Ticket) -> None:
    assert act(stranger, f"/tickets/{ticket.pk}/check", text="Boa Viagem", kind="reply").status_code == 404
