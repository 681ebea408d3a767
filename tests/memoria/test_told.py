"""What a refusal and an event tell: code, rule and data in full, since sentences, history and programs are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.errors import DomainError
from memoria.patch import MISSING
from memoria.sources import Kind
from memoria.state import SlotStatus
from tests.memoria.bench import RUI, SARA, Bench, a_field, a_type, cite
from tests.memoria.steps import promise, take, tell

A, B = "/facts/a", "/facts/b"
RECORD = ("registry", "customer")


def a_bench() -> Bench:
    """`a` holds the registry's Torre, in conflict with a customer's Graças; `b` depends on it."""
    bench = Bench(a_type({A: a_field(*RECORD, invalidates=[B]), B: a_field("agent", "customer")}))
    take(bench, "registry", A, "Torre")
    return bench


def contested() -> Bench:
    bench = a_bench()
    take(bench, "customer", A, "Graças", name="Eva")
    return bench


def doubtful() -> Bench:
    bench = Bench(a_type({A: a_field(invalidates=[B]), B: a_field("customer", inference="flag")}))
    take(bench, "customer", B, "quinta")
    take(bench, "customer", A, "Torre")
    return bench


def refusal(call: Callable[[], Any]) -> tuple[str, str, dict[str, Any]]:
    with pytest.raises(DomainError) as caught:
        call()
    return caught.value.code.value, caught.value.rule, dict(caught.value.data)


def test_a_confirmation_that_is_not_due_names_the_pointer_and_its_status() -> None:
    bench = a_bench()
    assert refusal(lambda: bench.confirm(A)) == ("slot.wrong_status", "K6", {"pointer": A, "status": "current"})
    assert refusal(lambda: bench.confirm(B)) == ("slot.wrong_status", "K6", {"pointer": B, "status": None})
    assert refusal(lambda: bench.confirm("/facts/z")) == ("schema.unknown_path", "2", {"path": "/facts/z"})


def test_a_confirmation_without_a_permitted_source_names_the_source_and_the_order() -> None:
    bench = doubtful()
    data = {"source": "agent", "sources": ["customer"]}
    assert refusal(lambda: bench.confirm(B)) == ("source.not_allowed", "K6", data)


def test_a_confirmation_tells_its_path_its_ground_and_what_was_relayed() -> None:
    bench = Bench(a_type({A: a_field(invalidates=[B]), B: a_field("customer", "customer_reported", "agent")}))
    take(bench, "customer", B, "quinta")
    take(bench, "customer", A, "Torre")
    event = bench.confirm(B, reported=Kind.CUSTOMER)
    assert event.cause == {"path": B, "ground": "reported", "reported": "customer"}
    take(bench, "customer", A, "Graças")
    assert bench.confirm(B).cause == {"path": B, "ground": "statement", "reported": None}
    assert event.touched == (B,)


def test_a_resolution_without_a_conflict_names_the_pointer_and_its_status() -> None:
    bench = a_bench()
    call = lambda: bench.resolve(A, "current")  # noqa: E731 - a call to be refused
    assert refusal(call) == ("slot.wrong_status", "P8", {"pointer": A, "status": "current"})


@pytest.mark.parametrize("index", [None, -1, 1])
def test_a_challenger_that_is_not_there_is_named(index: int | None) -> None:
    bench = contested()
    call = lambda: bench.resolve(A, "challenger", challenger=index, actor=SARA)  # noqa: E731
    assert refusal(call) == ("slot.unknown_challenger", "P8", {"pointer": A, "challenger": index})


def test_a_weaker_challenger_is_denied_by_the_rule_of_resolutions() -> None:
    bench = contested()
    assert refusal(lambda: bench.resolve(A, "challenger", challenger=0)) == ("permission.denied", "P8", {})


def test_a_resolution_tells_what_was_held_and_what_was_taken() -> None:
    kept = contested().resolve(A, "current", reason="conferido")
    assert kept.cause == {"path": A, "choice": "current", "reason": "conferido", "was": "Torre"}
    taken = contested().resolve(A, "challenger", challenger=0, actor=SARA, reason="comprovante")
    assert taken.cause == {
        "path": A,
        "choice": "challenger",
        "reason": "comprovante",
        "was": "Torre",
        "challenger": 0,
        "value": "Graças",
    }
    opened = contested().resolve(A, "open", reason="ninguém sabe")
    assert opened.cause == {"path": A, "choice": "open", "reason": "ninguém sabe", "was": "Torre"}


def test_keeping_forgets_the_ground_that_had_moved() -> None:
    """P8: the resolution counts at its moment; older words do not stay in doubt for a ground that is settled (K8)."""
    bench = Bench(a_type({A: a_field(invalidates=[B]), B: a_field("registry", "agent", "customer", tie="conflict")}))
    take(bench, "registry", B, "quinta")
    take(bench, "customer", B, "sexta")
    take(bench, "customer", A, "Torre")
    assert bench.slot(B).stale_because is not None
    bench.resolve(B, "current")
    slot = bench.slot(B)
    assert (slot.status, slot.stale_because, slot.ground, slot.challengers) == (SlotStatus.CURRENT, None, None, ())


def test_a_challenger_taken_holds_though_its_ground_had_moved() -> None:
    """P8: taken now, it is no older word that K8 would leave in doubt."""
    bench = Bench(a_type({A: a_field(invalidates=[B]), B: a_field("registry", "agent", "customer")}))
    take(bench, "registry", B, "quinta")
    take(bench, "customer", B, "sexta")
    take(bench, "customer", A, "Torre")
    bench.resolve(B, "challenger", challenger=0, actor=SARA)
    assert (bench.status(B), bench.value(B)) == ("current", "sexta")


def test_the_same_voice_with_the_same_value_is_one_challenger_with_both_quotes() -> None:
    bench = contested()
    take(bench, "customer", A, "Graças", name="Eva", text="é Graças mesmo")
    (challenger,) = bench.slot(A).challengers
    assert [item.quote for item in challenger.evidence] == ["é Graças mesmo", "Graças"]
    take(bench, "customer", A, "Graças", name="Ivo")  # another voice
    take(bench, "customer", A, "Derby", name="Eva")  # another value
    assert [item.value for item in bench.slot(A).challengers] == ["Graças", "Graças", "Derby"]


def test_a_challenge_after_the_first_leaves_the_chain_of_corrections_alone() -> None:
    bench = a_bench()
    take(bench, "registry", A, "Derby")
    take(bench, "customer", A, "Graças")
    replaces = bench.slot(A).replaces
    assert replaces is not None
    assert (replaces.version, replaces.value) == (1, "Torre")


def test_an_undo_that_cannot_be_names_the_version_and_what_stands_in_its_way() -> None:
    bench = a_bench()
    assert refusal(lambda: bench.undo(7)) == ("undo.unknown_version", "H4", {"version": 7})
    assert refusal(lambda: bench.undo(1, actor=RUI)) == ("permission.denied", "H4", {})
    bench.undo(1)
    assert refusal(lambda: bench.undo(1)) == ("undo.superseded", "H4", {"version": 1, "by": 2})
    held = tell(bench, "customer", B, "quinta")
    bench.reject(held)
    bench.undo(3)
    assert refusal(lambda: bench.undo(4)) == ("undo.nothing", "H4", {"version": 4})


def test_an_undo_meant_for_an_earlier_version_tells_what_happened_since() -> None:
    bench = a_bench()
    take(bench, "customer", B, "quinta")
    code, rule, data = refusal(lambda: bench.undo(2, expected=1))
    assert (code, rule, data["current"], [row["version"] for row in data["since"]]) == ("version.conflict", "V2", 2, [2])


def test_a_stale_write_tells_who_did_what_since() -> None:
    bench = a_bench()
    bench.put(B, "sexta", actor=RUI)
    held = tell(bench, "customer", B, "quinta")
    code, rule, data = refusal(lambda: bench.accept(held, expected=1))
    (row,) = data["since"]
    assert (code, rule, data["current"]) == ("version.conflict", "V2", 2)
    assert row == {"version": 2, "kind": "statement", "by": "Rui", "at": bench.events[1].at.isoformat(), "pointers": [B]}


def test_a_second_decision_tells_which_change_was_decided_how() -> None:
    bench = a_bench()
    held = tell(bench, "customer", B, "quinta")
    bench.accept(held)
    code, rule, data = refusal(lambda: bench.reject(held))
    assert (code, rule) == ("change.already_decided", "V4")
    assert {key: data[key] for key in ("change", "status", "by", "at")} == {
        "change": held.id,
        "status": "accepted",
        "by": "",
        "at": None,
    }


def test_a_refused_or_superseded_change_is_named() -> None:
    bench = a_bench()
    refused = tell(bench, "agent", A, "Graças")
    assert refusal(lambda: bench.accept(refused)) == ("change.refused", "4", {"change": refused.id})
    older, _ = tell(bench, "customer", B, "quinta"), tell(bench, "customer", B, "sexta")
    assert refusal(lambda: bench.accept(older)) == ("change.superseded", "V6", {"change": older.id})


def test_a_decision_tells_of_each_change_what_became_of_it() -> None:
    bench = a_bench()
    edited, rejected = tell(bench, "customer", B, "quinta"), tell(bench, "customer", "/pending/-", {"question": "quinta"})
    bench.accept(edited, edit=Edit("quinta-feira", None, "grafia"))
    (entry,) = bench.events[-1].cause["changes"]
    assert entry == {
        "id": edited.id,
        "decision": "edited",
        "pointer": B,
        "op": "add",
        "verdict": "allowed",
        "code": "allowed.first_value",
        "source": "customer",
        "cascade": [],
        "value": "quinta-feira",
        "proposed": "quinta",
        "reason": "grafia",
    }
    bench.reject(rejected, reason="é pergunta")
    (entry,) = bench.events[-1].cause["changes"]
    assert entry == {
        "id": rejected.id,
        "decision": "rejected",
        "pointer": "/pending/-",
        "op": "add",
        "value": {"question": "quinta"},
        "reason": "é pergunta",
    }


def test_a_statement_tells_what_it_set_over_what_and_why() -> None:
    bench = a_bench()
    bench.put(B, "quinta")
    event = bench.put(B, "sexta", reason="remarcado", reported=Kind.CUSTOMER)
    assert event.cause == {
        "path": B,
        "op": "replace",
        "verdict": "allowed",
        "source": "agent",
        "reported": "customer",
        "reason": "remarcado",
        "value": "sexta",
        "was": "quinta",
    }
    withdrawn = bench.put(B)
    assert withdrawn.cause["op"] == "remove"
    assert "value" not in withdrawn.cause


def test_an_edited_or_deleted_message_is_named_by_its_event() -> None:
    bench = a_bench()
    event = bench.rewrite("m-1", "outra coisa")
    assert event is not None
    assert event.cause == {"message": "m-1", "how": "edited"}
    other = a_bench()
    event = other.delete("m-1")
    assert event is not None
    assert event.cause == {"message": "m-1", "how": "deleted"}


def test_a_status_repeated_before_its_first_change_keeps_its_members_version() -> None:
    """P3: the slot is made, and the value was given with the member."""
    bench = Bench(a_type())
    promised = promise(bench)
    bench.put(A, "x")
    take(bench, "agent", promised + "/status", "requested", text="segue pendente")
    slot = bench.slot(promised + "/status")
    assert (slot.since_version, slot.status, slot.source) == (1, SlotStatus.CURRENT, "agent")
    assert [item.quote for item in slot.evidence] == ["segue pendente"]


def test_a_withdrawal_of_nothing_makes_an_open_slot_of_this_version() -> None:
    """P3: there is no slot yet, so one is made."""
    bench = Bench(a_type())
    bench.put(A, MISSING)
    slot = bench.slot(A)
    assert (slot.since_version, slot.status, slot.replaces) == (1, SlotStatus.OPEN, None)


@pytest.mark.parametrize(
    ("first", "again", "same"),
    [
        ("quinta\u00a0feira", "quinta feira", True),
        ("quinta", "Quinta", False),  # case counts
        ([1, "a", None, True], [1.0, "a", None, True], True),
        ([1, "a"], ["a", 1], False),
        ([1], [True], False),
        ({"x": 1, "y": "«b»"}, {"y": '"b"', "x": 1}, True),
        ({"x": 1}, {"x": 1, "y": 2}, False),
        ("1", 1, False),
        (2.5, 2.5, True),
        (2.5, 2, False),
        (1, 2, False),
        (10**20, 1e20, True),
        ({"x": ["«b»", 2.0]}, {"x": ['"b"', 2]}, True),
        ({"x": ["b"]}, {"x": ["c"]}, False),
        (None, False, False),
    ],
)
def test_a_rejected_value_comes_back_refused_however_it_is_spelled(first: Any, again: Any, same: bool) -> None:
    """V7: texts as in E3, everything else as JSON has it."""
    bench = Bench(a_type({A: a_field(schema=True)}))
    said = bench.say("customer", "quinta")
    bench.reject(bench.one("add", A, first, (said, "quinta")))
    held = bench.one("replace", A, again, (said, "quinta"))
    assert (held.judgement.code.value == "change.previously_rejected") is same


def test_v7_tells_removals_paths_and_messages_apart() -> None:
    bench = Bench(a_type({A: a_field(), B: a_field()}))
    bench.put(A, "x")
    bench.put(B, "x")
    one, other = bench.say("customer", "não é isso"), bench.say("customer", "não é isso")
    bench.reject(bench.one("remove", A, MISSING, (one, "não é isso")))
    assert bench.one("remove", A, MISSING, (one, "não é isso")).judgement.code.value == "change.previously_rejected"
    assert not bench.one("remove", B, MISSING, (one, "não é isso")).judgement.refused
    assert not bench.one("remove", A, MISSING, (other, "não é isso")).judgement.refused
    assert not bench.one("replace", A, "não é isso", (one, "não é isso")).judgement.refused


def test_the_answered_question_carries_no_caution_and_any_other_does() -> None:
    """E11, E8: it must be earlier, and by the other side."""
    bench = Bench(a_type({A: a_field()}))
    question = bench.say("agent", "Pode ser quinta?", name="Ana")
    answer = bench.say("customer", "sim", name="Eva")
    later = bench.say("agent", "Quinta mesmo?", name="Ana")
    own = bench.say("customer", "Ou quinta?", name="Eva")

    def cautions(second: tuple[str, str]) -> list[tuple[str, int | None]]:
        held = bench.one("add", A, "quinta", (answer, "sim"), second)
        return [(caution.kind, caution.evidence) for caution in held.judgement.cautions]

    assert cautions((question, "Pode ser quinta?")) == []
    assert cautions((later, "Quinta mesmo?")) == [("question", 1)]
    assert cautions((own, "Ou quinta?")) == [("question", 1)]


@pytest.mark.parametrize(
    ("owner", "kind", "performs"),
    [
        ("team", "agent", True),
        ("team", "customer", False),
        ("customer", "customer", True),
        ("customer", "agent", False),
        ("third_party", "third_party", True),
        ("third_party", "customer", False),
        ("Bia", "third_party", True),  # by name
        ("Bia", "assistant", False),  # M2
    ],
)
def test_who_performs_may_say_that_it_is_done(owner: str, kind: str, performs: bool) -> None:
    """M1: by the owner; a performer needs no place in the collection's sources."""
    bench = Bench(a_type())
    promised = promise(bench, owner=owner)
    said = bench.say(kind, "pronto, está feito", name="Bia")
    held = bench.one("replace", promised + "/status", "done", (said, "está feito"))
    assert (not held.judgement.refused) is performs


