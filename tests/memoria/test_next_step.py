"""What is next: what is due, what the goal lacks, what was asked and tried. Each right answer beside a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memoria.next_step import Asked, Due, Lack, NextStep, Tried, When, Why, next_step, when_due
from memoria.proposals import Change
from tests.memoria.bench import Bench, a_field, a_type, cite

ZONE = ZoneInfo("America/Recife")
NOON = datetime(2026, 3, 10, 15, 0, tzinfo=UTC)  # 12:00 in Recife
SERVICE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro", invalidates=["/facts/horario", "commitments:visit"]),
        "/facts/unidade": a_field(label="Unidade", invalidates=["commitments:visit"]),
        "/facts/horario": a_field("tool", "agent", "customer", label="Horário", invalidates=["/facts/lembrete"]),
        "/facts/lembrete": a_field(label="Lembrete"),
        "/facts/endereco": a_field("registry", "customer", label="Endereço"),
    },
)
Given = Callable[[Bench], object]


def at(bench: Bench, now: datetime = NOON) -> NextStep:
    return next_step(bench.state, bench.ticket_type, now, ZONE)


def said(bench: Bench, kind: str, path: str, value: object, words: str) -> int:
    message = bench.say(kind, words)
    return bench.accept(bench.propose(Change("add", path, value, cite((message, words))))[0])


def conflict(bench: Bench) -> None:
    said(bench, "registry", "/facts/endereco", "Rua A", "Rua A")
    said(bench, "customer", "/facts/endereco", "Rua B", "Rua B")


def withdrawn(bench: Bench) -> None:
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/bairro")


def fallen(bench: Bench) -> None:
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/horario", "quinta 14h")
    bench.put("/facts/lembrete", "véspera")
    bench.put("/facts/bairro", "Madalena")


def visit(bench: Bench) -> None:
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"})


def with_goal(*given: Given) -> Given:
    def run(bench: Bench) -> None:
        bench.put("/goal", "agendar visita")
        for step in given:
            step(bench)

    return run


def put(path: str, value: object) -> Given:
    return lambda bench: bench.put(path, value)


LACKS: list[tuple[str, Given, tuple[Lack, ...], tuple[Lack, ...]]] = [
    # name, what happened, what is lacking, what somebody might think
    ("no goal", lambda bench: None, (Lack(Why.NO_GOAL, ("/goal",)),), ()),
    ("a goal alone", with_goal(), (), (Lack(Why.NO_GOAL, ("/goal",)),)),
    (
        "a place leads to an hour",
        with_goal(put("/facts/bairro", "Boa Viagem")),
        (Lack(Why.LED_TO, ("/facts/horario",), "/facts/bairro"),),
        (Lack(Why.LED_TO, ("/facts/lembrete",), "/facts/bairro"),),
    ),
    (
        "an hour leads to a reminder, and nothing leads to the place",
        with_goal(put("/facts/horario", "quinta")),
        (Lack(Why.LED_TO, ("/facts/lembrete",), "/facts/horario"),),
        (Lack(Why.LED_TO, ("/facts/bairro",), "/facts/horario"),),
    ),
    (
        "a withdrawn value leads nowhere",
        with_goal(withdrawn),
        (Lack(Why.OPEN, ("/facts/bairro",)),),
        (Lack(Why.OPEN, ("/facts/bairro",)), Lack(Why.LED_TO, ("/facts/horario",), "/facts/bairro")),
    ),
    (
        "what fell awaits confirmation, in the ticket type's order",
        with_goal(fallen),
        (Lack(Why.NEEDS_CONFIRMATION, ("/facts/horario",)), Lack(Why.NEEDS_CONFIRMATION, ("/facts/lembrete",))),
        (Lack(Why.OPEN, ("/facts/horario",)), Lack(Why.OPEN, ("/facts/lembrete",))),
    ),
    ("two sources", with_goal(conflict), (Lack(Why.CONFLICT, ("/facts/endereco",)),), ()),
    (
        "a divergence before what is open",
        with_goal(withdrawn, conflict),
        (Lack(Why.CONFLICT, ("/facts/endereco",)), Lack(Why.OPEN, ("/facts/bairro",))),
        (Lack(Why.OPEN, ("/facts/bairro",)), Lack(Why.CONFLICT, ("/facts/endereco",))),
    ),
    (
        "a visit without a place: one of its grounds is enough",
        with_goal(visit),
        (Lack(Why.NO_GROUND, ("/facts/bairro", "/facts/unidade"), "/commitments/c-1"),),
        (Lack(Why.OPEN, ("/facts/bairro",)), Lack(Why.OPEN, ("/facts/unidade",))),
    ),
    (
        "a visit with one ground",
        with_goal(visit, put("/facts/unidade", "Centro")),
        (),
        (Lack(Why.NO_GROUND, ("/facts/bairro", "/facts/unidade"), "/commitments/c-1"),),
    ),
    (
        "a visit whose place was withdrawn says so once",
        with_goal(visit, withdrawn),
        (Lack(Why.OPEN, ("/facts/bairro",)),),
        (
            Lack(Why.OPEN, ("/facts/bairro",)),
            Lack(Why.NO_GROUND, ("/facts/bairro", "/facts/unidade"), "/commitments/c-1"),
        ),
    ),
    (
        "a cancelled visit asks for no place",
        with_goal(visit, put("/commitments/c-1/status", "cancelled")),
        (),
        (Lack(Why.NO_GROUND, ("/facts/bairro", "/facts/unidade"), "/commitments/c-1"),),
    ),
    (
        "a commitment of no kind has no ground",
        with_goal(put("/commitments/-", {"task": "ligar", "owner": "team"})),
        (),
        (Lack(Why.NO_GROUND, (), "/commitments/c-1"),),
    ),
]


@pytest.mark.parametrize(("given", "right", "wrong"), [row[1:] for row in LACKS], ids=[row[0] for row in LACKS])
def test_what_the_goal_lacks(given: Given, right: tuple[Lack, ...], wrong: tuple[Lack, ...]) -> None:
    bench = Bench(SERVICE)
    given(bench)
    assert at(bench).lacks == right
    assert right != wrong


@pytest.mark.parametrize(
    ("due", "now", "right", "wrong"),
    [
        ("2026-03-09", NOON, When.OVERDUE, When.TODAY),
        ("2026-03-10", NOON, When.TODAY, When.OVERDUE),
        ("2026-03-11", NOON, When.LATER, When.TODAY),
        (None, NOON, When.UNDATED, When.LATER),
        ("2026-03-10T11:59:00-03:00", NOON, When.OVERDUE, When.TODAY),
        ("2026-03-10T12:01:00-03:00", NOON, When.TODAY, When.OVERDUE),
        ("2026-03-10T12:00:00-03:00", NOON, When.TODAY, When.OVERDUE),
        # It is still the 10th in Recife, though the 11th in UTC.
        ("2026-03-10", datetime(2026, 3, 11, 2, 30, tzinfo=UTC), When.TODAY, When.OVERDUE),
        ("2026-03-11", datetime(2026, 3, 11, 2, 30, tzinfo=UTC), When.LATER, When.TODAY),
        ("2026-03-11t01:00:00z", datetime(2026, 3, 10, 23, 0, tzinfo=UTC), When.TODAY, When.LATER),
    ],
)
def test_how_near_the_end_is(due: str | None, now: datetime, right: When, wrong: When) -> None:
    assert when_due(due, now, ZONE) is right
    assert right is not wrong


def test_what_is_overdue_stands_before_what_is_due_today_however_they_were_made() -> None:
    bench = Bench(SERVICE)
    for task, due in (("a", None), ("b", "2026-03-12"), ("c", "2026-03-10"), ("d", "2026-03-08"), ("e", "2026-03-05")):
        bench.put("/commitments/-", {"task": task, "owner": "team", "due": due})
    found = at(bench).due
    assert [item.pointer[-1] for item in found] == ["5", "4", "3", "2", "1"]
    assert [item.when for item in found] == [When.OVERDUE, When.OVERDUE, When.TODAY, When.LATER, When.UNDATED]


def test_a_finished_commitment_is_due_no_more_and_a_fallen_one_is_in_doubt() -> None:
    bench = Bench(SERVICE)
    bench.put("/facts/bairro", "Boa Viagem")
    visit(bench)
    assert at(bench).due == (Due("/commitments/c-1", When.UNDATED),)
    bench.put("/facts/bairro", "Madalena")
    assert at(bench).due == (Due("/commitments/c-1", When.UNDATED, doubtful=True),)
    bench.put("/commitments/c-1/status", "cancelled")
    assert at(bench).due == ()


def test_what_the_customer_asked_stands_before_what_we_asked_and_what_is_answered_goes() -> None:
    bench = Bench(SERVICE)
    bench.put("/pending/-", {"question": "Serve quinta?"})
    said(bench, "customer", "/pending/-", {"question": "Qual o valor?"}, "Qual o valor?")
    assert at(bench).asked == (Asked("/pending/p-2", by_staff=False), Asked("/pending/p-1", by_staff=True))
    bench.put("/pending/p-1/status", "answered")
    assert at(bench).asked == (Asked("/pending/p-2", by_staff=False),)


def test_what_was_tried_last_stands_first() -> None:
    bench = Bench(SERVICE)
    bench.put("/attempts/-", {"action": "religar", "by": "customer"})
    bench.put("/attempts/-", {"action": "trocar a tomada", "by": "customer", "status": "failed"})
    assert at(bench).tried == (Tried("/attempts/t-2", "failed"), Tried("/attempts/t-1", "tried"))
    assert not at(bench).nothing_left


def test_nothing_is_left_only_where_nothing_is_due_missing_asked_or_half_tried() -> None:
    bench = Bench(SERVICE)
    assert not at(bench).nothing_left
    bench.put("/goal", "só uma dúvida")
    assert at(bench).nothing_left
    bench.put("/attempts/-", {"action": "religar", "status": "suggested"})
    assert not at(bench).nothing_left
    bench.put("/attempts/t-1/status", "worked")
    assert at(bench).nothing_left
