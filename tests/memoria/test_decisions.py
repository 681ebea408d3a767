"""Deciding once, together and never twice (rules V4 to V7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.errors import DomainError
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Citation
from tests.memoria.bench import RUI, SARA, Bench, Held, a_field, a_type, cite, code_of
from tests.memoria.steps import promise, take, tell

A, B = "/facts/a", "/facts/b"
TEXT = "mora em Torre, perto de Graças"


def two_fields(**row: Json) -> Bench:
    return Bench(a_type({A: a_field(**row), B: a_field()}))


def proposed(bench: Bench, *rows: tuple[str, str]) -> list[Held]:
    """Changes of one message that quote their value."""
    said = bench.say("customer", TEXT)
    return bench.propose(*(Change("add", path, value, cite((said, value))) for path, value in rows))


# --- V4 -----------------------------------------------------------------------------------------------------------

Decision = Callable[[Bench, list[Held]], int]
OTHER_QUOTE = cite(("m-1", "perto de Graças"))
DECISIONS: dict[str, Decision] = {
    "accept": lambda bench, held: bench.accept(held[0]),
    "accept, by another": lambda bench, held: bench.accept(held[0], actor=RUI),
    "accept, another version": lambda bench, held: bench.accept(held[0], expected=99),
    "an edit that changes nothing": lambda bench, held: bench.accept(held[0], edit=Edit("Torre")),
    "an edit that changes nothing, its evidence named": lambda bench, held: bench.accept(
        held[0], edit=Edit("Torre", held[0].change.evidence)
    ),
    "edit": lambda bench, held: bench.accept(held[0], edit=Edit("Graças")),
    "edit, its evidence named": lambda bench, held: bench.accept(held[0], edit=Edit("Graças", held[0].change.evidence)),
    "edit, other value": lambda bench, held: bench.accept(held[0], edit=Edit("mora")),
    "edit, other evidence": lambda bench, held: bench.accept(held[0], edit=Edit("Graças", OTHER_QUOTE)),
    "edit, a statement": lambda bench, held: bench.accept(held[0], edit=Edit("Graças", ())),
    "reject": lambda bench, held: bench.reject(held[0]),
    "reject, with a reason": lambda bench, held: bench.reject(held[0], reason="lugar errado"),
    "batch": lambda bench, held: bench.accept(*held),
    "batch, the other way round": lambda bench, held: bench.accept(*reversed(held)),
    "batch, one rejected": lambda bench, held: bench.decide(held[:1], held[1:]),
}
SAME: list[set[str]] = [
    {
        "accept",
        "accept, by another",
        "accept, another version",
        "an edit that changes nothing",
        "an edit that changes nothing, its evidence named",
    },
    {"edit", "edit, its evidence named"},
    {"edit, other value"},
    {"edit, other evidence"},
    {"edit, a statement"},
    {"reject", "reject, with a reason"},
]


@pytest.mark.parametrize("again", [name for name in DECISIONS if not name.startswith("batch")])
@pytest.mark.parametrize("first", [name for name in DECISIONS if not name.startswith("batch") and "another" not in name])
def test_the_same_decision_answers_the_first_result_and_a_different_one_is_refused(first: str, again: str) -> None:
    """V4: whoever asks again, at whatever version; an edit is the same when its value and evidence are."""
    bench = two_fields()
    held = proposed(bench, (A, "Torre"))
    version = DECISIONS[first](bench, held)
    bench.put(B, "outra coisa")
    state = bench.state
    if any({first, again} <= group for group in SAME):
        assert DECISIONS[again](bench, held) == version
    else:
        assert code_of(DECISIONS[again], bench, held) == "change.already_decided"
    assert bench.state == state


@pytest.mark.parametrize(
    ("first", "again", "same"),
    [
        ("batch", "batch", True),
        ("batch", "batch, the other way round", True),
        ("batch", "accept", True),  # the same decision on that change
        ("batch", "batch, one rejected", False),
        ("accept", "batch", False),  # the other one is still pending
        ("batch, one rejected", "batch, one rejected", True),
        ("batch, one rejected", "reject", False),
    ],
)
def test_a_batch_is_the_same_when_each_of_its_changes_was_so_decided_in_one_batch(first: str, again: str, same: bool) -> None:
    """V4."""
    bench = two_fields()
    held = proposed(bench, (A, "Torre"), (B, "Graças"))
    version = DECISIONS[first](bench, held)
    state = bench.state
    if same:
        assert DECISIONS[again](bench, held) == version
    else:
        assert code_of(DECISIONS[again], bench, held) == "change.already_decided"
    assert bench.state == state


def test_two_decisions_on_two_changes_are_no_batch() -> None:
    """V4: accepted one after the other, then asked for together."""
    bench = two_fields()
    held = proposed(bench, (A, "Torre"), (B, "Graças"))
    for item in held:
        bench.accept(item)
    assert code_of(bench.accept, *held) == "change.already_decided"


def test_an_edit_that_names_the_proposals_evidence_keeps_it_and_its_inference() -> None:
    """E9, V4: evidence of its own would make it no inference; the same evidence is not its own."""
    for evidence in (None, cite(("m-1", "em Torre"))):
        bench = two_fields(inference="flag")
        bench.say("customer", TEXT)
        held = bench.one("add", A, "Boa Viagem", ("m-1", "em Torre"), inference=True)
        bench.accept(held, edit=Edit("Casa Amarela", evidence))
        assert (bench.slot(A).source, bench.status(A)) == ("inference", "needs_confirmation")


def test_a_repetition_answers_though_the_value_has_changed_since() -> None:
    """V4: the first result, not the present state."""
    bench = two_fields()
    held = proposed(bench, (A, "Torre"))[0]
    assert bench.accept(held) == 1
    bench.put(A, "Casa Forte")
    assert bench.accept(held, expected=0) == 1
    assert bench.value(A) == "Casa Forte"


# --- V5 -----------------------------------------------------------------------------------------------------------


def test_a_batch_with_one_bad_change_writes_nothing() -> None:
    """V5: the second is refused by the time it is decided, so the first is not applied either."""
    bench = two_fields()
    first = tell(bench, "customer", B, "Torre")
    second = tell(bench, "customer", A, "Graças")
    bench.messages[2] = type(bench.messages[2])(2, bench.messages[2].author, "nada", bench.messages[2].said_at)
    before = bench.state
    assert code_of(bench.accept, first, second) == "evidence.quote_not_found"
    assert bench.state == before
    assert (first.status, second.status) == ("pending", "pending")
    bench.accept(first)


def test_a_batch_accepts_at_most_one_change_per_pointer() -> None:
    """V5: though the values be the same; rejecting one and accepting the other is fine."""
    bench = two_fields()
    held = proposed(bench, (A, "Torre"), (A, "Graças"), (B, "Torre"))
    with pytest.raises(DomainError) as refusal:
        bench.accept(held[0], held[2], held[1])
    assert (refusal.value.code, refusal.value.data["pointer"]) == ("decision.duplicate_pointer", A)
    assert bench.state.version == 0
    assert code_of(bench.accept, held[0], held[1], expected=99) == "decision.duplicate_pointer"  # before version.conflict
    bench.decide([held[0], held[2]], [held[1]])
    assert bench.value(A) == "Torre"


def test_a_batch_may_add_several_members() -> None:
    """V5: `/-` may come several times; ids go in the order in which the decision names its changes."""
    bench = two_fields()
    said = bench.say("agent", "ligo hoje e passo amanhã")
    rows = [("ligar", "ligo hoje"), ("passar", "passo amanhã")]
    held = bench.propose(
        *(Change("add", "/commitments/-", {"task": task, "owner": "team"}, cite((said, quote))) for task, quote in rows)
    )
    bench.accept(*reversed(held))
    assert [member["task"] for member in bench.value("/commitments").values()] == ["passar", "ligar"]


def test_a_refused_change_is_never_decided() -> None:
    """V5, section 4: `change.refused`, whatever is asked of it; the first in the order named is answered."""
    bench = two_fields()
    refused = bench.one("add", A, "Torre")
    fine = tell(bench, "customer", B, "Graças")
    for call in (bench.accept, bench.reject):
        assert code_of(call, refused) == "change.refused"
    assert code_of(bench.accept, fine, refused) == "change.refused"
    assert bench.state.version == 0


@pytest.mark.parametrize(("actor", "code"), [(RUI, "permission.denied"), (SARA, None)])
def test_an_override_needs_the_right(actor: Any, code: str | None) -> None:
    """P6 at the moment of deciding: nothing is written without it."""
    bench = Bench(a_type({A: a_field("registry", "customer")}))
    take(bench, "registry", A, "Torre")
    held = tell(bench, "customer", A, "Graças")
    if code is not None:
        assert code_of(bench.accept, held, override="comprovante", actor=actor) == code
        assert bench.state.version == 1
    else:
        bench.accept(held, override="comprovante", actor=actor)
        assert bench.events[-1].cause["changes"][0]["override"] == "comprovante"
        assert bench.value(A) == "Graças"


def test_an_override_is_another_decision_than_the_plain_accept_before_it() -> None:
    """V4: answering the first result would lose the supervisor's override and its reason without a word."""
    bench = Bench(a_type({A: a_field("registry", "customer")}))
    take(bench, "registry", A, "Torre")
    held = tell(bench, "customer", A, "Graças")
    recorded = bench.accept(held)
    assert code_of(bench.accept, held, override="comprovante", actor=SARA) == "change.already_decided"
    assert bench.accept(held) == recorded


