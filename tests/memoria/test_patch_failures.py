"""Failures that people had with patches, each kind as a table: JP-01, JP-02, JP-03, JP-05, JP-06 and JP-09.

The first rows of a table are those that somebody met; the rest are of the same kind.
"""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING, Json
from memoria.proposals import Change, Citation
from memoria.strict_json import NotStrictJson, loads
from tests.memoria.bench import Bench, Held, a_field, a_type, code_of

WORDS = "foi o que se disse"
REFUSED_VALUE, NO_PATH, NO_OPERATION = "schema.invalid_value", "schema.unknown_path", "schema.operation_not_allowed"


def proposed(bench: Bench, op: str, path: str, value: Json = MISSING, words: str = WORDS) -> Held:
    """The change as a model proposes it, resting on a message that says so."""
    return bench.propose(Change(op, path, value, (Citation(bench.say("customer", words), words),)))[0]


def holding(schemas: dict[str, Json], values: dict[str, Json]) -> Bench:
    bench = Bench(a_type({pointer: a_field(schema=schema) for pointer, schema in schemas.items()}))
    for pointer, value in values.items():
        bench.accept(proposed(bench, "add", pointer, value))
    return bench


# --- JP-01: Python takes true for 1 ------------------------------------------------------------------------------------

PRESENT, COUNT, RATIO, LIST, NOTHING = "/facts/presente", "/facts/quantidade", "/facts/taxa", "/facts/lista", "/facts/nada"
TYPED: dict[str, Json] = {
    PRESENT: {"type": "boolean"},
    COUNT: {"type": "integer"},
    RATIO: {"enum": [0, 0.5, 1]},
    LIST: {"type": "array", "items": {"type": "integer"}},
    NOTHING: {"type": ["null", "integer"]},
}
HELD: dict[str, Json] = {PRESENT: True, COUNT: 1, RATIO: 1, LIST: [1, 0], NOTHING: None}


@pytest.mark.parametrize(
    ("op", "path", "value", "code"),
    [
        ("replace", PRESENT, 1, REFUSED_VALUE),
        ("replace", COUNT, True, REFUSED_VALUE),
        ("replace", COUNT, 1.0, "no_change.same_value"),
        ("replace", PRESENT, "true", REFUSED_VALUE),
        ("test", PRESENT, 1, NO_OPERATION),
        # of the same kind
        ("replace", PRESENT, 1.0, REFUSED_VALUE),
        ("replace", COUNT, False, REFUSED_VALUE),
        ("replace", COUNT, 1.5, REFUSED_VALUE),
        ("replace", RATIO, True, REFUSED_VALUE),  # in a list of permitted values too
        ("replace", LIST, [True, False], REFUSED_VALUE),
        ("replace", LIST, [1.0, 0.0], "no_change.same_value"),
        ("replace", NOTHING, False, REFUSED_VALUE),
        ("replace", NOTHING, 0, "allowed.same_author"),  # nought is not null
        ("test", COUNT, 1, NO_OPERATION),
    ],
)
def test_jp_01_a_truth_value_is_no_number(op: str, path: str, value: Json, code: str) -> None:
    bench = holding(TYPED, HELD)
    before = bench.state
    assert proposed(bench, op, path, value).judgement.code == code
    assert bench.state is before


# --- JP-02: escapes are read once, and in the right order ---------------------------------------------------------------

ESCAPED = {
    pointer: {"type": "integer"}
    for pointer in ("/facts/frete~1dia", "/facts/frete~01dia", "/facts/seguro~1mes", "/facts/a~0b", "/facts/a~00b", "/facts/~1")
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/facts/frete~01dia", "frete~1dia"),
        ("/facts/frete~1dia", "frete/dia"),
        ("/facts/seguro~1mes", "seguro/mes"),
        ("/facts/frete~2dia", None),  # no such escape
        ("/facts/frete~", None),
        # of the same kind
        ("/facts/a~0b", "a~b"),
        ("/facts/a~00b", "a~0b"),
        ("/facts/~1", "/"),
        ("/facts/a~b", None),
        ("/facts/frete%2Fdia", None),  # no address of the web
        ("/facts/frete/dia", None),
        ("/facts/frete~1dia~", None),
        ("/facts/frete\\/dia", None),
    ],
)
def test_jp_02_a_name_with_a_slash_or_a_tilde_is_the_one_that_was_reviewed(path: str, name: str | None) -> None:
    """Value, slot, evidence and precedence sit at one pointer, and its neighbours keep theirs."""
    bench = holding(ESCAPED, {"/facts/frete~1dia": 10, "/facts/frete~01dia": 20})
    before = dict(bench.state.values["facts"])
    held = proposed(bench, "replace", path, 25)
    if name is None:
        assert held.judgement.code == NO_PATH
        assert bench.state.values["facts"] == before
        return
    bench.accept(held)
    assert bench.state.values["facts"] == {**before, name: 25}
    assert [item.quote for item in bench.slot(path).evidence] == [WORDS]
    assert proposed(bench, "replace", path, 25).judgement.code == "no_change.same_value"


