"""When whoever keeps a commitment is to be reminded of it: some working time before its due, and when it has come (M6).

There is no clock here: moments go out, and whoever has the time compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from memoria.calendar import WorkingCalendar
from memoria.members import FINISHED
from memoria.state import State

_GROUP: Final = "commitments"
_DAY: Final = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class Deadline:
    """An unfinished commitment with a due, and its moments in the organisation's zone."""

    commitment: str  # its id: c-1
    owner: str
    task: str
    due: str  # as the state has it
    due_at: datetime  # of a day, its closing time: who is reminded at midnight is reminded too late
    before_at: datetime | None  # None: not before
    since_version: int  # the version that brought this due


def deadlines(state: State, lead: timedelta, calendar: WorkingCalendar, zone: tzinfo) -> Iterator[Deadline]:
    """The state's deadlines in the order of its commitments; `lead` is working time, none for no reminder before."""
    for key, member in state.values.get(_GROUP, {}).items():
        due = member.get("due")
        if not isinstance(due, str) or member.get("status") in FINISHED:
            continue
        due_at = due_moment(due, calendar, zone)
        before_at = calendar.working_time_before(due_at, lead) if lead else None
        pointer = f"/{_GROUP}/{key}"
        slot = state.slots.get(f"{pointer}/due") or state.slots.get(pointer)
        yield Deadline(
            key,
            str(member.get("owner", "")),
            str(member.get("task", "")),
            due,
            due_at,
            before_at,
            slot.since_version if slot is not None else 0,
        )


def due_moment(due: str, calendar: WorkingCalendar, zone: tzinfo) -> datetime:
    """A due's moment there: the one that it names, or the end of work on its day, worked on or not."""
    if len(due) == _DAY:
        return datetime.combine(date.fromisoformat(due), calendar.closes, zone)
    return datetime.fromisoformat(due.upper()).astimezone(zone)
