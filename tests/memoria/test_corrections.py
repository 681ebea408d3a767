"""Corrections (rules C1 to C4): what replaces what, and what is withdrawn without a new value."""

from __future__ import annotations

import pytest

from memoria.patch import MISSING
from memoria.state import Replaced, replay
from tests.memoria.bench import Bench, a_field, a_type
from tests.memoria.steps import take, tell

A = "/facts/a"


def test_a_correction_replaces_the_value_and_names_the_version_that_gave_the_old_one() -> None:
    """C1: `replaces.version` is the old `since_version`, not the version before this one."""
    bench = Bench()
    take(bench, "customer", A, "Torre")
    bench.reject(tell(bench, "customer", A, "nada feito"))  # version 2 has nothing to do with it
    take(bench, "customer", A, "Graças")
    slot = bench.slot(A)
    assert bench.value(A) == "Graças"
    assert slot.since_version == 3
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value) == (1, "Torre")  # wrong: version 2
    assert [item.message for item in slot.replaces.evidence] == ["m-1"]


def test_the_chain_of_corrections_can_be_walked_to_the_first_value() -> None:
    """C1: each link leads to the state at `version`, whose slot holds the next link."""
    bench = Bench()
    for value in ("um", "dois", "três"):
        take(bench, "customer", A, value)
    walked, link = [bench.value(A)], bench.slot(A).replaces
    while link is not None:
        walked.append(link.value)
        link = replay(bench.events[: link.version]).slots[A].replaces
    assert walked == ["três", "dois", "um"]


def test_a_first_value_replaces_nothing() -> None:
    """C1."""
    bench = Bench()
    take(bench, "customer", A, "Torre")
    assert bench.slot(A).replaces is None


def test_a_value_after_a_withdrawal_links_to_the_withdrawal_and_leaves_its_value_out() -> None:
    """C1: `value` is left out where none was held, which is not null."""
    bench = Bench()
    take(bench, "customer", A, "Torre")
    take(bench, "customer", A)
    take(bench, "customer", A, "Graças")
    link = bench.slot(A).replaces
    assert isinstance(link, Replaced)
    assert link.version == 2
    assert link.value is MISSING  # wrong: null, or the value before the withdrawal
    assert [item.message for item in link.evidence] == ["m-2"]


def test_not_this_without_a_new_value_withdraws_and_invents_nothing() -> None:
    """C2: the slot is open, `replaces` holds the old value, and nothing stands in the values."""
    bench = Bench()
    take(bench, "customer", A, "amanhã")
    take(bench, "customer", A, text="desculpe, retiro o que disse")
    slot = bench.slot(A)
    assert bench.status(A) == "open"
    assert bench.value(A) is MISSING  # wrong: null or an empty text
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value) == (1, "amanhã")
    assert slot.since_version == 2  # the version that withdrew it
    assert [item.message for item in slot.evidence] == ["m-2"]
    assert slot.source == "customer"


def test_staff_withdraw_by_setting_no_value() -> None:
    """C2 by E9."""
    bench = Bench()
    take(bench, "customer", A, "amanhã")
    bench.put(A)
    assert (bench.status(A), bench.value(A), bench.slot(A).source) == ("open", MISSING, "agent")


def test_what_is_withdrawn_twice_is_withdrawn_once() -> None:
    """C2, P3: a second withdrawal adds its words and moves neither value nor link."""
    bench = Bench()
    take(bench, "customer", A, "amanhã")
    take(bench, "customer", A)
    again = tell(bench, "customer", A)
    assert again.judgement.verdict == "no_change"
    bench.accept(again)
    slot = bench.slot(A)
    assert (bench.status(A), slot.since_version) == ("open", 2)
    assert slot.replaces is not None
    assert slot.replaces.value == "amanhã"


def test_the_withdrawn_value_does_not_come_back_from_its_old_words() -> None:
    """C2, P7: the message that gave the value is older than the one that withdrew it."""
    bench = Bench()
    take(bench, "customer", A, "amanhã")
    take(bench, "customer", A)
    again = bench.one("add", A, "amanhã", ("m-1", "amanhã"))
    assert again.judgement.code == "evidence.older_than_current"


def test_one_pointer_never_holds_two_values() -> None:
    """C3: a value that is corrected is gone from the values; it lives in `replaces` alone."""
    bench = Bench(a_type({A: a_field("customer", tie="conflict")}))
    take(bench, "customer", A, "Torre", name="Rui")
    take(bench, "customer", A, "Graças", name="Eva")  # a tie: recorded beside the value
    slot = bench.slot(A)
    assert bench.value(A) == "Torre"
    assert [challenger.value for challenger in slot.challengers] == ["Graças"]
    assert bench.status(A) == "conflict"  # wrong: current with two values
    bench.resolve(A, "challenger", challenger=0)
    assert (bench.value(A), bench.status(A), bench.slot(A).challengers) == ("Graças", "current", ())


@pytest.mark.parametrize("options", [["a geladeira", "o fogão"], ["a entrega de segunda", "a de sexta", "a de sábado"]])
def test_an_unclear_correction_becomes_a_question_and_chooses_no_value(options: list[str]) -> None:
    """C4: a pending item with the options; the fields stay as they are."""
    bench = Bench()
    take(bench, "customer", A, "quinta")
    before = (bench.value(A), bench.slot(A))
    question = {"question": "Qual delas mudou?", "options": options}
    take(bench, "customer", "/pending/-", question, text="a entrega mudou para segunda")
    assert bench.value("/pending/p-1") == {**question, "status": "open"}
    assert (bench.value(A), bench.slot(A)) == before
