"""The zip that a phone makes of a chat with its media: one text is read, everything else is a name."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO
from typing import Final

from atendimento.ingest.neutral import MAX_FILE, Unreadable, base_name, excerpt

MAX_ENTRIES: Final = 20_000
MAX_RATIO: Final = 200  # text of a chat shrinks to a tenth, not to a thousandth
_CHAT: Final = re.compile(r"_chat\.txt|(?:conversa do whatsapp|whatsapp chat).*\.txt", re.IGNORECASE)
_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:")


def is_zip(data: bytes) -> bool:
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def chat_of(data: bytes) -> tuple[bytes, str, int]:
    """The chat's bytes, its name, and how many other files are enclosed. Raises Unreadable, naming what and where."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            chosen = _chosen(entries)
            return _content(archive, chosen), base_name(chosen.filename), len(entries) - 1
    # What the library lets through of a damaged file, beside its own error.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError, IndexError):
        raise Unreadable("zip_damaged") from None


def _chosen(entries: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    if len(entries) > MAX_ENTRIES:
        raise Unreadable("zip_too_many_files", most=MAX_ENTRIES)
    for entry in entries:
        path = entry.filename.replace("\\", "/")
        if _ABSOLUTE.match(entry.filename) or ".." in path.split("/") or "\0" in path:
            raise Unreadable("zip_bad_path", name=excerpt(entry.filename))
    texts = [entry for entry in entries if entry.filename.lower().endswith(".txt")]
    chats = [entry for entry in texts if _CHAT.fullmatch(base_name(entry.filename))] or texts
    if not chats:
        nested = next((entry.filename for entry in entries if entry.filename.lower().endswith(".zip")), "")
        if nested:
            raise Unreadable("zip_nested", name=excerpt(nested))
        raise Unreadable("zip_without_chat")
    # A text that somebody sent may lie in the zip too; two chats are one too many.
    if len(chats) > 1:
        names = ", ".join(excerpt(entry.filename, 60) for entry in chats[:3])
        raise Unreadable("zip_several_chats", names=names)
    return chats[0]


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.flag_bits & 1:
        raise Unreadable("zip_encrypted", name=excerpt(entry.filename))
    if entry.file_size > MAX_FILE or entry.file_size > MAX_RATIO * max(entry.compress_size, 64):
        raise Unreadable("zip_bomb", name=excerpt(entry.filename), most=MAX_FILE)
    with archive.open(entry) as file:
        content = file.read(MAX_FILE + 1)  # what an entry says of its size is not believed
    if len(content) > MAX_FILE:
        raise Unreadable("zip_bomb", name=excerpt(entry.filename), most=MAX_FILE)
    return content
