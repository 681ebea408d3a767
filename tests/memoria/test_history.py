"""What the log of events holds, and how tampering with it shows (rules H1 to H3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.events import (
    GENESIS,
    Event,
    StoredEvent,
    Tampering,
    chain_hash,
    content_digest,
    event_from_record,
    event_to_record,
    verify_chain,
)
from memoria.patch import apply
from memoria.sources import Kind
from memoria.state import State, replay, state_from_json, state_to_json
from tests.memoria.bench import RUI, SARA, Bench, a_field
from tests.memoria.bench import a_type as make_type
from tests.memoria.steps import promise, take, tell

P, A, B = "/facts/p", "/facts/a", "/facts/b"
C1 = "/commitments/c-1"
TICKET = "ticket-1"


def busy() -> Bench:
    """A ticket in which everything that makes an event has happened."""
    rows = {
        P: a_field(invalidates=[A, "commitments:visit"], schema={"type": ["string", "number"]}),
        A: a_field("registry", "agent", "customer", inference="flag"),
        B: a_field(),
    }
    bench = Bench(make_type(rows))
    take(bench, "customer", A, "suposto", inference=True)
    bench.confirm(A, reported=Kind.CUSTOMER)
    promise(bench, due="2026-12-04")
    bench.decide([tell(bench, "customer", P, "chão")], [tell(bench, "customer", B, "recusado")], reason="não foi dito")
    bench.confirm(A)
    take(bench, "customer", A, "outro", name="Eva")
    bench.resolve(A, "challenger", challenger=0, actor=SARA, reason="conferido por telefone")
    bench.accept(tell(bench, "customer", B, "mall escrito"), edit=Edit("mal escrito", reason="grafia"))
    bench.rewrite("m-1", "esquece")
    bench.rewrite(bench.slot(B).evidence[0].message, "esquece isso")
    bench.put(P, 1.5)
    bench.put(B)
    bench.undo(len(bench.events), actor=SARA)
    take(bench, "customer", C1 + "/due", "2026-12-07", text="só na segunda", op="replace")
    bench.put(C1 + "/status", "done", actor=RUI)
    assert {event.kind.value for event in bench.events} == {
        "decision", "confirmation", "resolution", "statement", "undo", "evidence_changed",
    }  # fmt: skip
    return bench


# --- H1 -----------------------------------------------------------------------------------------------------------


def test_an_event_holds_both_patches_and_each_slot_before_and_after() -> None:
    """H1: the patch leads forward, its inverse back, and slots that came out as they were are not named."""
    bench = busy()
    state = State()
    for event in bench.events:
        following = state.evolve(event)
        assert apply(state.values, event.patch) == following.values
        assert apply(following.values, event.inverse) == state.values
        for pointer, (before, after) in event.slots.items():
            assert (before, after) == (state.slots.get(pointer), following.slots.get(pointer))
            assert before != after
        untouched = set(state.slots) - set(event.slots)
        assert all(state.slots[pointer] == following.slots[pointer] for pointer in untouched)
        state = following
    assert state == bench.state


def test_an_event_says_who_when_under_which_rules_and_why() -> None:
    """H1: ticket-type version, and the cause with verdict, values, source and reason."""
    bench = busy()
    decision = bench.events[3]
    assert (decision.version, decision.kind, decision.actor.name, decision.ticket_type_version) == (4, "decision", "Ana", 1)
    accepted, rejected = decision.cause["changes"]
    assert accepted["id"] in bench.changes
    assert {key: accepted[key] for key in ("decision", "pointer", "op", "verdict", "code", "source", "value")} == {
        "decision": "accepted", "pointer": P, "op": "add", "verdict": "allowed", "code": "allowed.first_value",
        "source": "customer", "value": "chão",
    }  # fmt: skip
    assert sorted(accepted["cascade"]) == [C1, A]
    assert (rejected["decision"], rejected["pointer"], rejected["reason"]) == ("rejected", B, "não foi dito")
    resolution = next(event for event in bench.events if event.kind == "resolution")
    assert (resolution.actor.name, resolution.cause["reason"]) == ("Sara", "conferido por telefone")
    assert (resolution.cause["was"], resolution.cause["value"]) == ("suposto", "outro")
    times = [event.at for event in bench.events]
    assert times == sorted(times)


def test_an_edit_keeps_what_was_proposed_and_its_reason() -> None:
    """H1, contract: "the proposed value stays in history"."""
    edited = next(
        entry
        for event in busy().events
        for entry in event.cause.get("changes", ())
        if isinstance(entry, dict) and entry["decision"] == "edited"
    )
    assert (edited["proposed"], edited["value"], edited["reason"]) == ("mall escrito", "mal escrito", "grafia")


def test_an_events_patch_is_rfc_6902_and_survives_being_stored() -> None:
    """H1: nothing is lost between an event and its record, null and absent kept apart."""
    for event in busy().events:
        record = json.loads(json.dumps(event_to_record(event)))
        back = event_from_record(record)
        assert replace(back, actor=event.actor) == event  # permissions are not part of the record
        for operation in record["content"]["patch"]:
            assert set(operation) == ({"op", "path"} if operation["op"] == "remove" else {"op", "path", "value"})


# --- H2 -----------------------------------------------------------------------------------------------------------


def stored(events: list[Event], ticket: str = TICKET) -> list[StoredEvent]:
    """The rows of a log, as they are written."""
    rows, previous = [], GENESIS
    for event in events:
        record = json.loads(json.dumps(event_to_record(event)))
        salt = bytes([event.version]) * 16
        digest = content_digest(record["content"], salt)
        own = chain_hash(previous, ticket, record, digest)
        rows.append(StoredEvent(record, salt, digest, previous, own))
        previous = own
    return rows


def erased(row: StoredEvent) -> StoredEvent:
    return replace(row, record={**row.record, "content": None}, salt=None)


def test_an_untouched_log_verifies() -> None:
    """H2."""
    assert verify_chain(TICKET, stored(busy().events)) == []
    assert verify_chain(TICKET, []) == []


def _with(**changes: Any) -> Callable[[StoredEvent], StoredEvent]:
    return lambda row: replace(row, record={**row.record, **changes})


def _content(key: str, value: Any) -> Callable[[StoredEvent], StoredEvent]:
    return lambda row: replace(row, record={**row.record, "content": {**row.record["content"], key: value}})


def _later(row: StoredEvent) -> StoredEvent:
    at = datetime.fromisoformat(row.record["at"]) + timedelta(seconds=1)
    return replace(row, record={**row.record, "at": at.isoformat()})


def _other_salt(row: StoredEvent) -> StoredEvent:
    return replace(row, salt=b"another salt, as long")


TAMPERINGS: dict[str, Callable[[StoredEvent], StoredEvent]] = {
    "version": _with(version=40),
    "kind": _with(kind="ticket_type_changed"),
    "actor": _with(actor={"member": "member-x", "name": "Ana"}),
    "actor's name": _with(actor={"member": "member-ana", "name": "Outra"}),
    "time": _later,
    "ticket type": _with(ticket_type_version=2),
    "patch": _content("patch", [{"op": "add", "path": P, "value": "falso"}]),
    "inverse": _content("inverse", [{"op": "remove", "path": B}]),
    "slots": _content("slots", {}),
    "touched": _content("touched", ["/facts/zzz"]),
    "cause": _content("cause", {}),
    "no content": _with(content=None),
    "salt": _other_salt,
    "no salt": lambda row: replace(row, salt=None),
    "digest": lambda row: replace(row, digest="f" * 64),
    "predecessor": lambda row: replace(row, previous="f" * 64),
    "hash": lambda row: replace(row, hash="f" * 64),
}


@pytest.mark.parametrize("place", [0, 3, -1], ids=["first", "middle", "last"])
@pytest.mark.parametrize("column", TAMPERINGS)
def test_every_column_of_a_row_is_guarded_and_tampering_is_located(column: str, place: int) -> None:
    """H2: the first finding names the row that was changed, by its place in the chain."""
    rows = stored(busy().events)
    version = rows[place].record["version"]
    tampered = TAMPERINGS[column](rows[place])
    assert tampered != rows[place]
    rows[place] = tampered
    found = verify_chain(TICKET, rows)
    assert found, f"{column} can be changed unseen"
    assert found[0].version == version


def test_content_rewritten_with_its_own_digest_is_still_found() -> None:
    """H2: who mends the digest breaks the row's hash; who mends that too breaks the next row's link."""
    rows = stored(busy().events)
    content = {**rows[3].record["content"], "cause": {"changes": []}}
    record = {**rows[3].record, "content": content}
    digest = content_digest(content, rows[3].salt or b"")
    rows[3] = StoredEvent(record, rows[3].salt, digest, rows[3].previous, rows[3].hash)
    assert verify_chain(TICKET, rows)[0] == Tampering(4, "hash")
    rows[3] = replace(rows[3], hash=chain_hash(rows[3].previous, TICKET, record, digest))
    assert verify_chain(TICKET, rows) == [Tampering(5, "previous")]


@pytest.mark.parametrize("place", [0, 3, 5])
def test_a_missing_a_doubled_and_a_moved_row_are_found(place: int) -> None:
    """H2: where the chain breaks is said."""
    rows = stored(busy().events)
    version = place + 1
    assert verify_chain(TICKET, rows[:place] + rows[place + 1 :])[0].version == version
    assert verify_chain(TICKET, rows[: place + 1] + rows[place:])[0].version == version + 1
    swapped = [*rows]
    swapped[place], swapped[place + 1] = rows[place + 1], rows[place]
    assert verify_chain(TICKET, swapped)[0].version == version


def test_a_log_belongs_to_its_ticket() -> None:
    """H2: rows copied to another ticket do not verify there, not even the first."""
    rows = stored(busy().events)
    assert [finding.version for finding in verify_chain("ticket-2", rows)] == [row.record["version"] for row in rows]


@pytest.mark.parametrize("places", [[0], [3], [-1], list(range(10))])
def test_erased_content_leaves_the_chain_valid(places: list[int]) -> None:
    """H2: content and salt go, digest and hashes stay."""
    rows = stored(busy().events)
    for place in places:
        rows[place] = erased(rows[place])
    assert verify_chain(TICKET, rows) == []


@pytest.mark.parametrize("column", ["version", "kind", "actor", "time", "ticket type", "digest", "predecessor", "hash"])
def test_the_header_of_an_erased_row_is_still_guarded(column: str) -> None:
    """H2: erasure is no licence to change who did what, and when."""
    rows = stored(busy().events)
    rows[3] = TAMPERINGS[column](erased(rows[3]))
    assert verify_chain(TICKET, rows)[0].version == 4


def test_a_salt_that_outlives_its_content_is_found() -> None:
    """H2: it would let an erased value be guessed from the digest."""
    rows = stored(busy().events)
    rows[3] = replace(erased(rows[3]), salt=rows[3].salt)
    assert verify_chain(TICKET, rows) == [Tampering(4, "content")]


def test_the_same_content_has_another_digest_under_another_salt() -> None:
    """H2: equal events cannot be told from their digests; equal documents, however their keys are ordered, can be."""
    content = event_to_record(busy().events[0])["content"]
    turned = dict(reversed(content.items()))
    assert content_digest(content, b"a") != content_digest(content, b"b")
    assert content_digest(content, b"a") == content_digest(turned, b"a")


# --- H3 -----------------------------------------------------------------------------------------------------------


def test_replaying_the_stored_events_gives_the_projection_exactly() -> None:
    """H3: values, slots, version, and the ids that were given."""
    bench = busy()
    records = [json.loads(json.dumps(event_to_record(event))) for event in bench.events]
    projection = state_from_json(json.loads(json.dumps(state_to_json(bench.state))))
    assert replay(map(event_from_record, records)) == projection == bench.state


def test_every_version_can_be_reached_from_either_end() -> None:
    """H3: forward from nothing, or back from the present."""
    bench = busy()
    state = bench.state
    for event in reversed(bench.events):
        state = state.rewind(event)
        forward = replay(bench.events[: event.version - 1])
        assert (state.version, state.values, state.slots) == (forward.version, forward.values, forward.slots)
    assert state.values == State().values


def test_replay_goes_on_from_any_version() -> None:
    """H3."""
    bench = busy()
    middle = replay(bench.events[:5])
    assert replay(bench.events[5:], middle) == bench.state


def test_older_states_are_not_touched_by_later_events() -> None:
    """H3: versions share their parts and none writes into another's."""
    bench = Bench(make_type({A: a_field(), B: a_field()}))
    seen = []
    for number in range(5):
        take(bench, "customer", A if number % 2 else B, f"valor {number}")
        seen.append((bench.state, json.dumps(state_to_json(bench.state))))
    assert all(json.dumps(state_to_json(state)) == text for state, text in seen)
