"""What stops holding when a value changes (section 6). One function computes the preview and the effect (K5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from memoria.commitments import is_finished
from memoria.fields import COMMITMENTS, TicketType
from memoria.patch import Json
from memoria.rows import ITEMS, NO_GROUP, group_of
from memoria.sources import Age
from memoria.state import Slot, SlotStatus, Stale


@dataclass(frozen=True, slots=True)
class Ground:
    """A field whose value really changed, and how old the words are that changed it."""

    pointer: str
    age: Age


@dataclass(frozen=True, slots=True)
class Fallen:
    """A dependent that stops holding, and the grounds that moved under it, the first in the decision's order first."""

    pointer: str
    grounds: tuple[Ground, ...]


def holders(target: str, values: Mapping[str, Json], slots: Mapping[str, Slot]) -> Iterator[str]:
    """The pointers that `target` (a field, or `commitments:kind`) stands for and that hold a value (K1, K2)."""
    if not target.startswith(COMMITMENTS):
        slot = slots.get(target)
        if slot is not None and slot.holds:
            yield target
        return
    kind = target.removeprefix(COMMITMENTS)
    for identity, commitment in values["commitments"].items():
        pointer = f"/commitments/{identity}"
        if commitment.get("kind") == kind and not is_finished(commitment) and pointer in slots:
            yield pointer


def over_groups(ticket_type: TicketType, values: Mapping[str, Json], *pointers: str) -> TicketType:
    """The type with the fields of every group that holds a value or that one of these pointers lies in (G4).

    The group that nobody has is among them: a definition leads through fields that hold nothing (K1).
    """
    if ticket_type.groups is None:
        return ticket_type
    ids = [NO_GROUP, *values.get(ITEMS, {}), *(group for pointer in pointers if (group := group_of(pointer)) is not None)]
    return ticket_type.over(dict.fromkeys(ids, ""))


def fallout(
    ticket_type: TicketType,
    values: Mapping[str, Json],
    slots: Mapping[str, Slot],
    grounds: Iterable[Ground],
    spared: Mapping[str, Age],
) -> list[Fallen]:
    """Every dependent that stops holding, once each, in topological order (K1, K2, K4).

    `values` and `slots` are those after the decision's own changes. `spared` are the pointers that the decision
    itself changed or reaffirmed, with their words' age: they hold unless those words are older than the ground (K3).
    """
    fallen: dict[str, list[Ground]] = {}
    moved = tuple(grounds)
    over = over_groups(ticket_type, values, *(ground.pointer for ground in moved))
    for ground in moved:
        for target in over.dependents(ground.pointer):
            for pointer in holders(target, values, slots):
                if pointer in spared and spared[pointer] >= ground.age:
                    continue
                fallen.setdefault(pointer, []).append(ground)
    # Whatever a field invalidates, it reaches more than that does: so this order is topological across all grounds.
    order = sorted(fallen, key=lambda pointer: -len(over.dependents(pointer)))
    return [Fallen(pointer, tuple(fallen[pointer])) for pointer in order]


def fell(slot: Slot, fallen: Fallen, version: int) -> Slot:
    """The slot once its ground has moved: its value stays, in doubt; a conflict stays one (K1)."""
    status = SlotStatus.CONFLICT if slot.status is SlotStatus.CONFLICT else SlotStatus.NEEDS_CONFIRMATION
    return replace(
        slot,
        status=status,
        stale_because=Stale(None, fallen.grounds[0].pointer, version),
        ground=max(ground.age for ground in fallen.grounds),
        confirmed=None,
    )
