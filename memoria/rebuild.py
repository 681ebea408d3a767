"""Reading a ticket again from its messages (H5): a report of differences and new proposals, never an overwrite.

The model reads the messages from the first that retention has left, into a scratch state of its own. What that
state holds is then set beside what holds now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from memoria.decisions import Accept, decide
from memoria.events import canonical
from memoria.evidence import Transcript, still_stands
from memoria.groups import ids, order, resolve_ids
from memoria.judgement import Desk, judge, member_words
from memoria.members import SHAPES
from memoria.patch import MISSING, Json, Missing, lookup, same_json
from memoria.precedence import primary_message
from memoria.proposals import Change, Citation, Evidence, Verdict
from memoria.rows import ITEMS, group_of, in_group, template_of
from memoria.state import Slot, State

MOVABLE: Final = ("status", "due")


class Difference(StrEnum):
    SAME = "same"
    DIFFERENT = "different"  # both hold a value, another one
    ONLY_NOW = "only_now"  # the messages did not bring it: a statement, or words that are gone or were read otherwise
    ONLY_REREAD = "only_reread"  # the messages bring it, and nothing is held now


@dataclass(frozen=True, slots=True)
class Row:
    """One pointer of the report. `lost` are the messages of the present evidence that no longer back it."""

    pointer: str
    difference: Difference
    now: Json | Missing = MISSING
    reread: Json | Missing = MISSING
    evidence: tuple[Evidence, ...] = ()  # of the reading, empty where it brought nothing
    lost: tuple[str, ...] = ()
    held: tuple[Evidence, ...] = ()  # of what holds now
    change: Change | None = None  # what would make the reading's value hold


@dataclass(frozen=True, slots=True)
class Report:
    """The difference report: every pointer that holds a value now or after the reading, and what it proposes."""

    rows: tuple[Row, ...]

    @property
    def proposals(self) -> tuple[Change, ...]:
        return tuple(row.change for row in self.rows if row.change is not None)

    @property
    def differs(self) -> bool:
        return any(row.difference is not Difference.SAME for row in self.rows)


def reread(scratch: State, changes: Iterable[Change], desk: Desk) -> State:
    """The scratch state after the model's next answer: each change is taken where the domain allows it, alone."""
    for number, change in enumerate(resolve_ids(tuple(changes), scratch, 0, ids(scratch))):
        judgement = judge(scratch, change, desk)
        if judgement.verdict in (Verdict.ALLOWED, Verdict.NO_CHANGE):
            event = decide(scratch, [Accept(str(number), change)], [], desk, scratch.version)
            scratch = scratch.evolve(event)
    return scratch


def lost_evidence(slot: Slot, transcript: Transcript) -> tuple[str, ...]:
    """The messages that a slot cites and that no longer hold the quote: edited, deleted, or taken by retention."""
    return tuple(
        dict.fromkeys(
            item.message for item in slot.evidence if item.gone or not still_stands(item, transcript.find(item.message))
        )
    )


def compare(state: State, scratch: State, transcript: Transcript) -> Report:
    """Set what a fresh reading brought (`scratch`) beside what holds now (`state`).

    Fields are compared by pointer, members of collections by their words and their primary message (M7), since a
    reading mints ids of its own; so are groups, of which one value on the same words is enough. Each difference that the
    reading brings becomes a change to propose.
    """
    scratch = _with_groups_of(state, scratch)
    fields = [_compare_field(pointer, state, scratch, transcript) for pointer in _field_pointers(state, scratch)]
    members = [row for name in SHAPES for row in _compare_collection(name, state, scratch, transcript)]
    return Report((*fields, *members))


def _with_groups_of(state: State, scratch: State) -> State:
    """The reading with its groups under the ids that they have in `state`, or as new ones (`new-1`, …: G2).

    Its ids mean nothing to the ticket: what its prohibitions and decisions name is renamed too, and a group that the
    reading itself gave up is named no more (G5).
    """
    here = {
        (template_of(pointer), primary_message(slot), canonical(lookup(state.values, pointer))): group
        for pointer, slot in state.slots.items()
        if slot.holds and (group := group_of(pointer)) is not None
    }
    called: dict[str, str] = {}
    for pointer, slot in scratch.slots.items():
        group = group_of(pointer)
        if group is not None and slot.holds:
            known = here.get((template_of(pointer), primary_message(slot), canonical(lookup(scratch.values, pointer))))
            if known is not None and known not in called.values():
                called.setdefault(group, known)
    read = sorted(scratch.values.get(ITEMS, {}), key=order)
    fresh = [group for group in read if group not in called]
    called |= {group: f"new-{number}" for number, group in enumerate(fresh, start=1)}
    values = {**scratch.values, **{name: _renamed(scratch.values[name], called) for name in ("constraints", "decisions")}}
    if read:
        values[ITEMS] = {called[group]: scratch.values[ITEMS][group] for group in read}
    slots = {
        in_group(template_of(pointer), called[group]) if (group := group_of(pointer)) in called else pointer: slot
        for pointer, slot in scratch.slots.items()
        if group_of(pointer) is None or group_of(pointer) in called
    }
    return replace(scratch, values=values, slots=slots)


