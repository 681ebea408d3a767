"""One run of the model: which requests follow which outcome, until there is an answer or the run is parked.

Pure: the caller makes the requests, keeps the `Run` between them (`to_json`, `from_json`) and waits in its queue,
never in a worker. The outcomes come from `memoria.extraction.read_completion` (the server answered) and from the client
(it did not).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, Final

from memoria.patch import Json

MAX_WAIT: Final = 900.0  # seconds; a server that asks for more is asked again then: nobody is kept for a day
RETRY_STATUSES: Final = frozenset({408, 429})  # beside every 5xx
MODE_STATUSES: Final = frozenset({400, 404, 422})  # what servers answer to a structured output that they do not know


class Mode(StrEnum):
    """How the server is asked for structured output, from the strictest to the plainest."""

    MARKED_SCHEMA = "marked_schema"  # JSON_SCHEMA, the end of what never changes marked for the provider's cache (N4)
    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TOOL = "tool"
    TEXT = "text"


_STEPS: Final = tuple(Mode)
_MARKS_REFUSED: Final = re.compile(
    r"prompt_cache|breakpoint|\bcontent\b|invalid type|extra (?:inputs|fields)|(?:unknown|unrecogni[sz]ed)\s", re.IGNORECASE
)
"""How servers word that they do not take the marks, or a turn in parts."""


def next_mode(mode: Mode, detail: str = "") -> Mode | None:
    """One step down, or None below the last. A server that names the marks keeps the schema: they alone are left out."""
    if mode is Mode.MARKED_SCHEMA:
        return Mode.JSON_SCHEMA if _MARKS_REFUSED.search(detail) else Mode.JSON_OBJECT
    index = _STEPS.index(mode) + 1
    return _STEPS[index] if index < len(_STEPS) else None


class Problem(StrEnum):
    """Why a run is parked. Stored, and part of the outer contract."""

    UNAVAILABLE = "model.unavailable"
    REFUSED = "model.refused"
    FILTERED = "model.filtered"
    EMPTY = "model.empty"
    TRUNCATED = "model.truncated"
    INVALID_ANSWER = "model.invalid_answer"
    REJECTED_REQUEST = "model.rejected_request"
    BUDGET = "model.budget"


# --- outcomes of one request --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that can be used. What it holds is the asker's: changes, learnings."""

    answer: Any


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that the model may mend itself, once: cut off, no JSON, another shape."""

    problem: Problem  # TRUNCATED or INVALID_ANSWER
    finding: str  # English, for the model and for admins; holds no message text
    raw: str


@dataclass(frozen=True, slots=True)
class Declined:
    """The server answered, and asking again would bring the same: refused, filtered, empty."""

    problem: Problem
    detail: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Unreached:
    """No answer this time: 408, 429, 5xx, no connection, no answer in time, an answer that is no completion."""

    kind: str  # rate_limit, server_error, connection, timeout, not_a_completion
    retry_after: float | None = None  # seconds that the server asks for
    status: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The server will not take this request (any other 4xx)."""

    status: int
    detail: str = ""


Outcome = Answered | Unreadable | Declined | Unreached | Rejected


# --- the run ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Repair:
    """What the model is shown of its own answer, so that it mends it."""

    raw: str
    finding: str


@dataclass(frozen=True, slots=True)
class Run:
    """What is remembered between the requests of one run."""

    mode: Mode
    mode_tested: bool  # this endpoint has taken a request in this mode
    tries: int = 0  # requests made, whatever came of them: retries, steps down and repairs
    failures: int = 0  # those that were not reached, for the back-off
    repair: Repair | None = None  # set once the one repair is under way; the next request carries it

    def to_json(self) -> dict[str, Json]:
        return {
            "mode": self.mode.value,
            "mode_tested": self.mode_tested,
            "tries": self.tries,
            "failures": self.failures,
            "repair": None if self.repair is None else {"raw": self.repair.raw, "finding": self.repair.finding},
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Run:
        repair = document["repair"]
        return cls(
            Mode(document["mode"]),
            document["mode_tested"],
            document["tries"],
            document["failures"],
            None if repair is None else Repair(repair["raw"], repair["finding"]),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    max_tries: int = 5
    backoff: float = 1.0  # seconds before the first retry
    max_wait: float = MAX_WAIT


@dataclass(frozen=True, slots=True)
class Done:
    """The answer can be used."""

    answer: Any


@dataclass(frozen=True, slots=True)
class Again:
    """Ask once more, `after` so many seconds (0: at once), in the run's mode and with its repair, if it has one."""

    after: float


@dataclass(frozen=True, slots=True)
class Park:
    """Nothing more is asked until a person retries. `raw` is kept for admins."""

    problem: Problem
    detail: str
    raw: str = ""


Next = Done | Again | Park


def step(run: Run, outcome: Outcome, limits: Limits, jitter: float = 0.0) -> tuple[Run, Next]:
    """The run after one more request that had this outcome, and what to do now.

    `jitter` is a random number from 0 to 1, handed in. Where the run comes back with `mode_tested` newly set, the
    endpoint's mode is to be remembered.
    """
    run = replace(run, tries=run.tries + 1)
    if not isinstance(outcome, Unreached | Rejected):
        run = replace(run, mode_tested=True)
    left = run.tries < limits.max_tries
    following: Next
    match outcome:
        case Answered(answer):
            following = Done(answer)
        case Declined(problem, detail, raw):
            following = Park(problem, detail, raw)
        case Unreadable(problem, finding, raw) if run.repair is not None or not left:
            following = Park(problem, finding, raw)
        case Unreadable(_, finding, raw):
            run, following = replace(run, repair=Repair(raw, finding)), Again(0.0)
        case Rejected(status, detail):
            lower = next_mode(run.mode, detail)
            if run.mode_tested or lower is None or status not in MODE_STATUSES or not left:
                following = Park(Problem.REJECTED_REQUEST, f"{status} {detail}".strip())
            else:
                run, following = replace(run, mode=lower), Again(0.0)
        case _:
            run = replace(run, failures=run.failures + 1)
            if run.mode is Mode.MARKED_SCHEMA and not run.mode_tested and outcome.kind == "server_error" and run.failures > 1:
                # Some servers break on a turn in parts instead of refusing it.
                run = replace(run, mode=Mode.JSON_SCHEMA)
            wait = Again(_wait(run.failures, outcome.retry_after, limits, jitter))
            following = wait if left else Park(Problem.UNAVAILABLE, f"{outcome.kind} {outcome.detail}".strip())
    return run, following


def _wait(failures: int, retry_after: float | None, limits: Limits, jitter: float) -> float:
    """Seconds: doubling from `backoff`, spread by the jitter, and never less than the server asks for, up to the cap."""
    own = limits.backoff * 2.0 ** min(failures - 1, 30) * (1.0 + jitter / 2)
    asked = 0.0 if retry_after is None else max(0.0, retry_after)
    return min(max(own, asked), limits.max_wait)


_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?\Z")


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """The seconds from `now` that a Retry-After header asks for, in either of its forms (RFC 9110 §10.2.3).

    None where there is none, where it makes no sense, and where its date is past: the own back-off holds then.
    """
    if value is None:
        return None
    value = value.strip()
    if _SECONDS.match(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = (moment - now).total_seconds()
    return seconds if seconds > 0 and math.isfinite(seconds) else None
