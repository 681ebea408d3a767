"""Which parts of a mail are somebody else's words: they are kept, and are no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]

_BEGINS: Final = re.compile(r"\s*(?:em|no dia|on|el|le|am)\s", re.IGNORECASE)
_ENDS: Final = re.compile(r"(?:escreveu|wrote|escribió|a écrit|schrieb)\s*:\s*\Z", re.IGNORECASE)
_DATED: Final = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}\b|[^\s@<>]+@[^\s@<>]+")
_CUT: Final = re.compile(
    r"\s*(?:-{2,}\s*(?:mensagem original|mensagem encaminhada|original message|forwarded message|mensagem reenviada)\s*-{2,}"
    r"|início da mensagem encaminhada\s*:|begin forwarded message\s*:)\s*",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(
    r"\s*\*?(?:de|from|enviad[ao](?: em)?|sent|date|data|para|to|assunto|subject|cc)\s*:\*?\s", re.IGNORECASE
)
_FROM: Final = re.compile(r"\s*\*?(?:de|from)\s*:", re.IGNORECASE)
_LINES_OF_ATTRIBUTION: Final = 4


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int  # its line end not counted
    text: str

    @property
    def is_quoted(self) -> bool:
        return self.text.lstrip(" \t\u00a0").startswith(">")

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def unquotable(text: str) -> tuple[Span, ...]:
    """The spans, in code points, of quoted lines, of the line that announces them, and of what is passed on below.

    An answer between two quotations is the sender's own. So is a sentence that only sounds like an announcement: one
    counts where quoted lines follow it, or where it names a date or an address and no quoted line follows at all; then
    all that comes after it is the quotation.
    """
    lines = list(_lines(text))
    marked = [line.is_quoted for line in lines]
    index = 0
    while index < len(lines):
        if not marked[index]:
            if _is_cut(lines, index):
                marked[index:] = [True] * (len(lines) - index)
                break
            size = _attribution(lines, index)
            if size:
                after = _next_words(lines, index + size)
                if after is not None and lines[after].is_quoted:
                    marked[index : index + size] = [True] * size
                elif _announces_all(lines, index, size):
                    marked[index:] = [True] * (len(lines) - index)
                    break
        index += 1
    return tuple(_spans(lines, marked))


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, start + len(line), line)
        start += len(line) + 1


def _attribution(lines: list[_Line], index: int) -> int:
    """How many lines from here announce a quotation ("Em 5 de mar. de 2026, Suporte escreveu:"); 0: none do."""
    if _BEGINS.match(lines[index].text) is None:
        return 0
    for size in range(1, _LINES_OF_ATTRIBUTION + 1):
        if index + size > len(lines) or lines[index + size - 1].is_blank or lines[index + size - 1].is_quoted:
            return 0
        if _ENDS.search(lines[index + size - 1].text):
            return size
    return 0


def _announces_all(lines: list[_Line], index: int, size: int) -> bool:
    words = " ".join(line.text for line in lines[index : index + size])
    return bool(_DATED.search(words[:500])) and not any(line.is_quoted for line in lines[index + size :])


def _is_cut(lines: list[_Line], index: int) -> bool:
    """Whether everything from here on is a mail that is passed on or answered below, as Outlook does it."""
    if _CUT.fullmatch(lines[index].text):
        return True
    if _FROM.match(lines[index].text) is None:
        return False
    block = lines[index : index + 6]
    return sum(1 for line in block if _HEADER.match(line.text + " ")) >= 3


def _next_words(lines: list[_Line], index: int) -> int | None:
    return next((at for at in range(index, len(lines)) if not lines[at].is_blank), None)


def _spans(lines: list[_Line], marked: list[bool]) -> Iterator[Span]:
    """Marked lines that follow each other, blank ones between them included, are one span."""
    begin: int | None = None
    end = 0
    for line, is_marked in zip(lines, marked, strict=True):
        if is_marked:
            begin, end = line.start if begin is None else begin, line.end
        elif begin is not None and not line.is_blank:
            yield begin, end
            begin = None
    if begin is not None and end > begin:
        yield begin, end