def test_an_edit_with_other_evidence_is_cited_in_full() -> None:
    bench = a_bench()
    held = tell(bench, "customer", B, "quinta")
    other = bench.say("customer", "na sexta-feira")
    bench.accept(held, edit=Edit("sexta", cite((other, "na sexta-feira"))))
    slot = bench.slot(B)
    assert [item.message for item in slot.evidence] == [other]
    assert slot.edited_by is not None
    assert slot.edited_by.name == "Ana"


def test_a_question_of_ones_own_is_not_answered_by_oneself() -> None:
    """E11, E8: though it came before the answer."""
    bench = Bench(a_type({A: a_field()}))
    own = bench.say("customer", "Pode ser quinta?", name="Eva")
    answer = bench.say("customer", "sim", name="Eva")
    held = bench.one("add", A, "quinta", (answer, "sim"), (own, "Pode ser quinta?"))
    assert [(caution.kind, caution.evidence) for caution in held.judgement.cautions] == [("question", 1)]


def test_of_an_answered_question_every_other_caution_stays_with_its_words() -> None:
    """E11, E8: on the card and on the evidence that is kept."""
    bench = Bench(a_type({A: a_field()}))
    question = bench.say("agent", "Talvez quinta?", name="Ana")
    answer = bench.say("customer", "sim", name="Eva")
    held = bench.one("add", A, "quinta", (answer, "sim"), (question, "quinta"))
    assert [(caution.kind, caution.evidence, caution.words) for caution in held.judgement.cautions] == [("hedge", 1, "talvez")]
    assert [item.cautions for item in held.judgement.evidence] == [(), ("hedge",)]
    plain = bench.one("add", "/facts/a", "quinta", (question, "quinta"))
    assert [item.cautions for item in plain.judgement.evidence] == [("question", "hedge")]
