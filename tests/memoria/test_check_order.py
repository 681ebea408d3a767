"""Section 4, the verdict of a change: of two faults the earlier check's code is answered, and no other.

Operation, pointer, operation at that pointer, value, evidence item by item (E2, E4, E3, E8), E10, V7, source (P1, A1),
transition (M3, M1, M4, M8, M9; after P3 and M7), P7. Then P2, P4, P6, P5 decide.
"""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING, Json
from memoria.proposals import Change, Verdict
from tests.memoria.bench import Bench, Held, a_field, a_type, cite, code_of

TYPE: dict[str, Any] = {
    "/facts/a": a_field("registry", "customer"),
    "/facts/curto": a_field("customer", schema={"type": "string", "maxLength": 5}),
    "/identifiers/id": a_field("registry", "customer"),
}
SAID = "pedido AB-12345, moro no Derby"
PROMISE = "vou ligar amanhã"
CALL: dict[str, Json] = {"task": "ligar", "owner": "team"}


def desk() -> Bench:
    """m-1 is the customer's, m-2 a tool's that no field lists."""
    bench = Bench(a_type(TYPE))
    bench.say("customer", SAID)
    bench.say("assistant", SAID)
    return bench


def code(held: Held) -> str:
    assert len(held.judgement.reasons) == 1, "a refusal has one reason"
    return held.judgement.code.value


GONE: tuple[str, str] = ("m-9", "x")


@pytest.mark.parametrize(
    ("op", "path", "value", "evidence", "expected"),
    [
        # operation before everything
        ("move", "/nowhere", MISSING, [], "schema.operation_not_allowed"),
        # pointer before value and evidence
        ("add", "/nowhere", MISSING, [], "schema.unknown_path"),
        ("remove", "/commitments/c-9/status", MISSING, [GONE], "schema.unknown_path"),
        # operation at that pointer before value and evidence
        ("replace", "/commitments/-", MISSING, [], "schema.operation_not_allowed"),
        ("replace", "/commitments/-", {"task": 1}, [GONE], "schema.operation_not_allowed"),
        # value before evidence
        ("add", "/facts/curto", "comprido", [], "schema.invalid_value"),
        ("add", "/facts/curto", None, [GONE], "schema.invalid_value"),
        ("add", "/commitments/-", {"task": "ligar"}, [("m-1", "q")], "schema.invalid_value"),
        # E1 before E10 and source
        ("add", "/identifiers/id", "AB-99999", [], "evidence.missing"),
        # item by item: the first bad item speaks, whatever is wrong with the next
        ("add", "/facts/a", "x", [("m-1", "nunca dito"), GONE], "evidence.quote_not_found"),
        ("add", "/facts/a", "x", [("m-1", "q"), GONE], "evidence.quote_too_short"),
        ("add", "/facts/a", "x", [("m-1", "AB-123"), ("m-1", "q")], "evidence.quote_cuts_word"),
        ("add", "/facts/a", "x", [("m-1", SAID), GONE, ("m-1", "q")], "evidence.unknown_message"),
        # within an item E2, E4, E3
        ("add", "/facts/a", "x", [("m-9", "q")], "evidence.unknown_message"),
        ("add", "/facts/a", "x", [("m-1", "ç")], "evidence.quote_too_short"),
        # E3 before E10, E8 before E10
        ("add", "/identifiers/id", "AB-99999", [("m-1", "pedido AB-99999")], "evidence.quote_not_found"),
        ("add", "/identifiers/id", "AB-99999", [("m-1", "pedido AB-1234")], "evidence.quote_cuts_word"),
        # E8 before source, E10 before source
        ("add", "/facts/a", "x", [("m-2", "AB-123")], "evidence.quote_cuts_word"),
        ("add", "/identifiers/id", "AB-99999", [("m-2", SAID)], "evidence.value_not_in_quote"),
        ("add", "/constraints/-", {"text": "nunca dito"}, [("m-2", SAID)], "evidence.value_not_in_quote"),
    ],
)
def test_of_two_faults_the_earlier_check_speaks(
    op: str, path: str, value: Json, evidence: list[tuple[str, str]], expected: str
) -> None:
    """4: the order of the checks."""
    assert code(desk().one(op, path, value, *evidence)) == expected


# --- V7 between E10 and the source --------------------------------------------------------------------------------


def rejected(value: str = "AB-12345") -> Bench:
    bench = desk()
    held = bench.one("add", "/identifiers/id", value, ("m-1", SAID))
    bench.reject(held)
    return bench


def test_a_literal_that_stands_nowhere_comes_before_a_rejection() -> None:
    """4: E10 before V7. The field was not literal when the change was rejected."""
    bench = desk()
    bench.reject(bench.one("add", "/facts/a", "geladeira", ("m-1", SAID)))
    bench.ticket_type = a_type(TYPE | {"/facts/a": a_field("customer", literal=True)})
    assert code(bench.one("add", "/facts/a", "geladeira", ("m-1", SAID))) == "evidence.value_not_in_quote"