def test_an_override_repeated_answers_the_first_result() -> None:
    """V4."""
    bench = Bench(a_type({A: a_field("registry", "customer")}))
    take(bench, "registry", A, "Torre")
    held = tell(bench, "customer", A, "Graças")
    taken = bench.accept(held, override="comprovante", actor=SARA)
    assert bench.accept(held, override="comprovante", actor=SARA) == taken
    assert bench.state.version == taken


# --- V6 -----------------------------------------------------------------------------------------------------------


def test_an_edited_message_makes_moot_what_cites_it_where_it_touches_the_pointer() -> None:
    """V6, E7: the event of an edit is a version like any other; it touched the pointer and left the change refused."""
    bench = two_fields()
    kept, moot, elsewhere = proposed(bench, (A, "Torre"), (A, "Graças"), (B, "Torre"))
    bench.accept(kept)
    bench.rewrite("m-1", "mora em outro lugar")
    assert moot.status.value == "superseded"
    assert elsewhere.status.value == "pending"  # its pointer was not touched; deciding it is refused by its quote
    assert code_of(bench.accept, elsewhere) == "evidence.quote_not_found"


@pytest.mark.parametrize(
    ("producer", "path", "good", "superseded"),
    [
        ("model", A, True, True),
        ("model", A, False, False),  # refused: it makes nothing moot
        ("other", A, True, False),
        ("model", B, True, False),
    ],
)
def test_a_later_proposal_by_the_same_producer_makes_a_pending_change_moot(
    producer: str, path: str, good: bool, superseded: bool
) -> None:
    """V6: on the same pointer, where it is not refused; deciding the moot one is `change.superseded`."""
    bench = two_fields()
    held = tell(bench, "customer", A, "Torre")
    said = bench.say("customer", "Graças")
    evidence = cite((said if good else "m-9", "Graças"))
    later = bench.propose(Change("replace", path, "Graças", evidence), producer=producer)[0]
    assert later.status == ("pending" if good else "refused")
    assert (held.status == "superseded") is superseded
    if superseded:
        for call in (bench.accept, bench.reject):
            assert code_of(call, held) == "change.superseded"


