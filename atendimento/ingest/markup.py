"""A mail's HTML to the text that a person would read. Nothing of it is ever shown as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from atendimento.ingest.neutral import Unreadable

MAX_MARKUP: Final = 4 * 1024 * 1024
_BLOCKS: Final = re.compile(
    r"address|article|aside|blockquote|body|center|d[dlt]|div|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre"
    r"|section|table|t(?:body|foot|head|r)|ul"
)
# What stands in these is read up to their end, whatever it looks like; of all but the last it is nothing to read.
_RAW: Final = ("script", "style", "title", "iframe", "noscript", "noembed", "noframes", "xmp", "textarea")
_STOPS: Final = re.compile(r""">|=[ \t\r\n]{0,100}["']""")
_NAME: Final = re.compile(r"/?([A-Za-z][A-Za-z0-9:-]{0,40})")


def to_text(markup: str) -> str:
    """The words, with line ends where the page has them; what stands in a quotation gets `>` before each line.

    Raises Unreadable where there is more markup than any mail holds.
    """
    if len(markup) > MAX_MARKUP:
        raise Unreadable("markup_too_long", most=MAX_MARKUP)
    words = _Words()
    for tag, text in _tokens(markup):
        if not tag:
            words.data(unescape(text))
        elif tag.startswith("/"):
            words.end(tag[1:])
        else:
            words.start(tag)
    return _folded(words.text())


def _tokens(markup: str) -> Iterator[tuple[str, str]]:
    """Tags ("p", "/p") and the text between them, in one pass.

    Python's own parser takes time that grows with the square of what it is given, and a stranger writes these mails.
    """
    at = 0
    while at < len(markup):
        opened = markup.find("<", at)
        if opened < 0:
            yield "", markup[at:]
            return
        if opened > at:
            yield "", markup[at:opened]
        found = _NAME.match(markup, opened + 1)
        if found is not None:
            at = _end_of_tag(markup, found.end())
            name = found[1].lower()
            closes = markup[opened + 1] == "/"
            if closes or name not in _RAW:
                yield ("/" if closes else "") + name, ""
                continue
            at, inside = _raw(markup, at, name)
            if name in ("textarea", "xmp"):
                yield "", inside
        elif markup.startswith("<!--", opened):
            at = _behind(markup, "-->", opened + 4)
        elif markup[opened + 1 : opened + 2] in ("!", "?", "/"):
            at = _behind(markup, ">", opened + 2)
        else:
            yield "", "<"
            at = opened + 1


def _behind(markup: str, end: str, at: int) -> int:
    """Behind the next `end`; what never ends takes all the rest with it, as in a browser."""
    found = markup.find(end, at)
    return len(markup) if found < 0 else found + len(end)


def _end_of_tag(markup: str, at: int) -> int:
    while at < len(markup):
        found = _STOPS.search(markup, at)
        if found is None:
            return len(markup)
        if found[0] == ">":
            return found.end()
        at = _behind(markup, found[0][-1], found.end())
    return at


def _raw(markup: str, at: int, name: str) -> tuple[int, str]:
    found = re.compile(rf"</{name}(?![A-Za-z0-9])", re.IGNORECASE).search(markup, at)
    if found is None:
        return len(markup), markup[at:]
    return _behind(markup, ">", found.end()), markup[at : found.start()]


class _Words:
    """Lines as they come about. A line is kept in pieces until it ends."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._hidden = 0  # inside <template>
        self._quoted = 0
        self._kept = 0  # inside <pre>, white space is the author's

    def text(self) -> str:
        self._end_line()
        return "\n".join(self._lines)

    def start(self, tag: str) -> None:
        if tag == "template":
            self._hidden += 1
        elif tag == "br":
            self._end_line()
        elif tag in ("td", "th"):
            self._add(" ")
        elif _BLOCKS.fullmatch(tag):
            self._end_block()
            self._quoted += tag == "blockquote"
            self._kept += tag == "pre"
            if tag == "li":
                self._add("- ")

    def end(self, tag: str) -> None:
        if tag == "template":
            self._hidden = max(0, self._hidden - 1)
        elif _BLOCKS.fullmatch(tag):
            self._end_block()
            if tag == "p":
                self._end_line()
            self._quoted = max(0, self._quoted - (tag == "blockquote"))
            self._kept = max(0, self._kept - (tag == "pre"))

    def data(self, data: str) -> None:
        if self._hidden:
            return
        if not self._kept:
            self._add(re.sub(r"[ \t\r\n\f]+", " ", data))
            return
        first, *others = data.replace("\r\n", "\n").split("\n")
        self._pieces.append(first)
        for line in others:
            self._end_line()
            self._pieces.append(line)

    def _add(self, words: str) -> None:
        if not self._pieces or self._pieces[-1].endswith(" "):
            words = words.lstrip(" ")
        if words:
            self._pieces.append(words)

    def _end_block(self) -> None:
        if self._pieces:
            self._end_line()

    def _end_line(self) -> None:
        self._lines.append(("> " if self._quoted else "") + "".join(self._pieces))
        self._pieces = []


def _folded(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
