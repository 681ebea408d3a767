"""The readers' one door: which format a file has, and the file as it was understood."""

from __future__ import annotations

from atendimento.ingest import archive, charsets, dialogues, mailbox, whatsapp
from atendimento.ingest.neutral import MAX_FILE, MAX_PEOPLE, Format, Options, Reading, Unreadable


def read(data: bytes, file_name: str, options: Options, form: Format | None = None) -> Reading:
    """Read a file; its format is found out where it is not given. Raises Unreadable, which says what and where."""
    if len(data) > MAX_FILE:
        raise Unreadable("file_too_large", most=MAX_FILE)
    if not data.strip(b" \t\r\n\0"):
        raise Unreadable("file_empty")
    enclosed = 0
    if archive.is_zip(data):
        if form not in (None, Format.WHATSAPP):
            raise Unreadable("zip_not_whatsapp")
        data, inner, enclosed = archive.chat_of(data)
        file_name, form = (file_name if inner.lower() == "_chat.txt" else inner), Format.WHATSAPP
    reading = _read(data, file_name, options, form or detect(data, file_name), enclosed)
    if not any(True for _ in reading.messages):
        raise Unreadable("no_messages", format=reading.format.value)
    if len(reading.people) > MAX_PEOPLE:
        raise Unreadable("too_many_people", most=MAX_PEOPLE)
    return reading


def _read(data: bytes, file_name: str, options: Options, form: Format, enclosed: int) -> Reading:
    match form:
        case Format.WHATSAPP:
            return whatsapp.read(data, file_name, options, enclosed)
        case Format.EML:
            return mailbox.read_eml(data, file_name, options)
        case Format.MBOX:
            return mailbox.read_mbox(data, file_name, options)
        case Format.JSONL:
            return dialogues.read(data, file_name, options)


def detect(data: bytes, file_name: str) -> Format:
    """By what the file holds; its name decides only between what would both do. Raises Unreadable."""
    start = charsets.decode_file(data[:20_000])[0]
    if mailbox.looks_like_mbox(data):
        return Format.MBOX
    if dialogues.looks_like_one(start):
        return Format.JSONL
    if whatsapp.looks_like_one(start):
        return Format.WHATSAPP
    if mailbox.looks_like_mail(data):
        return Format.EML
    raise Unreadable("unknown_format")
