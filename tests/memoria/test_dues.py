"""A promise's date (rules M9 and M6): a field of its own, with the words that it was resolved from."""

from __future__ import annotations

import pytest

from memoria.patch import MISSING, Json
from memoria.state import Stale
from tests.memoria.bench import ANA, SARA, Bench, cite, code_of
from tests.memoria.steps import diamond, promise, take, tell

C1, DUE = "/commitments/c-1", "/commitments/c-1/due"
FRIDAY, MONDAY, TUESDAY = "2026-12-04", "2026-12-07", "2026-12-08"


def move(bench: Bench, who: str, value: Json, text: str = "na segunda dia 7", **more: Json) -> int:
    return take(bench, who, DUE, value, text=text, op="replace", **more)


def bench_with_due(due: Json = FRIDAY, **more: Json) -> Bench:
    bench = Bench(diamond())
    promise(bench, due=due, due_text="na sexta" if due else None, **more)
    return bench


@pytest.mark.parametrize("op", ["add", "replace"])
def test_a_due_that_moves_takes_its_words_with_it(op: str) -> None:
    """M9, M6: `due_text` is the primary quote; date and expression are both kept."""
    bench = bench_with_due()
    take(bench, "agent", DUE, MONDAY, text="na segunda dia 7", op=op)
    member = bench.value(C1)
    assert (member["due"], member["due_text"]) == (MONDAY, "na segunda dia 7")


def test_a_due_stated_without_words_has_none() -> None:
    """M9: "else null"; the old words would be another date's."""
    bench = bench_with_due()
    bench.put(DUE, MONDAY)
    assert bench.value(C1)["due_text"] is None  # wrong: "na sexta"
    said = bench.say("customer", "terça cedo")
    bench.put(DUE, TUESDAY, evidence=cite((said, "terça cedo")))
    assert bench.value(C1)["due_text"] == "terça cedo"


@pytest.mark.parametrize(
    "due", ["2026-12-04", "2026-12-04T14:00:00-03:00", "2026-12-04T17:00Z", "2028-02-29"], ids=["date", "zone", "utc", "leap"]
)
def test_a_promise_keeps_the_date_and_the_expression_that_it_was_resolved_from(due: str) -> None:
    """M6: as they were proposed, both."""
    bench = Bench()
    value = {"task": "visita", "owner": "team", "due": due, "due_text": "em até 3 dias úteis"}
    take(bench, "agent", "/commitments/-", value, text="visita em até 3 dias úteis")
    assert (bench.value(DUE), bench.value(C1 + "/due_text")) == (due, "em até 3 dias úteis")


@pytest.mark.parametrize("value", ["segunda", "2026-13-01", "2026-12-04T14:00", "04/12/2026", 20261204, "2027-02-29", ""])
def test_what_is_no_date_is_no_due(value: Json) -> None:
    """M9, M6: an ISO 8601 date, a datetime with zone, or null."""
    bench = bench_with_due()
    assert tell(bench, "agent", DUE, value, text="na segunda dia 7", op="replace").judgement.code == "schema.invalid_value"


def test_null_withdraws_a_due() -> None:
    """M9, C2: the slot is open, and its link holds the date."""
    bench = bench_with_due()
    move(bench, "agent", None, "ainda não sei o dia")
    slot = bench.slot(DUE)
    assert (bench.value(DUE), bench.value(C1 + "/due_text"), slot.status) == (None, None, "open")
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value) == (1, FRIDAY)
    move(bench, "customer", MONDAY)  # P2: weaker, but an open slot defends nothing
    slot = bench.slot(DUE)
    assert (bench.value(DUE), slot.status) == (MONDAY, "current")
    assert slot.replaces is not None
    assert slot.replaces.value is MISSING  # C1: none was held; wrong: null


def test_a_due_is_not_removed_but_set() -> None:
    """M9: `remove` is an operation that the pointer does not take."""
    assert tell(bench_with_due(), "agent", DUE).judgement.code == "schema.operation_not_allowed"


