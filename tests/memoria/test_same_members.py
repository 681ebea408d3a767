"""The same words make one member of a collection (rule M7)."""

from __future__ import annotations

import pytest

from memoria.patch import Json
from memoria.proposals import Caution, Change
from tests.memoria.bench import COLLECTIONS, Bench, a_field, a_type, cite
from tests.memoria.steps import take, tell

WORDS = "vou consultar a agenda e retorno hoje"
TASK: dict[str, Json] = {"task": "consultar a agenda", "owner": "team"}
SAMPLES: dict[str, tuple[str, dict[str, Json], dict[str, Json]]] = {
    # collection: (pointer of its first member, a member, the same words with all else different)
    "commitments": ("/commitments/c-1", TASK, {"task": "Consultar  a AGENDA", "owner": "customer", "kind": "visit"}),
    "pending": ("/pending/p-1", {"question": "que dia?"}, {"question": "Que dia?", "options": ["seg"], "status": "answered"}),
    "constraints": ("/constraints/k-1", {"text": WORDS}, {"text": WORDS.upper(), "applies_to": ["commitments:visit"]}),
    "decisions": ("/decisions/d-1", {"text": WORDS}, {"text": WORDS, "reason": "custa menos"}),
    "authorizations": ("/authorizations/a-1", {"action": "send", "scope": WORDS}, {"action": "send", "scope": WORDS}),
    "attempts": ("/attempts/t-1", {"action": "reiniciar"}, {"action": "REINICIAR", "status": "worked", "by": "team"}),
}


def bench_with(collection: str, who: str | None = None) -> Bench:
    everybody = {name: {**rules, "sources": ["agent", "customer"]} for name, rules in COLLECTIONS.items()}
    bench = Bench(a_type(collections=everybody))
    take(bench, who or "customer", f"/{collection}/-", SAMPLES[collection][1], text=f"{WORDS}. {WORDS.upper()}")
    return bench


@pytest.mark.parametrize("collection", SAMPLES)
def test_the_same_words_of_the_same_message_are_the_member_that_there_is(collection: str) -> None:
    """M7: white space and case do not count, nor does what else the change would say."""
    pointer, _, again = SAMPLES[collection]
    bench = bench_with(collection)
    before = bench.state.values
    quote = WORDS.upper() if collection == "constraints" else WORDS
    held = bench.one("add", f"/{collection}/-", again, ("m-1", quote))
    assert (held.judgement.verdict, held.judgement.same_as) == ("no_change", pointer)
    bench.accept(held)
    assert bench.state.values == before  # wrong: the second reading's owner, kind or status is taken


@pytest.mark.parametrize("collection", SAMPLES)
def test_the_same_words_in_another_message_are_another_member(collection: str) -> None:
    """M7: promising again is a new promise."""
    bench = bench_with(collection)
    held = tell(bench, "customer", f"/{collection}/-", SAMPLES[collection][1], text=WORDS)
    assert (held.judgement.verdict, held.judgement.same_as) == ("allowed", None)
    bench.accept(held)
    assert len(bench.value(f"/{collection}")) == 2


def test_only_the_primary_message_counts() -> None:
    """M7: the member's message in second place makes no sameness; nor does another message that the member cites second."""
    bench = bench_with("commitments")
    second = bench.say("agent", "isso mesmo, vou consultar")
    held = bench.one("add", "/commitments/-", TASK, (second, "vou consultar"), ("m-1", "retorno hoje"))
    assert held.judgement.verdict == "allowed"


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ({"action": "send", "scope": WORDS}, True),
        ({"action": "share", "scope": WORDS}, False),
        ({"action": "send", "scope": "retorno hoje"}, False),
    ],
)
def test_an_authorisation_is_the_same_when_both_action_and_scope_are(value: Json, same: bool) -> None:
    """M7."""
    bench = bench_with("authorizations")
    assert (bench.one("add", "/authorizations/-", value, ("m-1", WORDS)).judgement.verdict == "no_change") is same


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("consultar a agenda", True),
        ("  consultar\u00a0a \u200bagenda ", True),
        ("CONSULTAR A AGENDA", True),
        ("consultar à agenda", False),  # accents count
        ("consultar agenda", False),
    ],
)
def test_words_are_compared_as_quotes_are_without_regard_to_case(words: str, same: bool) -> None:
    """M7, E3."""
    held = bench_with("commitments").one("add", "/commitments/-", {**TASK, "task": words}, ("m-1", WORDS))
    assert (held.judgement.verdict == "no_change") is same


