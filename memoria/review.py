"""What people do to a ticket's state: decide, state, confirm, resolve, undo; and what an edited message does to it.

Each takes the state, an input, and a desk (rules, messages, moment, actor) and returns the one event that would make
the next version, or raises DomainError and changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from memoria.cascade import Ground, fallout
from memoria.decisions import (
    Accept,
    Decided,
    Edit,
    Pending,
    Reject,
    Settled,
    admit,
    decide,
    first_answer,
    is_edit,
    moot_by_proposal,
    settle,
)
from memoria.draft import Draft, merged
from memoria.errors import Code, DomainError, Reason
from memoria.events import Event, EventKind
from memoria.evidence import find_quotes
from memoria.groups import resolve_ids
from memoria.judgement import Desk, Rejection, judge
from memoria.members import Place
from memoria.patch import MISSING, Json, Missing, lookup
from memoria.precedence import Claim, statement_source, stronger
from memoria.proposals import Change, Citation, Statement
from memoria.sources import INFERENCE, Kind
from memoria.state import Confirmation, Slot, SlotStatus, Stale, State
from memoria.versions import check_version, conflict, depends_on, slot_depends_on

__all__ = [
    "Accept", "Decided", "Desk", "Edit", "Pending", "Reject", "Rejection", "Settled", "admit", "confirm", "decide",
    "first_answer", "is_edit", "judge", "moot_by_proposal", "resolve", "revise", "revise_carried", "set_value", "settle",
    "undo",
]  # fmt: skip


def set_value(
    state: State,
    path: str,
    value: Json | Missing,
    desk: Desk,
    expected_version: int,
    since: Sequence[Event] = (),
    *,
    evidence: Sequence[Citation] = (),
    reported: Kind | None = None,
    reason: str | None = None,
) -> Event:
    """Staff's own statement at `path` (E9), under the same rules; MISSING withdraws. A new group gets its id here (G2).

    Weaker than what stands there it becomes a challenger (P6). Raises `version.conflict` or the code of the check
    that fails.
    """
    op = "remove" if isinstance(value, Missing) else "add" if path.endswith("/-") else "replace"
    (change,) = resolve_ids([Change(op, path, value, tuple(evidence), reason=reason)], state, desk.last_group)
    path = change.path
    statement = Statement(reported)
    place = desk.ticket_type.place(path, state.values)
    pointers = {path} if place is None else depends_on(desk.ticket_type, place, change, state)
    judgement = judge(state, change, desk, statement=statement)

    def same(then: State) -> bool:
        before = judge(then, change, desk, statement=statement)
        return (before.verdict, before.cascade) == (judgement.verdict, judgement.cascade)

    check_version(state, expected_version, since, pointers, same)
    if judgement.refused:
        raise DomainError.of(judgement.reasons[0])
    draft = Draft(state, desk)
    pointer = draft.take(change, judgement)
    draft.fall()
    cause: dict[str, Json] = {
        "path": pointer,
        "op": op,
        "verdict": judgement.verdict.value,
        "source": judgement.source,
        "reported": reported.value if reported else None,
        "reason": reason,
    }
    if not isinstance(value, Missing):
        cause["value"] = value
    if not isinstance(judgement.current_value, Missing):
        cause["was"] = judgement.current_value
    if judgement.cautions:
        cause["cautions"] = [caution.to_json() for caution in judgement.cautions]
    return draft.finish(EventKind.STATEMENT, cause)


def _slot_at(state: State, path: str, desk: Desk) -> Slot | None:
    """The slot at `path`; None where the pointer is one but has no slot. Raises `schema.unknown_path`."""
    slot = state.slots.get(path)
    if slot is None and desk.ticket_type.place(path, state.values) is None:
        raise DomainError(Code.UNKNOWN_PATH, "2", path=path)
    return slot


def _depends(state: State, path: str, desk: Desk) -> Collection[str]:
    """What the state of a slot depends on (V2); of a pointer that is none, itself alone."""
    known = path in state.slots or desk.ticket_type.place(path, state.values) is not None
    return slot_depends_on(desk.ticket_type, path, state) if known else {path}


def _falls(state: State, pointers: Sequence[str], desk: Desk) -> list[str]:
    """What a change of these fields puts in doubt (K5), for knowing whether it is what a reader saw (V2)."""
    grounds = [Ground(pointer, desk.moment) for pointer in pointers]
    return [fallen.pointer for fallen in fallout(desk.ticket_type, state.values, state.slots, grounds, {})]


def _in_status(slot: Slot | None, wanted: SlotStatus, path: str, rule: str) -> Slot:
    if slot is None or slot.status is not wanted:
        raise DomainError(Code.WRONG_STATUS, rule, pointer=path, status=slot.status.value if slot else None)
    return slot


def confirm(
    state: State,
    path: str,
    desk: Desk,
    expected_version: int,
    since: Sequence[Event] = (),
    *,
    evidence: Sequence[Citation] = (),
    reported: Kind | None = None,
) -> Event:
    """A person confirms a value that awaits it (K6): it is current again, and `confirmed` says on what ground.

    Raises `version.conflict`, `schema.unknown_path`, `slot.wrong_status`, a code of section 3 for evidence that is
    none, and `source.not_allowed` where the field permits neither the statement's source nor that of a citation.
    """
    check_version(state, expected_version, since, _depends(state, path, desk))
    slot = _in_status(_slot_at(state, path, desk), SlotStatus.NEEDS_CONFIRMATION, path, "K6")
    found = find_quotes(tuple(evidence), desk.transcript)
    if isinstance(found, Reason):
        raise DomainError.of(found)
    sources = desk.ticket_type.sources_at(path) or ()
    source, author = statement_source(sources, reported), desk.actor.author
    if source not in sources:
        permitted = next((item.message.author for item in found if item.message.author.kind.value in sources), None)
        if permitted is None:
            raise DomainError(Code.SOURCE_NOT_ALLOWED, "K6", source=source, sources=list(sources))
        source, author = permitted.kind.value, permitted
    inferred = slot.source == INFERENCE
    ground = "evidence" if found else "reported" if reported else "statement"
    fresh = replace(
        slot,
        status=SlotStatus.CURRENT,
        source=source if inferred else slot.source,
        author=author if inferred else slot.author,
        age=desk.moment,
        evidence=merged(slot.evidence, tuple(item.evidence for item in found)),
        confirmed=Confirmation(desk.actor.author, desk.now.isoformat(), ground),
        stale_because=None,
        ground=None,
    )
    draft = Draft(state, desk)
    draft.put(path, fresh)
    draft.touch(path)
    cause: dict[str, Json] = {"path": path, "ground": ground, "reported": reported.value if reported else None}
    return draft.finish(EventKind.CONFIRMATION, cause)


def resolve(
    state: State,
    path: str,
    choice: str,
    desk: Desk,
    expected_version: int,
    since: Sequence[Event] = (),
    *,
    reason: str,
    challenger: int | None = None,
) -> Event:
    """A person settles a conflict (P8): `current` keeps, `challenger` takes one by its index, `open` withdraws.

    Raises `version.conflict`, `schema.unknown_path`, `slot.wrong_status`, `slot.unknown_challenger`, and
    `permission.denied` for a challenger weaker than the present source without the right to override.
    """
    if choice not in ("current", "challenger", "open"):
        raise ValueError(f"no such choice: {choice}")
    changed = () if choice == "current" else (path,)

    def same(then: State) -> bool:
        return _falls(then, changed, desk) == _falls(state, changed, desk)

    check_version(state, expected_version, since, _depends(state, path, desk), same)
    slot = _in_status(_slot_at(state, path, desk), SlotStatus.CONFLICT, path, "P8")
    draft = Draft(state, desk)
    cause: dict[str, Json] = {"path": path, "choice": choice, "reason": reason}
    moment = desk.moment
    was = lookup(state.values, path)
    if not isinstance(was, Missing):
        cause["was"] = was
    if choice == "current":
        settled = replace(slot, status=SlotStatus.CURRENT, challengers=(), stale_because=None, ground=None, age=moment)
        draft.put(path, settled)
    else:
        place = desk.ticket_type.place(path, state.values) or Place("field", path)
        if choice == "open":
            nothing: Json | Missing = None if place.kind == "due" else MISSING
            draft.hold(place, nothing, Claim(slot.source, slot.author, moment), (), None)
        else:
            _take_challenger(slot, place, draft, desk, challenger, cause)
    draft.touch(path)
    draft.fall()
    return draft.finish(EventKind.RESOLUTION, cause)


def _take_challenger(slot: Slot, place: Place, draft: Draft, desk: Desk, index: int | None, cause: dict[str, Json]) -> None:
    if index is None or not 0 <= index < len(slot.challengers):
        raise DomainError(Code.UNKNOWN_CHALLENGER, "P8", pointer=place.pointer, challenger=index)
    taken = slot.challengers[index]
    sources = desk.ticket_type.sources_at(place.pointer) or ()
    if stronger(sources, slot.source, taken.source) and not desk.actor.may_override:
        raise DomainError(Code.PERMISSION_DENIED, "P8")
    claim = Claim(taken.source, taken.author, desk.moment)
    draft.hold(place, taken.value, claim, taken.evidence, taken.edited_by, settled=True)
    held = draft.slot(place.pointer)
    if held is not None:
        draft.put(place.pointer, draft.without_gone(held))
    cause["challenger"] = index
    if not isinstance(taken.value, Missing):
        cause["value"] = taken.value


def undo(
    state: State,
    version: int,
    desk: Desk,
    expected_version: int,
    events: Sequence[Event],
    reason: str,
) -> Event:
    """Apply the inverse of one version (H4), slots included; the changes it decided return to pending.

    `events` are those from `version` on, in order. Raises `undo.unknown_version`, `permission.denied` (another's),
    `version.conflict`, `undo.superseded`, `undo.nothing`.
    """
    if not 1 <= version <= state.version:
        raise DomainError(Code.UNDO_UNKNOWN_VERSION, "H4", version=version)
    if [event.version for event in events] != list(range(version, state.version + 1)):
        raise ValueError("`events` must hold every event from the undone version on, in order")
    undone, later = events[0], events[1:]
    if not desk.actor.may_undo_any and undone.actor.member != desk.actor.member:
        raise DomainError(Code.PERMISSION_DENIED, "H4")
    if expected_version < version:
        raise conflict(state, events)
    changes: list[Json] = [entry["id"] for entry in undone.cause.get("changes", ()) if isinstance(entry, dict)]
    if not undone.pointers and not changes:
        raise DomainError(Code.UNDO_NOTHING, "H4", version=version)
    restored = [operation.path for operation in undone.patch]

    def same(then: State) -> bool:
        return set(_falls(then, restored, desk)) - undone.pointers == set(_falls(state, restored, desk)) - undone.pointers

    depends = {ground for pointer in undone.pointers for ground in slot_depends_on(desk.ticket_type, pointer, state)}
    check_version(state, expected_version, later[expected_version - version :], depends, same)
    gone_on = (event for event in events if event.begins_anew or (event is not undone and _supersedes(event, undone)))
    superseded_by = next(gone_on, None)
    if superseded_by is not None:
        raise DomainError(Code.UNDO_SUPERSEDED, "H4", version=version, by=superseded_by.version)
    draft = Draft(state, desk)
    draft.restore(undone)
    for pointer in undone.touched:
        draft.touch(pointer)
    draft.fall(undone.pointers)
    return draft.finish(EventKind.UNDO, {"version": version, "reason": reason, "changes": changes})


def _supersedes(event: Event, undone: Event) -> bool:
    """Whether a later event stands on what `undone` changed, or has undone it already."""
    undid = event.kind is EventKind.UNDO and event.cause.get("version") == undone.version
    return undid or any(event.touches(pointer) for pointer in undone.pointers)


def revise(state: State, reference: str, how: str, desk: Desk) -> Event | None:
    """What the edit or deletion of a message does to the values that cite it (E7); None where it touches no slot.

    The desk's transcript shows the message as it now is. `how` is `edited` or `deleted`.
    """
    draft = Draft(state, desk)
    for pointer, slot in state.slots.items():
        if slot.holds and any(item.message == reference for item in slot.evidence):
            draft.put(pointer, draft.without_gone(slot))
    event = draft.finish(EventKind.EVIDENCE_CHANGED, {"message": reference, "how": how})
    return event if event.slots else None


def revise_carried(
    state: State, ticket: str, protocol: str, pointers: Collection[str], reference: str, how: str, desk: Desk
) -> Event | None:
    """The same for values that came from that ticket by a merge: the message that they rest on stayed there (E7, S1).

    `pointers` are those that the edit or deletion touched there. A value counts as long as it is the one that came and
    rests on no words of this ticket. None where no slot is touched.
    """
    draft = Draft(state, desk)
    for pointer, slot in state.slots.items():
        origin = slot.carried_from
        if origin is None or origin.ticket != ticket or origin.pointer not in pointers:
            continue
        if slot.holds and not slot.evidence:
            status = SlotStatus.CONFLICT if slot.status is SlotStatus.CONFLICT else SlotStatus.NEEDS_CONFIRMATION
            draft.put(pointer, replace(slot, status=status, stale_because=Stale("evidence_changed"), confirmed=None))
    event = draft.finish(EventKind.EVIDENCE_CHANGED, {"message": reference, "how": how, "protocol": protocol})
    return event if event.slots else None
