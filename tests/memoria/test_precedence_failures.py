"""Failures that people had with sources and with what falls, each kind as a table: PC-01 and PC-03.

The first rows of a table are those that somebody met; the rest are of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memoria.fields import InvalidTicketType
from memoria.patch import MISSING
from memoria.state import SlotStatus
from tests.memoria.bench import SARA, Bench, a_field, a_type, code_of
from tests.memoria.steps import take, tell

# --- PC-01: running the extraction again drops what a person corrected -----------------------------------------------------

PHONE = "/facts/telefone"
ONE, TWO, THREE = "+55 81 90000-0001", "+55 81 90000-0002", "+55 81 90000-0003"


def corrected() -> Bench:
    """Staff said ...0001, by m-1 at minute 5. What came before and after is read again below."""
    bench = Bench(a_type({PHONE: a_field("agent", "registry", "customer")}))
    take(bench, "agent", PHONE, ONE, name="Rui", at=5)
    return bench


@pytest.mark.parametrize(
    ("kind", "at", "value", "verdict", "status"),
    [
        ("registry", 6, TWO, "conflict", "conflict"),  # an import
        ("customer", 8, THREE, "conflict", "conflict"),
        # of the same kind
        ("registry", 2, TWO, "refused", "current"),  # the import is older than the correction
        ("customer", 2, THREE, "refused", "current"),
        ("customer", 2, ONE, "no_change", "current"),  # the same value in older words
        ("registry", 8, ONE, "no_change", "current"),
        ("customer", 8, MISSING, "conflict", "conflict"),  # a withdrawal
        ("customer", 2, MISSING, "refused", "current"),
        ("tool", 8, TWO, "refused", "current"),  # a source that the field does not list
        ("assistant", 8, ONE, "refused", "current"),
    ],
)
def test_pc_01_what_a_person_corrected_stays_until_someone_may_and_says_why(
    kind: str, at: int, value: Any, verdict: str, status: str
) -> None:
    """P1, P3, P6, P7: read twice, by two producers, it comes out the same, and the value stands."""
    bench = corrected()
    for producer in ("model", "outside"):
        held = tell(bench, kind, PHONE, value, at=at, text=None if value is not MISSING else "não é mais", producer=producer)
        assert held.judgement.verdict == verdict
        assert bench.value(PHONE) == ONE
        if verdict != "refused":
            bench.accept(held)
    slot = bench.slot(PHONE)
    assert (bench.value(PHONE), slot.source, slot.status) == (ONE, "agent", status)
    if verdict == "conflict":
        (challenger,) = slot.challengers
        assert (challenger.value, challenger.source) == (value, kind)
        assert challenger.evidence


def test_pc_01_an_override_replaces_it_and_the_history_shows_every_step() -> None:
    """P6, H1: who, when, from which source and why."""
    bench = corrected()
    bench.accept(tell(bench, "registry", PHONE, TWO, at=6))
    second = tell(bench, "customer", PHONE, THREE, at=8)
    assert code_of(bench.accept, second, override="ligou da loja") == "permission.denied"
    bench.accept(second)
    assert (bench.value(PHONE), [challenger.value for challenger in bench.slot(PHONE).challengers]) == (ONE, [TWO, THREE])
    bench.accept(tell(bench, "customer", PHONE, THREE, at=9), override="ligou da loja", actor=SARA)
    assert (bench.value(PHONE), bench.status(PHONE), bench.slot(PHONE).challengers) == (THREE, "current", ())
    told = [(event.actor.name, event.cause["changes"][0]) for event in bench.events]
    assert [(name, change["source"], change["value"], change.get("override")) for name, change in told] == [
        ("Ana", "agent", ONE, None),
        ("Ana", "registry", TWO, None),
        ("Ana", "customer", THREE, None),
        ("Sara", "customer", THREE, "ligou da loja"),
    ]
    assert [event.at for event in bench.events] == sorted(event.at for event in bench.events)


# --- PC-03: approvals outlive what they were based on -----------------------------------------------------------------

VALUE, REFUND, TERM, STATUS = "/facts/valor", "/facts/reembolso", "/facts/prazo", "/facts/status"
FIRST = {VALUE: "100", REFUND: "50", TERM: "2026-03-20", STATUS: "aberto"}


def sold() -> Bench:
    bench = Bench(
        a_type(
            {
                VALUE: a_field(invalidates=[REFUND]),
                REFUND: a_field(invalidates=[TERM]),
                TERM: a_field(),
                STATUS: a_field(),
            }
        )
    )
    for pointer, value in FIRST.items():
        take(bench, "agent", pointer, value)
    return bench


def correct(bench: Bench, value: Any = "80") -> None:
    bench.put(VALUE, value)


@pytest.mark.parametrize(
    ("pointer", "value", "fallen"),
    [
        (VALUE, "80", [REFUND, TERM]),
        (VALUE, "100", []),  # the same again, with new evidence
        # of the same kind
        (VALUE, MISSING, [REFUND, TERM]),  # a withdrawal is a change
        (VALUE, "100.0", [REFUND, TERM]),  # other words are another value
        (REFUND, "40", [TERM]),
        (REFUND, MISSING, [TERM]),
        (REFUND, "50", []),
        (TERM, "2026-03-21", []),
        (STATUS, "fechado", []),
    ],
)
def test_pc_03_what_depends_on_a_value_is_in_doubt_once_and_keeps_its_own(
    pointer: str, value: Any, fallen: Sequence[str]
) -> None:
    """K1, K4, K5, K7: the preview said so, and nothing else is touched."""
    bench = sold()
    held = tell(bench, "agent", pointer, value)
    if value != FIRST[pointer]:
        assert list(held.judgement.cascade) == list(fallen)
    bench.accept(held)
    in_doubt = [other for other, slot in bench.state.slots.items() if slot.status is SlotStatus.NEEDS_CONFIRMATION]
    assert sorted(in_doubt) == sorted(fallen)
    for other in fallen:
        stale = bench.slot(other).stale_because
        assert stale is not None
        assert (stale.pointer, stale.version, bench.value(other)) == (pointer, bench.state.version, FIRST[other])
    assert [other for other in bench.events[-1].slots if other != pointer] == list(fallen)


@pytest.mark.parametrize(
    ("pending", "meanwhile", "code"),
    [
        (TERM, correct, "version.conflict"),
        # of the same kind
        (REFUND, correct, "version.conflict"),
        (TERM, lambda bench: bench.put(REFUND, "40"), "version.conflict"),  # the ground in between
        (TERM, lambda bench: correct(bench, MISSING), "version.conflict"),
        (TERM, lambda bench: correct(bench, "100"), "version.conflict"),  # stated again: it touched the ground
        (TERM, lambda bench: bench.undo(1, actor=SARA), "version.conflict"),
        (VALUE, lambda bench: bench.put(TERM, "2026-03-21"), None),  # what depends on it is no ground of it
        (STATUS, correct, None),
        (VALUE, lambda bench: bench.put(STATUS, "fechado"), None),
    ],
)
def test_pc_03_a_decision_on_a_version_whose_ground_moved_is_not_written(
    pending: str, meanwhile: Callable[[Bench], object], code: str | None
) -> None:
    """V2: it is worked out and shown anew first."""
    bench = sold()
    held = tell(bench, "agent", pending, "outro")
    version = bench.state.version
    meanwhile(bench)
    before = bench.state
    if code is None:
        assert bench.accept(held, expected=version) == before.version + 1
        return
    assert code_of(bench.accept, held, expected=version) == code
    assert bench.state is before


@pytest.mark.parametrize(
    ("invalidates", "circle"),
    [
        ({VALUE: [REFUND], REFUND: [TERM], TERM: [VALUE]}, [VALUE, REFUND, TERM, VALUE]),
        # of the same kind
        ({VALUE: [VALUE]}, [VALUE, VALUE]),
        ({VALUE: [REFUND], REFUND: [VALUE]}, [VALUE, REFUND, VALUE]),
        ({VALUE: [REFUND], REFUND: [TERM], TERM: [REFUND]}, [REFUND, TERM, REFUND]),
        ({STATUS: [VALUE], VALUE: [REFUND], REFUND: [VALUE]}, [VALUE, REFUND, VALUE]),
        ({VALUE: [REFUND, TERM], REFUND: [TERM]}, None),  # two ways to one field are no circle
        ({VALUE: [REFUND, TERM], REFUND: [STATUS], TERM: [STATUS]}, None),
        ({VALUE: [REFUND], REFUND: ["commitments:visit"]}, None),
    ],
)
def test_pc_03_a_definition_that_runs_in_a_circle_is_refused_with_its_path(
    invalidates: dict[str, list[str]], circle: list[str] | None
) -> None:
    """K4."""
    fields = {pointer: a_field(invalidates=invalidates.get(pointer, [])) for pointer in FIRST}
    if circle is None:
        assert a_type(fields).dependents(VALUE)
        return
    with pytest.raises(InvalidTicketType) as caught:
        a_type(fields)
    (problem,) = caught.value.problems
    found = list(problem.path)
    assert (problem.code.value, sorted(set(found))) == ("ticket_type.cycle", sorted(set(circle)))
    assert (len(found), found[0]) == (len(circle), found[-1])