def test_changes_of_one_proposal_do_not_make_each_other_moot() -> None:
    """V6: "a later proposal"."""
    held = proposed(two_fields(), (A, "Torre"), (A, "Graças"))
    assert [item.status for item in held] == ["pending", "pending"]


def test_adds_to_a_collection_make_each_other_moot_only_by_what_comes_of_them() -> None:
    """V6: `/-` is no pointer that two proposals share."""
    bench = two_fields()
    said = bench.say("agent", "ligo hoje e passo amanhã")
    first = bench.one("add", "/commitments/-", {"task": "ligar", "owner": "team"}, (said, "ligo hoje"))
    other = bench.one("add", "/commitments/-", {"task": "passar", "owner": "team"}, (said, "passo amanhã"))
    twin = bench.one("add", "/commitments/-", {"task": "ligar", "owner": "team"}, (said, "ligo"))
    assert [item.status for item in (first, other, twin)] == ["pending"] * 3
    bench.accept(first)
    assert [item.status for item in (other, twin)] == ["pending", "superseded"]  # M7: no_change now


def test_a_version_that_touched_the_pointer_makes_a_refused_or_idle_change_moot() -> None:
    """V6: the older words are refused by P7, the same value changes nothing; what is still a change stays pending."""
    bench = two_fields()
    older, newer, same, still = (
        tell(bench, "customer", A, value, producer=f"p{number}")
        for number, value in enumerate(("Torre", "Graças", "Graças", "Casa Forte"))
    )
    bench.accept(newer)
    assert [item.status for item in (older, same, still)] == ["superseded", "superseded", "pending"]
    assert still.judgement.current_value == "Graças"