def test_accepting_the_same_member_puts_its_words_first_where_they_weigh_as_much() -> None:
    """M7, P3's first case: the same author, the same message; the member's version stays."""
    bench = bench_with("commitments")
    bench.accept(bench.one("add", "/commitments/-", TASK, ("m-1", "retorno hoje")))
    slot = bench.slot("/commitments/c-1")
    assert slot.evidence[0].quote == "retorno hoje"
    assert (len(slot.evidence), slot.since_version) == (2, 1)
    assert bench.state.minted["commitments"] == 1


def test_it_holds_within_a_decision() -> None:
    """M7: the second of two adds is the first, and gives no second id."""
    bench = Bench()
    said = bench.say("agent", WORDS)
    changes = [Change("add", "/commitments/-", TASK, cite((said, quote))) for quote in (WORDS, "vou consultar a agenda")]
    held = bench.propose(*changes)
    assert [item.judgement.verdict for item in held] == ["allowed", "allowed"]  # each alone
    bench.accept(*held)
    assert list(bench.value("/commitments")) == ["c-1"]
    entries = bench.events[0].cause["changes"]
    assert [(entry["verdict"], entry["pointer"]) for entry in entries] == [
        ("allowed", "/commitments/c-1"),
        ("no_change", "/commitments/c-1"),
    ]
    assert [item.quote for item in bench.slot("/commitments/c-1").evidence] == ["vou consultar a agenda", WORDS]


def test_a_statement_without_a_message_is_like_no_other() -> None:
    """M7: set twice, there are two."""
    bench = Bench()
    bench.put("/commitments/-", TASK)
    bench.put("/commitments/-", TASK)
    assert list(bench.value("/commitments")) == ["c-1", "c-2"]
    said = bench.say("agent", WORDS)
    assert bench.one("add", "/commitments/-", TASK, (said, WORDS)).judgement.verdict == "allowed"


def test_one_that_reopens_is_like_no_other() -> None:
    """M7, M3: though words and message are those of the promise that it reopens."""
    bench = bench_with("commitments", "agent")
    bench.put("/commitments/c-1/status", "done")
    bench.put("/commitments/-", {**TASK, "reopens": "c-1"}, evidence=cite(("m-1", "retorno hoje")), reason="faltou")
    assert bench.value("/commitments/c-2/reopens") == "c-1"


@pytest.mark.parametrize("collection", ["constraints", "decisions"])
def test_words_that_were_withdrawn_do_not_come_back_from_the_same_message(collection: str) -> None:
    """M7: `evidence.older_than_current`, in whatever case; from a new message they do, and from a statement."""
    pointer, value, _ = SAMPLES[collection]
    bench = bench_with(collection)
    take(bench, "customer", pointer)
    assert bench.one("add", f"/{collection}/-", value, ("m-1", WORDS)).judgement.code == "evidence.older_than_current"
    loud = bench.one("add", f"/{collection}/-", {"text": WORDS.upper()}, ("m-1", WORDS.upper()))
    assert loud.judgement.code == "evidence.older_than_current"
    assert tell(bench, "customer", f"/{collection}/-", value, text=WORDS).judgement.verdict == "allowed"
    bench.put(f"/{collection}/-", value, evidence=cite(("m-1", WORDS)))
    assert [identity[-1] for identity in bench.value(f"/{collection}")] == ["2"]


