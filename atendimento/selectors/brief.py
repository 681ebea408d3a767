"""The handover brief: the narrative of the state, its verbatim block, and what is newer than it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from atendimento import access, timeline
from atendimento.models import BriefReading, LedgerEvent, Membership
from atendimento.selectors import reading, values
from atendimento.selectors.contexts import FAULTS
from atendimento.selectors.pages import Brief, BriefClause, BriefLiteral, BriefParagraph
from memoria.groups import unfolded
from memoria.narrative import People, narrative
from memoria.state import SlotStatus

READINGS: Final = 5
"""Those who read the summary last."""


@dataclass(frozen=True, slots=True)
class BriefRead:
    """Somebody has read and checked it."""

    by: str
    at: datetime
    version: int
    is_this: bool  # nothing has come since


@dataclass(frozen=True, slots=True)
class CheckedBrief(Brief):
    version: int = 0
    last_message: int = 0  # the newest one when it was shown
    ticket: str = ""
    as_of: str = ""  # from when it is, said to the reader
    newer_url: str = ""  # to the first message that is newer; '' where there is none
    readings: tuple[BriefRead, ...] = ()
    fault: str = ""
    undecided: int = 0  # proposed changes of which nothing is in the text


def brief(member: Membership, ticket_id: str | uuid.UUID, fault: str = "") -> CheckedBrief:
    """The ticket's brief as of its present version."""
    ticket = access.ticket(member, ticket_id)
    state = reading.current_state(ticket.pk)
    goal = state.slots.get("/goal")
    ticket_type = unfolded(reading.definition(ticket.ticket_type_id), state)
    told = narrative(
        values.veiled(state, ticket_type),
        ticket_type,
        language="en" if (get_language() or "").startswith("en") else "pt-br",
        people=People(customer=ticket.customer.name or None),
        zone=timezone.get_current_timezone(),
        first_goal=timeline.first_goal(ticket.pk) if goal is not None and goal.replaces is not None else None,
    )
    note = ""
    newer = ticket.last_message_number - ticket.through_message
    if newer > 0 and ticket.through_message:
        more = ngettext("%(count)d new message since then.", "%(count)d new messages since then.", newer)
        note = more % {"count": newer}
    last = LedgerEvent.objects.filter(ticket=ticket).order_by("-version").values_list("at", flat=True).first()
    url = reverse("web:ticket", args=[ticket.pk])
    readings = BriefReading.objects.filter(ticket=ticket).select_related("member").order_by("-at")[:READINGS]
    return CheckedBrief(
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
        undecided=ticket.pending_count,
        verbatim_heading=told.verbatim_heading,
        verbatim=tuple(BriefLiteral(item.label, item.text) for item in told.verbatim),
        at=last,
        as_of=_as_of(last) if last is not None else "",
        note=note,
        url=url,
        version=state.version,
        last_message=ticket.last_message_number,
        ticket=str(ticket.pk),
        newer_url=f"{url}?m={ticket.through_message + 1}&show=talk#m-{ticket.through_message + 1}" if newer > 0 else "",
        readings=tuple(
            BriefRead(
                row.member.name,
                row.at,
                row.version,
                row.version == state.version and row.last_message == ticket.last_message_number,
            )
            for row in readings
        ),
        fault=str(FAULTS.get(fault, fault)),
    )


def _as_of(moment: datetime) -> str:
    """Today by the hour, another day by its date too."""
    local = timezone.localtime(moment)
    named = {"day": date_format(local, "SHORT_DATE_FORMAT"), "time": date_format(local, "H:i")}
    return (
        _("Summary as of %(time)s.") if local.date() == timezone.localdate() else _("Summary of %(day)s, %(time)s.")
    ) % named
