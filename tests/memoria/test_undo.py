"""Undoing a version (rule H4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.errors import DomainError
from memoria.patch import MISSING
from memoria.review import undo
from memoria.state import Stale
from tests.memoria.bench import ANA, RUI, SARA, Bench, a_field, a_type, code_of
from tests.memoria.steps import diamond, promise, take, tell

P, LEFT, RIGHT, END, OTHER = (f"/facts/{name}" for name in ("p", "left", "right", "end", "other"))
C1 = "/commitments/c-1"


def furnished() -> Bench:
    """Version 3: /facts/p, /facts/left and a visit."""
    bench = Bench(diamond())
    take(bench, "customer", P, "velho")
    take(bench, "customer", LEFT, "velho left")
    promise(bench, due="2026-12-04")
    return bench


def without_visit() -> Bench:
    """Version 2: /facts/p and /facts/left."""
    bench = Bench(diamond())
    take(bench, "customer", P, "velho")
    take(bench, "customer", LEFT, "velho left")
    return bench


ACTS: dict[str, Callable[[Bench], Any]] = {
    "a first value": lambda b: take(b, "customer", OTHER, "novo"),
    "a correction with its cascade": lambda b: take(b, "customer", P, "novo"),
    "a withdrawal": lambda b: take(b, "customer", LEFT),
    "new words": lambda b: take(b, "customer", LEFT, "velho left"),
    "a challenge": lambda b: (b.put(LEFT, "firme"), take(b, "customer", LEFT, "outro")),
    "a new member": promise,
    "a status": lambda b: b.put(C1 + "/status", "done"),
    "a due": lambda b: b.put(C1 + "/due", None),
    "a statement": lambda b: b.put(LEFT, "dito"),
    "a confirmation": lambda b: (take(b, "customer", P, "novo"), b.confirm(LEFT)),
    "a resolution": lambda b: (b.put(LEFT, "firme"), take(b, "customer", LEFT, "outro"), b.resolve(LEFT, "open")),
    "an undo": lambda b: (b.put(LEFT, "dito"), b.undo(b.state.version)),
}


@pytest.mark.parametrize("act", ACTS)
def test_undoing_the_last_version_gives_the_state_before_it_as_a_new_event(act: str) -> None:
    """H4: values and slots; nothing is taken out of the log, and ids once given stay given."""
    bench = furnished()
    ACTS[act](bench)
    last = bench.state.version
    before = bench.state.rewind(bench.events[-1])
    event = bench.undo(last, reason="foi engano")
    assert (bench.state.values, bench.state.slots) == (before.values, before.slots)
    assert (bench.state.version, event.kind, event.cause["version"], event.cause["reason"]) == (
        last + 1,
        "undo",
        last,
        "foi engano",
    )
    assert bench.events[last - 1].version == last


def test_an_undo_can_be_undone() -> None:
    """H4: what it took away comes back, `since_version` and link as they were."""
    bench = furnished()
    take(bench, "customer", P, "novo")
    held = bench.state
    bench.undo(4)
    bench.undo(5)
    assert (bench.state.values, bench.state.slots) == (held.values, held.slots)


def test_an_older_version_can_be_undone_where_nothing_has_touched_its_pointers() -> None:
    """H4: what came later elsewhere stays."""
    bench = furnished()
    bench.put(OTHER, "um")
    bench.put(LEFT, "dois")
    bench.undo(4)
    assert (bench.value(OTHER), bench.value(LEFT)) == (MISSING, "dois")


@pytest.mark.parametrize(
    "later",
    [
        lambda b: b.put(P, "mais novo"),  # the pointer itself
        lambda b: take(b, "customer", P, "novo", at=500),  # the same value again: new words
        lambda b: b.confirm(LEFT),  # a slot that its cascade altered
        lambda b: b.put(C1 + "/status", "in_progress"),  # a descendant of one
        lambda b: b.rewrite("m-4", "não é isso"),  # E7
        lambda b: b.undo(4),  # returned before
    ],
    ids=["the pointer", "new words", "a dependent", "a descendant", "its message", "undone"],
)
def test_what_a_later_version_touched_cannot_be_undone(later: Callable[[Bench], Any]) -> None:
    """H4, V2: `undo.superseded`, and nothing is written. Version 4 changed /facts/p; /facts/left and c-1 fell."""
    bench = furnished()
    take(bench, "customer", P, "novo")
    later(bench)
    before = bench.state
    assert bench.state.version == 5
    with pytest.raises(DomainError) as refusal:
        bench.undo(4)
    assert (refusal.value.code, refusal.value.data["by"]) == ("undo.superseded", 5)
    assert bench.state == before


def test_a_descendants_version_is_superseded_by_its_ancestors() -> None:
    """H4: the member fell after its status moved."""
    bench = furnished()
    bench.put(C1 + "/status", "in_progress")
    take(bench, "customer", P, "novo")
    assert code_of(bench.undo, 4) == "undo.superseded"


def test_a_rejection_of_the_same_pointer_supersedes_nothing() -> None:
    """H4, V2: it touches none."""
    bench = furnished()
    bench.put(OTHER, "um")
    bench.reject(tell(bench, "customer", OTHER, "dois"))
    bench.undo(4)
    assert bench.value(OTHER) is MISSING


def test_the_cascade_holds_for_what_an_undo_changes_beyond_what_it_restores() -> None:
    """H4, K1: /facts/left comes back as it was, and what was said since on the new ground is in doubt."""
    bench = without_visit()
    take(bench, "customer", P, "novo")  # /facts/left falls
    bench.put(RIGHT, "sobre o novo")
    promise(bench)
    bench.undo(3)
    assert (bench.value(P), bench.status(P), bench.status(LEFT)) == ("velho", "current", "current")
    for pointer in (RIGHT, C1):
        assert (bench.status(pointer), bench.slot(pointer).stale_because) == ("needs_confirmation", Stale(None, P, 6))


def test_an_undo_that_changes_no_value_invalidates_nothing() -> None:
    """H4, K7: new words are taken back, and so is a status."""
    bench = without_visit()
    bench.put(RIGHT, "direita")
    take(bench, "customer", P, "velho")
    bench.undo(4)
    assert (bench.status(RIGHT), bench.status(LEFT)) == ("current", "current")


def test_words_said_before_an_undo_do_not_end_the_doubt_that_it_made() -> None:
    """H4, K8: the ground moved when it was undone."""
    bench = without_visit()
    take(bench, "customer", P, "novo")
    bench.put(RIGHT, "sobre o novo")
    said = bench.say("agent", "direita outra vez")
    bench.undo(3)
    bench.accept(bench.one("add", RIGHT, "direita outra vez", (said, "direita outra vez")))
    assert bench.status(RIGHT) == "needs_confirmation"
    take(bench, "agent", RIGHT, "agora sim")
    assert bench.status(RIGHT) == "current"


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_a_slot_whose_quote_is_gone_meanwhile_comes_back_in_doubt(how: str) -> None:
    """H4, E7: the value that was corrected rests on a message that says something else now."""
    bench = furnished()
    bench.put(OTHER, "um")
    take(bench, "customer", LEFT, "novo left")
    event = bench.rewrite("m-2", "outra coisa") if how == "edited" else bench.delete("m-2")
    assert event is None  # no slot rests on it now
    bench.undo(5)
    assert (bench.value(LEFT), bench.status(LEFT)) == ("velho left", "needs_confirmation")
    assert bench.slot(LEFT).stale_because == Stale("evidence_changed")


def test_a_value_that_was_in_doubt_comes_back_with_the_doubt_that_it_had() -> None:
    """H4, E7: it awaits confirmation already; that its quote is gone meanwhile takes no reason from it."""
    bench = without_visit()
    take(bench, "customer", P, "novo")
    doubted = bench.slot(LEFT)
    assert doubted.stale_because == Stale(None, P, 3)
    bench.put(LEFT, "novo left")
    assert bench.rewrite("m-2", "outra coisa") is None  # no slot rests on it now
    bench.undo(4)
    assert (bench.value(LEFT), bench.slot(LEFT)) == ("velho left", doubted)


def test_a_value_that_was_confirmed_without_its_quote_comes_back_confirmed() -> None:
    """H4, E7: what a person has confirmed since is not doubted again for the same edit."""
    bench = furnished()
    bench.rewrite("m-2", "outra coisa")
    bench.confirm(LEFT)
    bench.put(LEFT, "novo left")
    bench.undo(6)
    assert (bench.value(LEFT), bench.status(LEFT)) == ("velho left", "current")


@pytest.mark.parametrize("version", [0, -1, 4, 99])
def test_a_version_that_there_is_not_cannot_be_undone(version: int) -> None:
    """H4: `undo.unknown_version`, before anything else is asked."""
    bench = furnished()
    assert code_of(bench.undo, version, actor=RUI, expected=2) == "undo.unknown_version"


@pytest.mark.parametrize(("actor", "code"), [(ANA, None), (RUI, "permission.denied"), (SARA, None)])
def test_agents_undo_their_own_and_supervisors_any(actor: Any, code: str | None) -> None:
    """H4, contract §3: Ana made the version."""
    bench = furnished()
    if code is None:
        bench.undo(3, actor=actor)
        assert bench.value("/commitments") == {}
    else:
        assert code_of(bench.undo, 3, actor=actor) == code
        assert bench.state.version == 3


def test_a_version_that_touched_nothing_and_rejected_nothing_cannot_be_undone() -> None:
    """H4: `undo.nothing`; undoing a rejection is one, and nothing is there to take back."""
    bench = furnished()
    bench.reject(tell(bench, "customer", OTHER, "um"))
    bench.undo(4)
    assert code_of(bench.undo, 5) == "undo.nothing"


# --- what becomes of the changes ----------------------------------------------------------------------------------


def test_undoing_a_rejection_returns_the_change_to_pending_and_forgets_it() -> None:
    """H4, V7: the same change proposed anew is no longer `previously_rejected`."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "um")
    bench.reject(held)
    event = bench.undo(4)
    assert (held.status, held.judgement.verdict, held.version) == ("pending", "allowed", None)
    assert event.cause["changes"] == [held.id]
    assert bench.propose(held.change)[0].judgement.verdict == "allowed"
    assert code_of(bench.undo, 4) == "undo.superseded"  # it was returned before


