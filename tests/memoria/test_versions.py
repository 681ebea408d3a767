"""One version for each decision, and what may be written onto a version that moved on (rules V1 and V2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memoria.decisions import Accept, Edit, decide
from memoria.errors import DomainError
from memoria.members import empty_values
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Status
from memoria.state import State
from memoria.versions import check_version, slot_depends_on
from tests.memoria.bench import SARA, Bench, Held, a_field, a_type, cite, code_of
from tests.memoria.steps import diamond, promise, take, tell

P, LEFT, RIGHT, END, TAIL, OTHER = (f"/facts/{name}" for name in ("p", "left", "right", "end", "tail", "other"))
C1 = "/commitments/c-1"


# --- V1 -----------------------------------------------------------------------------------------------------------


def test_version_zero_is_the_empty_state() -> None:
    """V1: every map is there, the goal is not."""
    assert (State().version, State().values, dict(State().slots)) == (0, empty_values(), {})
    assert "goal" not in State().values


def test_every_act_makes_exactly_one_version_and_versions_are_consecutive() -> None:
    """V1: a batch, a mere rejection, a repeated value, the event of E7, an undo: one each, whatever they hold."""
    bench = Bench(diamond())
    held = [tell(bench, "customer", pointer, f"valor {pointer[7:]}") for pointer in (P, LEFT, OTHER)]
    bench.decide(held[:2], held[2:])
    bench.reject(tell(bench, "customer", OTHER, "outro"))
    take(bench, "customer", P, "valor p")  # no change
    bench.rewrite("m-1", "nada disso")
    bench.confirm(P)
    bench.put(OTHER, "dito por nós")
    bench.undo(6)
    assert [event.version for event in bench.events] == [1, 2, 3, 4, 5, 6, 7]
    assert [event.kind.value for event in bench.events] == [
        "decision", "decision", "decision", "evidence_changed", "confirmation", "statement", "undo",
    ]  # fmt: skip


def test_a_version_follows_its_predecessor_and_no_other() -> None:
    """V1: the fold refuses gaps and repetitions."""
    bench = Bench()
    take(bench, "customer", "/facts/a", "um")
    event = bench.events[0]
    for version in (0, 1, 3):
        with pytest.raises(ValueError, match="does not follow"):
            bench.state.evolve(replace(event, version=version))
    with pytest.raises(ValueError, match="did not make"):
        bench.state.evolve(replace(event, version=2)).rewind(event)


# --- V2 -----------------------------------------------------------------------------------------------------------


def furnished() -> Bench:
    """Version 6: the diamond holds values, and there is a visit."""
    bench = Bench(diamond())
    for pointer in (P, LEFT, END, TAIL, OTHER):
        take(bench, "customer", pointer, f"velho {pointer[7:]}")
    promise(bench, due="2026-12-04")
    return bench


Act = Callable[[Bench], object]


def refuse_one(bench: Bench) -> None:
    bench.reject(tell(bench, "customer", LEFT, "recusado"))


def doubt_left(bench: Bench) -> None:
    bench.rewrite("m-2", "não foi o que eu disse")


SINCE: dict[str, tuple[Act, str, Json, bool]] = {
    # what happened after the version that was read, what is then written, and whether it is rebased
    "another field": (lambda b: take(b, "customer", OTHER, "x1"), LEFT, "y1", True),
    "a rejection on the same pointer": (refuse_one, LEFT, "y1", True),
    "the same field": (lambda b: take(b, "customer", LEFT, "x1"), LEFT, "y1", False),
    "the same field by a statement": (lambda b: b.put(LEFT, "x1"), LEFT, "y1", False),
    "a challenge of the same field": (lambda b: (b.put(OTHER, "x0"), take(b, "customer", OTHER, "x1")), OTHER, "y1", False),
    "new words for the same value": (lambda b: take(b, "customer", LEFT, "velho left"), LEFT, "y1", False),
    "its message was edited": (doubt_left, LEFT, "y1", False),
    "its ground": (lambda b: take(b, "customer", P, "x1"), LEFT, "y1", False),
    "its ground's ground": (lambda b: take(b, "customer", P, "x1"), TAIL, "y1", False),
    "the ground of a field that holds nothing": (lambda b: take(b, "customer", P, "x1"), RIGHT, "y1", False),
    "what it invalidates": (lambda b: take(b, "customer", LEFT, "x1"), P, "y1", True),
    "what it invalidates was first set": (lambda b: take(b, "customer", RIGHT, "x1"), P, "y1", False),
    "what it invalidates was withdrawn": (lambda b: take(b, "customer", LEFT), P, "y1", False),
    "a promise that it invalidates was made": (promise, P, "y1", False),
    "a promise that it does not invalidate was made": (lambda b: promise(b, "return_call"), P, "y1", True),
    "a promise that it invalidates was finished": (lambda b: b.put(C1 + "/status", "done"), P, "y1", False),
    "the status's own member": (lambda b: take(b, "customer", P, "x1"), C1 + "/status", "in_progress", False),
    "the status's member lost its words": (lambda b: b.rewrite("m-6", "nada disso"), C1 + "/status", "in_progress", False),
    "the status beside a due": (lambda b: b.put(C1 + "/status", "in_progress"), C1 + "/due", "2026-12-07", True),
    "the status that ends a due": (lambda b: b.put(C1 + "/status", "done"), C1 + "/due", "2026-12-07", False),
    "the due beside a status": (lambda b: b.put(C1 + "/due", "2026-12-07"), C1 + "/status", "in_progress", True),
    "another promise": (promise, C1 + "/status", "in_progress", True),
    "an undo of the same field": (lambda b: (b.put(OTHER, "x1"), b.undo(b.state.version)), OTHER, "y1", False),
}


@pytest.mark.parametrize("case", SINCE)
@pytest.mark.parametrize("way", ["accept", "edit", "statement"])
def test_an_older_version_is_rebased_only_where_nothing_that_matters_was_touched(case: str, way: str) -> None:
    """V2: pointer, ancestor, descendant, the fields that it depends on, and the same verdict and cascade."""
    act, path, value, rebased = SINCE[case]
    bench = furnished()
    seen = bench.state.version
    act(bench)
    held = tell(bench, "agent", path, value, text=f"agora é {value}", op="replace")
    held.status = Status.PENDING  # as its reader saw it
    before = bench.state

    def write() -> object:
        if way == "statement":
            return bench.put(path, value, expected=seen)
        edit = Edit(value, cite((held.change.evidence[0].message, "agora é"))) if way == "edit" else None
        return bench.accept(held, expected=seen, edit=edit)

    if rebased:
        write()
        assert bench.value(path) == value
    else:
        assert code_of(write) == "version.conflict"
        assert bench.state == before
        assert held.status == "pending"


def test_the_same_words_read_again_touch_their_pointer_though_no_slot_comes_out_other() -> None:
    """V2, H1: "the pointers of the changes that it applied and of every slot that it altered"."""
    bench = furnished()
    held = bench.one("add", OTHER, "velho other", ("m-5", "velho other"))
    bench.accept(held)
    event = bench.events[-1]
    assert (dict(event.slots), event.patch, event.pointers) == ({}, (), frozenset({OTHER}))
    assert code_of(bench.put, OTHER, "outro", expected=6) == "version.conflict"
    undone = bench.undo(7)  # it touched something: no `undo.nothing`
    assert held.status == "pending"
    assert (dict(undone.slots), undone.pointers) == ({}, frozenset({OTHER}))


def test_the_same_words_added_meanwhile_are_no_new_member() -> None:
    """V2, M7: allowed then, `no_change` now; another add to the collection is no touch of `/-`."""
    bench = Bench()
    said = bench.say("agent", "consulto a agenda e ligo")
    rows = [("consultar", "consulto a agenda"), ("consultar", "consulto"), ("ligar", "ligo")]
    changes = [Change("add", "/commitments/-", {"task": task, "owner": "team"}, cite((said, quote))) for task, quote in rows]
    first, again, other = bench.propose(*changes)
    bench.accept(first, expected=0)
    again.status = Status.PENDING  # as a reader of version 0 still sees it
    assert code_of(bench.accept, again, expected=0) == "version.conflict"
    bench.accept(other, expected=0)
    assert list(bench.value("/commitments")) == ["c-1", "c-2"]


def test_a_promise_of_a_kind_depends_on_what_invalidates_the_kind() -> None:
    """V2: "a commitment's: its kind"; another kind does not."""
    for kind, rebased in (("visit", False), ("return_call", True), (None, True)):
        bench = furnished()
        seen = bench.state.version
        value = {"task": "outra", "owner": "team", "kind": kind}
        held = tell(bench, "agent", "/commitments/-", value, text="combinado, outra")
        take(bench, "customer", P, "x1")
        if rebased:
            bench.accept(held, expected=seen)
        else:
            assert code_of(bench.accept, held, expected=seen) == "version.conflict"


def test_a_batch_is_rebased_as_one() -> None:
    """V2, V5: one of two that overlaps refuses both."""
    bench = furnished()
    seen = bench.state.version
    take(bench, "customer", LEFT, "x1")
    held = [tell(bench, "customer", pointer, "novo valor") for pointer in (OTHER, LEFT)]
    before = bench.state
    assert code_of(bench.accept, *held, expected=seen) == "version.conflict"
    assert bench.state == before
    bench.accept(held[0], expected=seen)


def test_a_write_for_a_version_that_there_is_not_is_a_conflict() -> None:
    """V2: newer than the current one; nothing happened since, and nothing is written."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "novo valor")
    for expected in (7, 99, -1):
        assert code_of(bench.accept, held, expected=expected) == "version.conflict"
        assert code_of(bench.put, OTHER, "x", expected=expected) == "version.conflict"
        assert code_of(bench.confirm, OTHER, expected=expected) == "version.conflict"
        assert code_of(bench.resolve, OTHER, "current", expected=expected) == "version.conflict"
        assert code_of(bench.undo, 6, expected=expected) == "version.conflict"
    assert bench.state.version == 6


