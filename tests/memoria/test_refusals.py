"""Section 4: every refusal in full: code, rule and data. Sentences, logs and programs are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoria.errors import Code
from memoria.patch import MISSING
from memoria.proposals import Change, Citation, Judgement
from tests.memoria.bench import Bench, a_field, a_type
from tests.memoria.steps import promise, take, tell
from tests.memoria.test_reasons import reason

A, FREE, WORDS, ORDER = "/facts/a", "/facts/livre", "/facts/literal", "/identifiers/pedido"
SOURCES = ["registry", "agent", "customer"]
NOT_DUE = "neither an ISO 8601 date, nor a datetime with a zone, nor null"
PROMISES = ["registry", "tool", "agent", "customer"]
AUTHORIZED = {"action": "send", "scope": "o orçamento"}


def a_bench() -> Bench:
    return Bench(
        a_type(
            {
                A: a_field(*SOURCES),
                FREE: a_field("customer", inference="flag"),
                WORDS: a_field(literal=True),
                ORDER: a_field(),
            }
        )
    )


def judged(kind: str, op: str, path: str, value: Any = MISSING, words: str = "foi dito assim", **more: Any) -> Judgement:
    """The verdict on a change that cites the one message there is."""
    return tell(a_bench(), kind, path, value, text=words, op=op, **more).judgement


def quoted(quote: str, text: str = "são R$ 1.500,00", reference: str = "m-1", **more: Any) -> Judgement:
    bench = a_bench()
    bench.say("customer", text, **more)
    return bench.one("add", A, "x", (reference, quote)).judgement


def deleted(quote: str) -> Judgement:
    bench = a_bench()
    bench.delete(bench.say("customer", quote))
    return bench.one("add", A, "x", ("m-1", quote)).judgement


def moved(part: str, value: Any, kind: str = "agent", first: str | None = None, **member: Any) -> Judgement:
    """A promise is made, perhaps moved once, and then asked to move (again)."""
    bench = a_bench()
    promised = promise(bench, **member)
    if first is not None:
        bench.put(promised + "/status", first)
    return tell(bench, kind, promised + part, value, text="isso mudou agora", op="replace").judgement


def member(collection: str, value: dict[str, Any], status: str, kind: str = "customer", first: str | None = None) -> Judgement:
    """A member of another collection is added, perhaps moved once, and asked to move."""
    bench = a_bench()
    words = "o orçamento; qual cor? trocar o cabo"
    take(bench, "customer" if collection == "authorizations" else "agent", f"/{collection}/-", value, text=words)
    pointer = next(iter(bench.state.slots))
    if first is not None:
        bench.put(pointer + "/status", first)
    return tell(bench, kind, pointer + "/status", status, text="isso mudou agora", op="replace").judgement


def rejected() -> Judgement:
    bench = a_bench()
    bench.reject(tell(bench, "customer", A, "x"))
    return bench.one("add", A, "x", ("m-1", "x")).judgement


def reopened(reference: str) -> Judgement:
    bench = a_bench()
    promise(bench)
    value = {"task": "voltar lá", "owner": "team", "reopens": reference}
    return tell(bench, "agent", "/commitments/-", value, text="voltar lá", op="add").judgement


def withdrawn() -> Judgement:
    bench = a_bench()
    said = bench.say("customer", "nada depois das 18h")
    bench.accept(bench.one("add", "/constraints/-", {"text": "nada depois das 18h"}, (said, "nada depois das 18h")))
    take(bench, "customer", "/constraints/k-1")
    return bench.one("add", "/constraints/-", {"text": "nada depois das 18h"}, (said, "nada depois das 18h")).judgement


def uncited() -> Judgement:
    return a_bench().propose(Change("add", A, "x"))[0].judgement


def one_too_many() -> Judgement:
    bench = Bench(a_type({"/items/{id}/a": a_field()}, groups={"items": {"most": 1}}))
    bench.put("/items/-/a", "x")
    return tell(bench, "customer", "/items/-/a", "x", op="add").judgement


REFUSALS: list[tuple[Callable[[], Judgement], str, str, dict[str, Any]]] = [
    (lambda: judged("agent", "test", A, "x"), "schema.operation_not_allowed", "2", {"op": "test"}),
    (lambda: judged("agent", "add", "/facts/z", "x"), "schema.unknown_path", "2", {"path": "/facts/z"}),
    (
        lambda: judged("agent", "replace", "/pending/-", {"question": "x"}),
        "schema.operation_not_allowed",
        "2",
        {"op": "replace", "path": "/pending/-"},
    ),
    (one_too_many, "schema.too_many_groups", "G2", {"most": 1}),
    (
        lambda: judged("agent", "add", A, 1),
        "schema.invalid_value",
        "2",
        {"detail": '1 is not of type "string"', "where": ""},
    ),
    (lambda: judged("agent", "add", A), "schema.invalid_value", "2", {"detail": "no value", "where": ""}),
    (
        lambda: judged("agent", "add", "/commitments/-", {"owner": "team"}),
        "schema.invalid_value",
        "2",
        {"detail": "missing", "where": "task"},
    ),
    (lambda: moved("/status", "feito"), "schema.invalid_value", "2", {"detail": "no such status", "where": ""}),
    (lambda: moved("/status", 1), "schema.invalid_value", "2", {"detail": "no such status", "where": ""}),
    (lambda: moved("/due", "sexta"), "schema.invalid_value", "2", {"detail": NOT_DUE, "where": ""}),
    (uncited, "evidence.missing", "E1", {}),
    (lambda: quoted("são", reference="m-9"), "evidence.unknown_message", "E2", {"message": "m-9"}),
    (lambda: quoted("s"), "evidence.quote_too_short", "E4", {"message": "m-1"}),
    (lambda: quoted("a", "X a X"), "evidence.quote_too_short", "E4", {"message": "m-1"}),
    (lambda: quoted(" \u200b"), "evidence.quote_too_short", "E4", {"message": "m-1"}),
    (lambda: deleted("s"), "evidence.quote_too_short", "E4", {"message": "m-1"}),
    (lambda: deleted("são"), "evidence.quote_not_found", "E3", {"message": "m-1"}),
    (lambda: quoted("foi"), "evidence.quote_not_found", "E3", {"message": "m-1"}),
    (lambda: quoted("são", automatic=True), "evidence.not_quotable", "E3", {"message": "m-1"}),
    (lambda: quoted("são", unquotable=((0, 3),)), "evidence.not_quotable", "E3", {"message": "m-1"}),
    (lambda: quoted("1.500"), "evidence.quote_cuts_word", "E8", {"message": "m-1"}),
    (
        lambda: judged("agent", "add", WORDS, "assado", "foi dito assim"),
        "evidence.value_not_in_quote",
        "E10",
        {"text": "assado"},
    ),
    (rejected, "change.previously_rejected", "V7", {}),
    (lambda: judged("tool", "add", A, "x"), "source.not_allowed", "P1", {"source": "tool", "sources": SOURCES}),
    (
        lambda: judged("tool", "add", FREE, "x", inference=True),
        "source.not_allowed",
        "P1",
        {"source": "inference", "sources": ["customer"]},
    ),
    (lambda: judged("agent", "add", A, "x", inference=True), "source.inference_refused", "P1", {"sources": SOURCES}),
    (
        lambda: judged("agent", "add", "/authorizations/-", AUTHORIZED, "o orçamento"),
        "source.not_allowed",
        "A1",
        {"source": "agent", "sources": ["registry", "customer"]},
    ),
    (
        lambda: judged("customer", "add", "/authorizations/-", AUTHORIZED, "o orçamento", inference=True),
        "source.inference_refused",
        "A1",
        {"sources": ["registry", "customer"]},
    ),
    (
        lambda: member("authorizations", AUTHORIZED, "revoked", "tool"),
        "source.not_allowed",
        "A1",
        {"source": "tool", "sources": ["registry", "customer"]},
    ),
    (
        lambda: moved("/status", "in_progress", "third_party"),
        "source.not_allowed",
        "P1",
        {"source": "third_party", "sources": PROMISES},
    ),
    (
        lambda: moved("/status", "requested", first="in_progress"),
        "commitment.invalid_transition",
        "M3",
        {"from": "in_progress", "to": "requested"},
    ),
    (
        lambda: moved("/status", "done", "customer"),
        "commitment.completion_not_evidenced",
        "M1",
        {"owner": "team", "status": "done"},
    ),
    (
        lambda: moved("/status", "failed", "customer", owner="third_party"),
        "commitment.completion_not_evidenced",
        "M1",
        {"owner": "third_party", "status": "failed"},
    ),
    (lambda: moved("/status", "cancelled", "tool"), "commitment.cancel_not_permitted", "M4", {}),
    (
        lambda: moved("/due", "2026-12-07", first="done"),
        "commitment.invalid_transition",
        "M9",
        {"from": "done", "to": None},
    ),
    (
        lambda: reopened("c-1"),
        "commitment.invalid_transition",
        "M3",
        {"from": None, "to": "reopened", "reopens": "c-1"},
    ),
    (
        lambda: member("pending", {"question": "qual cor?"}, "withdrawn", first="answered"),
        "pending.invalid_transition",
        "M3",
        {"from": "answered", "to": "withdrawn"},
    ),
    (
        lambda: member("attempts", {"action": "trocar o cabo"}, "suggested"),
        "attempt.invalid_transition",
        "M8",
        {"from": "tried", "to": "suggested"},
    ),
    (
        lambda: member("authorizations", AUTHORIZED, "granted", first="revoked"),
        "authorization.invalid_transition",
        "M8",
        {"from": "revoked", "to": "granted"},
    ),
    (withdrawn, "evidence.older_than_current", "M7", {"than": None}),
]


@pytest.mark.parametrize(("call", "code", "rule", "data"), REFUSALS, ids=[f"{row[1]}-{row[2]}" for row in REFUSALS])
def test_a_refusal_names_its_code_its_rule_and_what_the_sentence_needs(
    call: Callable[[], Judgement], code: str, rule: str, data: dict[str, Any]
) -> None:
    judgement = call()
    assert judgement.refused
    assert reason(judgement) == (code, rule, data)


def test_every_refusal_of_a_change_is_in_the_table() -> None:
    """P7's own is told with the voices: `test_reasons`."""
    order = list(Code)
    refusals = order[order.index(Code.OPERATION_NOT_ALLOWED) : order.index(Code.DUPLICATE_POINTER)]
    assert {row[1] for row in REFUSALS} == {code.value for code in refusals}


