"""Comparing words without regard to typography, and finding them again in the original (E3, E8).

A folded text remembers for each of its characters which code points of the original it came from.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final

_QUOTES: Final = dict.fromkeys("‘’‚‛‹›", "'") | dict.fromkeys("“”„‟«»", '"')
_DASHES: Final = dict.fromkeys((*map(chr, range(0x2010, 0x2016)), "\u2212"), "-")
_PLAIN: Final = {**_QUOTES, **_DASHES, "\u2026": "..."}
INVISIBLE: Final = frozenset(
    (
        *map(chr, range(0x200B, 0x200E)),  # zero-width space, non-joiner, joiner
        "\u2060",
        "\ufeff",
        "\u200e",
        "\u200f",
        "\u061c",
        *map(chr, range(0x202A, 0x202F)),  # direction marks
        *map(chr, range(0x2066, 0x206A)),
    )
)
_EMOJI_MODIFIERS: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))

# Starters (combining class 0) that compose with the character before them, or that NFC takes apart into marks.
# Everything else that merges backwards has a combining class, so these two tests together find where a normalisation
# segment may begin.
COMPOSING_STARTERS: Final = frozenset(
    chr(point)
    for span in (
        (0x09BE, 0x09BE),
        (0x09D7, 0x09D7),
        (0x0B3E, 0x0B3E),
        (0x0B56, 0x0B57),
        (0x0BBE, 0x0BBE),
        (0x0BD7, 0x0BD7),
        (0x0CC2, 0x0CC2),
        (0x0CD5, 0x0CD6),
        (0x0D3E, 0x0D3E),
        (0x0D57, 0x0D57),
        (0x0DCF, 0x0DCF),
        (0x0DDF, 0x0DDF),
        (0x0F73, 0x0F73),  # Tibetan vowels that are always taken apart
        (0x0F75, 0x0F75),
        (0x0F81, 0x0F81),
        (0x102E, 0x102E),
        (0x1161, 0x1175),  # Hangul vowels and final consonants
        (0x11A8, 0x11C2),
        (0x1B35, 0x1B35),
        (0x11127, 0x11127),
        (0x1133E, 0x1133E),
        (0x11357, 0x11357),
        (0x114B0, 0x114B0),
        (0x114BA, 0x114BA),
        (0x114BD, 0x114BD),
        (0x115AF, 0x115AF),
        (0x11930, 0x11930),
    )
    for point in range(span[0], span[1] + 1)
)


# Folding leaves printable ASCII and precomposed Latin letters as they are, one space at a time; anything else needs it.
_NEEDS_FOLDING: Final = re.compile(r"[^ -~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u024f]|  ")

_SHORT: Final = 4000
"""Code points of a text that is kept folded among many."""

_FEW: Final = 32
"""Up to here the plain way is the quicker one, whatever the text."""


def _joins(char: str) -> bool:
    """Whether the character may merge with the one before it under NFC."""
    return char > "\u02ff" and (unicodedata.combining(char) != 0 or char in COMPOSING_STARTERS)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text for comparison. Character `i` of `text` stands for the original's `starts[i]` to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def spans(self, needle: str) -> list[tuple[int, int]]:
        """Where the folded `needle` occurs, as index pairs into `text`; occurrences may overlap."""
        return list(self.each(needle))

    def each(self, needle: str) -> Iterator[tuple[int, int]]:
        """The same, one by one: whoever needs the first alone need not wait for the last."""
        return places(self.text, needle)

    def each_from(self, needle: str, start: int) -> Iterator[tuple[int, int]]:
        """The occurrences of `needle` that begin at `start` in the original."""
        at = bisect_left(self.starts, start)
        while needle and at < len(self.starts) and self.starts[at] == start:
            if self.text.startswith(needle, at):
                yield at, at + len(needle)
            at += 1

    def original(self, span: tuple[int, int]) -> tuple[int, int]:
        """The span of the original, in code points, that a non-empty span of `text` stands for."""
        return self.starts[span[0]], self.ends[span[1] - 1]

    def cuts(self, span: tuple[int, int]) -> bool:
        """E8: whether the span begins or ends inside a word or a number."""
        return cuts_at(self.text, span[0]) or cuts_at(self.text, span[1])


def places(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Where `needle` occurs in `text`, as index pairs; occurrences may overlap. An empty one occurs nowhere."""
    at = text.find(needle) if needle else -1
    found = 0
    while at >= 0:
        if found == _FEW and len(needle) > _FEW:
            yield from ((start, start + len(needle)) for start in _every(text, needle, at))
            return
        yield at, at + len(needle)
        found += 1
        at = text.find(needle, at + 1)