# --- JP-03: places in a list, and the dash ---------------------------------------------------------------------------

ITEMS = "/facts/itens"


def with_a_list() -> Bench:
    return holding({ITEMS: {"type": "array", "items": {"type": "string"}}}, {ITEMS: ["caneca", "camisa", "boné"]})


@pytest.mark.parametrize(
    ("op", "path", "value", "code"),
    [
        ("add", ITEMS + "/01", "X", NO_PATH),
        ("add", ITEMS + "/-1", "X", NO_PATH),
        ("add", ITEMS + "/1.5", "X", NO_PATH),
        ("add", ITEMS + "/-", "X", NO_PATH),
        ("remove", ITEMS + "/0", MISSING, NO_PATH),
        ("remove", "/commitments/-", MISSING, NO_OPERATION),
        ("replace", "/commitments/-", {"task": "estorno"}, NO_OPERATION),
        ("add", "/commitments/-", MISSING, REFUSED_VALUE),
        # of the same kind
        ("add", ITEMS + "/3", "X", NO_PATH),
        ("add", ITEMS + "/+1", "X", NO_PATH),
        ("add", ITEMS + "/１", "X", NO_PATH),  # a digit of another script
        ("add", ITEMS + "/1e0", "X", NO_PATH),
        ("add", ITEMS + "/", "X", NO_PATH),
        ("add", "/facts/-", "X", NO_PATH),
        ("add", "/commitments/-", None, REFUSED_VALUE),
        ("add", "/commitments/--", {"task": "estorno", "owner": "team"}, NO_PATH),
        ("add", "/commitments/c-9", {"task": "estorno", "owner": "team"}, NO_PATH),  # ids are minted
        ("replace", ITEMS, MISSING, REFUSED_VALUE),
    ],
)
def test_jp_03_a_list_is_a_value_and_the_dash_adds_members_alone(op: str, path: str, value: Json, code: str) -> None:
    bench = with_a_list()
    before = bench.state
    assert proposed(bench, op, path, value).judgement.code == code
    assert bench.state is before


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (ITEMS, ["caneca", "camisa", "boné", "X"], ITEMS),
        ("/commitments/-", {"task": "estorno", "owner": "team", "due": None, "kind": "visit"}, "/commitments/c-1"),
        # of the same kind
        (ITEMS, [], ITEMS),
        ("/pending/-", {"question": "qual cor?"}, "/pending/p-1"),
    ],
)
def test_jp_03_a_list_is_replaced_as_a_whole_and_a_member_gets_the_next_id(path: str, value: Json, pointer: str) -> None:
    bench = with_a_list()
    bench.accept(proposed(bench, "add", path, value))
    held = bench.value(pointer)
    assert held == value if path == ITEMS else held.items() >= value.items()


# --- JP-05: all or nothing ---------------------------------------------------------------------------------------------


def spoiled(how: str, bench: Bench, bad: Held) -> None:
    """What happens to one change of the batch before it is decided."""
    if how == "decided by someone else":
        bench.accept(bad)
    elif how == "rejected by someone else":
        bench.reject(bad)
    elif how == "its message was deleted":
        bench.delete(bad.change.evidence[0].message)
    elif how == "its message was edited":
        bench.rewrite(bad.change.evidence[0].message, "outra coisa")
    elif how == "proposed anew":
        proposed(bench, "replace", bad.change.path, "outro")
    elif how == "set by staff meanwhile":
        bench.put(bad.change.path, "dito pela equipe")
    elif how == "older than what staff said":
        bench.put(bad.change.path, "Olinda")


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("decided by someone else", "change.already_decided"),
        # of the same kind
        ("rejected by someone else", "change.already_decided"),
        ("its message was deleted", "evidence.quote_not_found"),
        ("its message was edited", "evidence.quote_not_found"),
        ("proposed anew", "change.superseded"),
        ("set by staff meanwhile", "change.superseded"),
        ("older than what staff said", "change.superseded"),
        ("named twice", "decision.duplicate_pointer"),
        ("the version moved", "version.conflict"),
    ],
)
def test_jp_05_one_bad_change_leaves_the_others_undecided(how: str, code: str) -> None:
    """V1, V5: no event, no half; without it the rest makes one version."""
    bench = Bench(a_type({f"/facts/{name}": a_field("agent", "customer") for name in ("status", "endereco", "troca")}))
    good = proposed(bench, "add", "/facts/status", "resolvido"), proposed(bench, "add", "/facts/troca", "sim")
    bad = proposed(bench, "add", "/facts/endereco", "Derby")
    spoiled(how, bench, bad)
    batch: tuple[Any, ...] = (good[0], bad, good[1])
    more: dict[str, Any] = {}
    if how == "named twice":
        batch = (good[0], bad, bad)
    if how == "the version moved":
        more["expected"] = bench.state.version
        bench.put("/facts/endereco", "dito pela equipe")
        batch = (good[0], proposed(bench, "replace", "/facts/endereco", "Torre"))
    before, count = bench.state, len(bench.events)
    assert code_of(bench.accept, *batch, **more) == code
    assert bench.state is before
    assert len(bench.events) == count
    assert [held.status.value for held in good] == ["pending", "pending"]
    assert bench.accept(*good) == before.version + 1
    assert [held.version for held in good] == [before.version + 1] * 2


