"""What the tests of a reply's check share: a ticket type, a ground, and what happened on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memoria.proposals import Change
from memoria.reply_check import Finding, Ground, Proposed
from tests.memoria.bench import Bench, a_field, a_type, cite

ZONE = ZoneInfo("America/Recife")
WEDNESDAY = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
FRIDAY = datetime(2026, 3, 13, 10, 0, tzinfo=ZONE)
SERVICE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro da visita", invalidates=["/facts/horario", "commitments:visit"]),
        "/facts/horario": a_field("tool", "agent", "customer", label="Horário"),
        "/facts/endereco": a_field("registry", "customer", label="Endereço"),
        "/facts/orcamento": a_field("tool", "agent", label="Orçamento (R$)", schema={"type": "number"}),
        "/facts/compra": a_field(label="Comprado em", schema={"type": "string", "format": "date"}),
        "/facts/garantia": a_field(label="Em garantia", schema={"type": "boolean"}),
        "/facts/defeitos": a_field(label="Defeitos", schema={"type": "array", "items": {"type": "string"}}),
    },
)
Given = Callable[[Bench], object]
Told = tuple[str, str, str]  # code, words, pointer or why


def put(path: str, value: object) -> Given:
    return lambda bench: bench.put(path, value)


def task(words: str, **more: object) -> Given:
    return put("/commitments/-", {"task": words, "owner": "team", **more})


def said(kind: str, path: str, value: object, words: str) -> Given:
    def run(bench: Bench) -> None:
        message = bench.say(kind, words)
        bench.accept(bench.propose(Change("add", path, value, cite((message, words))))[0])

    return run


def withdraw(path: str) -> Given:
    return lambda bench: bench.put(path)


def ground(*given: Given, now: datetime = WEDNESDAY, undecided: Sequence[Proposed] = (), **more: object) -> Ground:
    bench = Bench(SERVICE)
    for step in given:
        step(bench)
    return replace(Ground(bench.state, SERVICE, now, ZONE, undecided=undecided), **more)  # type: ignore[arg-type]


def told(text: str, found: Sequence[Finding]) -> list[Told]:
    return [(item.code.value, text[item.start : item.end], item.why or item.pointer) for item in found]