def test_what_was_proposed_as_no_change_is_not_made_moot_by_being_one() -> None:
    """V6: "where it was proposed as another"; its words may still be added."""
    bench = two_fields()
    take(bench, "customer", A, "Torre")
    held = tell(bench, "customer", A, "Torre", producer="p1")
    assert held.judgement.verdict == "no_change"
    bench.accept(tell(bench, "customer", A, "Torre", producer="p2"))
    assert held.status == "pending"


def test_a_version_that_did_not_touch_the_pointer_makes_nothing_moot() -> None:
    """V6, V2: refused by what happened elsewhere, it waits; deciding it says why."""
    bench = two_fields()
    promise(bench, due="2026-12-04")
    said = bench.say("tool", "fica para segunda")
    held = bench.one("replace", "/commitments/c-1/due", "2026-12-07", (said, "segunda"))
    bench.put("/commitments/c-1/status", "done")
    assert held.status == "pending"
    assert code_of(bench.accept, held) == "commitment.invalid_transition"


# --- V7 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "remembered"),
    [
        (Change("add", A, "em Torre", cite(("m-1", "em Torre"))), True),
        (Change("replace", A, "em Torre", cite(("m-1", "em Torre"))), True),
        (Change("add", A, " em\u00a0 Torre", cite(("m-1", "mora em Torre"))), True),
        (Change("add", A, "em Torre", (Citation("m-1", "em Torre", 5), Citation("m-2", "Torre"))), True),
        (Change("add", A, "em torre", cite(("m-1", "em Torre"))), False),
        (Change("add", A, "Graças", cite(("m-1", "Graças"))), False),
        (Change("add", B, "em Torre", cite(("m-1", "em Torre"))), False),
        (Change("remove", A, MISSING, cite(("m-1", "em Torre"))), False),
        (Change("add", A, "em Torre", cite(("m-2", "Torre"), ("m-1", "em Torre"))), False),
    ],
)
def test_a_rejected_change_does_not_come_back_without_new_evidence(change: Change, remembered: bool) -> None:
    """V7: operation, pointer, value (texts as in E3) and primary message; `add` and `replace` are one operation."""
    bench = two_fields()
    bench.reject(proposed(bench, (A, "em Torre"))[0])
    bench.say("customer", "isso, Torre")
    judgement = bench.propose(change)[0].judgement
    assert (judgement.refused and judgement.code == "change.previously_rejected") is remembered


def test_a_rejection_binds_proposals_and_not_staff() -> None:
    """V7: what staff set, or edit another change to, is theirs; an undone rejection is forgotten."""
    bench = two_fields()
    bench.reject(proposed(bench, (A, "Torre"))[0])
    bench.put(A, "Torre", evidence=cite(("m-1", "Torre")))
    assert bench.value(A) == "Torre"
    bench.undo(2)
    bench.undo(1)
    assert bench.propose(Change("add", A, "Torre", cite(("m-1", "Torre"))))[0].judgement.verdict == "allowed"


def test_a_remembered_withdrawal_has_no_value() -> None:
    """V7 for `remove`."""
    bench = two_fields()
    take(bench, "customer", A, "Torre")
    held = tell(bench, "customer", A, text="isso já não vale")
    bench.reject(held)
    assert bench.propose(held.change)[0].judgement.code == "change.previously_rejected"
    assert bench.propose(Change("add", A, "vale", held.change.evidence))[0].judgement.verdict == "allowed"