@pytest.mark.parametrize("edit", [None, Edit("outro valor")])
def test_undoing_an_acceptance_or_an_edit_returns_the_change_to_pending(edit: Edit | None) -> None:
    """H4: with a new verdict, and as it was proposed."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "um")
    version = bench.accept(held, edit=edit)
    bench.undo(version)
    assert (held.status, held.judgement.verdict, held.change.value) == ("pending", "allowed", "um")
    bench.accept(held)
    assert bench.value(OTHER) == "um"


def test_a_returned_change_is_judged_anew_and_refused_where_it_cannot_stand() -> None:
    """H4: its message is gone, so it is no longer pending."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "um")
    bench.reject(held)
    bench.delete("m-4")
    bench.undo(4)
    assert (held.status, held.judgement.code) == ("refused", "evidence.quote_not_found")


def test_undoing_a_batch_returns_all_of_it() -> None:
    """H4: accepted and rejected alike."""
    bench = Bench(a_type({OTHER: a_field(), P: a_field(), LEFT: a_field()}))
    held = [tell(bench, "customer", pointer, f"valor {pointer[7:]}") for pointer in (OTHER, P, LEFT)]
    bench.decide(held[:2], held[2:])
    event = bench.undo(1)
    assert [item.status for item in held] == ["pending"] * 3
    assert event.cause["changes"] == [item.id for item in held]
    assert bench.state.values["facts"] == {}


