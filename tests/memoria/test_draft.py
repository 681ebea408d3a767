"""The next version in the making: evidence put together, and what a draft refuses as our own mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.decisions import Edit
from memoria.draft import Draft, merged
from memoria.errors import Code, DomainError, Reason
from memoria.events import EventKind
from memoria.patch import MISSING
from memoria.proposals import Change, Evidence, Judgement, Verdict
from memoria.sources import Age, Author, Kind
from tests.memoria.bench import ANA, START, Bench, a_field, a_type, cite
from tests.memoria.steps import diamond, promise, take, tell

FRESH = Evidence("m-1", "quinta", 0, 6)
GONE = replace(FRESH, gone=True)
MARKED = replace(FRESH, ambiguous=True)
ELSEWHERE = replace(FRESH, start=9, end=15)
OTHER = Evidence("m-2", "quinta", 0, 6)
REWRITTEN = Evidence("m-1", "sextas", 0, 6)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ((), (), ()),
        ((FRESH,), (), (FRESH,)),
        ((), (FRESH,), (FRESH,)),
        ((FRESH,), (FRESH,), (FRESH,)),
        ((FRESH,), (MARKED,), (FRESH,)),  # the first stays as it was read
        ((MARKED,), (FRESH,), (MARKED,)),
        ((FRESH,), (GONE,), (FRESH,)),  # it stands again
        ((GONE,), (FRESH,), (FRESH,)),
        ((GONE,), (GONE,), (GONE,)),
        ((OTHER, GONE), (FRESH,), (OTHER, FRESH)),  # in its place
        ((FRESH,), (ELSEWHERE, OTHER, REWRITTEN), (FRESH, ELSEWHERE, OTHER, REWRITTEN)),
        ((OTHER,), (FRESH, OTHER, ELSEWHERE), (OTHER, FRESH, ELSEWHERE)),
    ],
)
def test_evidence_is_put_together_each_span_once(
    first: tuple[Evidence, ...], then: tuple[Evidence, ...], kept: tuple[Evidence, ...]
) -> None:
    """P3, E7: a span that stands again replaces its mark as gone."""
    assert merged(first, then) == kept


def test_the_inverse_goes_back_the_way_that_the_patch_came() -> None:
    """H1: last first, so that what was made within what was made before is taken back before it."""
    rows = {f"/facts/{name}": a_field() for name in "abc"}
    bench = Bench(a_type(rows))
    take(bench, "customer", "/facts/b", "antes")
    bench.accept(*(tell(bench, "customer", path, "depois") for path in rows))
    event = bench.events[-1]
    assert [operation.path for operation in event.patch] == list(rows)
    assert [(operation.op.value, operation.path) for operation in event.inverse] == [
        ("remove", "/facts/c"), ("replace", "/facts/b"), ("remove", "/facts/a"),
    ]  # fmt: skip
    assert event.touched == tuple(rows)
    assert tuple(event.slots) == tuple(rows)


CHANGE = Change("add", "/facts/a", "quinta")
REASON = Reason(Code.SOURCE_WEAKER, "P6", {"source": "customer"})
WHO = Author(Kind.CUSTOMER, "c-1", "Eva")


def a_draft() -> Draft:
    bench = Bench()
    return Draft(bench.state, bench.desk())


@pytest.mark.parametrize(
    ("change", "verdict"), [(CHANGE, Verdict.REFUSED), (Change("add", "/facts/z", "quinta"), Verdict.ALLOWED)]
)
def test_what_was_refused_is_not_taken(change: Change, verdict: Verdict) -> None:
    """4: it says by which reason."""
    with pytest.raises(DomainError) as caught:
        a_draft().take(change, Judgement(verdict, (REASON,), source="customer", author=WHO, age=Age(START, 1)))
    assert caught.value.reason == REASON


@pytest.mark.parametrize("missing", ["source", "author", "age"])
def test_a_judgement_that_knows_nobodys_words_is_our_own_mistake(missing: str) -> None:
    """E5."""
    whole: dict[str, object] = {"source": "customer", "author": WHO, "age": Age(START, 1)}
    judgement = Judgement(Verdict.ALLOWED, (REASON,), **{**whole, missing: None})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^a judgement that is no refusal has a source, an author and an age$"):
        a_draft().take(CHANGE, judgement)


def test_nothing_is_challenged_where_nothing_stands() -> None:
    """P6."""
    judgement = Judgement(Verdict.CONFLICT, (REASON,), source="customer", author=WHO, age=Age(START, 1))
    with pytest.raises(ValueError, match=r"^nothing stands at /facts/a that could be challenged$"):
        a_draft().take(CHANGE, judgement)


def test_within_a_draft_the_version_is_still_the_one_before() -> None:
    """M7: a decision's next change is judged against what its earlier ones made."""
    draft = a_draft()
    judgement = Judgement(Verdict.ALLOWED, (REASON,), source="customer", author=WHO, age=Age(START, 1))
    assert draft.take(CHANGE, judgement) == "/facts/a"
    inner = draft.state
    assert (inner.version, inner.values["facts"], list(inner.slots), dict(inner.minted)) == (
        0,
        {"a": "quinta"},
        ["/facts/a"],
        {},
    )
    assert draft.version == 1
    draft.take(Change("add", "/pending/-", {"question": "qual?"}), judgement)
    assert dict(draft.state.minted) == {"pending": 1}