# --- JP-06: the whole document is no target -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "path", "value", "code"),
    [
        ("remove", "", MISSING, NO_PATH),
        ("replace", "", {}, NO_PATH),
        ("replace", "/", {"facts": {}}, NO_PATH),
        ("remove", "/facts", MISSING, NO_PATH),
        ("replace", "/facts", {}, NO_PATH),
        ("move", "/facts/bairro/antigo", MISSING, NO_OPERATION),
        ("copy", "/facts/copia", MISSING, NO_OPERATION),
        ("replace", "facts/bairro", "Torre", NO_PATH),
        # of the same kind
        ("add", "", {}, NO_PATH),
        ("add", "//", "Torre", NO_PATH),
        ("add", "/facts/", "Torre", NO_PATH),  # a member with an empty name
        ("add", "/facts/bairro/", "Torre", NO_PATH),
        ("replace", "/facts/bairro ", "Torre", NO_PATH),
        ("replace", "#/facts/bairro", "Torre", NO_PATH),
        ("replace", "/commitments", {}, NO_PATH),
        ("remove", "/commitments/c-1", MISSING, NO_PATH),
        ("replace", "/facts/__proto__", "Torre", NO_PATH),
        ("replace", "/constructor/prototype", "Torre", NO_PATH),
        ("replace", "/facts/ba\u0131rro", "Torre", NO_PATH),  # looks alike
        ("", "/facts/bairro", "Torre", NO_OPERATION),
        ("REPLACE", "/facts/bairro", "Torre", NO_OPERATION),
    ],
)
def test_jp_06_no_operation_reaches_beyond_the_pointers_that_there_are(op: str, path: str, value: Json, code: str) -> None:
    bench = Bench(a_type({"/goal": a_field(), "/facts/bairro": a_field()}))
    bench.accept(proposed(bench, "add", "/goal", "troca"))
    bench.accept(proposed(bench, "add", "/facts/bairro", "Derby"))
    bench.accept(proposed(bench, "add", "/commitments/-", {"task": "estorno", "owner": "team"}))
    before = bench.state
    assert proposed(bench, op, path, value).judgement.code == code
    assert bench.state is before
    assert "" not in bench.state.values


# --- JP-09: JSON that readers read differently ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"changes":[{"op":"replace","path":"/facts/status","value":"aberto","value":"cancelado"}]}',
        '{"changes":[{"op":"replace","path":"/facts/valor","value":1e400}]}',
        '{"changes":[{"op":"replace","path":"/facts/valor","value":NaN}]}',
        # of the same kind
        '{"changes":[],"changes":[{"op":"remove","path":"/goal"}]}',
        '{"p\\u0061th":"/goal","path":"/facts/status"}',  # the same key, spelled twice
        '{"changes":[{"op":"replace","path":"/facts/valor","value":-Infinity}]}',
        '{"changes":[{"op":"replace","path":"/facts/valor","value":1' + "0" * 400 + "}]}",
        '{"changes":[{"op":"replace","path":"/facts/nota","value":"\\ud83d"}]}',  # half a character
        '{"changes":[{"op":"replace","path":"/facts/no\\u0000ta","value":1}]}',
        '{"changes":[{"op":"replace","path":"/facts/nota","value":' + "[" * 99 + "]" * 99 + "}]}",
        '{"changes":[{"op":"replace","path":"/facts/valor","value":01}]}',
        '{"changes":[{"op":"replace","path":"/facts/valor","value":.5}]}',
        "{'changes': []}",
        '{"changes":[],}',
        '{"changes":[]} {"changes":[]}',
        '\ufeff{"changes":[]}',
    ],
)
def test_jp_09_what_two_readers_could_read_differently_is_read_by_none(text: str) -> None:
    with pytest.raises(NotStrictJson):
        loads(text)
