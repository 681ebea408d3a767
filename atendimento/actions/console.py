"""What the console keeps for a member: the draft of a reply, and what they have seen."""

from __future__ import annotations

import uuid

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions.faults import invalid
from atendimento.actions.messages import MAX_TEXT, write_reply
from atendimento.models import Draft, Membership, Message, TicketVisit


@transaction.atomic
def keep_draft(*, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool) -> None:
    """Keep what the member is writing; an empty text is no draft. Raises InvalidInput for more than a message holds."""
    access.require(member, Permission.WRITE_REPLIES)
    if len(text) > MAX_TEXT:
        raise invalid("/text", "message.too_long", f"more than {MAX_TEXT} characters")
    ticket = access.ticket(member.organization, ticket_id)
    if not text.strip():
        Draft.objects.filter(member=member, ticket=ticket).delete()
        return
    kept = {"text": text.replace("\0", ""), "internal": internal, "organization": ticket.organization}
    Draft.objects.update_or_create(member=member, ticket=ticket, defaults=kept)


@transaction.atomic
def send_draft(*, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool) -> Message:
    """Record a reply or note, and let its draft go in the same stroke. Raises InvalidInput where nothing is said."""
    if not text.replace("\0", "").strip():
        raise invalid("/text", "message.empty", "says nothing")
    message = write_reply(member=member, ticket_id=ticket_id, text=text, internal=internal)
    Draft.objects.filter(member=member, ticket_id=message.ticket_id).delete()
    return message


@transaction.atomic
def note_visit(*, member: Membership, ticket_id: str | uuid.UUID) -> None:
    """The member has seen the ticket as it is now."""
    access.require(member, Permission.READ)
    ticket = access.ticket(member.organization, ticket_id)
    seen = {
        "organization": ticket.organization,
        "seen_at": ledger.now(),
        "seen_version": ticket.state_version,
        "seen_message": ticket.last_message_number,
    }
    TicketVisit.objects.update_or_create(member=member, ticket=ticket, defaults=seen)