def _every(text: str, needle: str, at: int) -> Iterator[int]:
    """Every place from `at` on where `needle` begins, after Knuth, Morris and Pratt.

    A search begun anew behind each place takes the product of the lengths where a needle overlaps itself.
    """
    borders = [0] * len(needle)  # of each beginning of the needle: the longest other beginning that it ends with
    held = 0
    for index in range(1, len(needle)):
        while held and needle[index] != needle[held]:
            held = borders[held - 1]
        held += needle[index] == needle[held]
        borders[index] = held
    held = 0
    for index in range(at, len(text)):
        while held and text[index] != needle[held]:
            held = borders[held - 1]
        held += text[index] == needle[held]
        if held == len(needle):
            yield index + 1 - held
            held = borders[held - 1]


def _composed(piece: str) -> str:
    """The piece under NFC. The library orders marks in the square of their number, unless they are in order."""
    if len(piece) <= _FEW:
        return unicodedata.normalize("NFC", piece)
    ordered: list[str] = []
    apart = (char for whole in piece for char in unicodedata.normalize("NFD", whole))
    for _is_mark, run in groupby(apart, lambda char: unicodedata.combining(char) != 0):
        ordered.extend(sorted(run, key=unicodedata.combining))  # which keeps what is no mark in its order
    return unicodedata.normalize("NFC", "".join(ordered))


def fold(text: str) -> Folded:
    """The text as E3 compares it: NFC, plain quotes, dashes and ellipses, one space for a run of white space,
    nothing invisible. White space at the ends stays (a quote is stripped by `fold_quote`)."""
    return _fold_short(text) if len(text) <= _SHORT else _fold_long(text)


def _fold(text: str) -> Folded:
    if not _NEEDS_FOLDING.search(text):
        return Folded(text, range(len(text)), range(1, len(text) + 1))
    chars: list[str] = []
    starts, ends = array("I"), array("I")
    at, length = 0, len(text)
    while at < length:
        end = at + 1
        while end < length and _joins(text[end]):
            end += 1
        piece = text[at:end]
        composed = piece if piece.isascii() else _composed(piece)
        # What NFC leaves as it is keeps its place, character by character; what it merges or reorders shares one.
        exact = composed == piece
        for index, char in enumerate(composed):
            low, high = (at + index, at + index + 1) if exact else (at, end)
            if char in INVISIBLE:
                continue
            if char.isspace() and chars and chars[-1] == " ":
                ends[-1] = high
                continue
            for plain in " " if char.isspace() else _PLAIN.get(char, char):
                chars.append(plain)
                starts.append(low)
                ends.append(high)
        at = end
    return Folded("".join(chars), starts, ends)


# A short text is worth keeping; of long ones, a few: what a customer sends must not fill the memory.
_fold_short = lru_cache(maxsize=512)(_fold)
_fold_long = lru_cache(maxsize=16)(_fold)


def fold_quote(text: str) -> str:
    """The text as E3 compares it, white space at its ends dropped."""
    return fold(text).text.strip(" ")


def fold_words(text: str) -> str:
    """The text as M7 compares it: as E3 does, without regard to case."""
    return fold_quote(text).casefold()


def visible(text: str, enough: int | None = None) -> int:
    """How many characters a reader sees: no spaces, marks, controls, formats or skin tones. Stops at `enough`."""
    seen = 0
    for char in text:
        if not char.isspace() and char not in _EMOJI_MODIFIERS and unicodedata.category(char)[0] not in "MC":
            seen += 1
            if seen == enough:
                break
    return seen


def is_digit(char: str) -> bool:
    return unicodedata.category(char) == "Nd"


def _in_word(text: str, at: int) -> bool:
    """Whether the character belongs to a word. A mark does where the character that bears it does."""
    while at >= 0:
        char = text[at]
        if char == "_":
            return True
        category = unicodedata.category(char)[0]
        if category != "M":
            return category in "LN"
        at -= 1
    return False


def cuts_at(text: str, at: int) -> bool:
    """E8: whether the place before `text[at]` lies inside a word or a number.

    Inside a word: between two letters, digits, marks or `_`. Inside a number: beside a `.` or `,` that stands
    between two digits: `1.5` is no part of `1.500,00`.
    """
    if at <= 0 or at >= len(text):
        return False
    if _in_word(text, at - 1) and _in_word(text, at):
        return True
    return joins_number(text, at, ".,")


def joins_number(text: str, at: int, separators: str) -> bool:
    """Whether the place before `text[at]` is beside one of `separators` that stands between two digits."""
    before, after = text[at - 1], text[at]
    if after in separators:
        return is_digit(before) and at + 1 < len(text) and is_digit(text[at + 1])
    if before in separators:
        return is_digit(after) and at >= 2 and is_digit(text[at - 2])
    return False
