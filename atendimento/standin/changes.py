"""A change as the stand-in proposes it, with quotes that are pieces of their messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atendimento.standin.ticket import Message
from atendimento.standin.words import whole_words

Json = Any


@dataclass(frozen=True, slots=True)
class Quote:
    message: str
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    path: str
    op: str
    value: Json
    evidence: tuple[Quote, ...]
    reason: str | None = None

    def to_json(self) -> dict[str, Json]:
        return {
            "evidence": [{"message": quote.message, "quote": quote.text} for quote in self.evidence],
            "op": self.op,
            "path": self.path,
            "value": self.value,
            "inference": False,
            "reason": self.reason,
        }


def quote(message: Message, start: int = 0, end: int | None = None) -> Quote:
    """The message's own words from `start` to `end`, widened to whole words; the whole message where none are named."""
    start, end = whole_words(message.text, start, len(message.text) if end is None else end)
    return Quote(message.id, message.text[start:end] or message.text)
