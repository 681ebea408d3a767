"""What people fix in the model's view of a ticket, and who has read its summary."""

from __future__ import annotations

import uuid
from typing import Final

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import desk as desks
from atendimento.actions.faults import invalid
from atendimento.models import BriefReading, Membership, Message, MessagePin
from memoria.evidence import message_number

MOST_PINS: Final = 20
"""Of one ticket: what is pinned is never cut, and goes into every question."""
MOST_PINNED: Final = 20_000
"""Code points of all that is pinned in a ticket: every question pays for them."""


@transaction.atomic
def pin(*, member: Membership, ticket_id: str | uuid.UUID, message: str, words: str = "") -> MessagePin:
    """Pin a message (`m-3`), or a passage of it, that goes letter by letter into every question to the model from now on.

    Pinning the same again changes nothing. Raises InvalidInput: no such message, one that is deleted, words that do not
    stand in it, too much pinned already.
    """
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    number = message_number(message.strip())
    found = Message.objects.filter(ticket=book.ticket, number=number, deleted_at=None).first() if number else None
    if found is None:
        raise invalid("/message", "pin.unknown_message", "no such message in this ticket")
    passage = words.replace("\0", "").strip()
    start = found.text.find(passage) if passage else None
    if start == -1:
        raise invalid("/words", "pin.not_in_message", "must stand in the message, letter by letter")
    end = None if start is None else start + len(passage)
    known = MessagePin.objects.filter(message__ticket=book.ticket).select_related("message")
    for row in known:
        if (row.message_id, row.start, row.end) == (found.pk, start, end):
            return row
    length = sum(len(row.message.text) if row.start is None else (row.end or 0) - row.start for row in known)
    if len(known) >= MOST_PINS or length + len(passage or found.text) > MOST_PINNED:
        raise invalid("/message", "pin.too_many", f"at most {MOST_PINS} pins and {MOST_PINNED} characters")
    row = MessagePin.objects.create(
        organization_id=member.organization_id, message=found, start=start, end=end, pinned_by=member, pinned_at=book.moment
    )
    desks.announce(book, "pin", member)
    return row


@transaction.atomic
def unpin(*, member: Membership, ticket_id: str | uuid.UUID, pin_id: int) -> None:
    """Raises NotFound."""
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    row = MessagePin.objects.filter(pk=pin_id, message__ticket=book.ticket).first()
    if row is None:
        raise NotFound("pin")
    row.delete()
    desks.announce(book, "pin", member)


@transaction.atomic
def confirm_brief(*, member: Membership, ticket_id: str | uuid.UUID, version: int, last_message: int) -> BriefReading:
    """Record that the member has read and checked the summary as it is. Again without anything new changes nothing.

    `last_message` is the newest one when it was shown: what has come since was read by nobody.
    Raises InvalidInput where another version holds by now: that is not what was read.
    """
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    if version != book.state.version:
        raise invalid("/version", "brief.other_version", "the ticket has changed since")
    row, _ = BriefReading.objects.get_or_create(
        ticket=book.ticket,
        member=member,
        version=version,
        last_message=max(0, min(last_message, book.ticket.last_message_number)),
        defaults={"organization_id": member.organization_id, "at": book.moment},
    )
    desks.announce(book, "brief", member)
    return row
