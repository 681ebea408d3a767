"""Section 2: what the members of the collections look like, and who gives them their ids."""

from __future__ import annotations

import pytest

from memoria.patch import MISSING, Json
from memoria.proposals import Change
from tests.memoria.bench import Bench, a_field, a_type, cite
from tests.memoria.test_pointers_and_values import TASK, WORDS, furnished

INVALID = "schema.invalid_value"
REFERENCE = {"applies_to": ["/facts/bairro", "commitments:visit"]}


def desk() -> Bench:
    bench = Bench(a_type({"/facts/bairro": a_field()}))
    bench.say("agent", WORDS)
    bench.say("customer", WORDS)
    return bench


def verdict(collection: str, value: Json) -> str:
    author = "m-2" if collection == "authorizations" else "m-1"
    judgement = desk().one("add", f"/{collection}/-", value, (author, WORDS)).judgement
    return judgement.code.value if judgement.refused else judgement.verdict.value


GOOD: list[tuple[str, dict[str, Json]]] = [
    ("commitments", TASK),
    ("commitments", TASK | {"owner": "Eletro Sul", "due": "2026-03-12", "due_text": "no dia 12", "kind": "visit"}),
    ("commitments", TASK | {"due": None, "due_text": None, "kind": None, "reopens": None}),
    ("commitments", TASK | {"owner": "third_party", "status": "in_progress"}),
    ("pending", {"question": "qual dia?"}),
    ("pending", {"question": "qual dia?", "options": ["12", "13"], "status": "withdrawn"}),
    ("constraints", {"text": "avisar"}),
    ("constraints", {"text": "avisar", **REFERENCE}),
    ("decisions", {"text": "mandar o técnico", "reason": "garantia", **REFERENCE}),
    ("authorizations", {"action": "execute", "scope": "mandar o técnico", "status": "revoked"}),
    ("attempts", {"action": "reiniciar", "by": "customer", "status": "failed", "result": "não ligou"}),
    ("attempts", {"action": "reiniciar", "result": None}),
]
BAD: list[tuple[str, Json]] = [
    ("commitments", {"task": "ligar"}),
    ("commitments", {"owner": "team"}),
    ("commitments", TASK | {"task": ""}),
    ("commitments", TASK | {"task": 1}),
    ("commitments", TASK | {"owner": None}),
    ("commitments", TASK | {"status": "open"}),
    ("commitments", TASK | {"status": None}),
    ("commitments", TASK | {"status": ["done"]}),
    ("commitments", TASK | {"kind": "refund"}),  # not one of this ticket type's kinds
    ("commitments", TASK | {"due": "sexta"}),
    ("commitments", TASK | {"due_text": 12}),
    ("commitments", TASK | {"reopens": 1}),
    ("commitments", TASK | {"priority": "high"}),
    ("commitments", "ligar"),
    ("commitments", None),
    ("commitments", []),
    ("pending", {}),
    ("pending", {"question": "qual dia?", "options": "12"}),
    ("pending", {"question": "qual dia?", "status": "requested"}),
    ("pending", {"question": "qual dia?", "applies_to": []}),
    ("constraints", {"applies_to": []}),
    ("constraints", {"text": "avisar", "reason": "porque sim"}),  # a decision has a reason, a constraint none
    ("constraints", {"text": "avisar", "status": "open"}),
    ("constraints", {"text": "avisar", "applies_to": ["/facts/cidade"]}),
    ("constraints", {"text": "avisar", "applies_to": ["commitments:refund"]}),
    ("constraints", {"text": "avisar", "applies_to": ["commitments"]}),
    ("constraints", {"text": "avisar", "applies_to": ["/commitments/c-1"]}),
    ("constraints", {"text": "avisar", "applies_to": "/facts/bairro"}),
    ("decisions", {"reason": "garantia"}),
    ("decisions", {"text": "avisar", "due": None}),
    ("authorizations", {"action": "contact"}),
    ("authorizations", {"scope": "ligar"}),
    ("authorizations", {"action": "visit", "scope": "ligar"}),
    ("authorizations", {"action": ["contact"], "scope": "ligar"}),
    ("authorizations", {"action": "contact", "scope": "ligar", "status": "denied"}),
    ("attempts", {"by": "customer"}),
    ("attempts", {"action": "reiniciar", "by": "agent"}),
    ("attempts", {"action": "reiniciar", "by": "Ana"}),
    ("attempts", {"action": "reiniciar", "status": "done"}),
    ("attempts", {"action": "reiniciar", "result": 1}),
]


