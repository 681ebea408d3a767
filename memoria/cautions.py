"""Words around a quote that turn its meaning (E8). The lists are closed; `docs/domain.md` publishes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
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

_ENDS: Final = ".!?…\n\r"


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
    low = start
    while low > 0 and not _ends_sentence(text, low - 1):
        low -= 1
    high = end
    if not (end > start and _ends_sentence(text, end - 1)):
        while high < len(text) and not _ends_sentence(text, high):
            high += 1
    while high < len(text) and text[high] in ".!?…":
        high += 1
    while low < start and text[low].isspace():
        low += 1
    return low, high


def _ends_sentence(text: str, at: int) -> bool:
    char = text[at]
    if char in "\n\r":
        return True
    if char not in _ENDS:
        return False
    return at + 1 >= len(text) or text[at + 1].isspace() or text[at + 1] in _ENDS


def turns(text: str, start: int, end: int, next_text: str | None) -> tuple[Turn, ...]:
    """What turns the meaning of `text[start:end]`: a negation first, then a question, then a hedge.

    `next_text` is the same author's next message, None where there is none.
    """
    low, high = sentence_span(text, start, end)
    before, after = fold(text[low:start]).text, fold(text[end:high]).text
    found: list[Turn] = []
    negation = _negation(before, fold(text[start:end]).text, after, next_text)
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
        found = _OPENING.match(fold(next_text).text)
        if found is not None:
            return re.sub(r"\A\W+", "", found.group()).casefold()
    return None