def test_a_conflict_says_where_the_ticket_stands_and_what_happened_since() -> None:
    """V2: the current version, and who touched what after the version that was read."""
    bench = furnished()
    bench.put(OTHER, "x1", actor=SARA)
    bench.put(LEFT, "x2")
    writes: list[Callable[[], object]] = [lambda: bench.put(OTHER, "y1", expected=6), lambda: bench.undo(5, expected=6)]
    for write in writes:
        with pytest.raises(DomainError) as refusal:
            write()
        assert refusal.value.code == "version.conflict"
        assert refusal.value.data["current"] == 8
        since = [(row["version"], row["by"], row["pointers"]) for row in refusal.value.data["since"]]
        assert since[0] == (7, "Sara", [OTHER])
        assert since[1][:2] == (8, "Ana")
        assert LEFT in since[1][2]


def test_a_mere_rejection_names_no_version() -> None:
    """V2: it writes no value."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "novo valor")
    assert bench.reject(held, expected=0) == 7


def test_a_confirmation_of_what_was_confirmed_meanwhile_is_a_conflict() -> None:
    """V2: its own slot was touched."""
    bench = furnished()
    take(bench, "customer", P, "x1")
    bench.confirm(TAIL)
    assert code_of(bench.confirm, TAIL, expected=7) == "version.conflict"
    assert bench.confirm(LEFT, expected=7).version == 9
    assert code_of(bench.confirm, END, expected=8) == "version.conflict"  # it depends on /facts/left
    bench.put(C1 + "/status", "in_progress")
    assert code_of(bench.confirm, C1, expected=9) == "version.conflict"  # a descendant was touched


def test_what_is_rebased_is_judged_by_the_present_state() -> None:
    """V2: the link names the version that the value has now."""
    bench = Bench(a_type({"/facts/a": a_field(), "/facts/b": a_field()}))
    take(bench, "customer", "/facts/a", "um")
    take(bench, "customer", "/facts/b", "dois")
    bench.put("/facts/a", "três", expected=1)
    slot = bench.slot("/facts/a")
    assert slot.replaces is not None
    assert (slot.since_version, slot.replaces.version, slot.replaces.value) == (3, 1, "um")


def test_a_decision_that_writes_nothing_new_is_still_rebased_by_the_rule() -> None:
    """V2: `no_change` then and now goes through; withdrawn meanwhile it is a conflict."""
    bench = furnished()
    held: Held = tell(bench, "customer", OTHER, "velho other")
    take(bench, "customer", LEFT, "x1", producer="outro")
    assert bench.accept(held, expected=6) == 8
    assert bench.value(OTHER) is not MISSING


@pytest.mark.parametrize("expected", [-1, 4, 99])
def test_a_version_that_there_never_was_is_a_conflict_with_nothing_since(expected: int) -> None:
    """V2."""
    bench = Bench()
    for value in ("um", "dois", "três"):
        take(bench, "customer", "/facts/a", value)
    with pytest.raises(DomainError) as caught:
        check_version(bench.state, expected, (), ["/facts/a"])
    assert (caught.value.code.value, caught.value.data) == ("version.conflict", {"current": 3, "since": []})


@pytest.mark.parametrize("events", [[], [2], [3], [3, 2], [1, 2, 3], [2, 2, 3]])
def test_a_rebase_is_handed_every_event_since(events: list[int]) -> None:
    """V2: what was not seen is a reader's; what is not handed in is our own mistake."""
    bench = Bench()
    for value in ("um", "dois", "três"):
        take(bench, "customer", "/facts/a", value)
    handed = [bench.events[number - 1] for number in events]
    with pytest.raises(ValueError, match=r"^`since` must hold every event after the expected version, in order$"):
        check_version(bench.state, 1, handed, ["/facts/b"])


