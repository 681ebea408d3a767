"""The form of a draft that says when the model reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from atendimento.selectors import reading_words
from atendimento.selectors.collection_form import texts
from atendimento.selectors.parts import Option
from memoria.reading import When


@dataclass(frozen=True, slots=True)
class ReadingForm:
    """As the draft has it, valid or not."""

    whens: tuple[Option, ...]
    events: tuple[Option, ...]
    every: str
    at: str
    most_per_ticket: str
    most_per_day: str
    faults: tuple[str, ...]


def reading_form(document: Mapping[str, Any], faults: Iterable[str]) -> ReadingForm:
    held = document.get("reading")
    row = held if isinstance(held, dict) else {}
    when, on = row.get("when", When.BURST.value), texts(row.get("on"))
    return ReadingForm(
        tuple(Option(item.value, str(words), item.value == when) for item, words in reading_words.WHENS.items()),
        tuple(Option(item.value, str(words), item.value in on) for item, words in reading_words.EVENTS.items()),
        _said(row, "every_minutes"),
        " ".join(texts(row.get("at"))),
        _said(row, "most_per_ticket_and_day"),
        _said(row, "most_per_day"),
        tuple(faults),
    )


def _said(row: Mapping[str, Any], name: str) -> str:
    return "" if row.get(name) is None else str(row[name])
