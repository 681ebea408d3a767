"""Values that are carried from one ticket to another, when it is split or merged (S1).

What arrives awaits confirmation and says where it came from; whatever the other ticket holds already stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from memoria.commitments import is_finished
from memoria.draft import Draft
from memoria.errors import Code, DomainError
from memoria.events import Event, EventKind
from memoria.evidence import Transcript
from memoria.fields import TicketType
from memoria.judgement import Desk, member_words
from memoria.members import SHAPES, completed_member, member_problem
from memoria.patch import MISSING, Json, lookup
from memoria.precedence import Claim, too_old
from memoria.proposals import Evidence
from memoria.rows import ITEMS, group_of, in_group, template_of
from memoria.sources import INFERENCE, Age
from memoria.state import Origin, Replaced, Slot, SlotStatus, Stale, State

CARRIED: Final = ("commitments", "pending", "constraints", "decisions", "attempts")
"""The collections whose members can be carried. An authorisation stays: it was given for the matter it was asked in (A1)."""
PARTS: Final = ("status", "due")


class Why(StrEnum):
    """Why a value stays where it is."""

    CONFLICT = "conflict"  # it is disputed: somebody has to settle that first (P8)
    UNKNOWN = "unknown"  # the other ticket's type has no such field or collection
    VALUE = "value"  # the other ticket's type does not take this value
    SOURCE = "source"  # P1: the other ticket's type does not take it from this source
    HELD = "held"  # the other ticket holds a value there, or the same words
    OLDER = "older"  # P7: it was taken back there, by newer words


@dataclass(frozen=True, slots=True)
class Offer:
    """A value of a ticket that could be carried; `why` says why it cannot, None where it can."""

    pointer: str  # in the ticket that it comes from
    value: Json
    slot: Slot
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Cargo:
    """Where values come from: the state, the ticket's id and protocol, and the messages that were copied (`m-5` → `m-1`)."""

    state: State
    ticket: str
    protocol: str
    copied: Mapping[str, str]

    def age(self, age: Age) -> Age:
        """The age in the other ticket: its number is a copied message's, or 0, since no other number means anything there."""
        copy = self.copied.get(f"m-{age.number}")
        return Age(age.at, int(copy.removeprefix("m-")) if copy else 0)


def offers(state: State, into: State, ticket_type: TicketType) -> tuple[Offer, ...]:
    """Every present value of `state`, and whether a ticket of `ticket_type` that holds `into` could take it.

    Fields first, then the open members of collections. What is withdrawn, finished or answered is none.
    """
    found = [
        Offer(pointer, lookup(state.values, pointer), slot, _field_why(pointer, state, into, ticket_type))
        for pointer, slot in state.slots.items()
        if _is_field(pointer) and slot.holds
    ]
    for collection in CARRIED:
        for identity, member in state.values[collection].items():
            pointer = f"/{collection}/{identity}"
            if pointer in state.slots and _is_open(collection, member):
                why = _member_why(collection, pointer, state, into, ticket_type)
                found.append(Offer(pointer, member, state.slots[pointer], why))
    return tuple(found)


def _is_open(collection: str, member: Mapping[str, Json]) -> bool:
    if collection == "commitments":
        return not is_finished(member)
    return collection != "pending" or member.get("status") == "open"


def _field_why(pointer: str, state: State, into: State, ticket_type: TicketType) -> Why | None:
    field, slot = ticket_type.fields.get(pointer), state.slots[pointer]
    if field is None or field.repeats:
        return Why.UNKNOWN
    if slot.status is SlotStatus.CONFLICT:
        return Why.CONFLICT
    if field.value_problem(lookup(state.values, pointer)) is not None:
        return Why.VALUE
    if not _may_say(slot, field.sources, flagged=field.inference == "flag"):
        return Why.SOURCE
    there = into.slots.get(pointer) if group_of(pointer) is None else None  # a group arrives as one of its own (G2)
    if there is None:
        return None
    if there.holds:
        return Why.HELD
    return Why.OLDER if too_old(there, Claim(slot.source, slot.author, slot.age), field.sources) else None


def _may_say(slot: Slot, sources: Sequence[str], *, flagged: bool) -> bool:
    if slot.source == INFERENCE:
        return flagged and slot.author.kind.value in sources
    return slot.source in sources


def _member_why(collection: str, pointer: str, state: State, into: State, ticket_type: TicketType) -> Why | None:
    rules = ticket_type.collections.get(collection)
    if rules is None:
        return Why.UNKNOWN
    slots = [slot for part in ("", *(f"/{part}" for part in PARTS)) if (slot := state.slots.get(pointer + part)) is not None]
    if any(slot.status is SlotStatus.CONFLICT for slot in slots):
        return Why.CONFLICT
    member = lookup(state.values, pointer)
    if member_problem(collection, member, rules.kinds, ticket_type.targets) is not None:
        return Why.VALUE
    if not _may_say(slots[0], rules.sources, flagged=False):
        return Why.SOURCE
    words = member_words(collection, member)
    same = (other for other in into.values[collection].values() if _is_open(collection, other))
    return Why.HELD if any(member_words(collection, other) == words for other in same) else None