def test_what_a_slot_depends_on_is_its_own_pointer_and_what_invalidates_it() -> None:
    """V2: a promise and its parts depend on what invalidates its kind; an object that merely has a `kind` does not."""
    rows = {P: a_field(invalidates=["commitments:visit"]), LEFT: a_field(invalidates=[OTHER]), OTHER: a_field(schema=True)}
    bench = Bench(a_type(rows))
    visit, call, none = promise(bench), promise(bench, "return_call"), promise(bench, None)
    bench.put(OTHER, {"kind": "visit"})
    depends = {
        pointer: set(slot_depends_on(bench.ticket_type, pointer, bench.state))
        for pointer in (visit, f"{visit}/due", f"{visit}/status", call, none, f"{none}/due", OTHER, P, "/commitments/c-9")
    }
    assert depends == {
        visit: {visit, P},
        f"{visit}/due": {f"{visit}/due", P},
        f"{visit}/status": {f"{visit}/status", P},
        call: {call},
        none: {none},
        f"{none}/due": {f"{none}/due"},
        OTHER: {OTHER, LEFT},
        P: {P},
        "/commitments/c-9": {"/commitments/c-9"},
    }


def test_a_change_of_a_member_that_is_gone_is_a_conflict_and_no_crash() -> None:
    """V2: its pointer means nothing any more, and somebody touched it."""
    bench = Bench(a_type())
    take(bench, "customer", "/constraints/-", {"text": "nada de manhã"}, text="nada de manhã")
    held = tell(bench, "customer", "/constraints/k-1")
    seen = bench.state.version
    bench.put("/constraints/k-1")
    accept = [Accept(held.id, held.change)]
    with pytest.raises(DomainError) as caught:
        decide(bench.state, accept, [], bench.desk(), seen, bench.events[seen:])
    assert caught.value.code.value == "version.conflict"


