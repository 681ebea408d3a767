"""How a person settles a conflict (rule P8)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoria.decisions import Edit
from memoria.patch import MISSING
from memoria.state import Stale
from tests.memoria.bench import ANA, SARA, Bench, a_field, a_type, code_of
from tests.memoria.steps import promise, take, tell

A, GROUND, AFTER = "/facts/a", "/facts/ground", "/facts/after"


def bench_in_conflict(*, tie: bool = False) -> Bench:
    """Value "firme" of the registry (or of another customer), challenged by a customer's "outra"."""
    bench = Bench(
        a_type(
            {
                GROUND: a_field(invalidates=[A]),
                A: a_field("registry", "customer", tie="conflict", inference="flag", invalidates=[AFTER]),
                AFTER: a_field(),
            }
        )
    )
    take(bench, "customer" if tie else "registry", A, "firme", name="Rui")
    take(bench, "customer", A, "outra", name="Eva")
    assert bench.status(A) == "conflict"
    return bench


def test_keeping_ends_the_conflict_and_changes_nothing_else() -> None:
    """P8: value, source, author, evidence, `since_version` and link stay."""
    bench = bench_in_conflict()
    before = bench.slot(A)
    event = bench.resolve(A, "current", reason="vale o cadastro")
    after = bench.slot(A)
    assert (bench.value(A), bench.status(A), after.challengers) == ("firme", "current", ())
    for name in ("source", "author", "evidence", "since_version", "replaces", "edited_by"):
        assert getattr(after, name) == getattr(before, name), name
    assert event.patch == ()
    assert (event.kind, event.cause["reason"], event.cause["choice"]) == ("resolution", "vale o cadastro", "current")


def test_a_resolution_counts_as_made_at_its_moment() -> None:
    """P8, P7: words said before it are older than what it kept."""
    bench = bench_in_conflict()
    said = bench.say("registry", "terceira")
    bench.resolve(A, "current")
    assert bench.one("add", A, "terceira", (said, "terceira")).judgement.code == "evidence.older_than_current"
    assert tell(bench, "registry", A, "quarta").judgement.verdict != "refused"


def test_leaving_open_withdraws_the_value_and_keeps_the_source() -> None:
    """P8, C2: `replaces` holds the value; no challenger is left."""
    bench = bench_in_conflict()
    before = bench.slot(A)
    bench.resolve(A, "open")
    slot = bench.slot(A)
    assert (bench.value(A), bench.status(A), slot.source, slot.challengers) == (MISSING, "open", "registry", ())
    assert slot.since_version == 3
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value, slot.replaces.evidence) == (1, "firme", before.evidence)


def test_a_challenger_brings_value_source_author_and_evidence() -> None:
    """P8, C1."""
    bench = bench_in_conflict()
    taken = bench.slot(A).challengers[0]
    bench.resolve(A, "challenger", challenger=0, actor=SARA)
    slot = bench.slot(A)
    assert (bench.value(A), bench.status(A), slot.challengers) == ("outra", "current", ())
    assert (slot.source, slot.author, slot.evidence) == ("customer", taken.author, taken.evidence)
    assert (slot.since_version, slot.confirmed) == (3, None)
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value) == (1, "firme")


def test_a_challenger_may_be_a_withdrawal() -> None:
    """P8: taking it withdraws the value, with the challenger's source."""
    bench = Bench(a_type({A: a_field("registry", "customer")}))
    take(bench, "registry", A, "firme")
    take(bench, "customer", A)
    assert [challenger.value for challenger in bench.slot(A).challengers] == [MISSING]
    assert bench.value(A) == "firme"
    bench.resolve(A, "challenger", challenger=0, actor=SARA)
    assert (bench.value(A), bench.status(A), bench.slot(A).source) == (MISSING, "open", "customer")


