"""How promises, questions, attempts and permissions move (rules M1 to M5 and M8)."""

from __future__ import annotations

from itertools import product

import pytest

from memoria.patch import Json
from memoria.sources import Actor, Kind
from tests.memoria.bench import ANA, COLLECTIONS, SARA, Bench, a_field, a_type, cite, code_of
from tests.memoria.steps import promise, take, tell

EVERYBODY = ["registry", "tool", "agent", "customer", "third_party", "system", "assistant"]
OPEN_TO_ALL: dict[str, Json] = {
    **COLLECTIONS,
    "commitments": {**COLLECTIONS["commitments"], "sources": EVERYBODY},
    **{name: {"sources": EVERYBODY} for name in ("pending", "attempts")},
}
C1 = "/commitments/c-1"


def open_bench() -> Bench:
    return Bench(a_type(collections=OPEN_TO_ALL))


def outcome(bench: Bench, who: str, path: str, status: str, name: str | None = None) -> str:
    """The verdict on a move of status by somebody's message, or the code that refuses it."""
    judgement = tell(bench, who, path, status, text="foi isso que aconteceu", op="replace", name=name).judgement
    return judgement.code.value if judgement.refused else judgement.verdict.value


# --- transitions --------------------------------------------------------------------------------------------------

ALLOWED: dict[str, set[tuple[str, str]]] = {
    "commitments": {
        ("requested", "in_progress"),
        ("requested", "done"),
        ("requested", "failed"),
        ("requested", "cancelled"),
        ("in_progress", "done"),
        ("in_progress", "failed"),
        ("in_progress", "cancelled"),
    },
    "pending": {("open", "answered"), ("open", "withdrawn")},
    "attempts": {
        ("suggested", "tried"),
        ("suggested", "worked"),
        ("suggested", "failed"),
        ("tried", "worked"),
        ("tried", "failed"),
    },
    "authorizations": {("granted", "revoked")},
}
STATUSES = {name: sorted({status for pair in pairs for status in pair}) for name, pairs in ALLOWED.items()}
TABLE = [(name, start, end) for name in ALLOWED for start, end in product(STATUSES[name], repeat=2)]
CODES = {
    "commitments": "commitment.invalid_transition",
    "pending": "pending.invalid_transition",
    "attempts": "attempt.invalid_transition",
    "authorizations": "authorization.invalid_transition",
}
MEMBERS: dict[str, Json] = {
    "commitments": {"task": "ligar", "owner": "team"},
    "pending": {"question": "qual dia?"},
    "attempts": {"action": "reiniciar"},
    "authorizations": {"action": "send", "scope": "pode mandar"},
}


@pytest.mark.parametrize(("collection", "start", "end"), TABLE)
def test_a_status_moves_by_its_transitions_and_never_back(collection: str, start: str, end: str) -> None:
    """M3 and M8: the whole table; final ones are final, steps of an attempt may be skipped.

    The same status again is no transition but P3's `no_change`, for a final one too.
    """
    bench = Bench()
    who = "customer" if collection == "authorizations" else "agent"
    added = tell(bench, who, f"/{collection}/-", {**MEMBERS[collection], "status": start}, text="pode mandar")
    assert added.judgement.verdict == "allowed"  # M8: a member may be added in any of its statuses
    bench.accept(added)
    pointer = list(bench.state.slots)[-1]
    got = outcome(bench, who, pointer + "/status", end)
    if start == end:
        assert got == "no_change"
    elif (start, end) in ALLOWED[collection]:
        assert got == "allowed"
    else:
        assert got == CODES[collection]


def test_a_move_is_written_into_the_member_and_gets_a_slot_of_its_own() -> None:
    """M3, C1: the status slot links to the member's version."""
    bench = Bench()
    promise(bench)
    take(bench, "agent", C1 + "/status", "in_progress", text="já estou vendo", op="replace")
    assert bench.value(C1 + "/status") == "in_progress"
    slot = bench.slot(C1 + "/status")
    assert slot.replaces is not None
    assert (slot.status, slot.since_version, slot.replaces.version, slot.replaces.value) == ("current", 2, 1, "requested")
    assert bench.slot(C1).since_version == 1