@pytest.mark.parametrize(
    ("holder", "who", "verdict", "code"),
    [
        ("agent", "customer", "conflict", "source.weaker"),
        ("agent", "agent", "allowed", "allowed.same_author"),
        ("agent", "tool", "allowed", "allowed.stronger_source"),
        ("agent", "assistant", "refused", "source.not_allowed"),
    ],
)
def test_a_due_is_set_under_precedence_with_its_collections_sources(holder: str, who: str, verdict: str, code: str) -> None:
    """M9, P: until its first change its slot is its member's; afterwards its own."""
    bench = bench_with_due()
    for _ in range(2):
        judgement = tell(bench, who, DUE, MONDAY, text="na segunda dia 7", op="replace").judgement
        assert (judgement.verdict, judgement.code) == (verdict, code)
        move(bench, holder, TUESDAY, "fica para terça")


def test_before_its_first_change_older_words_do_not_move_a_due() -> None:
    """M9, P7: the member's slot says how old the promise is."""
    bench = Bench()
    promise(bench, due=FRIDAY, at=20)
    held = tell(bench, "agent", DUE, MONDAY, text="na segunda dia 7", op="replace", at=10)
    assert held.judgement.code == "evidence.older_than_current"


def test_a_challenged_due_gets_a_slot_of_its_own_copied_from_its_member() -> None:
    """M9, P6: the member itself is in no conflict."""
    bench = bench_with_due()
    member = bench.slot(C1)
    move(bench, "customer", MONDAY)
    slot = bench.slot(DUE)
    assert (bench.value(DUE), slot.status, slot.source, slot.since_version) == (FRIDAY, "conflict", "agent", 1)
    assert (slot.evidence, slot.author, slot.age) == (member.evidence, member.author, member.age)
    assert [challenger.value for challenger in slot.challengers] == [MONDAY]
    assert bench.slot(C1) == member


def test_a_repeated_due_gets_a_slot_of_its_own_copied_from_its_member() -> None:
    """M9, P3: the second case adds the words at the end; the first puts them first."""
    bench = bench_with_due()
    move(bench, "customer", FRIDAY, "sexta então")
    slot = bench.slot(DUE)
    assert (slot.status, slot.source, slot.since_version) == ("current", "agent", 1)
    assert [item.quote for item in slot.evidence] == ["fica combinada a tarefa 1", "sexta então"]
    bench = bench_with_due()
    move(bench, "tool", FRIDAY, "sexta confirmada")
    slot = bench.slot(DUE)
    assert (slot.source, slot.evidence[0].quote) == ("tool", "sexta confirmada")
    assert bench.value(C1 + "/due_text") == "na sexta"  # the value did not move, nor did its words


def test_a_due_that_never_was_is_withdrawn_without_change() -> None:
    """M9, P3: null again is `no_change`; its slot is open, for none is held."""
    bench = bench_with_due(None)
    held = tell(bench, "agent", DUE, None, text="ainda não sei o dia", op="replace")
    assert held.judgement.verdict == "no_change"
    bench.accept(held)
    assert (bench.value(DUE), bench.status(DUE)) == (None, "open")


def test_a_due_that_holds_nothing_takes_no_doubt_from_its_member() -> None:
    """M9, K1, E7: only what holds a value is in doubt."""
    bench = bench_with_due(None)
    take(bench, "customer", "/facts/p", "novo")
    move(bench, "customer", None, "ainda não sei o dia")
    slot = bench.slot(DUE)
    assert (slot.status, slot.stale_because, slot.ground) == ("open", None, None)


def test_a_due_that_holds_nothing_takes_no_confirmation_from_its_member() -> None:
    """M9, K6: it was the promise that a person confirmed."""
    bench = bench_with_due(None)
    take(bench, "customer", "/facts/p", "novo")
    bench.confirm(C1)
    move(bench, "agent", None, "ainda não sei o dia")
    assert (bench.slot(C1).confirmed is not None, bench.slot(DUE).confirmed) == (True, None)


def test_where_the_promise_awaits_confirmation_its_due_defends_no_authority() -> None:
    """M9, P2: with a slot of its own or without; moving it confirms no member."""
    for own_slot in (False, True):
        bench = bench_with_due()
        if own_slot:
            move(bench, "agent", TUESDAY, "fica para terça")
        take(bench, "customer", "/facts/p", "novo")
        held = tell(bench, "customer", DUE, MONDAY, text="na segunda dia 7", op="replace")
        assert held.judgement.code == "allowed.awaited_confirmation"  # wrong: source.weaker
        bench.accept(held)
        assert (bench.value(DUE), bench.status(DUE)) == (MONDAY, "current")
        assert (bench.status(C1), bench.slot(C1).stale_because is not None) == ("needs_confirmation", True)


