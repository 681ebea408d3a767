"""A ticket's events in their order, and its state at any version or time, folded from the nearest state that is kept.

Snapshots are kept every `settings.SNAPSHOT_EVERY` versions, so that no reading folds more events than that, however
long the ticket's history is (H3).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings

from atendimento.models import LedgerEvent, StateSnapshot, TicketState
from memoria.events import Event, EventKind, event_from_record
from memoria.sources import Actor
from memoria.state import State, slot_to_json, state_from_json, state_to_json

CHUNK: Final = 500
READ_THROUGH: Final = "read_through"
"""In a stored event's content: up to which message proposals had read. No rule needs it, so the domain does not know it."""


def projection(row: TicketState | StateSnapshot) -> State:
    """The state that a stored row holds."""
    return state_from_json({"version": row.version, "values": row.values, "slots": row.slots, "minted": row.minted})


def current(ticket_id: uuid.UUID) -> State:
    """The state that holds now, read from the projection."""
    return projection(TicketState.objects.get(ticket_id=ticket_id))


# --- events -------------------------------------------------------------------------------------------------------


def record_of(row: LedgerEvent) -> dict[str, object]:
    """The row as `memoria.events` reads and hashes it."""
    return {
        "version": row.version,
        "kind": row.kind,
        "actor": row.actor,
        "at": row.at.astimezone(UTC).isoformat(),
        "ticket_type_version": row.ticket_type_version,
        "content": row.content,
    }


def event_of(row: LedgerEvent) -> Event:
    """The event of a ledger row. Of an erased one it says when, by whom, and what it touched, and nothing more."""
    if row.content is None:
        actor = Actor(row.actor["member"], row.actor["name"])
        touched = tuple(row.pointers)
        return Event(row.version, EventKind(row.kind), actor, row.at, row.ticket_type_version, touched=touched)
    return event_from_record(record_of(row))


def beside(event: Event, read_through: int) -> dict[str, Any]:
    """The columns that repeat what an event says, so that events are found by them."""
    return {
        "member_id": int(event.actor.member) if event.actor.member else None,
        "pointers": sorted(event.pointers),
        "sources": sorted({after.source for _, after in event.slots.values() if after is not None}),
        "through_message": read_through,
    }


def rows(ticket_id: uuid.UUID, after: int = 0, up_to: int | None = None) -> Iterator[LedgerEvent]:
    """The ledger's rows with `after` < version <= `up_to`, oldest first."""
    found = LedgerEvent.objects.filter(ticket_id=ticket_id, version__gt=after).order_by("version")
    if up_to is not None:
        found = found.filter(version__lte=up_to)
    return found.iterator(chunk_size=CHUNK)


def version_at(ticket_id: uuid.UUID, moment: datetime) -> int:
    """The version that held at a moment; 0 before the first event."""
    last = LedgerEvent.objects.filter(ticket_id=ticket_id, at__lte=moment).order_by("-at", "-version")
    return last.values_list("version", flat=True).first() or 0


# --- states -------------------------------------------------------------------------------------------------------


def is_kept(version: int) -> bool:
    """Whether a snapshot is kept of this version."""
    return version > 0 and version % settings.SNAPSHOT_EVERY == 0


def keep(organization_id: int, ticket_id: uuid.UUID, state: State) -> None:
    """Keep a snapshot of this state, in the transaction that makes its version."""
    document = state_to_json(state)
    StateSnapshot.objects.create(
        organization_id=organization_id,
        ticket_id=ticket_id,
        version=document["version"],
        values=document["values"],
        slots=document["slots"],
        minted=document["minted"],
    )


@dataclass(frozen=True, slots=True)
class _Fold:
    """A way to a version: from a state that is kept, along the events between, forward or back."""

    start: State
    version: int

    @property
    def length(self) -> int:
        return abs(self.version - self.start.version)

    def walk(self, ticket_id: uuid.UUID) -> State | None:
        """The state at the version; None where an event on the way is erased."""
        between = sorted((self.start.version, self.version))
        found: Sequence[LedgerEvent] = list(rows(ticket_id, *between)) if self.length else []
        if len(found) != self.length or any(row.content is None for row in found):
            return None
        state = self.start
        if state.version < self.version:
            for row in found:
                state = state.evolve(event_of(row))
            return state
        for row in reversed(found):
            event = event_of(row)
            if event.begins_anew:
                return None
            state = state.rewind(event)
        return state


def state_at(ticket_id: uuid.UUID, version: int, now: State | None = None) -> State | None:
    """The state at a version (H3); `now` is the present one, where it was read already.

    None where there is no such version, or what it consisted of is erased.
    """
    now = now or current(ticket_id)
    if not 0 <= version <= now.version:
        return None
    if version == now.version:
        return now
    starts = [now, *_kept_around(ticket_id, version)]
    if not any(start.version <= version for start in starts):
        starts.append(State())
    for way in sorted((_Fold(start, version) for start in starts), key=lambda way: way.length):
        found = way.walk(ticket_id)
        if found is not None:
            return found
    return None


def _kept_around(ticket_id: uuid.UUID, version: int) -> list[State]:
    """The newest snapshot up to the version and the oldest after it, where there are such."""
    kept = StateSnapshot.objects.filter(ticket_id=ticket_id)
    before = kept.filter(version__lte=version).order_by("-version")[:1]
    after = kept.filter(version__gt=version).order_by("version")[:1]
    return [projection(row) for row in before.union(after, all=True)]


def slots_changed(before: State, after: State) -> Mapping[str, Sequence[object]]:
    """Per pointer whose slot differs between two states: [slot before or None, slot after or None]."""
    pointers: Iterable[str] = {**before.slots, **after.slots}
    return {
        pointer: [
            None if slot is None else slot_to_json(slot) for slot in (before.slots.get(pointer), after.slots.get(pointer))
        ]
        for pointer in pointers
        if before.slots.get(pointer) != after.slots.get(pointer)
    }


def first_goal(ticket_id: uuid.UUID) -> str | None:
    """The goal that the ticket began with (N2); None where none was set, or where its event is erased."""
    rows = LedgerEvent.objects.filter(ticket_id=ticket_id, pointers__contains=["/goal"], content__isnull=False)
    first = rows.order_by("version").first()
    if first is None:
        return None
    found = [operation.value for operation in event_of(first).patch if operation.path == "/goal"]
    return found[0] if found and isinstance(found[0], str) else None
