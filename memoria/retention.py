"""How long what is kept is kept (L1): classes of data, their periods, and the holds that stand against both (L4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

SHORTEST: Final = 1
LONGEST: Final = 36_500
"""Bounds of a period, in days."""


class DataClass(StrEnum):
    """What has a period of its own. Of a ticket it counts from its closing, else from when the thing was made."""

    MESSAGES = "messages"  # texts, their revisions, authors and attachments
    MODEL = "model"  # what the model was asked and what it answered
    HISTORY = "history"  # values, quotes and reasons: state, events, changes, corrections
    IMPORTS = "imports"  # files that conversations were brought in from
    LOG = "log"  # administrative acts and readings of what is sensitive


OF_TICKETS: Final = (DataClass.MODEL, DataClass.MESSAGES, DataClass.HISTORY)
"""Erased ticket by ticket, in this order: what was made from words goes before the words, and what rests on them after."""

COPIES: Final = frozenset({DataClass.MODEL, DataClass.IMPORTS})
"""They hold messages word for word, so they do not outlive them."""


class Fault(StrEnum):
    NO_PERIOD = "retention.no_period"  # no whole number of days within the bounds
    OUTLIVES_MESSAGES = "retention.outlives_messages"  # a copy would be kept for longer than the messages
    BEFORE_MESSAGES = "retention.before_messages"  # what rests on messages would go before them


Periods = Mapping[DataClass, int]
"""Days by class. A class that is not named is kept without limit; a copy that is not named goes with the messages."""


def faults(periods: Periods) -> Mapping[DataClass, Fault]:
    """What is wrong with these periods, by class; empty where nothing is (L1)."""
    found = {kind: Fault.NO_PERIOD for kind, days in periods.items() if not SHORTEST <= days <= LONGEST}
    messages = periods.get(DataClass.MESSAGES)
    for kind in COPIES & periods.keys():
        if messages is not None and periods[kind] > messages:
            found.setdefault(kind, Fault.OUTLIVES_MESSAGES)
    history = periods.get(DataClass.HISTORY)
    if history is not None and (messages is None or history < messages):
        found.setdefault(DataClass.HISTORY, Fault.BEFORE_MESSAGES)
    return found


def effective(periods: Periods) -> dict[DataClass, int]:
    """The periods as they are applied: a copy's is at most that of the messages."""
    applied = dict(periods)
    messages = periods.get(DataClass.MESSAGES)
    if messages is not None:
        for kind in COPIES:
            applied[kind] = min(applied.get(kind, messages), messages)
    return applied


def cut_off(days: int, now: datetime) -> datetime:
    """What ended, or was made, at this moment or before is over its period."""
    return now - timedelta(days=days)


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold: until the end of a day, or until it is lifted (`until` None)."""

    until: date | None
    lifted: bool = False

    def stands(self, today: date) -> bool:
        """Whether nothing may be erased that it covers, on this day of the organisation's (L4)."""
        return not self.lifted and (self.until is None or today <= self.until)


def held(holds: Iterable[Hold], today: date) -> bool:
    """Whether any of these holds stands."""
    return any(hold.stands(today) for hold in holds)
