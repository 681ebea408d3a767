"""Texts that leave the house: personal identifiers and the values of sensitive fields taken out, for good.

Unlike a mask for the model, nothing here can be put back. What stands in its place names the kind and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memoria.patch import Json
from memoria.personal import find
from memoria.spellings import Spellings, spelled

SENSITIVE = "sensitive"
"""The kind of a sensitive field's value; the others are those of `memoria.personal`."""
_SHORTEST = 3  # letters; a shorter secret would hide words everywhere


class Redactor:
    """Takes out what is personal, and what sensitive fields hold or held. `show` names the kind of what is gone."""

    def __init__(self, secrets: Iterable[Json], show: Callable[[str], str]) -> None:
        self._secrets = Spellings(text for value in secrets for text in _texts(value) if len(spelled(text)) >= _SHORTEST)
        self._show = show

    def text(self, text: str) -> str:
        """The text without it. Where a secret and an identifier overlap, both go as one."""
        spans = [(found.start, found.end, found.kind.value) for found in find(text)]
        spans += [(place.start, place.end, SENSITIVE) for place in self._secrets.find(text)]
        parts: list[str] = []
        last = 0
        for start, end, kind in _merged(spans):
            parts += [text[last:start], self._show(kind)]
            last = end
        return "".join([*parts, text[last:]])


def _merged(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans that overlap as one, with the kind of the first of them."""
    found: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if found and start < found[-1][1]:
            low, high, first = found[-1]
            found[-1] = (low, max(high, end), first)
        else:
            found.append((start, end, kind))
    return found


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
