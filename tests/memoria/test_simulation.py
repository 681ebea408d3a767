"""T3: a past decision under other rules is what deciding it again under them gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from memoria import review
from memoria.decisions import Accept, Edit, Reject
from memoria.errors import DomainError
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.judgement import Desk
from memoria.past_messages import Archive, Kept
from memoria.patch import MISSING, Json
from memoria.proposals import Status
from memoria.simulation import Case, Record, Simulated, fell_with, simulate
from memoria.sources import Kind
from memoria.state import State, replay
from tests.memoria.bench import ANA, SARA, START, Bench, Held, a_field, a_type, cite

WORDS = ("azul", "verde", "roxo")
POINTERS = ("/facts/a", "/facts/b", "/facts/c")
RULES = {
    "/facts/a": a_field("registry", "agent", "customer", invalidates=["/facts/b", "commitments:visit"]),
    "/facts/b": a_field("agent", "customer", tie="conflict", invalidates=["/facts/c"]),
    "/facts/c": a_field("customer", "customer_reported", "agent", inference="flag"),
}


@dataclass
class Life:
    """A ticket with its whole past, and each decision as it was asked for, so that it can be asked for again."""

    bench: Bench
    kept: dict[int, Kept] = field(default_factory=dict)
    asked: dict[int, Callable[[State, Desk], Event]] = field(default_factory=dict)  # by the version that it made

    def say(self, kind: str, text: str) -> str:
        reference = self.bench.say(kind, text)
        message = self.bench.messages[int(reference[2:])]
        self.kept[message.number] = Kept(message, self.bench.now)
        return reference

    def rewrite(self, reference: str, text: str) -> None:
        number = int(reference[2:])
        before = self.kept[number]
        self.bench.tick()
        self.bench.rewrite(reference, text)
        texts = before.texts or ((before.arrived_at, before.message.text),)
        self.kept[number] = Kept(self.bench.messages[number], before.arrived_at, (*texts, (self.bench.now, text)))

    def delete(self, reference: str) -> None:
        number = int(reference[2:])
        before = self.kept[number]
        self.bench.tick()
        self.bench.delete(reference)
        self.kept[number] = Kept(before.message, before.arrived_at, before.texts, self.bench.now)

    def decide(self, accept: Sequence[Held] = (), reject: Sequence[Held] = (), **more: Any) -> int:
        edit, override = more.get("edit"), more.get("override")
        version = self.bench.decide(accept, reject, **more)
        accepts = [Accept(held.id, held.change, override, edit=edit) for held in accept]
        rejects = [Reject(held.id, held.change) for held in reject]
        self.asked[version] = lambda state, desk: review.decide(state, accepts, rejects, desk, state.version)
        return version

    def put(self, path: str, value: Json = MISSING, **more: Any) -> None:
        event = self.bench.put(path, value, **more)
        more.pop("actor", None)
        self.asked[event.version] = lambda state, desk: review.set_value(state, path, value, desk, state.version, **more)

    def confirm(self, path: str, **more: Any) -> None:
        event = self.bench.confirm(path, **more)
        more.pop("actor", None)
        self.asked[event.version] = lambda state, desk: review.confirm(state, path, desk, state.version, **more)

    def resolve(self, path: str, choice: str, **more: Any) -> None:
        event = self.bench.resolve(path, choice, actor=SARA, **more)
        self.asked[event.version] = lambda state, desk: review.resolve(
            state, path, choice, desk, state.version, reason="conferido", **more
        )

    def undo(self, version: int) -> None:
        event = self.bench.undo(version, actor=SARA)
        events = self.bench.events[version - 1 : event.version - 1]
        self.asked[event.version] = lambda state, desk: review.undo(state, version, desk, state.version, events, "engano")

    # --- decided again -------------------------------------------------------------------------------------------------

    def case(self) -> Case:
        records = {held.id: Record(held.change, held.version, held.evidence) for held in self.bench.changes.values()}
        actors = {str(actor.member): actor for actor in (ANA, SARA)}
        return Case(Archive(self.kept.values()), records, lambda _number: self.bench.ticket_type, actors)

    def simulated(self, draft: TicketType) -> list[Simulated]:
        return list(simulate(State(), self.bench.events, set(self.asked), draft, self.case()))

    def again(self, version: int, ticket_type: TicketType) -> Event | DomainError:
        """The decision that made this version, asked for anew on a copy, under `ticket_type`."""
        event = self.bench.events[version - 1]
        state = replay(self.bench.events[: version - 1])
        actor = {str(known.member): known for known in (ANA, SARA)}[str(event.actor.member)]
        desk = Desk(ticket_type, Archive(self.kept.values()).at(event.at), event.at, actor)
        try:
            return self.asked[version](state, desk)
        except DomainError as error:
            return error


def a_life(seed: int) -> Life:
    """A ticket in which much happens, by chance; the same chance, the same ticket."""
    chance = random.Random(seed)
    life = Life(Bench(a_type(RULES)))
    for _ in range(chance.randint(15, 30)):
        try:
            _step(life, chance)
        except DomainError:
            continue
    return life


def _step(life: Life, chance: random.Random) -> None:
    bench, pointer, word = life.bench, chance.choice(POINTERS), chance.choice(WORDS)
    pending = [held for held in bench.changes.values() if held.status is Status.PENDING]
    match chance.randrange(12):
        case 0 | 1 | 2:
            speaker = chance.choice(("customer", "customer", "agent", "registry"))
            reference = life.say(speaker, f"é {word} mesmo")
            bench.one("add", pointer, word, (reference, word), inference=chance.random() < 0.2)
        case 3:
            reference = life.say("customer", "marquem a visita")
            promise = {"task": "marquem a visita", "owner": "team", "kind": "visit"}
            bench.one("add", "/commitments/-", promise, (reference, "marquem a visita"))
        case 4 | 5 | 6 if pending:
            some = chance.sample(pending, min(len(pending), chance.randint(1, 3)))
            if chance.random() < 0.2:
                life.decide((), some[:1])
            elif chance.random() < 0.3:
                edit = Edit(word, chance.choice((None, ())))
                life.decide(some[:1], edit=edit)
            else:
                override = "sei que é" if chance.random() < 0.3 else None
                life.decide(some, override=override, actor=SARA if override else None)
        case 7:
            reported = chance.choice((None, Kind.CUSTOMER))
            life.put(pointer, word if chance.random() < 0.8 else MISSING, reported=reported)
        case 8 if bench.messages:
            reference = f"m-{chance.randint(1, len(bench.messages))}"
            if chance.random() < 0.5:
                life.rewrite(reference, f"na verdade {word} {len(bench.events)}")
            else:
                life.delete(reference)
        case 9 if bench.state.slots:
            cited = [item for item in bench.messages.values() if not item.deleted]
            evidence = cite((cited[-1].id, cited[-1].text)) if cited and chance.random() < 0.5 else ()
            life.confirm(chance.choice(sorted(bench.state.slots)), evidence=evidence)
        case 10 if bench.state.slots:
            choice = chance.choice(("current", "challenger", "open"))
            more = {"challenger": 0} if choice == "challenger" else {}
            life.resolve(chance.choice(sorted(bench.state.slots)), choice, **more)
        case 11 if bench.events:
            life.undo(chance.randint(max(1, bench.state.version - 4), bench.state.version))


def a_draft(seed: int) -> TicketType:
    """The type of these lives, changed here and there."""
    chance = random.Random(seed)
    rows: dict[str, Any] = {}
    for pointer, row in RULES.items():
        if chance.random() < 0.15:
            continue
        sources = chance.sample(["registry", "agent", "customer", "customer_reported"], chance.randint(1, 4))
        schema = {"enum": list(WORDS[: chance.randint(1, 3)])} if chance.random() < 0.3 else {"type": "string"}
        more = {"tie": chance.choice(("latest", "conflict")), "inference": chance.choice(("refuse", "flag"))}
        rows[pointer] = {**row, **a_field(*sources, schema=schema, literal=chance.random() < 0.2), **more}
    for pointer, row in rows.items():
        later = [name for name in rows if name > pointer]
        row["invalidates"] = chance.sample(later, chance.randint(0, len(later)))
        if chance.random() < 0.5:
            row["invalidates"].append("commitments:visit")
    return a_type(rows)


@pytest.mark.parametrize("seed", range(40))
def test_t3_the_published_type_itself_decides_nothing_otherwise(seed: int) -> None:
    life = a_life(seed)
    simulated = life.simulated(life.bench.ticket_type)

    assert [item.event.version for item in simulated] == sorted(life.asked)
    assert all(item.comparable for item in simulated)
    assert not any(item.differs for item in simulated)


@pytest.mark.parametrize("seed", range(60))
def test_t3_each_outcome_under_a_draft_is_that_of_deciding_again(seed: int) -> None:
    life, draft = a_life(seed), a_draft(seed + 1000)

    for item in life.simulated(draft):
        again = life.again(item.event.version, draft)
        outcomes = [compared.after for compared in item.acts]
        if isinstance(again, DomainError):
            first = next(found for found in outcomes if found.refused)
            assert first.reason is not None
            assert (first.reason.code, first.reason.rule) == (again.code, again.rule)
            continue
        acted = [found for compared, found in zip(item.acts, outcomes, strict=True) if compared.act.act != "rejected"]
        assert not any(found.refused for found in acted)
        if again.kind is EventKind.DECISION:
            entries = [entry for entry in again.cause["changes"] if entry["decision"] != "rejected"]
            told = [(found.verdict.value, list(found.cascade), found.source) for found in acted]
            assert told == [(entry["verdict"], entry["cascade"], entry["source"]) for entry in entries]
        elif again.kind is EventKind.STATEMENT:
            assert (acted[0].verdict.value, acted[0].source) == (again.cause["verdict"], again.cause["source"])
        else:
            assert acted[0].cascade == fell_with(again)


def test_t3_the_lives_hold_every_kind_of_decision_and_the_drafts_every_kind_of_difference() -> None:
    kinds, differences = set(), set()
    for seed in range(60):
        life = a_life(seed)
        kinds |= {life.bench.events[version - 1].kind for version in life.asked}
        differences |= {act.kind for item in life.simulated(a_draft(seed + 1000)) for act in item.acts}

    assert kinds == {
        EventKind.DECISION, EventKind.STATEMENT, EventKind.CONFIRMATION, EventKind.RESOLUTION, EventKind.UNDO,
    }  # fmt: skip
    assert {None, "allowed>conflict", "allowed>refused", "conflict>allowed", "cascade", "source"} <= differences


def test_t3_a_weaker_source_makes_of_an_accepted_change_a_divergence() -> None:
    life = Life(Bench(a_type({"/facts/a": a_field("agent", "customer")})))
    life.put("/facts/a", "azul")
    life.bench.ticket_type = a_type({"/facts/a": a_field("customer", "agent")})
    life.decide([life.bench.one("add", "/facts/a", "verde", (life.say("customer", "é verde"), "verde"))])

    (_, found) = life.simulated(a_type({"/facts/a": a_field("agent", "customer")}))

    assert found.acts[0].kind == "allowed>conflict"
    assert found.acts[0].after.reason is not None
    assert found.acts[0].after.reason.code == "source.weaker"


def test_t3_messages_are_read_as_they_stood() -> None:
    life = Life(Bench(a_type({"/facts/a": a_field("customer")})))
    reference = life.say("customer", "é verde")
    life.decide([life.bench.one("add", "/facts/a", "verde", (reference, "verde"))])
    life.rewrite(reference, "é azul")

    (found,) = life.simulated(a_type({"/facts/a": a_field("customer", literal=True)}))

    assert found.comparable
    assert not found.differs


def test_t3_what_rests_on_words_that_are_gone_for_good_is_not_compared() -> None:
    life = Life(Bench(a_type({"/facts/a": a_field("customer")})))
    reference = life.say("customer", "é verde")
    life.decide([life.bench.one("add", "/facts/a", "verde", (reference, "verde"))])
    kept = life.kept[1]
    life.kept[1] = Kept(type(kept.message)(1, kept.message.author, "", START), kept.arrived_at)  # erased

    (found,) = life.simulated(a_type({"/facts/a": a_field("agent")}))

    assert not found.comparable
    assert not found.differs


def test_t3_a_decision_whose_change_is_gone_is_not_compared() -> None:
    life = Life(Bench(a_type({"/facts/a": a_field("customer")})))
    life.decide([life.bench.one("add", "/facts/a", "verde", (life.say("customer", "é verde"), "verde"))])
    life.bench.changes.clear()

    (found,) = life.simulated(life.bench.ticket_type)

    assert not found.comparable


def test_t3_who_had_the_right_then_has_it_again() -> None:
    life = Life(Bench(a_type({"/facts/a": a_field("agent", "customer")})))
    life.put("/facts/a", "azul")
    life.decide([life.bench.one("add", "/facts/a", "verde", (life.say("customer", "é verde"), "verde"))])
    life.resolve("/facts/a", "challenger", challenger=0)  # by a supervisor, who is one no more
    case = life.case()
    fewer = Case(case.archive, case.records, case.type_of, {})

    found = list(simulate(State(), life.bench.events, {3}, life.bench.ticket_type, fewer))

    assert [item.comparable for item in found] == [True]
    assert not found[0].differs
