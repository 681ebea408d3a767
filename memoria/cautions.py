"""Words around a quote that turn its meaning (E8). The lists are closed; `docs/domain.md` publishes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memoria.typography import fold

NEGATIONS: Final = (
    "não", "nao", "ñ", "n", "nunca", "jamais", "nem", "sem", "nada", "nenhum", "nenhuma", "ninguém", "ninguem",
    "tampouco", "deixei de", "deixou de", "deixamos de", "deixaram de", "deixar de", "deixe de", "deixem de",
    "parei de", "parou de", "not", "no", "never", "without", "nobody", "nothing", "none", "cannot",
    "don't", "doesn't", "didn't", "won't", "can't", "isn't", "wasn't", "aren't", "wouldn't", "shouldn't", "haven't",
)  # fmt: skip
"""Before a quote in its sentence. `n` only where no number follows it (`n 10` is a house number)."""

FOLLOWING_NEGATIONS: Final = ("não", "nao", "ñ", "not", "nunca", "jamais")
"""Right behind a quote: "confirme não", "quero não"."""

OPENING_NEGATIONS: Final = ("não", "nao", "ñ", "n", "nunca", "jamais", "nem", "no", "not", "never")
"""First word of the same author's next message."""

HEDGES: Final = (
    "acho que", "acho", "acredito que", "creio que", "talvez", "se der", "se eu conseguir", "vou ver", "pode ser que",
    "quem sabe", "não sei se", "nao sei se", "não tenho certeza", "nao tenho certeza", "sem certeza", "provavelmente",
    "parece que", "maybe", "perhaps", "probably", "i think", "i guess", "not sure", "might", "if possible",
)  # fmt: skip
"""Anywhere around a quote in its sentence."""

_WORD = re.compile(r"[\w'’]+")
_ENDS: Final = ".!?…\n\r"


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


def _words(text: str) -> list[str]:
    return [word.replace("’", "'").strip("'").casefold() for word in _WORD.findall(fold(text).text)]


def _first_of(expressions: tuple[str, ...], words: list[str]) -> str | None:
    joined = f" {' '.join(words)} "
    found = [(joined.find(f" {expression} "), expression) for expression in expressions if f" {expression} " in joined]
    return min(found)[1] if found else None


def turns(text: str, start: int, end: int, next_text: str | None) -> tuple[Turn, ...]:
    """What turns the meaning of `text[start:end]`: a negation first, then a question, then a hedge.

    `next_text` is the same author's next message, None where there is none.
    """
    low, high = sentence_span(text, start, end)
    before, after = _words(text[low:start]), _words(text[end:high])
    found: list[Turn] = []
    negation = _negation(before, text[end:high], next_text, text[start:end])
    if negation is not None:
        found.append(Turn("negation", negation))
    if "?" in fold(text[low:high]).text:
        found.append(Turn("question", "?"))
    hedge = _first_of(HEDGES, before) or _first_of(HEDGES, after)
    if hedge is not None:
        found.append(Turn("hedge", hedge))
    return tuple(found)


def _negation(before: list[str], rest: str, next_text: str | None, quote: str) -> str | None:
    follower = (_words(quote) or [""])[0]
    kept = [
        word
        for index, word in enumerate(before)
        if word != "n" or not (before[index + 1] if index + 1 < len(before) else follower).isdigit()
    ]
    found = _first_of(NEGATIONS, kept)
    if found is not None:
        return found
    behind = fold(rest).text
    if behind[:1] == " ":
        words = _words(behind)
        if words and words[0] in FOLLOWING_NEGATIONS and behind[1:].casefold().startswith(words[0]):
            return words[0]
    if next_text is not None:
        words = _words(next_text)
        if words and words[0] in OPENING_NEGATIONS:
            return words[0]
    return None