def test_what_was_withdrawn_by_a_resolution_does_not_come_back_either() -> None:
    """M7, P8: a weaker voice asked for it, and staff left it open."""
    bench = bench_with("constraints", "agent")
    take(bench, "customer", "/constraints/k-1")
    assert bench.status("/constraints/k-1") == "conflict"
    bench.resolve("/constraints/k-1", "open")
    assert bench.value("/constraints") == {}
    held = bench.one("add", "/constraints/-", {"text": WORDS}, ("m-1", WORDS))
    assert held.judgement.code == "evidence.older_than_current"


def test_an_add_that_was_undone_may_be_accepted_again() -> None:
    """M7, H4: undone is not withdrawn; its id is not given again."""
    bench = bench_with("constraints")
    bench.undo(1)
    assert bench.changes["h-1"].judgement.verdict == "allowed"
    bench.accept(bench.changes["h-1"])
    assert list(bench.value("/constraints")) == ["k-2"]


def test_a_finished_promise_is_still_the_same_promise() -> None:
    """M7: its words read again do not make it a task anew."""
    bench = bench_with("commitments", "agent")
    bench.put("/commitments/c-1/status", "cancelled")
    assert bench.one("add", "/commitments/-", TASK, ("m-1", WORDS)).judgement.same_as == "/commitments/c-1"


@pytest.mark.parametrize(
    ("task", "quote", "members"),
    [
        ("retornar ao cliente", "a agenda e retorno hoje", ("c-1",)),
        ("retornar ao cliente", "retorno hoje", ()),
        ("consultar a agenda", "a agenda e retorno hoje", ()),
    ],
    ids=["overlaps", "beside", "the same words"],
)
def test_other_words_on_an_overlapping_quote_may_be_a_duplicate(task: str, quote: str, members: tuple[str, ...]) -> None:
    """M7: a caution with the member's id, out of bulk acceptance; a person may still take it."""
    bench = Bench()
    said = bench.say("agent", WORDS)
    bench.accept(bench.one("add", "/commitments/-", TASK, (said, "vou consultar a agenda")))
    held = bench.one("add", "/commitments/-", {**TASK, "task": task}, (said, quote))
    assert held.judgement.cautions == ((Caution("possible_duplicate", members=members),) if members else ())
    assert held.judgement.bulk is (not members and held.judgement.verdict == "allowed")
    bench.accept(held)


def test_an_overlap_counts_in_the_same_message_and_collection_alone() -> None:
    """M7."""
    bench = Bench()
    said = bench.say("agent", WORDS)
    bench.accept(bench.one("add", "/commitments/-", TASK, (said, WORDS)))
    assert bench.one("add", "/attempts/-", {"action": "outra coisa"}, (said, WORDS)).judgement.cautions == ()
    assert tell(bench, "agent", "/commitments/-", {**TASK, "task": "outra"}, text=WORDS).judgement.cautions == ()
    assert bench.one("add", "/commitments/-", {**TASK, "task": "outra"}, ("m-1", "retorno")).judgement.cautions != ()


def test_quotes_that_only_touch_are_no_overlap() -> None:
    """M7: one ends where the other begins, on either side."""
    for first, then in (("ligar hoje", "/enviar amanhã"), ("/enviar amanhã", "ligar hoje")):
        bench = Bench()
        said = bench.say("agent", "ligar hoje/enviar amanhã")
        bench.accept(bench.one("add", "/commitments/-", TASK, (said, first)))
        evidence = bench.slot("/commitments/c-1").evidence[0]
        held = bench.one("add", "/commitments/-", {**TASK, "task": "outra"}, (said, then)).judgement
        assert evidence.end == held.evidence[0].start or held.evidence[0].end == evidence.start
        assert held.cautions == ()


def test_a_possible_duplicate_has_other_words_whatever_stands_before_it() -> None:
    """M7: the same words rest on another message first, so they are another member; those of other words are named, all."""
    bench = Bench()
    before = bench.say("agent", "consultar a agenda, então")
    said = bench.say("agent", WORDS)
    bench.accept(bench.one("add", "/commitments/-", TASK, (before, "consultar a agenda"), (said, WORDS)))
    for task in ("retornar ao cliente", "ver a agenda"):
        bench.accept(bench.one("add", "/commitments/-", {**TASK, "task": task}, (said, WORDS)))
    judgement = bench.one("add", "/commitments/-", TASK, (said, "consultar a agenda")).judgement
    assert judgement.verdict == "allowed"
    assert judgement.cautions == (Caution("possible_duplicate", members=("c-2", "c-3")),)


