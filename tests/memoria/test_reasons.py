"""Section 4: what a verdict's reason says, in full: the card's sentence is made of it (which voice, against which)."""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING
from memoria.proposals import Judgement
from tests.memoria.voices import desk, doubt, says, told

HELD = "m-1"  # the message that the held value rests on


def reason(judgement: Judgement) -> tuple[str, str, dict[str, Any]]:
    (spoken,) = judgement.reasons
    return spoken.code.value, spoken.rule, dict(spoken.data)


def against(source: str, held_by: str) -> dict[str, Any]:
    return {"source": source, "against": held_by, "replaced": HELD}


def test_of_a_first_value_its_source_is_told() -> None:
    """P2."""
    assert reason(says(desk(), "agent", "Derby").judgement) == ("allowed.first_value", "P2", {"source": "agent"})


def test_where_a_value_was_withdrawn_the_withdrawal_is_told() -> None:
    """P2."""
    bench = desk()
    told(bench, "registry", "Derby")
    told(bench, "registry", MISSING, op="remove")
    data = {"source": "customer", "against": "registry", "replaced": "m-2"}
    assert reason(says(bench, "customer", "Torre").judgement) == ("allowed.was_open", "P2", data)


def test_where_a_value_is_in_doubt_the_doubted_one_is_told() -> None:
    """P2."""
    bench = desk()
    told(bench, "registry", "Derby")
    doubt(bench)
    told_of = ("allowed.awaited_confirmation", "P2", against("customer", "registry"))
    assert reason(says(bench, "customer", "Torre").judgement) == told_of


@pytest.mark.parametrize(
    ("held_by", "kind", "name", "tie", "expected"),
    [
        ("customer", "agent", "outro", "latest", ("allowed.stronger_source", "P4")),
        ("agent", "agent", "Rui", "conflict", ("allowed.same_author", "P5")),
        ("agent", "agent", "outro", "latest", ("allowed.latest_of_equals", "P5")),
        ("agent", "agent", "outro", "conflict", ("source.tie", "P5")),
        ("agent", "customer", "outro", "latest", ("source.weaker", "P6")),
    ],
)
def test_of_two_voices_both_are_told_and_what_would_be_replaced(
    held_by: str, kind: str, name: str, tie: str, expected: tuple[str, str]
) -> None:
    """P4, P5, P6."""
    bench = desk(tie=tie)
    told(bench, held_by, "Derby", "Rui")
    assert reason(says(bench, kind, "Torre", name).judgement) == (*expected, against(kind, held_by))


def test_on_a_conflict_too_both_voices_are_told() -> None:
    """P5."""
    bench = desk()
    told(bench, "agent", "Derby", "Rui")
    told(bench, "customer", "Torre")
    assert reason(says(bench, "agent", "Pina", "outra").judgement) == ("source.tie", "P5", against("agent", "agent"))


def test_a_statement_without_a_message_replaces_none() -> None:
    """E9."""
    bench = desk()
    bench.put("/facts/a", "Derby")
    data = {"source": "registry", "against": "agent", "replaced": None}
    assert reason(says(bench, "registry", "Torre").judgement) == ("allowed.stronger_source", "P4", data)


def test_of_older_words_the_newer_message_is_told() -> None:
    """P7."""
    bench = desk()
    old = bench.say("customer", "moro no Derby")
    told(bench, "customer", "Torre")
    stale = bench.one("replace", "/facts/a", "Derby", (old, "moro no Derby"))
    assert reason(stale.judgement) == ("evidence.older_than_current", "P7", {"than": "m-2"})
