"""Real workers: killed in the middle of a call, with the broker gone; every message is read once all the same."""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.db import connection, transaction
from structlog import get_logger
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from atendimento import embedded, tasks
from atendimento.actions import create_api_token
from atendimento.models import Message, Proposal, ProposedChange, RunStatus, Ticket
from atendimento.processes import Child
from tests import settings
from tests.atendimento.test_runs import TORRE
from tests.builders import House, make_house, make_ticket, say
from tests.support.live import LiveServer, LiveWorker, start
from tests.support.model_server import ModelServer


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)


def ready() -> int:
    return Proposal.objects.filter(status=RunStatus.READY).count()


@pytest.fixture
def broker(transactional_db: None) -> Iterator[embedded.Redis]:
    """A Redis that no other worker of this run listens to."""
    folder = settings.RUN_DIR / settings.WORKER / "broker"
    embedded.prepare_folder(folder)
    redis = embedded.Redis(folder, settings.PASSWORDS["redis"], lasting=False)
    redis.start()
    yield redis
    if redis.child is not None:
        redis.child.stop(2)


@pytest.fixture
def worker(broker: embedded.Redis, model_server: ModelServer) -> Iterator[Callable[[], Child]]:
    """Starts a worker of processes, as in production, with the clock in it."""
    started: list[Child] = []

    def start_one() -> Child:
        options = ("--pool", "prefork", "--concurrency", "2", "--beat", "--scheduler", "celery.beat:Scheduler")
        words = ("-m", "celery", "--app", "atendimento.celery", "worker", *options, "--loglevel", "WARNING")
        started.append(start(f"killed-{len(started)}", *words, REDIS_URL=broker.url))
        return started[-1]

    yield start_one
    for child in started:
        child.stop(3)


def say_and_die(house: House, ticket: Ticket) -> None:
    """A message is committed, and the process ends before it can post the job."""
    with transaction.atomic():
        say(house, ticket, "Moro em Torre")
        connection.run_on_commit.clear()


def test_a_message_that_comes_in_by_the_api_is_proposed_by_a_worker(
    live_server: LiveServer, live_worker: LiveWorker, model_server: ModelServer
) -> None:
    house = make_house()
    ticket = make_ticket(house)
    model_server.answer(TORRE)

    say(house, ticket, "Moro em Torre")

    until(lambda: ready() == 1, 20)
    assert ProposedChange.objects.get().status == "pending"


def test_a_broker_that_hangs_holds_nobody_up(live_server: LiveServer, model_server: ModelServer) -> None:
    """What is asked of Redis around a message has its own short limits; by the workers' it would take a minute."""
    house = make_house()
    ticket = make_ticket(house)
    token = create_api_token(
        organization=house.organization, name="canal", scope="ingest", member=house.celia, created_by=house.celia
    )
    redis = settings.REDIS.child
    assert redis is not None

    def deliver(text: str) -> int:
        body = {"author": {"kind": "customer", "name": "Helena"}, "text": text}
        headers = {"Authorization": f"Bearer {token}"}
        address = f"{live_server.url}/api/v1/tickets/{ticket.pk}/messages"
        return httpx.post(address, json=body, headers=headers, timeout=25).status_code

    assert deliver("Oi") == 201  # the server knows its broker
    os.kill(redis.pid, signal.SIGSTOP)
    try:
        assert deliver("Moro em Torre") == 201
    finally:
        os.kill(redis.pid, signal.SIGCONT)
    assert Message.objects.filter(ticket=ticket).count() == 2


def test_a_worker_that_is_idle_never_misses_the_row(live_worker: LiveWorker, model_server: ModelServer) -> None:
    """A job that started before its row was committed would find nothing, and its message would wait for the sweep."""
    house = make_house()
    made = [make_ticket(house, f"cli-{number}") for number in range(20)]
    for number, ticket in enumerate(made):
        say(house, ticket, f"mensagem {number}")

    until(lambda: ready() == len(made))
    assert len(model_server.chats) == len(made)
    assert {row.attempts for row in Proposal.objects.all()} == {1}


def test_a_worker_killed_in_the_call_loses_and_repeats_nothing(worker: Callable[[], Child], model_server: ModelServer) -> None:
    house = make_house()
    ticket = make_ticket(house)
    model_server.answer(TORRE, delay=4)
    model_server.answer(TORRE)
    first = worker()
    say_and_die(house, ticket)
    model_server.wait_for_chats(1, 40)

    os.killpg(first.pid, signal.SIGKILL)
    worker()

    until(lambda: ready() == 1)
    row = Proposal.objects.get()
    assert (row.status, row.attempts) == (RunStatus.READY, 2)
    assert ProposedChange.objects.count() == 1


def test_a_worker_outlives_its_broker_and_reads_what_came_meanwhile(
    worker: Callable[[], Child], broker: embedded.Redis, model_server: ModelServer
) -> None:
    house = make_house()
    ticket = make_ticket(house)
    model_server.answer()
    model_server.answer(TORRE | {"evidence": [{"message": "m-2", "quote": "Moro em Torre"}]})
    running = worker()
    say_and_die(house, ticket)
    until(lambda: ready() == 1)
    assert broker.child is not None
    broker.child.stop(2)

    say_and_die(house, ticket)
    time.sleep(2)
    broker.start(broker.port)

    until(lambda: ready() == 2, 90)
    assert running.is_running()
    assert len(model_server.chats) == 2


def test_a_task_s_id_leaves_the_log_with_it(house: House) -> None:
    unknown = str(uuid.uuid4())

    with capture_logs(processors=[merge_contextvars]) as lines:
        tasks.propose(house.organization.pk, unknown)
        get_logger().info("between two tasks")

    assert "proposal" not in lines[-1]


def test_killed_and_cut_off_twice_every_message_is_read_once(
    worker: Callable[[], Child], broker: embedded.Redis, model_server: ModelServer
) -> None:
    """The worker is killed in its call and the broker goes with it, two times over."""
    house = make_house()
    ticket = make_ticket(house)
    running = worker()
    for turn in (1, 2):
        model_server.answer(delay=4)
        model_server.answer()
        say_and_die(house, ticket)
        model_server.wait_for_chats(2 * turn - 1, 60)

        os.killpg(running.pid, signal.SIGKILL)
        assert broker.child is not None
        broker.child.stop(2)
        broker.start(broker.port)
        running = worker()

        until(lambda turn=turn: ready() == turn, 90)  # type: ignore[misc]
    assert [row.attempts for row in Proposal.objects.order_by("created_at")] == [2, 2]
    assert len(model_server.chats) == 4
    assert not Message.objects.filter(awaits_reading=True).exists()
