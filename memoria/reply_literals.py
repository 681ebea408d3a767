"""Where a text names a value literally: a text as it is, a date or a number however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from memoria.date_words import plain
from memoria.patch import Json

_SHORTEST: Final = 3  # letters; a number is looked for from two digits on
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\d])|(?<![\w.,])\d+(?:[.,]\d{1,2})?(?![\d])")
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def places(value: Json, text: str) -> Iterator[tuple[int, int]]:
    """The spans of `text` that name `value`. Case and accents do not count; no word or number is cut.

    Booleans, null and objects are named by no literal; of a list, each item is looked for.
    """
    if isinstance(value, str):
        yield from _date_places(value, text) if _ISO.match(value) else _text_places(value, text)
    elif isinstance(value, list):
        for item in value:
            yield from places(item, text)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number_places(value, text)


def _text_places(value: str, text: str) -> Iterator[tuple[int, int]]:
    words = plain(value).split()
    if len("".join(words)) < _SHORTEST:
        return
    spelled = r"\s+".join(map(re.escape, words))
    for found in re.finditer(rf"(?<![\w]){spelled}(?![\w])", plain(text)):
        yield found.span()


def _date_places(value: str, text: str) -> Iterator[tuple[int, int]]:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        yield from _text_places(value, text)
        return
    year = rf"{day.year}|{day.year % 100:02d}"
    for found in re.finditer(rf"(?<![\d/])0?{day.day}/0?{day.month}(?:/(?:{year}))?(?![\d/])|{re.escape(value)}", text):
        yield found.span()


def _number_places(value: float, text: str) -> Iterator[tuple[int, int]]:
    if abs(value) < 10 and float(value).is_integer():
        return  # a single digit says too little
    for found in _NUMBER.finditer(text):
        if any(abs(read - value) < 0.005 for read in _readings(found.group())):
            yield found.span()


def _readings(written: str) -> Iterator[float]:
    """A number as Portuguese and as English write it: 1.180,00 and 1,180.00 are one."""
    for thousands, point in ((".", ","), (",", ".")):
        bare = written.replace(thousands, "").replace(point, ".")
        if re.fullmatch(r"\d+(?:\.\d+)?", bare):
            yield float(bare)
