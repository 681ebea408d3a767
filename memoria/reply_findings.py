"""What a check of a reply takes and what it finds; the rules are in `reply_check` and `reply_promises`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from enum import StrEnum
from typing import Final

from memoria.calendar import WorkingCalendar
from memoria.fields import TicketType
from memoria.patch import Json, Missing
from memoria.state import State


class Code(StrEnum):
    DONE_BUT_OPEN = "done_but_open"
    PROMISE_UNRECORDED = "promise_unrecorded"
    PROMISE_OTHER_DUE = "promise_other_due"
    PROMISE_UNDECIDED = "promise_undecided"
    NOT_CURRENT = "not_current"
    UNDECIDED = "undecided"
    CONSTRAINT = "constraint"
    AUTHORIZATION_MISSING = "authorization_missing"
    AUTHORIZATION_REVOKED = "authorization_revoked"
    GAP = "gap"
    UNREAD = "unread"


HINDERS_NOT: Final = frozenset({Code.UNREAD})


@dataclass(frozen=True, slots=True)
class Offer:
    """The commitment that a promise makes, ready to be recorded. `moved`: the day that was named is no working day."""

    task: str
    kind: str | None
    due: str | None = None  # ISO 8601
    due_text: str | None = None
    moved: date | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reply says and that is not borne out: the words, and what they run into."""

    code: Code
    start: int  # code points of the reply; both 0 where it is the whole of it
    end: int
    pointer: str = ""  # of the state, or that of an undecided change
    why: str = ""  # NOT_CURRENT: corrected, withdrawn, rejected, conflict, needs_confirmation; of an authorisation: its action
    # What holds instead, or what is proposed instead; None where nothing does. It may be a list, which has no hash.
    value: Json = field(default=None, hash=False)
    messages: tuple[str, ...] = ()
    offer: Offer | None = None

    @property
    def hinders(self) -> bool:
        """Whether sending asks once more."""
        return self.code not in HINDERS_NOT


@dataclass(frozen=True, slots=True)
class Proposed:
    """An undecided change, or one that was rejected."""

    pointer: str
    value: Json | Missing
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What a reply is checked against. `undecided` and `rejected` are the ticket's changes; `unread` its messages' ids."""

    state: State
    ticket_type: TicketType
    now: datetime  # with zone
    zone: tzinfo
    calendar: WorkingCalendar = field(default_factory=WorkingCalendar)
    undecided: Sequence[Proposed] = ()
    rejected: Sequence[Proposed] = ()
    unread: Sequence[str] = ()
