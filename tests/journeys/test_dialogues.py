"""Public dialogues come in by the machine's door, are read by a real worker through the stand-in, and can be decided."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atendimento import embedded
from atendimento.models import Message, Proposal, ProposedChange, RunStatus, Ticket
from atendimento.standin import server
from tests import settings as test_settings
from tests.builders import Api, assert_replays, make_house
from tests.support.live import start

RUNS_WITHIN = 240  # seconds, on a busy machine


def shared() -> Path:
    found = os.environ.get("LASTRO_SHARED")
    assert found, "LASTRO_SHARED must name the folder with the dialogues"
    return Path(found)


@pytest.fixture
def reading_worker(transactional_db: None) -> Iterator[None]:
    """A worker with the clock in it, on a Redis of its own, that asks the stand-in."""
    folder = test_settings.RUN_DIR / test_settings.WORKER / "journey-redis"
    embedded.prepare_folder(folder)
    redis = embedded.Redis(folder, test_settings.PASSWORDS["redis"], lasting=False)
    redis.start()
    standin = server.Server("127.0.0.1", 0)
    threading.Thread(target=standin.serve_forever, args=(0.05,), daemon=True).start()
    words = ("-m", "celery", "--app", "atendimento.celery", "worker", "--pool", "prefork", "--concurrency", "2")
    clock = ("--beat", "--scheduler", "celery.beat:Scheduler", "--loglevel", "WARNING")
    address = f"http://127.0.0.1:{standin.server_port}/v1"
    worker = start("journey", *words, *clock, REDIS_URL=redis.url, OPENAI_BASE_URL=address, OPENAI_MODEL="lastro-standin")
    yield
    worker.stop(3)
    standin.shutdown()
    standin.server_close()
    if redis.child is not None:
        redis.child.stop(2)


def bring_in(api: Api, dialogue: dict[str, Any]) -> str:
    """One ticket with the dialogue's messages, as an integration delivers them; its id."""
    body = {
        "external_id": dialogue["id"],
        "ticket_type": "pizzaria",
        "subject": dialogue["domain"],
        "customer": {"external_id": dialogue["id"], "name": "Cliente"},
    }
    made = api.post("tickets", body)
    assert made.status == 201, made.body
    for message in dialogue["messages"]:
        author = {"kind": message["author"], "external_id": message["author"], "name": message["author"]}
        said = {"external_id": message["id"], "author": author, "text": message["text"]}
        assert api.post(f"tickets/{made.body['id']}/messages", said).status == 201
    return str(made.body["id"])


def wait_until_read(tickets: int) -> None:
    deadline = time.monotonic() + RUNS_WITHIN
    while True:
        waiting = Message.objects.filter(awaits_reading=True).count()
        under_way = Proposal.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).count()
        read = Proposal.objects.values("ticket").distinct().count()
        if not waiting and not under_way and read == tickets:
            return
        assert time.monotonic() < deadline, f"{waiting} messages wait, {under_way} runs are under way, {read} tickets read"
        time.sleep(0.5)


@pytest.mark.timeout(600)
def test_dialogues_come_in_are_read_and_can_be_decided(reading_worker: None, settings: Any) -> None:
    """The Portuguese ones come out as tickets with changes to decide; the English ones break nothing."""
    settings.PROPOSAL_DEBOUNCE = 2
    house = make_house()
    definition = json.loads((shared() / "acceptance/ticket-types/pizzaria.json").read_text("utf-8"))
    assert house.api("davi").call("PUT", "ticket-types/pizzaria", definition).status in (200, 201)
    channel = house.api("canal")
    lines = (shared() / "data/dialogues-dev.jsonl").read_text("utf-8").splitlines()
    dialogues = [json.loads(line) for line in lines]
    languages = {bring_in(channel, dialogue): dialogue["language"] for dialogue in dialogues}
    wait_until_read(len(languages))

    assert not Proposal.objects.exclude(status=RunStatus.READY).exists(), "every run ended well, none is parked"
    portuguese = [key for key, language in languages.items() if language == "pt-BR"]
    assert len(portuguese) == 29
    for key in portuguese:
        pending = ProposedChange.objects.filter(ticket_id=key, status="pending").order_by("id")
        assert pending, f"nothing to decide in {key}"
        by_path = {change.path: change for change in pending}  # the newest of each pointer
        accepted = [str(change.pk) for change in by_path.values()]
        decision = {"expected_version": 0, "accept": accepted, "reject": []}
        answer = house.api("ana").post(f"tickets/{key}/decisions", decision)
        assert (answer.status, answer.body.get("version")) == (200, 1), answer.body
    for ticket in Ticket.objects.filter(pk__in=languages):
        assert_replays(ticket)
