"""Rebuilding (H5): the stored state against its log, and a new reading of the messages beside what holds."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from atendimento import actions
from atendimento.actions.rebuilds import rebuild_from_log, retry_rereading, start_rereading
from atendimento.actions.rereading import read_on
from atendimento.models import (
    Message,
    Origin,
    OutboxEntry,
    Proposal,
    ProposedChange,
    Rebuild,
    RebuildReading,
    RunStatus,
    Ticket,
    TicketState,
)
from memoria.errors import DomainError
from memoria.sources import Kind
from tests import settings as test_settings
from tests.atendimento.test_ledger import versions
from tests.atendimento.test_worker import until
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, same_organization, say
from tests.support.live import LiveWorker
from tests.support.model_server import ModelServer, completion


def told(*words: str) -> str:
    """What the command says. It leaves the organisation when it ends; the test goes on in its own."""
    out = io.StringIO()
    with same_organization():
        call_command("rebuild_state", *words, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def owner(transactional_db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(test_settings.POSTGRES.url("postgres", test_settings.TEST_DATABASE), autocommit=True) as link:
        yield link


# --- from the log -------------------------------------------------------------------------------------------------


def test_a_state_that_differs_is_written_anew_only_when_asked_and_recorded(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    assert "agrees" in told(str(ticket.pk))
    owner.execute("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')")

    with pytest.raises(CommandError, match=r"differs from its log at /facts/bairro; --write writes it anew"):
        told(str(ticket.pk))
    assert TicketState.objects.get().values["facts"] == {"bairro": "B9"}
    assert not Rebuild.objects.exists()

    assert "had differed at /facts/bairro and was written anew" in told(str(ticket.pk), "--write")
    assert TicketState.objects.get().values["facts"] == {"bairro": "B3"}
    record = Rebuild.objects.get()
    assert (record.kind, record.status, record.report) == ("replay", "ready", {"differed": ["/facts/bairro"], "version": 3})
    assert_replays(ticket)
    assert "agrees" in told(str(ticket.pk), "--write")
    assert Rebuild.objects.count() == 1


@pytest.mark.parametrize(
    ("column", "value", "where"),
    [
        ("slots", "replace(slots, 'agent', 'registry')", "/facts/bairro"),
        ("minted", "'{\"commitments\":4}'", "minted"),
        ("version", "2", "version"),
        ("head_hash", "repeat('a', 64)", "head"),
    ],
)
def test_every_part_of_the_stored_state_is_compared(owner: psycopg.Connection, column: str, value: str, where: str) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    owner.execute(f"UPDATE atendimento_ticketstate SET {column} = {value}".encode())  # noqa: S608 - words of this file

    found, written = rebuild_from_log(organization=house.organization, ticket_id=ticket.pk, write=True)

    assert (found.differs, written) == ((where,), True)
    assert_replays(ticket)


def test_nothing_is_written_from_a_log_that_does_not_verify(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    owner.execute("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')")
    owner.execute("UPDATE atendimento_ledgerevent SET content = replace(content, 'B2', 'B8') WHERE version = 2")

    with pytest.raises(CommandError, match=r"does not verify at version 2 \(content\)"):
        told(str(ticket.pk), "--write")
    assert TicketState.objects.get().values["facts"] == {"bairro": "B9"}


def test_a_log_that_was_cut_off_at_its_end_is_no_truth_to_write(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    owner.execute("DELETE FROM atendimento_ledgerevent WHERE version = 3")

    with pytest.raises(CommandError, match=r"does not verify at version 3 \(version\)"):
        told(str(ticket.pk), "--write")
    assert TicketState.objects.get().values["facts"] == {"bairro": "B3"}


# --- from the messages --------------------------------------------------------------------------------------------


def begin(house: House, ticket: Ticket) -> Rebuild:
    """A rebuild about to begin; what was queued about new messages is as good as read."""
    Proposal.objects.filter(status=RunStatus.QUEUED).update(status=RunStatus.SUPERSEDED)
    Message.objects.update(awaits_reading=False)
    return start_rereading(organization=house.organization, member=house.celia, ticket_id=ticket.pk)


def step(house: House, row: Rebuild) -> Rebuild:
    """What a worker does when the job is due."""
    Rebuild.objects.filter(status=RunStatus.QUEUED).update(not_before=timezone.now() - timedelta(seconds=1))
    read_on(organization_id=house.organization.pk, rebuild_id=row.pk)
    row.refresh_from_db()
    return row


def found(row: Rebuild) -> dict[str, str]:
    return {item["pointer"]: item["difference"] for item in row.report["rows"]}


def set_value(house: House, ticket: Ticket, path: str, value: object) -> None:
    version = Ticket.objects.get(pk=ticket.pk).state_version
    actions.set_slot(member=house.ana, ticket_id=ticket.pk, path=path, value=value, expected_version=version)


def test_a_new_reading_reports_what_differs_and_proposes_it_and_overwrites_nothing(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    set_value(house, ticket, "/facts/bairro", "Pina")
    set_value(house, ticket, "/facts/aparelho", "geladeira")
    model_server.answer(
        change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")), change("/facts/horario", "14h", ("m-1", "às 14h"))
    )
    before = TicketState.objects.get(ticket=ticket).values

    row = step(house, begin(house, ticket))

    assert (row.status, row.done, row.total, row.base_version) == (RunStatus.READY, 1, 1, 2)
    assert found(row) == {
        "/facts/bairro": "different",
        "/facts/aparelho": "only_now",
        "/facts/horario": "only_reread",
    }
    assert TicketState.objects.get(ticket=ticket).values == before
    proposal = Proposal.objects.get(origin=Origin.REBUILD)
    assert (row.proposal, proposal.producer, proposal.status) == (proposal, "rebuild", "ready")
    proposed = {change.path: str(change.pk) for change in proposal.changes.all()}
    assert {item["pointer"]: item["change"] for item in row.report["rows"]} == {
        **proposed,
        "/facts/aparelho": None,
    }
    assert {change.path: change.verdict for change in proposal.changes.all()} == {
        "/facts/bairro": "refused",  # Ana's word is newer than Helena's (P7)
        "/facts/horario": "allowed",
    }
    assert not OutboxEntry.objects.filter(subject=row.pk).exists()
    assert_replays(ticket)


def test_it_says_which_evidence_is_gone(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre", external_id="z")
    (proposed,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")))
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})
    say(house, ticket, "oi de novo")
    actions.delete_message(caller=house.channel, ticket_id=ticket.pk, message="m-1")

    row = step(house, begin(house, ticket))

    (shown,) = row.report["rows"]
    assert (shown["difference"], shown["lost"], shown["now"]) == ("only_now", ["m-1"], "Torre")
    assert (row.report["gone"], row.report["first"], row.total) == (1, 2, 1)
    asked = json.loads(model_server.chats[0].body["messages"][-1]["content"])
    assert [item["id"] for item in asked["new_messages"]] == ["m-2"]


def test_it_goes_window_by_window_and_each_sees_what_the_last_brought(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    for number in range(4):
        say(house, ticket, f"{number} " + "palavra " * 2500)
    say(house, ticket, "Vou ligar hoje.", Kind.AGENT, "Ana")
    say(house, ticket, "liguei", Kind.AGENT, "Ana")
    row = begin(house, ticket)
    promise = {"task": "ligar", "owner": "team"}
    model_server.answer(change("/facts/horario", "palavra", ("m-1", "0 palavra")))
    model_server.answer(change("/commitments/-", promise, ("m-5", "Vou ligar hoje")))

    seen = []
    while row.status in (RunStatus.QUEUED, RunStatus.RUNNING):
        row = step(house, row)
        seen.append((row.done, row.status))

    assert [status for _, status in seen] == ["queued"] * (len(seen) - 1) + ["ready"]
    assert seen[-1][0] == row.total == 6
    assert len(model_server.chats) == len(seen) == RebuildReading.objects.count()
    assert len(seen) > 1
    second = json.loads(model_server.chats[1].body["messages"][-1]["content"])
    assert "horario" in json.dumps(second["state"])
    assert found(row)["/commitments/-"] == "only_reread"


def test_a_member_that_moved_differs_in_what_moved(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Vou ligar hoje.", Kind.AGENT, "Ana")
    say(house, ticket, "Liguei agora.", Kind.AGENT, "Ana")
    promise = {"task": "ligar", "owner": "team"}
    (proposed,) = propose(house, ticket, change("/commitments/-", promise, ("m-1", "Vou ligar hoje")))
    house.api().post(f"changes/{proposed['id']}/accept", {"expected_version": 0})
    model_server.answer(
        change("/commitments/-", promise, ("m-1", "Vou ligar hoje")),
        change("/commitments/c-1/status", "done", ("m-2", "Liguei agora"), op="replace"),
    )

    row = step(house, begin(house, ticket))

    # The reading's answer names a member that its own first change makes: the domain takes them in order.
    assert found(row) == {"/commitments/c-1": "same", "/commitments/c-1/status": "different"}
    (moved,) = Proposal.objects.get(origin=Origin.REBUILD).changes.all()
    assert (moved.path, moved.value, moved.verdict) == ("/commitments/c-1/status", "done", "allowed")


def test_what_waits_already_is_not_proposed_again(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre. Anota: não ligar de manhã.")
    wanted = (
        change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")),
        change("/constraints/-", {"text": "não ligar de manhã"}, ("m-1", "não ligar de manhã")),
    )
    model_server.answer(*wanted)
    first = step(house, begin(house, ticket))
    model_server.answer(*wanted)
    row = step(house, begin(house, ticket))

    assert (first.status, row.status, first.pk == row.pk) == (RunStatus.READY, RunStatus.READY, False)
    assert Proposal.objects.filter(origin=Origin.REBUILD).count() == 1
    assert ProposedChange.objects.count() == 2
    assert {item["change"] for item in row.report["rows"]} == {str(change.pk) for change in ProposedChange.objects.all()}


def test_what_the_reading_of_new_messages_has_reached_stays(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    model_server.answer(change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")))

    step(house, begin(house, ticket))

    ticket.refresh_from_db()
    assert (ticket.through_message, ticket.pending_count) == (0, 1)


# --- faults -------------------------------------------------------------------------------------------------------


def test_faults_are_tried_again_then_parked_with_their_reason_and_a_person_goes_on(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    row = begin(house, ticket)
    model_server.fail(503, times=5)
    assert (step(house, row).status, row.attempts) == (RunStatus.QUEUED, 1)
    assert OutboxEntry.objects.get(subject=row.pk).due_at == row.not_before
    for _ in range(4):
        step(house, row)

    assert (row.status, row.problem_code, row.attempts) == (RunStatus.PARKED, "model.unavailable", 5)
    assert not OutboxEntry.objects.filter(subject=row.pk).exists()

    retry_rereading(member=house.celia, ticket_id=ticket.pk, rebuild_id=row.pk)
    assert step(house, row).status == RunStatus.READY


def test_an_unusable_answer_is_repaired_once_then_parked_with_its_words(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    row = begin(house, ticket)
    model_server.answer_text("isto não é JSON")
    model_server.answer_text("isto também não")

    assert step(house, row).status == RunStatus.QUEUED
    step(house, row)
    assert (row.status, row.problem_code, row.attempts) == (RunStatus.PARKED, "model.invalid_answer", 2)
    assert "isto também não" in RebuildReading.objects.get().raw_answer
    assert "isto não é JSON" in model_server.chats[1].body["messages"][2]["content"]


def test_an_answer_that_was_stored_before_a_crash_costs_no_second_call(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    row = begin(house, ticket)
    body = json.dumps(completion(json.dumps({"changes": [change("/facts/bairro", "Torre", ("m-1", "Moro em Torre"))]})))
    RebuildReading.objects.create(
        organization=house.organization,
        rebuild=row,
        position=0,
        through_message=1,
        count=1,
        request={},
        context_report={},
        raw_answer=body,
    )
    Rebuild.objects.update(status=RunStatus.RUNNING, attempts=1)

    assert step(house, row).status == RunStatus.READY
    assert (len(model_server.chats), found(row)) == (0, {"/facts/bairro": "only_reread"})


def test_never_two_calls_for_one_ticket_and_new_messages_first(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    row = begin(house, ticket)
    key = int.from_bytes(ticket.pk.bytes[8:], signed=True)
    with psycopg.connect(test_settings.POSTGRES.url("lastro_app", test_settings.TEST_DATABASE)) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [key])
        assert step(house, row).status == RunStatus.QUEUED
    say(house, ticket, "mais uma")
    assert step(house, row).status == RunStatus.QUEUED
    assert model_server.chats == []
    assert OutboxEntry.objects.filter(subject=row.pk).exists()

    Proposal.objects.filter(status=RunStatus.QUEUED).update(status=RunStatus.SUPERSEDED)
    assert step(house, row).status == RunStatus.READY


def test_one_reading_of_a_ticket_is_under_way_and_a_new_one_replaces_what_is_parked(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(house, ticket, "Moro em Torre")
    row = begin(house, ticket)
    assert begin(house, ticket).pk == row.pk
    model_server.refuse()
    assert step(house, row).status == RunStatus.PARKED

    second = begin(house, ticket)
    row.refresh_from_db()
    assert (second.pk != row.pk, row.status) == (True, RunStatus.SUPERSEDED)


def test_agents_may_not_and_other_organisations_find_nothing(house: House, ticket: Ticket) -> None:
    with pytest.raises(DomainError, match=r"permission\.denied"):
        start_rereading(organization=house.organization, member=house.ana, ticket_id=ticket.pk)
    row = begin(house, ticket)
    with pytest.raises(DomainError, match=r"permission\.denied"):
        retry_rereading(member=house.ana, ticket_id=ticket.pk, rebuild_id=row.pk)
    other = make_house("outra")
    assert not Rebuild.objects.exists()
    with pytest.raises(CommandError, match="there is no ticket"):
        told(ticket.protocol, "--org", other.organization.slug)


def test_a_real_worker_reads_it_all_and_the_command_tells_how_far_it_is(
    live_worker: LiveWorker, model_server: ModelServer
) -> None:
    house = make_house()
    ticket = make_ticket(house)
    say(house, ticket, "Moro em Torre")
    until(lambda: Proposal.objects.filter(status=RunStatus.READY).exists())
    model_server.answer(change("/facts/bairro", "Torre", ("m-1", "Moro em Torre")))

    said = told(str(ticket.pk), "--from-messages")

    assert "0 of 1 message(s) read" in said
    assert "1 message(s) read: 1 value(s) compared, 1 differ, 1 proposed, 0 with evidence that is gone" in said
