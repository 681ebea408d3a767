"""How a person confirms what is in doubt (rule K6)."""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING
from memoria.sources import Kind
from memoria.state import Confirmation, Stale
from tests.memoria.bench import ANA, RUI, Bench, a_field, a_type, cite, code_of
from tests.memoria.steps import promise, take, tell

P, A = "/facts/p", "/facts/a"


def doubtful(*sources: str, inferred: bool = False, by: str = "customer") -> Bench:
    """/facts/a holds "velho" and awaits confirmation, because /facts/p changed or because it is an inference."""
    row = a_field(*(sources or ("agent", "customer")), inference="flag")
    bench = Bench(a_type({P: a_field(invalidates=[A]), A: row}))
    take(bench, by, A, "velho", inference=inferred)
    if not inferred:
        take(bench, "customer", P, "novo")
    assert bench.status(A) == "needs_confirmation"
    return bench


def test_a_confirmed_value_is_current_and_says_by_whom_when_and_on_what_ground() -> None:
    """K6: it keeps its source, author, evidence and link; the doubt is gone."""
    bench = doubtful()
    before = bench.slot(A)
    event = bench.confirm(A, actor=RUI)
    after = bench.slot(A)
    assert (bench.value(A), after.status, after.stale_because, after.ground) == ("velho", "current", None, None)
    for name in ("source", "author", "evidence", "since_version", "replaces", "edited_by", "challengers"):
        assert getattr(after, name) == getattr(before, name), name  # wrong: the source becomes the agent's
    assert after.confirmed == Confirmation(RUI.author, event.at.isoformat(), "statement")
    assert (event.kind, event.patch) == ("confirmation", ())


GROUNDS: list[tuple[dict[str, Any], str]] = [
    ({}, "statement"),
    ({"reported": Kind.CUSTOMER}, "reported"),
    ({"evidence": cite(("m-3", "isso mesmo"))}, "evidence"),
    ({"evidence": cite(("m-3", "isso mesmo")), "reported": Kind.CUSTOMER}, "evidence"),
]


@pytest.mark.parametrize(("more", "ground"), GROUNDS)
def test_the_ground_is_the_first_that_fits_evidence_then_report_then_statement(more: dict[str, Any], ground: str) -> None:
    """K6."""
    bench = doubtful()
    bench.say("customer", "isso mesmo")
    bench.confirm(A, **more)
    confirmed = bench.slot(A).confirmed
    assert confirmed is not None
    assert confirmed.ground == ground


def test_new_evidence_is_added_behind_the_old() -> None:
    """K6: the value's own words stay first."""
    bench = doubtful()
    said = bench.say("customer", "isso mesmo")
    bench.confirm(A, evidence=cite((said, "isso mesmo")))
    assert [item.quote for item in bench.slot(A).evidence] == ["velho", "isso mesmo"]


@pytest.mark.parametrize(
    ("sources", "reported", "source"),
    [
        (("agent", "customer"), None, "agent"),
        (("agent", "customer", "customer_reported"), Kind.CUSTOMER, "customer_reported"),
        (("agent", "customer"), Kind.CUSTOMER, "agent"),
        (("agent", "customer", "registry_reported"), Kind.REGISTRY, "registry_reported"),
        (("agent", "customer", "third_party_reported"), Kind.THIRD_PARTY, "third_party_reported"),
        (("agent", "customer", "registry_reported"), Kind.CUSTOMER, "agent"),
    ],
)
def test_an_inference_takes_the_statements_source(sources: tuple[str, ...], reported: Kind | None, source: str) -> None:
    """K6, E9: it is an inference no more; its author is the member. Evidence decides no source here."""
    for evidence in ((), cite(("m-2", "isso mesmo"))):
        bench = doubtful(*sources, inferred=True)
        bench.say("customer", "isso mesmo")
        bench.confirm(A, reported=reported, evidence=evidence)
        assert (bench.slot(A).source, bench.slot(A).author) == (source, ANA.author)  # wrong: still `inference`
        assert bench.status(A) == "current"


@pytest.mark.parametrize("inferred", [False, True])
@pytest.mark.parametrize(
    ("reported", "cited", "code"),
    [
        (None, None, "source.not_allowed"),
        (Kind.CUSTOMER, None, "source.not_allowed"),  # the list names no `customer_reported`: it is the agent's
        (None, "assistant", "source.not_allowed"),
        (None, "agent", "source.not_allowed"),
        (None, "customer", None),
        (None, "registry", None),
    ],
)
def test_where_staffs_word_is_not_permitted_a_confirmation_needs_evidence_that_is(
    inferred: bool, reported: Kind | None, cited: str | None, code: str | None
) -> None:
    """K6: the field permits registry and customer alone. An inference takes the evidence's source, others keep theirs."""
    bench = doubtful("registry", "customer", inferred=inferred)
    evidence = cite((bench.say(cited, "isso mesmo"), "isso mesmo")) if cited else ()
    before = bench.state
    if code is not None:
        assert code_of(bench.confirm, A, reported=reported, evidence=evidence) == code
        assert bench.state == before
        return
    bench.confirm(A, reported=reported, evidence=evidence)
    assert bench.status(A) == "current"
    assert bench.slot(A).source == (cited if inferred else "customer")


def test_a_reported_source_that_the_field_names_is_permitted() -> None:
    """K6, E9: no evidence is needed then."""
    bench = doubtful("customer", "customer_reported", inferred=True)
    bench.confirm(A, reported=Kind.CUSTOMER)
    assert (bench.slot(A).source, bench.slot(A).author) == ("customer_reported", ANA.author)


