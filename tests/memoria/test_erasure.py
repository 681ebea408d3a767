"""L2, L3: what erasure leaves of a ticket's state, of its log, and of what can still be done with both."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.erasure import forget, without_evidence
from memoria.errors import DomainError
from memoria.events import (
    GENESIS,
    Event,
    EventKind,
    StoredEvent,
    chain_hash,
    content_digest,
    event_from_record,
    event_to_record,
    verify_chain,
)
from memoria.members import empty_values
from memoria.patch import MISSING
from memoria.review import set_value, undo
from memoria.sources import SYSTEM, Kind
from memoria.state import SlotStatus, Stale, State, replay, slot_to_json, state_from_json, state_to_json
from tests.memoria.bench import ANA, SARA, Bench, a_field, a_type

CANARY = "kanarienvogel"
TYPE = a_type(
    {
        "/facts/a": a_field("registry", "customer", "agent", invalidates=["/facts/b"]),
        "/facts/b": a_field("customer", "agent"),
        "/facts/c": a_field("customer", "agent", tie="conflict"),
    }
)
GONE = Stale("evidence_erased")


def erase_words(bench: Bench, *references: str) -> None:
    for reference in references:
        number = int(reference[2:])
        bench.messages[number] = replace(bench.messages[number], text="", erased=True)


def lived_in() -> Bench:
    """Values from a customer named by the canary, one corrected, one in conflict, one withdrawn; a promise with a due."""
    bench = Bench(TYPE)
    bench.say("customer", f"{CANARY} um, dois e tres", CANARY)
    bench.decide([bench.one("add", "/facts/a", f"{CANARY} um", ("m-1", f"{CANARY} um"))])
    bench.decide([bench.one("add", "/facts/b", f"{CANARY} b", ("m-1", "dois"))])
    bench.decide([bench.one("add", "/facts/c", f"{CANARY} c", ("m-1", "tres"))])
    bench.say("customer", f"corrijo: {CANARY} novo", CANARY)
    bench.decide([bench.one("add", "/facts/a", f"{CANARY} novo", ("m-2", f"{CANARY} novo"))])
    bench.say("third_party", f"digo {CANARY} outra coisa", f"{CANARY} 2")
    bench.put("/facts/c", f"{CANARY} dela", reason=CANARY)
    bench.put("/commitments/-", {"task": f"ligar para {CANARY}", "owner": "team", "due": "2026-12-04"})
    bench.put("/facts/b")
    return bench


# --- L3: words are gone, values stay ------------------------------------------------------------------------------


def test_a_value_whose_words_are_erased_stays_and_says_so() -> None:
    bench = Bench(TYPE)
    bench.say("customer", "um, dois")
    bench.say("customer", "tres")
    bench.decide([bench.one("add", "/facts/a", "um", ("m-1", "um"))])
    bench.decide([bench.one("add", "/facts/c", "tres", ("m-2", "tres"))])
    erase_words(bench, "m-1")

    event = without_evidence(bench.state, bench.desk(SYSTEM))

    assert event is not None
    after = bench.state.evolve(event)
    assert (event.kind, event.patch, event.actor) == (EventKind.EVIDENCE_ERASED, (), SYSTEM)
    assert (after.slots["/facts/a"].status, after.slots["/facts/a"].stale_because) == (SlotStatus.NEEDS_CONFIRMATION, GONE)
    assert after.values["facts"] == {"a": "um", "c": "tres"}
    assert after.slots["/facts/c"] == bench.slot("/facts/c")
    assert after.rewind(event).slots == bench.state.slots


def test_what_a_person_confirmed_since_is_not_doubted_again_and_what_touches_nothing_is_no_event() -> None:
    bench = Bench(TYPE)
    bench.say("customer", "um, dois")
    bench.decide([bench.one("add", "/facts/a", "um", ("m-1", "um"))])
    erase_words(bench, "m-1")
    event = without_evidence(bench.state, bench.desk(SYSTEM))
    assert event is not None
    bench._append(event)
    assert without_evidence(bench.state, bench.desk(SYSTEM)) is None
    bench.confirm("/facts/a")

    assert without_evidence(bench.state, bench.desk(SYSTEM)) is None
    assert bench.status("/facts/a") == "current"


def test_a_slot_in_conflict_stays_so_and_an_open_one_is_left_alone() -> None:
    bench = Bench(TYPE)
    bench.say("customer", "um, dois", "Rosa")
    bench.say("customer", "outro", "Íris")
    bench.decide([bench.one("add", "/facts/c", "um", ("m-1", "um"))])
    bench.decide([bench.one("add", "/facts/c", "outro", ("m-2", "outro"))])
    bench.decide([bench.one("add", "/facts/a", "dois", ("m-1", "dois"))])
    bench.put("/facts/b", "b")
    bench.put("/facts/b")
    assert (bench.status("/facts/c"), bench.status("/facts/b")) == ("conflict", "open")
    erase_words(bench, "m-1")

    event = without_evidence(bench.state, bench.desk(SYSTEM))

    assert event is not None
    after = bench.state.evolve(event)
    assert (after.slots["/facts/c"].status, after.slots["/facts/c"].stale_because) == (SlotStatus.CONFLICT, GONE)
    assert after.slots["/facts/b"] == bench.slot("/facts/b")


@pytest.mark.parametrize(("erased", "why"), [(True, "evidence_erased"), (False, "evidence_changed")])
def test_an_undo_that_brings_back_erased_words_says_that_they_are_erased(erased: bool, why: str) -> None:
    bench = Bench(TYPE)
    bench.say("customer", "um, dois")
    bench.decide([bench.one("add", "/facts/a", "um", ("m-1", "um"))])
    bench.put("/facts/a", "dito", actor=SARA)
    bench.messages[1] = replace(bench.messages[1], text="", erased=erased, deleted=not erased)

    bench.undo(2, actor=SARA)

    assert bench.slot("/facts/a").stale_because == Stale(why)


# --- L2: nothing is left but marks --------------------------------------------------------------------------------


def test_forgetting_leaves_no_value_no_quote_and_no_name() -> None:
    bench = lived_in()
    event = forget(bench.state, bench.desk(SYSTEM), "erasure")
    after = bench.state.evolve(event)

    assert after.values == empty_values()
    assert CANARY in json.dumps(state_to_json(bench.state))
    assert CANARY not in json.dumps([event_to_record(event), state_to_json(after)])


def test_each_field_says_that_its_evidence_was_erased_and_members_are_gone_with_their_ids() -> None:
    bench = lived_in()
    event = forget(bench.state, bench.desk(SYSTEM), "retention")
    after = bench.state.evolve(event)

    assert set(after.slots) == {"/facts/a", "/facts/b", "/facts/c"}
    assert {(slot.status, slot.stale_because, slot.since_version) for slot in after.slots.values()} == {
        (SlotStatus.OPEN, GONE, event.version)
    }
    assert slot_to_json(after.slots["/facts/a"])["author"] == {"kind": "customer", "external_id": None, "name": ""}
    assert after.slots["/facts/a"].age == bench.slot("/facts/a").age
    assert (dict(after.minted), event.cause["how"]) == ({"commitments": 1}, "retention")
    assert event.pointers == set(bench.state.slots)
    assert event.ticket_type_version == TYPE.version
    bench.state = after
    bench.events.append(event)
    assert "/commitments/c-2" in bench.put("/commitments/-", {"task": "ligar", "owner": "team"}).slots


def test_a_field_that_the_type_no_longer_has_is_forgotten_altogether() -> None:
    bench = lived_in()
    bench.ticket_type = a_type({"/facts/a": a_field()})

    assert set(forget(bench.state, bench.desk(SYSTEM), "erasure").slots) == {"/facts/a"}


def test_words_from_before_are_still_older_than_what_was_forgotten() -> None:
    """P7: a rebuild from what is left brings no corrected value back."""
    bench = lived_in()
    bench.state = bench.state.evolve(forget(bench.state, bench.desk(SYSTEM), "retention"))

    late = bench.one("add", "/facts/a", "um", ("m-1", "um"))
    new = bench.one("add", "/facts/a", "outra", ("m-3", "outra"))

    assert [code.value for code in (late.judgement.code, new.judgement.code)] == [
        "evidence.older_than_current",
        "source.not_allowed",
    ]
    bench.say("customer", "agora sim")
    assert bench.one("add", "/facts/a", "sim", ("m-4", "sim")).judgement.code.value == "allowed.was_open"


# --- what can still be done ---------------------------------------------------------------------------------------


def forgotten() -> Bench:
    """Version 1 a value, version 2 the erasure, version 3 a new value."""
    bench = Bench(TYPE)
    bench.put("/facts/a", "velho", actor=ANA)
    event = forget(bench.state, bench.desk(SYSTEM), "erasure")
    bench.state = bench.state.evolve(event)
    bench.events = [tombstone(bench.events[0]), event]
    bench.put("/facts/c", "novo", actor=ANA)
    return bench


def tombstone(event: Event) -> Event:
    """What is left of an erased event: who, when, and what it touched."""
    return Event(
        event.version, event.kind, event.actor, event.at, event.ticket_type_version, touched=tuple(sorted(event.pointers))
    )


@pytest.mark.parametrize("version", [1, 2])
def test_nothing_from_before_or_with_the_erasure_is_undone(version: int) -> None:
    bench = forgotten()

    with pytest.raises(DomainError) as refused:
        undo(bench.state, version, bench.desk(SARA), 3, bench.events[version - 1 :], "engano")

    assert (refused.value.code.value, refused.value.data["by"]) == ("undo.superseded", 2)
    assert undo(bench.state, 3, bench.desk(SARA), 3, bench.events[2:], "engano").kind is EventKind.UNDO


def test_what_was_meant_for_a_version_before_the_erasure_is_not_written_over_it() -> None:
    bench = forgotten()

    with pytest.raises(DomainError) as refused:
        set_value(bench.state, "/facts/b", "x", bench.desk(), 1, bench.events[1:])

    assert refused.value.code.value == "version.conflict"
    assert set_value(bench.state, "/facts/b", "x", bench.desk(), 2, bench.events[2:]).version == 4


def test_there_is_no_way_back_behind_an_erasure() -> None:
    bench = forgotten()

    with pytest.raises(ValueError, match="before version 2 is erased"):
        bench.state.rewind(bench.events[2]).rewind(bench.events[1])


# --- whatever a ticket has been through ----------------------------------------------------------------------------

pointers = st.sampled_from(("/facts/a", "/facts/b", "/facts/c", "/commitments/-", "/pending/-", "/constraints/-"))
texts = st.sampled_from((CANARY, f"{CANARY} um", f"o {CANARY}"))
MEMBERS: dict[str, Callable[[str], Any]] = {
    "/commitments/-": lambda text: {"task": text, "owner": "team", "kind": "visit"},
    "/pending/-": lambda text: {"question": text, "options": [text]},
    "/constraints/-": lambda text: {"text": text, "applies_to": []},
}
steps = st.lists(st.tuples(pointers, texts, st.booleans(), st.booleans()), max_size=12)


def played(history: list[tuple[str, str, bool, bool]]) -> Bench:
    """A ticket after these steps: said by a customer and accepted, or stated; now and then withdrawn or undone."""
    bench = Bench(TYPE)
    for pointer, text, stated, back in history:
        value = MEMBERS[pointer](text) if pointer in MEMBERS else text
        try:
            if stated:
                bench.put(pointer, value, actor=SARA)
            else:
                message = bench.say(Kind.CUSTOMER, f"{text}.", CANARY)
                bench.decide([bench.one("add", pointer, value, (message, text))])
            if back:
                bench.undo(bench.state.version, actor=SARA)
        except DomainError:
            continue
    return bench


@given(steps)
def test_an_erased_log_still_gives_its_state_from_its_last_beginning(history: list[tuple[str, str, bool, bool]]) -> None:
    """H3: the event alone says what holds, wherever the fold starts; nothing personal is left in either."""
    bench = played(history)
    event = forget(bench.state, bench.desk(SYSTEM), "erasure")
    after = bench.state.evolve(event)

    assert replay([event], State(bench.state.version)) == after == state_from_json(state_to_json(after))
    assert event_from_record(event_to_record(event)) == event
    assert CANARY not in json.dumps([event_to_record(event), state_to_json(after)])
    assert {slot.status for slot in after.slots.values()} <= {SlotStatus.OPEN}
    assert dict(after.minted) == dict(bench.state.minted)
    again = after.evolve(forget(after, bench.desk(SYSTEM), "erasure"))
    assert (again.values, set(again.slots), again.minted) == (after.values, set(after.slots), after.minted)


@given(steps, st.data())
def test_tombstones_leave_the_chain_whole_and_forged_ones_do_not(
    history: list[tuple[str, str, bool, bool]], data: st.DataObject
) -> None:
    """H2: content and salt go together, digest and hash stay."""
    bench = played(history)
    bench.events.append(forget(bench.state, bench.desk(SYSTEM), "erasure"))
    rows, previous = [], GENESIS
    for event in bench.events:
        record = event_to_record(event)
        digest = content_digest(record["content"], b"salz")
        rows.append(StoredEvent(record, b"salz", digest, previous, chain_hash(previous, "t", record, digest)))
        previous = rows[-1].hash
    erased = [replace(row, record={**row.record, "content": None}, salt=None) for row in rows[:-1]] + rows[-1:]

    assert verify_chain("t", erased) == []
    assert CANARY not in json.dumps([row.record for row in erased])
    index = data.draw(st.integers(0, len(rows) - 1))
    for forged in (
        replace(erased[index], salt=None if erased[index].salt else b"salz"),
        replace(erased[index], record={**erased[index].record, "kind": "decision", "version": 99}),
        replace(erased[index], digest="0" * 64),
    ):
        assert verify_chain("t", [*erased[:index], forged, *erased[index + 1 :]]) != []


@given(steps, st.sets(st.integers(1, 12)))
def test_erased_words_doubt_what_rests_on_them_and_nothing_else(
    history: list[tuple[str, str, bool, bool]], numbers: set[int]
) -> None:
    bench = played(history)
    numbers &= set(bench.messages)
    erase_words(bench, *(f"m-{number}" for number in numbers))
    rests = {
        pointer
        for pointer, slot in bench.state.slots.items()
        if slot.holds and any(not item.gone and int(item.message[2:]) in numbers for item in slot.evidence)
    }

    event = without_evidence(bench.state, bench.desk(SYSTEM))

    assert set(event.slots if event else ()) == rests
    if event is not None:
        after = bench.state.evolve(event)
        assert after.values == bench.state.values
        assert {after.slots[pointer].stale_because for pointer in rests} == {GONE}
        assert MISSING not in [bench.value(pointer) for pointer in rests if pointer.startswith("/facts")]
