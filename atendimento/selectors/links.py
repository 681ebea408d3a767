"""How a ticket hangs together with others: what it was split from or gave rise to, what it was merged into or took in."""

from __future__ import annotations

from django.db.models import Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from atendimento import access
from atendimento.models import Membership, Ticket
from atendimento.selectors.parts import MergedNote, TicketLink


def links(member: Membership, ticket: Ticket) -> tuple[TicketLink, ...]:
    """The ticket's own origin first, then what came of it, oldest first: those that the member sees.

    One query, however many there are.
    """
    found = []
    joined = Q(split_from=ticket) | Q(merged_into=ticket) | Q(pk=ticket.split_from_id)
    for row in access.visible_tickets(member).filter(joined).order_by("id"):  # ids grow: the origin comes first
        if row.pk == ticket.split_from_id:
            found.append(_link(_("split from %(protocol)s"), row))
        if row.split_from_id == ticket.pk:
            found.append(_link(_("gave rise to %(protocol)s"), row))
        if row.merged_into_id == ticket.pk:
            found.append(_link(_("took in %(protocol)s"), row))
    return tuple(found)


def _link(words: str, ticket: Ticket) -> TicketLink:
    return TicketLink(words % {"protocol": ticket.protocol}, ticket.subject, reverse("web:ticket", args=[ticket.pk]))


def merged_note(member: Membership, ticket: Ticket) -> MergedNote | None:
    """What the banner of a merged ticket says, or of one that was erased with its customer; None for any other.

    `ticket` as `access.ticket` reads it.
    """
    if ticket.erased_at is not None:
        when = date_format(localtime(ticket.erased_at), "SHORT_DATETIME_FORMAT")
        words = _("Erased with its customer, %(when)s. Nothing is written here any more.")
        return MergedNote(words % {"when": when}, "", "", "")
    into = ticket.merged_into
    if into is None or ticket.merged_at is None:
        return None
    who = ticket.merged_by.name if ticket.merged_by is not None else ""
    when = date_format(localtime(ticket.merged_at), "SHORT_DATETIME_FORMAT")
    words = _("Merged into %(protocol)s by %(name)s, %(when)s. Here everything can be read, and nothing is decided any more.")
    told = words % {"protocol": into.protocol, "name": who, "when": when}
    if not access.visible_tickets(member).filter(pk=into.pk).exists():
        return MergedNote(told, into.protocol, "", "")
    return MergedNote(told, into.protocol, into.subject, reverse("web:ticket", args=[into.pk]))
