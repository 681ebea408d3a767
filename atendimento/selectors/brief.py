"""The handover brief: the narrative of the state, its verbatim block, and what is newer than it."""

from __future__ import annotations

import uuid

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from atendimento import access
from atendimento.models import LedgerEvent, Membership
from atendimento.selectors import reading
from atendimento.selectors.pages import Brief, BriefClause, BriefLiteral, BriefParagraph
from memoria.narrative import People, narrative
from memoria.state import SlotStatus


def brief(member: Membership, ticket_id: str | uuid.UUID) -> Brief:
    """The ticket's brief as of its present version."""
    ticket = access.ticket(member.organization, ticket_id)
    state = reading.current_state(ticket.pk)
    told = narrative(
        state,
        reading.definition(ticket.ticket_type_id),
        language="en" if (get_language() or "").startswith("en") else "pt-br",
        people=People(customer=ticket.customer.name or None),
        zone=timezone.get_current_timezone(),
    )
    note = _("As of version %(version)d.") % {"version": state.version}
    newer = ticket.last_message_number - ticket.through_message
    if newer > 0 and ticket.through_message:
        more = ngettext("%(count)d newer message is not in it.", "%(count)d newer messages are not in it.", newer)
        note = f"{note} {more % {'count': newer}}"
    last = LedgerEvent.objects.filter(ticket=ticket).order_by("-version").values_list("at", flat=True).first()
    return Brief(
        title=ticket.subject,
        customer=str(ticket.customer),
        protocol=ticket.protocol,
        paragraphs=tuple(
            BriefParagraph(
                paragraph.heading,
                tuple(BriefClause(clause.text, clause.status != SlotStatus.CURRENT) for clause in paragraph.clauses),
            )
            for paragraph in told.paragraphs
        ),
        verbatim_heading=told.verbatim_heading,
        verbatim=tuple(BriefLiteral(item.label, item.text) for item in told.verbatim),
        at=last,
        note=note,
        url=reverse("web:ticket", args=[ticket.pk]),
    )
