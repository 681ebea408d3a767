"""JSON read to the letter: what two readers could understand differently is refused, never mended."""

from __future__ import annotations

import json
import math
from typing import Final, NoReturn

from memoria.patch import Json

MAX_DEPTH: Final = 32
_LARGEST: Final = 10**308  # beyond it a number is no double any more, and other readers see infinity


class NotStrictJson(ValueError):
    """The text is no JSON that every reader would read alike. `args[0]` says what is wrong, in English."""


def loads(text: str, *, allow_nul: bool = False) -> Json:
    """The document that `text` holds.

    Raises NotStrictJson for: bad syntax, a key given twice in one object, NaN, Infinity and numbers that no double
    holds, lone surrogates, NUL characters, and nesting deeper than MAX_DEPTH. `allow_nul` takes NUL in values, for a
    caller that removes them; in a key never: without it, two keys may be one.
    """
    try:
        document = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise NotStrictJson(f"nested deeper than {MAX_DEPTH}") from error
    _check(document, allow_nul)
    return document


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise NotStrictJson("an object has the same key twice")
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise NotStrictJson(f"{name} is no JSON number")


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrictJson("a number is out of range")
    return number


def _int(digits: str) -> int:
    # The length is looked at first: Python refuses to convert thousands of digits.
    if len(digits) > 310 or abs(number := int(digits)) > _LARGEST:
        raise NotStrictJson("a number is out of range")
    return number


def _check(document: Json, allow_nul: bool) -> None:
    """Depth and characters, without recursion: the document came from outside."""
    waiting: list[tuple[Json, int]] = [(document, 1)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, str):
            _check_text(item, allow_nul)
        elif isinstance(item, (dict, list)):
            if depth > MAX_DEPTH:
                raise NotStrictJson(f"nested deeper than {MAX_DEPTH}")
            if isinstance(item, dict):
                for key in item:
                    _check_text(key, allow_nul=False)
            waiting.extend((child, depth + 1) for child in (item.values() if isinstance(item, dict) else item))


def _check_text(text: str, allow_nul: bool) -> None:
    if not allow_nul and "\0" in text:
        raise NotStrictJson("a text holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotStrictJson("a text holds half a surrogate pair") from error
