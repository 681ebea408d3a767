"""RFC 6901 and the part of RFC 6902 that a ticket's values need, against the public library as oracle."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.patch import (
    MISSING,
    Json,
    Missing,
    Op,
    Operation,
    PatchError,
    apply,
    lookup,
    make_pointer,
    parse_pointer,
    related,
    same_json,
    setting,
)

KEYS = st.sampled_from(["a", "b", "", "-", "0", "a/b", "a~b", "~1", "~0", "é", "a b", "frete~01"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0])
VALUES = st.recursive(SCALARS | st.text("ab", max_size=2), lambda inner: st.lists(inner, max_size=2), max_leaves=4)
# Leaves that the library could walk into (texts, lists) stand nowhere on a path here: places are objects alone.
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
ROOTS = st.dictionaries(KEYS, DOCUMENTS, max_size=4)
PATHS = st.lists(KEYS, min_size=1, max_size=4).map(lambda parts: make_pointer(*parts))
VALUED = st.builds(Operation, st.sampled_from([Op.ADD, Op.REPLACE]), PATHS, DOCUMENTS)
OPERATIONS = st.lists(VALUED | st.builds(Operation, st.just(Op.REMOVE), PATHS), max_size=5)


# --- pointers (RFC 6901) -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "parts"),
    [
        ("", ()),
        ("/", ("",)),
        ("//", ("", "")),
        ("/facts/bairro", ("facts", "bairro")),
        ("/a~1b", ("a/b",)),
        ("/m~0n", ("m~n",)),
        ("/~01", ("~1",)),  # `~0` last: never `/`
        ("/~10", ("/0",)),
        ("/~00", ("~0",)),
        ("/c%d", ("c%d",)),  # no percent-decoding: this is no URI fragment
        ('/k"l', ('k"l',)),
        ("/ ", (" ",)),
    ],
)
def test_a_pointer_is_decoded_once_and_in_the_right_order(pointer: str, parts: tuple[str, ...]) -> None:
    """RFC 6901 §3 and §4."""
    assert parse_pointer(pointer) == parts
    assert make_pointer(*parts) == pointer


@pytest.mark.parametrize("pointer", ["a", "facts/bairro", "#/a", " /a", "/a~", "/a~2", "/~", "/~~", "/a~/b", "~0"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    """RFC 6901 §3: no leading slash, or a `~` that escapes nothing."""
    with pytest.raises(PatchError):
        parse_pointer(pointer)


@given(st.lists(st.text(max_size=4), max_size=4))
def test_any_names_make_a_pointer_that_reads_back(parts: list[str]) -> None:
    """RFC 6901."""
    assert parse_pointer(make_pointer(*parts)) == tuple(parts)
    assert jsonpointer.JsonPointer.from_parts(parts).path == make_pointer(*parts)


@given(ROOTS, PATHS)
def test_looking_up_finds_what_the_library_finds(document: dict[str, Json], path: str) -> None:
    """RFC 6901 §4, on objects."""
    expected = jsonpointer.resolve_pointer(document, path, MISSING)
    found = lookup(document, path)
    assert found is MISSING if isinstance(expected, Missing) else same_json(found, expected)


@pytest.mark.parametrize("path", ["/itens/0", "/itens/-", "/nome/0", "/nome/a", "/vazio/a", "/outro"])
def test_nothing_is_looked_up_inside_a_list_or_a_text(path: str) -> None:
    """2: arrays are values, never places."""
    assert lookup({"itens": ["caneca"], "nome": "Ana", "vazio": None}, path) is MISSING


def test_null_is_a_value_and_absence_is_none() -> None:
    """2: `null` and nothing differ."""
    assert lookup({"a": None}, "/a") is None
    assert lookup({}, "/a") is MISSING
    assert not same_json(None, MISSING)
    assert same_json(MISSING, MISSING)


@pytest.mark.parametrize(
    ("one", "other", "is_related"),
    [
        ("/facts/a", "/facts/a", True),
        ("/commitments/c-1", "/commitments/c-1/due", True),
        ("/commitments", "/commitments/c-1/due", True),
        ("", "/facts/a", True),
        ("/commitments/c-1", "/commitments/c-10", False),  # a prefix of the text, no ancestor
        ("/commitments/c-1/due", "/commitments/c-1/due_text", False),
        ("/facts/a", "/facts/b", False),
    ],
)
def test_pointers_are_related_where_one_is_the_others_ancestor(one: str, other: str, is_related: bool) -> None:
    """V2: the pointer, an ancestor or a descendant of it."""
    assert related(one, other) is is_related
    assert related(other, one) is is_related


# --- operations (RFC 6902) -----------------------------------------------------------------------------------------


def _by_the_library(document: dict[str, Json], operations: list[Operation]) -> Any:
    """What the library makes of it; MISSING where it refuses."""
    try:
        return jsonpatch.apply_patch(copy.deepcopy(document), [operation.to_json() for operation in operations])
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError):
        return MISSING


def _that_fit(document: dict[str, Json], operations: list[Operation]) -> list[Operation]:
    """Those of the operations that the library can apply one after the other."""
    fitting: list[Operation] = []
    for operation in operations:
        if not isinstance(_by_the_library(document, [*fitting, operation]), Missing):
            fitting.append(operation)
    return fitting


@given(ROOTS, OPERATIONS)
def test_applying_gives_what_the_library_gives_and_refuses_what_it_refuses(
    document: dict[str, Json], operations: list[Operation]
) -> None:
    """RFC 6902 §4: add, replace and remove on documents of objects; of a list all or nothing (§5)."""
    before = copy.deepcopy(document)
    fitting = _that_fit(document, operations)
    assert same_json(apply(document, fitting), _by_the_library(document, fitting))
    expected = _by_the_library(document, operations)
    if isinstance(expected, Missing):
        with pytest.raises(PatchError):
            apply(document, operations)
    else:
        assert same_json(apply(document, operations), expected)
    assert same_json(document, before), "the input is never touched"


@given(ROOTS, OPERATIONS, OPERATIONS)
def test_applying_in_two_goes_is_applying_in_one(
    document: dict[str, Json], first: list[Operation], second: list[Operation]
) -> None:
    """H3: replaying event by event gives what a whole patch gives; versions share parts and never leak into each other."""
    first = _that_fit(document, first)
    second = _that_fit(apply(document, first), second)
    middle = apply(document, first)
    kept = copy.deepcopy(middle)
    assert same_json(apply(middle, second), apply(document, [*first, *second]))
    assert same_json(middle, kept)


@given(ROOTS, PATHS, VALUES | st.just(MISSING))
def test_setting_a_pointer_sets_it_and_its_inverse_takes_it_back(document: dict[str, Json], path: str, value: Json) -> None:
    """H1: each operation has its inverse."""
    parent = lookup(document, make_pointer(*parse_pointer(path)[:-1]))
    if not isinstance(parent, dict):
        path = make_pointer(parse_pointer(path)[-1])  # where there is no such place, at the top
    if isinstance(value, Missing) and isinstance(lookup(document, path), Missing):
        with pytest.raises(PatchError):
            setting(document, path, value)
        return
    operation, inverse = setting(document, path, value)
    after = apply(document, [operation])
    assert same_json(lookup(after, path), value)
    assert same_json(apply(after, [inverse]), document)
    assert Operation.from_json(operation.to_json()) == operation


@pytest.mark.parametrize(
    "operation",
    [
        Operation(Op.REMOVE, ""),
        Operation(Op.REPLACE, "", {}),
        Operation(Op.ADD, "", {}),
        Operation(Op.REPLACE, "/", {"facts": {}}),  # a member with an empty name, which is not there
        Operation(Op.REPLACE, "/facts/c", 1),
        Operation(Op.REMOVE, "/facts/c"),
        Operation(Op.ADD, "/nowhere/c", 1),
        Operation(Op.ADD, "/facts/a/b", 1),  # a text is no place
        Operation(Op.ADD, "/facts/itens/-", "X"),  # nor is a list
        Operation(Op.ADD, "/facts/itens/01", "X"),
        Operation(Op.ADD, "/facts/itens/-1", "X"),
        Operation(Op.REPLACE, "/facts/itens/0", "X"),
        Operation(Op.REMOVE, "/facts/itens/0"),
        Operation(Op.ADD, "facts/a", 1),
        Operation(Op.ADD, "/facts/~2", 1),
        Operation(Op.ADD, "/facts/c"),  # without a value
        Operation(Op.REPLACE, "/facts/a"),
    ],
)
def test_an_operation_that_does_not_fit_changes_nothing(operation: Operation) -> None:
    """RFC 6902 §5, 2: the document stays whole, and the operation before it is not kept either."""
    document = {"facts": {"a": "x", "itens": ["caneca"]}}
    with pytest.raises(PatchError):
        apply(document, [Operation(Op.ADD, "/facts/b", 1), operation])
    assert document == {"facts": {"a": "x", "itens": ["caneca"]}}


def test_only_the_objects_on_a_path_are_copied() -> None:
    """Versions share what did not change: a large ticket costs what its change costs."""
    document: dict[str, Json] = {"facts": {"a": 1}, "commitments": {"c-1": {"task": "ligar"}}}
    after = apply(document, [Operation(Op.ADD, "/facts/b", 2)])
    assert after["commitments"] is document["commitments"]
    assert after["facts"] is not document["facts"]


def test_one_patch_does_not_write_into_a_value_that_it_was_given() -> None:
    """2: a value that is added and then changed within one patch stays as the caller has it."""
    value: dict[str, Json] = {"status": "requested"}
    after = apply({}, [Operation(Op.ADD, "/c", value), Operation(Op.REPLACE, "/c/status", "done")])
    assert after == {"c": {"status": "done"}}
    assert value == {"status": "requested"}


# --- equality ------------------------------------------------------------------------------------------------------


@given(VALUES, VALUES, VALUES)
def test_sameness_is_an_equivalence(one: Json, other: Json, third: Json) -> None:
    """2: equal as JSON."""
    assert same_json(one, copy.deepcopy(one))
    assert same_json(one, other) is same_json(other, one)
    if same_json(one, other) and same_json(other, third):
        assert same_json(one, third)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (True, True, True),
        (None, False, False),
        (None, 0, False),
        ("1", 1, False),
        ([], {}, False),
        ([1, [True]], [1.0, [True]], True),
        ([1, [True]], [1, [1]], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {}, False),
    ],
)
def test_one_is_one_point_nought_and_neither_is_true(one: Json, other: Json, same: bool) -> None:
    """2: Python's own `==` takes `true` for 1 at every depth."""
    assert same_json(one, other) is same
    assert same_json(other, one) is same
