"""Which day, or which moment, Portuguese words mean, counted from when and where they were said (M6).

Where the words leave a choice, nothing is chosen: the answer says what they may mean. There is no clock here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from enum import StrEnum

from memoria.calendar import WorkingCalendar
from memoria.date_words import Clock, Day, Spoken, Unclear, Why, clock_times, plain, spoken_days

__all__ = ["Certainty", "Resolved", "Unresolved", "Why", "agrees", "resolve"]


class Certainty(StrEnum):
    STATED = "stated"  # the day stands there with its year
    COUNTED = "counted"  # counted from the message's own time, with one way to count
    ASSUMED = "assumed"  # the nearest one that lies ahead: a month or year was left out


@dataclass(frozen=True, slots=True)
class Resolved:
    """A day, or a moment with its zone, and the words that it was resolved from."""

    value: date | datetime
    expression: str  # as written
    start: int  # code points of the text
    end: int
    certainty: Certainty

    @property
    def iso(self) -> str:
        """As a commitment's `due` holds it."""
        return self.value.isoformat()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why no single day comes of the words, and the days that they may mean."""

    why: Why
    expression: str = ""
    options: tuple[date, ...] = ()


def resolve(text: str, said_at: datetime, zone: tzinfo, calendar: WorkingCalendar) -> Resolved | Unresolved:
    """The day or moment that `text` names, for words said at `said_at` (with zone) by someone in `zone`.

    `text` is an expression or the sentence around it. A day with a time of day is a moment; a part of the day
    ("de manhã") leaves it a day. Several days that differ, and words that name none, stay unresolved.
    """
    said = said_at.astimezone(zone)
    words = plain(text)
    days = spoken_days(words, said, calendar)
    times = clock_times(words, days)
    if not days and not times:
        return Unresolved(Why.NOTHING)
    if not days:
        return _time_alone(text, times, said)
    unclear = next((day for day in days if isinstance(day.reading, Unclear)), None)
    if unclear is not None and isinstance(unclear.reading, Unclear):
        return Unresolved(unclear.reading.why, text[unclear.start : unclear.end], unclear.reading.options)
    return _day_with_time(text, days, times, said)


def agrees(due: str, text: str, said_at: datetime, zone: tzinfo, calendar: WorkingCalendar) -> bool | None:
    """Whether a due (ISO 8601) is what the words it was resolved from come to; None where they come to no single day.

    A day agrees with a moment on it: whoever named the hour need not have put it into the due, nor the other way round.
    """
    found = resolve(text, said_at, zone, calendar)
    if isinstance(found, Unresolved):
        return None
    if len(due) == len("2026-03-10"):
        claimed: date = date.fromisoformat(due)
    else:
        moment = datetime.fromisoformat(due.upper())
        if isinstance(found.value, datetime):
            return moment == found.value
        claimed = moment.astimezone(zone).date()
    day = found.value.astimezone(zone).date() if isinstance(found.value, datetime) else found.value
    return claimed == day


def _day_with_time(text: str, days: Sequence[Spoken], times: Sequence[Spoken], said: datetime) -> Resolved | Unresolved:
    readings = [day.reading for day in days if isinstance(day.reading, Day)]
    values = list(dict.fromkeys(reading.value for reading in readings))
    if len(values) > 1:
        options = tuple(dict.fromkeys(value.date() if isinstance(value, datetime) else value for value in values))
        return Unresolved(Why.SEVERAL, text[days[0].start : days[-1].end], options)
    value, certainty = values[0], Certainty(readings[0].certainty)
    start, end = days[0].start, days[-1].end
    if isinstance(value, datetime) or not times:
        return Resolved(value, text[start:end], start, end, certainty)
    start, end = min(start, times[0].start), max(end, times[-1].end)
    hour = _one_time(times)
    if hour is None:
        return Unresolved(Why.HOUR, text[start:end], (value,))
    return _moment(value, hour, said, text, (start, end), certainty)


def _time_alone(text: str, times: Sequence[Spoken], said: datetime) -> Resolved | Unresolved:
    """A time without a day is today's, where that lies ahead; else it may be another day's."""
    start, end = times[0].start, times[-1].end
    hour = _one_time(times)
    if hour is None:
        return Unresolved(Why.HOUR, text[start:end])
    if hour <= said.time():
        return Unresolved(Why.PAST_HOUR, text[start:end], (said.date(),))
    return _moment(said.date(), hour, said, text, (start, end), Certainty.ASSUMED)


def _one_time(times: Sequence[Spoken]) -> time | None:
    """The one time of day that is named; None where there are several, or where an hour may be morning's or evening's."""
    named = {found.reading.hour if not found.reading.unclear else None for found in times if isinstance(found.reading, Clock)}
    return named.pop() if len(named) == 1 else None


def _moment(
    day: date, hour: time, said: datetime, text: str, span: tuple[int, int], certainty: Certainty
) -> Resolved | Unresolved:
    """The moment of a local day and time; one that a change of clocks skips or repeats is none."""
    start, end = span
    moment = datetime.combine(day, hour, said.tzinfo)
    if moment.astimezone(UTC).astimezone(said.tzinfo).replace(tzinfo=None) != moment.replace(tzinfo=None):
        return Unresolved(Why.NO_SUCH_TIME, text[start:end], (day,))
    if moment.utcoffset() != moment.replace(fold=1).utcoffset():
        return Unresolved(Why.HOUR, text[start:end], (day,))
    return Resolved(moment, text[start:end], start, end, certainty)