def test_a_status_is_never_removed() -> None:
    """M3: a known pointer that does not take the operation."""
    bench = Bench()
    promise(bench)
    assert tell(bench, "agent", C1 + "/status").judgement.code == "schema.operation_not_allowed"


def test_an_older_word_does_not_move_a_status_on() -> None:
    """P9 with P7: before its first change the member's slot is looked at, then its own."""
    bench = Bench()
    promise(bench, at=10)
    assert (
        tell(bench, "agent", C1 + "/status", "in_progress", op="replace", at=5).judgement.code == "evidence.older_than_current"
    )
    take(bench, "agent", C1 + "/status", "in_progress", op="replace", at=30)
    assert tell(bench, "agent", C1 + "/status", "done", op="replace", at=20).judgement.code == "evidence.older_than_current"
    assert tell(bench, "tool", C1 + "/status", "done", op="replace", at=20).judgement.verdict == "allowed"  # stronger


def test_a_weaker_voice_moves_a_status_without_a_conflict() -> None:
    """P9: P1, P3 and P7 alone; P6 does not hold, so the customer may cancel what the agent promised."""
    bench = Bench()
    promise(bench)
    assert outcome(bench, "customer", C1 + "/status", "cancelled") == "allowed"  # wrong: conflict, source.weaker


# --- M1 and M2 ----------------------------------------------------------------------------------------------------

KINDS = ("customer", "third_party", "agent", "assistant", "tool", "registry", "system")
PERFORMS = {"team": {"agent"}, "customer": {"customer"}, "third_party": {"third_party"}, "Beto": set()}


@pytest.mark.parametrize("status", ["done", "failed"])
@pytest.mark.parametrize(("owner", "kind"), list(product(PERFORMS, KINDS)))
def test_only_a_completion_source_or_the_performer_completes(owner: str, kind: str, status: str) -> None:
    """M1, and M2 for the assistant: by owner and the kind of the primary message's author."""
    bench = open_bench()
    promise(bench, owner=owner)
    completes = kind in {"tool", "registry"} | PERFORMS[owner]
    wanted = "allowed" if completes else "commitment.completion_not_evidenced"
    assert outcome(bench, kind, C1 + "/status", status) == wanted
    added = tell(bench, kind, "/commitments/-", {"task": "outra", "owner": owner, "status": status}, text="já foi feito")
    assert (added.judgement.verdict if completes else added.judgement.code) == wanted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "same"), [("Beto", True), ("beto", False), ("Ana", False)])
def test_an_owner_given_by_name_performs_through_a_message_of_that_name(kind: str, name: str, same: bool) -> None:
    """M1; an assistant of that name does not (M2)."""
    bench = open_bench()
    promise(bench, owner="Beto")
    completes = kind in {"tool", "registry"} or (same and kind != "assistant")
    wanted = "allowed" if completes else "commitment.completion_not_evidenced"
    assert outcome(bench, kind, C1 + "/status", "done", name=name) == wanted


@pytest.mark.parametrize("owner", PERFORMS)
@pytest.mark.parametrize("reported", [None, Kind.CUSTOMER, Kind.THIRD_PARTY, Kind.REGISTRY])
def test_a_statement_counts_as_words_of_the_agent_whatever_it_reports(owner: str, reported: Kind | None) -> None:
    """M1, E9: staff complete the team's promises. Reporting the customer's word completes no customer's promise."""
    sources = [*EVERYBODY, "customer_reported", "third_party_reported", "registry_reported"]
    collections = {**OPEN_TO_ALL, "commitments": {**OPEN_TO_ALL["commitments"], "sources": sources}}
    bench = Bench(a_type(collections=collections))
    promise(bench, owner=owner)
    if owner == "team":
        bench.put(C1 + "/status", "done", reported=reported)
        assert bench.value(C1 + "/status") == "done"
    else:
        code = code_of(bench.put, C1 + "/status", "done", reported=reported)
        assert code == "commitment.completion_not_evidenced"


