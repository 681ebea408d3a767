"""What a moved ground does to promises (rules K2 and K3), and what is forbidden on a pointer (rule K9)."""

from __future__ import annotations

import pytest

from memoria.patch import Json
from memoria.proposals import Caution, Change
from memoria.state import Stale
from tests.memoria.bench import SARA, Bench, cite
from tests.memoria.steps import diamond, promise, take, tell

P, LEFT, END = "/facts/p", "/facts/left", "/facts/end"
C1 = "/commitments/c-1"


def bench_with_visit(at: int | None = None, **member: Json) -> Bench:
    bench = Bench(diamond())
    promise(bench, at=at, **member)
    return bench


# --- K2 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status", "falls"),
    [
        ("visit", "requested", True),
        ("visit", "in_progress", True),
        ("visit", "done", False),
        ("visit", "failed", False),
        ("visit", "cancelled", False),
        ("return_call", "requested", False),
        (None, "requested", False),
    ],
)
def test_unfinished_promises_of_the_named_kind_fall_with_their_ground(kind: str | None, status: str, falls: bool) -> None:
    """K2: transitively (/facts/p invalidates the visits through three fields); the promise's own words stay."""
    bench = Bench(diamond())
    promise(bench, kind, status=status)
    before = bench.value(C1)
    take(bench, "customer", P, "novo")
    assert bench.status(C1) == ("needs_confirmation" if falls else "current")
    assert bench.slot(C1).stale_because == (Stale(None, P, 2) if falls else None)
    assert bench.value(C1) == before


def test_every_promise_of_the_kind_falls_once() -> None:
    """K2, K4."""
    bench = Bench(diamond())
    for _ in range(3):
        promise(bench)
    promise(bench, "return_call")
    held = tell(bench, "customer", P, "novo")
    assert held.judgement.cascade == (C1, "/commitments/c-2", "/commitments/c-3")
    bench.accept(held)
    assert [bench.status(f"/commitments/c-{n}") for n in (1, 2, 3, 4)] == ["needs_confirmation"] * 3 + ["current"]


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
@pytest.mark.parametrize("at", [15, 30], ids=["older than the ground", "newer"])
def test_a_promise_that_finishes_awaits_confirmation_no_more(status: str, at: int) -> None:
    """K2: however old the words are; neither the promise nor its status is in doubt."""
    bench = bench_with_visit(at=10)
    take(bench, "customer", P, "novo", at=20)
    take(bench, "agent", C1 + "/status", status, op="replace", at=at)
    assert (bench.status(C1), bench.slot(C1).stale_because) == ("current", None)
    assert (bench.status(C1 + "/status"), bench.slot(C1 + "/status").stale_because) == ("current", None)


def test_a_promise_that_is_begun_still_awaits_confirmation() -> None:
    """K2: in progress is not finished; the status itself is in no doubt, however old the words."""
    for at in (15, 30):
        bench = bench_with_visit(at=10)
        take(bench, "customer", P, "novo", at=20)
        take(bench, "agent", C1 + "/status", "in_progress", op="replace", at=at)
        assert bench.status(C1) == "needs_confirmation"
        assert bench.status(C1 + "/status") == "current"


def test_a_promise_is_confirmed_like_a_value() -> None:
    """K2, K6."""
    bench = bench_with_visit()
    take(bench, "customer", P, "novo")
    promise(bench, "return_call")
    bench.confirm(C1)
    assert (bench.status(C1), bench.slot(C1).stale_because) == ("current", None)
    promise(bench, "return_call")
    assert list(bench.value("/commitments")) == ["c-1", "c-2", "c-3"]  # wrong: c-2 given twice, as c-1 was written last


# --- K3 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("at", "spared"), [(30, True), (10, False)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_promise_made_in_the_decision_holds_unless_its_words_are_older(at: int, spared: bool, order: int) -> None:
    """K3: "made" counts as changed."""
    bench = Bench(diamond())
    held = [
        tell(bench, "customer", P, "novo", at=20),
        tell(
            bench,
            "agent",
            "/commitments/-",
            {"task": "visita", "owner": "team", "kind": "visit"},
            text="combinado passar lá",
            at=at,
        ),
    ]
    bench.accept(*held[::order])
    assert bench.status(C1) == ("current" if spared else "needs_confirmation")


