"""What changed since a member last looked at a ticket: one line, and what it opens to."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento.models import LedgerEvent, Membership, Ticket, TicketVisit
from atendimento.selectors import history
from atendimento.selectors.cards import Sight
from atendimento.selectors.pane_parts import HistoryLine
from atendimento.selectors.parts import Since, SinceItem

SHOWN = 12
"""Decisions that the line opens to, newest first; all of them are in the history."""


def since(member: Membership, ticket: Ticket, visit: TicketVisit | None, sight: Sight) -> Since | None:
    """What happened since `visit`; None where nothing did, or where the member was never here."""
    if visit is None:
        return None
    messages = max(ticket.last_message_number - visit.seen_message, 0)
    versions = max(ticket.state_version - visit.seen_version, 0)
    parts = []
    if messages:
        parts.append(ngettext("%(count)d message", "%(count)d messages", messages) % {"count": messages})
    if versions:
        parts.append(ngettext("%(count)d decision", "%(count)d decisions", versions) % {"count": versions})
    if not parts:
        return None
    return Since(
        sentence=_("Since you were here: %(what)s") % {"what": ", ".join(parts)},
        first_message=visit.seen_message + 1 if messages else None,
        items=_items(member, ticket, visit, sight) if versions else (),
        more=max(versions - SHOWN, 0),
    )


def _items(member: Membership, ticket: Ticket, visit: TicketVisit, sight: Sight) -> tuple[SinceItem, ...]:
    events = LedgerEvent.objects.filter(ticket=ticket, version__gt=visit.seen_version).order_by("-version")[:SHOWN]
    rows = history.rows(list(events), sight, member_id=member.pk, may_undo_any=False)
    return tuple(SinceItem(row.at, f"{row.actor} {row.sentence}", tuple(map(_line, row.lines)), row.view_url) for row in rows)


def _line(line: HistoryLine) -> str:
    """A value and what became of it: "Bairro: Boa Viagem → Madalena"."""
    change = " → ".join(part for part in (line.old, history.worth(line)) if part)
    return f"{line.label}: {change}" if change else line.label