@pytest.mark.parametrize(
    ("owner", "cited", "completes"),
    [("customer", "customer", True), ("customer", "agent", False), ("team", "assistant", True), ("customer", "tool", True)],
)
def test_a_statement_counts_beside_what_it_cites(owner: str, cited: str, completes: bool) -> None:
    """M1, E9: the member's word and the primary message's author, either of them."""
    bench = open_bench()
    promise(bench, owner=owner)
    evidence = cite((bench.say(cited, "já está feito"), "já está feito"))
    if completes:
        bench.put(C1 + "/status", "done", evidence=evidence)
    else:
        assert code_of(bench.put, C1 + "/status", "done", evidence=evidence) == "commitment.completion_not_evidenced"


def test_a_member_completes_a_promise_in_their_own_name() -> None:
    """M1, E9: the statement's author is the member."""
    bench = open_bench()
    promise(bench, owner="Beto")
    assert code_of(bench.put, C1 + "/status", "done") == "commitment.completion_not_evidenced"
    bench.put(C1 + "/status", "done", actor=Actor("member-beto", "Beto"))


def test_only_the_primary_message_completes() -> None:
    """M1: a tool's words in second place prove nothing."""
    bench = open_bench()
    promise(bench)
    by_customer, by_tool = bench.say("customer", "acho ótimo"), bench.say("tool", "visita realizada")
    quotes = ((by_customer, "ótimo"), (by_tool, "visita realizada"))
    first = bench.one("replace", C1 + "/status", "done", *quotes)
    assert first.judgement.code == "commitment.completion_not_evidenced"
    assert bench.one("replace", C1 + "/status", "done", *reversed(quotes)).judgement.verdict == "allowed"


def test_the_ticket_type_says_what_completes() -> None:
    """M1: "by default"; here the performer does not, and the system does."""
    rules = {"sources": EVERYBODY, "kinds": ["visit"], "completion_sources": ["system"]}
    bench = Bench(a_type(collections={"commitments": rules}))
    promise(bench)
    for kind in ("agent", "tool", "registry"):
        assert outcome(bench, kind, C1 + "/status", "done") == "commitment.completion_not_evidenced"
    assert outcome(bench, "system", C1 + "/status", "done") == "allowed"


@pytest.mark.parametrize(
    ("status", "wanted"),
    [("done", "allowed"), ("failed", "allowed"), ("in_progress", "source.not_allowed"), ("cancelled", "source.not_allowed")],
)
def test_a_completion_by_the_performer_needs_no_place_in_the_list_of_sources(status: str, wanted: str) -> None:
    """M1, A1, P1: a completion alone; and a completion source that the list leaves out is refused."""
    bench = Bench(a_type(collections={"commitments": {"sources": ["agent"], "kinds": ["visit"]}}))
    promise(bench, owner="customer")
    assert outcome(bench, "customer", C1 + "/status", status) == wanted
    assert outcome(bench, "tool", C1 + "/status", "done") == "source.not_allowed"
    added = tell(bench, "customer", "/commitments/-", {"task": "x", "owner": "customer", "status": status}, text="fiz isso")
    assert added.judgement.code == "source.not_allowed"  # an add does need its place


def test_a_promise_is_not_its_execution() -> None:
    """M1: who says what they will do completes nothing that another performs."""
    bench = Bench()
    promise(bench, owner="customer")
    assert outcome(bench, "agent", C1 + "/status", "done") == "commitment.completion_not_evidenced"
    assert bench.value(C1 + "/status") == "requested"


# --- M3 and M4 ----------------------------------------------------------------------------------------------------

REOPENED: dict[str, Json] = {"task": "visita de novo", "owner": "team", "reopens": "c-1"}


