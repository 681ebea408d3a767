"""V7: a rejected change is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING, Json
from memoria.proposals import Change, Statement, Status
from memoria.review import Edit, Rejection, judge
from tests.memoria.bench import Bench, Held, a_field, a_type, cite

REMEMBERED = "change.previously_rejected"
ANY: Json = True
TEXT = "moro no Derby, perto da praça"


def desk() -> Bench:
    bench = Bench(a_type({"/facts/a": a_field("customer", "agent", schema=ANY), "/facts/b": a_field("customer", schema=ANY)}))
    bench.say("customer", TEXT, "Íris")
    bench.say("customer", "repito: no Derby", "Íris")
    return bench


def outcome(held: Held) -> str:
    return held.judgement.code.value if held.judgement.refused else held.judgement.verdict.value


def rejected(value: Json = "Derby", op: str = "add", path: str = "/facts/a", *quotes: Any) -> Bench:
    bench = desk()
    if op == "remove":
        bench.put("/facts/a", "Torre")
        bench.say("customer", TEXT, "Íris")
        quotes = (("m-3", TEXT),)
    bench.reject(bench.one(op, path, value, *(quotes or (("m-1", TEXT),))), reason="não é isso")
    return bench


def test_the_same_change_on_the_same_message_comes_back_as_refused() -> None:
    """V7: `change.previously_rejected`, and it is never pending."""
    bench = rejected()
    held = bench.one("add", "/facts/a", "Derby", ("m-1", TEXT))
    assert outcome(held) == REMEMBERED
    assert held.judgement.reasons[0].rule == "V7"
    assert held.status is Status.REFUSED


@pytest.mark.parametrize("producer", ["model", "another"])
def test_whoever_proposes_it_again(producer: str) -> None:
    """V7: the rejection is of the change, not of its producer."""
    bench = rejected()
    again = Change("add", "/facts/a", "Derby", cite(("m-1", TEXT)))
    assert outcome(bench.propose(again, producer=producer)[0]) == REMEMBERED


def test_add_and_replace_are_one_operation_here() -> None:
    """V7: models mix them up."""
    assert outcome(rejected(op="add").one("replace", "/facts/a", "Derby", ("m-1", TEXT))) == REMEMBERED
    assert outcome(rejected(op="replace").one("add", "/facts/a", "Derby", ("m-1", TEXT))) == REMEMBERED


@pytest.mark.parametrize(
    ("value", "again", "same"),
    [
        ("São José", "Sa\u0303o Jose\u0301", True),
        ("“Boa  Vista”", '"Boa Vista"', True),
        ("Boa Vista", " Boa\u00a0Vista\u200e ", True),
        ("Derby", "derby", False),  # as in E3: case counts
        ("São José", "Sao José", False),
        ("Derby", "Derby.", False),
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        (None, "None", False),
        (["a…", {"b": "c–d"}], ["a...", {"b": "c-d"}], True),
        (["a", "b"], ["b", "a"], False),
        (["a,b"], ["a", "b"], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": "1"}, {"a": 1}, False),
        ([], {}, False),
        ("", [], False),
    ],
)
def test_values_are_compared_as_json_and_their_texts_as_in_e3(value: Json, again: Json, same: bool) -> None:
    """V7: `the same … value`."""
    held = rejected(value).one("add", "/facts/a", again, ("m-1", TEXT))
    assert outcome(held) == (REMEMBERED if same else "allowed")


def test_another_quote_of_the_same_message_is_no_new_evidence() -> None:
    """V7: `resting on the same primary message`; further items beside it neither."""
    bench = rejected()
    assert outcome(bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby"))) == REMEMBERED
    assert outcome(bench.one("add", "/facts/a", "Derby", ("m-1", TEXT), ("m-2", "no Derby"))) == REMEMBERED


def test_new_evidence_makes_it_a_new_change() -> None:
    """V7: another primary message, although the rejected one is cited beside it."""
    bench = rejected()
    assert outcome(bench.one("add", "/facts/a", "Derby", ("m-2", "no Derby"))) == "allowed"
    assert outcome(bench.one("add", "/facts/a", "Derby", ("m-2", "no Derby"), ("m-1", TEXT))) == "allowed"


def test_another_pointer_or_another_operation_is_another_change() -> None:
    """V7."""
    assert outcome(rejected().one("add", "/facts/b", "Derby", ("m-1", TEXT))) == "allowed"
    bench = rejected(MISSING, "remove")
    assert outcome(bench.one("replace", "/facts/a", "Derby", ("m-3", TEXT))) == "allowed"
    assert outcome(bench.one("remove", "/facts/a", MISSING, ("m-3", TEXT))) == REMEMBERED
    assert outcome(bench.one("remove", "/facts/a", "Derby", ("m-3", TEXT))) == REMEMBERED  # a removal has no value


def test_an_inference_of_the_same_is_the_same() -> None:
    """V7: operation, pointer, value and primary message are all that counts."""
    change = Change("add", "/facts/a", "Derby", cite(("m-1", TEXT)))
    guess = Change("add", "/facts/a", "Derby", cite(("m-1", "no Derby")), inference=True, reason="parece")
    assert Rejection.of(change) == Rejection.of(guess)
    assert Rejection.of(change) != Rejection.of(Change("add", "/facts/a", "Derby", cite(("m-2", "no Derby"))))


def test_a_new_member_that_was_rejected_is_remembered_too() -> None:
    """V7: the pointer is the proposal's `/-`."""
    value: Json = {"text": "perto da praça"}
    bench = rejected(value, "add", "/constraints/-")
    assert outcome(bench.one("add", "/constraints/-", value, ("m-1", TEXT))) == REMEMBERED
    assert outcome(bench.one("add", "/constraints/-", {"text": "no Derby"}, ("m-1", TEXT))) == "allowed"


