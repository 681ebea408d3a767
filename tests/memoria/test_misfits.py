"""T1: a published version changes no state by itself; what no longer fits it is found."""

from __future__ import annotations

import pytest

from memoria.misfits import Misfit, Why, misfits
from memoria.patch import Json
from memoria.publishing import held_by
from tests.memoria.bench import Bench, a_field, a_type

VISITS = {"commitments": {"sources": ["agent"], "kinds": ["visit"]}, "constraints": {"sources": ["agent"]}}


def found(bench: Bench, **changes: Json) -> dict[str, str]:
    """What of the bench's state does not fit a type with these fields and collections."""
    ticket_type = a_type(changes.get("fields", FIELDS), collections=changes.get("collections", VISITS))
    return {item.pointer: item.why.value for item in misfits(bench.state.values, held_by(bench.state), ticket_type)}


FIELDS = {"/facts/bairro": a_field(), "/facts/horario": a_field()}


@pytest.fixture
def bench() -> Bench:
    bench = Bench(a_type(FIELDS, collections=VISITS))
    bench.put("/facts/bairro", "Torre")
    bench.put("/facts/horario", "14h")
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"})
    bench.put("/constraints/-", {"text": "nada de manhã", "applies_to": ["/facts/horario"]})
    return bench


def test_t1_what_still_fits_is_no_misfit(bench: Bench) -> None:
    assert found(bench) == {}


def test_t1_a_field_that_is_gone_and_one_whose_schema_refuses_its_value_are_found(bench: Bench) -> None:
    narrow = {"/facts/bairro": a_field(schema={"enum": ["Pina"]}), "/facts/outro": a_field()}

    assert found(bench, fields=narrow) == {
        "/facts/bairro": "value",
        "/facts/horario": "gone",
        "/constraints/k-1": "target",  # it applies to a field that is gone
    }


def test_t1_a_collection_that_is_gone_takes_its_members_along(bench: Bench) -> None:
    assert found(bench, collections={"commitments": VISITS["commitments"]}) == {"/constraints/k-1": "gone"}


def test_t1_a_kind_that_is_gone_is_found_while_its_commitment_is_unfinished(bench: Bench) -> None:
    kinds = VISITS | {"commitments": {"sources": ["agent"], "kinds": ["call"]}}
    assert found(bench, collections=kinds) == {"/commitments/c-1": "kind"}

    bench.put("/commitments/c-1/status", "cancelled")
    assert found(bench, collections=kinds) == {}


def test_t1_a_member_that_its_collection_would_not_take_is_found_by_its_value() -> None:
    held = {"commitments": {"c-1": {"owner": "team"}}}

    assert misfits(held, {"/commitments/c-1": "agent"}, a_type(FIELDS, collections=VISITS)) == (
        Misfit("/commitments/c-1", Why.VALUE),
    )


def test_t1_what_is_withdrawn_asks_for_nothing(bench: Bench) -> None:
    bench.put("/facts/horario")  # no value: it is withdrawn

    assert "/facts/horario" not in found(bench, fields={"/facts/bairro": a_field()})


def test_t1_a_misfit_names_pointer_and_reason(bench: Bench) -> None:
    ticket_type = a_type({"/facts/bairro": a_field()}, collections=VISITS)

    assert misfits(bench.state.values, {"/facts/horario": "agent"}, ticket_type) == (Misfit("/facts/horario", Why.GONE),)


def test_t1_a_source_that_may_not_say_it_any_more_is_found(bench: Bench) -> None:
    others = {"/facts/bairro": a_field("customer"), "/facts/horario": a_field()}

    assert found(bench, fields=others) == {"/facts/bairro": "source"}
    assert found(bench, collections=VISITS | {"constraints": {"sources": ["customer"]}}) == {"/constraints/k-1": "source"}


def test_t1_an_inference_fits_where_its_field_takes_one() -> None:
    bench = Bench(a_type({"/facts/a": a_field("customer", inference="flag")}))
    message = bench.say("customer", "parece azul")
    bench.accept(bench.one("add", "/facts/a", "azul", (message, "azul"), inference=True))

    assert found(bench, fields={"/facts/a": a_field("customer", inference="flag")}) == {}
    assert found(bench, fields={"/facts/a": a_field("customer")}) == {"/facts/a": "source"}


def test_t1_an_answered_question_and_a_revoked_authorisation_are_history() -> None:
    kept = {"pending": {"sources": ["agent"]}, "authorizations": {"sources": ["customer"]}}
    bench = Bench(a_type(FIELDS, collections=kept))
    bench.put("/pending/-", {"question": "que horas?", "status": "answered"})
    message = bench.say("customer", "pode ligar")
    granted = {"action": "contact", "scope": "pode ligar"}
    bench.accept(bench.one("add", "/authorizations/-", granted, (message, "pode ligar")))
    assert found(bench, collections={}) == {"/authorizations/a-1": "gone"}

    bench.put("/authorizations/a-1/status", "revoked")

    assert found(bench, collections={}) == {}