def test_a_rejection_comes_before_the_source() -> None:
    """4: V7 before P1. The customer was a source when the change was rejected."""
    bench = rejected()
    bench.ticket_type = a_type(TYPE | {"/identifiers/id": a_field("registry")})
    assert code(bench.one("add", "/identifiers/id", "AB-12345", ("m-1", SAID))) == "change.previously_rejected"


def test_a_rejection_comes_before_the_same_value() -> None:
    """4: V7 before P3. What was rejected holds meanwhile, by staff's statement."""
    bench = rejected()
    bench.ticket_type = a_type(TYPE | {"/identifiers/id": a_field("agent", "customer")})
    bench.put("/identifiers/id", "AB-12345")
    assert code(bench.one("add", "/identifiers/id", "AB-12345", ("m-1", SAID))) == "change.previously_rejected"


# --- the source before P3, the transition, P7 ----------------------------------------------------------------------


def test_the_source_comes_before_the_same_value() -> None:
    """4: P1 before P3."""
    bench = desk()
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "moro no Derby")))
    assert code(bench.one("add", "/facts/a", "Derby", ("m-2", "moro no Derby"))) == "source.not_allowed"


def test_the_source_comes_before_p7() -> None:
    """4: P1 before P7."""
    bench = desk()
    bench.say("customer", "moro na Torre")
    bench.accept(bench.one("add", "/facts/a", "Torre", ("m-3", "moro na Torre")))
    assert code(bench.one("add", "/facts/a", "Derby", ("m-2", "moro no Derby"))) == "source.not_allowed"
    assert code(bench.one("add", "/facts/a", "Derby", ("m-1", "moro no Derby"), inference=True)) == "source.inference_refused"


def promised(status: str = "requested") -> Bench:
    """c-1 by the agent in m-2, moved to `status` by the agent in m-3; m-1 is the customer's and older."""
    bench = Bench(a_type(TYPE))
    bench.say("customer", "pode cancelar, já ligaram")
    bench.say("agent", PROMISE)
    bench.accept(bench.one("add", "/commitments/-", CALL, ("m-2", PROMISE)))
    bench.say("agent", "cuidei disso")
    if status != "requested":
        bench.accept(bench.one("replace", "/commitments/c-1/status", status, ("m-3", "cuidei disso")))
    return bench


def test_the_source_comes_before_the_transition() -> None:
    """4: P1 before M3: a third party may not speak, and a finished commitment does not move."""
    bench = promised("done")
    bench.say("third_party", "não foi nada")
    held = bench.one("replace", "/commitments/c-1/status", "in_progress", ("m-4", "não foi nada"))
    assert code(held) == "source.not_allowed"


@pytest.mark.parametrize(("status", "expected"), [("done", "allowed.transition"), ("in_progress", "source.not_allowed")])
def test_of_all_moves_only_a_completion_by_the_performer_needs_no_listed_source(status: str, expected: str) -> None:
    """P1, A1: `a completion by the performer under M1 needs no place in the collection's sources`; a beginning does."""
    bench = promised()
    bench.accept(bench.one("add", "/commitments/-", CALL | {"task": "entregar", "owner": "third_party"}, ("m-2", PROMISE)))
    bench.say("third_party", "entregue")
    assert code(bench.one("replace", "/commitments/c-2/status", status, ("m-4", "entregue"))) == expected


def test_a_transition_that_is_not_listed_comes_before_who_may_make_it() -> None:
    """4: M3 before M1 and M4: `failed` after `done`, on the customer's word; `cancelled` after `done`, on a tool's."""
    bench = promised("done")
    bench.say("customer", "não ligaram")
    bench.say("tool", "chamada cancelada")
    held = bench.one("replace", "/commitments/c-1/status", "failed", ("m-4", "não ligaram"))
    assert code(held) == "commitment.invalid_transition"
    held = bench.one("replace", "/commitments/c-1/status", "cancelled", ("m-5", "chamada cancelada"))
    assert code(held) == "commitment.invalid_transition"


def test_the_same_status_is_no_transition() -> None:
    """4: M3 after P3: `done` again, of a finished one, is `no_change`."""
    bench = promised("done")
    bench.say("customer", "ligaram sim")
    held = bench.one("replace", "/commitments/c-1/status", "done", ("m-4", "ligaram sim"))
    assert held.judgement.verdict is Verdict.NO_CHANGE


def test_the_same_words_of_a_member_come_before_its_completion() -> None:
    """4: M1 after M7: the same promise again, added as `done` without evidence of it, names the member."""
    bench = promised()
    held = bench.one("add", "/commitments/-", CALL | {"owner": "customer", "status": "done"}, ("m-2", PROMISE))
    assert (held.judgement.verdict, held.judgement.same_as) == (Verdict.NO_CHANGE, "/commitments/c-1")


