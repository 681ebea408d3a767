"""What holds now, as the model sees it: open and recent things whole, settled ones by name alone (N3, N6).

Both parts have the shape of the values that pointers address: `{"goal": …, "facts": {name: value}, "items": {group: {name:
value}}, "commitments": {id: member}}`. Beside it stand `doubtful`, by pointer, with what is in doubt and why, and `settled`,
a list of names. What was changed last stands last in its group, so that what comes before stays the same for the provider's
cache (N4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memoria.fields import Field, TicketType
from memoria.groups import unfolded
from memoria.members import FIELD_MAPS, FINISHED, SHAPES, Shape
from memoria.patch import Json, Missing, lookup, make_pointer, parse_pointer
from memoria.rows import ITEMS, group_of
from memoria.state import Slot, SlotStatus, State

NAME_LENGTH: Final = 60
"""Code points after which the name of what is settled is cut."""
_NEVER_LEFT_OUT: Final = ("constraints", "decisions")  # N1; open commitments are kept by their status
_OPEN_STATUSES: Final = frozenset({"open", "granted"})  # of pending items and authorizations
_GROUPS: Final = ("goal", *FIELD_MAPS, ITEMS, *SHAPES)
_WHY_SETTLED: Final = "settled"
_WHY_BUDGET: Final = "budget"


@dataclass(frozen=True, slots=True)
class StateView:
    """The two parts of the state in a context, and what is in neither."""

    literals: dict[str, Json]  # literal fields and identifiers, constraints, decisions; in the parts of `document`
    document: dict[str, Json]
    literal_count: int
    included: int
    left_out: tuple[tuple[str, str], ...]  # what, why


@dataclass(frozen=True, slots=True)
class _Row:
    pointer: str
    shown: Json
    name: str  # where it is only named
    since: int
    must: bool  # never left out
    live: bool  # open or not current: before what is settled
    settled: bool = False  # by name alone from the start
    literal: bool = False


def view(state: State, ticket_type: TicketType, count: Callable[[Json], int], budget: int, most: int) -> StateView:
    """The view of `state` within `budget` tokens; at most `most` members that are neither open nor literal, and as many names.

    Whatever is literal, a constraint, a decision or an open commitment is whole in it, over budget or not.
    """
    rows = [*_fields(state, ticket_type), *_members(state)]
    literals = [row for row in rows if row.literal]
    others = [row for row in rows if not row.literal]
    whole = {row.pointer for row in others if row.must}
    spent = sum(count({row.pointer: row.shown}) for row in others if row.must)
    members = 0
    for row in sorted((row for row in others if not row.must and not row.settled), key=_rank):
        is_member = _is_member(row.pointer)
        cost = count({row.pointer: row.shown})
        if spent + cost <= budget and not (is_member and members >= most):
            spent += cost
            members += is_member
            whole.add(row.pointer)
    named = sorted((row for row in others if row.pointer not in whole), key=lambda row: -row.since)
    document = _document([row for row in others if row.pointer in whole])
    if named:
        document["settled"] = [row.name for row in named[:most]]
    left_out = [(row.name, _WHY_SETTLED if row.settled else _WHY_BUDGET) for row in named[:most]]
    if len(named) > most:
        left_out.append((f"{len(named) - most} older", _WHY_SETTLED))
    return StateView(_document(literals), document, len(literals), len(whole), tuple(left_out))


def _document(rows: Iterable[_Row]) -> dict[str, Json]:
    """The rows in the values' shape, what is in doubt by its pointer; a group that holds nothing is left out."""
    groups: dict[str, Json] = {}
    for row in rows:
        group, _, name = row.pointer[1:].partition("/")
        if _is_member(row.pointer):
            groups.setdefault(group, {})[_unescaped(name)] = row.shown
    doubtful: dict[str, Json] = {}
    for row in sorted((row for row in rows if not _is_member(row.pointer)), key=lambda row: row.since):
        group, _, name = row.pointer[1:].partition("/")
        repeated = group_of(row.pointer)
        if row.live:
            doubtful[row.pointer] = row.shown
        elif repeated is not None:
            groups.setdefault(group, {}).setdefault(repeated, {})[_unescaped(name.partition("/")[2])] = row.shown["value"]
        elif name:
            groups.setdefault(group, {})[_unescaped(name)] = row.shown["value"]
        else:
            groups[group] = row.shown["value"]
    document = {group: groups[group] for group in _GROUPS if group in groups}
    return document | ({"doubtful": doubtful} if doubtful else {})


def _unescaped(name: str) -> str:
    return parse_pointer(f"/{name}")[0]


def _rank(row: _Row) -> tuple[bool, int]:
    return (not row.live, -row.since)


def _is_member(pointer: str) -> bool:
    return pointer.partition("/")[2].partition("/")[0] in SHAPES


def _fields(state: State, ticket_type: TicketType) -> Iterable[_Row]:
    for pointer, field in unfolded(ticket_type, state).fields.items():
        slot, value = state.slots.get(pointer), lookup(state.values, pointer)
        if slot is None and isinstance(value, Missing):
            continue
        yield _field_row(pointer, field, slot, value)


def _field_row(pointer: str, field: Field, slot: Slot | None, value: Json | Missing) -> _Row:
    shown: dict[str, Json] = {} if isinstance(value, Missing) else {"value": value}
    live = slot is not None and slot.status is not SlotStatus.CURRENT
    if slot is not None and live:
        shown["status"] = slot.status.value
        if not slot.holds and slot.replaces is not None and not isinstance(slot.replaces.value, Missing):
            shown["was"] = slot.replaces.value
        if slot.challengers:
            shown["against"] = ["withdraw" if isinstance(item.value, Missing) else item.value for item in slot.challengers]
    since = slot.since_version if slot is not None else 0
    literal = field.literal or field.is_identifier
    return _Row(pointer, shown, pointer, since, pointer == "/goal", live, literal=literal)


def _members(state: State) -> Iterable[_Row]:
    for collection, shape in SHAPES.items():
        for identifier, member in state.values.get(collection, {}).items():
            pointer = make_pointer(collection, identifier)
            slots = [state.slots.get(pointer + part) for part in ("", "/status", "/due")]
            status = member.get("status")
            keep = collection in _NEVER_LEFT_OUT
            finished = status in FINISHED or status in ("answered", "withdrawn", "revoked")
            yield _Row(
                pointer,
                _member_row(member, slots[0], shape.default_status),
                _name(identifier, member, shape),
                max((slot.since_version for slot in slots if slot is not None), default=0),
                must=collection == "commitments" and not finished,
                live=status in _OPEN_STATUSES,
                settled=finished,
                literal=keep,
            )


def _name(identifier: str, member: Mapping[str, Json], shape: Shape) -> str:
    status = member.get("status")
    told = "" if status in (None, shape.default_status) else f" ({status})"
    return f"{identifier} {member.get(shape.text_keys[-1], '')}"[:NAME_LENGTH] + told


def _member_row(member: Mapping[str, Json], slot: Slot | None, default: str | None) -> Json:
    """The member without what it leaves empty and the status that it began with, and with its slot's status where that
    is not `current`."""
    shown = {key: value for key, value in member.items() if value not in (None, [], "")}
    if shown.get("status") == default:
        shown.pop("status", None)
    if slot is not None and slot.status is not SlotStatus.CURRENT:
        shown["slot"] = slot.status.value
    return shown
