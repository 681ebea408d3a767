"""Whether a commitment was kept, and what closing a ticket would leave."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memoria.fates import Became, Fate, Left, became, left
from memoria.proposals import Change
from tests.memoria.bench import Bench, a_field, a_type, cite

ZONE = ZoneInfo("America/Recife")
NOON = datetime(2026, 3, 10, 15, 0, tzinfo=UTC)  # 12:00 in Recife; a bench's own time is some minutes after 9:00 there
LATER = datetime(2026, 3, 20, 15, 0, tzinfo=UTC)


def finish(bench: Bench, status: str) -> None:
    """A tool says what became of c-1; a cancellation is staff's."""
    message = bench.say("agent" if status == "cancelled" else "tool", "resultado registrado")
    bench.accept(
        bench.propose(Change("replace", "/commitments/c-1/status", status, cite((message, "resultado registrado"))))[0]
    )


@pytest.mark.parametrize(
    ("due", "status", "now", "right", "wrong"),
    [
        (None, "done", NOON, Fate.KEPT, Fate.KEPT_IN_TIME),
        ("2026-03-10", "done", NOON, Fate.KEPT_IN_TIME, Fate.KEPT_LATE),
        ("2026-03-11", "done", LATER, Fate.KEPT_IN_TIME, Fate.OVERDUE),
        ("2026-03-09", "done", NOON, Fate.KEPT_LATE, Fate.KEPT_IN_TIME),
        ("2026-03-10T08:00:00-03:00", "done", NOON, Fate.KEPT_LATE, Fate.KEPT_IN_TIME),
        ("2026-03-10T18:00:00-03:00", "done", NOON, Fate.KEPT_IN_TIME, Fate.KEPT_LATE),
        ("2026-03-09", "failed", NOON, Fate.FAILED, Fate.OVERDUE),
        (None, "failed", NOON, Fate.FAILED, Fate.UNDATED),
        ("2026-03-09", "cancelled", NOON, Fate.CANCELLED, Fate.OVERDUE),
        (None, None, NOON, Fate.UNDATED, Fate.RUNNING),
        ("2026-03-09", None, NOON, Fate.OVERDUE, Fate.RUNNING),
        ("2026-03-10", None, NOON, Fate.RUNNING, Fate.OVERDUE),
        ("2026-03-10", None, LATER, Fate.OVERDUE, Fate.RUNNING),
        ("2026-03-10", "in_progress", NOON, Fate.RUNNING, Fate.KEPT_IN_TIME),
        ("2026-03-10T11:59:00-03:00", None, NOON, Fate.OVERDUE, Fate.RUNNING),
        # In UTC it is the 11th already; in Recife the 10th is not over.
        ("2026-03-10", None, datetime(2026, 3, 11, 2, 59, tzinfo=UTC), Fate.RUNNING, Fate.OVERDUE),
        ("2026-03-10", None, datetime(2026, 3, 11, 3, 1, tzinfo=UTC), Fate.OVERDUE, Fate.RUNNING),
    ],
)
def test_what_became_of_a_commitment(due: str | None, status: str | None, now: datetime, right: Fate, wrong: Fate) -> None:
    bench = Bench(a_type())
    bench.put("/commitments/-", {"task": "ligar", "owner": "team", "due": due})
    if status is not None:
        finish(bench, status)
    found = became("/commitments/c-1", bench.state.values["commitments"]["c-1"], bench.state.slots, now, ZONE)
    assert found.fate is right
    assert found.fate is not wrong
    assert (found.at is not None) is (status not in (None, "in_progress"))


def test_it_was_finished_when_the_words_were_said_and_nobody_knows_when_without_any() -> None:
    bench = Bench(a_type())
    bench.put("/commitments/-", {"task": "ligar", "owner": "team"})
    finish(bench, "done")
    member, slots = bench.state.values["commitments"]["c-1"], bench.state.slots

    assert slots["/commitments/c-1/status"].age != slots["/commitments/c-1"].age
    assert became("/commitments/c-1", member, slots, NOON, ZONE).at == slots["/commitments/c-1/status"].age.at
    assert became("/commitments/c-1", member | {"due": "2026-03-09"}, {}, NOON, ZONE) == Became(Fate.KEPT, None)


def test_the_end_itself_is_still_in_time() -> None:
    bench = Bench(a_type())
    bench.put("/commitments/-", {"task": "ligar", "owner": "team"})
    finish(bench, "done")
    done = bench.slot("/commitments/c-1/status").age.at
    for end, fate in ((done, Fate.KEPT_IN_TIME), (done - timedelta(seconds=1), Fate.KEPT_LATE)):
        member = {"status": "done", "due": end.isoformat()}
        assert became("/commitments/c-1", member, bench.state.slots, NOON, ZONE).fate is fate
    for now, fate in ((NOON, Fate.RUNNING), (NOON + timedelta(seconds=1), Fate.OVERDUE)):
        assert became("/commitments/c-1", {"due": NOON.isoformat()}, {}, now, ZONE).fate is fate


def test_one_that_was_added_as_done_was_kept_when_its_words_were_said() -> None:
    bench = Bench(a_type())
    message = bench.say("agent", "liguei ontem", sent_at=datetime(2026, 3, 8, 12, 0, tzinfo=UTC))
    value: dict[str, Any] = {"task": "ligar", "owner": "team", "due": "2026-03-08", "status": "done"}
    bench.accept(bench.propose(Change("add", "/commitments/-", value, cite((message, "liguei ontem"))))[0])
    found = became("/commitments/c-1", bench.state.values["commitments"]["c-1"], bench.state.slots, NOON, ZONE)
    assert (found.fate, found.at) == (Fate.KEPT_IN_TIME, datetime(2026, 3, 8, 12, 0, tzinfo=UTC))


def test_what_closing_would_leave() -> None:
    kind = a_type(
        {
            "/facts/bairro": a_field(invalidates=["/facts/horario"]),
            "/facts/horario": a_field(),
            "/facts/endereco": a_field("registry", "customer"),
        }
    )
    bench = Bench(kind)
    assert left(bench.state, kind).nothing
    for path, value in (("bairro", "Boa Viagem"), ("horario", "14h"), ("bairro", "Madalena")):
        bench.put(f"/facts/{path}", value)
    for source, words in (("registry", "Rua A"), ("customer", "Rua B")):
        message = bench.say(source, words)
        bench.accept(bench.propose(Change("add", "/facts/endereco", words, cite((message, words))))[0])
    bench.put("/pending/-", {"question": "Serve?"})
    bench.put("/pending/-", {"question": "E agora?"})
    bench.put("/pending/p-2/status", "withdrawn")
    bench.put("/commitments/-", {"task": "ligar", "owner": "team"})
    bench.put("/commitments/-", {"task": "avisar", "owner": "team"})
    bench.put("/commitments/c-2/status", "cancelled")
    found = left(bench.state, kind)
    assert found == Left(("/facts/endereco", "/facts/horario"), ("/pending/p-1",), ("/commitments/c-1",))
    assert not found.nothing
