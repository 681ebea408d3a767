"""Bytes to text, whatever their label says: a wrong label never loses a message."""

from __future__ import annotations

import codecs
from typing import Final

# Labels that mean Windows-1252 in practice, as browsers have it.
_WESTERN: Final = frozenset(
    {"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "l1", "cp819", "windows-1252", "cp1252"}
    | {"x-cp1252", "ansi", "ansi_x3.4-1968"}
)
# Python knows more "encodings" than charsets: none that unpacks or executes is ever looked up.
_KNOWN: Final = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7"}
    | {f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)}
    | {f"cp125{number}" for number in range(9)}
    | {"cp437", "cp850", "cp858", "cp860", "mac-roman", "koi8-r", "koi8-u"}
    | {"gb2312", "gbk", "gb18030", "big5", "euc_jp", "shift_jis", "cp932", "iso2022_jp", "euc_kr", "cp949"}
)
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode(data: bytes, label: str = "") -> tuple[str, bool]:
    """The text, and whether its charset had to be guessed."""
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(charset, "replace"), False
    name = label.strip().strip("\"'").lower()
    if name in _WESTERN:
        return _labelled_western(data, name)
    charset = _charset(name)
    if charset:
        try:
            return data.decode(charset), False
        except UnicodeDecodeError:
            return _guess(data), True
    guessed = _guess(data)
    # Plain ASCII is the same in every guess.
    return guessed, not data.isascii()


def decode_file(data: bytes) -> tuple[str, bool]:
    """The text of a file that carries no label: UTF-8 is no guess, anything else is."""
    return decode(data, "utf-8")


def _charset(name: str) -> str:
    if not name or not name.isascii() or len(name) > 40:
        return ""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return found if found in _KNOWN else ""


def _guess(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _western(data)


def _labelled_western(data: bytes, name: str) -> tuple[str, bool]:
    """Portuguese in Windows-1252 is hardly ever valid UTF-8 by chance; mails mislabelled so are everyday."""
    if data.isascii():
        return data.decode("ascii"), False
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return _western(data), "ascii" in name


def _western(data: bytes) -> str:
    return data.decode("cp1252", "replace")