@pytest.mark.parametrize("status", ["requested", "in_progress", "done", "failed", "cancelled"])
def test_staff_reopen_a_finished_promise_by_a_new_one_with_a_reason(status: str) -> None:
    """M3: the finished one stays finished; one that is under way cannot be reopened."""
    bench = Bench()
    promise(bench, status=status)
    if status in ("requested", "in_progress"):
        assert code_of(bench.put, "/commitments/-", REOPENED, reason="voltou") == "commitment.invalid_transition"
        return
    bench.put("/commitments/-", REOPENED, reason="o defeito voltou")
    assert bench.value("/commitments/c-2/reopens") == "c-1"
    assert bench.value("/commitments/c-2/status") == "requested"
    assert bench.value(C1 + "/status") == status


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (REOPENED, None),
        (REOPENED, "  "),
        ({**REOPENED, "reopens": "c-9"}, "voltou"),
        ({**REOPENED, "reopens": ""}, "voltou"),
        ({**REOPENED, "reopens": "/commitments/c-1"}, "voltou"),
    ],
)
def test_reopening_needs_a_reason_and_a_finished_promise(value: Json, reason: str | None) -> None:
    """M3: else the same code; `reopens` is an id, not a pointer."""
    bench = Bench()
    promise(bench, status="done")
    assert code_of(bench.put, "/commitments/-", value, reason=reason) == "commitment.invalid_transition"


@pytest.mark.parametrize("who", ["agent", "tool", "customer"])
def test_a_proposal_reopens_nothing(who: str) -> None:
    """M3: by staff's `set` alone, though a reason is given and staff's words are cited."""
    bench = Bench()
    promise(bench, status="done")
    held = tell(bench, who, "/commitments/-", REOPENED, text="vamos refazer a visita", reason="voltou")
    assert held.judgement.code == "commitment.invalid_transition"


@pytest.mark.parametrize("kind", KINDS)
def test_cancelling_needs_the_customer_or_staff(kind: str) -> None:
    """M4: a tool that may complete may not cancel; nor does a promise added as cancelled get by."""
    bench = open_bench()
    promise(bench)
    permitted = kind in {"customer", "agent"}
    wanted = "allowed" if permitted else "commitment.cancel_not_permitted"
    added = tell(bench, kind, "/commitments/-", {"task": "outra", "owner": kind, "status": "cancelled"}, text="não vai ter")
    assert (added.judgement.verdict if permitted else added.judgement.code) == wanted
    assert outcome(bench, kind, C1 + "/status", "cancelled") == wanted


@pytest.mark.parametrize("reported", [None, Kind.THIRD_PARTY, Kind.REGISTRY])
def test_a_statement_cancels_as_staffs_whatever_it_reports_or_cites(reported: Kind | None) -> None:
    """M4, E9."""
    bench = open_bench()
    promise(bench)
    said = bench.say("third_party", "não vem mais")
    bench.put(C1 + "/status", "cancelled", reported=reported, evidence=cite((said, "vem mais")), actor=SARA)
    assert bench.value(C1 + "/status") == "cancelled"


# --- M5 -----------------------------------------------------------------------------------------------------------


def test_an_offer_is_a_question_and_neither_a_promise_nor_a_fact_until_it_is_answered() -> None:
    """M5: answering moves its status; the fact and the promise are changes of their own."""
    bench = Bench(a_type({"/facts/horario": a_field()}))
    take(bench, "agent", "/pending/-", {"question": "Quinta às 14h?", "options": ["quinta às 14h"]}, text="temos quinta às 14h")
    assert (bench.value("/pending/p-1/status"), bench.value("/commitments"), bench.value("/facts")) == ("open", {}, {})
    take(bench, "customer", "/pending/p-1/status", "answered", text="pode ser", op="replace")
    assert (bench.value("/pending/p-1/status"), bench.value("/commitments"), bench.value("/facts")) == ("answered", {}, {})
    assert bench.actor == ANA
