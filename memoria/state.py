"""What holds now, and where each value comes from. State is a fold of events: `evolve` takes one, `replay` many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memoria.members import SHAPES, empty_values
from memoria.patch import MISSING, Json, Missing, apply, parse_pointer
from memoria.proposals import Evidence
from memoria.rows import ITEMS, number_of
from memoria.sources import Age, Author

if TYPE_CHECKING:
    from memoria.events import Event


class SlotStatus(StrEnum):
    CURRENT = "current"
    NEEDS_CONFIRMATION = "needs_confirmation"
    CONFLICT = "conflict"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Stale:
    """Why a value awaits confirmation. K1 names the field and the version; other causes are a word."""

    cause: str | None = None  # evidence_changed, evidence_erased, ticket_type, expired, carried
    pointer: str | None = None
    version: int | None = None
    since: str | None = None  # of `expired`: from when on, RFC 3339

    def to_json(self) -> Json:
        if self.since is not None:
            return {"cause": self.cause, "since": self.since}
        return self.cause if self.cause is not None else {"pointer": self.pointer, "version": self.version}

    @classmethod
    def from_json(cls, document: Json) -> Stale:
        if isinstance(document, str):
            return cls(document)
        if "since" in document:
            return cls(document["cause"], since=document["since"])
        return cls(None, document["pointer"], document["version"])


@dataclass(frozen=True, slots=True)
class Replaced:
    """The value before this one (C1). `value` is MISSING where none was held."""

    version: int
    value: Json | Missing
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Challenger:
    """A value that a weaker or equal source put against the present one (P6). MISSING: it would withdraw it."""

    value: Json | Missing
    source: str
    author: Author
    evidence: tuple[Evidence, ...]
    age: Age
    edited_by: Author | None = None


@dataclass(frozen=True, slots=True)
class Confirmation:
    by: Author
    at: str  # RFC 3339
    ground: str  # evidence, reported, statement


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was carried from (S1): the ticket's id and protocol, its pointer there, the version it held at."""

    ticket: str
    protocol: str
    pointer: str
    version: int

    def to_json(self) -> dict[str, Json]:
        return {"ticket": self.ticket, "protocol": self.protocol, "pointer": self.pointer, "version": self.version}

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Origin:
        return cls(document["ticket"], document["protocol"], document["pointer"], document["version"])


@dataclass(frozen=True, slots=True)
class Slot:
    """What is known of one pointer: status, where the value comes from, and what stands against it."""

    status: SlotStatus
    source: str
    author: Author
    age: Age
    evidence: tuple[Evidence, ...]
    since_version: int
    edited_by: Author | None = None
    confirmed: Confirmation | None = None
    replaces: Replaced | None = None
    challengers: tuple[Challenger, ...] = ()
    stale_because: Stale | None = None
    ground: Age | None = None  # K8: how old the change is that made this slot stale
    carried_from: Origin | None = None  # S1: until another value comes

    @property
    def holds(self) -> bool:
        """Whether a value is held (a due that is null has an open slot)."""
        return self.status is not SlotStatus.OPEN


@dataclass(frozen=True, slots=True)
class State:
    """A ticket's state at one version. Treat `values` and `slots` as read-only: versions share their parts."""

    version: int = 0
    values: dict[str, Json] = field(default_factory=empty_values)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    minted: Mapping[str, int] = field(default_factory=dict)  # per collection, the last id given; never goes back

    def evolve(self, event: Event) -> State:
        """The state after `event`, which must be the next version (ValueError otherwise)."""
        if event.version != self.version + 1:
            raise ValueError(f"version {event.version} does not follow {self.version}")
        if event.begins_anew:
            left = {pointer: after for pointer, (_, after) in event.slots.items() if after is not None}
            return State(event.version, empty_values(), left, dict(event.cause["minted"]))
        slots = dict(self.slots)
        minted = dict(self.minted)
        for pointer, (_, after) in event.slots.items():
            if after is None:
                slots.pop(pointer, None)
            else:
                slots[pointer] = after
                _note_minted(minted, pointer)
        return State(event.version, apply(self.values, event.patch), slots, minted)

    def rewind(self, event: Event) -> State:
        """The state before `event`, which made this version. Ids once given stay given.

        Raises ValueError for another version's event, and for one that begins anew: what was before it is erased.
        """
        if event.version != self.version:
            raise ValueError(f"version {event.version} did not make {self.version}")
        if event.begins_anew:
            raise ValueError(f"what was before version {event.version} is erased")
        slots = dict(self.slots)
        for pointer, (before, _) in event.slots.items():
            if before is None:
                slots.pop(pointer, None)
            else:
                slots[pointer] = before
        return State(event.version - 1, apply(self.values, event.inverse), slots, self.minted)


def is_first(stale: Stale, state: State) -> bool:
    """Whether the field that a value waits for (K1) got its first value then, and has it still: nothing had changed."""
    ground = state.slots.get(stale.pointer or "")
    return ground is not None and ground.holds and ground.replaces is None and ground.since_version == stale.version


