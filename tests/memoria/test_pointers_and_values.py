"""Section 2: which pointers exist, which operation each takes, and what may stand there."""

from __future__ import annotations

from typing import Any

import pytest

from memoria.members import is_due
from memoria.patch import MISSING, Json
from tests.memoria.bench import COLLECTIONS, Bench, a_field, a_type

UNKNOWN, NOT_TAKEN, INVALID = "schema.unknown_path", "schema.operation_not_allowed", "schema.invalid_value"
WORDS = "Combinado: ligar, avisar e mandar o técnico no dia 12"
TASK: dict[str, Json] = {"task": "ligar", "owner": "team"}


def desk(**fields: Any) -> Bench:
    """A ticket with one message; it has each kind of collection, and these fields (`facts_x=…` is `/facts/x`)."""
    rows = {f"/{name.replace('_', '/', 1)}": row for name, row in fields.items()}
    bench = Bench(a_type(rows or {"/goal": a_field(), "/facts/bairro": a_field()}))
    bench.say("agent", WORDS)
    return bench


def verdict(bench: Bench, op: str, path: str, value: Json = MISSING, quote: str = WORDS) -> str:
    """The verdict, or the code of the refusal."""
    judgement = bench.one(op, path, value, ("m-1", quote)).judgement
    return judgement.code.value if judgement.refused else judgement.verdict.value


def furnished() -> Bench:
    """A ticket with a member in each collection: c-1, p-1, k-1, d-1, a-1, t-1."""
    bench = desk()
    bench.say("customer", WORDS)
    members: list[tuple[str, dict[str, Json], str]] = [
        ("commitments", TASK, "m-1"),
        ("pending", {"question": "qual dia?"}, "m-1"),
        ("constraints", {"text": "avisar"}, "m-1"),
        ("decisions", {"text": "mandar o técnico"}, "m-1"),
        ("authorizations", {"action": "contact", "scope": "ligar"}, "m-2"),
        ("attempts", {"action": "reiniciar"}, "m-1"),
    ]
    bench.decide([bench.one("add", f"/{name}/-", value, (message, WORDS)) for name, value, message in members])
    return bench


# --- the document -------------------------------------------------------------------------------------------------


def test_at_version_0_every_map_is_there_and_empty_and_the_goal_is_absent() -> None:
    """2: The maps are always there, empty at first; `goal` is absent until it is set."""
    fields = ("facts", "preferences", "identifiers")
    collections = ("constraints", "decisions", "authorizations", "commitments", "pending", "attempts")
    assert Bench().state.values == {name: {} for name in (*fields, *collections)}
    assert Bench().state.version == 0
    assert Bench().state.slots == {}


def test_a_goal_is_set_and_withdrawn_as_any_field() -> None:
    """2: `goal` is a text at the top."""
    bench = desk()
    bench.accept(bench.one("add", "/goal", "consertar", ("m-1", "Combinado")))
    assert bench.state.values["goal"] == "consertar"
    bench.accept(bench.one("remove", "/goal", MISSING, ("m-1", "Combinado")))
    assert "goal" not in bench.state.values


@pytest.mark.parametrize(
    "path",
    [
        "",  # the whole document: one operation would wipe the ticket
        "/",  # a member with an empty name
        "facts/bairro",  # no leading slash
        "/facts",
        "/facts/",
        "/facts/cidade",
        "/facts/bairro/rua",
        "/facts/Bairro",
        "/facts/bairro ",
        "/facts/bairr%6F",
        "/input/facts/bairro",  # models invent a prefix
        "/commitments",
        "/commitments/",
        "/commitments/c-1",
        "/commitments/c-1/task",
        "/commitments/c-1/owner",
        "/commitments/c-1/due_text",
        "/commitments/c-1/status/x",
        "/commitments/c-01/status",
        "/commitments/c-2/status",  # an id that there is not
        "/commitments/c-2/due",
        "/commitments/-/status",
        "/pending/p-1",
        "/pending/p-1/due",
        "/pending/p-1/question",
        "/constraints/k-2",
        "/constraints/k-1/text",
        "/constraints/k-1/status",
        "/decisions/d-1/reason",
        "/authorizations/a-1",
        "/authorizations/a-1/scope",
        "/attempts/t-1",
        "/attempts/t-1/result",
        "/facts/-",
        "/learnings/-",
    ],
)
@pytest.mark.parametrize("op", ["add", "replace", "remove"])
def test_a_pointer_that_the_type_does_not_define_is_refused(op: str, path: str) -> None:
    """2: `schema.unknown_path`, an id that there is not included; the document stays whole."""
    bench = furnished()
    before = bench.state
    assert verdict(bench, op, path, MISSING if op == "remove" else "x") == UNKNOWN
    assert bench.state == before


