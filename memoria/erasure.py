"""What erasure leaves of a ticket's state (L2, L3): marks on what rests on words that are gone, or nothing but marks."""

from __future__ import annotations

from memoria.draft import Draft
from memoria.events import Event, EventKind
from memoria.judgement import Desk
from memoria.patch import Json
from memoria.rows import group_of
from memoria.sources import Author
from memoria.state import Slot, SlotStatus, Stale, State

ERASED = Stale("evidence_erased")


def without_evidence(state: State, desk: Desk) -> Event | None:
    """What the erasure of messages does to the values that rest on them (L3); None where it touches no slot.

    The desk's transcript shows the messages as erased. The values stay, and await confirmation; a quote is marked as
    gone once, so what a person has confirmed since is not doubted again.
    """
    draft = Draft(state, desk)
    for pointer, slot in state.slots.items():
        if any(not item.gone and _erased(item.message, desk) for item in slot.evidence):
            draft.put(pointer, draft.without_gone(slot))
    event = draft.finish(EventKind.EVIDENCE_ERASED, {})
    return event if event.slots else None


def _erased(reference: str, desk: Desk) -> bool:
    message = desk.transcript.find(reference)
    return message is not None and message.erased


def forget(state: State, desk: Desk, how: str) -> Event:
    """The event with which a ticket's log begins anew, so that all before it can go (L2). `how`: retention, erasure.

    No value is left, no quote and no name. Each field that held or held once says that it is open because its evidence
    was erased; members and groups are gone, and their ids are not given again. What was said before is still older (P7).
    """
    version = state.version + 1
    known = desk.ticket_type.fields
    kept = {pointer: slot for pointer, slot in state.slots.items() if pointer in known and group_of(pointer) is None}
    cause: dict[str, Json] = {"how": how, "minted": dict(state.minted)}
    return Event(
        version,
        EventKind.ERASED,
        desk.actor,
        desk.now,
        desk.ticket_type.version,
        slots={pointer: (None, _emptied(slot, version)) for pointer, slot in kept.items()},
        touched=tuple(sorted(pointer for pointer in state.slots if group_of(pointer) is None)),  # an id may be a name (G2)
        cause=cause,
    )


def _emptied(slot: Slot, version: int) -> Slot:
    return Slot(SlotStatus.OPEN, slot.source, Author(slot.author.kind), slot.age, (), version, stale_because=ERASED)
