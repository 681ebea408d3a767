"""What proves a ticket's history: the chain, the columns beside it, and the states that replaying the log gives."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from atendimento import timeline
from atendimento.models import LedgerEvent, StateSnapshot, Ticket, TicketState
from memoria.events import GENESIS, EventKind, StoredEvent, verify_chain
from memoria.patch import lookup, same_json
from memoria.state import State, replay


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where a ticket's log, chain or kept states are not what was written (H2, H3).

    `what`: version, previous, content, hash (the chain); member, pointers, sources, through_message, organization
    (columns beside it); head, projection, snapshot (what the log does not give).
    """

    ticket: uuid.UUID
    version: int
    what: str


def verify(ticket_id: uuid.UUID) -> list[Finding]:
    """Check one ticket's chain, and that replaying its log gives what is kept: all of it, or since it was last erased.

    Where content is gone and no event has begun anew since, the chain alone is checked.
    """
    rows = list(timeline.rows(ticket_id))
    ticket = Ticket.objects.only("organization_id", "state_version").get(pk=ticket_id)
    found = _chain_findings(ticket_id, rows)
    for row in rows:
        found += [Finding(ticket_id, row.version, column) for column in _beside(row, ticket.organization_id)]
    kept = TicketState.objects.get(ticket_id=ticket_id)
    if kept.head_hash != _head(rows) or kept.version != len(rows) or ticket.state_version != len(rows):
        found.append(Finding(ticket_id, kept.version, "head"))
    if not found:
        start = _start(rows)
        if start is not None:
            found += _unlike_replay(kept, rows[start:])
    return found


def tombstones(ticket_ids: Collection[uuid.UUID]) -> int:
    """How many events of these tickets have lost their content to erasure."""
    return LedgerEvent.objects.filter(ticket_id__in=ticket_ids, content=None).count()


def _start(rows: Sequence[LedgerEvent]) -> int | None:
    """The index of the row from which replaying gives the state: 0, or where it last began anew (L2).

    None where none does, because content behind it is gone.
    """
    start = max((index for index, row in enumerate(rows) if row.kind == EventKind.ERASED.value), default=0)
    return start if all(row.content is not None for row in rows[start:]) else None


def _head(rows: Sequence[LedgerEvent]) -> str:
    return rows[-1].hash if rows else GENESIS


def _chain_findings(ticket_id: uuid.UUID, rows: Iterable[LedgerEvent]) -> list[Finding]:
    stored = (
        StoredEvent(
            timeline.record_of(row),
            None if row.salt is None else bytes(row.salt),
            row.content_digest,
            row.previous_hash,
            row.hash,
        )
        for row in rows
    )
    return [Finding(ticket_id, item.version, item.what) for item in verify_chain(str(ticket_id), stored)]


def _beside(row: LedgerEvent, organization_id: int) -> list[str]:
    """The columns that only repeat what the content says, and do not."""
    unlike = [] if row.organization_id == organization_id else ["organization"]
    if row.content is None:
        return unlike
    try:
        event = timeline.event_of(row)
    except (ValueError, KeyError, TypeError, AttributeError):
        return unlike  # the content is not what was written: the chain says so
    said = timeline.beside(event, row.content.get(timeline.READ_THROUGH, row.through_message))
    return unlike + [column.removesuffix("_id") for column, value in said.items() if getattr(row, column) != value]


def _unlike_replay(kept: TicketState, rows: Sequence[LedgerEvent]) -> list[Finding]:
    """The kept states that replaying the log does not give."""
    snapshots = {row.version: row for row in StateSnapshot.objects.filter(ticket_id=kept.ticket_id)}
    found, state = [], _before(rows)
    for row in rows:
        state = state.evolve(timeline.event_of(row))
        snapshot = snapshots.pop(row.version, None)
        if snapshot is not None and timeline.projection(snapshot) != state:
            found.append(Finding(kept.ticket_id, row.version, "snapshot"))
    found += [Finding(kept.ticket_id, version, "snapshot") for version in sorted(snapshots)]
    if timeline.projection(kept) != state:
        found.append(Finding(kept.ticket_id, kept.version, "projection"))
    return found


def _before(rows: Sequence[LedgerEvent]) -> State:
    """What the first of these rows is applied to."""
    return State(rows[0].version - 1) if rows else State()


@dataclass(frozen=True, slots=True)
class Replayed:
    """What replaying a ticket's log says of its stored state."""

    differs: tuple[str, ...]  # slots' pointers whose slot or value is another; "version", "head", "minted" for the rest
    unsound: tuple[Finding, ...]  # where the chain does not verify: then nothing is to be written

    @property
    def agrees(self) -> bool:
        return not self.differs


def compare_with_log(ticket_id: uuid.UUID) -> tuple[Replayed, State | None]:
    """Set the stored state beside the log's, writing nothing; the second is the log's own state.

    None where the chain does not verify, or content is gone since the log last began anew: no state can be had from it.
    """
    kept = TicketState.objects.get(ticket_id=ticket_id)
    rows = list(timeline.rows(ticket_id))
    unsound = _chain_findings(ticket_id, rows)
    if Ticket.objects.values_list("state_version", flat=True).get(pk=ticket_id) > len(rows):
        # A chain cut off at its end holds together; the ticket remembers that there was more.
        unsound.append(Finding(ticket_id, len(rows) + 1, "version"))
    start = _start(rows)
    if unsound or start is None:
        erased = [Finding(ticket_id, row.version, "erased") for row in rows if row.content is None]
        return Replayed((), tuple(unsound or erased)), None
    stored, state = timeline.projection(kept), replay(map(timeline.event_of, rows[start:]), _before(rows[start:]))
    differs = sorted({*timeline.slots_changed(stored, state), *_values_unlike(stored, state)})
    others = {
        "version": stored.version != state.version,
        "minted": dict(stored.minted) != dict(state.minted),
        "head": kept.head_hash != _head(rows),
    }
    return Replayed((*differs, *(name for name, unlike in others.items() if unlike)), ()), state


def _values_unlike(one: State, other: State) -> list[str]:
    pointers = sorted({*one.slots, *other.slots})
    unlike = [pointer for pointer in pointers if not same_json(lookup(one.values, pointer), lookup(other.values, pointer))]
    return unlike if unlike or one.values == other.values else ["values"]
