"""Groups that repeat within a ticket: which there are, how they are called, and how a new one comes by its id (G1 to G7).

A group is nothing but the fields under its id: it begins with the first value that holds there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from memoria.beginnings import GROUP_EXISTS, group_name, present
from memoria.fields import TicketType
from memoria.patch import MISSING, Json, Missing, lookup
from memoria.proposals import Change, Judgement
from memoria.rows import ITEMS, REACH, ROOT, GroupRule, group_of, in_group, number_of
from memoria.state import State

_PLACEHOLDER: Final = re.compile(r"/items/(-|new-[0-9]{1,9})/(.+)\Z")
_ANY_ID: Final = re.compile(r"/items/([^/]+)/(.+)\Z")
NAME_LENGTH: Final = 60
"""Code points after which a group's name is cut."""


def proposed_groups(changes: Iterable[tuple[str, Json | Missing]], state: State) -> dict[str, dict[str, Json]]:
    """The groups that undecided changes would begin, by id, each with its proposed values by pointer."""
    held = set(present(state.values, state.slots))
    found: dict[str, dict[str, Json]] = {}
    for pointer, value in changes:
        group = group_of(pointer)
        if group is not None and group not in held and not isinstance(value, Missing):
            found.setdefault(group, {})[pointer] = value
    return dict(sorted(found.items(), key=lambda item: order(item[0])))


def order(group: str) -> tuple[bool, int, str]:
    """The order of groups: those that the domain numbered as they began, then those that a proposer named."""
    number = number_of(group)
    return (number == 0, number, group)


def ids(state: State) -> tuple[str, ...]:
    """The groups that hold a value, or held one, in their order."""
    return tuple(sorted(present(state.values, state.slots), key=order))


def labels(ticket_type: TicketType, state: State, proposed: Iterable[tuple[str, Json | Missing]] = ()) -> dict[str, str]:
    """How each group is called, by id, in their order (G6); those that only undecided changes would begin come last."""
    rule = ticket_type.groups
    if rule is None:
        return {}
    named = {group: lookup(state.values, in_group(rule.named_by, group)) if rule.named_by else MISSING for group in ids(state)}
    for group, values in proposed_groups(proposed, state).items():
        named[group] = values.get(in_group(rule.named_by, group), MISSING)
    hidden = bool(rule.named_by) and ticket_type.fields[rule.named_by].sensitive
    return {
        group: _label(rule, number, MISSING if hidden else value)
        for number, (group, value) in enumerate(named.items(), start=1)
    }


def listed(ticket_type: TicketType, state: State, proposed: Iterable[tuple[str, Json | Missing]]) -> list[Json]:
    """The groups as the model is told of them: each id and name, and which of them are only proposed (G7)."""
    begun = set(ids(state))
    named = labels(ticket_type, state, proposed).items()
    return [{"id": group, "label": label, **({} if group in begun else {"undecided": True})} for group, label in named]


def _label(rule: GroupRule, number: int, value: Json | Missing) -> str:
    name = group_name(value)
    if not name:
        return f"{rule.label} {number}"
    return f"{rule.label}: {name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + '…'}"


def unfolded(ticket_type: TicketType, state: State, proposed: Iterable[tuple[str, Json | Missing]] = ()) -> TicketType:
    """The type as it is for this ticket: one goes over the fields of each group, under the group's label (G6)."""
    return ticket_type.over(labels(ticket_type, state, proposed)) if ticket_type.groups is not None else ticket_type


# --- ids (G2) -----------------------------------------------------------------------------------------------------


def last_given(pointers: Iterable[str], last: int = 0) -> int:
    """The highest number among the ids in these pointers, and at least `last`.

    One too far above those below it was refused when it came (`REACH`) and counts for nothing.
    """
    for number in sorted(number_of(group_of(pointer) or "") for pointer in pointers):
        if number > last + REACH:
            break
        last = max(last, number)
    return last


def resolve_ids(
    changes: Sequence[Change], state: State, given: int, named: Collection[str] | None = None
) -> tuple[Change, ...]:
    """The changes with ids in the place of `-` and `new-1`, `new-2`, …: numbers that no group of this ticket ever had.

    `given` is the highest number in any earlier change's path, decided or not. One `new-1` is one group throughout, in
    `applies_to` too; each `-` is a group of its own. `named` are the ids that may be chosen besides those: any where it is
    None, else what is not among them is read as a placeholder too.
    """
    chosen = (change.path for change in changes if _own_id(change.path, named) is None)
    last = last_given(chosen, max(given, state.minted.get(ITEMS, 0)))
    known: dict[str, str] = {}
    resolved: list[Change] = []
    for change in changes:
        match = _PLACEHOLDER.match(change.path) or _own_id(change.path, named)
        if match is None:
            resolved.append(change)
            continue
        group = known.get(match[1])
        if group is None:
            last += 1
            group = f"i-{last}"
            if match[1] != "-":
                known[match[1]] = group
        resolved.append(replace(change, path=f"{ROOT}/{group}/{match[2]}"))
    return tuple(_with_targets(change, known) for change in resolved) if known else tuple(resolved)


def _own_id(path: str, named: Collection[str] | None) -> re.Match[str] | None:
    """A path with an id that a proposer chose and may not; None for any other."""
    group = group_of(path)
    return None if named is None or group is None or group in named else _ANY_ID.match(path)


def groups_named(change: Change) -> set[str]:
    """The groups that a prohibition or a decision speaks of in `applies_to` (G5)."""
    value = change.value
    if not isinstance(value, dict) or not isinstance(value.get("applies_to"), list) or group_of(change.path) is not None:
        return set()
    named = (group_of(target) for target in value["applies_to"] if isinstance(target, str))
    return {group for group in named if group is not None}


def _with_targets(change: Change, known: Mapping[str, str]) -> Change:
    value = change.value
    if not isinstance(value, dict) or not isinstance(value.get("applies_to"), list) or change.path.startswith(f"{ROOT}/"):
        return change
    targets = [_target(target, known) if isinstance(target, str) else target for target in value["applies_to"]]
    return replace(change, value={**value, "applies_to": targets})


def renamed(change: Change, called: Mapping[str, str]) -> Change:
    """The change with these ids in the place of others, in its pointer and in what it applies to."""
    return _with_targets(replace(change, path=_target(change.path, called)), called)


def _target(target: str, known: Mapping[str, str]) -> str:
    match = _ANY_ID.match(target)
    return target if match is None or match[1] not in known else f"{ROOT}/{known[match[1]]}/{match[2]}"


# --- a group that may be there already (G7) ---------------------------------------------------------------------------


def with_namesakes(changes: Sequence[Change], judgements: Sequence[Judgement], state: State) -> tuple[Judgement, ...]:
    """What one change's caution says of a group, on every change that would begin the same group."""
    warned = {
        group: caution
        for change, judgement in zip(changes, judgements, strict=True)
        for caution in judgement.cautions
        if caution.kind == GROUP_EXISTS and (group := group_of(change.path)) is not None
    }
    if not warned:
        return tuple(judgements)
    held: Collection[str] = state.values.get(ITEMS, {})
    told: list[Judgement] = []
    for change, judgement in zip(changes, judgements, strict=True):
        group = group_of(change.path)
        caution = warned.get(group or "")
        if caution is None or group in held or judgement.refused or caution in judgement.cautions:
            told.append(judgement)
        else:
            told.append(replace(judgement, cautions=(*judgement.cautions, caution)))
    return tuple(told)