@pytest.mark.parametrize(("tie", "code"), [(False, "permission.denied"), (True, None)])
def test_a_weaker_challenger_needs_the_right_to_override_and_an_equal_one_does_not(tie: bool, code: str | None) -> None:
    """P8."""
    bench = bench_in_conflict(tie=tie)
    before = bench.state
    if code is None:
        bench.resolve(A, "challenger", challenger=0, actor=ANA)
        assert bench.value(A) == "outra"
        return
    assert code_of(bench.resolve, A, "challenger", challenger=0, actor=ANA) == code
    assert bench.state == before
    bench.resolve(A, "current", actor=ANA)  # keeping and leaving open need no right


@pytest.mark.parametrize("index", [1, -1, 99, None])
def test_a_challenger_that_is_not_there_is_unknown(index: int | None) -> None:
    """P8; -1 is not the last one. It comes before the question of rights."""
    bench = bench_in_conflict()
    assert code_of(bench.resolve, A, "challenger", challenger=index, actor=ANA) == "slot.unknown_challenger"


@pytest.mark.parametrize("choice", ["current", "challenger", "open"])
def test_a_slot_in_no_conflict_has_nothing_to_resolve(choice: str) -> None:
    """P8: current, open, awaiting confirmation, or no slot at all."""
    bench = Bench(a_type({A: a_field(inference="flag"), "/facts/b": a_field(), "/facts/c": a_field(), "/facts/d": a_field()}))
    take(bench, "customer", A, "talho", inference=True)
    take(bench, "customer", "/facts/b", "bloco")
    take(bench, "customer", "/facts/c", "corte")
    take(bench, "customer", "/facts/c")
    for pointer in (A, "/facts/b", "/facts/c", "/facts/d"):
        assert code_of(bench.resolve, pointer, choice, challenger=0) == "slot.wrong_status", pointer
    assert code_of(bench.resolve, "/facts/nada", choice, challenger=0) == "schema.unknown_path"


@pytest.mark.parametrize(("choice", "status"), [("current", "current"), ("challenger", "current"), ("open", "open")])
def test_every_choice_clears_what_made_the_slot_doubtful(choice: str, status: str) -> None:
    """P8 with K1: a conflict that took a `stale_because` loses it, whatever is chosen."""
    bench = bench_in_conflict()
    take(bench, "customer", GROUND, "chão")
    assert (bench.status(A), bench.slot(A).stale_because) == ("conflict", Stale(None, GROUND, 3))
    bench.resolve(A, choice, challenger=0, actor=SARA)
    slot = bench.slot(A)
    assert (bench.status(A), slot.stale_because, slot.challengers) == (status, None, ())


@pytest.mark.parametrize(("choice", "falls"), [("current", False), ("challenger", True), ("open", True)])
def test_what_depends_on_the_value_falls_when_the_resolution_changes_it(choice: str, falls: bool) -> None:
    """P8, K1, K7: keeping changes no value and so invalidates nothing."""
    bench = bench_in_conflict()
    take(bench, "customer", AFTER, "depois")
    event = bench.resolve(A, choice, challenger=0, actor=SARA)
    assert (bench.status(AFTER) == "needs_confirmation") is falls
    assert (AFTER in event.slots) is falls
    if falls:
        assert bench.slot(AFTER).stale_because == Stale(None, A, event.version)


def test_a_challenger_whose_quote_is_gone_awaits_confirmation() -> None:
    """P8 with E7: its words were edited away while it waited."""
    bench = bench_in_conflict()
    assert bench.rewrite("m-2", "esquece") is None  # no slot's own evidence is touched
    bench.resolve(A, "challenger", challenger=0, actor=SARA)
    assert (bench.value(A), bench.status(A), bench.slot(A).stale_because) == (
        "outra",
        "needs_confirmation",
        Stale("evidence_changed"),
    )


def test_a_challenger_that_is_an_inference_awaits_confirmation() -> None:
    """P8 with P1: an inference never becomes current."""
    bench = bench_in_conflict()
    take(bench, "customer", A, "suposta", inference=True)
    assert [challenger.source for challenger in bench.slot(A).challengers] == ["customer", "inference"]
    bench.resolve(A, "challenger", challenger=1, actor=SARA)
    assert (bench.value(A), bench.status(A), bench.slot(A).source) == ("suposta", "needs_confirmation", "inference")


