"""Words around a quote that turn its meaning (E8). The lists are closed; `docs/domain.md` publishes them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memoria.typography import fold

NEGATIONS: Final = (
    "não", "nao", "ñ", "n", "nunca", "jamais", "nem", "sem", "nada", "nenhum", "nenhuma", "ninguém", "ninguem",
    "tampouco", "deixei de", "deixou de", "deixamos de", "deixaram de", "deixar de", "deixe de", "deixem de",
    "parei de", "parou de", "not", "never", "without", "nobody", "nothing", "none", "cannot",
    "don't", "doesn't", "didn't", "won't", "can't", "isn't", "wasn't", "aren't", "wouldn't", "shouldn't", "haven't",
)  # fmt: skip
"""Before a quote in its sentence. `n` only where no number follows it (`n 10` is a house number)."""

FOLLOWING_NEGATIONS: Final = ("não", "nao", "ñ", "not", "nunca", "jamais")
"""Right behind a quote: "confirme não", "quero não"."""

OPENING_NEGATIONS: Final = ("não", "nao", "ñ", "n", "nunca", "jamais", "nem", "not", "never")
"""First word of the same author's next message."""

HEDGES: Final = (
    "acho que", "acho", "acredito que", "creio que", "talvez", "se der", "se eu conseguir", "vou ver", "pode ser que",
    "quem sabe", "não sei se", "nao sei se", "não tenho certeza", "nao tenho certeza", "sem certeza", "provavelmente",
    "parece que", "maybe", "perhaps", "probably", "i think", "i guess", "not sure", "might", "if possible",
)  # fmt: skip
"""Anywhere around a quote in its sentence."""

_END: Final = re.compile(r"[\n\r]|[.!?…](?=[\s.!?…]|\Z)")
_MARKS: Final = re.compile(r"[.!?…]*")
_SPACES: Final = re.compile(r"\s*")

NEAR: Final = 2000
"""Code points around a quote in which words may turn it, however long its sentence is."""


def _any_of(expressions: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for these expressions as whole words in folded text. The longest goes first."""
    spelled = (
        r"n(?!\W*\d)" if expression == "n" else re.escape(expression).replace(r"\ ", " ")
        for expression in sorted(expressions, key=len, reverse=True)
    )
    return re.compile(rf"(?<![\w'])(?:{'|'.join(spelled)})(?![\w'])", re.IGNORECASE)


_NEGATION = _any_of(NEGATIONS)
_FOLLOWING = re.compile(r" ?" + _any_of(FOLLOWING_NEGATIONS).pattern, re.IGNORECASE)
_OPENING = re.compile(r"\W*" + _any_of(OPENING_NEGATIONS).pattern, re.IGNORECASE)
_HEDGE = _any_of(HEDGES)


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that turns a quote's meaning: its kind, and the words that do."""

    kind: str  # negation, question, hedge
    words: str


def sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence or sentences of `text` that the span `start` to `end` lies in, in code points.

    A sentence ends at a line's end and at `.`, `!`, `?` or `…` before white space or the text's end.
    """
    ends = _sentence_ends(text)
    before = bisect_left(ends, start)
    low = ends[before - 1] + 1 if before else 0
    high = end
    last = bisect_left(ends, end - 1)
    if not (end > start and last < len(ends) and ends[last] == end - 1):
        after = bisect_left(ends, end)
        high = ends[after] if after < len(ends) else len(text)
    return _past(_SPACES, text, low, start), _past(_MARKS, text, high, len(text))


def _past(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    found = pattern.match(text, at, end)
    return at if found is None else found.end()


@lru_cache(maxsize=64)
def _sentence_ends(text: str) -> Sequence[int]:
    """Where a sentence ends: a text is cited many times, and read for this once."""
    return array("I", (match.start() for match in _END.finditer(text)))


def turns(text: str, start: int, end: int, next_text: str | None) -> tuple[Turn, ...]:
    """What turns the meaning of `text[start:end]`: a negation first, then a question, then a hedge.

    `next_text` is the same author's next message, None where there is none.
    """
    low, high = sentence_span(text, start, end)
    before, after = fold(text[max(low, start - NEAR) : start]).text, fold(text[end : min(high, end + NEAR)]).text
    found: list[Turn] = []
    quote = fold(text[start : min(end, start + NEAR)]).text if before else ""  # where nothing precedes it, it is not asked for
    negation = _negation(before, quote, after, next_text)
    if negation is not None:
        found.append(Turn("negation", negation))
    if "?" in text[low:high]:
        found.append(Turn("question", "?"))
    hedge = _HEDGE.search(before) or _HEDGE.search(after)
    if hedge is not None:
        found.append(Turn("hedge", hedge.group().casefold()))
    return tuple(found)


def _negation(before: str, quote: str, after: str, next_text: str | None) -> str | None:
    # The quote stands behind for `n`, which is a house number's sign where a number follows.
    found = _NEGATION.search(before + quote)
    if found is not None and found.end() <= len(before):
        return found.group().casefold()
    if after.startswith(" "):
        found = _FOLLOWING.match(after)
        if found is not None:
            return found.group().strip().casefold()
    if next_text is not None:
        found = _OPENING.match(fold(next_text[:NEAR]).text)
        if found is not None:
            return re.sub(r"\A\W+", "", found.group()).casefold()
    return None
