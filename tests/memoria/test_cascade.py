"""What stops holding when a value changes (rules K1 to K5 and K7)."""

from __future__ import annotations

import pytest

from memoria.fields import InvalidTicketType, TicketType
from memoria.patch import MISSING, Json
from memoria.proposals import Change
from memoria.state import Stale
from tests.memoria.bench import SARA, Bench, a_field, a_type, cite
from tests.memoria.steps import diamond, promise, take, tell

P, LEFT, RIGHT, END, TAIL, OTHER = (f"/facts/{name}" for name in ("p", "left", "right", "end", "tail", "other"))
DEPENDENTS = (LEFT, RIGHT, END, TAIL)


def bench_with(*pointers: str) -> Bench:
    """A ticket of the diamond in which these hold a value that the customer said."""
    bench = Bench(diamond())
    for pointer in pointers:
        take(bench, "customer", pointer, f"velho {pointer[7:]}")
    return bench


def stale(bench: Bench) -> dict[str, Stale | None]:
    """The slots that await confirmation, and why."""
    return {p: slot.stale_because for p, slot in bench.state.slots.items() if slot.status == "needs_confirmation"}


# --- K1 -----------------------------------------------------------------------------------------------------------


def test_a_first_value_invalidates_too() -> None:
    """K1: what held before the ground was known does not rest on it."""
    bench = bench_with(LEFT)
    take(bench, "customer", P, "novo")
    assert stale(bench) == {LEFT: Stale(None, P, 2)}  # wrong: nothing, as "nothing was replaced"
    assert bench.value(LEFT) == "velho left"  # its value stays visible


def test_a_replaced_value_invalidates_all_that_depends_on_it() -> None:
    """K1: transitively, each naming the field that the decision changed, not one in between."""
    bench = bench_with(P, *DEPENDENTS)
    before = dict(bench.state.values["facts"])
    take(bench, "customer", P, "novo")
    assert stale(bench) == dict.fromkeys(DEPENDENTS, Stale(None, P, 6))  # wrong: /facts/left named by /facts/end
    assert bench.state.values["facts"] == {**before, "p": "novo"}
    assert bench.status(P) == "current"


def test_a_withdrawn_value_invalidates_all_that_depended_on_it() -> None:
    """K1: "is removed" counts."""
    bench = bench_with(P, *DEPENDENTS)
    take(bench, "customer", P)
    assert stale(bench) == dict.fromkeys(DEPENDENTS, Stale(None, P, 6))


def test_an_undo_invalidates_what_depends_on_the_value_that_comes_back() -> None:
    """K1, H4: what was said on the new ground does not stand on the old one."""
    bench = bench_with(P)
    take(bench, "customer", P, "novo")
    take(bench, "customer", LEFT, "dito sobre o novo")
    bench.undo(2)
    assert bench.value(P) == "velho p"
    assert stale(bench) == {LEFT: Stale(None, P, 4)}


def test_the_cascade_passes_through_fields_that_hold_nothing() -> None:
    """K1: /facts/left and /facts/right hold nothing, and no slot is made for them."""
    bench = bench_with(P, TAIL)
    take(bench, "customer", P, "novo")
    assert stale(bench) == {TAIL: Stale(None, P, 3)}
    assert not {LEFT, RIGHT, END} & set(bench.state.slots)


def test_an_open_dependent_stays_open() -> None:
    """K1: only what holds a value is put in doubt."""
    bench = bench_with(P, LEFT)
    take(bench, "customer", LEFT)
    before = bench.slot(LEFT)
    take(bench, "customer", P, "novo")
    assert bench.slot(LEFT) == before


def test_a_dependent_in_conflict_stays_so_and_takes_the_cause() -> None:
    """K1: challengers and value stay."""
    bench = Bench(diamond())
    take(bench, "agent", RIGHT, "velho")
    take(bench, "customer", RIGHT, "outro")
    before = bench.slot(RIGHT)
    take(bench, "customer", P, "novo")
    slot = bench.slot(RIGHT)
    assert (slot.status, slot.stale_because, slot.challengers) == ("conflict", Stale(None, P, 3), before.challengers)