@pytest.mark.parametrize(
    ("citation", "code"),
    [
        (("m-9", "isso"), "evidence.unknown_message"),
        (("m-1", "outra coisa"), "evidence.quote_not_found"),
        (("m-1", "v"), "evidence.quote_too_short"),
        (("m-1", "elh"), "evidence.quote_cuts_word"),
    ],
)
def test_evidence_of_a_confirmation_is_checked_like_any_other(citation: tuple[str, str], code: str) -> None:
    """K6 with E2 to E8."""
    bench = doubtful()
    before = bench.state
    assert code_of(bench.confirm, A, evidence=cite(citation)) == code
    assert bench.state == before


def test_only_what_awaits_confirmation_can_be_confirmed() -> None:
    """K6: `slot.wrong_status` for what is current, open, in conflict, or has no slot."""
    bench = Bench(a_type({f"/facts/{name}": a_field() for name in "abcd"}))
    take(bench, "customer", "/facts/a", "vale")
    take(bench, "customer", "/facts/b", "valia")
    take(bench, "customer", "/facts/b")
    take(bench, "agent", "/facts/c", "um")
    take(bench, "customer", "/facts/c", "outro")
    assert [bench.status(f"/facts/{name}") for name in "abc"] == ["current", "open", "conflict"]
    for name in "abcd":
        assert code_of(bench.confirm, f"/facts/{name}") == "slot.wrong_status"
    assert code_of(bench.confirm, "/facts/e") == "schema.unknown_path"


def test_a_confirmation_is_made_once() -> None:
    """K6: the second one finds nothing that awaits it."""
    bench = doubtful()
    bench.confirm(A)
    assert code_of(bench.confirm, A) == "slot.wrong_status"


def test_a_confirmation_stands_until_the_value_changes() -> None:
    """K6: new words for the same value leave it; another value takes it away."""
    bench = doubtful()
    bench.confirm(A)
    take(bench, "customer", A, "velho")
    assert bench.slot(A).confirmed is not None
    take(bench, "customer", A, "outro")
    assert bench.slot(A).confirmed is None


def test_a_confirmation_stands_until_the_value_is_in_doubt_again() -> None:
    """K6 with E7: the evidence that came with it is edited away."""
    bench = doubtful()
    said = bench.say("customer", "isso mesmo")
    bench.confirm(A, evidence=cite((said, "isso mesmo")))
    bench.rewrite(said, "deixa para lá")
    slot = bench.slot(A)
    assert (slot.status, slot.confirmed, slot.stale_because) == ("needs_confirmation", None, Stale("evidence_changed"))


def test_a_confirmation_counts_as_made_at_its_moment() -> None:
    """K6, P7: words of the same weight from before it are older."""
    bench = doubtful()
    said = bench.say("customer", "tarde demais")
    bench.confirm(A)
    assert bench.one("add", A, "tarde demais", (said, "tarde demais")).judgement.code == "evidence.older_than_current"
    assert tell(bench, "customer", A, "agora sim").judgement.verdict == "allowed"


def test_what_awaits_confirmation_may_be_changed_instead() -> None:
    """K6, P2: by any permitted voice, or withdrawn."""
    bench = doubtful()
    bench.put(A)
    assert (bench.status(A), bench.value(A)) == ("open", MISSING)


def test_a_confirmation_at_an_older_version_is_rebased_unless_its_slot_or_ground_was_touched() -> None:
    """K6, V2."""
    for pointer, conflicts in ((P, True), (A, True), ("/facts/x", False)):
        row = a_field(inference="flag")
        bench = Bench(a_type({P: a_field(invalidates=[A]), A: row, "/facts/x": a_field()}))
        take(bench, "customer", A, "velho")
        take(bench, "customer", P, "novo")
        take(bench, "customer", pointer, "mais novo", inference=pointer == A)
        if conflicts:
            assert code_of(bench.confirm, A, expected=2) == "version.conflict"
        else:
            assert bench.confirm(A, expected=2).version == 4


@pytest.mark.parametrize("path", ["/commitments/c-9", "/commitments/c-1/task", "/commitments/c-9/due", "/constraints/k-1"])
def test_what_is_no_place_in_a_collection_cannot_be_confirmed(path: str) -> None:
    """K6, 2: a member that there is not, and a part of one that has no slot of its own."""
    bench = Bench(a_type())
    promise(bench)
    assert code_of(bench.confirm, path) == "schema.unknown_path"


@pytest.mark.parametrize("part", ["/status", "/due"])
def test_a_status_or_due_that_was_never_changed_has_nothing_to_confirm(part: str) -> None:
    """K6: its slot is its member's until then."""
    bench = Bench(a_type())
    assert code_of(bench.confirm, promise(bench) + part) == "slot.wrong_status"


def test_a_promise_whose_ground_was_spoken_of_since_is_not_confirmed_from_an_older_version() -> None:
    """V2: the confirmation depends on what invalidates the promise's kind, though that touched no slot but its own."""
    bench = Bench(a_type({P: a_field(invalidates=["commitments:visit"]), A: a_field()}))
    promised = promise(bench)
    take(bench, "customer", P, "novo")
    assert bench.status(promised) == "needs_confirmation"
    seen = bench.state.version
    take(bench, "customer", A, "outra coisa")
    bench.confirm(promised, expected=seen)
    take(bench, "customer", P, "mais novo")
    seen = bench.state.version
    take(bench, "customer", P, "mais novo")  # the same value again
    assert bench.events[-1].pointers == {P}
    assert code_of(bench.confirm, promised, expected=seen) == "version.conflict"