def test_a_decision_after_its_undo_is_a_new_decision() -> None:
    """H4, V4: accepted again it makes a new version; rejected instead, that too."""
    bench = furnished()
    held = tell(bench, "customer", OTHER, "um")
    assert bench.accept(held) == 4
    bench.undo(4)
    assert bench.reject(held) == 6
    bench.undo(6)
    assert bench.accept(held) == 8


def test_a_member_that_was_undone_and_added_again_has_a_new_id() -> None:
    """H4: no id is given twice."""
    bench = furnished()
    bench.undo(3)
    bench.accept(next(held for held in bench.changes.values() if held.change.path == "/commitments/-"))
    assert list(bench.value("/commitments")) == ["c-2"]


# --- versions -----------------------------------------------------------------------------------------------------


def test_an_expected_version_before_the_undone_one_is_a_conflict() -> None:
    """H4: its reader has not seen what they undo."""
    bench = furnished()
    bench.put(OTHER, "um")
    assert code_of(bench.undo, 4, expected=3) == "version.conflict"
    assert bench.undo(4, expected=4).version == 5


def test_an_undo_is_rebased_where_nothing_that_matters_was_touched() -> None:
    """H4, V2: elsewhere, yes; its pointers, what they depend on, and what would fall, no."""
    bench = furnished()
    bench.put(LEFT, "um")
    bench.put(OTHER, "dois")
    assert bench.undo(4, expected=4).version == 6

    bench = furnished()
    bench.put(LEFT, "um")
    bench.put(LEFT, "dois")
    assert code_of(bench.undo, 4, expected=4) == "version.conflict"
    assert code_of(bench.undo, 4, expected=5) == "undo.superseded"


