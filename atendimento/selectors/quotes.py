"""Quotes with who said them, when, and the sentence that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from atendimento.models import Message
from atendimento.selectors import values
from atendimento.selectors.parts import Quote, Segment
from atendimento.selectors.reading import Cited
from memoria.cautions import sentence_span
from memoria.evidence import message_number
from memoria.patch import Json
from memoria.proposals import Evidence


def author_name(message: Message) -> str:
    """The author as the page names them: by name, else by what they are."""
    return message.author_name or values.source(message.author_kind).capitalize()


def sentence(message: Message, item: Evidence) -> str:
    """The sentence that a quote stands in."""
    low, high = sentence_span(message.text, item.start, item.end)
    return message.text[low:high]


def of_evidence(
    evidence: Iterable[Evidence], messages: Cited, turning: Mapping[int, Sequence[str]] | None = None
) -> tuple[Quote, ...]:
    """One quote per piece of evidence. `turning` has the words that turn a quote's meaning, by its index (E8)."""
    return tuple(_quote(item, messages, (turning or {}).get(index, ())) for index, item in enumerate(evidence))


def of_citations(citations: Iterable[Mapping[str, Json]], messages: Cited) -> tuple[Quote, ...]:
    """Quotes as they were handed in, of a change that was refused before they were found."""
    return tuple(_cited(str(item["message"]), str(item["quote"]), messages) for item in citations)


def _cited(reference: str, words: str, messages: Cited, segments: tuple[Segment, ...] = (), *, gone: bool = False) -> Quote:
    message = messages.get(reference)
    number = message_number(reference) or 0
    if message is None:
        return Quote(reference, number, "", None, words, segments, gone)
    return Quote(reference, number, author_name(message), message.said_at, words, segments, gone)


def _quote(item: Evidence, messages: Cited, turning: Sequence[str]) -> Quote:
    message = messages.get(item.message)
    stands = message is not None and message.text[item.start : item.end] == item.quote and message.deleted_at is None
    if message is None or not stands or not item.cautions:
        gone = item.gone or (message is not None and not stands)
        return _cited(item.message, item.quote, messages, gone=gone)
    return _cited(item.message, item.quote, messages, _sentence(message.text, item, turning))


def _sentence(text: str, item: Evidence, turning: Sequence[str]) -> tuple[Segment, ...]:
    """The whole sentence, the quote in it, and the words that turn its meaning."""
    low, high = sentence_span(text, item.start, item.end)
    cuts = {low: "", item.start: "quoted", item.end: ""}
    segments = []
    edges = sorted({*cuts, high})
    for start, end in pairwise(edges):
        mark = "quoted" if item.start <= start < item.end else ""
        segments += _turned(text[start:end], mark, turning)
    return tuple(segment for segment in segments if segment.text)


def _turned(text: str, mark: str, turning: Sequence[str]) -> list[Segment]:
    folded = text.casefold()
    for words in turning:
        at = folded.find(words.casefold())
        before, after = folded[at - 1 : at], folded[at + len(words) : at + len(words) + 1]
        if at >= 0 and len(folded) == len(text) and not (before.isalnum() and at) and not after.isalnum():
            end = at + len(words)
            return [Segment(text[:at], mark), Segment(text[at:end], "caution"), Segment(text[end:], mark)]
    return [Segment(text, mark)]