def test_what_is_allowed_of_members_and_what_is_the_same_is_told_too() -> None:
    """P9, P2, P3, M7."""
    bench = a_bench()
    promised = promise(bench)
    started = tell(bench, "agent", promised + "/status", "in_progress", text="já comecei").judgement
    assert reason(started) == ("allowed.transition", "P9", {"from": "requested", "to": "in_progress", "source": "agent"})
    again = bench.one("add", "/commitments/-", {"task": "tarefa 1", "owner": "team"}, ("m-1", "a tarefa 1")).judgement
    assert reason(again) == ("no_change.same_member", "M7", {"member": promised})
    assert again.same_as == promised
    other = tell(bench, "customer", "/pending/-", {"question": "qual cor?"}, text="qual cor?").judgement
    assert reason(other) == ("allowed.new_member", "P2", {"source": "customer"})
    assert reason(tell(bench, "agent", promised + "/status", "requested", text="segue").judgement) == (
        "no_change.same_value", "P3", {},
    )  # fmt: skip


def test_a_refusal_tells_whose_words_were_weighed_and_a_malformed_one_nobodys() -> None:
    """4: source, author and age come with the verdict once the evidence stands."""
    weighed = judged("tool", "add", A, "x")
    assert (weighed.source, weighed.age and weighed.age.number, weighed.current_value) == ("tool", 1, MISSING)
    assert [item.quote for item in weighed.evidence] == ["foi dito assim"]
    assert (weighed.cascade, weighed.cautions, weighed.same_as) == ((), (), None)
    malformed = judged("tool", "add", A, 1)
    assert (malformed.source, malformed.author, malformed.age, malformed.evidence) == (None, None, None, ())
    bench = a_bench()
    take(bench, "customer", A, "held")
    held = bench.propose(Change("add", A, 1, (Citation("m-1", "held"),)))[0].judgement
    assert held.current_value == "held"
    uncited_over_held = bench.propose(Change("add", A, "x"))[0].judgement
    assert (uncited_over_held.code.value, uncited_over_held.current_value) == ("evidence.missing", "held")
    assert bench.one("add", A, "x", ("m-9", "held")).judgement.current_value == "held"


