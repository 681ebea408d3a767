"""Section 2 and T1, K4, contract 2: what a ticket type says, and what cannot be published."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from memoria.errors import Code
from memoria.fields import InvalidTicketType, TicketType, TypeProblem
from memoria.patch import Json
from tests.memoria.bench import COLLECTIONS, Bench, a_field, a_type

DOCUMENT: dict[str, Any] = {
    "slug": "assistencia-tecnica",
    "name": "Assistência técnica",
    "fields": {
        "/goal": a_field(label="Objetivo"),
        "/facts/a": a_field("registry", "customer", invalidates=["/facts/b", "commitments:visit"]),
        "/facts/b": a_field("customer"),
        "/identifiers/pedido": a_field("customer"),
    },
    "collections": COLLECTIONS,
}


def changed(where: str, value: Json) -> dict[str, Any]:
    """The document with `value` at a path of keys parted by `>`; `...` takes the key away."""
    document = copy.deepcopy(DOCUMENT)
    *parents, last = where.split(">")
    place = document
    for key in parents:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


def problems(document: Json) -> tuple[TypeProblem, ...]:
    with pytest.raises(InvalidTicketType) as refused:
        TicketType.from_document(document)
    assert refused.value.problems
    return refused.value.problems


# --- what it says --------------------------------------------------------------------------------------------------


def test_the_example_and_the_acceptance_types_are_read() -> None:
    """Contract 2: every ticket type of the acceptance set is one."""
    TicketType.from_document(DOCUMENT)
    shared = os.environ.get("LASTRO_SHARED")
    assert shared, "LASTRO_SHARED must name the folder with the acceptance ticket types"
    files = sorted((Path(shared) / "acceptance" / "ticket-types").glob("*.json"))
    assert files
    for file in files:
        read = TicketType.from_document(json.loads(file.read_text("utf-8")), 3)
        assert (read.slug, read.version) == (file.stem, 3)


def test_what_is_left_out_has_its_default() -> None:
    """Contract 2: tie `latest`, inference `refuse`, nothing invalidated, neither literal nor sensitive."""
    row = a_type({"/facts/a": {"label": "A", "schema": {"type": "string"}, "sources": ["customer"]}}).fields["/facts/a"]
    assert (row.tie, row.inference, row.invalidates, row.literal, row.sensitive) == ("latest", "refuse", (), False, False)


def test_an_identifier_is_literal_where_it_does_not_say() -> None:
    """Contract 2: `/identifiers/*` literal true."""
    fields = TicketType.from_document(DOCUMENT).fields
    assert fields["/identifiers/pedido"].literal
    assert not fields["/facts/a"].literal


def test_a_type_without_collections_is_one() -> None:
    """Contract 2: a collection left out takes no change."""
    document = changed("collections", ...)
    document["fields"]["/facts/a"]["invalidates"] = []
    assert dict(TicketType.from_document(document).collections) == {}


def test_completion_sources_left_out_are_tool_registry_and_the_performer() -> None:
    """M1: `by default`."""
    read = a_type(collections={"commitments": {"sources": ["agent"]}})
    assert read.collections["commitments"].completion_sources == ("tool", "registry", "performer")


# --- what is refused -----------------------------------------------------------------------------------------------

ROW = "fields>/facts/a>"
REFUSED: list[tuple[str, Json, str]] = [
    # (place, value, pointer of the problem)
    ("kind", "x", "/kind"),  # an unknown key is a mistake that nobody would notice
    ("slug", ..., "/slug"),
    ("slug", "Assistência", "/slug"),
    ("slug", "a/b", "/slug"),
    ("slug", "a\n", "/slug"),
    ("slug", "", "/slug"),
    ("name", ..., "/name"),
    ("name", " ", "/name"),
    ("name", 7, "/name"),
    ("fields", ..., "/fields"),
    ("fields", [], "/fields"),
    ("collections", [], "/collections"),
    ("fields>/facts/c", "texto", "/fields/~1facts~1c"),
    ("fields>facts/c", a_field(), "/fields/facts~1c"),
    ("fields>/c", a_field(), "/fields/~1c"),
    ("fields>", a_field(), "/fields/"),
    ("fields>/facts", a_field(), "/fields/~1facts"),
    ("fields>/facts/", a_field(), "/fields/~1facts~1"),
    ("fields>/facts/a/b", a_field(), "/fields/~1facts~1a~1b"),
    ("fields>/facts/~2", a_field(), "/fields/~1facts~1~02"),
    ("fields>/constraints/x", a_field(), "/fields/~1constraints~1x"),
    ("fields>/commitments/-", a_field(), "/fields/~1commitments~1-"),
    ("fields>/values/x", a_field(), "/fields/~1values~1x"),
    (ROW + "label", ..., "/fields/~1facts~1a/label"),
    (ROW + "label", "", "/fields/~1facts~1a/label"),
    (ROW + "description", 1, "/fields/~1facts~1a/description"),
    (ROW + "schema", ..., "/fields/~1facts~1a/schema"),
    (ROW + "schema", "string", "/fields/~1facts~1a/schema"),
    (ROW + "schema", {"type": "text"}, "/fields/~1facts~1a/schema"),
    (ROW + "schema", {"pattern": "("}, "/fields/~1facts~1a/schema"),
    (ROW + "schema", {"$ref": "https://example.test/schema.json"}, "/fields/~1facts~1a/schema"),
    (ROW + "schema", {"$ref": "file:///etc/passwd"}, "/fields/~1facts~1a/schema"),
    (ROW + "sources", ..., "/fields/~1facts~1a/sources"),
    (ROW + "sources", [], "/fields/~1facts~1a/sources"),
    (ROW + "sources", "customer", "/fields/~1facts~1a/sources"),
    (ROW + "sources", ["customer", "customer"], "/fields/~1facts~1a/sources"),
    (ROW + "sources", ["inference"], "/fields/~1facts~1a/sources"),  # P1: it follows a rule of its own
    (ROW + "sources", ["agent_reported"], "/fields/~1facts~1a/sources"),
    (ROW + "sources", ["client"], "/fields/~1facts~1a/sources"),
    (ROW + "tie", "first", "/fields/~1facts~1a/tie"),
    (ROW + "inference", "allow", "/fields/~1facts~1a/inference"),
    (ROW + "invalidates", "/facts/b", "/fields/~1facts~1a/invalidates"),
    (ROW + "invalidates", ["/facts/c"], "/fields/~1facts~1a/invalidates"),
    (ROW + "invalidates", ["commitments:refund"], "/fields/~1facts~1a/invalidates"),
    (ROW + "invalidates", ["commitments"], "/fields/~1facts~1a/invalidates"),
    (ROW + "invalidates", ["/facts/b", "/facts/b"], "/fields/~1facts~1a/invalidates"),
    (ROW + "literal", "yes", "/fields/~1facts~1a/literal"),
    (ROW + "sensitive", 1, "/fields/~1facts~1a/sensitive"),
    (ROW + "invalidate", ["/facts/b"], "/fields/~1facts~1a/invalidate"),
    ("collections>promises", {"sources": ["agent"]}, "/collections/promises"),
    ("collections>pending", [], "/collections/pending"),
    ("collections>pending", {}, "/collections/pending/sources"),
    ("collections>pending", {"sources": ["someone"]}, "/collections/pending/sources"),
    ("collections>pending", {"sources": ["agent"], "kinds": ["visit"]}, "/collections/pending/kinds"),
    ("collections>constraints", {"sources": ["agent"], "literal": True}, "/collections/constraints/literal"),
    ("collections>commitments>kinds", ["visit", "Return call"], "/collections/commitments/kinds"),
    ("collections>commitments>kinds", ["visit", "visit"], "/collections/commitments/kinds"),
    ("collections>commitments>completion_sources", ["assistant"], "/collections/commitments/completion_sources"),  # M2
    ("collections>commitments>completion_sources", ["owner"], "/collections/commitments/completion_sources"),
]


@pytest.mark.parametrize(("where", "value", "pointer"), REFUSED)
def test_a_document_that_is_no_ticket_type_says_where(where: str, value: Json, pointer: str) -> None:
    """Contract 2: `ticket_type.invalid`, each fault with the pointer into the document."""
    found = problems(changed(where, value))
    assert pointer in [problem.where for problem in found]
    assert {problem.code for problem in found} == {Code.TYPE_INVALID}


@pytest.mark.parametrize("document", [None, [], "tipo", 1, {}])
def test_what_is_no_object_with_fields_is_no_ticket_type(document: Json) -> None:
    """Contract 2."""
    assert problems(document)


def test_every_fault_is_told_at_once() -> None:
    """Contract 3: `errors[]`, so that an admin mends them in one go."""
    document = changed("slug", "X")
    document["fields"]["/facts/a"]["tie"] = "never"
    document["collections"] = {"promises": {}}
    assert {problem.where for problem in problems(document)} >= {"/slug", "/fields/~1facts~1a/tie", "/collections/promises"}


# --- circles (K4) --------------------------------------------------------------------------------------------------


def circle(**invalidates: list[str]) -> tuple[TypeProblem, ...]:
    fields = {f"/facts/{name}": a_field(invalidates=[f"/facts/{target}" for target in to]) for name, to in invalidates.items()}
    return problems({"slug": "x", "name": "X", "fields": fields})


@pytest.mark.parametrize(
    ("invalidates", "path"),
    [
        ({"a": ["a"]}, ["a", "a"]),
        ({"a": ["b"], "b": ["a"]}, ["a", "b", "a"]),
        ({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, ["a", "b", "c", "a"]),  # x leads in and is no part of it
        ({"a": ["b", "c"], "b": [], "c": ["d"], "d": ["b", "c"]}, ["c", "d", "c"]),
    ],
)
def test_a_circle_of_invalidations_cannot_be_published_and_its_path_is_named(
    invalidates: dict[str, list[str]], path: list[str]
) -> None:
    """K4: `ticket_type.cycle`."""
    (problem,) = circle(**invalidates)
    assert problem.code is Code.TYPE_CYCLE
    assert list(problem.path) == [f"/facts/{name}" for name in path]
    assert all(pointer in problem.detail for pointer in problem.path)


def test_a_diamond_is_no_circle_and_its_order_is_topological() -> None:
    """K4: a → b → d and a → c → d, with d named first: it comes once, behind both."""
    names = {"a": ["d", "b", "c"], "b": ["d"], "c": ["d"], "d": []}
    fields = {f"/facts/{name}": a_field(invalidates=[f"/facts/{to}" for to in targets]) for name, targets in names.items()}
    order = a_type(fields).dependents("/facts/a")
    assert sorted(order) == ["/facts/b", "/facts/c", "/facts/d"]
    assert order[-1] == "/facts/d"
    assert a_type(fields).grounds("/facts/d") == {"/facts/a", "/facts/b", "/facts/c"}


def test_a_chain_of_more_than_a_thousand_fields_is_read() -> None:
    """K4: a definition is input from outside; its depth breaks nothing."""
    fields = {f"/facts/f{n}": a_field(invalidates=[f"/facts/f{n + 1}"] if n < 1200 else []) for n in range(1201)}
    assert len(a_type(fields).dependents("/facts/f0")) == 1200
    fields["/facts/f1200"] = a_field(invalidates=["/facts/f0"])
    (problem,) = problems({"slug": "x", "name": "X", "fields": fields})
    assert len(problem.path) == 1202


# --- T1 ------------------------------------------------------------------------------------------------------------


def test_a_ticket_is_judged_by_the_version_published_at_that_moment_and_each_event_names_it() -> None:
    """T1: the same words, first refused, then allowed."""
    bench = Bench(a_type({"/facts/a": a_field("agent")}))
    bench.say("customer", "moro no Derby")
    bench.put("/facts/a", "Torre")
    assert bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby")).judgement.code == "source.not_allowed"
    document = dict(a_type({"/facts/a": a_field("customer", "agent")}).document)
    bench.ticket_type = TicketType.from_document(document, version=2)
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby")))
    assert [event.ticket_type_version for event in bench.events] == [1, 2]


def test_a_published_version_changes_no_state_by_itself() -> None:
    """T1: values that no longer fit stay, readable, until an event says otherwise; what fits no more is not proposed anew."""
    bench = Bench(a_type({"/facts/a": a_field("customer"), "/facts/b": a_field("customer")}))
    bench.say("customer", "moro no Derby")
    for path in ("/facts/a", "/facts/b"):
        bench.accept(bench.one("add", path, "Derby", ("m-1", "no Derby")))
    before = bench.state
    bench.ticket_type = a_type({"/facts/a": a_field("customer", schema={"type": "integer"})}, {})
    assert bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby")).judgement.code == "schema.invalid_value"
    assert bench.one("add", "/facts/b", "Torre", ("m-1", "no Derby")).judgement.code == "schema.unknown_path"
    assert bench.state == before
    bench.delete("m-1")  # and the rest of the rules goes on over what it left
    assert bench.status("/facts/b") == "needs_confirmation"
