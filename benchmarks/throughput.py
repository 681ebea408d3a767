"""How many runs workers get through when the model takes a second, and what is lost or doubled when parts die meanwhile.

    python -m benchmarks.throughput [--tickets 1000] [--messages 10] [--workers 4] [--threads 4] [--write]

Real parts on this machine, in a folder of their own: PostgreSQL, Redis, `celery` workers and the clock. The messages lie there
before the workers start, written straight into the tables with the runs that are owed for them: one a ticket, as for a burst,
or with --one-by-one one a message, as without a debounce. No job is posted: the sweep finds them all. The model is a server
of its own that waits a second over every answer and proposes one change a message. It keeps the beginning and end of each
request by ticket, so that two at a time are seen; a client that is gone ends its request. The clock runs from the first
request to the last answer.

A quarter and three quarters of the way a worker is killed (SIGKILL, all its threads in calls) and another one started; half
way Redis is ended, forgets everything, and comes back. What "workers and latency allow" is workers times threads requests a
second. What is missing is told too: how long a worker's connection to the model lies idle between two requests, and how many
seconds of workers each harm cost. At the end every message must be read once: one run each, one change each, no job owed.
Exit 1 where that fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg

from atendimento import embedded
from atendimento.processes import Child

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("throughput.json")
LATENCY = 1.0  # seconds of every answer
GIVE_UP = 120.0  # seconds without any run done
HARMED = 12.0  # seconds after which a harm is over
MARK = re.compile(r"T(\d{5})M(\d{3})")
TYPE: dict[str, Any] = {
    "slug": "carga",
    "name": "Carga",
    "fields": {"/facts/bairro": {"label": "Bairro", "schema": {"type": "string"}, "sources": ["agent", "customer"]}},
    "collections": {},
}


Request = tuple[int, float, float, int]
"""Ticket, beginning, end, and the number of the connection."""


# --- the model ----------------------------------------------------------------------------------------------------


class Model(asyncio.Protocol):
    """One connection of a client. Every request waits its second on the loop, so thousands could at once."""

    log: list[Request] = []
    connections = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        Model.connections += 1
        self.number = Model.connections
        self.transport, self.data = transport, b""
        self.under_way: tuple[int, float, asyncio.TimerHandle] | None = None

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, end, rest = self.data.partition(b"\r\n\r\n")
        found = re.search(rb"(?i)content-length: (\d+)", head)
        length = int(found[1]) if found else 0
        if not end or len(rest) < length:
            return
        self.data = rest[length:]
        if head.startswith(b"GET /log"):
            self.transport.write(_http(json.dumps(Model.log).encode()))
            return
        ticket, answer = _answer(json.loads(rest[:length]))
        loop = asyncio.get_running_loop()
        self.under_way = (ticket, time.time(), loop.call_later(LATENCY, self.say, answer))

    def say(self, answer: bytes) -> None:
        self.transport.write(answer)
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.under_way is not None:
            self.under_way[2].cancel()
            self._end()

    def _end(self) -> None:
        if self.under_way is not None:
            ticket, began, _ = self.under_way
            Model.log.append((ticket, began, time.time(), self.number))
            self.under_way = None


def _http(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _answer(body: dict[str, Any]) -> tuple[int, bytes]:
    """The ticket that is asked about, and one change for each new message."""
    new = json.loads(body["messages"][-1]["content"])["new_messages"]
    changes, ticket = [], -1
    for message in new:
        found = MARK.search(message["text"])
        assert found is not None
        ticket = int(found[1])
        cited = [{"message": message["id"], "quote": found[0]}]
        changes.append({"op": "add", "path": "/facts/bairro", "value": found[0], "evidence": cited, "inference": False})
    said = {"role": "assistant", "content": json.dumps({"changes": changes})}
    usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    document = {"id": "x", "object": "chat.completion", "model": "slow", "choices": [choice], "usage": usage}
    return ticket, _http(json.dumps(document).encode())


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Model, "127.0.0.1", port, backlog=1000)
    await server.serve_forever()


# --- the product --------------------------------------------------------------------------------------------------


class Product:
    """Database, broker and processes of one measurement, in a folder of their own."""

    def __init__(self, folder: Path, workers: int, threads: int) -> None:
        self.folder, self.threads = folder, threads
        passwords = dict.fromkeys(embedded.SECRET_NAMES, secrets.token_hex(8))
        # The disk's own pace is no matter of this: nothing ends PostgreSQL meanwhile.
        connections = embedded.FAST_AND_LOSSY | {"max_connections": str(50 + 2 * workers * threads)}
        self.postgres = embedded.Postgres(folder, passwords, connections)
        self.redis = embedded.Redis(folder, passwords["redis"], lasting=False)
        self.model_port = embedded.free_port()
        self.redis.port = embedded.free_port()
        self.env = {
            name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "REDIS_", "OPENAI_"))
        }
        self.env |= {
            "DATA_DIR": str(folder),
            "DATABASE_URL": self.postgres.url(embedded.APP),
            "DATABASE_OWNER_URL": self.postgres.url(embedded.OWNER),
            "REDIS_URL": self.redis.url,
            "SECRET_KEY": secrets.token_hex(32),
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self.model_port}/v1",
            "OPENAI_API_KEY": "none",
            "OPENAI_MODEL": "slow",
            "PROPOSAL_DEBOUNCE": "0",
            "LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "atendimento.settings",
            "PYTHONUNBUFFERED": "1",
            # As where it is installed: a worker that starts again need not compile everything anew.
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        }
        self.children: list[Child] = []

    def start(self, *, model: bool = True) -> None:
        embedded.prepare_folder(self.folder)
        self.postgres.start()
        self.postgres.ensure_roles()
        self.postgres.ensure_database(embedded.DATABASE)
        self.redis.start(self.redis.port)
        self.run("manage.py", "migrate", "--database", "owner", "--verbosity", "0")
        if model:
            self.child("model", "-m", "benchmarks.throughput", "--serve", str(self.model_port))

    def run(self, *words: str) -> None:
        subprocess.run([sys.executable, *words], cwd=ROOT, env=self.env, check=True)

    def child(self, name: str, *words: str) -> Child:
        made = Child(name, [sys.executable, *words], log=self.folder / "logs" / f"{name}.log", env=self.env, cwd=ROOT)
        self.children.append(made)
        return made

    def worker(self, name: str) -> Child:
        options = ("--pool", "threads", "--concurrency", str(self.threads), "--hostname", f"{name}@localhost")
        quiet = ("--without-gossip", "--without-mingle", "--loglevel", "WARNING")
        return self.child(name, "-m", "celery", "--app", "atendimento.celery", "worker", *options, *quiet)

    def beat(self) -> Child:
        words = ("--scheduler", "celery.beat:Scheduler", "--loglevel", "WARNING")
        return self.child("beat", "-m", "celery", "--app", "atendimento.celery", "beat", *words)

    def restart_broker(self) -> None:
        assert self.redis.child is not None
        self.redis.child.stop(2)
        time.sleep(2)
        self.redis.start(self.redis.port)

    def requests(self) -> list[Request]:
        words = (
            f"import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:{self.model_port}/log').read().decode())"
        )
        said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout
        return [tuple(row) for row in json.loads(said)]

    def stop(self) -> None:
        for child in self.children:
            child.stop(3)
        if self.redis.child is not None:
            self.redis.child.stop(2)
        if self.postgres.child is not None:
            self.postgres.child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        if not self.postgres.sockets.is_relative_to(self.folder):
            shutil.rmtree(self.postgres.sockets, ignore_errors=True)


LOADER = """
import django; django.setup()
import sys, json
from datetime import timedelta
from django.utils import timezone
from atendimento import access, actions, jobs, tenancy
from atendimento.actions.runs import PRODUCER
from atendimento.models import Message, Origin, OutboxEntry, Proposal, RunStatus, Ticket, TicketState
tickets, messages, one_by_one, document = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True", json.loads(sys.argv[4])
organization, _ = actions.create_organization(slug="carga", name="Carga")
tenancy.enter(organization.pk)
person = {"email": "ana@carga.test", "role": "admin", "name": "Ana", "password": "uma-senha-de-carga"}
admin, _ = actions.create_member(organization=organization, **person)
actions.publish_ticket_type(member=admin, document=document)
caller = access.Caller(organization, None, "ingest:carga")
customer = actions.CustomerData("c", "Cliente")
first, _ = actions.create_ticket(caller=caller, ticket_type="carga", subject="x", customer=customer)
values = {field.attname: getattr(first, field.attname) for field in Ticket._meta.concrete_fields if field.attname != "id"}
values |= {"last_message_number": messages, "last_message_at": timezone.now()}
made = [Ticket(**(values | {"protocol": f"T-{number:06}", "external_id": f"t-{number}"})) for number in range(tickets)]
Ticket.objects.bulk_create(made, batch_size=500)
empty = TicketState.objects.get(ticket=first)
columns = {field.attname: getattr(empty, field.attname) for field in TicketState._meta.concrete_fields if not field.primary_key}
TicketState.objects.bulk_create([TicketState(**(columns | {"ticket_id": ticket.pk})) for ticket in made], batch_size=500)
moment = timezone.now() - timedelta(seconds=60)
author = {"author_kind": "customer", "author_name": "Cliente", "author_external_id": "c", "author_key": "c"}
said, runs = [], []
for turn in range(messages):
    for number, ticket in enumerate(made):
        said.append(Message(organization=organization, ticket=ticket, number=turn + 1, text=f"moro em T{number:05}M{turn:03}",
            received_at=moment, said_at=moment + timedelta(seconds=turn), awaits_reading=True, **author))
        if one_by_one or turn == messages - 1:
            runs.append(Proposal(organization=organization, ticket=ticket, origin=Origin.MODEL, producer=PRODUCER,
                status=RunStatus.QUEUED, through_message=turn + 1, created_at=moment + timedelta(milliseconds=len(runs)),
                not_before=moment))
