"""Deciding proposed changes: accept, edit, reject, one version for all of it or nothing (V1, V4, V5, V6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memoria.draft import Draft
from memoria.errors import Code, DomainError
from memoria.events import Event, EventKind
from memoria.groups import with_namesakes
from memoria.judgement import Desk, Rejection, judge
from memoria.patch import Json, Missing, related, same_json
from memoria.proposals import Change, Citation, Judgement, Statement, Status, Verdict
from memoria.state import State
from memoria.versions import check_version, depends_on


@dataclass(frozen=True, slots=True)
class Edit:
    """Another value for a proposed change. `evidence`: None is the proposal's, empty makes it a statement (E9)."""

    value: Json
    evidence: tuple[Citation, ...] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """One change to accept, by its id. `starts`: the same quotes, each with the occurrence it means (E6)."""

    id: str
    change: Change
    override: str | None = None  # P6: the written reason
    starts: tuple[Citation, ...] | None = None
    edit: Edit | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    id: str
    change: Change
    reason: str | None = None


def is_edit(change: Change, edit: Edit) -> bool:
    """Whether an edit changes anything: one that changes neither value nor evidence is an accept (E9)."""
    if change.removes or isinstance(change.value, Missing) or not same_json(change.value, edit.value):
        return True
    return edit.evidence is not None and edit.evidence != change.evidence


def as_decided(accept: Accept) -> tuple[Change, bool, bool]:
    """The change as it would be applied; whether it is an edit; whether it is the member's own statement (E9)."""
    change = accept.change
    if accept.starts is not None:
        change = replace(change, evidence=accept.starts)
    edit = accept.edit
    if edit is None or not is_edit(accept.change, edit):
        return change, False, False
    op = "replace" if change.removes else change.op
    if edit.evidence is None or edit.evidence == accept.change.evidence:
        return replace(change, op=op, value=edit.value, reason=edit.reason), True, False
    fresh = replace(change, op=op, value=edit.value, evidence=edit.evidence, inference=False, reason=edit.reason)
    return fresh, True, not edit.evidence


def admit(state: State, changes: Sequence[Change], desk: Desk, rejected: Collection[Rejection] = ()) -> tuple[Judgement, ...]:
    """The verdicts on a proposal's changes as they arrive (ids given: `resolve_ids`), each alone against the present state.

    `rejected` holds the `Rejection`s that V7 remembers for this ticket.
    """
    remembered = frozenset(rejected)
    return with_namesakes(changes, [judge(state, change, desk, rejected=remembered) for change in changes], state)


def decide(
    state: State,
    accept: Sequence[Accept],
    reject: Sequence[Reject],
    desk: Desk,
    expected_version: int | None,
    since: Sequence[Event] = (),
) -> Event:
    """The one event of a decision; the state of the changes themselves was checked by `first_answer`.

    `since` are the events after `expected_version`. Raises DomainError: `permission.denied` (P6),
    `decision.duplicate_pointer` (V5), `version.conflict` (V2), or the code of the first change that is refused.
    A mere rejection writes no value and names no version.
    """
    if any(item.override is not None for item in accept) and not desk.actor.may_override:
        raise DomainError(Code.PERMISSION_DENIED, "P6")
    _check_pointers(accept)
    wanted = [(item, *as_decided(item)) for item in accept]
    if accept:
        if expected_version is None:
            raise ValueError("a decision that writes names its version")
        if expected_version != state.version:
            _check_rebase(state, [(change, stated) for _, change, _, stated in wanted], desk, expected_version, since)
    draft = Draft(state, desk)
    entries: list[Json] = []
    for item, change, edited, stated in wanted:
        judgement = judge(draft.state, change, desk, statement=Statement() if stated else None)
        if judgement.refused:
            reason = judgement.reasons[0]
            raise DomainError.of(replace(reason, data={**reason.data, "change": item.id}))
        by = desk.actor.author if edited and not stated else None
        pointer = draft.take(change, judgement, override=item.override is not None, edited_by=by)
        entries.append(_entry(item, change, judgement, pointer, edited))
    entries.extend(_rejection_entry(item) for item in reject)
    draft.fall()
    return draft.finish(EventKind.DECISION, {"changes": entries})


def _check_pointers(accept: Sequence[Accept]) -> None:
    seen: set[str] = set()
    for item in accept:
        path = item.change.path
        if path in seen:
            raise DomainError(Code.DUPLICATE_POINTER, "V5", pointer=path)
        if not path.endswith("/-"):
            seen.add(path)


def _check_rebase(
    state: State, changes: Sequence[tuple[Change, bool]], desk: Desk, expected: int, since: Sequence[Event]
) -> None:
    pointers: set[str] = set()
    for change, _ in changes:
        place = desk.ticket_type.place(change.path, state.values)
        pointers.update({change.path} if place is None else depends_on(desk.ticket_type, place, change, state))

    def outcome(at: State) -> list[tuple[Verdict, tuple[str, ...]]]:
        judgements = [judge(at, change, desk, statement=Statement() if stated else None) for change, stated in changes]
        return [(judgement.verdict, judgement.cascade) for judgement in judgements]

    check_version(state, expected, since, pointers, lambda then: outcome(then) == outcome(state))


