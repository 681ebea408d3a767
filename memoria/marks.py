"""Which old words back a value that holds no more (N5), so that they are shown with a mark and do not bring it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memoria.members import SHAPES
from memoria.patch import MISSING, Json, Missing, lookup, parse_pointer, same_json
from memoria.proposals import Evidence, Status
from memoria.rows import group_of
from memoria.state import Slot, State

CORRECTED: Final = "corrected"
WITHDRAWN: Final = "withdrawn"
REJECTED: Final = "rejected"
_GIVEN_UP: Final = frozenset({"cancelled", "withdrawn", "revoked"})


@dataclass(frozen=True, slots=True)
class Mark:
    """What became of a value that a message backed."""

    what: str  # corrected, withdrawn, rejected
    path: str
    value: Json | Missing

    def to_json(self) -> dict[str, Json]:
        document: dict[str, Json] = {"what": self.what, "path": self.path}
        if not isinstance(self.value, Missing):
            document["value"] = self.value
        return document


@dataclass(frozen=True, slots=True)
class PastChange:
    """A change that was decided, as the database keeps it. Only those that cite a message shown are needed."""

    status: Status
    path: str  # resolved, where it made a member
    value: Json | Missing
    messages: tuple[str, ...]  # ids of the messages cited


def marks(state: State, past: Iterable[PastChange] = ()) -> Mapping[str, tuple[Mark, ...]]:
    """The marks of each message, by its id. A value that holds again, or still, marks nothing."""
    found: dict[str, list[Mark]] = {}
    for pointer, slot in state.slots.items():
        for mark, evidence in _of_slot(state, pointer, slot):
            _note(found, mark, (item.message for item in evidence))
    for change in past:
        mark_or_none = _of_change(state, change)
        if mark_or_none is not None:
            _note(found, mark_or_none, change.messages)
    return {message: tuple(held) for message, held in found.items()}


def _note(found: dict[str, list[Mark]], mark: Mark, messages: Iterable[str]) -> None:
    for message in dict.fromkeys(messages):
        held = found.setdefault(message, [])
        if not any(known.path == mark.path and same_json(known.value, mark.value) for known in held):
            held.append(mark)


def _of_slot(state: State, pointer: str, slot: Slot) -> Iterable[tuple[Mark, tuple[Evidence, ...]]]:
    parts = parse_pointer(pointer)
    if len(parts) == 3 and parts[2] == "status" and parts[0] in SHAPES:
        # A status moves on without anything having been wrong; only what was given up is marked, on its member's words.
        member = state.slots.get(pointer.rpartition("/")[0])
        if lookup(state.values, pointer) in _GIVEN_UP and member is not None:
            held = lookup(state.values, pointer.rpartition("/")[0])
            yield Mark(WITHDRAWN, pointer.rpartition("/")[0], _name(held)), member.evidence
        return
    replaced = slot.replaces
    if replaced is None or isinstance(replaced.value, Missing):
        return
    now = lookup(state.values, pointer)
    if not same_json(now, replaced.value):
        yield Mark(WITHDRAWN if not slot.holds else CORRECTED, pointer, _name(replaced.value)), replaced.evidence


def _of_change(state: State, change: PastChange) -> Mark | None:
    if change.status is Status.REJECTED:
        return Mark(REJECTED, change.path, _name(change.value))
    if change.status not in (Status.ACCEPTED, Status.EDITED) or isinstance(change.value, Missing):
        return None
    if (len(parse_pointer(change.path)) > 2 and group_of(change.path) is None) or change.path.endswith("/-"):
        return None
    now = lookup(state.values, change.path)
    if isinstance(now, Missing):
        return Mark(WITHDRAWN, change.path, _name(change.value))
    if isinstance(now, dict) or same_json(now, change.value):
        return None
    return Mark(CORRECTED, change.path, _name(change.value))


def _name(value: Json | Missing) -> Json | Missing:
    """A member by its words: the whole of it would only repeat what the message says."""
    if isinstance(value, dict):
        return next((value[key] for key in ("task", "question", "text", "scope", "action") if key in value), MISSING)
    return value
