"""What keeps a change out of "accept all" though no caution of E8 stands on it: a condition, a doubt.

The list of cautions is published and closed; these are none. They decide nothing, refuse nothing and are not on the wire:
whoever decides the change by itself sees why it was not taken with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memoria.cautions import HEDGES, sentence_span
from memoria.typography import fold

_CONDITION: Final = re.compile(
    r"(?:\A\W*|[,;:(–]\s*|\s-\s+|\b(?:e|mas|só|so|somente|apenas|ou|and|but|only)\s+)(?P<se>se|caso|if|unless)\b(?!-)"
    r"|\b(?P<long>desde que|contanto que|a menos que|a não ser que|a nao ser que|na hipótese de|dependendo|depende"
    r"|provided that|as long as|depending)\b",
    re.IGNORECASE,
)
"""`se` is a condition where a clause begins with it; elsewhere it is a pronoun ("ela se enganou")."""

_DOUBTS: Final = (
    *HEDGES, "não está claro", "nao esta claro", "não fica claro", "nao fica claro", "pouco claro", "ambíguo", "ambigua",
    "ambígua", "ambiguo", "incerto", "incerta", "dúvida", "duvida", "possivelmente", "suponho", "supondo", "presumo",
    "aparentemente", "pode não", "pode nao", "sem confirmação", "sem confirmacao", "unclear", "ambiguous", "uncertain",
    "possibly", "assuming", "presumably", "apparently", "may not", "doubt",
)  # fmt: skip
_DOUBT: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(_DOUBTS, key=len, reverse=True)))})(?!\w)", re.IGNORECASE
)


class Kind(StrEnum):
    CONDITION = "condition"
    DOUBT = "doubt"  # in the model's reason
    INFERENCE = "inference"  # the model infers it


@dataclass(frozen=True, slots=True)
class Reservation:
    """Why a change is not taken with the others, and the words that say so; none for an inference."""

    kind: Kind
    words: str = ""


def reservations(*, inference: bool, reason: str, quotes: Iterable[tuple[str, int, int]]) -> tuple[Reservation, ...]:
    """What is to be said of a change. `quotes`: for each, the message's text and the quote's span in code points."""
    found = []
    if inference:
        found.append(Reservation(Kind.INFERENCE))
    doubt = _DOUBT.search(fold(reason).text)
    if doubt is not None:
        found.append(Reservation(Kind.DOUBT, doubt.group().casefold()))
    conditions = (words for text, start, end in quotes if (words := condition(text, start, end)))
    first = next(conditions, None)
    if first is not None:
        found.append(Reservation(Kind.CONDITION, first))
    return tuple(found)


def condition(text: str, start: int, end: int) -> str | None:
    """The word by which the sentence around a quote makes it depend on something; None where none does."""
    low, high = sentence_span(text, start, end)
    found = _CONDITION.search(fold(text[low:high]).text)
    return None if found is None else (found["se"] or found["long"]).casefold()
