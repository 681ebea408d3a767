"""Known words in running text, however they are spelled: without capitals or accents, over a line's end, with what is unseen.

Nobody writes a name twice the same way, and whoever wants it gone means each of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoria.typography import INVISIBLE


@dataclass(frozen=True, slots=True)
class Place:
    """Where known words stand in a text (code points), and which: as `spelled` spells them."""

    start: int
    end: int
    words: str


class Spellings:
    """Finds these words, the longest first; never a part of a word or number."""

    def __init__(self, known: Iterable[str]) -> None:
        longest = sorted({words for text in known if (words := spelled(text))}, key=len, reverse=True)
        pattern = "|".join(r"\s+".join(map(re.escape, words.split(" "))) for words in longest)
        self._pattern = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)") if longest else None

    def find(self, text: str) -> Iterator[Place]:
        if self._pattern is None:
            return
        plain, places = folded(text)
        for found in self._pattern.finditer(plain):
            end = places[found.end() - 1] + 1
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            yield Place(places[found.start()], end, " ".join(found.group().split()))


def spelled(text: str) -> str:
    """The one spelling under which words are known."""
    return " ".join(folded(text)[0].split())


def folded(text: str) -> tuple[str, Sequence[int]]:
    """Small letters without accents, nothing invisible in between; and for each character its place in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character in INVISIBLE:
            continue
        for part in unicodedata.normalize("NFKD", character).casefold():
            if not unicodedata.combining(part):
                characters.append(part)
                places.append(place)
    return "".join(characters), places