def test_an_edit_by_a_members_own_word_is_rebased_only_where_its_effect_is_what_was_seen() -> None:
    """V2, E9: a visit was promised since, which it would put in doubt."""
    bench = Bench(diamond())
    held = tell(bench, "customer", P, "um")
    for expected, code in ((bench.state.version, "version.conflict"), (bench.state.version + 1, None)):
        if bench.state.version == 0:
            promise(bench)
        if code is not None:
            assert code_of(bench.accept, held, edit=Edit("dois", (), "sei que é"), expected=expected) == code
        else:
            assert bench.accept(held, edit=Edit("dois", (), "sei que é"), expected=expected) == 2


def test_words_whose_member_was_made_and_withdrawn_since_are_a_conflict() -> None:
    """V2, M7: then they would have made it, now they are older than its withdrawal; a statement's would not be."""
    bench = Bench(a_type())
    said = bench.say("customer", "nada de manhã")
    change = Change("add", "/constraints/-", {"text": "nada de manhã"}, cite((said, "nada de manhã")))
    bench.accept(*bench.propose(change))
    bench.put("/constraints/k-1")
    with pytest.raises(DomainError) as caught:
        decide(bench.state, [Accept("h-9", change)], [], bench.desk(), 0, bench.events)
    assert caught.value.code.value == "version.conflict"
