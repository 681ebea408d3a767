"""Whose words permit something, and whose take it back (rule A1)."""

from __future__ import annotations

import pytest

from memoria.patch import Json
from memoria.sources import Kind
from tests.memoria.bench import COLLECTIONS, Bench, a_field, a_type, cite, code_of
from tests.memoria.steps import take, tell

KINDS = ("customer", "third_party", "agent", "assistant", "tool", "registry", "system")
SCOPE = "mandar o aparelho"
GRANT: dict[str, Json] = {"action": "send", "scope": SCOPE}
A1 = "/authorizations/a-1"


def bench_with_grant(**rules: Json) -> Bench:
    bench = Bench(a_type(collections={**COLLECTIONS, "authorizations": {"sources": ["registry", "customer"], **rules}}))
    take(bench, "customer", "/authorizations/-", GRANT, text=f"podem {SCOPE}")
    return bench


@pytest.mark.parametrize("status", ["granted", "revoked"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_authorisation_rests_on_the_words_of_the_customer_or_a_registry(kind: str, status: str) -> None:
    """A1, P1: its collection's sources; one that is added as revoked needs its place there too."""
    bench = Bench()
    held = tell(bench, kind, "/authorizations/-", {**GRANT, "status": status}, text=f"podem {SCOPE}")
    if kind in ("customer", "registry"):
        assert held.judgement.verdict == "allowed"
    else:
        assert held.judgement.code == "source.not_allowed"


def test_the_list_of_sources_is_the_ticket_types() -> None:
    """A1: "usually" the registry and the customer; here a third party too."""
    bench = bench_with_grant(sources=["customer", "third_party"])
    assert tell(bench, "third_party", "/authorizations/-", GRANT, text=SCOPE).judgement.verdict == "allowed"
    assert tell(bench, "registry", "/authorizations/-", GRANT, text=SCOPE).judgement.code == "source.not_allowed"


@pytest.mark.parametrize("path", ["/authorizations/-", A1 + "/status"])
def test_an_authorisation_is_never_inferred(path: str) -> None:
    """A1: whatever the fields' rule, and for a revocation too."""
    bench = Bench(a_type({"/facts/a": a_field(inference="flag")}))
    take(bench, "customer", "/authorizations/-", GRANT, text=f"podem {SCOPE}")
    value: Json = GRANT if path.endswith("-") else "revoked"
    op = "add" if path.endswith("-") else "replace"
    held = tell(bench, "customer", path, value, text=f"melhor não {SCOPE}", op=op, inference=True)
    assert held.judgement.code == "source.inference_refused"
    assert held.judgement.reasons[0].rule == "A1"


def test_a_preference_is_no_authorisation() -> None:
    """A1: it grants nothing by being held; the authorisation has words of its own, or there is none."""
    bench = Bench(a_type({"/preferences/contato": a_field("customer")}))
    take(bench, "customer", "/preferences/contato", "prefiro que liguem")
    assert bench.value("/authorizations") == {}
    held = bench.one("add", "/authorizations/-", {"action": "contact", "scope": "ligar sempre"}, ("m-1", "prefiro que liguem"))
    assert held.judgement.code == "evidence.value_not_in_quote"


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_revoked_by_the_customer_or_by_staff_and_by_nobody_else(kind: str) -> None:
    """A1: staff need no place in the list; the registry's place does not let it revoke."""
    bench = bench_with_grant()
    held = tell(bench, kind, A1 + "/status", "revoked", text="acabou", op="replace")
    if kind in ("customer", "agent"):
        assert held.judgement.verdict == "allowed"
        bench.accept(held)
        assert bench.value(A1 + "/status") == "revoked"
    else:
        assert held.judgement.code == "source.not_allowed"  # wrong for registry: allowed, as the list names it


def test_the_customer_revokes_though_the_list_leaves_them_out() -> None:
    """A1: a revocation needs no place in the list."""
    bench = Bench(a_type(collections={"authorizations": {"sources": ["registry"]}}))
    take(bench, "registry", "/authorizations/-", GRANT, text=f"podem {SCOPE}")
    assert tell(bench, "customer", A1 + "/status", "revoked", text="acabou", op="replace").judgement.verdict == "allowed"


@pytest.mark.parametrize("reported", [None, Kind.CUSTOMER, Kind.REGISTRY, Kind.THIRD_PARTY])
def test_a_statement_revokes_as_staffs(reported: Kind | None) -> None:
    """A1, E9: whatever it reports; beside what it cites."""
    bench = bench_with_grant()
    said = bench.say("third_party", "ele não quer mais")
    bench.put(A1 + "/status", "revoked", reported=reported, evidence=cite((said, "quer mais")))
    assert (bench.value(A1 + "/status"), bench.slot(A1 + "/status").source) == ("revoked", "agent")


@pytest.mark.parametrize("reported", [None, Kind.CUSTOMER])
def test_a_statement_grants_nothing_that_the_list_does_not_name(reported: Kind | None) -> None:
    """A1, E9: relaying the customer forges no customer's word, with their message cited or not."""
    bench = Bench()
    said = bench.say("customer", f"podem {SCOPE}")
    for evidence in ((), cite((said, SCOPE))):
        code = code_of(bench.put, "/authorizations/-", GRANT, reported=reported, evidence=evidence)
        assert code == "source.not_allowed"


def test_a_relayed_authorisation_is_granted_where_the_list_names_that_source() -> None:
    """A1, E9: `customer_reported` has a place of its own."""
    bench = Bench(a_type(collections={"authorizations": {"sources": ["customer", "customer_reported"]}}))
    assert code_of(bench.put, "/authorizations/-", GRANT) == "source.not_allowed"
    bench.put("/authorizations/-", GRANT, reported=Kind.CUSTOMER)
    assert (bench.value(A1 + "/status"), bench.slot(A1).source) == ("granted", "customer_reported")


def test_granting_again_is_a_new_one() -> None:
    """A1, M8: the revoked one is not revived."""
    bench = bench_with_grant()
    take(bench, "customer", A1 + "/status", "revoked", text="acabou", op="replace")
    again = tell(bench, "customer", A1 + "/status", "granted", text="mudei de ideia", op="replace")
    assert again.judgement.code == "authorization.invalid_transition"
    take(bench, "customer", "/authorizations/-", GRANT, text=f"agora podem {SCOPE}")
    assert [bench.value(f"/authorizations/a-{n}/status") for n in (1, 2)] == ["revoked", "granted"]
