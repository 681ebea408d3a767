"""Optimistic locking of a ticket's state (V2): what may be rebased onto the present version, and what may not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from memoria.cascade import over_groups
from memoria.errors import Code, DomainError
from memoria.events import Event
from memoria.fields import COMMITMENTS, TicketType
from memoria.members import Place
from memoria.patch import Json, lookup, related
from memoria.proposals import Change
from memoria.state import State
from memoria.targets import target_names


def check_version(
    state: State,
    expected: int,
    since: Sequence[Event],
    pointers: Iterable[str],
    same: Callable[[State], bool] = lambda _then: True,
) -> None:
    """Let a write that was meant for version `expected` go on, or raise `version.conflict` with what happened since.

    Rebased when no event in `since` (those after `expected`, oldest first) touched one of `pointers`, an ancestor or
    a descendant, and `same` says that the outcome is what it was then: it is handed the state at `expected`.
    """
    if expected == state.version:
        return
    if expected not in range(state.version):
        raise conflict(state, ())
    if [event.version for event in since] != list(range(expected + 1, state.version + 1)):
        raise ValueError("`since` must hold every event after the expected version, in order")
    wanted = tuple(pointers)
    if any(event.begins_anew for event in since):  # what was seen is erased, and so is all that could be compared with
        raise conflict(state, since)
    if any(related(pointer, touched) for event in since for touched in event.pointers for pointer in wanted):
        raise conflict(state, since)
    then = state
    for event in reversed(since):
        then = then.rewind(event)
    if not same(then):
        raise conflict(state, since)


def conflict(state: State, since: Sequence[Event]) -> DomainError:
    """V2's refusal: the current version, and what happened since."""
    happened: list[Json] = [
        {
            "version": event.version,
            "kind": event.kind.value,
            "by": event.actor.name,
            "at": event.at.isoformat(),
            "pointers": sorted(event.pointers),
        }
        for event in since
    ]
    return DomainError(Code.VERSION_CONFLICT, "V2", current=state.version, since=happened)


def depends_on(ticket_type: TicketType, place: Place, change: Change, state: State) -> Collection[str]:
    """The pointers that a change's verdict depends on: its own, and the fields that invalidate it, transitively."""
    names = target_names(place, change, state.values)
    over = over_groups(ticket_type, state.values, place.pointer)
    return {place.pointer, *(pointer for name in names for pointer in over.grounds(name))}


def slot_depends_on(ticket_type: TicketType, pointer: str, state: State) -> Collection[str]:
    """The same for a slot that is confirmed or resolved."""
    names = [pointer]
    parts = pointer.split("/")
    if len(parts) >= 3 and parts[1] == "commitments":
        member = lookup(state.values, "/".join(parts[:3]))
        if isinstance(member, dict) and member.get("kind"):
            names.append(COMMITMENTS + member["kind"])
    over = over_groups(ticket_type, state.values, pointer)
    return {pointer, *(ground for name in names for ground in over.grounds(name))}
