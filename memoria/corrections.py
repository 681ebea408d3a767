"""The corrections that an event consists of: each value that it replaced, withdrew, settled, refused, edited or undid.

Derived from the event and the states around it, so that the same log always gives the same corrections. A first
value, a confirmation, a recorded conflict and a commitment's progress correct nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memoria.causes import Act, Cause, Grounds, propose
from memoria.events import Event, EventKind
from memoria.evidence import message_number
from memoria.members import SHAPES
from memoria.patch import MISSING, Json, Missing, Op, lookup, parse_pointer, same_json
from memoria.proposals import Evidence, Verdict
from memoria.state import Challenger, Slot, State

TAKEN_BACK: Final = frozenset({"cancelled", "withdrawn", "revoked"})
"""The statuses that take a member back. All others are its progress."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One value that was corrected. `old` is what had to go, `new` what holds instead; MISSING: nothing."""

    pointer: str
    act: Act
    old: Json | Missing
    new: Json | Missing
    old_source: str | None = None
    source: str | None = None
    verdict: str | None = None
    override: str | None = None  # P6: the written reason
    reason: str | None = None
    change: str | None = None  # the proposed change's id
    message: int | None = None  # the number of the message to look at
    cause: Cause | None = None


def corrections_of(event: Event, before: State, after: State, undone: Event | None = None) -> tuple[Correction, ...]:
    """What the event corrected, in its own order. `undone` is the event that an undo takes back."""
    match event.kind:
        case EventKind.DECISION:
            return tuple(found for entry in _entries(event) for found in _decided(entry, event))
        case EventKind.STATEMENT:
            return tuple(_written(event.cause["path"], event.cause, event))
        case EventKind.RESOLUTION:
            return (_resolved(event),)
        case EventKind.TICKET_TYPE_CHANGED:
            return tuple(_unfit(event))
        case EventKind.UNDO:
            return tuple(_undone(event, before, after, undone))
    return ()


def _entries(event: Event) -> Iterable[Mapping[str, Json]]:
    return [entry for entry in event.cause.get("changes", ()) if isinstance(entry, dict)]


def _decided(entry: Mapping[str, Json], event: Event) -> Iterator[Correction]:
    pointer, value = entry["pointer"], entry.get("value", MISSING)
    if entry["decision"] == "rejected":
        yield Correction(
            pointer,
            Act.REJECTED,
            value,
            MISSING,
            reason=entry.get("reason"),
            change=entry["id"],
            cause=propose(Grounds(Act.REJECTED)),
        )
        return
    if entry["decision"] == "edited":
        _, slot = event.slots.get(pointer, (None, None))
        yield Correction(
            pointer,
            Act.EDITED,
            entry.get("proposed", MISSING),
            value,
            source=entry.get("source"),
            verdict=entry.get("verdict"),
            override=entry.get("override"),
            reason=entry.get("reason"),
            change=entry["id"],
            message=_first(slot),
            cause=propose(Grounds(Act.EDITED)),
        )
    yield from _written(pointer, entry, event)


def _written(pointer: str, said: Mapping[str, Json], event: Event) -> Iterator[Correction]:
    """The held value that a change or statement put away, if it did."""
    old, new, override = said.get("was", MISSING), said.get("value", MISSING), said.get("override")
    verdict = said.get("verdict")
    stays = verdict == Verdict.NO_CHANGE or (verdict == Verdict.CONFLICT and not override)
    if stays or isinstance(old, Missing) or old is None or (not isinstance(new, Missing) and same_json(old, new)):
        return
    act = Act.WITHDRAWN if isinstance(new, Missing) else Act.REPLACED
    if _is_status(pointer):
        if new not in TAKEN_BACK:
            return
        act = Act.WITHDRAWN
    if override:
        act = Act.OVERRIDDEN
    before, after = event.slots.get(pointer, (None, None))
    grounds = _grounds(act, before, said.get("source"), after.evidence if after else ())
    yield Correction(
        pointer,
        act,
        old,
        new,
        old_source=grounds.old_source,
        source=grounds.new_source,
        verdict=verdict,
        override=override,
        reason=said.get("reason"),
        change=said.get("id"),
        message=_first(after) or _first(before),
        cause=propose(grounds),
    )


