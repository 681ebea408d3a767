"""A chat that WhatsApp exported: Android's and the iPhone's, in Portuguese and English, with 12 or 24 hours.

    05/03/2026 14:07 - Ana Exemplo: Oi
    [3/5/26, 2:07:33 PM] Ana Exemplo: Oi

One file has one way of writing its dates: the first line's. A line that begins with a time or a date in any other way goes
on with the message before it. The order of day and month is decided once, for the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from atendimento.ingest import charsets
from atendimento.ingest.day_order import Decided, decide
from atendimento.ingest.neutral import (
    DIRECTION_MARKS,
    MAX_TEXT,
    SPACES,
    Conversation,
    Format,
    Ids,
    Mark,
    NotUnderstood,
    Options,
    Person,
    Reading,
    Said,
    Unreadable,
    clean,
    clean_name,
    enough,
    excerpt,
    people_of,
)
from atendimento.ingest.whatsapp_words import is_deleted, is_notice, is_plain_notice, plain, take_attachment, take_edited

_DATE: Final = r"(?P<a>\d{1,4})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<c>\d{2,4})"
_TIME: Final = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?: ?(?P<half>[AaPp])\.? ?[Mm]\.?)?"
_HEAD: Final = re.compile(rf"(?P<open>\[)?{_DATE}(?P<between>,? (?:às )?){_TIME}(?P<close>\] ?| [-–] )(?P<rest>.*)", re.DOTALL)
_LEADING: Final = "".join(map(chr, DIRECTION_MARKS))
_LONGEST_NAME: Final = 80  # what is longer before a colon is a sentence
_PHONE: Final = re.compile(r"\+?[\d ().-]{8,24}")
_TITLE: Final = re.compile(
    r"(?:conversa do whatsapp com|whatsapp chat with|whatsapp chat -|whatsapp -)\s*"
    r"(?P<name>.+?)(?:\s*\(\d+\))?(?:\.(?:txt|zip))*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Entry:
    """A message as it stands in the file: its head, taken apart, and its lines."""

    line: int
    written: str  # its first line, whole
    date: tuple[int, int, int]
    time: tuple[int, int, int]
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(slots=True)
class _Lines:
    entries: list[_Entry] = field(default_factory=list)
    strays: list[NotUnderstood] = field(default_factory=list)
    american: bool = False


def read(data: bytes, file_name: str, options: Options, files_enclosed: int = 0) -> Reading:
    """The chat as one conversation. Raises Unreadable where it holds no message at all."""
    text, guessed = charsets.decode_file(data)
    found = _split(clean(text), options.max_messages)
    if not found.entries:
        raise Unreadable("no_messages", format="WhatsApp")
    order = decide([entry.date for entry in found.entries], options.date_order, found.american)
    counterpart = title_of(file_name)
    names = tuple(sorted({clean_name(name) for name in (*options.names, counterpart) if name.strip()}, key=len, reverse=True))
    reader = _Reader(options, order, names, found.strays)
    messages = tuple(reader.messages(found.entries))
    people = people_of(reader.people, messages)
    return Reading(
        Format.WHATSAPP,
        (Conversation("", messages),),
        people,
        tuple(sorted(reader.strays, key=lambda stray: stray.line)),
        date_order=order.order,
        date_order_by=order.by,
        charset_guessed=guessed,
        files_enclosed=files_enclosed,
        counterpart=counterpart if any(person.key == counterpart for person in people) else "",
    )


def title_of(file_name: str) -> str:
    """The person or group that the file's own name names, or nothing."""
    found = _TITLE.fullmatch(clean_name(file_name))
    return found["name"].strip() if found else ""


def looks_like_one(text: str) -> bool:
    return any(_head(line) is not None for line in text.split("\n", 30)[:30])


# --- lines --------------------------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered from 1. Only real line ends count: a message may hold other separators."""
    joined = text.replace("\r\n", "\n")
    yield from enumerate((joined if "\n" in joined else joined.replace("\r", "\n")).split("\n"), 1)


def _head(line: str) -> re.Match[str] | None:
    bare = line.lstrip(_LEADING)
    if not (bare[:1] == "[" or bare[:1].isdigit()):
        return None
    # A narrow or fixed space before AM stands for a plain one; spaces in the text itself stay as they are.
    head = bare[:48].translate(SPACES) + bare[48:]
    found = _HEAD.fullmatch(head)
    if found is None or (found["open"] == "[") != found["close"].startswith("]"):
        return None
    return found


def _manner(head: re.Match[str]) -> tuple[object, ...]:
    """How dates are written here: what a pasted line of another chat does not share."""
    year_first = len(head["a"]) == 4
    return (
        head["open"], head["sep"], head["between"], year_first, len(head["a"] if year_first else head["c"]),
        head["second"] is not None, head["half"] is not None,
    )  # fmt: skip


