"""What happened, in the past tense: one event a version, to and from a stored record, and the chain of hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memoria.patch import Json, Operation, related
from memoria.sources import Actor
from memoria.state import Slot, slot_from_json, slot_to_json


class EventKind(StrEnum):
    DECISION = "decision"  # changes accepted, edited, rejected
    CONFIRMATION = "confirmation"  # K6
    RESOLUTION = "resolution"  # P8
    STATEMENT = "statement"  # E9: set
    UNDO = "undo"  # H4
    EVIDENCE_CHANGED = "evidence_changed"  # E7
    TICKET_TYPE_CHANGED = "ticket_type_changed"  # T1
    CARRIED = "carried"  # S1
    EXPIRED = "expired"  # D1
    EVIDENCE_ERASED = "evidence_erased"  # L3
    ERASED = "erased"  # L2


@dataclass(frozen=True, slots=True)
class Event:
    """One version's event (H1).

    `cause` says what led to it, as plain JSON:
    decision: `changes` [{id, decision (accepted, edited, rejected), pointer, op, verdict, value?, was?, reason?,
    override?, source?, same_as?, cautions?}]; confirmation: `path`, `ground`; resolution: `path`, `choice`,
    `reason`; statement: `path`, `op`, `verdict`, `reason`; undo: `version`, `reason`, `changes` [ids returned];
    evidence_changed: `message`, `how` (edited, deleted); ticket_type_changed: `type`, `version`, `values` [{pointer, why,
    fate, was?}]; expired: `values` [{pointer, since, valid_for}]; carried: `how` (split, merge), `ticket`, `protocol`,
    `version` (where the values come from), `values` [{from, pointer, value, source}]; erased: `how` (retention,
    erasure), `minted`.
    """

    version: int
    kind: EventKind
    actor: Actor
    at: datetime
    ticket_type_version: int
    patch: tuple[Operation, ...] = ()
    inverse: tuple[Operation, ...] = ()
    slots: Mapping[str, tuple[Slot | None, Slot | None]] = field(default_factory=dict)  # before, after
    touched: tuple[str, ...] = ()  # pointers of the changes applied, resolved
    cause: Mapping[str, Json] = field(default_factory=dict)

    @property
    def pointers(self) -> frozenset[str]:
        """All that the event touched (V2): the changes it applied, and every slot that it altered."""
        return frozenset({*self.touched, *self.slots})

    @property
    def begins_anew(self) -> bool:
        """Whether it alone says what holds after it: the events before it are erased, or may be (L2)."""
        return self.kind is EventKind.ERASED

    def touches(self, pointer: str) -> bool:
        """Whether it touched the pointer, an ancestor or a descendant of it (V2)."""
        return any(related(pointer, other) for other in self.pointers)


def event_to_record(event: Event) -> dict[str, Json]:
    """The event as a JSON document: header (`version`, `kind`, `actor`, `at`, `ticket_type_version`) and `content`."""
    return {
        "version": event.version,
        "kind": event.kind.value,
        "actor": {"member": event.actor.member, "name": event.actor.name},
        "at": event.at.isoformat(),
        "ticket_type_version": event.ticket_type_version,
        "content": {
            "patch": [operation.to_json() for operation in event.patch],
            "inverse": [operation.to_json() for operation in event.inverse],
            "slots": {
                pointer: [None if slot is None else slot_to_json(slot) for slot in pair]
                for pointer, pair in event.slots.items()
            },
            "touched": list(event.touched),
            "cause": dict(event.cause),
        },
    }


def event_from_record(record: Mapping[str, Json]) -> Event:
    """The inverse of `event_to_record`. The actor comes back without permissions."""
    content = record["content"]
    return Event(
        record["version"],
        EventKind(record["kind"]),
        Actor(record["actor"]["member"], record["actor"]["name"]),
        datetime.fromisoformat(record["at"]),
        record["ticket_type_version"],
        tuple(Operation.from_json(item) for item in content["patch"]),
        tuple(Operation.from_json(item) for item in content["inverse"]),
        {
            pointer: (
                None if before is None else slot_from_json(before),
                None if after is None else slot_from_json(after),
            )
            for pointer, (before, after) in content["slots"].items()
        },
        tuple(content["touched"]),
        content["cause"],
    )


# --- the chain (H2) ---------------------------------------------------------------------------------------------

GENESIS = "0" * 64


def canonical(document: Json) -> bytes:
    """One spelling for equal documents: sorted keys, no spaces, UTF-8."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def document_digest(document: Json) -> str:
    """What equal documents have in common, however they are spelled."""
    return hashlib.sha256(canonical(document)).hexdigest()


def content_digest(content: Json, salt: bytes) -> str:
    """The digest of an event's content. The salt goes with the content when it is erased, so that no value can be
    guessed back from the digest that stays."""
    return hashlib.sha256(salt + canonical(content)).hexdigest()


def chain_hash(previous: str, ticket: str, record: Mapping[str, Json], digest: str) -> str:
    """The hash of an event: its predecessor's, the ticket, the header and the content's digest."""
    header = {key: record[key] for key in ("version", "kind", "actor", "at", "ticket_type_version")}
    return hashlib.sha256(canonical([previous, ticket, header, digest])).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A row of the ledger as it lies in the database. `content` and `salt` are None once erased."""

    record: Mapping[str, Json]  # header and `content`
    salt: bytes | None
    digest: str
    previous: str
    hash: str

    @property
    def erased(self) -> bool:
        return self.record.get("content") is None


@dataclass(frozen=True, slots=True)
class Tampering:
    """A place where log and chain disagree."""

    version: int
    what: str  # version, previous, content, hash


def verify_chain(ticket: str, rows: Iterable[StoredEvent]) -> list[Tampering]:
    """Every disagreement in one ticket's log, in order; an empty list where all is as it was written (H2)."""
    found: list[Tampering] = []
    previous, expected = GENESIS, 1
    for row in rows:
        version = row.record["version"]
        if version != expected:
            found.append(Tampering(expected, "version"))
        if row.previous != previous:
            found.append(Tampering(version, "previous"))
        if row.erased:
            if row.salt is not None:
                found.append(Tampering(version, "content"))
        elif row.salt is None or content_digest(row.record["content"], row.salt) != row.digest:
            found.append(Tampering(version, "content"))
        if chain_hash(row.previous, ticket, row.record, row.digest) != row.hash:
            found.append(Tampering(version, "hash"))
        previous, expected = row.hash, version + 1
    return found
