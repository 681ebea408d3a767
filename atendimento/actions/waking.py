"""Snoozed tickets come back at their time.

The wake is a job in the post box, planned with the snooze in one transaction and posted by the sweep once it is due: after
a pause of the workers as well. A ticket that woke before, or sleeps longer by now, is left alone.
"""

from __future__ import annotations

import uuid

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.actions.announcing import announce
from atendimento.models import Organization, Ticket, TicketStatus


def plan(ticket: Ticket) -> None:
    """Owe the wake of a locked ticket whose status or time was just written, or owe it no more."""
    if ticket.status == TicketStatus.SNOOZED and ticket.snoozed_until is not None:
        jobs.plan(jobs.WAKE, ticket.pk, ticket.organization_id, ticket.snoozed_until)
    else:
        jobs.settle(jobs.WAKE, ticket.pk)


def rouse(ticket: Ticket) -> None:
    """Open a locked ticket that sleeps, before its time: it was given to somebody who did not put it off."""
    if ticket.status == TicketStatus.SNOOZED:
        ticket.status, ticket.snoozed_until = TicketStatus.OPEN, None
        ticket.save(update_fields=["status", "snoozed_until"])
        plan(ticket)


@transaction.atomic
def wake(*, organization_id: int, ticket_id: uuid.UUID) -> bool:
    """Open the ticket again if its time has come; whether it was opened. Again changes nothing."""
    try:
        # Erased meanwhile, it is closed, and sleeps on.
        ticket = access.ticket_to_erase(Organization.objects.get(pk=organization_id), ticket_id)
    except access.NotFound:
        jobs.settle(jobs.WAKE, ticket_id)
        return False
    moment = ledger.now()
    due = ticket.status == TicketStatus.SNOOZED and ticket.snoozed_until is not None and ticket.snoozed_until <= moment
    if due:
        ticket.status, ticket.snoozed_until = TicketStatus.OPEN, None
        ticket.woken_at = ticket.updated_at = moment
        ticket.save(update_fields=["status", "snoozed_until", "woken_at", "updated_at"])
        announce(ticket, None)
    plan(ticket)
    return due