def test_the_same_due_of_a_finished_commitment_is_no_change() -> None:
    """4: M9 after P3."""
    bench = promised("done")
    held = bench.one("replace", "/commitments/c-1/due", None, ("m-3", "cuidei disso"))
    assert held.judgement.verdict is Verdict.NO_CHANGE
    held = bench.one("replace", "/commitments/c-1/due", "2026-03-12", ("m-3", "cuidei disso"))
    assert code(held) == "commitment.invalid_transition"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("done", "commitment.completion_not_evidenced"),  # M1 before P7: older, and the customer performs nothing here
        ("failed", "commitment.completion_not_evidenced"),
        ("in_progress", "evidence.older_than_current"),
        ("cancelled", "evidence.older_than_current"),  # M4 lets the customer, P7 does not
    ],
)
def test_the_transition_comes_before_p7(status: str, expected: str) -> None:
    """4: M before P7, on the customer's older words."""
    assert code(promised().one("replace", "/commitments/c-1/status", status, ("m-1", "já ligaram"))) == expected


def test_a_due_of_a_finished_commitment_comes_before_p7() -> None:
    """4: M9 before P7."""
    held = promised("done").one("replace", "/commitments/c-1/due", "2026-03-12", ("m-1", "já ligaram"))
    assert code(held) == "commitment.invalid_transition"


def test_p7_comes_before_the_weaker_source_and_before_the_tie() -> None:
    """4: refused, not `conflict`, so that no challenger is made of old words."""
    bench = Bench(a_type({"/facts/a": a_field("registry", "customer", tie="conflict")}))
    bench.say("customer", "moro no Derby", "Íris")
    bench.say("customer", "moro na Torre", "Helena")
    bench.accept(bench.one("add", "/facts/a", "Torre", ("m-2", "na Torre")))
    assert code(bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby"))) == "evidence.older_than_current"
    bench.say("registry", "Pina")
    bench.accept(bench.one("add", "/facts/a", "Pina", ("m-3", "Pina")))
    assert code(bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby"))) == "evidence.older_than_current"


# --- who is who in an authorisation --------------------------------------------------------------------------------


def test_the_source_of_a_revocation_comes_before_its_transition() -> None:
    """4: A1 before M8: a tool revokes what was revoked before."""
    bench = Bench(a_type(TYPE))
    bench.say("customer", "podem ligar")
    bench.say("tool", "bloqueado")
    value: dict[str, Json] = {"action": "contact", "scope": "ligar", "status": "granted"}
    bench.accept(bench.one("add", "/authorizations/-", value, ("m-1", "podem ligar")))
    bench.put("/authorizations/a-1/status", "revoked")
    assert code(bench.one("replace", "/authorizations/a-1/status", "granted", ("m-2", "bloqueado"))) == "source.not_allowed"
    bench.say("customer", "podem ligar sim")
    held = bench.one("replace", "/authorizations/a-1/status", "granted", ("m-3", "podem ligar sim"))
    assert code(held) == "authorization.invalid_transition"


# --- the whole of it again at the moment of applying ----------------------------------------------------------------


def test_verdicts_are_computed_again_when_the_change_is_decided() -> None:
    """4: allowed when it arrived, a conflict once the registry has spoken: accepting it replaces nothing (P6)."""
    bench = desk()
    bench.say("registry", "Torre")
    held = bench.one("add", "/facts/a", "Derby", (bench.say("customer", SAID), "moro no Derby"))
    assert held.judgement.verdict is Verdict.ALLOWED
    bench.accept(*bench.propose(Change("add", "/facts/a", "Torre", cite(("m-3", "Torre"))), producer="another"))
    bench.accept(held)
    assert (bench.value("/facts/a"), bench.status("/facts/a")) == ("Torre", "conflict")


def test_a_decision_names_the_code_of_the_check_that_fails_now() -> None:
    """4: the words are gone, or the type was published anew (T1); nothing is written."""
    bench = desk()
    held = bench.one("add", "/facts/a", "Derby", ("m-1", "moro no Derby"))
    bench.ticket_type = a_type({"/facts/b": a_field()})
    assert code_of(bench.accept, held) == "schema.unknown_path"
    bench.ticket_type = a_type(TYPE)
    bench.delete("m-1")
    assert code_of(bench.accept, held) == "evidence.quote_not_found"
    assert bench.state.version == 0


@pytest.mark.parametrize("path", ["/nowhere", "/facts/a", "/commitments/~2", "facts"])
def test_a_version_that_there_is_not_comes_before_the_slot(path: str) -> None:
    """Contract 3: `version.conflict`, then the slot's state and the domain's codes."""
    bench = desk()
    for call in (bench.put, bench.confirm, lambda path, **more: bench.resolve(path, "open", **more)):
        assert code_of(call, path, expected=1) == "version.conflict"
    known = path == "/facts/a"
    assert code_of(bench.confirm, path) == ("slot.wrong_status" if known else "schema.unknown_path")
    assert code_of(bench.resolve, path, "open") == ("slot.wrong_status" if known else "schema.unknown_path")
