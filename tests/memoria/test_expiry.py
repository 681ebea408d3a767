"""D1: how long a value holds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoria import review
from memoria.durations import duration
from memoria.errors import Code
from memoria.events import EventKind, event_from_record, event_to_record
from memoria.expiry import ends_at, expire, next_expiry
from memoria.fields import InvalidTicketType
from memoria.patch import Json
from memoria.sources import SYSTEM
from memoria.state import Slot, slot_from_json, slot_to_json
from tests.memoria.bench import SARA, Bench, a_field, a_type


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("P30D", timedelta(days=30)),
        ("PT8H", timedelta(hours=8)),
        ("P2W", timedelta(weeks=2)),
        ("P1DT12H30M", timedelta(days=1, hours=12, minutes=30)),
        ("PT1M", timedelta(minutes=1)),
        ("P3660D", timedelta(days=3660)),
        *(
            (wrong, None)
            for wrong in ("", "P", "PT", "P1DT", "30D", "P1Y", "P1M", "PT30S", "P-1D", "p1d", "P0D", "P3661D", "P1W2D")
        ),
    ],
)
def test_d1_durations_are_those_that_are_always_as_long(text: str, length: timedelta | None) -> None:
    assert duration(text) == length


def test_d1_a_field_says_how_long_its_value_holds_and_nothing_else_is_taken() -> None:
    assert a_type({"/facts/a": a_field(valid_for="PT8H")}).fields["/facts/a"].holds_for == timedelta(hours=8)
    assert a_type({"/facts/a": a_field()}).fields["/facts/a"].holds_for is None
    for wrong in ("P1Y", 30, None, ""):
        with pytest.raises(InvalidTicketType, match="must be a duration"):
            a_type({"/facts/a": a_field(valid_for=wrong)})


FIELDS: dict[str, Json] = {
    "/facts/hora": a_field("customer", "agent", valid_for="PT8H", invalidates=["/facts/tecnico"]),
    "/facts/tecnico": a_field(),
    "/facts/preco": a_field(valid_for="P2D"),
}


@pytest.fixture
def bench() -> Bench:
    bench = Bench(a_type(FIELDS))
    bench.put("/facts/hora", "14h")
    bench.put("/facts/tecnico", "Ivo")
    return bench


def pass_time(bench: Bench, length: timedelta) -> bool:
    """Let the time pass and the scheduler come by; whether it made an event."""
    bench.now += length
    event = expire(bench.state, bench.desk(SYSTEM))
    if event is not None:
        bench._append(event)
    return event is not None


def test_d1_a_value_whose_time_is_over_awaits_confirmation_and_says_since_when(bench: Bench) -> None:
    end = ends_at("/facts/hora", bench.slot("/facts/hora"), bench.ticket_type)
    assert end is not None
    assert not pass_time(bench, timedelta(hours=7))

    assert pass_time(bench, timedelta(hours=2))

    slot = bench.slot("/facts/hora")
    assert (bench.value("/facts/hora"), slot.status) == ("14h", "needs_confirmation")
    assert slot_to_json(slot)["stale_because"] == {"cause": "expired", "since": end.isoformat()}
    assert slot_from_json(slot_to_json(slot)) == slot
    event = bench.events[-1]
    assert (event.kind, event.actor) == (EventKind.EXPIRED, SYSTEM)
    assert event.cause == {"values": [{"pointer": "/facts/hora", "since": end.isoformat(), "valid_for": "PT8H"}]}
    assert event_from_record(event_to_record(event)) == event


def test_d1_at_the_very_end_it_is_over_and_what_confirmed_it_is_said_no_more(bench: Bench) -> None:
    bench.now += timedelta(hours=9)
    assert pass_time(bench, timedelta())
    bench.confirm("/facts/hora")
    assert bench.slot("/facts/hora").confirmed is not None
    end = ends_at("/facts/hora", bench.slot("/facts/hora"), bench.ticket_type)
    assert end is not None

    assert not pass_time(bench, end - bench.now - timedelta(microseconds=1))
    assert pass_time(bench, end - bench.now)

    assert bench.slot("/facts/hora").confirmed is None


def test_d1_it_happens_once_and_nothing_falls_with_it(bench: Bench) -> None:
    pass_time(bench, timedelta(hours=9))

    assert bench.status("/facts/tecnico") == "current"  # no value changed (K7)
    assert not pass_time(bench, timedelta(days=9))


def test_d1_several_that_are_over_are_one_event_in_the_state_s_order(bench: Bench) -> None:
    bench.put("/facts/preco", "R$ 10")

    assert pass_time(bench, timedelta(days=3))
    assert [entry["pointer"] for entry in bench.events[-1].cause["values"]] == ["/facts/hora", "/facts/preco"]


def test_d1_a_confirmation_counts_from_its_own_moment(bench: Bench) -> None:
    pass_time(bench, timedelta(hours=9))
    bench.confirm("/facts/hora")
    assert bench.status("/facts/hora") == "current"

    assert not pass_time(bench, timedelta(hours=7))
    assert pass_time(bench, timedelta(hours=2))


def test_d1_the_same_words_again_count_anew_and_new_words_replace_it(bench: Bench) -> None:
    pass_time(bench, timedelta(hours=9))
    message = bench.say("customer", "isso, 14h")
    held = bench.one("add", "/facts/hora", "14h", (message, "14h"))
    assert held.judgement.code is Code.SAME_VALUE
    bench.accept(held)

    assert bench.status("/facts/hora") == "current"
    assert next_expiry(bench.state, bench.ticket_type) == bench.slot("/facts/hora").age.at + timedelta(hours=8)


def test_d1_what_is_disputed_or_in_doubt_ends_no_more(bench: Bench) -> None:
    bench.ticket_type = a_type({**FIELDS, "/facts/hora": a_field("customer", "agent", tie="conflict", valid_for="PT8H")})
    first = bench.say("customer", "às 15h")
    bench.accept(bench.one("add", "/facts/hora", "15h", (first, "15h")))
    bench.put("/facts/hora", "16h")  # staff are weaker: a divergence
    assert bench.status("/facts/hora") == "conflict"

    assert next_expiry(bench.state, bench.ticket_type) is None
    assert not pass_time(bench, timedelta(days=9))


def test_d1_the_next_end_is_the_first_one(bench: Bench) -> None:
    bench.put("/facts/preco", "R$ 10")
    slot: Slot = bench.slot("/facts/hora")

    assert next_expiry(bench.state, bench.ticket_type) == slot.age.at + timedelta(hours=8)
    assert next_expiry(bench.state, a_type()) is None


def test_d1_an_end_can_be_taken_back_but_not_the_time(bench: Bench) -> None:
    pass_time(bench, timedelta(hours=9))
    version = bench.state.version
    undone = review.undo(
        bench.state,
        version,
        bench.desk(SARA),
        version,
        bench.events[-1:],
        "engano",
    )
    bench._append(undone)
    assert bench.status("/facts/hora") == "current"

    assert pass_time(bench, timedelta(minutes=1))
