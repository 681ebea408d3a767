"""What was decided, set between the messages where it happened."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from atendimento.models import Handing, LedgerEvent, Message, Ticket
from atendimento.selectors import hands, history
from atendimento.selectors.cards import Sight
from atendimento.selectors.pages import EventLine, MessageView
from atendimento.selectors.pane_parts import HistoryRow
from atendimento.selectors.reading import Cited
from memoria.fields import TicketType
from memoria.state import State

MOST = 200  # events in one window of the conversation; the history has all of them
LINES = 3  # changes of one event that are told in its line


def weave(
    ticket: Ticket,
    shown: Sequence[MessageView],
    rows: Sequence[Message],
    ticket_type: TicketType,
    state: State,
    *,
    to_the_end: bool,
) -> tuple[MessageView, ...]:
    """The messages, each with the events that came after it arrived and before the next did.

    `rows` are the messages that `shown` was made of; `to_the_end`: no newer message lies beyond them. The newest
    events win where a window has more than it shows. Who took the ticket or handed it on stands among them. A handful of
    queries, however long the window.
    """
    if not rows:
        return tuple(shown)
    found = LedgerEvent.objects.filter(ticket=ticket, version__lte=state.version)
    if rows[0].number > 1:
        found = found.filter(at__gte=rows[0].received_at)
    if not to_the_end:
        found = found.filter(at__lt=_next_arrival(ticket.pk, rows[-1].number))
    events = list(found.order_by("-at", "-version")[:MOST])[::-1]
    sight = Sight(ticket_type, state, Cited({}), may_override=False)
    lines = [_line(row) for row in history.rows(events, sight, member_id=0, may_undo_any=False)]
    handed = hands.handings(ticket, rows[0].number if rows[0].number > 1 else 0, rows[-1].number)
    lines = sorted([*lines, *(_handing(row) for row in handed)], key=lambda line: line.at)
    placed: dict[int, list[EventLine]] = {}
    at = 0
    for line in lines:
        while at + 1 < len(rows) and rows[at + 1].received_at <= line.at:
            at += 1
        placed.setdefault(at, []).append(line)
    return tuple(replace(view, after=tuple(placed.get(index, ()))) for index, view in enumerate(shown))


def _next_arrival(ticket_id: uuid.UUID, number: int) -> object:
    later = Message.objects.filter(ticket_id=ticket_id, number__gt=number).order_by("number")
    return later.values("received_at")[:1]


def _handing(row: Handing) -> EventLine:
    return EventLine(None, row.at, hands.ICONS[row.kind], hands.sentence(row), "", "")


def _line(row: HistoryRow) -> EventLine:
    told = [": ".join(filter(None, (line.label, history.worth(line)))) for line in row.lines[:LINES]]
    if len(row.lines) > LINES:
        told.append("…")
    return EventLine(row.version, row.at, row.icon, f"{row.actor} {row.sentence}", "; ".join(told), row.view_url)
