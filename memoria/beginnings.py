"""The first value of a group: whether the group may begin, and whether it seems to be there already (G2, G7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memoria.errors import Code, Reason
from memoria.fields import TicketType
from memoria.members import Place
from memoria.patch import Json, Missing, lookup
from memoria.proposals import Caution, Change
from memoria.rows import ITEMS, REACH, group_of, in_group, number_of
from memoria.state import Slot, State
from memoria.typography import fold_words

GROUP_EXISTS = "group_exists"


def present(values: Mapping[str, Json], slots: Mapping[str, Slot]) -> set[str]:
    """The groups of which anything is known: a value that is held, or was."""
    return {group for pointer in slots if (group := group_of(pointer)) is not None} | set(values.get(ITEMS, {}))


def group_name(value: Json | Missing) -> str:
    """What a naming field's value gives as a name; empty where it gives none."""
    is_name = isinstance(value, (str, int)) and not isinstance(value, bool)
    return " ".join(str(value).split()) if is_name else ""


def beginning_problem(state: State, place: Place, change: Change, ticket_type: TicketType, last: int) -> Reason | None:
    """G2: nothing is withdrawn from a group that there is not, no more groups begin than the type has, and none under a
    number far above `last`, the last one that the ticket gave or took."""
    group, rule = group_of(place.pointer), ticket_type.groups
    held = state.values.get(ITEMS, {})
    if group is None or rule is None or group in held:
        return None
    known = group in present(state.values, state.slots)
    if not known and (change.removes or number_of(group) > max(last, state.minted.get(ITEMS, 0)) + REACH):
        return Reason(Code.UNKNOWN_PATH, "G2", {"path": change.path})
    if change.removes:
        return None
    return Reason(Code.TOO_MANY_GROUPS, "G2", {"most": rule.most}) if len(held) >= rule.most else None


def namesakes(state: State, place: Place, change: Change, ticket_type: TicketType) -> tuple[Caution, ...]:
    """G7: the groups that are called already as the one that the change would begin."""
    group, rule = group_of(place.pointer), ticket_type.groups
    held = state.values.get(ITEMS, {})
    if group is None or rule is None or group in held or place.pointer != in_group(rule.named_by, group):
        return ()
    name = fold_words(group_name(change.value))
    same = tuple(other for other in held if name and _name_of(state.values, rule.named_by, other) == name)
    return (Caution(GROUP_EXISTS, members=same),) if same else ()


def _name_of(values: Mapping[str, Json], named_by: str, group: str) -> str:
    return fold_words(group_name(lookup(values, in_group(named_by, group))))


def begins(state: State, pointer: str, known: Collection[str] | None = None) -> bool:
    """Whether the pointer lies in a group of which nothing is known yet."""
    group = group_of(pointer)
    return group is not None and group not in (present(state.values, state.slots) if known is None else known)