def test_a_challenger_keeps_who_edited_it() -> None:
    """P8, E9: `edited_by` goes where source and author go."""
    bench = bench_in_conflict()
    held = tell(bench, "customer", A, "terceyra", name="Eva")
    bench.accept(held, edit=Edit("terceira"))
    assert bench.slot(A).edited_by is None
    bench.resolve(A, "challenger", challenger=1, actor=SARA)
    edited_by = bench.slot(A).edited_by
    assert (bench.value(A), edited_by and edited_by.name, bench.slot(A).source) == ("terceira", "Ana", "customer")


@pytest.mark.parametrize(
    ("choice", "due", "text", "status"),
    [
        ("current", "2026-12-04", "sexta", "current"),
        ("challenger", "2026-12-07", "na segunda dia 7", "current"),
        ("open", None, None, "open"),
    ],
)
def test_a_due_in_conflict_is_resolved_like_a_field(choice: str, due: str | None, text: str | None, status: str) -> None:
    """P8, M9: left open it is null, and its words go with it."""
    bench = Bench()
    pointer = promise(bench, due="2026-12-04", due_text="sexta")
    take(bench, "customer", pointer + "/due", "2026-12-07", text="na segunda dia 7", op="replace")
    assert bench.status(pointer + "/due") == "conflict"
    bench.resolve(pointer + "/due", choice, challenger=0, actor=SARA)
    member = bench.value(pointer)
    assert (member["due"], member["due_text"], bench.status(pointer + "/due")) == (due, text, status)


def test_a_resolution_is_made_at_the_version_that_its_reader_saw() -> None:
    """P8, V2: a third voice joined meanwhile; index 0 may no longer be what was read."""
    bench = bench_in_conflict()
    take(bench, "customer", A, "terceira", name="Isa")
    assert code_of(bench.resolve, A, "challenger", challenger=0, actor=SARA, expected=2) == "version.conflict"
    bench.resolve(A, "current", expected=3)


def test_a_resolution_whose_cascade_changed_meanwhile_is_not_rebased() -> None:
    """P8, V2: its reader saw that nothing would fall; now something would."""
    bench = bench_in_conflict()
    take(bench, "customer", AFTER, "depois")
    assert code_of(bench.resolve, A, "open", expected=2) == "version.conflict"
    bench.resolve(A, "current", expected=2)  # keeping makes nothing fall, then as now


def test_an_unknown_choice_is_a_programming_error() -> None:
    """P8 knows three choices."""
    bench = bench_in_conflict()
    with pytest.raises(ValueError, match="no such choice"):
        bench.resolve(A, "keep")


def test_a_challenger_taken_by_a_clock_that_is_slow_is_taken_all_the_same() -> None:
    """P8: each choice ends the conflict; a ground that another machine's clock made later leaves no doubt (K8)."""
    bench = bench_in_conflict()
    bench.put(GROUND, "mudou")
    assert bench.slot(A).ground is not None
    bench.now -= timedelta(hours=1)
    bench.resolve(A, "challenger", challenger=0, actor=SARA)
    slot = bench.slot(A)
    assert (bench.value(A), slot.status, slot.stale_because, slot.ground) == ("outra", "current", None, None)


@pytest.mark.parametrize(("choice", "value"), [("open", MISSING), ("challenger", "outra"), ("current", "firme")])
def test_a_conflict_at_a_field_that_the_type_has_dropped_can_still_be_settled(choice: str, value: str) -> None:
    """P8, T1: until the new version's publishing withdraws it, the slot is there."""
    bench = bench_in_conflict()
    bench.ticket_type = a_type({AFTER: a_field()})
    bench.resolve(A, choice, challenger=0)
    assert (bench.value(A), bench.status(A)) == (value, "open" if choice == "open" else "current")