def test_an_undo_leaves_alone_what_its_version_said_again_and_did_not_alter() -> None:
    """H4: /facts/end was held in the same words, so that the version touched it and changed nothing of it."""
    bench = without_visit()
    said = bench.say("customer", "um", "helena")
    bench.accept(bench.one("add", END, "um", (said, "um")))
    held = [bench.one("add", RIGHT, "um", (said, "um")), bench.one("add", END, "um", (said, "um"))]
    bench.accept(*held)
    before = bench.slot(END)
    bench.undo(bench.state.version)
    assert bench.slot(END) == before
    assert before.status.value == "current"


def test_an_undo_whose_cascade_changed_meanwhile_is_not_rebased() -> None:
    """H4, V2: /facts/end was first set since; its reader did not see that it would fall."""
    bench = without_visit()
    bench.put(RIGHT, "um")
    bench.put(END, "dois")
    assert code_of(bench.undo, 3, expected=3) == "version.conflict"
    bench.undo(3, expected=4)
    assert bench.status(END) == "needs_confirmation"


def test_an_undo_whose_ground_moved_meanwhile_is_not_rebased() -> None:
    """H4, V2: /facts/right depends on /facts/p; the withdrawal that is undone held nothing that could fall."""
    bench = without_visit()
    bench.put(RIGHT, "um")
    bench.put(RIGHT)
    bench.put(P, "novo")
    assert code_of(bench.undo, 4, expected=4) == "version.conflict"


def test_a_version_that_there_is_not_yet_is_a_conflict_and_nothing_happened_since() -> None:
    """H4, V2."""
    bench = furnished()
    with pytest.raises(DomainError) as caught:
        bench.undo(3, expected=9)
    assert (caught.value.code.value, caught.value.data) == ("version.conflict", {"current": 3, "since": []})


@pytest.mark.parametrize("events", [[], [2], [2, 3, 3], [3, 2], [1, 2, 3]])
def test_an_undo_is_handed_every_event_from_its_version_on(events: list[int]) -> None:
    """H4: what stands in its way must be seen; fewer, more or others are our own mistake."""
    bench = furnished()
    handed = [bench.events[number - 1] for number in events]
    message = "^`events` must hold every event from the undone version on, in order$"
    with pytest.raises(ValueError, match=message):
        undo(bench.state, 2, bench.desk(), 3, handed, "engano")