Message.objects.bulk_create(said, batch_size=1000)
Proposal.objects.bulk_create(runs, batch_size=1000)
OutboxEntry.objects.bulk_create(
    [OutboxEntry(organization=organization, job=jobs.PROPOSE, subject=run.pk, due_at=moment) for run in runs], batch_size=1000)
"""


def load(product: Product, tickets: int, messages: int, *, one_by_one: bool) -> None:
    """Write tickets, messages and the runs that are owed for them, with no worker there yet."""
    words = (str(tickets), str(messages), str(one_by_one), json.dumps(TYPE))
    subprocess.run([sys.executable, "-c", LOADER, *words], cwd=ROOT, env=product.env, check=True)


def between(requests: list[Request]) -> list[float]:
    """Seconds between the requests of each connection, shortest first: a worker's own work, and what it waited for."""
    of_connection: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for _, began, ended, connection in requests:
        of_connection[connection].append((began, ended))
    return sorted(later[0] - earlier[1] for spans in of_connection.values() for earlier, later in pairwise(sorted(spans)))


def idle(requests: list[Request], since: float, until: float, places: int) -> float:
    """Seconds of workers in which none of them was asking."""
    asking = sum(max(0.0, min(ended, until) - max(began, since)) for _, began, ended, _ in requests)
    return places * (until - since) - asking