def test_a_collection_that_the_type_leaves_out_takes_no_change() -> None:
    """2, contract 2: no collection, no pointer."""
    bench = Bench(a_type(collections={"pending": COLLECTIONS["pending"]}))
    bench.say("agent", WORDS)
    assert verdict(bench, "add", "/commitments/-", TASK) == UNKNOWN
    assert verdict(bench, "add", "/pending/-", {"question": "qual dia?"}) == "allowed"


def test_an_escaped_pointer_reaches_the_very_member_it_spells() -> None:
    """2, RFC 6901: `~1` is `/` and `~0` is `~`, decoded once, `~1` first: `~01` is `~1`, never `/`."""
    number = a_field("agent", schema={"type": "number"})
    bench = Bench(a_type({"/facts/frete~1dia": number, "/facts/frete~01dia": number, "/facts/seguro~1mes": number}))
    bench.say("agent", WORDS)
    for path, value in (("/facts/frete~1dia", 10), ("/facts/frete~01dia", 20), ("/facts/seguro~1mes", 5)):
        bench.accept(bench.one("add", path, value, ("m-1", WORDS)))
    bench.accept(bench.one("replace", "/facts/frete~01dia", 25, ("m-1", WORDS)))
    assert bench.state.values["facts"] == {"frete/dia": 10, "frete~1dia": 25, "seguro/mes": 5}
    bench.accept(bench.one("replace", "/facts/frete~1dia", 12, ("m-1", WORDS)))
    assert bench.state.values["facts"] == {"frete/dia": 12, "frete~1dia": 25, "seguro/mes": 5}
    assert set(bench.state.slots) == {"/facts/frete~1dia", "/facts/frete~01dia", "/facts/seguro~1mes"}
    for path in ("/facts/frete~2dia", "/facts/frete~", "/facts/frete/dia"):
        assert verdict(bench, "replace", path, 1) == UNKNOWN


# --- operations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["move", "copy", "test", "", "Add", "REPLACE", "set"])
def test_no_other_operation_than_add_replace_and_remove_is_taken(op: str) -> None:
    """2, contract 3: `schema.operation_not_allowed`."""
    assert verdict(desk(), op, "/facts/bairro", "Derby") == NOT_TAKEN


def test_add_and_replace_of_a_field_mean_the_same() -> None:
    """Contract 3: models mix them up; a `replace` of nothing and an `add` over something both set."""
    bench = desk()
    bench.accept(bench.one("replace", "/facts/bairro", "Derby", ("m-1", WORDS)))
    assert bench.value("/facts/bairro") == "Derby"
    bench.accept(bench.one("add", "/facts/bairro", "Torre", ("m-1", WORDS)))
    assert bench.value("/facts/bairro") == "Torre"


@pytest.mark.parametrize(
    ("op", "path", "value"),
    [
        ("replace", "/commitments/-", TASK),
        ("remove", "/commitments/-", MISSING),
        ("remove", "/pending/-", MISSING),
        ("replace", "/constraints/-", {"text": "avisar"}),
        ("remove", "/commitments/c-1/status", MISSING),
        ("remove", "/commitments/c-1/due", MISSING),  # `null` withdraws a due
        ("remove", "/pending/p-1/status", MISSING),
        ("remove", "/authorizations/a-1/status", MISSING),
        ("remove", "/attempts/t-1/status", MISSING),
        ("replace", "/constraints/k-1", {"text": "avisar"}),
        ("add", "/constraints/k-1", {"text": "avisar"}),
        ("replace", "/decisions/d-1", {"text": "avisar"}),
    ],
)
def test_an_operation_that_a_known_pointer_does_not_take_is_refused(op: str, path: str, value: Json) -> None:
    """2: statuses and dues are set, constraints and decisions are removed, `/-` takes `add` alone."""
    assert verdict(furnished(), op, path, value) == NOT_TAKEN


@pytest.mark.parametrize(
    ("op", "path", "value"),
    [
        ("replace", "/commitments/c-1/status", "in_progress"),
        ("add", "/commitments/c-1/status", "in_progress"),
        ("replace", "/commitments/c-1/due", "2026-03-12"),
        ("add", "/commitments/c-1/due", "2026-03-12T09:00:00-03:00"),
        ("replace", "/pending/p-1/status", "answered"),
        ("replace", "/authorizations/a-1/status", "revoked"),
        ("replace", "/attempts/t-1/status", "worked"),
        ("remove", "/constraints/k-1", MISSING),
        ("remove", "/decisions/d-1", MISSING),
    ],
)
def test_a_member_changes_where_the_rules_say_so(op: str, path: str, value: Json) -> None:
    """2: of a member that exists these alone can be changed."""
    bench = furnished()
    held = bench.one(op, path, value, (bench.say("agent", WORDS), WORDS))
    assert held.judgement.verdict == "allowed"
    bench.accept(held)
    assert bench.value(path) == value


