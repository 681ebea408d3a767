"""What a new message costs in tokens of the model's prompt, against a counting server.

    LASTRO_SHARED=… python -m benchmarks.contexts [--write]

`LASTRO_SHARED` is the folder of outside data, whose `bench/` holds the conversation and the server that counts. Every
request is made by `memoria.extraction`, sent by `atendimento.llm` over HTTP, and answered from the conversation's ground
truth; what is proposed is judged and accepted by `memoria.review`, so that the state grows as it would. Tokens are those
of o200k_base. The sums are told cold, by the rule of shared prefixes and by that of stored breakpoints (reads 0.1, writes
1.25), as the counting server has them: nothing expires there, so both are the best case.

Two conversations:

- `forty fields`: 200 messages of a customer, 40 first values, 46 corrections, 61 events; beside it, in the same run, the
  same questions with every message so far in the prompt ("full history");
- `equal state`: 400 messages of customer and staff about a state that is full from the beginning and changes no more.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import bpe_openai

from atendimento import llm
from memoria import review
from memoria.context import Budget, Material
from memoria.evidence import Message, Messages
from memoria.extraction import Request, build_request
from memoria.fields import TicketType
from memoria.marks import PastChange, marks
from memoria.masking import masked
from memoria.patch import MISSING, lookup
from memoria.proposals import Change, Citation, Status
from memoria.runs import Answered, Mode
from memoria.sources import Actor, Author, Kind
from memoria.state import State

FIGURES = Path(__file__).with_name("contexts.json")
START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
ZONE = ZoneInfo("America/Sao_Paulo")
ANA = Actor("ana", "Ana")
CUSTOMER = Author(Kind.CUSTOMER, "c-1", "Marina Duarte")
AGENT = Author(Kind.AGENT, "ana", "Ana")
IDENTIFIERS = frozenset({"pedido", "nota_fiscal", "cep", "telefone", "email", "rastreio", "serie", "agencia"})
MARKS = (1, 10, 50, 100, 200)
EVERYTHING = 10**9
ENCODING = bpe_openai.get_encoding("o200k_base")


def outside(name: str) -> ModuleType:
    """A module of the folder of outside data."""
    path = Path(os.environ["LASTRO_SHARED"]) / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"there is no {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def count(text: str) -> int:
    return len(ENCODING.encode_ordinary(text))


def pointer_of(key: str) -> str:
    return f"/identifiers/{key}" if key in IDENTIFIERS else f"/facts/{key}"


def a_type(fields: dict[str, tuple[str, list[str]]]) -> TicketType:
    everybody = ["registry", "agent", "customer"]
    rows = {
        pointer_of(key): {"label": label[0].upper() + label[1:], "schema": {"type": "string"}, "sources": everybody}
        for key, (label, _) in fields.items()
    }
    collections: dict[str, Any] = {
        "commitments": {"sources": ["registry", "tool", "agent", "customer"], "kinds": ["visit", "return_call", "refund"]},
        "pending": {"sources": ["agent", "customer", "third_party", "assistant"]},
        "constraints": {"sources": ["agent", "customer"]},
        "decisions": {"sources": ["agent"]},
        "authorizations": {"sources": ["registry", "customer"]},
        "attempts": {"sources": ["agent", "customer", "tool"]},
    }
    document = {"slug": "loja", "name": "Loja de eletrodomésticos", "fields": rows, "collections": collections}
    return TicketType.from_document(document, 1)


class Ticket:
    """A ticket in memory: messages come in, what is proposed about them is accepted."""

    def __init__(self, ticket_type: TicketType) -> None:
        self.ticket_type = ticket_type
        self.messages: list[Message] = []
        self.state = State()
        self.past: list[PastChange] = []

    def say(self, author: Author, text: str) -> Message:
        number = len(self.messages) + 1
        message = Message(number, author, text, START + timedelta(minutes=number))
        self.messages.append(message)
        return message

    def material(self) -> Material:
        older = self.messages[:-1]
        return Material(self.ticket_type, self.state, self.messages[-1:], older, marks(self.state, self.past))

    def take(self, changes: Sequence[Change]) -> None:
        moment = START + timedelta(minutes=len(self.messages), seconds=30)
        desk = review.Desk(self.ticket_type, Messages(self.messages), moment, ANA)
        accepts = [review.Accept(str(number), change) for number, change in enumerate(changes)]
        if accepts:
            self.state = self.state.evolve(review.decide(self.state, accepts, [], desk, self.state.version))
        for change in changes:
            self.past.append(PastChange(Status.ACCEPTED, change.path, change.value, tuple(c.message for c in change.evidence)))


def wire(changes: Iterable[Change]) -> str:
    rows = [
        {
            "evidence": [{"message": cited.message, "quote": cited.quote} for cited in change.evidence],
            "op": change.op,
            "path": change.path,
            "value": change.value,
            "inference": False,
            "reason": None,
        }
        for change in changes
    ]
    return json.dumps({"changes": rows}, ensure_ascii=False)


def truth(ticket: Ticket, facts: Sequence[Any]) -> list[Change]:
    """What a model without fault would propose about the newest message."""
    message = ticket.messages[-1]
    quote = message.text.split(", estou")[0].split(", já")[0].split(" (msg")[0][:90].rsplit(" ", 1)[0].rstrip(",.")
    found = []
    for fact in facts:
        if fact.op == "event":
            value: Any = {"action": fact.value, "by": "team", "status": "tried", "result": None}
            found.append(Change("add", "/attempts/-", value, (Citation(message.id, quote),)))
            continue
        path = pointer_of(fact.key)
        low = message.text.lower().rindex(fact.value.lower())
        written = message.text[low : low + len(fact.value)]
        op = "add" if lookup(ticket.state.values, path) is MISSING else "replace"
        found.append(Change(op, path, written, (Citation(message.id, message.text[: low + len(written)]),)))
    return found


class Counting:
    """The counting server, and the answer that it is to give next."""

    def __init__(self) -> None:
        self.answer = '{"changes":[]}'
        self.module = outside("fake_openai")
        self.server = self.module.FakeOpenAI(responder=lambda call: {"content": self.answer})

    def __enter__(self) -> Counting:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    def ask(self, request: Request, changes: Sequence[Change], model: str) -> None:
        """One call, to be answered with these changes, under a name that keeps its cache apart from others."""
        self.answer = wire(changes)
        reply = llm.ask(request, llm.Endpoint(self.server.base_url, "x", model), Mode.MARKED_SCHEMA)
        if not isinstance(reply.outcome, Answered):
            raise SystemExit(f"the call failed: {reply.outcome}")

    def calls(self, model: str) -> list[dict[str, Any]]:
        return [row for row in self.server.records if row["model"] == model]

    def sums(self, model: str) -> dict[str, int]:
        rows = self.calls(model)
        total = {key: sum(row[key] for row in rows) for key in ("prompt_tokens", "cached", "bp_read", "bp_write")}
        return {rule: round(tokens) for rule, tokens in self.module.FakeOpenAI.cost(total).items()}


def ask_about(ticket: Ticket, budget: Budget | None = None) -> Request:
    """The request as it leaves: personal data masked, as organisations have it unless they choose otherwise."""
    request = build_request(ticket.material(), language="pt-BR", zone=ZONE, count_tokens=count, budget=budget)
    return masked(request, ticket.ticket_type, b"benchmark").request


def with_full_history(ticket: Ticket) -> Request:
    """The same question with the whole conversation in it."""
    return ask_about(ticket, Budget(older=EVERYTHING, recent=EVERYTHING, older_message=EVERYTHING))


def shares(rows: Sequence[dict[str, Any]]) -> list[float]:
    """How much of each prompt is a prefix of the one before."""
    return [row["prev_lcp"] / row["prompt_tokens"] for row in rows[1:]]


def forty_fields(counting: Counting) -> dict[str, Any]:
    module = outside("conversation")
    ticket = Ticket(a_type(module.FIELDS))
    layers: dict[str, int] = {}
    for message in module.conversation(200):
        ticket.say(CUSTOMER, message.text)
        changes = truth(ticket, message.facts)
        request = ask_about(ticket)
        counting.ask(request, changes, "bounded")
        counting.ask(with_full_history(ticket), changes, "full history")
        ticket.take(changes)
        layers = {layer.name: layer.tokens for layer in request.report.layers}
    found: dict[str, Any] = {}
    for model in ("bounded", "full history"):
        rows = counting.calls(model)
        found[model] = {
            "calls": len(rows),
            "prompt_tokens_at": {str(number): rows[number - 1]["prompt_tokens"] for number in MARKS},
            "largest": max(row["prompt_tokens"] for row in rows),
            "sums": counting.sums(model),
            "shared_with_the_previous_call": round(statistics.mean(shares(rows)), 3),
        }
    found["bounded"]["layers_at_200"] = layers
    found["full_history_over_bounded"] = {
        rule: round(found["full history"]["sums"][rule] / tokens, 1) for rule, tokens in found["bounded"]["sums"].items()
    }
    return found


def equal_state(counting: Counting, length: int = 400) -> dict[str, Any]:
    """A state that is full after the first messages and stays so; then talk that brings nothing new."""
    module = outside("conversation")
    ticket = Ticket(a_type(module.FIELDS))
    talk = [message.text for message in module.conversation(length, seed=11)]
    filled = list(module.FIELDS.items())
    for number in range(1, length + 1):
        if number <= 20:
            pairs = filled[2 * (number - 1) : 2 * number]
            text = "; ".join(f"{label}: {values[0]}" for _, (label, values) in pairs)
            ticket.say(CUSTOMER, text)
            facts = [module.Fact("new", key, label, values[0], "") for key, (label, values) in pairs]
        else:
            ticket.say(AGENT if number % 3 == 0 else CUSTOMER, talk[number - 1])
            facts = []
        changes = truth(ticket, facts)
        counting.ask(ask_about(ticket), changes, "equal state")
        ticket.take(changes)
    rows = counting.calls("equal state")
    later = shares(rows[39:])
    return {
        "calls": len(rows),
        "messages": length,
        "prompt_tokens_at": {str(number): rows[number - 1]["prompt_tokens"] for number in (40, 100, 200, 300, 400)},
        "at_400_over_40": round(rows[length - 1]["prompt_tokens"] / rows[39]["prompt_tokens"], 3),
        "largest_over_40": round(max(row["prompt_tokens"] for row in rows[39:]) / rows[39]["prompt_tokens"], 3),
        "prefix_of_the_previous_call": {"least": round(min(later), 3), "mean": round(statistics.mean(later), 3)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    options = parser.parse_args()
    if not os.environ.get("LASTRO_SHARED"):
        raise SystemExit("LASTRO_SHARED must name the folder of outside data")
    with Counting() as counting:
        figures = {
            "python": platform.python_version(),
            "measured": datetime.now(UTC).date().isoformat(),
            "tokenizer": counting.server.tok.name,
            "forty fields": forty_fields(counting),
            "equal state": equal_state(counting),
        }
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    print(text)
    if options.write:
        FIGURES.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
