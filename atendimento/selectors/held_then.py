"""What a pointer held at the version of an event that did not write it: one that put it in doubt, or confirmed it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Final

from atendimento.models import LedgerEvent
from atendimento.selectors.reading import event_of
from memoria.events import Event
from memoria.patch import MISSING, Json, Missing, Operation, lookup
from memoria.state import Slot, State

Given = Mapping[tuple[str, int], Json | Missing]
"""Values by pointer and by the version that gave them."""
NOTHING: Final[Given] = {}


def given(ticket_id: uuid.UUID, events: Iterable[Event], state: State) -> Given:
    """The values that these events speak of and that `state` holds no more.

    One query, by the versions that gave them, however many they are; none where all are held to this day.
    """
    wanted = {
        (pointer, after.since_version)
        for event in events
        for pointer, (_before, after) in event.slots.items()
        if after is not None and after.holds and after.since_version != event.version and not _still(pointer, after, state)
    }
    if not wanted:
        return NOTHING
    rows = LedgerEvent.objects.filter(
        ticket_id=ticket_id, version__in={version for _pointer, version in wanted}, content__isnull=False
    )
    made = {row.version: event_of(row) for row in rows}
    return {(pointer, version): written(made[version].patch, pointer) for pointer, version in wanted if version in made}


def held(pointer: str, event: Event, state: State, past: Given) -> Json | Missing:
    """What the pointer held once `event` was written; MISSING where nothing, or where the event that gave it is erased."""
    after = event.slots.get(pointer, (None, None))[1]
    if after is None or not after.holds:
        return MISSING
    if after.since_version == event.version:
        return written(event.patch, pointer)
    if _still(pointer, after, state):
        return lookup(state.values, pointer)
    return past.get((pointer, after.since_version), MISSING)


def _still(pointer: str, slot: Slot, state: State) -> bool:
    """Whether the state holds the very value that the slot stood for."""
    now = state.slots.get(pointer)
    return now is not None and now.holds and now.since_version == slot.since_version


def written(patch: Iterable[Operation], pointer: str) -> Json | Missing:
    """What a patch leaves at the pointer, by itself or within what it writes above; MISSING where it writes nothing there."""
    found: Json | Missing = MISSING
    for operation in patch:
        if operation.path == pointer:
            found = operation.value
        elif pointer.startswith(f"{operation.path}/"):
            found = lookup(operation.value, pointer[len(operation.path) :])
    return found
