"""JSON that two readers could understand differently is refused, never mended."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.strict_json import MAX_DEPTH, NotStrictJson, loads

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "twice"),  # readers disagree on which of the two counts
        ('{"a": {"b": 1, "b": 1}}', "twice"),
        ("[NaN]", "NaN"),
        ("[Infinity]", "Infinity"),
        ("[-Infinity]", "Infinity"),
        ("[1e400]", "out of range"),  # Python would read infinity
        ("[-1e400]", "out of range"),
        ("[" + "9" * 400 + "]", "out of range"),
        ("[" + "9" * 5000 + "]", "out of range"),  # more digits than Python converts
        ('["\\ud800"]', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ('["\\u0000"]', "NUL"),
        ('{"\\u0000": 1}', "NUL"),
        ("[1,]", "line 1"),
        ("", "line 1"),
        ("{'a': 1}", "line 1"),
        ("[" * 100_000, "nested"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "nested"),
    ],
)
def test_what_readers_would_not_read_alike_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(NotStrictJson, match=words):
        loads(text)


def test_the_deepest_nesting_allowed_is_read() -> None:
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None


def test_a_nul_character_is_read_where_the_caller_takes_it_out_itself() -> None:
    assert loads('["a\\u0000b"]', allow_nul=True) == ["a\0b"]
    with pytest.raises(NotStrictJson, match="NUL"):
        loads('{"a\\u0000": 1, "a": 2}', allow_nul=True)


@given(json_values)
def test_every_plain_document_comes_back_as_it_was(value: object) -> None:
    assert loads(json.dumps(value)) == value


@given(st.text())
def test_any_text_is_read_or_refused_and_never_breaks_the_reader(text: str) -> None:
    with suppress(NotStrictJson):
        loads(text)