def test_what_is_not_named_is_not_touched() -> None:
    """K1: nor is what stands upstream."""
    bench = bench_with(P, *DEPENDENTS, OTHER)
    before = dict(bench.state.slots)
    take(bench, "customer", END, "novo fim")
    assert stale(bench) == {TAIL: Stale(None, END, 7)}
    for pointer in (P, LEFT, RIGHT, OTHER):
        assert bench.slot(pointer) == before[pointer]


def test_a_dependent_in_doubt_takes_the_newest_cause() -> None:
    """K1: a second change puts it in doubt again, by its own version."""
    bench = bench_with(P, LEFT)
    take(bench, "customer", P, "novo")
    take(bench, "customer", P, "mais novo")
    assert stale(bench) == {LEFT: Stale(None, P, 4)}


@pytest.mark.parametrize("order", [(LEFT, RIGHT), (RIGHT, LEFT)])
def test_of_several_causes_the_first_in_the_decisions_order_is_named(order: tuple[str, str]) -> None:
    """K1: not the first in the definition's order."""
    bench = bench_with(LEFT, RIGHT, END)
    held = [tell(bench, "customer", pointer, f"novo {pointer[7:]}") for pointer in order]
    version = bench.accept(*held)
    assert stale(bench) == {END: Stale(None, order[0], version)}


def test_a_confirmed_value_is_confirmed_no_more_once_its_ground_moves() -> None:
    """K1, K6: `confirmed` stands until the value is in doubt again."""
    bench = bench_with(P, LEFT)
    take(bench, "customer", P, "novo")
    bench.confirm(LEFT)
    assert bench.slot(LEFT).confirmed is not None
    take(bench, "customer", P, "mais novo")
    assert bench.slot(LEFT).confirmed is None
    assert bench.status(LEFT) == "needs_confirmation"


# --- K3 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ground_at", "dependent_at", "spared"),
    [(10, 20, True), (20, 10, False)],
    ids=["newer words", "older words"],
)
@pytest.mark.parametrize("order", [1, -1], ids=["ground first", "dependent first"])
def test_a_dependent_changed_in_the_same_decision_holds_unless_its_words_are_older(
    ground_at: int, dependent_at: int, spared: bool, order: int
) -> None:
    """K3: whatever order the decision names them in."""
    bench = Bench(diamond())
    take(bench, "customer", LEFT, "velho", at=1)
    held = [
        tell(bench, "customer", P, "novo", at=ground_at),
        tell(bench, "customer", LEFT, "novo left", at=dependent_at),
    ]
    version = bench.accept(*held[::order])
    assert bench.value(LEFT) == "novo left"
    assert stale(bench) == ({} if spared else {LEFT: Stale(None, P, version)})


def test_a_dependent_changed_by_the_same_message_holds() -> None:
    """K3: the same message is not older."""
    bench = Bench(diamond())
    said = bench.say("customer", "unidade nova, sexta cedo")
    held = bench.propose(
        Change("add", P, "unidade nova", cite((said, "unidade nova"))),
        Change("add", LEFT, "sexta cedo", cite((said, "sexta cedo"))),
    )
    bench.accept(*held)
    assert stale(bench) == {}


def test_messages_sent_at_one_moment_are_ordered_by_their_numbers() -> None:
    """K3, P7: of two sent in the same second the first to arrive is older."""
    bench = Bench(diamond())
    dependent = tell(bench, "customer", LEFT, "antes", at=5)
    ground = tell(bench, "customer", P, "depois", at=5)
    bench.accept(ground, dependent)
    assert list(stale(bench)) == [LEFT]


def test_what_is_spared_is_the_dependent_itself_and_not_what_hangs_on_it() -> None:
    """K3: /facts/end rests on /facts/p too, through /facts/right."""
    bench = bench_with(P, LEFT, END)
    held = [tell(bench, "customer", P, "novo"), tell(bench, "customer", LEFT, "novo left")]
    version = bench.accept(*held)
    assert stale(bench) == {END: Stale(None, P, version)}


