"""Words from before a ground moved confirm nothing (rule K8)."""

from __future__ import annotations

import pytest

from memoria.state import Stale
from tests.memoria.bench import Bench, cite
from tests.memoria.steps import diamond, take, tell

P, LEFT, RIGHT, END = (f"/facts/{name}" for name in ("p", "left", "right", "end"))


@pytest.mark.parametrize("value", ["velho left", "outro"], ids=["same value", "other value"])
@pytest.mark.parametrize(("at", "status"), [(15, "needs_confirmation"), (25, "current")])
def test_words_older_than_the_moved_ground_confirm_nothing(value: str, at: int, status: str) -> None:
    """K8: whatever value they bring; the ground moved with words of minute 20, and so does the cause stay the same."""
    bench = Bench(diamond())
    take(bench, "customer", LEFT, "velho left", at=10)
    take(bench, "customer", P, "novo", at=20)
    held = tell(bench, "customer", LEFT, value, at=at)
    assert held.judgement.verdict != "refused"  # not older than the slot's own words (P7)
    bench.accept(held)
    assert bench.value(LEFT) == value
    assert bench.status(LEFT) == status
    assert bench.slot(LEFT).stale_because == (None if status == "current" else Stale(None, P, 2))


def test_the_message_that_moved_the_ground_is_not_older_than_it() -> None:
    """K8: what it says of the dependent is taken in a later decision, and holds."""
    bench = Bench(diamond())
    take(bench, "customer", LEFT, "velho")
    said = bench.say("customer", "unidade nova, sexta cedo")
    for pointer, value in ((P, "unidade nova"), (LEFT, "sexta cedo")):
        bench.accept(bench.one("add", pointer, value, (said, value)))
    assert (bench.value(LEFT), bench.status(LEFT)) == ("sexta cedo", "current")


@pytest.mark.parametrize("order", [1, -1])
def test_words_must_be_newer_than_every_ground_that_moved(order: int) -> None:
    """K8: of two causes the first is named, and words from between them confirm nothing."""
    bench = Bench(diamond())
    take(bench, "customer", END, "velho", at=1)
    held = [tell(bench, "customer", LEFT, "um", at=10), tell(bench, "customer", RIGHT, "dois", at=30)]
    bench.accept(*held[::order])
    take(bench, "customer", END, "velho", at=20)
    assert bench.status(END) == "needs_confirmation"
    take(bench, "customer", END, "velho", at=30)
    assert bench.status(END) == "current"


def test_after_old_words_the_doubt_still_asks_for_new_ones() -> None:
    """K8: a second old correction meets the same ground; a newer one ends the doubt."""
    bench = Bench(diamond())
    take(bench, "customer", LEFT, "velho", at=10)
    take(bench, "customer", P, "novo", at=20)
    for number, (at, status) in enumerate([(12, "needs_confirmation"), (14, "needs_confirmation"), (21, "current")]):
        take(bench, "customer", LEFT, f"valor {number}", at=at)
        assert bench.status(LEFT) == status


def test_a_stronger_voice_with_old_words_is_taken_and_still_in_doubt() -> None:
    """K8 holds for P4 too, and for a dependent in conflict."""
    bench = Bench(diamond())
    take(bench, "agent", LEFT, "velho", at=10)
    take(bench, "customer", LEFT, "outro", at=11)
    take(bench, "customer", P, "novo", at=20)
    take(bench, "tool", LEFT, "da agenda", at=5)
    slot = bench.slot(LEFT)
    assert (bench.value(LEFT), slot.status, slot.stale_because) == ("da agenda", "needs_confirmation", Stale(None, P, 3))
    assert slot.challengers == ()


def test_a_statement_is_made_now_whatever_it_cites() -> None:
    """K8, P7: setting the value, or confirming it, with words from before the ground moved ends the doubt."""
    bench = Bench(diamond())
    take(bench, "customer", LEFT, "velho", at=10)
    take(bench, "customer", P, "novo", at=20)
    bench.put(LEFT, "novo left", evidence=cite(("m-1", "velho")))
    assert bench.status(LEFT) == "current"
