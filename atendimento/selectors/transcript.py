"""The conversation, a window at a time, with the words marked that a value rests on."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.models import Message, ProposedChange, Ticket
from atendimento.selectors import import_words, message_parts, quotes, search_marks, values
from atendimento.selectors.pages import MessageView, Replacement, Transcript
from atendimento.selectors.parts import Segment
from atendimento.selectors.search_terms import Sought
from memoria import injection
from memoria.evidence import message_number
from memoria.fields import TicketType
from memoria.patch import same_json
from memoria.proposals import Evidence
from memoria.state import State

WINDOW = 100
MOST = 400

TONES = {"customer": "customer", "third_party": "customer", "agent": "staff", "assistant": "robot", "tool": "tool"}
ICONS = {"assistant": "bot", "tool": "wrench", "registry": "database", "system": "server", "third_party": "users"}


@dataclass(frozen=True, slots=True)
class Window:
    """Which messages are asked for: a stretch of numbers, both ends included."""

    first: int
    last: int

    @classmethod
    def around(cls, number: int, newest: int) -> Window:
        first = max(1, min(number, newest) - WINDOW // 2)
        return cls(first, min(newest, first + WINDOW - 1))

    @classmethod
    def newest(cls, newest: int) -> Window:
        return cls(max(1, newest - WINDOW + 1), newest)

    @classmethod
    def before(cls, number: int) -> Window:
        return cls(max(1, number - WINDOW), number - 1)

    @classmethod
    def after(cls, number: int, newest: int) -> Window:
        return cls(number + 1, min(newest, number + WINDOW))

    @classmethod
    def between(cls, first: int, last: int | None, newest: int) -> Window:
        last = newest if last is None else min(last, newest)
        return cls(max(1, first, last - MOST + 1), last)


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    kind: str  # state, proposed
    ref: str
    title: str


def rows(ticket_id: uuid.UUID, window: Window) -> list[Message]:
    """The messages of a window, oldest first."""
    found = Message.objects.filter(ticket_id=ticket_id, number__gte=window.first, number__lte=window.last)
    return list(found.order_by("number"))


def view(
    ticket: Ticket,
    window: Window,
    messages: Sequence[Message],
    state: State,
    ticket_type: TicketType,
    pending: Iterable[ProposedChange],
    focus: int | None = None,
    *,
    above: bool = True,
    below: bool = True,
    version: int | None = None,
    sought: Sought | None = None,
) -> Transcript:
    """The window as the page shows it. `above`, `below`: whether to offer what lies beyond those ends.

    `version`: of the state whose words are lit, where it is a past one; the other windows are lit the same.
    `sought`: what was searched for, where the reader comes from the search; it is marked wherever it stands.
    """
    marks = _with_found(_marks(state, ticket_type, pending), messages, sought)
    replaced = _replaced(state, ticket_type)
    shown = []
    day = None
    for row in messages:
        local = timezone.localtime(row.said_at)
        new_day = local.date() if local.date() != day else None
        day = local.date()
        kind = row.author_kind
        person = kind in ("customer", "agent", "third_party")
        shown.append(
            MessageView(
                number=row.number,
                ref=row.ref,
                kind=kind,
                kind_label="" if kind in ("customer", "agent") else values.source(kind),
                icon="" if person and row.author_name else ICONS.get(kind, "user"),
                initials=values.initials(row.author_name),
                author=quotes.author_name(row),
                at=row.said_at,
                segments=(found := _segments(row.text, marks.get(row.ref, ()))),
                parts=message_parts.laid_out(found, row.unquotable, len(row.text)),
                new_day=new_day,
                internal=row.internal,
                automatic=row.automatic,
                deleted=row.deleted_at is not None,
                erased=row.erased_at is not None,
                edited=row.edited_at is not None,
                not_sent=row.member_id is not None and not row.internal and row.external_id is None,
                tone=TONES.get(kind, "robot"),
                replaced=replaced.get(row.ref, ()),
                attachments=tuple(message_parts.file_label(item) for item in row.attachments),
                copied=_copied(ticket, row),
                copied_url=_copied_url(ticket, row),
                marks=(*import_words.marks(row.notes), *_instructs(row)),
            )
        )
    address = reverse("web:messages", args=[ticket.pk])
    kept = {"version": version, "find": sought.query if sought is not None else None}
    asks = urlencode({key: value for key, value in kept.items() if value is not None})
    lit = f"&{asks}" if asks else ""
    older = f"{address}?before={window.first}{lit}" if above and window.first > 1 and messages else ""
    newer = f"{address}?after={window.last}{lit}" if below and window.last < ticket.last_message_number else ""
    here = f"{address}?{asks}" if asks else address
    return Transcript(tuple(shown), window.first, window.last, older, newer, here, focus)


def _copied(ticket: Ticket, row: Message) -> str:
    """Where a message came from that was copied when the ticket was split; empty for any other."""
    if row.copied_from is None or ticket.split_from is None:
        return ""
    origin = {"protocol": ticket.split_from.protocol, "message": f"m-{row.copied_from}"}
    return _("came from %(protocol)s %(message)s") % origin


def _copied_url(ticket: Ticket, row: Message) -> str:
    if row.copied_from is None or ticket.split_from_id is None:
        return ""
    return reverse("web:ticket", args=[ticket.split_from_id]) + f"?m={row.copied_from}&show=talk#m-{row.copied_from}"


def _instructs(row: Message) -> tuple[str, ...]:
    """The mark on a message that tries to instruct the model (U3). It tells, and nothing hangs on it."""
    if row.deleted_at is not None or not injection.attempts(row.text):
        return ()
    return (_("tries to instruct the model"),)


def _marks(state: State, ticket_type: TicketType, pending: Iterable[ProposedChange]) -> Mapping[str, Sequence[_Mark]]:
    found: dict[str, list[_Mark]] = {}

    def note(item: Evidence, kind: str, ref: str, title: str) -> None:
        if not item.gone:
            found.setdefault(item.message, []).append(_Mark(item.start, item.end, kind, ref, title))

    for pointer, slot in state.slots.items():
        if slot.holds:
            title = f"{wording.label(pointer, ticket_type, state.values)} · {wording.SLOT_STATUSES[slot.status.value]}"
            for item in slot.evidence:
                note(item, "state", "", title)
    for change in pending:
        title = _("%(field)s · proposed") % {"field": values.label(ticket_type, change.path, state)}
        for document in change.evidence:
            note(Evidence.from_json(document), "proposed", f"ch-{change.pk}", title)
    return found


def _with_found(
    marks: Mapping[str, Sequence[_Mark]], messages: Sequence[Message], sought: Sought | None
) -> Mapping[str, Sequence[_Mark]]:
    """The marks, and those of the words that were searched for. One more query where something was."""
    if sought is None:
        return marks
    title = _("searched for")
    spans = search_marks.spans([row.text for row in messages], sought)
    found = {
        row.ref: [_Mark(start, end, search_marks.FOUND, "", title) for start, end in places]
        for row, places in zip(messages, spans, strict=True)
    }
    return {ref: (*marks.get(ref, ()), *found.get(ref, ())) for ref in {*marks, *found}}


def _segments(text: str, marks: Iterable[_Mark]) -> tuple[Segment, ...]:
    """The text cut where a mark begins or ends; where two lie over each other, what is proposed is shown."""
    inside = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    if not inside:
        return (Segment(text),) if text else ()
    edges = sorted({0, len(text), *(mark.start for mark in inside), *(mark.end for mark in inside)})
    segments = []
    for start, end in pairwise(edges):
        over = [mark for mark in inside if mark.start <= start and end <= mark.end]
        kinds = {mark.kind for mark in over}
        kind = next((kind for kind in ("proposed", "state") if kind in kinds), "")
        if search_marks.FOUND in kinds:
            kind = f"{kind} {search_marks.FOUND}".strip()
        refs = " ".join(dict.fromkeys(mark.ref for mark in over if mark.ref))
        titles = "; ".join(dict.fromkeys(mark.title for mark in over))
        segments.append(Segment(text[start:end], kind, refs, titles))
    return tuple(segments)


def _replaced(state: State, ticket_type: TicketType) -> Mapping[str, tuple[Replacement, ...]]:
    """The margin tags: words whose value another message, or a member, has since replaced."""
    found: dict[str, list[Replacement]] = {}
    for pointer, slot in state.slots.items():
        before = slot.replaces
        if before is None or not slot.holds or pointer.endswith("/status"):
            continue
        now = values.held(state, pointer)
        if same_json(now, before.value) or not before.evidence:
            continue
        by = slot.evidence[0].message if slot.evidence else slot.author.name
        tag = Replacement(wording.label(pointer, ticket_type, state.values), by, message_number(by))
        for reference in dict.fromkeys(item.message for item in before.evidence):
            if reference != by:
                found.setdefault(reference, []).append(tag)
    return {reference: tuple(tags) for reference, tags in found.items()}
