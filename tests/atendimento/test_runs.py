"""Runs: bursts, one at a time, retries, parking, answers that survive a crash; against a real server of the protocol."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from atendimento import actions, jobs
from atendimento.actions import asking
from atendimento.actions.propose import propose_changes
from atendimento.models import EndpointMode, Message, OutboxEntry, Proposal, ProposedChange, RunStatus, Ticket
from memoria.sources import Kind
from tests import settings as test_settings
from tests.builders import House, assert_replays, say
from tests.support.model_server import ModelServer, completion

TORRE = {
    "op": "add",
    "path": "/facts/bairro",
    "value": "Torre",
    "evidence": [{"message": "m-1", "quote": "Moro em Torre"}],
    "inference": False,
    "reason": None,
}


def run(house: House, row: Proposal | None = None) -> Proposal:
    """What a worker does when a job is due; the run afterwards."""
    row = row or Proposal.objects.order_by("created_at").filter(status__in=["queued", "running"])[0]
    Proposal.objects.filter(status=RunStatus.QUEUED).update(not_before=timezone.now() - timedelta(seconds=1))
    propose_changes(organization_id=house.organization.pk, proposal_id=row.pk)
    row.refresh_from_db()
    return row


def new_messages(asked: Any) -> list[str]:
    return [item["id"] for item in json.loads(asked.body["messages"][-1]["content"])["new_messages"]]


def test_a_message_is_read_and_its_changes_wait_for_a_decision(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.answer(TORRE)

    row = run(house)

    assert (row.status, row.attempts, row.through_message) == (RunStatus.READY, 1, 1)
    assert row.usage["prompt_tokens"] == 100
    assert row.context_report["total_tokens"] > 0
    change = ProposedChange.objects.get()
    assert (change.verdict, change.status, change.value) == ("allowed", "pending", "Torre")
    ticket.refresh_from_db()
    assert (ticket.pending_count, ticket.through_message, ticket.state_version) == (1, 1, 0)
    assert not Message.objects.filter(awaits_reading=True).exists()
    assert not OutboxEntry.objects.exists()
    assert_replays(ticket)


def test_bad_changes_are_refused_one_by_one_beside_the_fine_ones(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    unknown = TORRE | {"path": "/facts/nada"}
    model_server.answer(TORRE, unknown, TORRE | {"evidence": [{"message": "m-7", "quote": "Torre"}]})

    run(house)

    codes = [row.reasons[0]["code"] for row in ProposedChange.objects.order_by("position")]
    assert codes == ["allowed.first_value", "schema.unknown_path", "evidence.unknown_message"]


def test_without_a_debounce_each_message_has_a_call(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    for text in ("um", "dois", "três"):
        say(house, ticket, text)

    while Proposal.objects.filter(status=RunStatus.QUEUED).exists():
        run(house)

    assert [new_messages(asked) for asked in model_server.chats] == [["m-1"], ["m-2"], ["m-3"]]


def test_a_job_that_found_the_ticket_taken_is_posted_when_it_is_free(house: House, ticket: Ticket) -> None:
    before = jobs.connection().llen(jobs.QUEUE)
    with asking.alone(ticket.pk):
        say(house, ticket, "Moro em Torre")  # whose job a second worker took meanwhile, and could do nothing
        assert jobs.connection().llen(jobs.QUEUE) == before
    assert jobs.connection().llen(jobs.QUEUE) == before + 1
    Proposal.objects.update(not_before=timezone.now() + timedelta(minutes=1))
    with asking.alone(ticket.pk):
        pass
    assert jobs.connection().llen(jobs.QUEUE) == before + 1


def test_a_burst_is_one_call(house: House, ticket: Ticket, model_server: ModelServer, settings: Any) -> None:
    settings.PROPOSAL_DEBOUNCE = 3
    for text in ("um", "dois", "três"):
        say(house, ticket, text)

    row = Proposal.objects.get()
    assert row.not_before is not None
    assert timedelta(seconds=2) < row.not_before - timezone.now() <= timedelta(seconds=3)
    run(house)

    assert [new_messages(asked) for asked in model_server.chats] == [["m-1", "m-2", "m-3"]]


def test_a_burst_that_does_not_end_is_read_15_seconds_after_its_first(house: House, ticket: Ticket, settings: Any) -> None:
    settings.PROPOSAL_DEBOUNCE = 3
    say(house, ticket, "um")
    Proposal.objects.update(created_at=timezone.now() - timedelta(seconds=14))
    say(house, ticket, "dois")

    row = Proposal.objects.get()
    assert row.not_before is not None
    assert row.not_before - row.created_at == timedelta(seconds=15)


def test_a_run_that_is_not_due_waits(house: House, ticket: Ticket, model_server: ModelServer, settings: Any) -> None:
    settings.PROPOSAL_DEBOUNCE = 3
    say(house, ticket, "um")

    propose_changes(organization_id=house.organization.pk, proposal_id=Proposal.objects.get().pk)

    assert model_server.chats == []
    assert Proposal.objects.get().status == RunStatus.QUEUED


@pytest.mark.parametrize("kind", [Kind.SYSTEM])
def test_what_needs_no_reading_is_owed_no_run(house: House, ticket: Ticket, kind: Kind) -> None:
    say(house, ticket, "aviso", kind)
    say(house, ticket, "Estou de férias", automatic=True)

    assert not Proposal.objects.exists()


def test_where_no_model_is_configured_nothing_is_queued_and_asking_says_so(house: House, ticket: Ticket, settings: Any) -> None:
    settings.OPENAI_BASE_URL = ""
    say(house, ticket, "oi")
    assert not Proposal.objects.exists()

    actions.request_proposal(member=house.ana, ticket_id=ticket.pk)
    row = run(house)

    assert (row.status, row.problem_code) == (RunStatus.PARKED, "model.unavailable")


def test_a_failure_is_tried_again_later_and_not_waited_for(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.fail(429, retry_after="7")

    row = run(house)

    assert (row.status, row.attempts) == (RunStatus.QUEUED, 1)
    assert row.not_before is not None
    assert timedelta(seconds=5) < row.not_before - timezone.now() <= timedelta(seconds=7.5)
    assert OutboxEntry.objects.get().due_at == row.not_before
    model_server.answer(TORRE)
    assert run(house).status == RunStatus.READY
    assert ProposedChange.objects.count() == 1


def test_after_the_last_try_it_is_parked_and_a_person_can_retry(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.fail(503, times=5)
    row = run(house)
    for _ in range(4):
        row = run(house)

    assert (row.status, row.problem_code, row.attempts) == (RunStatus.PARKED, "model.unavailable", 5)
    ticket.refresh_from_db()
    assert ticket.parked_count == 1
    assert not OutboxEntry.objects.exists()
    shown = house.api().get(f"proposals/{row.pk}").body
    assert shown["problem"] == {"code": "model.unavailable", "detail": "Não foi possível falar com o modelo."}

    model_server.answer(TORRE)
    again = house.api().post(f"tickets/{ticket.pk}/propose").body
    assert (again["id"], again["status"]) == (str(row.pk), "queued")
    assert run(house).status == RunStatus.READY
    ticket.refresh_from_db()
    assert ticket.parked_count == 0


def test_what_a_later_run_has_read_is_parked_no_more(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_MAX_TRIES = 1
    say(house, ticket, "Moro em Torre")
    model_server.fail(503)
    parked = run(house)
    say(house, ticket, "A geladeira parou")
    model_server.fail(503)
    newer = run(house)
    assert (parked.status, newer.status) == (RunStatus.PARKED, RunStatus.PARKED)

    # Asking again tries the newest: it reads what both of them did not, and none is left for a person to retry.
    model_server.answer(TORRE)
    actions.request_proposal(member=house.ana, ticket_id=ticket.pk)
    assert run(house) == newer

    assert new_messages(model_server.chats[-1]) == ["m-1", "m-2"]
    parked.refresh_from_db()
    newer.refresh_from_db()
    ticket.refresh_from_db()
    assert (parked.status, newer.status, ticket.parked_count) == (RunStatus.SUPERSEDED, RunStatus.READY, 0)


def test_a_run_that_did_not_read_so_far_leaves_the_parked_one(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_MAX_TRIES = 1
    say(house, ticket, "Moro em Torre")
    say(house, ticket, "A geladeira parou")
    first, second = Proposal.objects.order_by("created_at")
    model_server.fail(503)
    Proposal.objects.filter(pk=first.pk).update(created_at=timezone.now())  # the newer messages were tried first
    assert run(house, second).status == RunStatus.PARKED
    model_server.answer(TORRE)

    assert run(house, first).status == RunStatus.READY

    second.refresh_from_db()
    ticket.refresh_from_db()
    assert (second.status, ticket.parked_count) == (RunStatus.PARKED, 1)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (lambda server: server.refuse(), "model.refused"),
        (lambda server: server.filter(), "model.filtered"),
        (lambda server: server.say_nothing(), "model.filtered"),
        (lambda server: server.fail(401), "model.rejected_request"),
    ],
)
def test_an_answer_that_is_none_is_parked_at_once(
    house: House, ticket: Ticket, model_server: ModelServer, script: Any, code: str
) -> None:
    say(house, ticket, "Moro em Torre")
    script(model_server)

    row = run(house)

    assert (row.status, row.problem_code, len(model_server.chats)) == (RunStatus.PARKED, code, 1)


def test_an_unreadable_answer_is_repaired_once_then_parked_with_its_words(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.answer_text("isto não é JSON")
    model_server.answer_text("isto também não")

    first = run(house)
    assert (first.status, first.attempts) == (RunStatus.QUEUED, 1)
    second = run(house)

    assert (second.status, second.problem_code, second.attempts) == (RunStatus.PARKED, "model.invalid_answer", 2)
    assert "isto também não" in second.raw_answer["body"]
    assert "isto não é JSON" in model_server.chats[1].body["messages"][2]["content"]


def test_the_mode_that_a_server_takes_is_remembered(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.fail(400, message="response_format is not supported")
    run(house)
    model_server.answer(TORRE)
    run(house)

    say(house, ticket, "Mais uma coisa")
    run(house)

    forms = [asked.body.get("response_format", {}).get("type") for asked in model_server.chats]
    assert forms == ["json_schema", "json_object", "json_object"]
    assert EndpointMode.objects.get().mode == "json_object"


def test_a_message_too_long_for_one_call_is_read_to_its_end_by_the_calls_that_follow(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    text = "".join(f"Frase número {number} desta mensagem bem comprida. " for number in range(400))
    say(house, ticket, text)
    calls = 0
    while Message.objects.filter(ticket=ticket, awaits_reading=True).exists():
        calls += 1
        assert calls < 10
        run(house)
    told = [json.loads(asked.body["messages"][-1]["content"])["new_messages"] for asked in model_server.chats]
    assert len(told) == calls > 1
    assert all([row["id"] for row in rows] == ["m-1"] for rows in told)
    read = " ".join(rows[0]["text"] for rows in told)
    assert sorted(map(int, re.findall("número ([0-9]+)", read))) == list(range(400))
    assert Message.objects.get(ticket=ticket).unread is None
    assert not Proposal.objects.filter(status=RunStatus.QUEUED).exists()


def test_an_edit_has_the_whole_message_read_again(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    message = say(house, ticket, "Frase. " * 3000, external_id="w-1")
    run(house)
    assert Message.objects.get(ticket=ticket).unread
    say(house, ticket, "Moro em Torre", external_id="w-1")
    assert (Message.objects.get(ticket=ticket).unread, message) == (None, message)
    run(house)
    (row,) = json.loads(model_server.chats[-1].body["messages"][-1]["content"])["new_messages"]
    assert row["text"] == "Moro em Torre"


def test_an_answer_that_was_stored_before_a_crash_costs_no_second_call(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    row = Proposal.objects.get()
    # As a worker leaves it that died between storing the answer and using it.
    body = json.dumps(completion(json.dumps({"changes": [TORRE]})))
    row.raw_answer = {"body": body, "through": 1, "numbers": [1], "moment": timezone.now().isoformat()}
    row.status, row.attempts = RunStatus.RUNNING, 1
    row.save()

    row = run(house, row)

    assert (row.status, row.attempts, len(model_server.chats)) == (RunStatus.READY, 1, 0)
    assert ProposedChange.objects.count() == 1


def test_a_run_whose_worker_died_in_the_call_is_asked_again(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    Proposal.objects.update(status=RunStatus.RUNNING, attempts=1, through_message=1)
    model_server.answer(TORRE)

    row = run(house)

    assert (row.status, row.attempts) == (RunStatus.READY, 2)


def test_a_run_whose_worker_dies_each_time_is_parked(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    Proposal.objects.update(status=RunStatus.RUNNING, attempts=5, through_message=1)

    row = run(house)

    assert (row.status, row.problem_code, model_server.chats) == (RunStatus.PARKED, "model.unavailable", [])


def test_never_two_calls_for_one_ticket_at_a_time(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    key = int.from_bytes(ticket.pk.bytes[8:], signed=True)
    with psycopg.connect(test_settings.POSTGRES.url("lastro_app", test_settings.TEST_DATABASE)) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [key])
        assert run(house).status == RunStatus.QUEUED
    assert model_server.chats == []

    assert run(house).status == RunStatus.READY


def test_runs_of_a_ticket_go_in_their_order_whichever_is_posted(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "um")
    say(house, ticket, "dois")
    last = Proposal.objects.order_by("-created_at")[0]

    run(house, last)

    assert [new_messages(asked) for asked in model_server.chats] == [["m-1"]]
    assert run(house, last).status == RunStatus.READY


def test_an_edit_during_the_call_is_read_by_the_next_run(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre", external_id="z")
    body = json.dumps(completion('{"changes": []}'))
    # The answer is about the words as they were when it was asked for.
    asked = {"body": body, "through": 1, "numbers": [1], "moment": timezone.now().isoformat()}
    Proposal.objects.update(status=RunStatus.RUNNING, attempts=1, through_message=1, raw_answer=asked)
    say(house, ticket, "Moro em Pina", external_id="z")

    assert [run(house).status, run(house).status] == [RunStatus.READY, RunStatus.READY]

    assert [new_messages(asked) for asked in model_server.chats] == [["m-1"]]
    assert "Moro em Pina" in model_server.chats[0].body["messages"][-1]["content"]


def test_a_run_for_an_edit_that_was_read_already_asks_nothing(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre", external_id="z")
    say(house, ticket, "Moro em Pina", external_id="z")

    assert [run(house).status, run(house).status] == [RunStatus.READY, RunStatus.SUPERSEDED]
    assert len(model_server.chats) == 1


def test_asking_again_with_nothing_new_reads_the_newest_messages(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    run(house)
    actions.request_proposal(member=house.ana, ticket_id=ticket.pk)
    model_server.answer(TORRE)

    assert run(house).status == RunStatus.READY
    assert [new_messages(asked) for asked in model_server.chats] == [["m-1"], ["m-1"]]


def test_the_sweep_posts_what_was_never_posted_and_what_was_lost(house: House, ticket: Ticket, servers: None) -> None:
    say(house, ticket, "Moro em Torre")
    moment = timezone.now()
    assert jobs.sweep(moment) == 1  # owed, and the commit that would have posted it never came
    assert jobs.sweep(moment) == 0
    assert jobs.sweep(moment + timedelta(seconds=14)) == 0
    assert jobs.sweep(moment + timedelta(seconds=16)) == 1


def test_what_waits_in_a_long_queue_is_not_taken_for_lost(house: House, ticket: Ticket, servers: None) -> None:
    say(house, ticket, "Moro em Torre")
    moment = timezone.now()
    assert jobs.sweep(moment) == 1
    jobs.connection().lpush(jobs.QUEUE, *["busy"] * 500)
    assert jobs.sweep(moment + timedelta(seconds=16)) == 0
    assert jobs.sweep(moment + timedelta(minutes=11)) == 1  # that long, it is
    say(house, ticket, "Mais uma coisa")
    assert jobs.sweep(moment + timedelta(minutes=11)) == 1  # never posted


def test_the_queue_is_where_the_workers_look(house: House, ticket: Ticket, servers: None) -> None:
    say(house, ticket, "Moro em Torre")
    before = jobs.connection().llen(jobs.QUEUE)
    assert jobs.sweep(timezone.now()) == 1
    assert jobs.connection().llen(jobs.QUEUE) == before + 1


def test_a_job_that_is_settled_is_swept_away(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    row = run(house)
    jobs.owe(jobs.PROPOSE, row.pk, house.organization.pk, timezone.now(), timezone.now())

    run(house, row)

    assert not OutboxEntry.objects.exists()
    assert len(model_server.chats) == 1


def test_the_model_is_told_what_was_rejected_and_why_and_the_same_words_do_not_bring_it_back(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.answer(TORRE)
    run(house)
    change = ProposedChange.objects.get()
    house.api().post(f"changes/{change.pk}/reject", {"reason": "é o bairro da filha"})

    # The same words, and a model that takes no notice.
    say(house, ticket, "Mais uma coisa")
    model_server.answer(TORRE)
    row = run(house)

    told = json.loads(model_server.chats[1].body["messages"][-1]["content"])["rejected"]
    assert told == [{"path": "/facts/bairro", "value": "Torre", "why": "é o bairro da filha"}]
    again = ProposedChange.objects.get(proposal=row)
    assert (again.status, again.reasons[0]["code"]) == ("refused", "change.previously_rejected")
    ticket.refresh_from_db()
    assert ticket.pending_count == 0

    # Taken back, it is told no more.
    version = Ticket.objects.get(pk=ticket.pk).state_version
    house.api().post(f"tickets/{ticket.pk}/undo", {"version": version, "expected_version": version, "reason": "engano"})
    say(house, ticket, "E outra")
    run(house)
    assert "rejected" not in json.loads(model_server.chats[2].body["messages"][-1]["content"])


def test_an_answer_is_judged_by_the_state_as_it_is_when_it_comes(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    """The state moved during the call: what was asked about version 0 is judged at version 1, and says so."""
    say(house, ticket, "Moro em Torre")
    body = json.dumps(completion(json.dumps({"changes": [TORRE]})))
    kept = {"body": body, "through": 1, "numbers": [1], "moment": timezone.now().isoformat()}
    Proposal.objects.update(status=RunStatus.RUNNING, attempts=1, through_message=1, raw_answer=kept)
    answer = house.api().post(
        f"tickets/{ticket.pk}/slots/set",
        {"path": "/facts/bairro", "value": "Pina", "expected_version": 0, "reason": "telefone"},
    )
    assert answer.status == 200

    row = run(house)

    change = ProposedChange.objects.get()
    assert (row.base_version, Ticket.objects.get(pk=ticket.pk).state_version) == (0, 1)
    assert (change.status, change.reasons[0]["code"]) == (
        "refused",
        "evidence.older_than_current",
    ) or change.verdict == "conflict"
    assert change.current_value == "Pina"
