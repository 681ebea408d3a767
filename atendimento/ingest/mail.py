"""One mail to one message: words, sender, time, attachments, and whether a machine sent it."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import getaddresses, parsedate_tz
from typing import Final

from atendimento.ingest import charsets
from atendimento.ingest.markup import to_text
from atendimento.ingest.neutral import (
    MAX_TEXT,
    Attachment,
    Ids,
    Mark,
    Person,
    Said,
    Unreadable,
    base_name,
    clean,
    clean_name,
)
from atendimento.ingest.quoting import unquotable
from atendimento.ingest.whatsapp_words import kind_of

MAX_PARTS: Final = 500
MAX_HEADER: Final = 10_000  # characters that are looked at
YEARS: Final = range(1990, 2100)
_MACHINES: Final = frozenset({"mailer-daemon", "postmaster"})
_BULK: Final = frozenset({"bulk", "junk", "auto_reply", "auto-reply"})
_REPLY_MARKS: Final = re.compile(r"\s*(?:(?:re|res|fw|fwd|enc|encaminhada|aw|rv)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
# The library reads a date into nearly anything; this is what mail programs write (RFC 5322, and mbox's own way).
_WEEKDAY: Final = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?"
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_ZONE: Final = r"(?:\s*(?:[+-]\d{4}|[a-z]{1,5}))?(?:\s*\([^()]*\))*"
_DATE: Final = re.compile(
    rf"{_WEEKDAY}(?:\d{{1,2}}\s+{_MONTH}\s+\d{{4}}\s+{_CLOCK}{_ZONE}|{_MONTH}\s+\d{{1,2}}\s+{_CLOCK}\s+\d{{4}}{_ZONE})",
    re.IGNORECASE,
)
# Other letters name no zone that all agree on.
_ZONED: Final = re.compile(r":\d{2}(?:\.\d+)?(?:\s+\d{4})?\s*(?:[+-]\d{4}|(?:utc?|gmt|z|[ecmp][sd]t)\b)", re.IGNORECASE)
# What the library lets through for a broken mail. One such mail must not stop a mailbox.
FAULTS: Final = (
    MessageError,
    HeaderParseError,
    binascii.Error,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    OverflowError,
    RecursionError,
)


@dataclass(frozen=True, slots=True)
class Mail:
    said: Said
    sender: Person | None
    subject: str


def read_mail(data: bytes, line: int, ids: Ids, zone: tzinfo, envelope: datetime | None = None) -> Mail:
    """The mail that begins at `line` of its file. `envelope` is when a mailbox says that it came.

    Raises Unreadable where it cannot be taken; the caller goes on with the next one.
    """
    try:
        return _Reader(message_from_bytes(data, policy=compat32), zone, envelope).mail(line, ids)
    except FAULTS:
        raise Unreadable("mail_damaged", line=line) from None


@dataclass(slots=True)
class _Body:
    plain: list[str]
    markup: list[str]
    attachments: list[Attachment]
    guessed: bool = False
    parts: int = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    message: Message
    zone: tzinfo
    envelope: datetime | None

    def mail(self, line: int, ids: Ids) -> Mail:
        body = _Body([], [], [])
        _collect(self.message, body)
        marks: set[Mark] = {Mark.CHARSET_GUESSED} if body.guessed else set()
        text = "\n\n".join(part for part in body.plain if part.strip())
        if not text and body.markup:
            marks.add(Mark.FROM_HTML)
            text = "\n\n".join(filter(None, map(to_text, body.markup)))
        text = clean(text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
        if len(text) > MAX_TEXT:
            raise Unreadable("too_long", line=line)
        sender = self._sender()
        moment, how = self._moment()
        marks |= {how} if how else set()
        if sender is None:
            marks.add(Mark.NO_SENDER)
        said = Said(
            ids.of(
                self._header("Message-ID").strip(),
                sender.key if sender else "",
                moment.astimezone(UTC).isoformat() if moment else "",
                text,
            ),
            line,
            sender.key if sender else None,
            text,
            moment,
            tuple(body.attachments),
            automatic=sender is None or self._is_automatic(sender),
            unquotable=unquotable(text),
            marks=frozenset(marks),
        )
        return Mail(said, sender, _bare_subject(self._header("Subject")))

    def _header(self, name: str) -> str:
        return _header(self.message, name)

    # --- who

    def _sender(self) -> Person | None:
        for name in ("From", "Sender"):
            for value in _values(self.message, name)[:3]:
                # The name is decoded after the address is told from it: it may hold a comma.
                for shown, address in getaddresses([_unfolded(value[:MAX_HEADER])]):
                    found = clean_name(header_text(address)).lower()
                    if "@" in found:
                        return Person(found, clean_name(header_text(shown)) or found, email=found)
                called = clean_name(header_text(value))
                if called:
                    return Person(called, called)
        return None

    # --- when

    def _moment(self) -> tuple[datetime | None, Mark | None]:
        moment, has_zone = moment_of(self._header("Date"), self.zone)
        if moment is not None:
            return moment, None if has_zone else Mark.DATE_ESTIMATED
        for received in _values(self.message, "Received")[:100]:
            moment, _zone = moment_of(header_text(received).rpartition(";")[2], self.zone)
            if moment is not None:
                return moment, Mark.DATE_ESTIMATED
        return (self.envelope, Mark.DATE_ESTIMATED) if self.envelope else (None, Mark.DATE_MISSING)

    # --- a machine?

    def _is_automatic(self, sender: Person) -> bool:
        submitted = self._header("Auto-Submitted").partition(";")[0].strip().lower()
        returned = _values(self.message, "Return-Path")
        return (
            submitted not in ("", "no")
            or (bool(returned) and header_text(returned[0]).strip() == "<>")
            or self.message.get_content_type() == "multipart/report"
            or self._header("Precedence").strip().lower() in _BULK
            or any(_values(self.message, name) for name in ("X-Autoreply", "X-Autorespond", "X-Auto-Reply"))
            or sender.email.partition("@")[0] in _MACHINES
        )


def _values(message: Message, name: str) -> list[str]:
    """As they came: the library would put a mark for each eight-bit byte."""
    return [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]


def _header(message: Message, name: str) -> str:
    return header_text(next(iter(_values(message, name)), ""))


def header_text(value: str) -> str:
    """A header as people read it: encoded words decoded, eight-bit bytes by guess, on one line."""
    raw = _unfolded(value[:MAX_HEADER])
    try:
        parts = decode_header(raw)
    except FAULTS:
        parts = [(raw, None)]
    words = []
    for part, label in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else _unescaped(part, label)
        words.append(charsets.decode(data, label or "utf-8")[0])
    return clean("".join(words))


def _unescaped(part: bytes, label: str | None) -> bytes:
    """Between encoded words the library writes what stood there as `\\udce7`; the bytes are put back."""
    return part if label else re.sub(rb"\\udc([89a-f][0-9a-f])", lambda found: bytes([int(found[1], 16)]), part)


def _unfolded(text: str) -> str:
    return re.sub(r"[\r\n]+[ \t]*", " ", text)


def _bare_subject(subject: str) -> str:
    line = " ".join(subject.split())
    found = _REPLY_MARKS.match(line)
    return line[found.end() :] if found else line


def moment_of(text: str, zone: tzinfo) -> tuple[datetime | None, bool]:
    """The moment that a date header names, and whether it names its zone; None where it is no date."""
    if len(text) > 200 or not _DATE.fullmatch(text.strip()):
        return None, False
    try:
        parts = parsedate_tz(text.strip())
        if parts is None or parts[0] not in YEARS:
            return None, False
        year, month, day, hour, minute, second = parts[:6]
        naive = datetime(year, month, day, hour, minute, min(second, 59))  # noqa: DTZ001 - its zone is set below
        if parts[9] is None or not _ZONED.search(text):
            return naive.replace(tzinfo=zone), False
        if abs(parts[9]) > 15 * 3600:
            return None, False
        return datetime.fromtimestamp(naive.replace(tzinfo=UTC).timestamp() - parts[9], zone), True
    except FAULTS:
        return None, False


# --- parts --------------------------------------------------------------------------------------------------------


def _collect(message: Message, body: _Body) -> None:
    """Gather words and attachments, depth first. Of alternatives the plainest that holds words is taken."""
    body.parts += 1
    if body.parts > MAX_PARTS:
        raise ValueError("too many parts")
    kind = message.get_content_type()
    if kind == "multipart/alternative":
        _collect_best(message, body)
    elif kind == "message/rfc822" or (kind.startswith("message/") and message.is_multipart()):
        inner = next(iter(_children(message)), None)
        title = _header(inner, "Subject") if inner is not None else ""
        body.attachments.append(Attachment(base_name(title)[:200], "mail"))
    elif message.is_multipart():
        for part in _children(message):
            _collect(part, body)
    else:
        _collect_leaf(message, kind, body)


def _collect_best(message: Message, body: _Body) -> None:
    plain, others = _Body([], [], [], parts=body.parts), _Body([], [], [], parts=body.parts)
    for part in _children(message):
        _collect(part, plain if part.get_content_type() == "text/plain" else others)
    best = plain if any(text.strip() for text in plain.plain) else others
    body.plain += best.plain
    body.markup += best.markup
    body.attachments += plain.attachments + others.attachments
    body.guessed |= best.guessed
    body.parts = max(plain.parts, others.parts)


def _collect_leaf(message: Message, kind: str, body: _Body) -> None:
    name = _file_name(message)
    disposition = _header(message, "Content-Disposition").partition(";")[0].strip().lower()
    if disposition == "attachment" or name or kind not in ("text/plain", "text/html"):
        if kind != "message/delivery-status" and (name or disposition != "inline" or not kind.startswith("text/")):
            body.attachments.append(Attachment(name, kind_of(name) if name else clean_name(kind.partition("/")[0])[:40]))
        return
    payload = message.get_payload(decode=True)
    text, guessed = charsets.decode(payload if isinstance(payload, bytes) else b"", _label(message))
    body.guessed |= guessed
    (body.plain if kind == "text/plain" else body.markup).append(text)


def _children(message: Message) -> Iterator[Message]:
    payload = message.get_payload()
    if isinstance(payload, list):
        yield from (part for part in payload if isinstance(part, Message))


def _file_name(message: Message) -> str:
    try:
        return base_name(header_text(str(message.get_filename() or "")))
    except FAULTS:
        return "?"


def _label(message: Message) -> str:
    try:
        found = message.get_param("charset")
    except FAULTS:
        return ""
    return str(found[2] if isinstance(found, tuple) else found or "")