def _is_american(head: re.Match[str]) -> bool:
    """`3/4/26, 2:07 PM`: so the phones of the one country that puts the month first."""
    return (head["half"] or "").isupper() and head["sep"] == "/" and len(head["c"]) == 2 and "," in head["between"]


def _split(text: str, most: int) -> _Lines:
    found = _Lines()
    manner: tuple[object, ...] | None = None
    for number, line in _lines(text):
        head = _head(line)
        if head is not None and manner is None:
            manner = _manner(head)
            found.american = _is_american(head)
        if head is not None and _manner(head) == manner:
            enough(len(found.entries) + 1, most)
            date = int(head["a"]), int(head["b"]), int(head["c"])
            rest = line[len(line) - len(head["rest"]) :]
            found.entries.append(_Entry(number, line, date, _time(head), [rest]))
        elif found.entries:
            found.entries[-1].lines.append(line)
        elif line.strip():
            found.strays.append(NotUnderstood(number, "before_first_message", excerpt(line)))
    return found


def _time(head: re.Match[str]) -> tuple[int, int, int]:
    hour, half = int(head["hour"]), (head["half"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour, int(head["minute"]), int(head["second"] or 0)


# --- messages -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reader:
    options: Options
    order: Decided
    names: tuple[str, ...]
    strays: list[NotUnderstood]
    people: dict[str, Person] = field(default_factory=dict)
    _ids: Ids = field(default_factory=Ids)

    def messages(self, entries: Sequence[_Entry]) -> Iterator[Said]:
        for entry in entries:
            said = self._message(entry)
            if said is not None:
                yield said

    def _message(self, entry: _Entry) -> Said | None:
        moment = self._moment(entry)
        if moment is None:
            self.strays.append(NotUnderstood(entry.line, "impossible_date", excerpt(plain(entry.written))))
            return None
        while len(entry.lines) > 1 and not entry.lines[-1].strip():
            entry.lines.pop()
        name, words = self._author(entry.text)
        if len(words) > MAX_TEXT:
            self.strays.append(NotUnderstood(entry.line, "too_long", excerpt(plain(entry.written))))
            return None
        if name is None:
            return self._notice(entry, moment, words)
        return self._said(entry, moment, name, words)

    def _moment(self, entry: _Entry) -> datetime | None:
        date = self.order.date(entry.date)
        if date is None:
            return None
        try:
            return datetime(*date, *entry.time, tzinfo=self.options.zone)
        except ValueError:
            return None

    def _author(self, text: str) -> tuple[str | None, str]:
        """The name and the words; no name for a notice. Known names are tried first, the longest before others."""
        bare = text.translate(SPACES).translate(DIRECTION_MARKS)
        if is_plain_notice(text):
            return None, text
        for name in self.names:
            for written in (name, f"~ {name}", f"~{name}"):
                if bare.startswith(f"{written}: ") or bare.split("\n", 1)[0] == f"{written}:":
                    return name, _after_colons(text, written.count(":") + 1)
        first = text.split("\n", 1)[0].rstrip()
        at = first.find(": ") if ": " in first else len(first) - 1 if first.endswith(":") else -1
        name = clean_name(first[: max(at, 0)]).removeprefix("~").strip()
        return (name, text[at + 1 :]) if 0 < len(name) <= _LONGEST_NAME else (None, text)

    def _notice(self, entry: _Entry, moment: datetime, words: str) -> Said:
        text = plain(words).strip()
        identity = self._ids.of("notice", moment.isoformat(), text)
        return Said(identity, entry.line, None, text, moment, automatic=True)

    def _said(self, entry: _Entry, moment: datetime, name: str, words: str) -> Said:
        words = words.removeprefix(" ")
        if is_notice(words):
            return self._notice(entry, moment, words)
        text, edited = take_edited(words)
        deleted = is_deleted(text)
        caption, attachments = take_attachment(text)
        if name not in self.people:
            phone = name if _PHONE.fullmatch(name) else ""
            self.people[name] = Person(name, name, phone=phone)
        marks = {Mark.EDITED} if edited else set()
        if deleted:
            marks.add(Mark.DELETED)
        return Said(
            self._ids.of(name, moment.isoformat(), plain(text)),
            entry.line,
            name,
            "" if deleted else caption,
            moment,
            attachments,
            deleted=deleted,
            marks=frozenset(marks),
        )


def _after_colons(text: str, count: int) -> str:
    """What follows the `count`th colon: names are compared with their spaces made plain, the text is not."""
    at = -1
    for _ in range(count):
        at = text.find(":", at + 1)
    return text[at + 1 :]
