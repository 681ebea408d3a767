"""The circuit breaker of a model's server: after failures in a row nobody asks it for a while, then one request tries it out.

Closed: requests go. Open: none goes until its pause is over. Half open: one goes, the others wait for what comes of it; an
answer closes, another failure opens again, for twice as long. What waits costs no try.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from memoria.runs import Outcome, Unreached

OPENS_AFTER: Final = 10  # failures in a row, of whatever ticket: more than the tries of one
FIRST_PAUSE: Final = 15.0  # seconds
LONGEST_PAUSE: Final = 300.0


class Circuit(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class Breaker:
    failures: int = 0  # in a row
    pause: float = 0.0  # seconds of the last pause; 0: it is closed
    open_until: datetime | None = None

    def circuit(self, now: datetime) -> Circuit:
        if self.open_until is None:
            return Circuit.CLOSED
        return Circuit.OPEN if now < self.open_until else Circuit.HALF_OPEN


def is_failure(outcome: Outcome) -> bool | None:
    """Whether the server failed (True), answered (False), or said nothing of its health (None): a rate limit is no failure.

    A server that refuses a request, however it does, is there.
    """
    if not isinstance(outcome, Unreached):
        return False
    return None if outcome.kind == "rate_limit" else True


def after(breaker: Breaker, outcome: Outcome, now: datetime) -> Breaker:
    """The breaker once a request had this outcome."""
    failed = is_failure(outcome)
    if failed is None:
        return breaker
    if not failed:
        return Breaker()
    match breaker.circuit(now):
        case Circuit.OPEN:
            return breaker  # asked before it opened: nothing new
        case Circuit.HALF_OPEN:
            pause = min(2 * breaker.pause, LONGEST_PAUSE)
        case _:
            breaker = replace(breaker, failures=breaker.failures + 1)
            if breaker.failures < OPENS_AFTER:
                return breaker
            pause = FIRST_PAUSE
    return Breaker(max(breaker.failures, OPENS_AFTER), pause, now + timedelta(seconds=pause))