def test_a_fields_value_that_reads_like_a_revocation_gives_no_right() -> None:
    """P1, A1: it is the status of an authorisation that customers may revoke, and no field of that name."""
    bench = Bench(a_type({A: a_field("agent")}))
    assert tell(bench, "customer", A, "revoked").judgement.code == "source.not_allowed"


def test_only_a_promise_is_completed_by_its_performer() -> None:
    """P1, M1: an attempt that failed is told by the sources of its collection, where there are no promises at all too."""
    bench = Bench(a_type(collections={"attempts": {"sources": ["agent"]}}))
    take(bench, "agent", "/attempts/-", {"action": "trocar o cabo"}, text="trocar o cabo")
    held = tell(bench, "customer", "/attempts/t-1/status", "failed", text="não funcionou", op="replace")
    assert held.judgement.code == "source.not_allowed"


def older_status() -> Judgement:
    """P7: words from before those that began the promise."""
    bench = a_bench()
    promised = promise(bench, at=5)
    take(bench, "agent", promised + "/status", "in_progress", op="replace", at=20)
    return tell(bench, "agent", promised + "/status", "done", op="replace", at=10).judgement


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: moved("/status", "requested", first="in_progress"), "commitment.invalid_transition"),
        (lambda: moved("/due", "2026-12-07", status="done"), "commitment.invalid_transition"),
        (lambda: reopened("c-1"), "commitment.invalid_transition"),
        (withdrawn, "evidence.older_than_current"),
        (older_status, "evidence.older_than_current"),
        (lambda: judged("agent", "add", FREE, "x"), "source.not_allowed"),
    ],
    ids=["status", "due", "reopens", "withdrawn", "older", "source"],
)
def test_a_refusal_after_its_evidence_stands_shows_that_evidence(call: Callable[[], Judgement], code: str) -> None:
    """4: whatever the check that refuses; a person sees what was read."""
    judgement = call()
    assert (judgement.verdict, judgement.code) == ("refused", code)
    assert len(judgement.evidence) == 1
    assert None not in (judgement.source, judgement.author, judgement.age)


def test_a_refusal_carries_no_caution() -> None:
    """K9, E4: what could not be taken needs no warning; the same change from a voice that may carries it."""
    bench = a_bench()
    take(bench, "agent", "/constraints/-", {"text": "sem isso", "applies_to": [A]}, text="sem isso")
    assert tell(bench, "tool", A, "x").judgement.cautions == ()
    assert [caution.kind for caution in tell(bench, "agent", A, "x").judgement.cautions] == ["constraint"]
