"""What becomes of values that no longer fit when a version of the ticket type is published (T2): one event a ticket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from memoria.draft import Draft
from memoria.events import Event, EventKind
from memoria.judgement import Desk
from memoria.members import SHAPES, Place
from memoria.misfits import Misfit, Why, misfits
from memoria.patch import MISSING, Json, Missing, lookup, parse_pointer
from memoria.precedence import Claim
from memoria.sources import Kind
from memoria.state import Slot, SlotStatus, Stale, State

TICKET_TYPE: Final = "ticket_type"
_TAKEN_BACK: Final[Mapping[str, str]] = {"commitments": "cancelled", "pending": "withdrawn", "authorizations": "revoked"}
"""The status by which a member is withdrawn. Constraints and decisions are removed; an attempt stays what was tried."""


class Fate(StrEnum):
    """What an administrator chooses for a kind of misfit."""

    KEEP = "keep"  # it stays as it is
    WITHDRAW = "withdraw"  # C2: it is open; a member is cancelled, withdrawn, revoked or removed
    CONFIRM = "needs_confirmation"  # its value stays, in doubt


@dataclass(frozen=True, slots=True)
class Choice:
    """For the misfits of one field or collection, of one kind: what becomes of them."""

    group: str
    why: Why
    fate: Fate


def fates(group: str, why: Why) -> tuple[Fate, ...]:
    """What may become of a misfit, what is proposed first. What the type does not know any more nobody could confirm."""
    name = parse_pointer(group)[0]
    withdraw = () if name == "attempts" else (Fate.WITHDRAW,)
    confirm = () if why is Why.GONE else (Fate.CONFIRM,)
    return (*confirm, *withdraw, Fate.KEEP)


def held_by(state: State) -> dict[str, str]:
    """The pointers that hold a value, each with its source, as `misfits` takes them."""
    return {pointer: slot.source for pointer, slot in state.slots.items() if slot.holds}


def settle(state: State, choices: Mapping[tuple[str, Why], Fate], desk: Desk) -> Event | None:
    """Do to a ticket's misfits under the desk's type what was chosen; None where there is nothing to do.

    What `choices` does not name becomes what `fates` proposes first; what is in doubt already stays so. What a withdrawal
    takes the ground from falls as in K1.
    """
    draft = Draft(state, desk)
    told: list[Json] = []
    for misfit in misfits(state.values, held_by(state), desk.ticket_type):
        possible = fates(misfit.group, misfit.why)
        fate = choices.get((misfit.group, misfit.why), possible[0])
        if fate not in possible:
            raise ValueError(f"{misfit.group} {misfit.why} cannot be settled by {fate}")
        entry = _apply(draft, misfit, fate, state, desk)
        if entry is not None:
            told.append(entry)
    if not told:
        return None
    draft.fall()
    cause: dict[str, Json] = {"type": desk.ticket_type.slug, "version": desk.ticket_type.version, "values": told}
    return draft.finish(EventKind.TICKET_TYPE_CHANGED, cause)


def _apply(draft: Draft, misfit: Misfit, fate: Fate, state: State, desk: Desk) -> Json | None:
    pointer, slot = misfit.pointer, state.slots[misfit.pointer]
    entry: dict[str, Json] = {"pointer": pointer, "why": misfit.why.value, "fate": fate.value}
    if fate is Fate.CONFIRM:
        if slot.status is SlotStatus.NEEDS_CONFIRMATION:
            return None
        draft.put(pointer, _doubted(slot))
    elif fate is Fate.WITHDRAW:
        place, value, claim = _withdrawal(pointer, slot, desk)
        entry |= {"pointer": place.pointer, "was": lookup(state.values, place.pointer)}
        draft.hold(place, value, claim, (), None)
    else:
        return None
    draft.touch(entry["pointer"])
    return entry


def _doubted(slot: Slot) -> Slot:
    """A conflict stays one, and takes the reason (as in K1)."""
    status = SlotStatus.CONFLICT if slot.status is SlotStatus.CONFLICT else SlotStatus.NEEDS_CONFIRMATION
    return replace(slot, status=status, stale_because=Stale(TICKET_TYPE), confirmed=None)


def _withdrawal(pointer: str, slot: Slot, desk: Desk) -> tuple[Place, Json | Missing, Claim]:
    """Where, to what and by whose word: a status is moved by whoever publishes, a value keeps its source (C2)."""
    parts = parse_pointer(pointer)
    taken_back = _TAKEN_BACK.get(parts[0])
    if taken_back is not None:
        place = Place("status", f"{pointer}/status", parts[0], parts[1])
        return place, taken_back, Claim(Kind.AGENT.value, desk.actor.author, desk.moment)
    place = Place("member", pointer, parts[0], parts[1]) if parts[0] in SHAPES else Place("field", pointer)
    return place, MISSING, Claim(slot.source, slot.author, desk.moment)
