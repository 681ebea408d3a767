"""Why a value was corrected, as far as the correction itself tells: a proposal that a supervisor may change.

`Cause` says who erred, if anyone did; `propose` is the table that decides it, row by row, the first that fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memoria.sources import INFERENCE, REPORTED, Kind


class Act(StrEnum):
    """What was done to a value."""

    REPLACED = "replaced"
    WITHDRAWN = "withdrawn"
    RESOLVED = "resolved"  # a conflict, P8
    OVERRIDDEN = "overridden"  # against a stronger source, P6
    REJECTED = "rejected"  # a proposed value
    EDITED = "edited"  # a proposed value
    UNDONE = "undone"  # H4
    UNFIT = "unfit"  # withdrawn because a new version of the ticket type no longer takes it, T2


class Cause(StrEnum):
    CHANGED_MIND = "changed_mind"  # the customer replaces what the customer said
    MODEL_MISREAD = "model_misread"  # the words say something else than what was proposed
    STAFF_ERROR = "staff_error"  # staff take back or replace what staff said or accepted
    OLD_RECORD = "old_record"  # the registry's value no longer held


ERRORS: Final = frozenset({Cause.MODEL_MISREAD, Cause.STAFF_ERROR, Cause.OLD_RECORD})
"""The causes that count as errors. A changed mind is none."""

_CUSTOMERS: Final = frozenset({Kind.CUSTOMER.value, REPORTED[Kind.CUSTOMER]})
_REGISTRIES: Final = frozenset({Kind.REGISTRY.value, REPORTED[Kind.REGISTRY]})


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the cause is told by."""

    act: Act
    old_source: str | None = None  # of the value that had to go
    new_source: str | None = None  # of what took its place
    same_message: bool = False  # both rest on a message in common
    old_edited: bool = False  # the value that had to go was as staff had edited it


def propose(grounds: Grounds) -> Cause | None:
    """The cause that the correction itself suggests; None where it suggests none, and a person has to say."""
    if grounds.act is Act.UNFIT:
        return None
    if grounds.act in (Act.REJECTED, Act.EDITED):
        return Cause.MODEL_MISREAD
    if grounds.act is Act.UNDONE:
        return Cause.STAFF_ERROR
    if grounds.act is Act.RESOLVED and grounds.new_source is None:
        return None  # left open: nothing says yet which side was wrong
    if grounds.same_message:
        return Cause.STAFF_ERROR if grounds.old_edited else Cause.MODEL_MISREAD
    if grounds.old_source in _REGISTRIES:
        return Cause.OLD_RECORD
    if grounds.old_source == INFERENCE:
        return Cause.MODEL_MISREAD
    if grounds.new_source == Kind.AGENT:
        return Cause.STAFF_ERROR
    if grounds.old_source in _CUSTOMERS and grounds.new_source in _CUSTOMERS:
        return Cause.CHANGED_MIND
    return None
