"""When the model reads a ticket's messages, as the ticket type says (T4): after each burst, on chosen events, at set times
or on demand alone; and how often at most.

The times are worked out here; what is owed to whom, and when it was last done, the caller knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import jsonschema_rs

from memoria.patch import Json


class When(StrEnum):
    BURST = "burst"  # after each burst of messages
    EVENTS = "events"  # only on chosen events
    SCHEDULE = "schedule"  # every so many minutes, or at set times, while the ticket is open
    DEMAND = "demand"  # only when a person asks


class Event(StrEnum):
    """What may have the model read. What was said until then is read with it."""

    CUSTOMER_MESSAGE = "customer_message"  # by the customer, or a third party
    CLOSING = "closing"
    REOPENED = "reopened"
    ASSIGNED = "assigned"  # to a person


SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {
        "when": {"enum": [item.value for item in When]},
        "on": {"type": "array", "items": {"enum": [item.value for item in Event]}, "minItems": 1, "uniqueItems": True},
        "every_minutes": {"type": "integer", "minimum": 5, "maximum": 1440},
        "at": {
            "type": "array",
            "items": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
            "minItems": 1,
            "maxItems": 24,
            "uniqueItems": True,
        },
        "most_per_ticket_and_day": {"type": "integer", "minimum": 1, "maximum": 1000},
        "most_per_day": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
    },
    "required": ["when"],
    "additionalProperties": False,
    "allOf": [
        {
            "if": {"properties": {"when": {"const": "events"}}, "required": ["when"]},
            "then": {"required": ["on"]},
            "else": {"properties": {"on": False}},
        },
        {
            "if": {"properties": {"when": {"const": "schedule"}}, "required": ["when"]},
            "then": {"oneOf": [{"required": ["every_minutes"]}, {"required": ["at"]}]},
            "else": {"properties": {"every_minutes": False, "at": False}},
        },
    ],
}
"""What the member `reading` of a ticket type file may hold."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A ticket type's choice. `every` in minutes from the day's beginning on; `at` and days are in the organisation's zone."""

    when: When = When.BURST
    on: frozenset[Event] = frozenset()
    every: int | None = None
    at: tuple[time, ...] = ()
    most_per_ticket: int | None = None  # and day; None: no cap
    most_per_day: int | None = None  # of all tickets of the type


@lru_cache(maxsize=1)
def _validator() -> Any:
    return jsonschema_rs.validator_for(dict(SCHEMA))


def problems(document: Json) -> Iterator[tuple[str, str]]:
    """Where and why the member is none: pointers into it, and what is wrong in plain English."""
    for error in _validator().iter_errors(document):
        yield "".join(f"/{part}" for part in error.instance_path), str(error.message)


def read(document: Mapping[str, Any] | None) -> Reading:
    """The member as it was checked; None: the type has none, and reads after each burst."""
    if document is None:
        return Reading()
    return Reading(
        When(document["when"]),
        frozenset(map(Event, document.get("on", ()))),
        document.get("every_minutes"),
        tuple(sorted(time.fromisoformat(text) for text in document.get("at", ()))),
        document.get("most_per_ticket_and_day"),
        document.get("most_per_day"),
    )


def next_time(reading: Reading, moment: datetime, zone: ZoneInfo) -> datetime | None:
    """The first set time after `moment`; None where the type has no schedule.

    Where the clock is put forward a time that is skipped comes with the hour that follows, as Python's zones have it.
    """
    if reading.when is not When.SCHEDULE:
        return None
    here = moment.astimezone(zone)
    days = (here.date() + timedelta(days=number) for number in range(3))
    later = (found for day in days for found in _times(reading, day, zone) if found > moment)
    return next(later, None)


def _times(reading: Reading, day: date, zone: ZoneInfo) -> Iterator[datetime]:
    """The day's set times, in order."""
    times = reading.at
    if reading.every is not None:
        minutes = range(0, 24 * 60, reading.every)
        times = tuple(time(number // 60, number % 60) for number in minutes)
    return iter(sorted(datetime.combine(day, at, zone) for at in times))


def first_free_day(reading: Reading, counts: Iterator[tuple[date, int, int]]) -> date | None:
    """The first of these days on which one more reading is allowed: each with the ticket's readings and the type's.

    None where none of them has room.
    """
    for day, of_ticket, of_type in counts:
        full = reading.most_per_ticket is not None and of_ticket >= reading.most_per_ticket
        if not full and not (reading.most_per_day is not None and of_type >= reading.most_per_day):
            return day
    return None
