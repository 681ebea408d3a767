"""What becomes of a message when the model's server fails: our column beside the peers' of the same faults.

    LASTRO_SHARED=… python -m benchmarks.model_faults [--write]

`LASTRO_SHARED` is the folder of outside data; its `bench/fake_openai.py` is the counting server that injects the faults, the
one that the peers were measured with. PostgreSQL and Redis are real, in a folder of their own; messages go in by the product's
action, and runs are done as a worker does them, each wait of the queue cut short. For each fault: a ticket that is warm, the
fault, a message; where its run is parked, a person has it tried again without the fault; then one more message. Counted are
the requests that the message cost until it was read or parked, and how often its fact was proposed in the end: none is lost,
two are doubled.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import django

from benchmarks.throughput import TYPE, Product

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("model_faults.json")
TIMEOUT = 1.0  # seconds, as the peers had it


@dataclass(frozen=True)
class Fault:
    """A row of the table: what the server does, how often, and what the message costs elsewhere."""

    name: str
    inject: tuple[dict[str, Any], ...] = ()
    peers: dict[str, str] = field(default_factory=dict)
    twice: bool = False  # the message is delivered twice


def peers(mem0: str, langmem: str, trustcall: str, graphiti: str, plain: str) -> dict[str, str]:
    return {"mem0": mem0, "langmem": langmem, "trustcall": trustcall, "graphiti": graphiti, "plain SDK call": plain}


def fault(name: str, kind: str, elsewhere: dict[str, str], **rule: Any) -> Fault:
    return Fault(name, ({"kind": kind, **rule},), elsewhere)


def always(name: str, kind: str, elsewhere: dict[str, str], **rule: Any) -> Fault:
    return fault(name, kind, elsewhere, times=-1, **rule)


LOST = peers("LOST 1", "LOST 1", "LOST 1", "ok 6 / ok 5", "ERR 1")
DOWN = peers("ok 2", "ok 2", "ok 2", "ok 6 / ok 5", "ok 2")
SHAPE = peers("LOST 1", "ok 2", "ok 2", "ERR 1 / ok 5", "ERR 1")
FAULTS = (
    fault("malformed JSON once", "malformed", LOST),
    fault("JSON of another shape once", "wrong_schema", SHAPE),
    fault("JSON inside prose once", "prose", peers("ok 1", "", "", "ok 6 / ok 5", "ERR 1")),
    fault("patch to a missing path once", "variant", peers("", "LOST 1", "LOST 1", "", "ERR 1"), variant="missing"),
    fault("empty once", "empty", LOST),
    fault("refused once", "refusal", LOST),
    fault("cut off once", "truncated", LOST),
    fault("429 once", "http", DOWN, status=429),
    fault("500 once", "http", DOWN, status=500),
    fault("dropped once", "drop", DOWN),
    fault("timeout once", "hang", DOWN, seconds=3),
    fault("HTTP 400 once", "http", peers("ERR 1", "ok 2", "ok 2", "ERR 1 / ok 5", "ERR 1"), status=400),
    always("malformed always", "malformed", peers("LOST 1", "LOST 1", "LOST 1", "ERR 4 / ERR 3", "ERR 1")),
    always("another shape always", "wrong_schema", peers("LOST 1", "LOST 3", "ERR 25", "ERR 1 / ERR 3", "ERR 1")),
    always("500 always", "http", peers("ERR 3", "ERR 75", "ERR 75", "ERR 3 / ERR 3", "ERR 3"), status=500),
    always("429 always", "http", peers("ERR 3", "ERR 75", "ERR 75", "ERR 12 / ERR 3", "ERR 3"), status=429),
    always("401 always", "http", peers("ERR 1", "ERR 25", "ERR 25", "ERR 1 / ERR 3", "ERR 1"), status=401),
    Fault("delivered twice, same answer", (), peers("ok", "DUP", "ok", "ok, 2 episodes", "ok"), twice=True),
    Fault(
        "delivered twice, answer reworded",
        ({"kind": "variant", "variant": "reworded", "skip": 1},),
        peers("DUP", "DUP", "ok", "DUP, 2 episodes", "ok"),
        twice=True,
    ),
)


def counting_server() -> ModuleType:
    path = Path(os.environ["LASTRO_SHARED"]) / "bench" / "fake_openai.py"
    spec = importlib.util.spec_from_file_location("fake_openai", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_openai"] = module
    spec.loader.exec_module(module)
    return module


def responder(call: Any) -> dict[str, Any]:
    """The change that the newest message tells of, in the way that it was asked for."""
    changes = []
    for message in json.loads(call.body["messages"][1]["content"])["new_messages"]:
        words = message["text"].removeprefix("moro em ")
        path = "/facts/nada" if call.variant == "missing" else "/facts/bairro"
        value = f"bairro {words}" if call.variant == "reworded" else words
        cited = [{"message": message["id"], "quote": words}]
        changes.append({"evidence": cited, "op": "replace", "path": path, "value": value, "inference": False, "reason": None})
    text = json.dumps({"changes": changes}, ensure_ascii=False)
    return {"tool_calls": [("propose_changes", text)]} if call.tools else {"content": text}


class Desk:
    """The product, driven as a worker and a person would: its modules come in once Django is set up."""

    def __init__(self, server: Any) -> None:
        from atendimento import access, actions, tenancy  # noqa: PLC0415 - after django.setup
        from atendimento.actions import propose, runs  # noqa: PLC0415
        from atendimento.models import EndpointHealth, Message, Proposal, ProposedChange  # noqa: PLC0415
        from memoria.sources import Author, Kind  # noqa: PLC0415

        self.server, self.actions, self.propose, self.runs = server, actions, propose, runs
        self.health, self.messages, self.proposals, self.changes = EndpointHealth, Message, Proposal, ProposedChange
        self.author = Author(Kind.CUSTOMER, "c", "Cliente")
        self.organization, _ = actions.create_organization(slug="falhas", name="Falhas")
        tenancy.enter(self.organization.pk)
        person = {"email": "ana@falhas.test", "role": "admin", "name": "Ana", "password": secrets.token_hex(12)}
        self.member, _ = actions.create_member(organization=self.organization, **person)
        actions.publish_ticket_type(member=self.member, document=TYPE)
        self.caller = access.Caller(self.organization, None, "ingest:falhas")

    def ticket(self) -> Any:
        person = actions_customer(self.actions)
        made, _ = self.actions.create_ticket(caller=self.caller, ticket_type="carga", subject="x", customer=person)
        return made

    def say(self, ticket: Any, words: str, external_id: str) -> None:
        self.actions.receive_message(
            caller=self.caller, ticket_id=ticket.pk, author=self.author, text=f"moro em {words}", external_id=external_id
        )

    def read(self, ticket: Any) -> Any:
        """What workers do until nothing of the ticket is queued; its last run."""
        from django.utils import timezone  # noqa: PLC0415 - after django.setup

        for _ in range(100):
            waiting = self.proposals.objects.filter(ticket=ticket, status__in=["queued", "running"])
            row = waiting.order_by("created_at").first()
            if row is None:
                return self.proposals.objects.filter(ticket=ticket).latest("created_at")
            waiting.update(not_before=timezone.now() - timedelta(seconds=1))
            self.propose.propose_changes(organization_id=self.organization.pk, proposal_id=row.pk)
        raise AssertionError("a run that does not end")

    def proposed(self, ticket: Any, words: str) -> int:
        """How often the words were proposed and not refused."""
        rows = self.changes.objects.filter(ticket=ticket).exclude(status="refused")
        return sum(words in json.dumps(row.value, ensure_ascii=False) for row in rows)

    def requests(self) -> int:
        return sum(record["endpoint"] == "chat" for record in self.server.records)

    def try_out(self, fault: Fault) -> dict[str, Any]:
        ticket = self.ticket()
        self.health.objects.all().delete()  # a server that failed in the row before is no matter of this one
        self.say(ticket, "Aurora", "0")
        self.read(ticket)
        before = self.requests()
        for rule in fault.inject:
            self.server.add_fault(endpoint="chat", **rule)
        for _ in range(1 + fault.twice):
            self.say(ticket, "Boa Vista", "1")
        row = self.read(ticket)
        cost = self.requests() - before
        outcome, problem = str(row.status), str(row.problem_code)
        seen = [str(reason["code"]) for change in row.changes.all() for reason in change.reasons if change.status == "refused"]
        with self.server.lock:
            self.server.faults.clear()
        if outcome == "parked":
            kept = self.messages.objects.filter(ticket=ticket, awaits_reading=True).exists()
            assert kept, "the message is not kept"
            self.runs.request_proposal(member=self.member, ticket_id=ticket.pk)
            self.read(ticket)
        elif seen:
            # The bad change is refused, visibly; a person asks again.
            self.runs.request_proposal(member=self.member, ticket_id=ticket.pk)
            self.read(ticket)
        copies = self.proposed(ticket, "Boa Vista")
        self.say(ticket, "Casa Forte", "2")
        self.read(ticket)
        return {
            "fault": fault.name,
            "requests": cost,
            "outcome": "shown: " + problem if outcome == "parked" else "shown: " + seen[0] if seen else "ok",
            "copies in the end": copies,
            "the next message is read": self.proposed(ticket, "Casa Forte") == 1,
            "peers": fault.peers,
        }


def actions_customer(actions: Any) -> Any:
    return actions.CustomerData(uuid.uuid4().hex, "Cliente")


def inside(port: int) -> int:
    """Measure, in a process whose environment names the database."""
    django.setup()
    fake = counting_server()
    with fake.FakeOpenAI(responder=responder, port=port) as server:
        desk = Desk(server)
        rows = [desk.try_out(fault) for fault in FAULTS]
    print(json.dumps(rows))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="What becomes of a message when the model's server fails.")
    parser.add_argument("--write", action="store_true", help="keep the figures in model_faults.json")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.inside)
    if not os.environ.get("LASTRO_SHARED"):
        sys.exit("LASTRO_SHARED must name the folder of outside data")
    product = Product(Path(tempfile.mkdtemp(prefix="lastro-f-")), 1, 1)
    product.env |= {"MODEL_TIMEOUT": str(TIMEOUT), "MODEL_BACKOFF": "0.01", "LASTRO_SHARED": os.environ["LASTRO_SHARED"]}
    most = 5
    product.env["MODEL_MAX_TRIES"] = str(most)
    try:
        product.start(model=False)
        command = [sys.executable, "-m", "benchmarks.model_faults", "--inside", str(product.model_port)]
        said = subprocess.run(command, cwd=ROOT, env=product.env, stdout=subprocess.PIPE, text=True, check=True).stdout
    finally:
        product.stop()
    rows = json.loads(said.splitlines()[-1])
    for row in rows:
        print(f"{row['fault']:34} {row['requests']:2} requests  {row['outcome']:32} copies: {row['copies in the end']}")
    figures = {
        "most tries": most,
        "lost": sum(row["copies in the end"] == 0 for row in rows),
        "doubled": sum(row["copies in the end"] > 1 for row in rows),
        "most requests": max(row["requests"] for row in rows),
        "rows": rows,
        "python": platform.python_version(),
    }
    if options.write:
        FIGURES.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    wrong = [
        row["fault"]
        for row in rows
        if row["copies in the end"] != 1 or row["requests"] > most or not row["the next message is read"]
    ]
    if wrong:
        print(f"not as it must be: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
