"""Values whose time is over (D1): found by the moment that the ledger keeps, put into doubt under the ticket's lock."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Final

from django.db import transaction

from atendimento import ledger
from atendimento.actions import desk as desks
from atendimento.models import Organization, Ticket, TicketStatus
from memoria.expiry import expire, next_expiry

MOST: Final = 500
"""Tickets of one round in one organisation; the next round takes up the rest."""


def expire_values(organization: Organization, moment: datetime) -> int:
    """Put into doubt the values that have ended by `moment` in this organisation. Returns how many tickets got an event.

    A closed ticket waits until somebody opens it again: nobody would confirm anything there. Each ticket is a transaction;
    a second worker that comes for it finds the next moment, and does nothing.
    """
    due = Ticket.objects.filter(
        organization=organization, next_expiry__lte=moment, status__in=[TicketStatus.OPEN, TicketStatus.SNOOZED]
    )
    keys = list(due.order_by("next_expiry", "pk").values_list("pk", flat=True)[:MOST])
    return sum(_expire_in(organization, key) for key in keys)


@transaction.atomic
def _expire_in(organization: Organization, ticket_id: uuid.UUID) -> bool:
    book = ledger.open_unless_erased(organization, ticket_id)
    if book is None or book.ticket.merged_into_id is not None:
        return False
    desk = desks.desk_of(book, None)
    event = expire(book.state, desk)
    if event is None:
        # Another version of the type is in force since: the moment is worked out by that one.
        Ticket.objects.filter(pk=ticket_id).update(next_expiry=next_expiry(book.state, book.ticket_type))
        return False
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desks.append(book, event, desk, pending)
    desks.finish(book, "decision", None)
    return True