def carry(cargo: Cargo, pointers: Sequence[str], into: State, desk: Desk, how: str) -> Event:
    """The one event by which these values of another ticket arrive (S1). `how` is `split` or `merge`.

    Each awaits confirmation; groups arrive as groups of their own (G2). Its quotes point at the copied messages where
    these hold the same words at the same place, else it keeps none; source and author stay. Raises `carry.not_possible`
    for what is no offer, or none that this ticket takes, and `schema.too_many_groups`.
    """
    known = {offer.pointer: offer for offer in offers(cargo.state, into, desk.ticket_type)}
    draft = Draft(into, desk)
    entries: list[Json] = []
    arrived: set[str] = set()
    groups: dict[str, str] = {}
    ordered = sorted(dict.fromkeys(pointers), key=lambda pointer: group_of(pointer) is None)  # members may name groups
    for pointer in ordered:
        offer = known.get(pointer)
        if offer is None or offer.why is not None:
            why = "gone" if offer is None or offer.why is None else offer.why.value
            raise DomainError(Code.CARRY_NOT_POSSIBLE, "S1", pointer=pointer, why=why)
        if _is_field(pointer):
            there = _take_field(draft, offer, _place(pointer, groups, draft, desk), cargo, desk)
        else:
            there = _take_member(draft, offer, groups, cargo, desk)
        draft.touch(there)
        arrived |= {there, *(f"{there}/{part}" for part in PARTS)}
        entries.append({"from": pointer, "pointer": there, "value": offer.value, "source": offer.slot.source})
    draft.fall(frozenset(arrived))
    origin = {"ticket": cargo.ticket, "protocol": cargo.protocol, "version": cargo.state.version}
    return draft.finish(EventKind.CARRIED, {"how": how, **origin, "values": entries})


def _is_field(pointer: str) -> bool:
    return pointer.split("/")[1] not in SHAPES


def _place(pointer: str, groups: dict[str, str], draft: Draft, desk: Desk) -> str:
    """Where a field's value goes: its own pointer; that of a new group, the same for all that comes of one (G2, G3)."""
    group, rule = group_of(pointer), desk.ticket_type.groups
    if group is None:
        return pointer
    if group not in groups:
        if rule is not None and len(draft.state.values.get(ITEMS, {})) >= rule.most:
            raise DomainError(Code.TOO_MANY_GROUPS, "G2", most=rule.most)
        groups[group] = draft.mint_group()
    return in_group(template_of(pointer), groups[group])


def _take_field(draft: Draft, offer: Offer, pointer: str, cargo: Cargo, desk: Desk) -> str:
    fresh = _arrived(offer.slot, SlotStatus.NEEDS_CONFIRMATION, offer.pointer, cargo, draft.version, desk.transcript)
    before = draft.slot(pointer)
    if before is not None:  # it had been withdrawn here
        fresh = replace(fresh, replaces=Replaced(before.since_version, MISSING, before.evidence))
    draft.write(pointer, offer.value)
    draft.put(pointer, fresh)
    draft.moved(pointer, fresh.age)
    return pointer


def _take_member(draft: Draft, offer: Offer, groups: Mapping[str, str], cargo: Cargo, desk: Desk) -> str:
    collection = offer.pointer.split("/")[1]
    member = completed_member(collection, offer.value)
    member.pop("reopens", None)  # it names a commitment that is not here
    if "applies_to" in member:  # a group that did not come along is not here either
        named = [(target, group_of(target)) for target in member["applies_to"]]
        member["applies_to"] = [
            target if group is None else in_group(template_of(target), groups[group])
            for target, group in named
            if group is None or group in groups
        ]
    pointer = draft.mint(collection)
    draft.write(pointer, member)
    for part in ("", *(f"/{part}" for part in PARTS)):
        slot = cargo.state.slots.get(offer.pointer + part)
        if slot is None:
            continue
        status = slot.status if part == "/status" or not slot.holds else SlotStatus.NEEDS_CONFIRMATION
        fresh = _arrived(slot, status, offer.pointer + part, cargo, draft.version, desk.transcript)
        draft.put(pointer + part, fresh)
    return pointer


def _arrived(slot: Slot, status: SlotStatus, pointer: str, cargo: Cargo, version: int, transcript: Transcript) -> Slot:
    doubted = status is SlotStatus.NEEDS_CONFIRMATION
    return Slot(
        status,
        slot.source,
        slot.author,
        cargo.age(slot.age),
        tuple(_copied(slot.evidence, cargo.copied, transcript)),
        version,
        edited_by=slot.edited_by,
        stale_because=Stale("carried") if doubted else None,
        ground=cargo.age(slot.ground) if doubted and slot.ground is not None else None,
        carried_from=Origin(cargo.ticket, cargo.protocol, pointer, cargo.state.version),
    )


def _copied(evidence: Sequence[Evidence], copied: Mapping[str, str], transcript: Transcript) -> Iterator[Evidence]:
    """The quotes whose messages came along and hold the same words at the same place."""
    for item in evidence:
        message = transcript.find(copied.get(item.message, ""))
        if message is None or message.deleted or item.gone:
            continue
        if message.text[item.start : item.end] == item.quote:
            yield replace(item, message=message.id)
