"""When a server is left alone, for how long, and what brings it back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memoria.breaker import FIRST_PAUSE, LONGEST_PAUSE, OPENS_AFTER, Breaker, Circuit, after
from memoria.runs import Answered, Declined, Outcome, Problem, Rejected, Unreached, Unreadable

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
DOWN = Unreached("connection")
FINE = Answered(())


def tried(*outcomes: Outcome, breaker: Breaker | None = None, now: datetime = NOW) -> Breaker:
    breaker = breaker or Breaker()
    for outcome in outcomes:
        breaker = after(breaker, outcome, now)
    return breaker


def test_failures_in_a_row_open_it_and_one_fewer_does_not() -> None:
    assert tried(*[DOWN] * (OPENS_AFTER - 1)).circuit(NOW) is Circuit.CLOSED
    opened = tried(*[DOWN] * OPENS_AFTER)
    assert opened.circuit(NOW) is Circuit.OPEN
    assert opened.open_until == NOW + timedelta(seconds=FIRST_PAUSE)


@pytest.mark.parametrize(
    "answer", [FINE, Unreadable(Problem.TRUNCATED, "cut", "{"), Declined(Problem.EMPTY), Rejected(401), Rejected(400)]
)
def test_whatever_the_server_answers_it_is_there(answer: Outcome) -> None:
    assert tried(*[DOWN] * (OPENS_AFTER - 1), answer, DOWN) == Breaker(1)
    late = NOW + timedelta(hours=1)
    assert tried(answer, breaker=tried(*[DOWN] * OPENS_AFTER), now=late) == Breaker()


@pytest.mark.parametrize("kind", ["connection", "timeout", "server_error", "not_a_completion"])
def test_each_way_of_not_answering_counts(kind: str) -> None:
    assert tried(Unreached(kind)).failures == 1


def test_a_rate_limit_says_nothing_of_its_health() -> None:
    limited = Unreached("rate_limit", 5.0, 429)
    assert tried(*[limited] * 50) == Breaker()
    assert tried(DOWN, limited, DOWN).failures == 2


def test_what_was_asked_before_it_opened_changes_nothing() -> None:
    opened = tried(*[DOWN] * OPENS_AFTER)
    assert tried(*[DOWN] * 20, breaker=opened) == opened


def test_each_failed_trial_doubles_the_pause_up_to_the_longest() -> None:
    breaker, now, pauses = tried(*[DOWN] * OPENS_AFTER), NOW, []
    for _ in range(7):
        pauses.append(breaker.pause)
        now += timedelta(seconds=breaker.pause)
        assert breaker.circuit(now) is Circuit.HALF_OPEN
        breaker = after(breaker, DOWN, now)
    assert pauses == [15.0, 30.0, 60.0, 120.0, 240.0, LONGEST_PAUSE, LONGEST_PAUSE]