@pytest.mark.parametrize(("collection", "value"), GOOD)
def test_a_member_may_hold_what_its_collection_names(collection: str, value: Json) -> None:
    """2: members of the collections."""
    assert verdict(collection, value) == "allowed"


@pytest.mark.parametrize(("collection", "value"), BAD)
def test_a_member_holds_nothing_else(collection: str, value: Json) -> None:
    """2: what must be there, and `no other members (schema.invalid_value)`."""
    assert verdict(collection, value) == INVALID


@pytest.mark.parametrize(
    ("collection", "value", "stored"),
    [
        ("commitments", TASK, {**TASK, "status": "requested", "due": None, "due_text": None, "kind": None}),
        ("pending", {"question": "qual dia?"}, {"question": "qual dia?", "status": "open"}),
        ("constraints", {"text": "avisar"}, {"text": "avisar"}),
        ("decisions", {"text": "avisar"}, {"text": "avisar"}),
        (
            "authorizations",
            {"action": "contact", "scope": "ligar"},
            {"action": "contact", "scope": "ligar", "status": "granted"},
        ),
        ("attempts", {"action": "reiniciar"}, {"action": "reiniciar", "status": "tried"}),
    ],
)
def test_a_status_left_out_is_the_collections_first_one(collection: str, value: Json, stored: Json) -> None:
    """2: `requested`, `open`, `granted`, `tried` where left out."""
    bench = desk()
    author = "m-2" if collection == "authorizations" else "m-1"
    bench.accept(bench.one("add", f"/{collection}/-", value, (author, WORDS)))
    (made,) = bench.state.values[collection].values()
    assert made == stored


def test_ids_are_minted_in_the_order_in_which_the_decision_names_its_changes() -> None:
    """2: the `-` is resolved when applied, not when proposed."""
    bench = desk()
    first, second = (bench.one("add", "/commitments/-", TASK | {"task": task}, ("m-1", WORDS)) for task in ("ligar", "avisar"))
    bench.decide([second, first])
    assert bench.value("/commitments/c-1/task") == "avisar"
    assert bench.value("/commitments/c-2/task") == "ligar"


def test_each_collection_has_its_own_letter_and_counts_for_itself() -> None:
    """2: `c-1`, `p-1`, `k-1`, `d-1`, `a-1`, `t-1`."""
    values = furnished().state.values
    made = [(name, next(iter(values[name]))) for name in ("commitments", "pending", "constraints")]
    made += [(name, next(iter(values[name]))) for name in ("decisions", "authorizations", "attempts")]
    assert made == [
        ("commitments", "c-1"),
        ("pending", "p-1"),
        ("constraints", "k-1"),
        ("decisions", "d-1"),
        ("authorizations", "a-1"),
        ("attempts", "t-1"),
    ]


def test_no_id_is_given_twice_not_after_an_undo_nor_after_a_removal_either() -> None:
    """2: an id that a person has read means one thing for ever."""
    bench = desk()
    held = bench.one("add", "/constraints/-", {"text": "avisar"}, ("m-1", WORDS))
    bench.undo(bench.accept(held))
    bench.accept(held)
    assert list(bench.state.values["constraints"]) == ["k-2"]
    bench.put("/constraints/k-2")
    bench.put("/constraints/-", {"text": "ligar"})
    assert list(bench.state.values["constraints"]) == ["k-3"]


def test_a_member_has_one_slot_and_its_status_and_due_get_their_own_with_their_first_change() -> None:
    """2: `/commitments/c-1`, then `/commitments/c-1/status` and `/commitments/c-1/due`."""
    bench = desk()
    bench.accept(bench.one("add", "/commitments/-", TASK, ("m-1", WORDS)))
    assert set(bench.state.slots) == {"/commitments/c-1"}
    bench.accept(bench.one("replace", "/commitments/c-1/status", "in_progress", ("m-1", WORDS)))
    assert set(bench.state.slots) == {"/commitments/c-1", "/commitments/c-1/status"}
    bench.accept(bench.one("replace", "/commitments/c-1/due", "2026-03-12", ("m-1", "no dia 12")))
    assert set(bench.state.slots) == {"/commitments/c-1", "/commitments/c-1/status", "/commitments/c-1/due"}


def test_a_withdrawn_member_leaves_the_document_and_its_slot_is_open() -> None:
    """2, C2: what was withdrawn is not there; its pointer is known no more."""
    bench = furnished()
    removal = Change("remove", "/constraints/k-1", MISSING, cite(("m-1", WORDS)))
    bench.accept(*bench.propose(removal))
    assert bench.state.values["constraints"] == {}
    assert bench.status("/constraints/k-1") == "open"
    assert bench.propose(removal)[0].judgement.code == "schema.unknown_path"
