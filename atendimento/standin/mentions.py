"""What a reader of one kind of value gives back: a value, and the words that say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence

Json = Any


@dataclass(frozen=True, slots=True)
class Mention:
    """A value said in a message: from `start` to `end` the words that say it, `at` where the value itself begins."""

    value: Json
    start: int
    end: int
    at: int


Reader = Callable[[Field, Message, Sentence], Iterable[Mention]]
"""Reads one sentence for one field; places are those of the message."""


def mention(message: Message, sentence: Sentence, match: re.Match[str], group: str = "value") -> Mention:
    """The mention of a match in a sentence: the group's words as they are written, cited with all that matched."""
    low, high = (sentence.start + place for place in match.span(group))
    return Mention(message.text[low:high], sentence.start + match.start(), high, low)