def test_it_holds_for_proposals_and_not_for_what_staff_set() -> None:
    """V7: a person may change their mind."""
    bench = rejected()
    change = Change("add", "/facts/a", "Derby", cite(("m-1", TEXT)))
    remembered = [Rejection.of(change)]
    assert judge(bench.state, change, bench.desk(), rejected=remembered).code == REMEMBERED
    assert not judge(bench.state, change, bench.desk(), rejected=remembered, statement=Statement()).refused
    bench.put("/facts/a", "Derby", evidence=change.evidence)
    assert bench.value("/facts/a") == "Derby"


def test_it_holds_as_proposals_arrive_and_not_for_what_was_pending() -> None:
    """V7: the same change of another producer, pending since before, may still be accepted, or edited into."""
    bench = desk()
    change = Change("add", "/facts/a", "Derby", cite(("m-1", TEXT)))
    first = bench.propose(change)[0]
    second = bench.propose(change, producer="another")[0]
    third = bench.propose(Change("add", "/facts/b", "Torre", cite(("m-1", TEXT))), producer="another")[0]
    bench.reject(first)
    bench.accept(second)
    assert bench.value("/facts/a") == "Derby"
    bench.reject(bench.one("add", "/facts/b", "Pina", ("m-1", TEXT)))
    bench.accept(third, edit=Edit("Pina"))
    assert bench.value("/facts/b") == "Pina"


def test_a_change_that_was_only_superseded_or_refused_is_not_remembered() -> None:
    """V7: only what a person rejected."""
    bench = desk()
    bench.one("add", "/facts/a", "Derby", ("m-1", TEXT))
    bench.one("add", "/facts/a", "Torre", ("m-1", TEXT))
    assert outcome(bench.one("add", "/facts/a", "Derby", ("m-1", TEXT))) == "allowed"


def test_an_undone_rejection_is_forgotten() -> None:
    """V7, H4: it is pending again, and so is the same change when it comes back."""
    bench = desk()
    held = bench.one("add", "/facts/a", "Derby", ("m-1", TEXT))
    bench.undo(bench.reject(held))
    assert held.status is Status.PENDING
    assert outcome(bench.propose(held.change, producer="another")[0]) == "allowed"


def test_a_rejection_makes_a_version_and_writes_nothing() -> None:
    """V1: the decision is kept with its reason; values and slots stay."""
    bench = rejected()
    assert bench.state.version == 1
    assert bench.events[-1].patch == ()
    assert dict(bench.state.slots) == {}
    (entry,) = bench.events[-1].cause["changes"]
    assert (entry["decision"], entry["reason"], entry["pointer"], entry["value"]) == (
        "rejected",
        "não é isso",
        "/facts/a",
        "Derby",
    )
