"""What became of a commitment: kept or not, on time or late, and when; and what stands in the way of closing a ticket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Final

from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.next_step import due_moment, unfinished
from memoria.patch import Json, make_pointer
from memoria.state import Slot, SlotStatus, State


class Fate(StrEnum):
    KEPT = "kept"  # done, and no due was set
    KEPT_IN_TIME = "kept_in_time"
    KEPT_LATE = "kept_late"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OVERDUE = "overdue"  # not finished, and its end has passed
    RUNNING = "running"  # not finished, its end lies ahead
    UNDATED = "undated"  # not finished, and no due was set


@dataclass(frozen=True, slots=True)
class Became:
    fate: Fate
    at: datetime | None = None  # when it was finished: when the words were said that finished it


def became(pointer: str, member: Mapping[str, Json], slots: Mapping[str, Slot], now: datetime, zone: tzinfo) -> Became:
    """What became of the commitment at `pointer` by `now`. A day's due is kept until its midnight in `zone`."""
    status, due = member.get("status"), member.get("due")
    end = due_moment(due, zone) if isinstance(due, str) else None
    finished = slots.get(f"{pointer}/status") or slots.get(pointer)
    at = finished.age.at if finished is not None else None
    match status:
        case "done":
            if end is None or at is None:
                return Became(Fate.KEPT, at)
            return Became(Fate.KEPT_IN_TIME if at <= end else Fate.KEPT_LATE, at)
        case "failed":
            return Became(Fate.FAILED, at)
        case "cancelled":
            return Became(Fate.CANCELLED, at)
    if end is None:
        return Became(Fate.UNDATED)
    return Became(Fate.OVERDUE if end < now else Fate.RUNNING)


@dataclass(frozen=True, slots=True)
class Left:
    """What is not finished in a ticket, as pointers: nothing of it forbids closing, all of it should be seen before."""

    doubtful: tuple[str, ...]  # values in conflict, open, or to be confirmed
    questions: tuple[str, ...]  # pending items without an answer
    promises: tuple[str, ...]  # commitments that are not finished

    @property
    def nothing(self) -> bool:
        return not (self.doubtful or self.questions or self.promises)


_DOUBTFUL: Final = (SlotStatus.CONFLICT, SlotStatus.OPEN, SlotStatus.NEEDS_CONFIRMATION)


def left(state: State, ticket_type: TicketType) -> Left:
    """What closing the ticket now would leave, in the ticket type's order; divergences first."""
    fields = [(pointer, state.slots.get(pointer)) for pointer in unfolded(ticket_type, state).fields]
    doubtful = [pointer for status in _DOUBTFUL for pointer, slot in fields if slot is not None and slot.status is status]
    asked = state.values.get("pending", {}).items()
    questions = [make_pointer("pending", key) for key, member in asked if member.get("status") == "open"]
    return Left(tuple(doubtful), tuple(questions), tuple(pointer for pointer, _member in unfinished(state)))
