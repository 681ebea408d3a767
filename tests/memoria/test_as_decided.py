"""What a decision asks for, as it would be applied (E6, E9), and what it says where it is none (P6, V2, V5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.decisions import Accept, Decided, Edit, Reject, as_decided, decide, first_answer, is_edit
from memoria.errors import DomainError
from memoria.judgement import Rejection
from memoria.patch import MISSING
from memoria.proposals import Change, Status
from tests.memoria.bench import START, Bench, a_field, a_type, cite
from tests.memoria.steps import tell

A, B = "/facts/a", "/facts/b"

CITED, OTHERS = cite(("m-1", "quinta")), cite(("m-2", "sexta"))
STARTS = cite(("m-1", "quinta", 4))
ADDED = Change("add", "/facts/a", "quinta", CITED, inference=True, reason="do modelo")
REMOVED = Change("remove", "/facts/a", MISSING, CITED, reason="do modelo")


@pytest.mark.parametrize(
    ("accept", "change", "edited", "stated"),
    [
        (Accept("h", ADDED), ADDED, False, False),
        (Accept("h", ADDED, starts=STARTS), replace(ADDED, evidence=STARTS), False, False),
        (Accept("h", ADDED, edit=Edit("quinta")), ADDED, False, False),
        (Accept("h", ADDED, edit=Edit("quinta", CITED, "grafia")), ADDED, False, False),
        (Accept("h", ADDED, edit=Edit("sexta", None, "grafia")), replace(ADDED, value="sexta", reason="grafia"), True, False),
        (Accept("h", ADDED, edit=Edit("sexta", CITED)), replace(ADDED, value="sexta", reason=None), True, False),
        (
            Accept("h", ADDED, edit=Edit("sexta", OTHERS, "grafia")),
            Change("add", "/facts/a", "sexta", OTHERS, inference=False, reason="grafia"),
            True,
            False,
        ),
        (
            Accept("h", ADDED, edit=Edit("sexta", (), "sei que é")),
            Change("add", "/facts/a", "sexta", (), inference=False, reason="sei que é"),
            True,
            True,
        ),
        (Accept("h", REMOVED), REMOVED, False, False),
        (
            Accept("h", REMOVED, edit=Edit("sexta")),
            Change("replace", "/facts/a", "sexta", CITED, reason=None),
            True,
            False,
        ),
        (
            Accept("h", REMOVED, edit=Edit("sexta", (), "sei que é")),
            Change("replace", "/facts/a", "sexta", (), reason="sei que é"),
            True,
            True,
        ),
    ],
)
def test_what_is_applied_is_the_proposal_or_what_the_edit_made_of_it(
    accept: Accept, change: Change, edited: bool, stated: bool
) -> None:
    """E6, E9: it keeps the proposal's inference where it keeps its evidence."""
    assert as_decided(accept) == (change, edited, stated)


def test_a_withdrawal_that_carries_a_value_is_still_a_withdrawal() -> None:
    """E9: to keep the value instead is an edit."""
    assert is_edit(Change("remove", "/facts/a", "quinta", CITED), Edit("quinta"))
    assert not is_edit(ADDED, Edit("quinta", CITED))
    assert is_edit(ADDED, Edit("quinta", OTHERS))


def test_who_may_not_override_is_told_by_which_rule() -> None:
    """P6."""
    bench = Bench()
    held = tell(bench, "customer", "/facts/a", "um")
    with pytest.raises(DomainError) as caught:
        bench.accept(held, override="porque sim")
    assert (caught.value.code.value, caught.value.rule, caught.value.data) == ("permission.denied", "P6", {})


def test_a_decision_that_writes_names_its_version_and_a_mere_rejection_need_not() -> None:
    """V2."""
    bench = Bench()
    held = tell(bench, "customer", "/facts/a", "um")
    with pytest.raises(ValueError, match=r"^a decision that writes names its version$"):
        decide(bench.state, [Accept(held.id, held.change)], [], bench.desk(), None)
    assert decide(bench.state, [], [Reject(held.id, held.change)], bench.desk(), None).version == 1


def test_a_batch_that_is_refused_names_the_change_and_what_was_wrong_with_it() -> None:
    """V5."""
    bench = Bench(a_type({A: a_field(), B: a_field()}))
    said = bench.say("customer", "mora em Torre, perto de Graças")
    one, other = (bench.one("add", path, value, (said, value)) for path, value in ((A, "Torre"), (B, "Graças")))
    bench.messages[1] = replace(bench.messages[1], text="mora em Torre")
    with pytest.raises(DomainError) as caught:
        bench.accept(one, other)
    reason = caught.value.reason
    assert (reason.code.value, reason.rule, reason.data) == (
        "evidence.quote_not_found", "E3", {"message": "m-1", "change": other.id},
    )  # fmt: skip


def test_a_pointer_named_twice_is_told() -> None:
    """V5."""
    bench = Bench(a_type({A: a_field(), B: a_field()}))
    one, other = tell(bench, "customer", A, "Torre"), tell(bench, "customer", A, "Graças", producer="outside")
    with pytest.raises(DomainError) as caught:
        bench.accept(one, other)
    assert (caught.value.code.value, caught.value.rule, caught.value.data) == (
        "decision.duplicate_pointer",
        "V5",
        {"pointer": A},
    )


def test_what_was_decided_before_tells_by_whom_and_when() -> None:
    """V4."""
    record = Decided("h-1", ADDED, Status.ACCEPTED, 3, by="Rui", at=START)
    with pytest.raises(DomainError) as caught:
        first_answer({"h-1": record}, [], [Reject("h-1", ADDED)])
    reason = caught.value.reason
    assert (reason.code.value, reason.rule) == ("change.already_decided", "V4")
    assert reason.data == {"change": "h-1", "status": "accepted", "by": "Rui", "at": START.isoformat()}


def test_a_decision_on_nothing_was_never_made_before() -> None:
    """V4."""
    assert first_answer({}, [], []) is None


def test_what_v7_remembers_of_a_change_without_evidence_is_no_message() -> None:
    """V7: such a change is refused before it could be rejected; a row that says so all the same does no harm."""
    assert Rejection.of(Change("add", A, "x")) == Rejection.of(Change("replace", A, "x"))
    assert Rejection.of(Change("add", A, "x")).message == ""
    assert Rejection.of(Change("remove", A, "x", CITED)) == Rejection.of(REMOVED)
    assert Rejection.of(REMOVED) != Rejection.of(ADDED)