# --- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "boolean"}, [True, False], [1, 0, "true", None]),  # 1 is no true
        ({"type": "integer"}, [1, 1.0, -3], [True, 1.5, "1"]),  # and true is no 1
        ({"type": "string", "maxLength": 5}, ["Derby", ""], ["Derby!", 5, None, ["Derby"]]),
        ({"enum": ["manhã", "tarde"]}, ["tarde"], ["noite", "Tarde"]),
        ({"type": "string", "format": "date"}, ["2026-03-10"], ["2026-02-30", "amanhã"]),
        ({"type": "array", "items": {"type": "string"}}, [[], ["a"]], [[1], "a", {}]),
    ],
)
def test_a_value_is_checked_against_the_fields_schema(schema: Json, good: list[Json], bad: list[Json]) -> None:
    """2: `schema.invalid_value`."""
    for value in good:
        assert verdict(desk(facts_x=a_field(schema=schema)), "add", "/facts/x", value) == "allowed", value
    for value in bad:
        assert verdict(desk(facts_x=a_field(schema=schema)), "add", "/facts/x", value) == INVALID, value


@pytest.mark.parametrize("op", ["add", "replace"])
@pytest.mark.parametrize("path", ["/facts/bairro", "/commitments/c-1/due", "/commitments/c-1/status"])
def test_a_value_left_out_is_an_invalid_one(op: str, path: str) -> None:
    """2: `so is a value left out`; it is not null, which withdraws a due."""
    assert verdict(furnished(), op, path) == INVALID


def test_an_add_without_a_value_makes_no_member() -> None:
    """2: never a null member."""
    bench = furnished()
    assert verdict(bench, "add", "/commitments/-") == INVALID
    assert list(bench.state.values["commitments"]) == ["c-1"]


@pytest.mark.parametrize(
    ("held", "proposed", "same"),
    [
        (1, 1.0, True),
        (1.0, 1, True),
        (0, -0.0, True),
        (1, True, False),  # Python says that they are equal
        (0, False, False),
        (True, 1, False),
        (False, 0, False),
        ("1", 1, False),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ([1, 2], [2, 1], False),
        ([True], [1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        (9007199254740993, 9007199254740992.0, False),
        ("é", "e\u0301", False),  # equal as JSON means the same characters; only quotes are compared as in E3
    ],
)
def test_two_values_are_the_same_when_they_are_equal_as_json(held: Json, proposed: Json, same: bool) -> None:
    """2: `1` is `1.0`, and neither is `true`."""
    bench = desk(facts_x=a_field(schema=True))
    bench.accept(bench.one("add", "/facts/x", held, ("m-1", WORDS)))
    assert verdict(bench, "replace", "/facts/x", proposed) == ("no_change" if same else "allowed")


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("2026-03-10", True),
        ("2024-02-29", True),
        ("2026-03-10T09:00Z", True),
        ("2026-03-10T09:00:30-03:00", True),
        ("2026-03-10T09:00:30.5-03:00", True),
        (None, True),
        ("2026-02-29", False),
        ("2026-13-01", False),
        ("2026-03-10T09:00", False),  # a time without a zone is no moment
        ("2026-03-10T25:00Z", False),
        ("2026-03-10 09:00Z", False),
        ("10/03/2026", False),
        ("amanhã", False),
        ("", False),
        ("２０２６-03-10", False),  # full-width digits
        ("2026-03-10\n", False),
        ("9999-12-31", False),  # its end is, in most zones, in a year that no clock shows
        ("9999-12-31T23:59:59-14:00", False),
        ("0001-01-01T00:00:00+14:00", False),
        ("1970-01-01T00:00:00+14:00", True),
        ("9998-12-31T23:59:59-14:00", True),
        ("2026-03-10T10:00:00+23:59", False),  # a zone that a database does not take
        (20260310, False),
        ({}, False),
    ],
)
def test_a_due_is_an_iso_date_or_a_datetime_with_a_zone_or_null(value: Json, right: bool) -> None:
    """2: `due`."""
    assert is_due(value) is right
    assert verdict(furnished(), "add", "/commitments/-", TASK | {"task": "visitar", "due": value}) == (
        "allowed" if right else INVALID
    )
    # Null is what c-1 has already.
    expected = "no_change" if value is None else "allowed" if right else INVALID
    assert verdict(furnished(), "replace", "/commitments/c-1/due", value) == expected