@pytest.mark.parametrize(("at", "spared"), [(30, True), (15, False)])
@pytest.mark.parametrize(("part", "value"), [("status", "in_progress"), ("due", "2026-12-07")])
def test_a_promise_whose_status_or_due_moves_in_the_decision_holds_unless_the_words_are_older(
    part: str, value: str, at: int, spared: bool
) -> None:
    """K3: the ground is of minute 20, the promise of minute 10."""
    bench = bench_with_visit(at=10)
    held = [
        tell(bench, "customer", P, "novo", at=20),
        tell(bench, "agent", f"{C1}/{part}", value, text="vamos nisso", op="replace", at=at),
    ]
    bench.accept(*held)
    assert bench.status(C1) == ("current" if spared else "needs_confirmation")


def test_a_promise_that_moves_in_the_decision_shields_no_other_of_its_kind() -> None:
    """K2, K3: the visits after it fall, and those before it."""
    bench = Bench(diamond())
    for number in range(3):
        promise(bench, at=number)
    held = [
        tell(bench, "customer", P, "novo", at=20),
        tell(bench, "agent", "/commitments/c-2/due", "2026-12-07", text="vamos nisso", op="replace", at=30),
    ]
    bench.accept(*held)
    assert [bench.status(f"/commitments/c-{n}") for n in (1, 2, 3)] == ["needs_confirmation", "current", "needs_confirmation"]


@pytest.mark.parametrize(("first", "second"), [(15, 30), (30, 15)])
def test_a_promise_of_which_both_parts_move_holds_where_one_has_words_that_are_not_older(first: int, second: int) -> None:
    """K3: status and due in one decision."""
    bench = bench_with_visit(at=10)
    parts = [("status", "in_progress", first), ("due", "2026-12-07", second)]
    held = [tell(bench, "customer", P, "novo", at=20)]
    held += [tell(bench, "agent", f"{C1}/{part}", value, text="vamos nisso", op="replace", at=at) for part, value, at in parts]
    bench.accept(*held)
    assert bench.status(C1) == "current"


@pytest.mark.parametrize(("at", "spared"), [(30, True), (15, False)])
def test_a_promise_reaffirmed_in_the_decision_holds_unless_the_words_are_older(at: int, spared: bool) -> None:
    """K3, P3 and M7: the same words of the same message, read again; here the ground is older or newer than they are."""
    bench = Bench(diamond())
    said = tell(
        bench, "agent", "/commitments/-", {"task": "visita", "owner": "team", "kind": "visit"}, text="passo lá amanhã", at=at
    )
    bench.accept(said)
    again = bench.one(
        "add", "/commitments/-", {"task": "Visita", "owner": "team"}, (said.change.evidence[0].message, "passo lá")
    )
    assert again.judgement.same_as == C1
    bench.accept(tell(bench, "customer", P, "novo", at=20), again)
    assert bench.status(C1) == ("current" if spared else "needs_confirmation")


@pytest.mark.parametrize("own_slot", [False, True])
@pytest.mark.parametrize(("at", "spared"), [(30, True), (15, False)])
def test_a_promise_whose_due_is_reaffirmed_in_the_decision_holds_unless_the_words_are_older(
    at: int, spared: bool, own_slot: bool
) -> None:
    """K3, P3: it is the promise that is spared, whether its due has a slot of its own yet or not."""
    bench = bench_with_visit(at=5, due="2026-12-04")
    if own_slot:
        take(bench, "agent", C1 + "/due", "2026-12-07", text="fica para segunda", op="replace", at=8)
    again = tell(bench, "agent", C1 + "/due", bench.value(C1 + "/due"), text="segue de pé", op="replace", at=at)
    assert again.judgement.verdict == "no_change"
    bench.accept(tell(bench, "customer", P, "novo", at=20), again)
    assert bench.status(C1) == ("current" if spared else "needs_confirmation")


def test_a_status_that_is_said_again_spares_no_promise() -> None:
    """K3: only one that moves does; with a slot of its own and without, however new the words are."""
    for begun in (False, True):
        bench = bench_with_visit(at=5)
        if begun:
            take(bench, "agent", C1 + "/status", "in_progress", op="replace", at=8)
        status = bench.value(C1 + "/status")
        again = tell(bench, "agent", C1 + "/status", status, text="segue de pé", op="replace", at=30)
        assert again.judgement.verdict == "no_change"
        bench.accept(tell(bench, "customer", P, "novo", at=20), again)
        assert bench.status(C1) == "needs_confirmation"


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_reaffirmed_twice_in_the_decision_holds_by_the_newer_words(order: int) -> None:
    """K3, P3 and M7: the due by words newer than the ground, and the promise by its own older ones."""
    bench = Bench(diamond())
    value = {"task": "visita", "owner": "team", "kind": "visit", "due": "2026-12-04"}
    said = tell(bench, "agent", "/commitments/-", value, text="passo lá amanhã", at=5)
    bench.accept(said)
    held = [
        tell(bench, "agent", C1 + "/due", "2026-12-04", text="segue de pé", op="replace", at=30),
        bench.one("add", "/commitments/-", {"task": "Visita", "owner": "team"}, (said.change.evidence[0].message, "passo lá")),
    ]
    assert [item.judgement.verdict for item in held] == ["no_change"] * 2
    bench.accept(tell(bench, "customer", P, "novo", at=20, producer="other"), *held[::order])
    assert bench.status(C1) == "current"


