"""Where in a text the words stand that were looked for, and as much of it around them as a list shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from atendimento.selectors import search_terms
from atendimento.selectors.parts import Segment
from atendimento.selectors.search_terms import Sought, Term
from memoria.spellings import folded

Span = tuple[int, int]
FOUND: Final = "found"
BEFORE, AFTER = 70, 170  # code points around the first hit
MOST: Final = 200  # marks in one text
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as it is searched: its words in small letters without accents, and where each stands in the original."""

    written: str
    plain: str
    places: Sequence[int]
    words: tuple[Span, ...]  # in `plain`

    @classmethod
    def of(cls, written: str) -> _Text:
        plain, places = folded(written)
        return cls(written, plain, places, tuple(match.span() for match in _WORD.finditer(plain)))

    def word(self, index: int) -> str:
        start, end = self.words[index]
        return self.plain[start:end]

    def span(self, start: int, end: int) -> Span:
        """Of a stretch of `plain`, the stretch of the original with the accents that follow its last letter."""
        last = end
        stop = self.places[last] if last < len(self.places) else len(self.written)
        tail = self.written[self.places[end - 1] + 1 : stop]
        extra = len(tail) - len(tail.lstrip("\u0300\u0301\u0302\u0303\u0308\u0327"))
        return self.places[start], self.places[end - 1] + 1 + extra


def spans(texts: Sequence[str], sought: Sought) -> list[tuple[Span, ...]]:
    """For each text, where what is sought stands in it (code points), in order and without overlaps. One query at most."""
    read = [_Text.of(text) for text in texts]
    looked_for = [(term, tuple(match.group() for match in _WORD.finditer(folded(term.text)[0]))) for term in sought.terms]
    known = _stems(read, looked_for)
    numbers = [_pattern(number, unfinished=unfinished) for number, unfinished in sought.numbers]
    return [_spans(text, looked_for, known, numbers) for text in read]


def _stems(texts: Iterable[_Text], looked_for: Iterable[tuple[Term, tuple[str, ...]]]) -> Mapping[str, str]:
    """The stems of the words that are looked for, and of those in the texts that begin like one of them."""
    wanted = {word for term, words in looked_for if not term.exact for word in words}
    beginnings = {word[:2] for word in wanted}
    near = {word for text in texts for index in range(len(text.words)) if (word := text.word(index))[:2] in beginnings}
    return search_terms.stems(wanted | near)


def _pattern(number: str, *, unfinished: bool) -> re.Pattern[str]:
    """A number however it is punctuated, and no part of a longer one."""
    return re.compile(r"(?<![0-9a-z])" + r"[-./()+, ]{0,3}".join(number) + ("" if unfinished else r"(?![0-9a-z]|[-./][0-9])"))


def _spans(
    text: _Text,
    looked_for: Iterable[tuple[Term, tuple[str, ...]]],
    known: Mapping[str, str],
    numbers: Iterable[re.Pattern[str]],
) -> tuple[Span, ...]:
    found: list[Span] = []
    for term, words in looked_for:
        found += _of_term(text, term, words, known)
    for number in numbers:
        found += (text.span(*match.span()) for match in number.finditer(text.plain))
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged[:MOST])


def _of_term(text: _Text, term: Term, words: Sequence[str], known: Mapping[str, str]) -> Iterator[Span]:
    """The places where the term's words follow each other."""
    if not words or (not term.exact and not term.unfinished and not any(word in known for word in words)):
        return
    for first in range(len(text.words) - len(words) + 1):
        for offset, word in enumerate(words):
            begins = term.unfinished and offset == len(words) - 1
            if not _same(text.word(first + offset), word, known, exact=term.exact, unfinished=begins):
                break
        else:
            yield text.span(text.words[first][0], text.words[first + len(words) - 1][1])


def _same(there: str, word: str, known: Mapping[str, str], *, exact: bool, unfinished: bool) -> bool:
    if there == word or (unfinished and len(word) > 1 and there.startswith(word)):
        return True
    return not exact and word in known and known.get(there) == known[word]


def segments(text: str, found: Sequence[Span]) -> tuple[Segment, ...]:
    """The text around the first hit, with every hit in it marked; from its beginning where there is none."""
    if not found:
        low, high = 0, min(len(text), BEFORE + AFTER)
    else:
        low, high = max(0, found[0][0] - BEFORE), min(len(text), max(found[0][0] + AFTER, found[0][1]))
    low = _word_edge(text, low, found[0][0]) if low and found else low
    if high < len(text):
        high = _word_end(text, found[0][1] if found else low, high)
    inside = [(start, min(end, high)) for start, end in found if start < high]
    edges = sorted({low, high, *(edge for span in inside for edge in span)})
    cut = [Segment("… ")] if low else []
    for start, end in pairwise(edges):
        marked = any(first <= start and end <= last for first, last in inside)
        cut.append(Segment(text[start:end], FOUND if marked else ""))
    if high < len(text):
        cut.append(Segment(" …"))
    return tuple(cut)


def _word_edge(text: str, low: int, most: int) -> int:
    """The next beginning of a word, so that none is shown without its head."""
    space = next((at for at in range(low, most) if text[at].isspace()), None)
    return low if space is None else space + 1


def _word_end(text: str, least: int, high: int) -> int:
    """The last end of a word, so that none is shown without its tail."""
    space = next((at for at in range(high, least, -1) if text[at].isspace()), None)
    return high if space is None else space