@pytest.mark.parametrize("order", [(LEFT, RIGHT), (RIGHT, LEFT)])
def test_a_dependent_is_spared_for_each_cause_by_itself(order: tuple[str, str]) -> None:
    """K3: words newer than one cause and older than the other are put in doubt by the other alone."""
    bench = Bench(diamond())
    times = {LEFT: 30, RIGHT: 10}
    held = [tell(bench, "customer", pointer, f"novo {pointer[7:]}", at=times[pointer]) for pointer in order]
    held.append(tell(bench, "customer", END, "novo fim", at=20))
    version = bench.accept(*held)
    assert stale(bench) == {END: Stale(None, LEFT, version)}


@pytest.mark.parametrize(
    ("who", "at", "spared"),
    [("customer", 30, True), ("customer", 20, False), ("agent", 30, True), ("agent", 20, False)],
)
def test_a_dependent_reaffirmed_in_the_same_decision_holds_unless_the_words_are_older(who: str, at: int, spared: bool) -> None:
    """K3 by P3's first case: the same value, as strong or stronger; the ground is of minute 25."""
    bench = Bench(diamond())
    take(bench, "customer", RIGHT, "fica assim", at=1)
    held = [tell(bench, "customer", P, "novo", at=25), tell(bench, who, RIGHT, "fica assim", at=at)]
    version = bench.accept(*held)
    assert stale(bench) == ({} if spared else {RIGHT: Stale(None, P, version)})


@pytest.mark.parametrize("inference", [False, True])
def test_a_weaker_voice_or_an_inference_reaffirms_nothing(inference: bool) -> None:
    """K3: P3's second case adds its words, and the dependent falls."""
    bench = Bench(diamond())
    take(bench, "customer" if inference else "agent", TAIL, "fica assim", at=1)
    held = [
        tell(bench, "customer", P, "novo", at=25),
        tell(bench, "customer", TAIL, "fica assim", at=30, inference=inference),
    ]
    version = bench.accept(*held)
    assert stale(bench) == {TAIL: Stale(None, P, version)}


def test_a_challenger_in_the_same_decision_spares_nothing() -> None:
    """K3: what is only challenged was not changed; it stays in conflict and takes the cause."""
    bench = Bench(diamond())
    take(bench, "agent", RIGHT, "velho", at=1)
    held = [tell(bench, "customer", P, "novo"), tell(bench, "customer", RIGHT, "outro")]
    version = bench.accept(*held)
    assert (bench.status(RIGHT), bench.slot(RIGHT).stale_because) == ("conflict", Stale(None, P, version))


# --- K4 -----------------------------------------------------------------------------------------------------------


def test_each_dependent_is_touched_once_and_what_invalidates_comes_before_what_it_invalidates() -> None:
    """K4: the diamond's end is reached on two ways."""
    bench = bench_with(P, *DEPENDENTS)
    held = tell(bench, "customer", P, "novo")
    cascade = held.judgement.cascade
    assert sorted(cascade) == sorted(DEPENDENTS)  # wrong: /facts/end twice
    assert cascade.index(END) > max(cascade.index(LEFT), cascade.index(RIGHT))
    assert cascade.index(TAIL) > cascade.index(END)


def test_the_order_holds_across_the_causes_of_one_decision() -> None:
    """K4: two grounds, and a dependent of both beneath a dependent of the second."""
    rows = {
        "/facts/one": a_field(invalidates=["/facts/low"]),
        "/facts/two": a_field(invalidates=["/facts/mid"]),
        "/facts/mid": a_field(invalidates=["/facts/low"]),
        "/facts/low": a_field(),
    }
    bench = Bench(a_type(rows))
    for pointer in ("/facts/mid", "/facts/low"):
        take(bench, "customer", pointer, "velho")
    version = bench.accept(tell(bench, "customer", "/facts/one", "um"), tell(bench, "customer", "/facts/two", "dois"))
    fallen = [pointer for pointer, (before, _) in bench.events[version - 1].slots.items() if before is not None]
    assert fallen == ["/facts/mid", "/facts/low"]