def together(requests: list[Request]) -> int:
    """How many requests began while another one about their ticket was under way."""
    of_ticket: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for ticket, began, ended, _ in requests:
        of_ticket[ticket].append((began, ended))
    return sum(later[0] < earlier[1] for spans in of_ticket.values() for earlier, later in pairwise(sorted(spans)))


def count(link: psycopg.Connection[Any], query: str) -> int:
    row = link.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])


DONE = "SELECT count(*) FROM atendimento_proposal WHERE status = 'ready'"


def measure(product: Product, workers: int, total: int) -> dict[str, Any]:
    link = psycopg.connect(product.postgres.url(embedded.SUPERUSER), autocommit=True)
    running = {f"worker-{number}": product.worker(f"worker-{number}") for number in range(1, workers + 1)}
    product.beat()
    harm: list[tuple[int, str, Callable[[], None]]] = [
        (total // 4, "worker-1 killed", lambda: kill(product, running, "worker-1")),
        (total // 2, "broker restarted", product.restart_broker),
        (3 * total // 4, "worker-2 killed", lambda: kill(product, running, "worker-2")),
    ]
    done, last_seen = 0, time.monotonic()
    events: list[dict[str, Any]] = []
    while done < total:
        time.sleep(0.5)
        now = count(link, DONE)
        if now > done:
            done, last_seen = now, time.monotonic()
        if harm and done >= harm[0][0]:
            _, name, act = harm.pop(0)
            events.append({"what": name, "after runs": done, "at": time.time()})
            print(f"{done}/{total}: {name}", flush=True)
            act()
        if time.monotonic() - last_seen > GIVE_UP:
            break
    time.sleep(2)
    requests = product.requests()
    begun, ended = min(row[1] for row in requests), max(row[2] for row in requests)
    places, gaps = workers * product.threads, between(requests)
    for event in events:
        at = event.pop("at")
        # Beyond what is lost anyway: in as long a stretch that ends with the harm.
        more = idle(requests, at, at + HARMED, places) - idle(requests, at - HARMED, at, places)
        event |= {"second": round(at - begun, 1), "seconds of workers lost": round(more, 1)}
    changes = link.execute(b"SELECT ticket_id, citations FROM atendimento_proposedchange").fetchall()
    return {
        "runs": done,
        "seconds": round(ended - begun, 1),
        "a second": round(done / (ended - begun), 2),
        "requests": len(requests),
        "requests beyond one a run": len(requests) - total,
        "two at a time for a ticket": together(requests),
        "most at once": most_at_once(requests),
        "milliseconds between two requests": {
            name: round(1000 * gaps[int(share * (len(gaps) - 1))]) for name, share in (("median", 0.5), ("95 %", 0.95))
        },
        "messages unread": count(link, "SELECT count(*) FROM atendimento_message WHERE awaits_reading"),
        "changes": len(changes),
        "changes doubled": len(changes) - len(set(changes)),
        "jobs left": count(link, "SELECT count(*) FROM atendimento_outboxentry"),
        "runs parked": count(link, "SELECT count(*) FROM atendimento_proposal WHERE status = 'parked'"),
        "happened": events,
    }


def most_at_once(requests: list[Request]) -> int:
    steps = sorted([(began, 1) for _, began, _, _ in requests] + [(ended, -1) for _, _, ended, _ in requests])
    now = most = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most


def kill(product: Product, running: dict[str, Child], name: str) -> None:
    os.killpg(running[name].pid, signal.SIGKILL)
    running[name] = product.worker(name)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs a second with a model that takes one.")
    parser.add_argument("--tickets", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--one-by-one", action="store_true", help="a run for each message, not for each ticket")
    parser.add_argument("--write", action="store_true", help="keep the figures in throughput.json")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.serve))
        return 0
    messages = options.tickets * options.messages
    total = messages if options.one_by_one else options.tickets
    product = Product(Path(tempfile.mkdtemp(prefix="lastro-t-")), options.workers, options.threads)
    try:
        product.start()
        began = time.monotonic()
        load(product, options.tickets, options.messages, one_by_one=options.one_by_one)
        print(f"{messages} messages written within {time.monotonic() - began:.0f} s", flush=True)
        found = measure(product, options.workers, total)
    finally:
        product.stop()
    allowed = options.workers * options.threads / LATENCY
    figures = {
        "tickets": options.tickets,
        "messages a ticket": options.messages,
        "a run for each": "message" if options.one_by_one else "ticket",
        "workers": options.workers,
        "threads a worker": options.threads,
        "latency": LATENCY,
        "allowed a second": allowed,
        "share of what is allowed": round(found["a second"] / allowed, 3),
        **found,
        "processors": os.cpu_count(),
        "load at the end": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
    }
    print(json.dumps(figures, indent=2))
    if options.write:
        kept = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
        kept[figures["a run for each"]] = figures
        FIGURES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    right = {"runs": total, "two at a time for a ticket": 0, "messages unread": 0, "changes": messages, "changes doubled": 0}
    right |= {"jobs left": 0, "runs parked": 0}
    wrong = {name: found[name] for name, wanted in right.items() if found[name] != wanted}
    if wrong:
        print(f"not as it must be: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
