"""What open pages are told of a ticket whose state stayed as it was."""

from __future__ import annotations

from django.db import transaction

from atendimento import jobs
from atendimento.hands import Hands
from atendimento.models import Membership, Ticket


def announce(ticket: Ticket, member: Membership | None, was: Hands | None = None) -> None:
    """Tell open pages, after the commit, that a ticket is new or changed.

    `was`: whose it was before. Who saw it there hears that it has gone.
    """
    document = {
        "ticket": str(ticket.pk),
        "customer": str(ticket.customer_id),
        "kind": "ticket",
        "version": ticket.state_version,
        "message": ticket.last_message_number,
        "member": member.pk if member else None,
        "team": ticket.team_id,
        "hands": [ticket.assignee_id, ticket.escalated_to_id],
        **({} if was is None else {"was": {"team": was.team, "hands": [was.assignee, was.escalated_to]}}),
    }
    transaction.on_commit(lambda: jobs.publish(ticket.organization_id, document))