def _renamed(members: Mapping[str, Json], called: Mapping[str, str]) -> dict[str, Json]:
    """Prohibitions or decisions with the groups that they name under these ids; what names another is left out."""

    def targets(member: Mapping[str, Json]) -> list[Json]:
        named = [(target, group_of(target)) for target in member["applies_to"]]
        return [
            in_group(template_of(target), called.get(group, "")) if group is not None else target
            for target, group in named
            if group is None or group in called
        ]

    return {
        identity: {**member, "applies_to": targets(member)} if member.get("applies_to") else member
        for identity, member in members.items()
    }


def _field_pointers(*states: State) -> list[str]:
    holding = {
        pointer: None
        for state in states
        for pointer, slot in state.slots.items()
        if slot.holds and pointer.split("/")[1] not in SHAPES
    }
    return sorted(holding)


def _citations(evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    return tuple(Citation(item.message, item.quote, item.start) for item in evidence)


def _lost(slot: Slot | None, transcript: Transcript) -> tuple[str, ...]:
    return lost_evidence(slot, transcript) if slot is not None and slot.holds else ()


def _compare_field(pointer: str, state: State, scratch: State, transcript: Transcript) -> Row:
    now, fresh = lookup(state.values, pointer), lookup(scratch.values, pointer)
    held, read = state.slots.get(pointer), scratch.slots.get(pointer)
    lost = _lost(held, transcript)
    backing = held.evidence if held is not None and held.holds else ()
    if read is None:
        return Row(pointer, Difference.ONLY_NOW, now, MISSING, (), lost, backing)
    if not read.holds:
        # The messages withdraw it.
        change = Change("remove", pointer, MISSING, _citations(read.evidence))
        return Row(pointer, Difference.DIFFERENT, now, MISSING, read.evidence, lost, backing, change)
    change = Change("replace", pointer, fresh, _citations(read.evidence), read.source == "inference")
    if isinstance(now, Missing):
        return Row(pointer, Difference.ONLY_REREAD, MISSING, fresh, read.evidence, lost, backing, change)
    if same_json(now, fresh):
        return Row(pointer, Difference.SAME, now, fresh, read.evidence, lost, backing)
    return Row(pointer, Difference.DIFFERENT, now, fresh, read.evidence, lost, backing, change)


def _compare_collection(collection: str, state: State, scratch: State, transcript: Transcript) -> list[Row]:
    found: list[Row] = []
    known = {
        (primary_message(slot), member_words(collection, member)): (pointer, member, slot)
        for pointer, member, slot in _members(collection, state)
    }
    for read_as, member, slot in _members(collection, scratch):
        key = (primary_message(slot), member_words(collection, member))
        same = known.pop(key, None)
        if same is not None:
            pointer, held, held_slot = same
            lost = lost_evidence(held_slot, transcript)
            found.append(Row(pointer, Difference.SAME, held, member, slot.evidence, lost, held_slot.evidence))
            found += _compare_parts((pointer, held, state), (read_as, member, scratch), transcript)
            continue
        change = Change("add", f"/{collection}/-", member, _citations(slot.evidence))
        found.append(Row(change.path, Difference.ONLY_REREAD, MISSING, member, slot.evidence, change=change))
    for pointer, member, slot in known.values():
        lost = lost_evidence(slot, transcript)
        found.append(Row(pointer, Difference.ONLY_NOW, member, MISSING, (), lost, slot.evidence))
    return found


def _compare_parts(
    now: tuple[str, dict[str, Json], State], read: tuple[str, dict[str, Json], State], transcript: Transcript
) -> list[Row]:
    """What can move of a member that both have: its status and its due."""
    (pointer, held, state), (read_as, member, scratch) = now, read
    found: list[Row] = []
    for part in MOVABLE:
        mine, its = held.get(part), member.get(part)
        if part not in held or same_json(mine, its):
            continue
        slot = scratch.slots.get(f"{read_as}/{part}", scratch.slots[read_as])
        change = Change("replace", f"{pointer}/{part}", its, _citations(slot.evidence))
        before = state.slots.get(f"{pointer}/{part}")
        backing = before.evidence if before is not None else ()
        lost = _lost(before, transcript)
        found.append(Row(change.path, Difference.DIFFERENT, mine, its, slot.evidence, lost, backing, change))
    return found


def _members(collection: str, state: State) -> list[tuple[str, dict[str, Json], Slot]]:
    return [
        (pointer, member, state.slots[pointer])
        for identity, member in state.values[collection].items()
        if (pointer := f"/{collection}/{identity}") in state.slots
    ]
