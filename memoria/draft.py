"""The next version in the making: applies judged changes one after the other, then what falls with them.

A draft starts from a state and ends as one event; the state itself is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memoria.cascade import Ground, fallout, fell
from memoria.errors import DomainError
from memoria.events import Event, EventKind
from memoria.evidence import still_stands
from memoria.judgement import Desk, standing
from memoria.members import FINISHED, SHAPES, Place, completed_member
from memoria.patch import MISSING, Json, Missing, Operation, apply, lookup, same_json, setting
from memoria.precedence import Claim, reaffirms
from memoria.proposals import Change, Evidence, Judgement, Verdict
from memoria.rows import ITEMS, ROOT, group_of
from memoria.sources import INFERENCE, Age, Author
from memoria.state import Challenger, Replaced, Slot, SlotStatus, Stale, State

IN_DOUBT = frozenset({SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT})


def merged(first: tuple[Evidence, ...], then: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Both lists in this order, each span once; a span that is there again replaces its mark as gone (E7)."""
    kept = list(first)
    for item in then:
        at = next((index for index, other in enumerate(kept) if other.same_span(item)), None)
        if at is None:
            kept.append(item)
        elif kept[at].gone and not item.gone:
            kept[at] = item
    return tuple(kept)


class Draft:
    """A version that is being made from `state`. Not shared, not kept: `finish` turns it into the event."""

    def __init__(self, state: State, desk: Desk) -> None:
        self._before = state
        self._desk = desk
        self.version = state.version + 1
        self._values = state.values
        self._slots: dict[str, Slot] = dict(state.slots)
        self._minted: dict[str, int] = dict(state.minted)
        self._patch: list[Operation] = []
        self._inverse: list[Operation] = []
        self._altered: dict[str, None] = {}  # slots written, in order
        self._touched: dict[str, None] = {}  # pointers of the changes applied, in order
        self._grounds: list[Ground] = []
        self._spared: dict[str, Age] = {}  # K3

    @property
    def state(self) -> State:
        """What holds within the draft so far, for judging the decision's next change (M7). No cascade yet."""
        return State(self._before.version, self._values, self._slots, self._minted)

    # --- writing ---------------------------------------------------------------------------------------------------

    def write(self, pointer: str, value: Json | Missing) -> None:
        """Make `pointer` hold `value`; MISSING: nothing. What holds it already is left alone.

        A group is there as long as one of its fields holds a value (G2).
        """
        held = lookup(self._values, pointer)
        if same_json(held, value):
            return
        group = group_of(pointer)
        around = () if group is None else (ROOT, f"{ROOT}/{group}")
        if not isinstance(value, Missing):
            for one in around:
                if isinstance(lookup(self._values, one), Missing):
                    self._operate(one, {})
        self._operate(pointer, value)
        for one in reversed(around):
            if not lookup(self._values, one):
                self._operate(one, MISSING)

    def _operate(self, pointer: str, value: Json | Missing) -> None:
        operation, inverse = setting(self._values, pointer, value)
        self._values = apply(self._values, (operation,))
        self._patch.append(operation)
        self._inverse.insert(0, inverse)

    def put(self, pointer: str, slot: Slot | None) -> None:
        if slot is None:
            del self._slots[pointer]
        else:
            self._slots[pointer] = slot
        self._altered.setdefault(pointer)

    def touch(self, pointer: str) -> None:
        self._touched.setdefault(pointer)

    def moved(self, pointer: str, age: Age) -> None:
        """K1: the value at this field really changed."""
        self._grounds.append(Ground(pointer, age))

    def mint(self, collection: str) -> str:
        """The pointer of a new member, whose id no other ever had."""
        number = self._minted.get(collection, 0) + 1
        self._minted[collection] = number
        return f"/{collection}/{SHAPES[collection].letter}-{number}"

    def mint_group(self) -> str:
        """The id of a new group, a number that no other ever had (G2)."""
        number = max(self._minted.get(ITEMS, 0), self._desk.last_group) + 1
        self._minted[ITEMS] = number
        return f"i-{number}"

    def slot(self, pointer: str) -> Slot | None:
        return self._slots.get(pointer)

    # --- one judged change -----------------------------------------------------------------------------------------

    def take(
        self,
        change: Change,
        judgement: Judgement,
        *,
        override: bool = False,
        edited_by: Author | None = None,
    ) -> str:
        """Apply a change as its verdict says, and return the pointer that it came to (a new member's own).

        `allowed`: its value holds. `no_change`: its words are added (P3). `conflict`: it is recorded as a challenger
        (P6), or taken where `override`. Raises DomainError for a refused one.
        """
        place = self._desk.ticket_type.place(change.path, self._values)
        if place is None or judgement.refused:
            raise DomainError.of(judgement.reasons[0])
        if judgement.source is None or judgement.author is None or judgement.age is None:
            raise ValueError("a judgement that is no refusal has a source, an author and an age")
        claim = Claim(judgement.source, judgement.author, judgement.age)
        evidence = judgement.evidence
        value: Json | Missing = MISSING if change.removes else change.value
        if judgement.verdict is Verdict.NO_CHANGE:
            pointer = judgement.same_as or place.pointer
            self._reaffirm(pointer, place, claim, evidence, edited_by)
        elif judgement.verdict is Verdict.CONFLICT and not override:
            pointer = place.pointer
            self._challenge(place, Challenger(value, claim.source, claim.author, evidence, claim.age, edited_by))
        elif place.kind == "new":
            pointer = self._add_member(place, value, claim, evidence, edited_by)
        else:
            pointer = place.pointer
            self.hold(place, value, claim, evidence, edited_by)
        self.touch(pointer)
        return pointer

    def hold(
        self,
        place: Place,
        value: Json | Missing,
        claim: Claim,
        evidence: tuple[Evidence, ...],
        edited_by: Author | None,
        *,
        settled: bool = False,
    ) -> None:
        """Make a field, a status or a due hold `value`, or withdraw it, or withdraw a member (C1, C2, K8, M9).

        `settled`: a person takes it now, in full view of what had moved beneath it (P8).
        """
        pointer = place.pointer
        old = standing(self._slots, place)
        held = lookup(self._values, pointer)
        nothing = isinstance(value, Missing) or (place.kind == "due" and value is None)
        status = SlotStatus.OPEN if nothing else SlotStatus.CURRENT
        stale: Stale | None = None
        stale_ground: Age | None = None
        if not nothing and claim.source == INFERENCE:
            status = SlotStatus.NEEDS_CONFIRMATION  # P1: never current
        doubted = old.ground if old is not None and not settled and place.kind != "status" else None
        if not nothing and old is not None and doubted is not None and claim.age < doubted:
            # K8: words said before the ground moved confirm nothing. K2 doubts the member, never its status.
            status, stale, stale_ground = SlotStatus.NEEDS_CONFIRMATION, old.stale_because, old.ground
        replaces = None
        if old is not None:
            held_before = MISSING if place.kind == "due" and held is None else held
            replaces = Replaced(old.since_version, held_before, old.evidence)
        self.write(pointer, value)
        self.put(
            pointer,
            Slot(
                status,
                claim.source,
                claim.author,
                claim.age,
                evidence,
                self.version,
                edited_by=edited_by,
                replaces=replaces,
                stale_because=stale,
                ground=stale_ground,
            ),
        )
        if place.kind == "due":
            self.write(pointer + "_text", evidence[0].quote if evidence and not nothing else None)
        if place.kind == "field" and not same_json(held, value):
            self.moved(pointer, claim.age)
        self._spare(place, claim.age)
        if place.kind == "status" and place.collection == "commitments" and value in FINISHED:
            self._settle_commitment(place.member_pointer)

    def _spare(self, place: Place, age: Age) -> None:
        pointer = place.pointer if place.kind == "field" else place.member_pointer
        self._spared[pointer] = max(age, self._spared.get(pointer, age))

    def _settle_commitment(self, member: str) -> None:
        """K2, M9: one that finishes awaits confirmation no more, and its due is settled with it."""
        slot = self.slot(member)
        if slot is not None:
            self.put(member, replace(slot, status=SlotStatus.CURRENT, stale_because=None, ground=None))
        due = self.slot(member + "/due")
        if due is not None and due.status in IN_DOUBT:
            settled = replace(due, status=SlotStatus.CURRENT, challengers=(), stale_because=None, ground=None)
            self.put(member + "/due", settled)

    def _add_member(
        self,
        place: Place,
        value: Json | Missing,
        claim: Claim,
        evidence: tuple[Evidence, ...],
        edited_by: Author | None,
    ) -> str:
        collection = place.collection or ""
        pointer = self.mint(collection)
        self.write(pointer, completed_member(collection, value if isinstance(value, dict) else {}))
        slot = Slot(SlotStatus.CURRENT, claim.source, claim.author, claim.age, evidence, self.version, edited_by=edited_by)
        self.put(pointer, slot)
        self._spared[pointer] = claim.age
        return pointer

    def _reaffirm(
        self, pointer: str, place: Place, claim: Claim, evidence: tuple[Evidence, ...], edited_by: Author | None
    ) -> None:
        """P3: the same value again. From a voice that weighs as much it comes first and may end a doubt (but K8)."""
        slot = self.slot(pointer)
        if slot is None and place.kind == "due":
            slot = self.slot(place.member_pointer)
            if slot is not None:
                slot = replace(slot, replaces=None, challengers=())
                if lookup(self._values, pointer) is None:  # nothing is held there that could be in doubt
                    slot = replace(slot, status=SlotStatus.OPEN, stale_because=None, ground=None, confirmed=None)
        if slot is None:
            since = self.slot(place.member_pointer) if place.kind == "status" else None
            held = lookup(self._values, pointer)
            status = SlotStatus.OPEN if isinstance(held, Missing) else SlotStatus.CURRENT
            since_version = since.since_version if since is not None else self.version
            made = Slot(status, claim.source, claim.author, claim.age, evidence, since_version, edited_by=edited_by)
            self.put(pointer, made)
            return
        sources = self._desk.ticket_type.sources_of(place)
        if not reaffirms(slot, claim, sources):
            self.put(pointer, replace(slot, evidence=merged(slot.evidence, evidence)))
            return
        fresh = replace(
            slot,
            evidence=merged(evidence, slot.evidence),
            source=claim.source,
            author=claim.author,
            age=claim.age,
            edited_by=edited_by,
        )
        older = slot.ground is not None and claim.age < slot.ground
        if slot.status is SlotStatus.NEEDS_CONFIRMATION and not older:
            fresh = replace(fresh, status=SlotStatus.CURRENT, stale_because=None, ground=None)
        self.put(pointer, fresh)
        spared = pointer if place.kind in ("field", "new") else place.member_pointer
        if place.kind != "status":
            self._spared[spared] = max(claim.age, self._spared.get(spared, claim.age))

    def _challenge(self, place: Place, challenger: Challenger) -> None:
        """P6: the value stays, and the other voice is recorded beside it."""
        slot = standing(self._slots, place)
        if slot is None:
            raise ValueError(f"nothing stands at {place.pointer} that could be challenged")
        if place.pointer not in self._slots:
            slot = replace(slot, replaces=None, challengers=())  # M9: a copy of its member's, to be one of its own
        kept = list(slot.challengers)
        for index, other in enumerate(kept):
            same_voice = other.source == challenger.source and other.author.same_as(challenger.author)
            if same_voice and same_json(other.value, challenger.value):
                kept[index] = replace(challenger, evidence=merged(challenger.evidence, other.evidence))
                break
        else:
            kept.append(challenger)
        self.put(place.pointer, replace(slot, status=SlotStatus.CONFLICT, challengers=tuple(kept)))

    # --- evidence that is gone (E7, L3) ----------------------------------------------------------------------------------

    def without_gone(self, slot: Slot) -> Slot:
        """The slot in doubt where a quote of its evidence no longer stands; the slot itself where all do.

        A quote is marked as gone once: what a person has confirmed since is not doubted again for it.
        """
        checked = tuple(
            item if item.gone or still_stands(item, self._desk.transcript.find(item.message)) else replace(item, gone=True)
            for item in slot.evidence
        )
        if not slot.holds or checked == slot.evidence:
            return slot
        status = SlotStatus.CONFLICT if slot.status is SlotStatus.CONFLICT else SlotStatus.NEEDS_CONFIRMATION
        fresh = [item.message for item, before in zip(checked, slot.evidence, strict=True) if item.gone and not before.gone]
        messages = map(self._desk.transcript.find, fresh)
        why = "evidence_erased" if any(one is not None and one.erased for one in messages) else "evidence_changed"
        return replace(slot, status=status, evidence=checked, stale_because=Stale(why), confirmed=None)

    def restore(self, undone: Event) -> None:
        """H4: bring back what `undone` changed, values and slots; what cannot stand any more awaits confirmation."""
        before = self._values
        if any(group_of(operation.path) is not None for operation in undone.inverse):
            # Another version may have put something into a group that this one began: groups come and go by their fields.
            for operation in undone.inverse:
                if group_of(operation.path) is not None or not f"{operation.path}/".startswith(f"{ROOT}/"):
                    self.write(operation.path, operation.value)
        else:
            self._values = apply(before, undone.inverse)
            self._patch.extend(undone.inverse)
            self._inverse[:0] = undone.patch
        for pointer, (slot, _) in undone.slots.items():
            self.put(pointer, None if slot is None else self._as_of_now(slot))
        for pointer in undone.slots:
            is_field = pointer in self._desk.ticket_type.fields
            if is_field and not same_json(lookup(before, pointer), lookup(self._values, pointer)):
                self.moved(pointer, self._desk.moment)

    def _as_of_now(self, slot: Slot) -> Slot:
        return self.without_gone(slot) if slot.status is SlotStatus.CURRENT else slot

    # --- the end -----------------------------------------------------------------------------------------------------

    def fall(self, beyond: frozenset[str] = frozenset()) -> None:
        """K1: send what depends on the changed fields back to "needs confirmation". `beyond` are left alone (H4)."""
        fallen_all = fallout(self._desk.ticket_type, self._values, self._slots, self._grounds, self._spared)
        for fallen in fallen_all:
            slot = self.slot(fallen.pointer)
            if slot is not None and fallen.pointer not in beyond:
                self.put(fallen.pointer, fell(slot, fallen, self.version))

    def finish(self, kind: EventKind, cause: Mapping[str, Json]) -> Event:
        """The event that makes this version. Slots that came out as they were are not among those it altered."""
        slots = {
            pointer: (self._before.slots.get(pointer), self._slots.get(pointer))
            for pointer in self._altered
            if self._before.slots.get(pointer) != self._slots.get(pointer)
        }
        return Event(
            self.version,
            kind,
            self._desk.actor,
            self._desk.now,
            self._desk.ticket_type.version,
            tuple(self._patch),
            tuple(self._inverse),
            slots,
            tuple(self._touched),
            cause,
        )
