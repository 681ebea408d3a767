"""How a ticket hangs together with others: what it was split from or gave rise to, what it was merged into or took in."""

from __future__ import annotations

from django.db.models import Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from atendimento.models import Ticket
from atendimento.selectors.parts import MergedNote, TicketLink


def links(ticket: Ticket) -> tuple[TicketLink, ...]:
    """The ticket's own origin first, then what came of it, oldest first. One query, however many there are."""
    found = []
    if ticket.split_from is not None:
        found.append(_link(_("split from %(protocol)s"), ticket.split_from))
    after = Ticket.objects.filter(Q(split_from=ticket) | Q(merged_into=ticket), organization=ticket.organization)
    for row in after.order_by("id"):
        if row.split_from_id == ticket.pk:
            found.append(_link(_("gave rise to %(protocol)s"), row))
        if row.merged_into_id == ticket.pk:
            found.append(_link(_("took in %(protocol)s"), row))
    return tuple(found)


def _link(words: str, ticket: Ticket) -> TicketLink:
    return TicketLink(words % {"protocol": ticket.protocol}, ticket.subject, reverse("web:ticket", args=[ticket.pk]))


def merged_note(ticket: Ticket) -> MergedNote | None:
    """What the banner of a merged ticket says; None for any other. `ticket` as `access.ticket` reads it."""
    into = ticket.merged_into
    if into is None or ticket.merged_at is None:
        return None
    who = ticket.merged_by.name if ticket.merged_by is not None else ""
    when = date_format(localtime(ticket.merged_at), "SHORT_DATETIME_FORMAT")
    words = _("Merged into %(protocol)s by %(name)s, %(when)s. Here everything can be read, and nothing is decided any more.")
    told = words % {"protocol": into.protocol, "name": who, "when": when}
    return MergedNote(told, into.protocol, into.subject, reverse("web:ticket", args=[into.pk]))