def _note_minted(minted: dict[str, int], pointer: str) -> None:
    parts = parse_pointer(pointer)
    if len(parts) == 3 and parts[0] == ITEMS:
        given = number_of(parts[1])  # G2
        if given:
            minted[ITEMS] = max(minted.get(ITEMS, 0), given)
    elif len(parts) == 2 and parts[0] in SHAPES:
        letter, _, number = parts[1].partition("-")
        if letter == SHAPES[parts[0]].letter and number.isdecimal():
            minted[parts[0]] = max(minted.get(parts[0], 0), int(number))


def replay(events: Iterable[Event], start: State | None = None) -> State:
    """The state after these events, from version 0 or from `start` (H3)."""
    state = start if start is not None else State()
    for event in events:
        state = state.evolve(event)
    return state


# --- to and from stored documents -------------------------------------------------------------------------------


def slot_to_json(slot: Slot) -> dict[str, Json]:
    """The slot as a JSON document; the outer contract's names, and what replay needs besides."""
    document: dict[str, Json] = {
        "status": slot.status.value,
        "source": slot.source,
        "author": slot.author.to_json(),
        "as_of": slot.age.at.isoformat(),
        "as_of_number": slot.age.number,
        "evidence": [item.to_json() for item in slot.evidence],
        "since_version": slot.since_version,
        "replaces": None,
        "challengers": [_challenger_to_json(challenger) for challenger in slot.challengers],
        "stale_because": slot.stale_because.to_json() if slot.stale_because else None,
    }
    if slot.replaces is not None:
        document["replaces"] = {
            "version": slot.replaces.version,
            "evidence": [item.to_json() for item in slot.replaces.evidence],
        }
        if not isinstance(slot.replaces.value, Missing):
            document["replaces"]["value"] = slot.replaces.value
    if slot.edited_by is not None:
        document["edited_by"] = slot.edited_by.to_json()
    if slot.confirmed is not None:
        confirmed = slot.confirmed
        document["confirmed"] = {"by": confirmed.by.to_json(), "at": confirmed.at, "ground": confirmed.ground}
    if slot.ground is not None:
        document["ground"] = slot.ground.to_json()
    if slot.carried_from is not None:
        document["carried_from"] = slot.carried_from.to_json()
    return document


def _challenger_to_json(challenger: Challenger) -> dict[str, Json]:
    document: dict[str, Json] = {
        "source": challenger.source,
        "author": challenger.author.to_json(),
        "evidence": [item.to_json() for item in challenger.evidence],
        "age": challenger.age.to_json(),
    }
    if not isinstance(challenger.value, Missing):
        document["value"] = challenger.value
    if challenger.edited_by is not None:
        document["edited_by"] = challenger.edited_by.to_json()
    return document


def _evidence(documents: Iterable[Mapping[str, Json]]) -> tuple[Evidence, ...]:
    return tuple(Evidence.from_json(document) for document in documents)


def _author(document: Mapping[str, Json] | None) -> Author | None:
    return None if document is None else Author.from_json(document)


def slot_from_json(document: Mapping[str, Json]) -> Slot:
    """The inverse of `slot_to_json`."""
    replaces, confirmed = document["replaces"], document.get("confirmed")
    stale, ground, carried = document["stale_because"], document.get("ground"), document.get("carried_from")
    return Slot(
        SlotStatus(document["status"]),
        document["source"],
        Author.from_json(document["author"]),
        Age.from_json([document["as_of"], document["as_of_number"]]),
        _evidence(document["evidence"]),
        document["since_version"],
        _author(document.get("edited_by")),
        Confirmation(Author.from_json(confirmed["by"]), confirmed["at"], confirmed["ground"]) if confirmed else None,
        Replaced(replaces["version"], replaces.get("value", MISSING), _evidence(replaces["evidence"])) if replaces else None,
        tuple(
            Challenger(
                item.get("value", MISSING),
                item["source"],
                Author.from_json(item["author"]),
                _evidence(item["evidence"]),
                Age.from_json(item["age"]),
                _author(item.get("edited_by")),
            )
            for item in document["challengers"]
        ),
        Stale.from_json(stale) if stale is not None else None,
        Age.from_json(ground) if ground is not None else None,
        Origin.from_json(carried) if carried is not None else None,
    )


def state_to_json(state: State) -> dict[str, Json]:
    """The projection as it is stored: version, values, slots, minted."""
    return {
        "version": state.version,
        "values": state.values,
        "slots": {pointer: slot_to_json(slot) for pointer, slot in state.slots.items()},
        "minted": dict(state.minted),
    }


def state_from_json(document: Mapping[str, Json]) -> State:
    """The inverse of `state_to_json`."""
    return State(
        document["version"],
        document["values"],
        {pointer: slot_from_json(slot) for pointer, slot in document["slots"].items()},
        dict(document["minted"]),
    )