def _entry(item: Accept, change: Change, judgement: Judgement, pointer: str, edited: bool) -> Json:
    entry: dict[str, Json] = {
        "id": item.id,
        "decision": "edited" if edited else "accepted",
        "pointer": pointer,
        "op": change.op,
        "verdict": judgement.verdict.value,
        "code": judgement.code.value,
        "source": judgement.source,
        "cascade": list(judgement.cascade),
    }
    if not isinstance(change.value, Missing):
        entry["value"] = change.value
    if not isinstance(judgement.current_value, Missing):
        entry["was"] = judgement.current_value
    if edited and not isinstance(item.change.value, Missing):
        entry["proposed"] = item.change.value
    if item.override is not None:
        entry["override"] = item.override
    if edited and item.edit is not None and item.edit.reason:
        entry["reason"] = item.edit.reason
    if judgement.same_as is not None:
        entry["same_as"] = judgement.same_as
    if judgement.cautions:  # K9: the event keeps that they were told
        entry["cautions"] = [caution.to_json() for caution in judgement.cautions]
    return entry


def _rejection_entry(item: Reject) -> Json:
    entry: dict[str, Json] = {
        "id": item.id,
        "decision": "rejected",
        "pointer": item.change.path,
        "op": item.change.op,
    }
    if not isinstance(item.change.value, Missing):
        entry["value"] = item.change.value
    if item.reason:
        entry["reason"] = item.reason
    return entry


# --- what was decided before (V4) ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decided:
    """A change's fate as it is stored. `value` and `evidence` are those of an edit."""

    id: str
    change: Change
    status: Status
    version: int | None = None
    value: Json = None
    evidence: tuple[Citation, ...] | None = None
    by: str = ""
    at: datetime | None = None
    overridden: bool = False  # P6: it was accepted with an override


def first_answer(records: Mapping[str, Decided], accept: Sequence[Accept], reject: Sequence[Reject]) -> int | None:
    """The version that this very decision made before, or None where every change is still pending (V4).

    `records` are the changes as stored, by id. Raises `change.refused`, `change.superseded` or
    `change.already_decided` for the first change in the order named that can no longer be decided so.
    """
    named: list[Accept | Reject] = [*accept, *reject]
    versions: list[int | None] = []
    for item in named:
        record = records[item.id]
        if record.status is Status.REFUSED:
            raise DomainError(Code.CHANGE_REFUSED, "4", change=item.id)
        if record.status is Status.SUPERSEDED:
            raise DomainError(Code.CHANGE_SUPERSEDED, "V6", change=item.id)
        if record.status is Status.PENDING:
            versions.append(None)
        elif _same_decision(record, item):
            versions.append(record.version)
        else:
            raise _already(record)
    if len(set(versions)) > 1:
        raise _already(next(records[item.id] for item in named if records[item.id].version is not None))
    return versions[0] if versions else None


def _already(record: Decided) -> DomainError:
    at = record.at.isoformat() if record.at else None
    return DomainError(Code.ALREADY_DECIDED, "V4", change=record.id, status=record.status.value, by=record.by, at=at)


def _same_decision(record: Decided, item: Accept | Reject) -> bool:
    if isinstance(item, Reject):
        return record.status is Status.REJECTED
    if item.override is not None and not record.overridden:
        return False  # a plain accept recorded the divergence; an override of it must not be lost in silence
    if item.edit is None or not is_edit(item.change, item.edit):
        return record.status is Status.ACCEPTED
    before = item.change.evidence if record.evidence is None else record.evidence
    again = item.change.evidence if item.edit.evidence is None else item.edit.evidence
    return record.status is Status.EDITED and same_json(record.value, item.edit.value) and before == again


# --- what becomes moot (V6) ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pending:
    """A pending change and the verdict that it was proposed with."""

    id: str
    change: Change
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Settled:
    """A pending change after an event: its fresh verdict, and whether the event made it moot."""

    id: str
    judgement: Judgement
    superseded: bool


def settle(event: Event, state: State, pending: Sequence[Pending], desk: Desk) -> list[Settled]:
    """Judge the pending changes anew against the state after `event`.

    Superseded is one whose pointer the version touched (of an `add` to `/-`: its collection) and that is now
    refused, or changes nothing though it was proposed as a change (V6).
    """
    settled: list[Settled] = []
    changes = [item.change for item in pending]
    judgements = with_namesakes(changes, [judge(state, change, desk) for change in changes], state)
    for item, judgement in zip(pending, judgements, strict=True):
        place = item.change.path.removesuffix("/-")
        moot = judgement.refused or (judgement.verdict is Verdict.NO_CHANGE and item.verdict is not Verdict.NO_CHANGE)
        touched = moot and any(related(place, pointer) for pointer in event.pointers)
        settled.append(Settled(item.id, judgement, moot and touched))
    return settled


def moot_by_proposal(pending: Sequence[Pending], paths: Sequence[str]) -> list[str]:
    """The ids of the pending changes that a later proposal by the same producer makes moot (V6).

    `paths` are those of the later proposal's changes that are not refused; `/-` makes nothing moot.
    """
    later = {path for path in paths if not path.endswith("/-")}
    return [item.id for item in pending if item.change.path in later]