def test_a_due_moved_by_words_from_before_the_doubt_stays_in_doubt() -> None:
    """M9, K8: until its first change its slot is its member's."""
    bench = Bench(diamond())
    promise(bench, due=FRIDAY, at=10)
    take(bench, "customer", "/facts/p", "novo", at=20)
    move(bench, "agent", MONDAY, at=15)
    assert (bench.value(DUE), bench.status(DUE)) == (MONDAY, "needs_confirmation")
    assert bench.slot(DUE).stale_because == Stale(None, "/facts/p", 2)


def test_a_due_in_conflict_still_defends_itself_while_the_promise_is_in_doubt() -> None:
    """M9: a `current` due is what loses its authority; P8 settles a conflict, or someone stronger."""
    bench = bench_with_due()
    move(bench, "customer", MONDAY)
    take(bench, "customer", "/facts/p", "novo")
    held = tell(bench, "customer", DUE, TUESDAY, text="na terça dia 8", op="replace")
    assert held.judgement.verdict == "conflict"


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_a_finished_promise_has_no_date_to_move(status: str) -> None:
    """M9: `commitment.invalid_transition`, for proposals and statements; the same date again is P3."""
    bench = bench_with_due(status=status)
    for value in (MONDAY, None):
        assert tell(bench, "tool", DUE, value, text="na segunda dia 7", op="replace").judgement.code == (
            "commitment.invalid_transition"
        )
        assert code_of(bench.put, DUE, value) == "commitment.invalid_transition"
    assert tell(bench, "tool", DUE, FRIDAY, text="foi na sexta", op="replace").judgement.verdict == "no_change"


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
@pytest.mark.parametrize("doubt", ["conflict", "needs_confirmation"])
def test_finishing_settles_the_due(status: str, doubt: str) -> None:
    """M9: a due in conflict or in doubt is `current`, with what it held."""
    bench = bench_with_due()
    if doubt == "conflict":
        move(bench, "customer", MONDAY)
    else:
        move(bench, "agent", MONDAY)
        bench.rewrite("m-2", "fica para outro dia")
    assert bench.status(DUE) == doubt
    held = bench.value(DUE)
    bench.put(C1 + "/status", status)
    slot = bench.slot(DUE)
    assert (slot.status, slot.challengers, slot.stale_because) == ("current", (), None)
    assert bench.value(DUE) == held


def test_finishing_forgets_the_ground_that_had_moved_under_the_due() -> None:
    """M9, K2, K8."""
    bench = Bench(diamond())
    promise(bench, due=FRIDAY, at=10)
    take(bench, "customer", "/facts/p", "novo", at=20)
    move(bench, "agent", MONDAY, at=15)
    assert bench.slot(DUE).ground is not None
    bench.put(C1 + "/status", "done")
    slot = bench.slot(DUE)
    assert (slot.status, slot.stale_because, slot.ground) == ("current", None, None)


def test_finishing_leaves_an_open_due_open() -> None:
    """M9: nothing is held there that could be current."""
    bench = bench_with_due()
    bench.put(DUE, None)
    bench.put(C1 + "/status", "done")
    assert bench.status(DUE) == "open"


def test_an_override_moves_a_due_that_defends_itself() -> None:
    """M9, P6: the chain is kept and the challengers are cleared."""
    bench = bench_with_due()
    move(bench, "customer", MONDAY)
    held = tell(bench, "customer", DUE, TUESDAY, text="na terça dia 8", op="replace")
    assert code_of(bench.accept, held, override="pedido", actor=ANA) == "permission.denied"
    bench.accept(held, override="pedido do cliente", actor=SARA)
    slot = bench.slot(DUE)
    assert (bench.value(DUE), bench.value(C1 + "/due_text"), slot.challengers) == (TUESDAY, "na terça dia 8", ())
    assert slot.replaces is not None
    assert (slot.replaces.version, slot.replaces.value) == (1, FRIDAY)