def test_a_withdrawal_that_carries_a_value_holds_none_of_it() -> None:
    """C2."""
    bench = Bench(a_type({"/facts/a": a_field()}))
    take(bench, "customer", "/facts/a", "quinta")
    said = bench.say("customer", "não é mais quinta")
    bench.accept(*bench.propose(Change("remove", "/facts/a", "quinta", cite((said, "não é mais quinta")))))
    assert (bench.value("/facts/a"), bench.status("/facts/a")) == (MISSING, "open")


def test_a_new_member_says_who_mended_it() -> None:
    """E9."""
    bench = Bench(a_type())
    held = tell(bench, "customer", "/pending/-", {"question": "qal cor?"}, text="qal cor?")
    bench.accept(held, edit=Edit({"question": "qual cor?"}))
    slot = bench.slot("/pending/p-1")
    assert (slot.source, slot.edited_by) == ("customer", ANA.author)


def test_null_is_a_value_that_a_field_may_change_to_and_from() -> None:
    """K1: either way what depends on it falls."""
    rows = {"/facts/a": a_field(schema={"type": ["string", "null"]}, invalidates=["/facts/b"]), "/facts/b": a_field()}
    bench = Bench(a_type(rows))
    take(bench, "customer", "/facts/b", "quinta")
    for value in (None, "x", None):
        bench.put("/facts/a", value)
        assert bench.status("/facts/b") == "needs_confirmation"
        bench.confirm("/facts/b")


def test_a_promise_that_is_finished_forgets_the_ground_that_had_moved() -> None:
    """K2."""
    bench = Bench(diamond())
    promised = promise(bench)
    take(bench, "customer", "/facts/p", "novo")
    assert bench.slot(promised).ground is not None
    bench.put(promised + "/status", "done")
    slot = bench.slot(promised)
    assert (slot.status, slot.stale_because, slot.ground) == ("current", None, None)
    assert set(bench.events[-1].slots) == {promised, promised + "/status"}
    other = promise(bench)
    bench.put(other + "/status", "done")
    assert set(bench.events[-1].slots) == {other + "/status"}


def test_the_same_value_in_the_words_that_moved_its_ground_ends_the_doubt_and_forgets_the_ground() -> None:
    """P3, K8: words of the same message are not older than it."""
    bench = Bench(a_type({"/facts/a": a_field(invalidates=["/facts/b"]), "/facts/b": a_field()}))
    take(bench, "customer", "/facts/b", "quinta")
    said = bench.say("customer", "agora na Torre, e quinta mesmo")
    bench.accept(bench.one("add", "/facts/a", "Torre", (said, "agora na Torre")))
    assert bench.slot("/facts/b").ground is not None
    bench.accept(bench.one("add", "/facts/b", "quinta", (said, "quinta mesmo")))
    slot = bench.slot("/facts/b")
    assert (slot.status, slot.stale_because, slot.ground) == ("current", None, None)


def test_a_draft_that_wrote_before_it_goes_back_is_taken_back_whole() -> None:
    """H1, H4: the inverse of what is restored comes before the inverse of what was written first, and replaces none of it."""
    bench = Bench(a_type({"/facts/a": a_field(), "/facts/b": a_field()}))
    take(bench, "customer", "/facts/a", "antes")
    draft = Draft(bench.state, bench.desk())
    draft.take(
        Change("add", "/facts/b", "novo"),
        Judgement(Verdict.ALLOWED, (REASON,), source="customer", author=WHO, age=Age(START, 1)),
    )
    draft.restore(bench.events[0])
    event = draft.finish(EventKind.UNDO, {})
    then = bench.state.evolve(event)
    assert then.values["facts"] == {"b": "novo"}
    assert then.rewind(event).values == bench.state.values


def test_a_status_that_was_mended_into_the_one_it_has_says_who_mended_it() -> None:
    """E9, P3, P9: its first slot of its own."""
    bench = Bench(diamond())
    promised = promise(bench)
    held = tell(bench, "agent", promised + "/status", "in_progress", text="já vou", op="replace")
    bench.accept(held, edit=Edit("requested"))
    slot = bench.slot(promised + "/status")
    assert (bench.value(promised + "/status"), slot.source, slot.edited_by) == ("requested", "agent", ANA.author)
