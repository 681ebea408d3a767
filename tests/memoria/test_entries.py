"""H1: what an event keeps of each change that was decided, in full; corrections and the history's sentences read it."""

from __future__ import annotations

from typing import Any

from memoria.decisions import Edit
from memoria.patch import MISSING
from tests.memoria.bench import SARA, Bench, a_field, a_type
from tests.memoria.steps import promise, take, tell

A, B = "/facts/a", "/facts/b"


def a_bench() -> Bench:
    return Bench(a_type({A: a_field("registry", "agent", "customer", invalidates=[B]), B: a_field("agent", "customer")}))


def kept(bench: Bench) -> dict[str, Any]:
    """The one entry of the newest event."""
    (entry,) = bench.events[-1].cause["changes"]
    found: dict[str, Any] = entry
    return found


def test_of_a_plain_acceptance() -> None:
    bench = a_bench()
    take(bench, "customer", B, "quinta")
    take(bench, "customer", A, "Torre")
    held = tell(bench, "agent", A, "Graças")
    bench.confirm(B)
    bench.accept(held)
    assert kept(bench) == {
        "id": held.id,
        "decision": "accepted",
        "pointer": A,
        "op": "add",
        "verdict": "allowed",
        "code": "allowed.stronger_source",
        "source": "agent",
        "cascade": [B],
        "value": "Graças",
        "was": "Torre",
    }


def test_of_a_withdrawal() -> None:
    bench = a_bench()
    take(bench, "customer", A, "Torre")
    held = tell(bench, "customer", A)
    bench.accept(held)
    assert kept(bench) == {
        "id": held.id,
        "decision": "accepted",
        "pointer": A,
        "op": "remove",
        "verdict": "allowed",
        "code": "allowed.same_author",
        "source": "customer",
        "cascade": [],
        "was": "Torre",
    }


def test_of_an_override() -> None:
    bench = a_bench()
    take(bench, "registry", A, "Torre")
    held = tell(bench, "customer", A, "Graças")
    bench.accept(held, override="ligou da loja", actor=SARA)
    entry = kept(bench)
    assert (entry["decision"], entry["verdict"], entry["code"]) == ("accepted", "conflict", "source.weaker")
    assert (entry["override"], entry["was"], entry["value"]) == ("ligou da loja", "Torre", "Graças")
    assert "proposed" not in entry
    assert "reason" not in entry


def test_of_the_same_member_again() -> None:
    """M7: the pointer is the member's, and so it is said."""
    bench = a_bench()
    promised = promise(bench)
    held = bench.one("add", "/commitments/-", {"task": "tarefa 1", "owner": "team"}, ("m-1", "a tarefa 1"))
    bench.accept(held)
    assert kept(bench) == {
        "id": held.id,
        "decision": "accepted",
        "pointer": promised,
        "op": "add",
        "verdict": "no_change",
        "code": "no_change.same_member",
        "source": "agent",
        "cascade": [],
        "value": {"task": "tarefa 1", "owner": "team"},
        "same_as": promised,
    }


def test_of_an_edit_with_and_without_a_reason() -> None:
    bench = a_bench()
    held = tell(bench, "customer", A, "Tore")
    bench.accept(held, edit=Edit("Torre"))
    entry = kept(bench)
    assert (entry["decision"], entry["value"], entry["proposed"]) == ("edited", "Torre", "Tore")
    assert "reason" not in entry
    held = tell(bench, "customer", A, "Graca")
    bench.accept(held, edit=Edit("Graças", None, "grafia"))
    assert (kept(bench)["reason"], kept(bench)["was"]) == ("grafia", "Torre")


def test_of_an_edit_that_changes_nothing() -> None:
    """E9: it is an acceptance; the reason that came with it was for an edit."""
    bench = a_bench()
    held = tell(bench, "customer", A, "Torre")
    bench.accept(held, edit=Edit("Torre", None, "grafia"))
    entry = kept(bench)
    assert entry["decision"] == "accepted"
    assert "proposed" not in entry
    assert "reason" not in entry


def test_of_a_withdrawal_that_is_edited_into_a_value() -> None:
    """E9: nothing was proposed to hold there."""
    bench = a_bench()
    take(bench, "customer", A, "Torre")
    held = tell(bench, "customer", A)
    bench.accept(held, edit=Edit("Graças"))
    entry = kept(bench)
    assert (entry["decision"], entry["op"], entry["value"], entry["was"]) == ("edited", "replace", "Graças", "Torre")
    assert "proposed" not in entry
    assert bench.value(A) == "Graças"


def test_of_cautions_that_were_seen() -> None:
    """K9."""
    bench = a_bench()
    take(bench, "customer", "/constraints/-", {"text": "nada na Torre", "applies_to": [A]}, text="nada na Torre")
    held = tell(bench, "customer", A, "Torre", text="não é na Torre")
    assert held.judgement.cautions
    bench.accept(held)
    assert kept(bench)["cautions"] == [{"kind": "constraint", "members": ["k-1"]}]


def test_of_rejections_with_and_without_a_value_and_a_reason() -> None:
    bench = a_bench()
    take(bench, "customer", A, "Torre")
    held, withdrawal = tell(bench, "customer", A, "Graças"), tell(bench, "customer", A, producer="outside")
    bench.reject(held)
    assert kept(bench) == {"id": held.id, "decision": "rejected", "pointer": A, "op": "add", "value": "Graças"}
    bench.reject(withdrawal, reason="é sim")
    assert kept(bench) == {
        "id": withdrawal.id,
        "decision": "rejected",
        "pointer": A,
        "op": "remove",
        "reason": "é sim",
    }
    assert bench.value(A) is not MISSING
