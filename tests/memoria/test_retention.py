"""L1, L4: which periods may stand together, what is over its period, and what a hold keeps."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.retention import LONGEST, OF_TICKETS, DataClass, Fault, Hold, cut_off, effective, faults, held

MESSAGES, MODEL, HISTORY, IMPORTS, LOG = DataClass
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
TODAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("periods", "wrong"),
    [
        ({}, {}),
        ({MESSAGES: 1, MODEL: 1, HISTORY: 1, IMPORTS: 1, LOG: 1}, {}),
        ({MESSAGES: 365, MODEL: 90, HISTORY: 730, IMPORTS: 30, LOG: 36_500}, {}),
        ({MODEL: 90, IMPORTS: 90, LOG: 5}, {}),  # messages are kept for good; copies need not be
        ({MESSAGES: 0}, {MESSAGES: Fault.NO_PERIOD}),
        ({LOG: LONGEST + 1}, {LOG: Fault.NO_PERIOD}),
        ({MESSAGES: 30, MODEL: 31}, {MODEL: Fault.OUTLIVES_MESSAGES}),
        ({MESSAGES: 30, IMPORTS: 31, MODEL: 30}, {IMPORTS: Fault.OUTLIVES_MESSAGES}),
        ({MESSAGES: 30, MODEL: LONGEST + 1}, {MODEL: Fault.NO_PERIOD}),  # the first thing that is wrong
        ({MESSAGES: 30, HISTORY: 29}, {HISTORY: Fault.BEFORE_MESSAGES}),
        ({HISTORY: 29}, {HISTORY: Fault.BEFORE_MESSAGES}),
        ({HISTORY: 0, MESSAGES: 2}, {HISTORY: Fault.NO_PERIOD}),
        ({MESSAGES: 30, LOG: 1}, {}),
    ],
)
def test_periods_that_cannot_stand_together_are_named(periods: dict[DataClass, int], wrong: dict[DataClass, Fault]) -> None:
    assert faults(periods) == wrong


@pytest.mark.parametrize(
    ("periods", "applied"),
    [
        ({}, {}),
        ({MODEL: 5}, {MODEL: 5}),
        ({MESSAGES: 30}, {MESSAGES: 30, MODEL: 30, IMPORTS: 30}),
        ({MESSAGES: 30, MODEL: 7, HISTORY: 60}, {MESSAGES: 30, MODEL: 7, IMPORTS: 30, HISTORY: 60}),
        ({MESSAGES: 30, IMPORTS: 60}, {MESSAGES: 30, MODEL: 30, IMPORTS: 30}),
        ({HISTORY: 60, LOG: 9}, {HISTORY: 60, LOG: 9}),
    ],
)
def test_a_copy_goes_with_the_messages_at_the_latest(periods: dict[DataClass, int], applied: dict[DataClass, int]) -> None:
    assert effective(periods) == applied


days = st.dictionaries(st.sampled_from(list(DataClass)), st.integers(-2, LONGEST + 2))


@given(days)
def test_periods_without_a_fault_keep_their_order(periods: dict[DataClass, int]) -> None:
    applied = effective(periods)
    if not faults(periods):
        assert set(periods.items()) <= set(applied.items())
        known = [applied.get(kind, LONGEST + 1) for kind in OF_TICKETS]
        assert known == sorted(known) or MESSAGES not in applied


def test_a_period_ends_to_the_moment() -> None:
    assert cut_off(30, NOW) == datetime(2026, 2, 8, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hold", "stands"),
    [
        (Hold(None), True),
        (Hold(None, lifted=True), False),
        (Hold(TODAY), True),
        (Hold(date(2026, 3, 9)), False),
        (Hold(date(2026, 3, 11)), True),
        (Hold(date(2026, 3, 11), lifted=True), False),
    ],
)
def test_a_hold_stands_through_its_last_day_unless_it_is_lifted(hold: Hold, stands: bool) -> None:
    assert hold.stands(TODAY) is stands
    assert held([Hold(None, lifted=True), hold], TODAY) is stands


def test_without_a_hold_nothing_is_held() -> None:
    assert not held([], TODAY)