# --- K9 -----------------------------------------------------------------------------------------------------------


def forbid(bench: Bench, *targets: str, collection: str = "constraints", by: str = "agent") -> str:
    """A prohibition (or a decision) that applies to these; its id."""
    value = {"text": "fica como está", "applies_to": list(targets)}
    take(bench, by, f"/{collection}/-", value, text=f"combinado: fica como está, {len(bench.events)}")
    return str(list(bench.state.values[collection])[-1])


@pytest.mark.parametrize("collection", ["constraints", "decisions"])
def test_what_is_forbidden_on_a_pointer_stands_on_its_changes_card_and_bars_it_from_bulk(collection: str) -> None:
    """K9: constraints and decisions alike; the verdict is what it would be without."""
    bench = Bench(diamond())
    free = tell(bench, "customer", LEFT, "antes")
    assert free.judgement.bulk
    identity = forbid(bench, LEFT, collection=collection)
    held = tell(bench, "customer", LEFT, "depois")
    assert held.judgement.verdict == "allowed"
    assert held.judgement.cautions == (Caution("constraint", members=(identity,)),)
    assert not held.judgement.bulk
    assert tell(bench, "customer", END, "outro campo").judgement.cautions == ()  # it names no other field


def test_all_that_apply_are_named_and_none_that_was_withdrawn() -> None:
    """K9: the ids, in the order of the collections; a removed one applies no more."""
    bench = Bench(diamond())
    for collection in ("decisions", "constraints", "constraints"):
        forbid(bench, END, LEFT, collection=collection)
    assert tell(bench, "customer", LEFT, "valor").judgement.cautions == (Caution("constraint", members=("k-1", "k-2", "d-1")),)
    take(bench, "agent", "/constraints/k-1")
    assert tell(bench, "customer", LEFT, "valor").judgement.cautions == (Caution("constraint", members=("k-2", "d-1")),)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/commitments/-", {"task": "outra visita", "owner": "team", "kind": "visit"}),
        (C1 + "/status", "in_progress"),
        (C1 + "/due", "2026-12-07"),
    ],
)
def test_what_is_forbidden_on_a_kind_stands_on_every_change_of_its_promises(path: str, value: Json) -> None:
    """K9: by the change's own kind, or the kind of the promise that it moves."""
    bench = Bench(diamond())
    promise(bench)
    promise(bench, "return_call")
    identity = forbid(bench, "commitments:visit")
    op = "add" if path.endswith("-") else "replace"
    held = tell(bench, "agent", path, value, text="isso segue adiante", op=op)
    assert held.judgement.cautions == (Caution("constraint", members=(identity,)),)
    other = tell(
        bench, "agent", path.replace("c-1", "c-2"), {**value, "kind": None} if isinstance(value, dict) else value, op=op
    )
    assert Caution("constraint", members=(identity,)) not in other.judgement.cautions


def test_a_person_may_go_on_and_the_event_keeps_that_they_were_told() -> None:
    """K9: by accepting, by overriding and by setting."""
    bench = Bench(diamond())
    identity = forbid(bench, LEFT)
    bench.accept(tell(bench, "tool", LEFT, "um"))
    bench.accept(tell(bench, "customer", LEFT, "dois"), override="pedido do cliente", actor=SARA)
    set_by_hand = bench.put(LEFT, "três")
    told = [{"kind": "constraint", "members": [identity]}]
    assert [event.cause["changes"][0]["cautions"] for event in bench.events[1:3]] == [told, told]
    assert set_by_hand.cause["cautions"] == told


def test_a_caution_changes_no_cascade() -> None:
    """K9: it informs; what falls is as before."""
    bench = Bench(diamond())
    forbid(bench, P)
    take(bench, "customer", LEFT, "antes")
    said = bench.say("customer", "novo")
    held = bench.propose(Change("add", P, "novo", cite((said, "novo"))))[0]
    assert held.judgement.cascade == (LEFT,)