def _is_status(pointer: str) -> bool:
    parts = parse_pointer(pointer)
    return len(parts) == 3 and parts[2] == "status" and parts[0] in SHAPES


def _grounds(act: Act, before: Slot | Challenger | None, source: str | None, evidence: Iterable[Evidence]) -> Grounds:
    if before is None:
        return Grounds(act, None, source)
    common = {item.message for item in before.evidence} & {item.message for item in evidence}
    return Grounds(act, before.source, source, bool(common), before.edited_by is not None)


def _first(slot: Slot | None) -> int | None:
    return message_number(slot.evidence[0].message) if slot is not None and slot.evidence else None


def _resolved(event: Event) -> Correction:
    """A settled conflict. Where the present value stays, what had to go is what stood against it."""
    pointer, choice = event.cause["path"], event.cause["choice"]
    before, after = event.slots[pointer]
    old, new = event.cause.get("was", MISSING), event.cause.get("value", MISSING)
    gone: Slot | Challenger | None = before
    if choice == "current":
        gone = before.challengers[-1] if before is not None and before.challengers else None
        old, new = gone.value if isinstance(gone, Challenger) else MISSING, old
    holds = after is not None and after.holds
    source = after.source if after is not None and holds else None
    grounds = _grounds(Act.RESOLVED, gone, source, after.evidence if after is not None and holds else ())
    return Correction(
        pointer,
        Act.RESOLVED,
        old,
        new,
        old_source=grounds.old_source,
        source=source,
        reason=event.cause.get("reason"),
        message=_first(after) or _first(before),
        cause=propose(grounds),
    )


def _unfit(event: Event) -> Iterator[Correction]:
    """Each value that was withdrawn because the ticket type no longer takes it (T2). What is only in doubt still stands."""
    for entry in event.cause.get("values", ()):
        if "was" in entry:
            before, after = event.slots.get(entry["pointer"], (None, None))
            new = _moved_to(event, entry["pointer"])
            source = before.source if before is not None else None
            yield Correction(entry["pointer"], Act.UNFIT, entry["was"], new, source, message=_first(before) or _first(after))


def _moved_to(event: Event, pointer: str) -> Json | Missing:
    """The status that a member was withdrawn by; MISSING for what is no status."""
    moved = (operation for operation in event.patch if operation.path == pointer and operation.op is not Op.REMOVE)
    return next((operation.value for operation in moved), MISSING)


def _undone(event: Event, before: State, after: State, undone: Event | None) -> Iterator[Correction]:
    """Each value that came or went with the undone version, and each rejection that is open again.

    Where the value stays (a divergence was recorded, a confirmation given), nothing was corrected.
    """
    reason, cause = event.cause.get("reason"), propose(Grounds(Act.UNDONE))
    for pointer in event.touched or tuple(event.slots):
        was, now = event.slots.get(pointer, (None, None))
        old, new = lookup(before.values, pointer), lookup(after.values, pointer)
        if old is new or (not isinstance(old, Missing) and not isinstance(new, Missing) and same_json(old, new)):
            continue
        yield Correction(
            pointer,
            Act.UNDONE,
            old,
            new,
            old_source=was.source if was else None,
            source=now.source if now else None,
            reason=reason,
            message=_first(now) or _first(was),
            cause=cause,
        )
    for entry in _entries(undone) if undone is not None else ():
        if entry["decision"] == "rejected":
            value = entry.get("value", MISSING)
            yield Correction(entry["pointer"], Act.UNDONE, MISSING, value, reason=reason, change=entry["id"], cause=cause)
