"""What holds in every ticket, whatever people, channels and models do to it, in whatever order.

`LASTRO_PROPERTIES=thorough` looks at many more and longer tickets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memoria.decisions import Edit
from memoria.errors import DomainError
from memoria.events import Event, EventKind, canonical
from memoria.evidence import Messages, still_stands
from memoria.judgement import judge
from memoria.members import FINISHED
from memoria.patch import MISSING, Json, related
from memoria.precedence import stronger
from memoria.proposals import Change, Citation, Status
from memoria.sources import Age, Kind
from memoria.state import Slot, SlotStatus, State, replay, state_to_json
from tests.memoria.bench import ANA, RUI, SARA, Bench, Held, a_field, a_type

EDGES = {
    "/facts/p": ("/facts/left", "/facts/right"),
    "/facts/left": ("/facts/end",),
    "/facts/right": ("/facts/end",),
    "/facts/end": ("/facts/tail", "commitments:visit"),
    "/facts/tail": (),
    "/facts/other": ("/items/x/b", "/items/y/b"),  # G4: of every group
    "/items/x/a": ("/items/x/b",),
    "/items/x/b": ("/facts/tail",),
    "/items/y/a": ("/items/y/b",),
    "/items/y/b": ("/facts/tail",),
}
RULES: dict[str, Json] = {
    "/facts/p": a_field("registry", "agent", "customer"),
    "/facts/left": a_field("registry", "customer", "agent", tie="conflict"),
    "/facts/right": a_field("agent", "customer", inference="flag"),
    "/facts/end": a_field("customer", "customer_reported", "agent", tie="conflict"),
    "/facts/tail": a_field("registry", "agent", "customer", inference="flag"),
    "/facts/other": a_field("customer", tie="conflict"),
    "/items/x/a": a_field("agent", "customer"),
    "/items/x/b": a_field("customer", "agent", inference="flag"),
}
DECLARED = {"/items/x/a": "/items/{id}/a", "/items/x/b": "/items/{id}/b"}
TYPE = a_type(
    {
        DECLARED.get(pointer, pointer): {
            **row,
            "invalidates": [DECLARED.get(target, target) for target in EDGES[pointer] if not target.startswith("/items/y/")],
        }
        for pointer, row in RULES.items()
    }
)
RULES |= {pointer.replace("/x/", "/y/"): RULES[pointer] for pointer in DECLARED}
WORDS = ("azul", "verde", "roxo", "preto")
KINDS = ("customer", "customer", "customer", "agent", "agent", "registry", "tool", "assistant")
STATUSES = ("in_progress", "done", "failed", "cancelled")
DUES = ("2026-12-04", "2026-12-07", None)

words = st.sampled_from(WORDS)
values = st.one_of(words, st.just(MISSING))
numbers = st.integers(min_value=0, max_value=30)
people = st.sampled_from((ANA, RUI, SARA))
lags = st.sampled_from((0, 0, 0, 1, 2, 4, -1))


def reach(pointer: str) -> frozenset[str]:
    """All that a field invalidates, worked out here from the definition alone."""
    found: set[str] = set()
    todo = list(EDGES[pointer])
    while todo:
        target = todo.pop()
        if target not in found:
            found.add(target)
            todo.extend(EDGES.get(target, ()))
    return frozenset(found)


def held_at(state: State, pointer: str) -> Any:
    return Bench(state=state).value(pointer)


def holders(state: State, targets: frozenset[str]) -> Iterator[str]:
    """The pointers among these that hold a value: fields, and unfinished visits."""
    for target in targets:
        if target in EDGES:
            if held_at(state, target) is not MISSING:
                yield target
        else:
            for identity, member in state.values["commitments"].items():
                if member["kind"] == "visit" and member["status"] not in FINISHED:
                    yield f"/commitments/{identity}"


def member_of(pointer: str) -> str:
    """A commitment's own pointer, for its status and its due; a field's is itself."""
    return "/".join(pointer.split("/")[:3])


class Ticket(RuleBasedStateMachine):
    """One ticket, several people, messages out of order, a model that is right and wrong."""

    @initialize()
    def open_ticket(self) -> None:
        self.bench = Bench(TYPE)
        for kind in ("customer", "agent", "registry"):
            self.bench.say(kind, " ".join(WORDS), "um")
        self.corrected: dict[str, list[tuple[Json, Age]]] = {}  # by pointer: values, and how old what corrected them is

    # --- doing and checking ----------------------------------------------------------------------------------------

    def attempt(self, call: Callable[..., Any], *args: Any, **more: Any) -> Event | None:
        """Do it; the event that it made. Refused, it must have changed nothing."""
        before, count = self.bench.state, len(self.bench.events)
        spelled = canonical(state_to_json(before))
        fates = {held.id: (held.status, held.version) for held in self.bench.changes.values()}
        try:
            call(*args, **more)
        except DomainError:
            assert self.bench.state is before
            assert canonical(state_to_json(before)) == spelled, "wrote into a state that there was"
            assert len(self.bench.events) == count
            assert fates == {held.id: (held.status, held.version) for held in self.bench.changes.values()}
            return None
        if len(self.bench.events) == count:
            assert self.bench.state is before
            return None
        event = self.bench.events[-1]
        self.check_cascade(before, event)
        self.check_age(before, event)
        self.check_corrected(before, event)
        assert canonical(state_to_json(before)) == spelled, "wrote into the version before"
        return event

    def check_cascade(self, before: State, event: Event) -> None:
        """K1 to K4, K7: exactly what depends on the changed fields and holds a value is in doubt, by this version."""
        after = self.bench.state
        changed = [pointer for pointer in EDGES if held_at(before, pointer) != held_at(after, pointer)]
        fell = {p for p, slot in after.slots.items() if slot.stale_because and slot.stale_because.version == event.version}
        if event.kind is EventKind.EVIDENCE_CHANGED:
            assert not changed
            assert not fell
            return
        own = {*event.touched, *map(member_of, event.touched)}
        if event.kind is EventKind.UNDO:
            own |= set(self.bench.events[event.cause["version"] - 1].slots)
        below = {holder for pointer in changed for holder in holders(after, reach(pointer))}
        assert fell <= below, "fell though nothing under it moved"
        assert below - own <= fell, "stands though its ground moved"
        for pointer in fell:
            slot = after.slots[pointer]
            assert slot.stale_because is not None
            assert slot.stale_because.pointer in changed
            assert slot.status in (SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT)
        finished = {member_of(pointer) for pointer in event.touched if pointer.endswith("/status")}
        settled = finished | {pointer + "/due" for pointer in finished}
        assert set(event.slots) <= own | fell | settled, "altered a slot that is none of its business"
        if event.kind is not EventKind.UNDO:
            for pointer in set(changed) & below:  # K3
                grounds = [after.slots[other].age for other in changed if pointer in reach(other)]
                assert (pointer in fell) is any(after.slots[pointer].age < age for age in grounds)

    def check_age(self, before: State, event: Event) -> None:
        """P7: what is there now does not rest on words older than what it replaced, unless on a stronger source."""
        if event.kind in (EventKind.UNDO, EventKind.EVIDENCE_CHANGED):
            return
        for pointer, (old, new) in event.slots.items():
            if old is None or new is None or held_at(before, pointer) == held_at(self.bench.state, pointer):
                continue
            sources = TYPE.sources_at(pointer) or ()
            assert new.age >= old.age or stronger(sources, new.source, old.source), pointer

    def check_corrected(self, before: State, event: Event) -> None:
        """P7: a value once corrected does not become current again from words older than its correction.

        A stronger voice may have older words: from then on its age is what counts. An undo takes corrections back.
        """
        for pointer, (old, new) in event.slots.items():
            was, now = held_at(before, pointer), held_at(self.bench.state, pointer)
            if event.kind is EventKind.UNDO:
                self.corrected.pop(pointer, None)
            if old is None or new is None or event.kind is EventKind.UNDO or was == now:
                continue
            sources = TYPE.sources_at(pointer) or ()
            if new.age < old.age:
                assert stronger(sources, new.source, old.source), pointer
                self.corrected.pop(pointer, None)
            for value, age in self.corrected.get(pointer, ()):
                assert value != now or new.age >= age, f"{pointer} is {now} again"
            self.corrected.setdefault(pointer, []).append((was, new.age))

    def expected(self, lag: int) -> int:
        return max(self.bench.state.version - lag, 0) if lag >= 0 else self.bench.state.version + 1

    def check_rebase(self, event: Event | None, expected: int) -> None:
        """V2: what was written over is what the reader of `expected` saw, and so is the ground beneath it."""
        if event is None or event.version == expected + 1:
            return
        assert expected < event.version
        seen = replay(self.bench.events[:expected])
        stood = replay(self.bench.events[: event.version - 1])
        names = {pointer for touched in event.touched for pointer in (touched, *self.beneath(touched))}
        for pointer in stood.slots.keys() | seen.slots.keys():
            if any(related(pointer, name) for name in names):
                assert seen.slots.get(pointer) == stood.slots.get(pointer), pointer

    def beneath(self, pointer: str) -> list[str]:
        target = pointer
        if pointer.startswith("/commitments/"):
            member = held_at(self.bench.state, member_of(pointer))
            target = f"commitments:{member['kind']}" if member is not MISSING else pointer
        return [ground for ground in EDGES if target in reach(ground)]

    # --- messages --------------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.bench.messages) < 4 + len(self.bench.events))
    @rule(kind=st.sampled_from(KINDS), name=st.sampled_from(("um", "dois")), said=st.permutations(WORDS), late=numbers)
    def say(self, kind: str, name: str, said: Sequence[str], late: int) -> None:
        sent = self.bench.now - timedelta(minutes=late) if late % 3 else None
        self.bench.say(kind, " ".join(said[:3]), name, sent_at=sent)

    @precondition(lambda self: len(self.bench.events) % 3 == 2)
    @rule(number=numbers, said=st.permutations(WORDS), gone=st.booleans())
    def change_message(self, number: int, said: Sequence[str], gone: bool) -> None:
        reference = f"m-{number % len(self.bench.messages) + 1}"
        slots = self.bench.state.slots
        cited = {pointer for pointer in slots if any(item.message == reference for item in slots[pointer].evidence)}
        if gone:
            event = self.attempt(self.bench.delete, reference)
        else:
            event = self.attempt(self.bench.rewrite, reference, " ".join(said[:2]))
        assert event is None or set(event.slots) <= cited

    # --- proposals and decisions -----------------------------------------------------------------------------------

    def cited(self, number: int, word: str) -> Citation:
        """The word in a message; now and then in one that is not there, or does not hold it."""
        if number % 12 == 11:
            return Citation(f"m-{len(self.bench.messages) + number % 3}", word)
        message = self.bench.messages[number % len(self.bench.messages) + 1]
        return Citation(message.id, word if word in message.text else message.text.partition(" ")[0] or word)

    @rule(
        pointer=st.sampled_from(sorted(EDGES)),
        value=values,
        number=numbers,
        word=words,
        inference=st.booleans(),
        producer=st.sampled_from(("model", "outside")),
    )
    def propose(self, pointer: str, value: Json, number: int, word: str, inference: bool, producer: str) -> None:
        op = "remove" if value is MISSING else "add"
        guessed = inference and ("inference" in RULES[pointer] or number % 5 == 0)  # now and then where none is taken
        self.bench.propose(Change(op, pointer, value, (self.cited(number, word),), guessed), producer=producer)

    @rule(task=words, number=numbers, kind=st.sampled_from(("visit", "visit", "return_call", None)), due=st.sampled_from(DUES))
    def propose_promise(self, task: str, number: int, kind: str | None, due: str | None) -> None:
        value = {"task": task, "owner": "team", "kind": kind, "due": due}
        (held,) = self.bench.propose(Change("add", "/commitments/-", value, (self.cited(number, task),)))
        if held.status is Status.PENDING and number % 3:
            self.attempt(self.bench.accept, held)

    @precondition(lambda self: self.bench.state.values["commitments"])
    @rule(which=numbers, number=numbers, word=words, status=st.sampled_from(STATUSES), due=st.sampled_from(DUES))
    def propose_move(self, which: int, number: int, word: str, status: str, due: str | None) -> None:
        members = sorted(self.bench.state.values["commitments"])
        pointer = f"/commitments/{members[which % len(members)]}"
        change = ("/status", status) if number % 2 else ("/due", due)
        self.bench.propose(Change("replace", pointer + change[0], change[1], (self.cited(number, word),)))

    def pending(self) -> list[Held]:
        return [held for held in self.bench.changes.values() if held.status is Status.PENDING]

    @precondition(lambda self: self.pending())
    @rule(picks=st.lists(numbers, min_size=1, max_size=4), rejects=st.lists(numbers, max_size=2), lag=lags, actor=people)
    def decide(self, picks: list[int], rejects: list[int], lag: int, actor: Any) -> None:
        pending = self.pending()
        accept = list({pick % len(pending): pending[pick % len(pending)] for pick in picks}.values())
        reject = list({pick % len(pending): pending[pick % len(pending)] for pick in rejects}.values())
        reject = [held for held in reject if held not in accept]
        expected = self.expected(lag)
        event = self.attempt(self.bench.decide, accept, reject, expected=expected, actor=actor)
        if event is not None:
            self.check_rebase(event, expected)
            assert self.bench.decide(accept, reject, expected=expected, actor=actor) == event.version  # V4
            assert self.bench.events[-1] is event

    @rule(
        pair=st.sampled_from((("/facts/p", "/facts/right"), ("/facts/right", "/facts/end"), ("/facts/end", "/facts/tail"))),
        word=words,
        sources=st.tuples(numbers, numbers),
        inference=st.booleans(),
        back=st.booleans(),
    )
    def decide_together(self, pair: tuple[str, str], word: str, sources: tuple[int, int], inference: bool, back: bool) -> None:
        """A field and what depends on it, by newer and older words, in one version; now and then taken back at once."""
        changes = []
        for pointer, number in zip(pair, sources, strict=True):
            guessed = inference and "inference" in RULES[pointer]
            changes.append(Change("add", pointer, word, (self.cited(number, word),), guessed))
        held = [item for item in self.bench.propose(*changes) if item.status is Status.PENDING]
        event = self.attempt(self.bench.decide, held) if held else None
        if event is not None and back:
            self.undo_last()

    @rule(
        pointer=st.sampled_from(sorted(EDGES)),
        value=values,
        number=numbers,
        inference=st.booleans(),
        override=st.booleans(),
        actor=people,
    )
    def propose_and_accept(self, pointer: str, value: Json, number: int, inference: bool, override: bool, actor: Any) -> None:
        self.propose(pointer, value, number, WORDS[number % 4], inference, "model")
        if self.pending():
            self.accept_held(self.pending()[-1], override, actor)

    @precondition(lambda self: self.pending())
    @rule(pick=numbers, override=st.booleans(), actor=people)
    def accept_one(self, pick: int, override: bool, actor: Any) -> None:
        self.accept_held(self.pending()[pick % len(self.pending())], override, actor)

    def accept_held(self, held: Held, override: bool, actor: Any) -> None:
        """K5: what the card shows before the decision is what it does."""
        before = self.bench.state
        self.bench.tick()
        shown = judge(before, held.change, self.bench.desk(actor))
        event = self.attempt(self.bench.accept, held, override="motivo" if override else None, actor=actor)
        if event is None:
            return
        stale = {pointer: slot.stale_because for pointer, (_, slot) in event.slots.items() if slot and slot.stale_because}
        fell = [pointer for pointer, cause in stale.items() if cause.version == event.version]
        taken = shown.verdict == "allowed" or (shown.verdict == "conflict" and override)
        assert fell == (list(shown.cascade) if taken else [])
        if taken and held.change.path in EDGES:
            assert held_at(self.bench.state, held.change.path) == held.change.value
        elif not taken:
            assert self.bench.state.values == before.values

    @precondition(lambda self: self.pending())
    @rule(pick=numbers, value=words, own=st.sampled_from((None, ())), lag=lags)
    def edit(self, pick: int, value: str, own: tuple[Citation, ...] | None, lag: int) -> None:
        held = self.pending()[pick % len(self.pending())]
        if held.change.path not in EDGES:
            return
        expected = self.expected(lag)
        event = self.attempt(self.bench.accept, held, edit=Edit(value, own), expected=expected)
        self.check_rebase(event, expected)

    # --- what people do by themselves ------------------------------------------------------------------------------

    @rule(
        pointer=st.sampled_from(sorted(EDGES)),
        value=values,
        reported=st.sampled_from((None, Kind.CUSTOMER, Kind.REGISTRY)),
        lag=lags,
        actor=people,
    )
    def set_field(self, pointer: str, value: Json, reported: Kind | None, lag: int, actor: Any) -> None:
        expected = self.expected(lag)
        event = self.attempt(self.bench.put, pointer, value, expected=expected, actor=actor, reported=reported)
        self.check_rebase(event, expected)

    @precondition(lambda self: self.bench.state.values["commitments"])
    @rule(which=numbers, status=st.sampled_from(STATUSES), due=st.sampled_from(DUES), lag=lags)
    def set_promise(self, which: int, status: str, due: str | None, lag: int) -> None:
        members = sorted(self.bench.state.values["commitments"])
        pointer = f"/commitments/{members[which % len(members)]}"
        expected = self.expected(lag)
        change = ("/status", status) if which % 2 else ("/due", due)
        self.check_rebase(self.attempt(self.bench.put, pointer + change[0], change[1], expected=expected), expected)

    @precondition(lambda self: self.bench.state.slots)
    @rule(which=numbers, lag=lags, actor=people)
    def confirm(self, which: int, lag: int, actor: Any) -> None:
        pointer = sorted(self.bench.state.slots)[which % len(self.bench.state.slots)]
        expected = self.expected(lag)
        event = self.attempt(self.bench.confirm, pointer, expected=expected, actor=actor)
        self.check_rebase(event, expected)
        assert event is None or event.patch == ()

    @precondition(lambda self: any(slot.status is SlotStatus.CONFLICT for slot in self.bench.state.slots.values()))
    @rule(
        which=numbers,
        choice=st.sampled_from(("current", "challenger", "open")),
        index=st.integers(0, 2),
        lag=lags,
        actor=people,
    )
    def resolve(self, which: int, choice: str, index: int, lag: int, actor: Any) -> None:
        torn = sorted(pointer for pointer, slot in self.bench.state.slots.items() if slot.status is SlotStatus.CONFLICT)
        pointer, expected = torn[which % len(torn)], self.expected(lag)
        event = self.attempt(self.bench.resolve, pointer, choice, challenger=index, expected=expected, actor=actor)
        self.check_rebase(event, expected)
        assert event is None or self.bench.status(pointer) != "conflict"

    @precondition(lambda self: self.bench.events)
    @rule(back=st.integers(0, 5), lag=lags, actor=people)
    def undo(self, back: int, lag: int, actor: Any) -> None:
        expected = self.expected(lag)
        event = self.attempt(self.bench.undo, self.bench.state.version - back, expected=expected, actor=actor)
        self.check_rebase(event, expected)

    @precondition(lambda self: len(self.bench.events) % 4 == 3)  # or all would be taken back as soon as it is done
    @rule()
    def undo_last(self) -> None:
        """H4: the state before it, but for quotes that are gone meanwhile."""
        last = self.bench.events[-1]
        wanted = self.bench.state.rewind(last)
        event = self.attempt(self.bench.undo, last.version, actor=SARA)
        if event is None:
            assert not last.pointers
            return
        assert self.bench.state.values == wanted.values
        assert self.bench.state.slots.keys() == wanted.slots.keys()
        for pointer, slot in self.bench.state.slots.items():
            assert slot == wanted.slots[pointer] or self.lost_a_quote(wanted.slots[pointer]), pointer

    def lost_a_quote(self, slot: Slot) -> bool:
        messages = Messages(self.bench.messages.values())
        lost = any(not item.gone and not still_stands(item, messages.find(item.message)) for item in slot.evidence)
        return slot.status is SlotStatus.CURRENT and lost

    # --- what always holds -----------------------------------------------------------------------------------------

    @invariant()
    def versions_are_consecutive_and_replay_gives_the_state(self) -> None:
        """V1, H3."""
        if not hasattr(self, "bench"):
            return
        assert [event.version for event in self.bench.events] == list(range(1, self.bench.state.version + 1))
        assert replay(self.bench.events) == self.bench.state

    @invariant()
    def every_value_has_one_slot_and_its_ground_shows(self) -> None:
        """C3, E1, E9, K1: a value and its slot come and go together, and nothing is current on nobody's word."""
        if not hasattr(self, "bench"):
            return
        state = self.bench.state
        for pointer, slot in state.slots.items():
            value = held_at(state, pointer)
            assert slot.holds is (value is not MISSING) or (pointer.endswith("/due") and value is None), pointer
            assert (slot.status is SlotStatus.CONFLICT) is bool(slot.challengers), pointer
            assert slot.since_version <= state.version
            if slot.status is SlotStatus.CURRENT:
                assert slot.evidence or slot.author.kind is Kind.AGENT, pointer
                assert slot.source != "inference", pointer
            if slot.status in (SlotStatus.CURRENT, SlotStatus.OPEN):
                assert slot.stale_because is None, pointer
                assert slot.ground is None, pointer
            if slot.status is not SlotStatus.CURRENT and slot.status is not SlotStatus.CONFLICT:
                assert slot.confirmed is None, pointer
        for pointer in EDGES:
            assert held_at(state, pointer) is MISSING or pointer in state.slots
        assert all(f"/commitments/{identity}" in state.slots for identity in state.values["commitments"])

    @invariant()
    def a_group_is_there_as_long_as_it_holds_a_value(self) -> None:
        """G2"""
        if not hasattr(self, "bench"):
            return
        values = self.bench.state.values
        assert ("items" in values) is bool(values.get("items"))
        assert all(values.get("items", {}).values())


THOROUGH = os.environ.get("LASTRO_PROPERTIES") == "thorough"
TestTicket = Ticket.TestCase
TestTicket.settings = settings(
    max_examples=2000 if THOROUGH else 60,
    stateful_step_count=60 if THOROUGH else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
