"""What is to be done next on a ticket, from its state, its ticket type and the time: no model, no words, no clock here.

Four things, each in the order in which a person takes them up: what is due, what the goal lacks, what was already asked,
what was already tried. What the goal lacks is never guessed from its words. It is

1. the goal itself, where none is held;
2. values that do not hold: in conflict, withdrawn, awaiting confirmation;
3. the ground of an unfinished commitment, where no field that invalidates its kind holds a value: a visit without a place;
4. the fields that a current value leads to, because it invalidates them, and that hold nothing yet: the hour of a visit
   whose place is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from enum import StrEnum
from typing import Final

from memoria.fields import COMMITMENTS, TicketType
from memoria.groups import ids, unfolded
from memoria.members import FINISHED
from memoria.patch import Json, make_pointer
from memoria.sources import Kind
from memoria.state import SlotStatus, State

GOAL: Final = "/goal"
_NOT_HOLDING: Final = (SlotStatus.CONFLICT, SlotStatus.OPEN, SlotStatus.NEEDS_CONFIRMATION)
_STAFF: Final = frozenset({Kind.AGENT, Kind.ASSISTANT, Kind.SYSTEM, Kind.TOOL})


class When(StrEnum):
    """How near the end of a commitment is, the most pressing first."""

    OVERDUE = "overdue"
    TODAY = "today"
    LATER = "later"
    UNDATED = "undated"


class Why(StrEnum):
    """Why the goal lacks something."""

    NO_GOAL = "no_goal"
    CONFLICT = "conflict"
    OPEN = "open"
    NEEDS_CONFIRMATION = "needs_confirmation"
    NO_GROUND = "no_ground"
    LED_TO = "led_to"


@dataclass(frozen=True, slots=True)
class Due:
    """An unfinished commitment. `doubtful`: it, or its due, does not hold as it stands."""

    pointer: str
    when: When
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Lack:
    """What is missing. `any_of` are the fields of which one is enough; a single one but for NO_GROUND."""

    why: Why
    any_of: tuple[str, ...]
    of: str = ""  # NO_GROUND: the commitment's pointer; LED_TO: the field that leads there


@dataclass(frozen=True, slots=True)
class Asked:
    """An open pending item. `by_staff`: it waits for the other side; else somebody asked us, and waits for us."""

    pointer: str
    by_staff: bool


@dataclass(frozen=True, slots=True)
class Tried:
    pointer: str
    status: str  # suggested, tried, worked, failed


@dataclass(frozen=True, slots=True)
class NextStep:
    """Each list has its most pressing entry first."""

    due: tuple[Due, ...] = ()
    lacks: tuple[Lack, ...] = ()
    asked: tuple[Asked, ...] = ()
    tried: tuple[Tried, ...] = ()

    @property
    def nothing_left(self) -> bool:
        """Nothing is due, missing or asked: what was tried is over."""
        return not (self.due or self.lacks or self.asked) and all(item.status in ("worked", "failed") for item in self.tried)


def next_step(state: State, ticket_type: TicketType, now: datetime, zone: tzinfo) -> NextStep:
    """What is next at `now` (with zone), for an organisation in `zone`: a day ends there at midnight."""
    return NextStep(
        tuple(_due(state, now, zone)), tuple(_lacks(state, ticket_type)), tuple(_asked(state)), tuple(_tried(state))
    )


# --- what is due --------------------------------------------------------------------------------------------------


def due_moment(due: str, zone: tzinfo) -> datetime:
    """The moment by which something due (ISO 8601) must be done: a day's last one in `zone`, or the moment itself."""
    if len(due) == len("2026-03-10"):
        return datetime.combine(date.fromisoformat(due), time.max, zone)
    return datetime.fromisoformat(due.upper())


def when_due(due: Json, now: datetime, zone: tzinfo) -> When:
    """How near the end is. A moment that has come is overdue; a day is overdue once it is over."""
    if not isinstance(due, str):
        return When.UNDATED
    end = due_moment(due, zone)
    if end < now:
        return When.OVERDUE
    return When.TODAY if end.astimezone(zone).date() == now.astimezone(zone).date() else When.LATER


def unfinished(state: State) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Every commitment that is not finished, with its pointer, as they were made."""
    for key, member in state.values.get("commitments", {}).items():
        if member.get("status") not in FINISHED:
            yield make_pointer("commitments", key), member


def _due(state: State, now: datetime, zone: tzinfo) -> list[Due]:
    found = []
    for pointer, member in unfinished(state):
        slots = (state.slots.get(pointer), state.slots.get(f"{pointer}/due"))
        doubtful = any(slot is not None and slot.status in _NOT_HOLDING for slot in slots)
        due = member.get("due")
        end = due_moment(due, zone).timestamp() if isinstance(due, str) else 0.0
        found.append((list(When).index(when_due(due, now, zone)), end, Due(pointer, when_due(due, now, zone), doubtful)))
    return [item for _rank, _end, item in sorted(found, key=lambda row: row[:2])]


# --- what the goal lacks ------------------------------------------------------------------------------------------


def _lacks(state: State, declared: TicketType) -> Iterator[Lack]:
    ticket_type = unfolded(declared, state)
    named: set[str] = set()
    if GOAL in ticket_type.fields and GOAL not in state.slots:
        yield Lack(Why.NO_GOAL, (GOAL,))
        named.add(GOAL)
    for status in _NOT_HOLDING:
        for pointer in ticket_type.fields:
            slot = state.slots.get(pointer)
            if slot is not None and slot.status is status:
                named.add(pointer)
                yield Lack(Why(status.value), (pointer,))
    yield from _without_ground(state, ticket_type if ids(state) else declared)
    for pointer, field in ticket_type.fields.items():
        slot = state.slots.get(pointer)
        if slot is None or slot.status is not SlotStatus.CURRENT:
            continue
        for target in field.invalidates:
            if target in ticket_type.fields and target not in state.slots and target not in named:
                named.add(target)
                yield Lack(Why.LED_TO, (target,), pointer)


def _without_ground(state: State, ticket_type: TicketType) -> Iterator[Lack]:
    for pointer, member in unfinished(state):
        target = f"{COMMITMENTS}{member.get('kind')}"
        direct = tuple(field.pointer for field in ticket_type.fields.values() if target in field.invalidates)
        # A ground that is there and does not hold was named above.
        if direct and not any(ground in state.slots for ground in direct):
            yield Lack(Why.NO_GROUND, direct, pointer)


# --- what was asked and tried -------------------------------------------------------------------------------------


def _asked(state: State) -> list[Asked]:
    """Open pending items, the oldest first; those that wait for us before those that wait for others."""
    found = []
    for key, member in state.values.get("pending", {}).items():
        if member.get("status") == "open":
            pointer = make_pointer("pending", key)
            slot = state.slots.get(pointer)
            found.append(Asked(pointer, slot is None or slot.author.kind in _STAFF))
    return sorted(found, key=lambda item: item.by_staff)


def _tried(state: State) -> list[Tried]:
    """Attempts, the newest first."""
    held = state.values.get("attempts", {})
    return [Tried(make_pointer("attempts", key), str(member.get("status", "tried"))) for key, member in held.items()][::-1]
