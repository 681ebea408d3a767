"""What every reader hands over: conversations of neutral messages, the people in them, and what was not understood.

Limits are kept here too. A reader stops with `Unreadable` only where nothing sensible can be shown; what it can skip it
lists with its line, so that a person sees it before anything is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Final

MAX_FILE: Final = 20 * 1024 * 1024
MAX_MESSAGES: Final = 50_000
MAX_CONVERSATIONS: Final = 2_000
MAX_PEOPLE: Final = 300
MAX_TEXT: Final = 100_000  # code points of one message
MAX_NAME: Final = 200

# What a space may be: a name that differs by one only is the same name.
SPACES: Final = dict.fromkeys(map(ord, "\u00a0\u202f\u2007\u2009\u2002\u2003\u3000"), " ")
DIRECTION_MARKS: Final = dict.fromkeys([0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])


class Format(StrEnum):
    WHATSAPP = "whatsapp"
    EML = "eml"
    MBOX = "mbox"
    JSONL = "jsonl"

    @property
    def source(self) -> str:
        """Under which its external ids are unique. A mail is the same mail in an `.eml` and in a mailbox."""
        return "import:mail" if self in (Format.EML, Format.MBOX) else f"import:{self.value}"


class Mark(StrEnum):
    """What a reader had to decide about a message; kept with it as a note."""

    DATE_ESTIMATED = "date_estimated"  # not the sender's own date: the first one that a mail server wrote
    DATE_MISSING = "date_missing"  # none at all: it counts as said when it arrives
    CHARSET_GUESSED = "charset_guessed"
    FROM_HTML = "from_html"
    EDITED = "edited_in_channel"
    DELETED = "deleted_in_channel"
    NO_SENDER = "no_sender"


class Unreadable(Exception):
    """The file as a whole cannot be taken. `code` says why, `data` names what and where."""

    def __init__(self, code: str, **data: object) -> None:
        self.code, self.data = code, data
        named = ", ".join(f"{key} {value}" for key, value in data.items())
        super().__init__(f"{code}: {named}" if named else code)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a message names. Its content is not taken over."""

    name: str  # empty where the export left it out
    kind: str = ""  # image, video, audio, document, sticker, …: where the export says so


@dataclass(frozen=True, slots=True)
class Said:
    """One message, as the file has it."""

    id: str  # made of its content: the same message has the same one in every file
    line: int  # where it begins
    person: str | None  # the person's key; None for a notice that nobody wrote
    text: str
    sent_at: datetime | None
    attachments: tuple[Attachment, ...] = ()
    automatic: bool = False  # nobody's words: no evidence
    deleted: bool = False
    unquotable: tuple[tuple[int, int], ...] = ()
    marks: frozenset[Mark] = frozenset()


@dataclass(frozen=True, slots=True)
class Person:
    key: str
    name: str
    email: str = ""
    phone: str = ""
    preset: str = ""  # the kind of author, where the file says it


@dataclass(frozen=True, slots=True)
class Conversation:
    """What becomes one ticket."""

    subject: str
    messages: tuple[Said, ...]

    @property
    def digest(self) -> str:
        return digest(*(message.id for message in self.messages))


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A line, or a part that begins there, that was left out."""

    line: int
    why: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was understood."""

    format: Format
    conversations: tuple[Conversation, ...]
    people: tuple[Person, ...]
    not_understood: tuple[NotUnderstood, ...] = ()
    date_order: str = ""  # dmy, mdy, ymd; empty where the format leaves no choice
    date_order_by: str = ""  # the file, its sequence, assumed, chosen
    charset_guessed: bool = False  # of the file as a whole
    files_enclosed: int = 0  # in a zip, beside the conversation
    counterpart: str = ""  # the key of the person whom the file's own name names

    @property
    def messages(self) -> Iterable[Said]:
        return (message for conversation in self.conversations for message in conversation.messages)


@dataclass(frozen=True, slots=True)
class Options:
    """What a person, or the organisation, decides beforehand."""

    zone: tzinfo
    date_order: str = ""  # dmy or mdy; empty: found out
    names: tuple[str, ...] = ()  # as they stand in the file, for those with a colon in them
    max_messages: int = MAX_MESSAGES


def digest(*parts: str) -> str:
    """A short fingerprint. Parts are told apart: ("ab", "c") has another one than ("a", "bc")."""
    found = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "replace")
        found.update(len(raw).to_bytes(8) + raw)
    return found.hexdigest()[:40]


@dataclass(slots=True)
class Ids:
    """Gives each message an id made of its content; equal ones are counted, so that "ok", "ok" stay two."""

    _seen: dict[str, int] = field(default_factory=dict)

    def of(self, *parts: str) -> str:
        found = digest(*parts)
        count = self._seen[found] = self._seen.get(found, 0) + 1
        return found if count == 1 else f"{found}-{count}"


def clean(text: str) -> str:
    """Without what the database or a page cannot take: NUL goes, half characters become a mark."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_name(text: str) -> str:
    """A person's name: one line, plain spaces, no marks."""
    return " ".join(clean(text).translate(DIRECTION_MARKS).translate(SPACES).split())[:MAX_NAME]


def base_name(path: str) -> str:
    """A file's name without the folders before it, whichever way they are written."""
    return clean_name(path.replace("\\", "/").rsplit("/", 1)[-1])


def excerpt(text: str, most: int = 120) -> str:
    line = clean(text).strip()
    return line if len(line) <= most else line[: most - 1] + "…"


def enough(count: int, most: int) -> None:
    """Raises Unreadable where a file holds more messages than can be taken at once."""
    if count > most:
        raise Unreadable("too_many_messages", most=most)


def people_of(found: Mapping[str, Person], messages: Iterable[Said]) -> tuple[Person, ...]:
    """Those who wrote something, in the order in which they first did."""
    order = dict.fromkeys(message.person for message in messages if message.person is not None)
    return tuple(found[key] for key in order)
