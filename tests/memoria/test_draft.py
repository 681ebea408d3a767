"""The next version in the making: evidence put together, and what a draft refuses as our own mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.draft import merged
from memoria.proposals import Evidence

FRESH = Evidence("m-1", "quinta", 0, 6)
GONE = replace(FRESH, gone=True)
MARKED = replace(FRESH, ambiguous=True)
ELSEWHERE = replace(FRESH, start=9, end=15)
OTHER = Evidence("m-2", "quinta", 0, 6)
REWRITTEN = Evidence("m-1", "sextas", 0, 6)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ((), (), ()),
        ((FRESH,), (), (FRESH,)),
        ((), (FRESH,), (FRESH,)),
        ((FRESH,), (FRESH,), (FRESH,)),
        ((FRESH,), (MARKED,), (FRESH,)),  # the first stays as it was read
        ((MARKED,), (FRESH,), (MARKED,)),
        ((FRESH,), (GONE,), (FRESH,)),  # it stands again
        ((GONE,), (FRESH,), (FRESH,)),
        ((GONE,), (GONE,), (GONE,)),
        ((OTHER, GONE), (FRESH,), (OTHER, FRESH)),  # in its place
        ((FRESH,), (ELSEWHERE, OTHER, REWRITTEN), (FRESH, ELSEWHERE, OTHER, REWRITTEN)),
        ((OTHER,), (FRESH, OTHER, ELSEWHERE), (OTHER, FRESH, ELSEWHERE)),
    ],
)
def test_evidence_is_put_together_each_span_once(
    first: tuple[Evidence, ...], then: tuple[Evidence, ...], kept: tuple[Evidence, ...]
) -> None:
    """P3, E7: a span that stands again replaces its mark as gone."""
    assert merged(first, then) == kept
