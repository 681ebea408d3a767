"""H3: the fold of events into a state, and its documents, also for logs that no decision of ours would have written."""

from __future__ import annotations

import pytest

from memoria.events import Event, EventKind
from memoria.sources import SYSTEM, Age, Author, Kind
from memoria.state import Slot, SlotStatus, State
from tests.memoria.bench import START, Bench, a_type
from tests.memoria.steps import promise

SLOT = Slot(SlotStatus.CURRENT, "customer", Author(Kind.CUSTOMER, "c-1", "Eva"), Age(START, 1), (), 1)


def an_event(slots: dict[str, tuple[Slot | None, Slot | None]], version: int = 1) -> Event:
    """An event that alters these slots alone."""
    return Event(version, EventKind.DECISION, SYSTEM, START, 1, slots=slots)


@pytest.mark.parametrize(
    ("pointer", "minted"),
    [
        ("/commitments/c-3", {"commitments": 3}),
        ("/pending/p-12", {"pending": 12}),
        ("/commitments/c-3/status", {}),  # a part of a member is none
        ("/commitments/p-3", {}),  # another collection's letter
        ("/commitments/c-x", {}),
        ("/commitments/c3", {}),
        ("/commitments/3", {}),
        ("/facts/c-3", {}),
    ],
)
def test_the_last_id_given_is_read_from_the_members_alone(pointer: str, minted: dict[str, int]) -> None:
    """2: no id is given twice."""
    assert dict(State().evolve(an_event({pointer: (None, SLOT)})).minted) == minted


def test_a_lower_id_written_later_does_not_lower_the_count() -> None:
    """2."""
    event = an_event({"/commitments/c-7": (None, SLOT), "/commitments/c-2": (None, SLOT)})
    state = State().evolve(event)
    assert dict(state.minted) == {"commitments": 7}
    later = an_event({"/commitments/c-4": (None, SLOT)}, version=2)
    assert dict(state.evolve(later).minted) == {"commitments": 7}


def test_going_back_gives_no_id_again() -> None:
    """H3, 2: a version that is read again knows which ids were given since."""
    bench = Bench(a_type())
    promise(bench)
    back = bench.state.rewind(bench.events[-1])
    assert (back.version, dict(back.minted), back.values["commitments"]) == (0, {"commitments": 1}, {})


def test_a_log_that_takes_away_a_slot_that_there_is_not_still_folds() -> None:
    """H2: a tampered log comes to another state, which the proof reports, and to no crash."""
    event = an_event({"/facts/a": (None, None)})
    assert dict(State().evolve(event).slots) == {}
    assert dict(State().evolve(event).rewind(event).slots) == {}
