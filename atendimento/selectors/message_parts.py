"""How a message is laid out: what others wrote before and is quoted again folds away, files say what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from atendimento.selectors.parts import Segment, TextPart

LEAST = 80  # characters of a quotation that are worth folding


def laid_out(segments: Sequence[Segment], quoted: Iterable[Sequence[int]], length: int) -> tuple[TextPart, ...]:
    """The text in its order, cut where a quoted stretch begins or ends (spans in code points).

    Short quotations stay open, and so does a message that is nothing else.
    """
    spans = [(start, end) for start, end in quoted if end - start >= LEAST and end - start < length]
    parts: list[TextPart] = []
    at = 0
    for segment in segments:
        for text, folded in _cut(segment.text, at, spans):
            piece = replace(segment, text=text)
            if parts and parts[-1].quoted == folded:
                parts[-1] = replace(parts[-1], segments=(*parts[-1].segments, piece))
            else:
                parts.append(TextPart((piece,), folded))
        at += len(segment.text)
    return tuple(parts)


def _cut(text: str, at: int, spans: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    edges = sorted({at, at + len(text), *(edge for span in spans for edge in span if at < edge < at + len(text))})
    found = []
    for start, end in pairwise(edges):
        found.append((text[start - at : end - at], any(first <= start and end <= last for first, last in spans)))
    return found


def file_label(attachment: object) -> str:
    """Name, type and size of an attachment, as far as they are known. It is never opened or fetched."""
    if not isinstance(attachment, dict):
        return str(attachment)
    name = str(attachment.get("name") or attachment.get("filename") or _("attachment"))
    kind, size = attachment.get("type") or attachment.get("content_type"), attachment.get("size")
    known = [name, str(kind) if kind else "", filesizeformat(size) if isinstance(size, int) and size >= 0 else ""]
    return " · ".join(filter(None, known))
