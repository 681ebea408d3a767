"""Cutting a long text to a budget without changing a letter of what stays: whole passages, and a mark at each cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from memoria.typography import fold_words

CUT: Final = "\n[…]\n"
_LONGEST: Final = 300  # code points of a passage
_ENDS = re.compile(r"\n+|(?<=[.!?;…])\s+")
_WORDS = re.compile(r"\w+")

Span = tuple[int, int]


def without(text: str, spans: Iterable[Span]) -> list[Span]:
    """The parts of `text` outside these spans, in order; white space alone is no part."""
    kept: list[Span] = []
    at = 0
    for low, high in [*sorted(spans), (len(text), len(text))]:
        if text[at:low].strip():
            kept.append((at, low))
        at = max(at, high)
    return kept


def within(parts: Iterable[Span], spans: Iterable[Span]) -> list[Span]:
    """What of `parts` lies in these spans, in order."""
    wanted = sorted(spans)
    return [
        (max(low, start), min(high, end)) for low, high in parts for start, end in wanted if max(low, start) < min(high, end)
    ]


def passages(text: str, low: int, high: int) -> list[Span]:
    """`text[low:high]` as passages of at most 300 code points, cut at line and sentence ends, else between words."""
    found: list[Span] = []
    at = low
    for end in [*(match.end() for match in _ENDS.finditer(text, low, high)), high]:
        while end - at > _LONGEST:
            space = text.rfind(" ", at + 1, at + _LONGEST)
            split = space + 1 if space > at else at + _LONGEST
            found.append((at, split))
            at = split
        if end > at:
            found.append((at, end))
            at = end
    return found


def cut(
    text: str, parts: Sequence[Span], budget: int, count_tokens: Callable[[str], int], telling: Collection[str]
) -> tuple[str, list[Span]]:
    """The text of `parts` within `budget` tokens, and the spans that stayed out.

    The first and the last passage stay whatever they cost; then those that hold numbers or `telling` words (folded),
    earlier ones first. Gaps, and what lies between `parts`, become CUT.
    """
    pieces = [piece for low, high in parts for piece in passages(text, low, high)]
    costs = [count_tokens(text[low:high]) for low, high in pieces]
    if sum(costs) <= budget:
        kept = set(range(len(pieces)))
    else:
        kept = {0, len(pieces) - 1}
        left = budget - sum(costs[index] for index in kept)
        ranked = sorted(range(len(pieces)), key=lambda index: (-_telling(text, pieces[index], telling), index))
        for index in ranked:
            if index not in kept and costs[index] <= left:
                kept.add(index)
                left -= costs[index]
    return _join(text, [pieces[index] for index in sorted(kept)]), _merge(
        [pieces[index] for index in range(len(pieces)) if index not in kept]
    )


def _telling(text: str, span: Span, telling: Collection[str]) -> int:
    words = _WORDS.findall(fold_words(text[span[0] : span[1]]))
    return min(4, sum(word in telling or any(char.isdigit() for char in word) for word in words))


def _merge(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for low, high in spans:
        if merged and merged[-1][1] == low:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def _join(text: str, spans: Iterable[Span]) -> str:
    """Adjoining passages read as they were; everything else has the mark of a cut between."""
    return CUT.join(text[low:high].strip("\n") for low, high in _merge(spans))
