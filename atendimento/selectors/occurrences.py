"""Which of several places a quote means, where the same words stand more than once in a message (E6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from atendimento.models import ProposedChange
from atendimento.selectors.parts import Occurrence, Occurrences
from atendimento.selectors.reading import Cited
from atendimento.transcript import to_domain
from memoria import evidence
from memoria.proposals import Citation, Evidence

AROUND = 30  # characters shown on either side
MOST = 8


def to_choose(found: Sequence[Evidence], messages: Cited) -> tuple[Occurrences, ...]:
    """For each ambiguous quote, the places where its words stand, the one that was taken being chosen."""
    asked = []
    for index, item in enumerate(found):
        row = messages.get(item.message)
        if not item.ambiguous or row is None:
            continue
        spans = evidence.occurrences(to_domain(row), item.quote)[:MOST]
        if len(spans) > 1:
            places = tuple(_place(row.text, start, end, start == item.start) for start, end in spans)
            asked.append(Occurrences(f"start-{index}", item.message, places))
    return tuple(asked)


def _place(text: str, start: int, end: int, chosen: bool) -> Occurrence:
    before = text[max(0, start - AROUND) : start].replace("\n", " ")
    after = text[end : end + AROUND].replace("\n", " ")
    return Occurrence(
        start,
        f"…{before}" if start > AROUND else before,
        text[start:end],
        f"{after}…" if end + AROUND < len(text) else after,
        chosen,
    )


def pointed(row: ProposedChange, starts: Mapping[int, int]) -> tuple[Citation, ...]:
    """The change's own quotes, each with the place that is meant: the one named, else the one that was found."""
    found = [item["start"] for item in row.evidence]
    return tuple(
        Citation(item["message"], item["quote"], starts.get(index, found[index])) for index, item in enumerate(row.citations)
    )
