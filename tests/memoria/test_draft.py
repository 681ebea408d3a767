"""The next version in the making: evidence put together, and what a draft refuses as our own mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.draft import merged
from memoria.proposals import Evidence
from tests.memoria.bench import Bench, a_field, a_type
from tests.memoria.steps import take, tell

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


def test_the_inverse_goes_back_the_way_that_the_patch_came() -> None:
    """H1: last first, so that what was made within what was made before is taken back before it."""
    rows = {f"/facts/{name}": a_field() for name in "abc"}
    bench = Bench(a_type(rows))
    take(bench, "customer", "/facts/b", "antes")
    bench.accept(*(tell(bench, "customer", path, "depois") for path in rows))
    event = bench.events[-1]
    assert [operation.path for operation in event.patch] == list(rows)
    assert [(operation.op.value, operation.path) for operation in event.inverse] == [
        ("remove", "/facts/c"), ("replace", "/facts/b"), ("remove", "/facts/a"),
    ]  # fmt: skip
    assert event.touched == tuple(rows)
    assert tuple(event.slots) == tuple(rows)