def test_only_the_first_quote_of_the_new_one_counts_for_a_possible_duplicate() -> None:
    """M7: its primary quote against every quote of those that there are."""
    bench = Bench()
    before, said = bench.say("agent", "fica assim"), bench.say("agent", WORDS)
    bench.accept(bench.one("add", "/commitments/-", TASK, (said, WORDS)))
    other = {**TASK, "task": "outra"}
    assert bench.one("add", "/commitments/-", other, (before, "fica assim"), (said, WORDS)).judgement.cautions == ()
    cautions = bench.one("add", "/commitments/-", other, (said, WORDS), (before, "fica assim")).judgement.cautions
    assert cautions == (Caution("possible_duplicate", members=("c-1",)),)


def test_a_members_status_is_no_member_though_its_words_are_the_same() -> None:
    """M7, P9: the message in which the promise was begun makes another, when it says so."""
    bench = bench_with("commitments", "agent")
    said = bench.say("agent", WORDS)
    bench.accept(bench.one("replace", "/commitments/c-1/status", "in_progress", (said, WORDS)))
    assert bench.one("add", "/commitments/-", TASK, (said, WORDS)).judgement.verdict == "allowed"


def test_a_field_and_another_collections_member_before_it_hide_no_member() -> None:
    """M7: nor does a field whose last name is the id of one stand for it."""
    rows = {"/facts/a": a_field(), "/facts/p-1": a_field()}
    bench = Bench(a_type(rows))
    said = bench.say("agent", f"{WORDS}, que dia?")
    bench.accept(bench.one("add", "/facts/a", "x", (said, WORDS)), bench.one("add", "/commitments/-", TASK, (said, WORDS)))
    bench.accept(bench.one("add", "/pending/-", {"question": "que dia?"}, (said, "que dia?")))
    assert bench.one("add", "/pending/-", {"question": "que dia?"}, (said, "que dia?")).judgement.same_as == "/pending/p-1"
    later = bench.say("agent", "que dia?")
    bench.accept(bench.one("add", "/facts/p-1", "y", (later, "que dia?")))
    assert bench.one("add", "/pending/-", {"question": "que dia?"}, (later, "que dia?")).judgement.verdict == "allowed"


@pytest.mark.parametrize(
    ("first", "then", "code"),
    [
        (("m-1", "m-2"), "m-2", "allowed.new_member"),  # it rested on the other first
        (("m-2", "m-1"), "m-2", "evidence.older_than_current"),
        (("m-2", "m-2"), "m-2", "evidence.older_than_current"),
        (("m-1", "m-1"), "m-2", "allowed.new_member"),
    ],
)
def test_what_was_withdrawn_is_known_by_its_primary_message(first: tuple[str, str], then: str, code: str) -> None:
    """M7."""
    bench = Bench()
    for _ in range(2):
        bench.say("customer", f"{WORDS}, certo")
    bench.accept(bench.one("add", "/constraints/-", {"text": WORDS}, (first[0], WORDS), (first[1], "certo")))
    take(bench, "customer", "/constraints/k-1")
    assert bench.one("add", "/constraints/-", {"text": WORDS}, (then, WORDS)).judgement.code == code
    assert bench.one("add", "/constraints/-", {"text": "certo"}, (then, "certo")).judgement.verdict == "allowed"


def test_what_was_stated_without_a_message_and_withdrawn_is_no_older_word() -> None:
    """M7, E9: it rested on none."""
    bench = Bench()
    bench.put("/constraints/-", {"text": WORDS})
    bench.put("/constraints/k-1")
    assert tell(bench, "customer", "/constraints/-", {"text": WORDS}, text=WORDS).judgement.verdict == "allowed"
