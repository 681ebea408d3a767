"""Looking into Portuguese text: without accents and case for the rules, with every letter for the quotes.

`plain` keeps the length, so that a place found in the plain text is the same place in the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_LONGEST: Final = 600  # code points
_ENDS: Final = re.compile(r"[.!?…]+(?=\s|$)|\n+")
_CLAUSE_ENDS: Final = re.compile(r"[,;:()]|\s(?:e|mas|porém|porem|só que|so que|aí|ai)\s", re.IGNORECASE)
_TAG: Final = re.compile(r",\s*(?:ok|okay|ta|certo|correto|combinado|viu|ne|tudo bem|pode ser)\s*\?+$")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(,])(?:av|r|dr|dra|sr|sra|n|no|ap|apto|bl|tel|ex|obs|prof|pca|rod|trav)$")
_NEGATIONS: Final = re.compile(r"\b(?:nao|nunca|nem|sem|jamais|deixei de)\b")
_HEDGES: Final = re.compile(
    r"\b(?:acho|talvez|se der|vou ver|pode ser que|quem sabe|nao sei|provavelmente|parece que|creio que|acredito que)\b"
)


def listed(words: str) -> frozenset[str]:
    """The words of a text, as a table that is easy to read."""
    return frozenset(words.split())


def plain(text: str) -> str:
    """The text in lower case and without accents, character by character: its length never changes."""
    return "".join(map(_plain_character, text))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character.lower()
    lowered = unicodedata.normalize("NFD", character)[0].lower()
    return lowered[0] if lowered else character


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's place in its message, its end marks included."""

    start: int
    end: int
    text: str  # as written
    plain: str
    question: bool

    @property
    def hedged(self) -> bool:
        return _HEDGES.search(self.plain) is not None

    def negated_before(self, at: int) -> bool:
        """Whether a negation stands in the same clause before this place, counted from the sentence's start."""
        clause = max((match.end() for match in _CLAUSE_ENDS.finditer(self.text, 0, at)), default=0)
        return _NEGATIONS.search(self.plain, clause, at) is not None


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, none longer than _LONGEST: rules of thumb need no more around them, and cost less."""
    found = []
    at = 0
    for end, mark in _ends(text):
        for low, high in _pieces(text, at, end):
            start = low + len(text[low:high]) - len(text[low:high].lstrip())
            stop = start + len(text[start:high].rstrip())
            if stop > start:
                piece = text[start:stop]
                simple = plain(piece)
                found.append(Sentence(start, stop, piece, simple, "?" in mark and not _TAG.search(simple)))
        at = end
    return tuple(found)


def _ends(text: str) -> Iterator[tuple[int, str]]:
    """Where sentences end, with their end marks; a full stop that only shortens a word ends none."""
    for match in _ENDS.finditer(text):
        if match.group() != "." or not _ABBREVIATED.search(plain(text[max(0, match.start() - 8) : match.start()])):
            yield match.end(), match.group()
    yield len(text), ""


def _pieces(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while high - low > _LONGEST:
        space = text.rfind(" ", low + 1, low + _LONGEST)
        split = space if space > low else low + _LONGEST
        yield low, split
        low = split
    yield low, high


def clause_end(text: str, at: int) -> int:
    """Where the clause that begins at `at` ends: before a comma, semicolon, bracket or a joining word.

    `text` is the text as written: without accents `é` would join clauses like `e`.
    """
    for match in _CLAUSE_ENDS.finditer(text, at):
        if match.group() != "," or not re.match(r",\d", text[match.start() :]):
            return match.start()
    return len(text)


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space or end marks at its ends, widened so that it cuts no word or number."""
    while start < end and (text[start].isspace() or text[start] in ",;:."):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:.!?…"):
        end -= 1
    while start > 0 and _joined(text, start):
        start -= 1
    while end < len(text) and _joined(text, end):
        end += 1
    return start, end


def _joined(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _is_word(before) and _is_word(after):
        return True
    if after in ".," and before.isdigit():
        return at + 1 < len(text) and text[at + 1].isdigit()
    return before in ".," and after.isdigit() and at > 1 and text[at - 2].isdigit()


def _is_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LNM"


def stems(text: str, least: int = 4) -> set[str]:
    """The beginnings of the words that say something, for loose comparison: `agendar` and `agenda` share one."""
    return {word[:5] for word in re.findall(r"[a-z0-9]+", plain(text)) if len(word) >= least and word not in _EMPTY}


_EMPTY: Final = listed(
    "para pela pelo como isso esse essa este esta voce voces seus suas minha meus tambem mais muito quando onde porque "
    "qual quais entao ainda aqui ficar fica sera favor"
)