CIRCLES: list[tuple[dict[str, list[str]], tuple[str, ...]]] = [
    ({"a": ["a"]}, ("a", "a")),
    ({"a": ["b"], "b": ["a"]}, ("a", "b", "a")),
    ({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, ("a", "b", "c", "a")),
]


@pytest.mark.parametrize(("edges", "circle"), CIRCLES)
def test_a_circle_of_invalidations_cannot_be_published(edges: dict[str, list[str]], circle: tuple[str, ...]) -> None:
    """K4: `ticket_type.cycle`, naming the path."""
    rows: dict[str, Json] = {f"/facts/{key}": a_field(invalidates=[f"/facts/{to}" for to in on]) for key, on in edges.items()}
    with pytest.raises(InvalidTicketType) as refusal:
        a_type(rows)
    problem = next(problem for problem in refusal.value.problems if problem.code == "ticket_type.cycle")
    assert problem.path == tuple(f"/facts/{name}" for name in circle)


def test_a_diamond_is_no_circle_and_a_long_chain_is_no_burden() -> None:
    """K4: 1,200 fields in a row are followed to the end, without recursion."""
    rows: dict[str, Json] = {f"/facts/{n}": a_field(invalidates=[f"/facts/{n + 1}"] if n < 1199 else []) for n in range(1200)}
    document = {"slug": "fila", "name": "Fila", "fields": rows, "collections": {}}
    assert len(TicketType.from_document(document).dependents("/facts/0")) == 1199


# --- K5 and K7 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["novo", MISSING], ids=["replaced", "withdrawn"])
def test_the_preview_of_a_change_alone_is_its_effect(value: Json) -> None:
    """K5: the same pointers in the same order, before the decision and after it."""
    bench = bench_with(P, LEFT, END, TAIL)
    promise(bench)
    held = tell(bench, "customer", P, value)
    version = bench.accept(held)
    touched = [pointer for pointer in bench.events[version - 1].slots if pointer != P]
    assert list(held.judgement.cascade) == touched
    assert set(touched) == {LEFT, END, TAIL, "/commitments/c-1"}


def test_the_preview_of_a_conflict_is_what_taking_it_would_do() -> None:
    """K5: recording it touches nothing; the override does what was shown."""
    bench = Bench(diamond())
    take(bench, "agent", P, "velho")
    take(bench, "customer", LEFT, "velho left")
    held = tell(bench, "customer", P, "novo")
    assert (held.judgement.verdict, held.judgement.cascade) == ("conflict", (LEFT,))
    bench.accept(held, override="comprovante", actor=SARA)
    assert list(stale(bench)) == [LEFT]


def test_a_preview_shows_the_change_alone_whatever_comes_with_it() -> None:
    """K5: /facts/left is in the preview though its own change in the decision will spare it (K3)."""
    bench = bench_with(P, LEFT)
    held = [tell(bench, "customer", P, "novo"), tell(bench, "customer", LEFT, "novo left")]
    assert held[0].judgement.cascade == (LEFT,)
    bench.accept(*held)
    assert stale(bench) == {}


def test_the_same_value_new_words_and_a_mere_challenge_invalidate_nothing() -> None:
    """K7: numbers are the same as JSON has it."""
    rows = {P: a_field("agent", "customer", schema={"type": "number"}, invalidates=[LEFT]), LEFT: a_field()}
    bench = Bench(a_type(rows))
    take(bench, "agent", P, 1)
    take(bench, "customer", LEFT, "velho left")
    for who, value, preview in (("agent", 1.0, ()), ("customer", 1, ()), ("customer", 2, (LEFT,))):
        held = tell(bench, who, P, value)
        assert held.judgement.cascade == preview
        bench.accept(held)
        assert stale(bench) == {}
    bench.resolve(P, "current")
    assert stale(bench) == {}


def test_a_status_and_a_confirmation_invalidate_nothing() -> None:
    """K7: only a field's value is a ground."""
    bench = bench_with(P, LEFT, END)
    pointer = promise(bench)
    take(bench, "customer", P, "novo")
    bench.confirm(LEFT)
    assert (bench.status(LEFT), bench.status(END)) == ("current", "needs_confirmation")
    bench.confirm(END)
    bench.confirm(pointer)
    take(bench, "agent", pointer + "/status", "in_progress", op="replace")
    assert stale(bench) == {}
