"""What the domain's refusals say to a person: the rule in words, and what happened meanwhile."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from atendimento import access, wording
from atendimento.models import Membership
from atendimento.selectors import reading, values
from atendimento.selectors.parts import Problem
from memoria.errors import Code, Reason


def problem(member: Membership, ticket_id: str | uuid.UUID, reason: Reason) -> Problem:
    """The refusal as a card shows it. A version that moved on names who did what since."""
    if reason.code is Code.VERSION_CONFLICT:
        ticket = access.ticket(member, ticket_id)
        ticket_type, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
        items = []
        for event in reason.data.get("since", ()):
            labels = [values.label(ticket_type, pointer, state) for pointer in event.get("pointers", ())]
            items.append(f"{event['by'] or _('The system')}, {_clock(event['at'])}: {', '.join(labels)}")
        detail = _("Look at what holds now and decide again; what you typed is kept.")
        return Problem(_("The ticket changed while you were deciding."), detail, tuple(items), retry=True)
    if reason.code is Code.ALREADY_DECIDED:
        by, at = reason.data.get("by"), reason.data.get("at")
        who = _("Decided by %(name)s.") % {"name": by} if by else ""
        return Problem(wording.sentence(reason), f"{who} {_clock(at)}".strip() if at else who)
    return Problem(wording.sentence(reason))


def _clock(moment: str | datetime | None) -> str:
    if moment is None:
        return ""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return date_format(timezone.localtime(read), "H:i")
