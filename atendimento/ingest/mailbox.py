"""A mail alone (`.eml`), or a mailbox in one file (mbox): the mails of one conversation, oldest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from atendimento.ingest.mail import Mail, moment_of, read_mail
from atendimento.ingest.neutral import (
    Conversation,
    Format,
    Ids,
    NotUnderstood,
    Options,
    Person,
    Reading,
    Unreadable,
    clean,
    enough,
    excerpt,
    people_of,
)

# "From sender date", as mail programs write it; a sentence that begins with "From " names no weekday and month so.
_ENVELOPE: Final = re.compile(
    rb"From (?:\S+(?: at \S+)?|-)\s+(?P<date>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+"
    rb"(?:[A-Z][a-z]{2}\s+\d{1,2}|\d{1,2}\s+[A-Z][a-z]{2}),?\s+.{4,40})"
)
_BARE_ENVELOPE: Final = re.compile(rb"From (?:\S+@\S+|-|MAILER-DAEMON)\s*")
_FIELD: Final = re.compile(rb">?[!-9;-~]{1,100}:")
_OF_MAILS: Final = frozenset({b"from", b"received", b"message-id", b"mime-version", b"return-path", b"date"})
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Raw:
    line: int
    envelope: bytes
    content: bytes


def read_eml(data: bytes, file_name: str, options: Options) -> Reading:
    """One mail. Raises Unreadable."""
    mail = read_mail(data.lstrip(b"\r\n"), 1, Ids(), options.zone)
    if not mail.said.text and not mail.said.attachments and mail.sender is None:
        raise Unreadable("no_messages", format="eml")
    return _reading(Format.EML, [mail], [])


def read_mbox(data: bytes, file_name: str, options: Options) -> Reading:
    """The mails of a mailbox. One that cannot be read is listed, and the others are taken. Raises Unreadable."""
    ids = Ids()
    mails: list[Mail] = []
    strays: list[NotUnderstood] = []
    known: set[str] = set()
    for count, raw in enumerate(_split(data, strays), 1):
        enough(count, options.max_messages)
        try:
            mail = read_mail(_ESCAPED.sub(rb"\1", raw.content), raw.line, ids, options.zone, _came(raw.envelope, options))
        except Unreadable as error:
            strays.append(NotUnderstood(raw.line, error.code, excerpt(raw.content[:120].decode("utf-8", "replace"))))
            continue
        # The sender's copy and the receiver's are one mail; an id that ends in a count is such a copy.
        identity = mail.said.id.partition("-")[0]
        if identity not in known:
            known.add(identity)
            mails.append(mail)
    if not mails:
        raise Unreadable("no_messages", format="mbox")
    return _reading(Format.MBOX, mails, strays)


def looks_like_mbox(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf\r\n").startswith(b"From ")


def looks_like_mail(data: bytes) -> bool:
    """Whether the file begins with header fields, one of which only mails have."""
    start = data.lstrip(b"\xef\xbb\xbf\r\n")[:20_000].replace(b"\r\n", b"\n").split(b"\n\n", 1)[0]
    names = {line.partition(b":")[0].lower() for line in start.split(b"\n") if _FIELD.match(line)}
    return bool(names & _OF_MAILS)


def _split(data: bytes, strays: list[NotUnderstood]) -> Iterator[_Raw]:
    """The mails with the line that each begins at. A mail begins behind a blank line, and has a header."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    starts = [at for at in range(len(lines)) if lines[at][:5] == b"From " and _is_start(lines, at)]
    before = b"\n".join(lines[: starts[0] if starts else len(lines)]).strip()
    if before:
        strays.append(NotUnderstood(1, "before_first_message", excerpt(clean(before[:200].decode("utf-8", "replace")))))
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        yield _Raw(begin + 1, lines[begin], b"\n".join(lines[begin + 1 : end]))


def _is_start(lines: list[bytes], at: int) -> bool:
    if at and lines[at - 1].strip():
        return False
    line = lines[at].rstrip()
    follows = lines[at + 1] if at + 1 < len(lines) else b""
    return bool((_ENVELOPE.fullmatch(line) or _BARE_ENVELOPE.fullmatch(line)) and _FIELD.match(follows))


def _came(envelope: bytes, options: Options) -> datetime | None:
    found = _ENVELOPE.match(envelope.rstrip())
    return moment_of(found["date"].decode("ascii", "replace"), options.zone)[0] if found else None


def _reading(form: Format, mails: list[Mail], strays: list[NotUnderstood]) -> Reading:
    """By the time they were sent; those whose time is not known stay where the file has them."""
    people: dict[str, Person] = {}
    for mail in mails:
        if mail.sender is not None and (mail.sender.key not in people or people[mail.sender.key].name == mail.sender.key):
            people[mail.sender.key] = mail.sender
    ordered = _by_time(mails)
    subject = next((mail.subject for mail in ordered if mail.subject), "")
    messages = tuple(mail.said for mail in ordered)
    strays.sort(key=lambda stray: stray.line)
    return Reading(form, (Conversation(subject[:300], messages),), people_of(people, messages), tuple(strays))


def _by_time(mails: list[Mail]) -> list[Mail]:
    latest: datetime | None = None
    keyed: list[tuple[datetime | None, int, Mail]] = []
    for index, mail in enumerate(mails):
        latest = mail.said.sent_at or latest
        keyed.append((latest, index, mail))
    first = next((moment for moment, _index, _mail in keyed if moment is not None), None)
    if first is None:
        return mails
    return [mail for _moment, _index, mail in sorted(keyed, key=lambda item: (item[0] or first, item[1]))]
