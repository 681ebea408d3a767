"""Jobs that come twice, late, early or for nothing; and messages whose request fails after they were taken in."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from django.db import transaction
from django.utils import timezone

from atendimento import actions, jobs
from atendimento.actions.propose import propose_changes
from atendimento.models import Message, OutboxEntry, Proposal, ProposedChange, RunStatus, Ticket
from memoria.sources import Author, Kind
from tests import settings as test_settings
from tests.atendimento.test_runs import TORRE
from tests.builders import House, make_house, make_ticket, say
from tests.support.model_server import ModelServer, completion

Deliver = Callable[[], object]


def lost_in_the_call(row: Proposal) -> None:
    Proposal.objects.filter(pk=row.pk).update(status=RunStatus.RUNNING, attempts=1, through_message=1, holder=uuid.uuid4())


def lost_after_the_answer(row: Proposal) -> None:
    lost_in_the_call(row)
    body = json.dumps(completion(json.dumps({"changes": [TORRE]})))
    kept = {"body": body, "through": 1, "numbers": [1], "moment": timezone.now().isoformat()}
    Proposal.objects.filter(pk=row.pk).update(raw_answer=kept)


def not_due(row: Proposal) -> None:
    Proposal.objects.filter(pk=row.pk).update(not_before=timezone.now() + timedelta(minutes=1))


def due(row: Proposal) -> None:
    Proposal.objects.filter(pk=row.pk).update(not_before=timezone.now() - timedelta(seconds=1))


D, WAIT, DUE, CALL, ANSWER, BUSY, NOBODY = "delivered", "not due", "due", "died in the call", "died after it", "busy", "unknown"


@pytest.mark.parametrize(
    ("happens", "calls"),
    [
        # Reported: a second delivery while the first one waits for the model; again after it has finished.
        ((BUSY, D), 1),
        ((D, D), 1),
        ((D, D, D, D), 1),
        ((BUSY, BUSY, D, D), 1),
        # More of the kind.
        ((NOBODY, D), 1),
        ((WAIT, D, DUE, D), 1),
        ((CALL, D), 1),
        ((CALL, D, D), 1),
        ((ANSWER, D), 0),
        ((ANSWER, BUSY, D, D), 0),
        ((WAIT, BUSY, DUE, D, NOBODY, D), 1),
    ],
)
def test_however_often_a_job_comes_its_messages_are_read_once(
    house: House, ticket: Ticket, model_server: ModelServer, happens: tuple[str, ...], calls: int
) -> None:
    say(house, ticket, "Moro em Torre")
    row = Proposal.objects.get()
    model_server.answer_with(lambda body: {"changes": [TORRE]})
    key = int.from_bytes(ticket.pk.bytes[8:], signed=True)

    def deliver(which: uuid.UUID = row.pk) -> None:
        propose_changes(organization_id=house.organization.pk, proposal_id=which)

    for what in happens:
        match what:
            case "delivered":
                deliver()
            case "unknown":
                deliver(uuid.uuid4())
            case "busy":
                with psycopg.connect(test_settings.POSTGRES.url("lastro_app", test_settings.TEST_DATABASE)) as other:
                    other.execute("SELECT pg_advisory_lock(%s)", [key])
                    deliver()
            case "not due":
                not_due(row)
            case "due":
                due(row)
            case "died in the call":
                lost_in_the_call(row)
            case _:
                lost_after_the_answer(row)

    row.refresh_from_db()
    assert (row.status, len(model_server.chats)) == (RunStatus.READY, calls)
    assert [change.value for change in ProposedChange.objects.all()] == ["Torre"]
    assert Proposal.objects.count() == 1
    assert not OutboxEntry.objects.exists()
    ticket.refresh_from_db()
    assert ticket.pending_count == 1


class FaultError(Exception):
    pass


@transaction.atomic
def failing(act: Deliver) -> None:
    act()
    raise FaultError


@pytest.mark.parametrize(
    "kind", [Kind.CUSTOMER, Kind.AGENT, Kind.THIRD_PARTY, Kind.TOOL, Kind.REGISTRY, Kind.ASSISTANT, Kind.SYSTEM]
)
def test_a_message_that_is_rolled_back_is_owed_no_run_and_posted_none(
    transactional_db: None, servers: None, kind: Kind
) -> None:
    house = make_house()
    ticket = make_ticket(house)
    queued = jobs.connection().llen(jobs.QUEUE)

    with pytest.raises(FaultError):
        failing(lambda: say(house, ticket, "Moro em Torre", kind))

    assert (Message.objects.count(), Proposal.objects.count(), OutboxEntry.objects.count()) == (0, 0, 0)
    assert jobs.connection().llen(jobs.QUEUE) == queued


def asked(house: House, ticket: Ticket) -> None:
    actions.request_proposal(member=house.ana, ticket_id=ticket.pk)


def edited(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Moro em Pina", external_id="z")


def replied(house: House, ticket: Ticket) -> None:
    author = Author(Kind.AGENT, str(house.ana.pk), "Ana")
    actions.receive_message(caller=house.channel, ticket_id=ticket.pk, author=author, text="um momento")


@pytest.mark.parametrize("act", [asked, edited, replied])
def test_no_job_is_posted_before_its_commit(
    transactional_db: None, servers: None, act: Callable[[House, Ticket], None]
) -> None:
    house = make_house()
    ticket = make_ticket(house)
    say(house, ticket, "Moro em Torre", external_id="z")
    queued = jobs.connection().llen(jobs.QUEUE)

    with transaction.atomic():
        act(house, ticket)
        assert jobs.connection().llen(jobs.QUEUE) == queued
        owed = OutboxEntry.objects.filter(posted_at=None).count()
    assert owed >= 1
    assert not OutboxEntry.objects.filter(posted_at=None).exists()
