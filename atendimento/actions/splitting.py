"""Splitting a ticket: chosen messages and values go to a new one, and the old one keeps all that it has (S1)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions import runs
from atendimento.actions.announcing import announce
from atendimento.actions.faults import invalid
from atendimento.actions.tickets import open_new
from atendimento.models import Membership, Message, Ticket, TicketType
from memoria import carrying
from memoria.carrying import Cargo
from memoria.evidence import message_number
from memoria.versions import check_version

MOST_MESSAGES: Final = 200


@dataclass(frozen=True, slots=True)
class Part:
    """What goes to the new ticket: messages (`m-5`) and pointers of values, and what the ticket is called."""

    subject: str
    ticket_type: str  # slug
    messages: Sequence[str] = ()
    values: Sequence[str] = ()


@transaction.atomic
def split_ticket(
    *, member: Membership, ticket_id: str | uuid.UUID, part: Part, expected_version: int, key: uuid.UUID
) -> tuple[Ticket, bool]:
    """Open a ticket of the same customer and channel with copies of these messages and values; True where it is new.

    `key` names this form: sent twice, it answers the ticket that it made (V4). Values arrive awaiting confirmation, in
    one event. Raises InvalidInput (nothing chosen, a message that is not there), DomainError `version.conflict` where a
    chosen value changed after `expected_version`, `carry.not_possible`, `ticket.merged`.
    """
    access.require(member, Permission.CREATE_TICKETS)
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    made = Ticket.objects.filter(organization=member.organization, split_key=key, split_from=book.ticket).first()
    if made is not None:
        return made, False
    ledger.refuse_merged(book.ticket)
    subject = part.subject.replace("\0", "").strip()
    if not subject or len(subject) > 300:
        raise invalid("/subject", "split.subject", "a subject of at most 300 characters")
    if not part.messages and not part.values:
        raise invalid("", "split.empty", "names no message and no value")
    kind = TicketType.objects.filter(organization=member.organization, slug=part.ticket_type, published__isnull=False).first()
    if kind is None:
        raise invalid("/ticket_type", "ticket_type.unknown", "no such ticket type is published")
    check_version(book.state, expected_version, book.since(expected_version) if expected_version >= 0 else [], part.values)
    originals = _originals(book, part.messages)
    ticket = Ticket(
        organization=book.organization,
        ticket_type=kind,
        customer=book.ticket.customer,
        subject=subject,
        channel=book.ticket.channel,
        assignee=book.ticket.assignee,
        team=book.ticket.team,
        created_at=book.moment,
        updated_at=book.moment,
        split_from=book.ticket,
        split_by=member,
        split_key=key,
    )
    open_new(ticket)
    new = ledger.open_to_change(book.organization, ticket.pk)
    copied = _copy(new, originals)
    if part.values:
        cargo = Cargo(book.state, str(book.ticket.pk), book.ticket.protocol, copied)
        new.transcript.load(copied.values())
        desk = desks.desk_of(new, member)
        desks.append(new, carrying.carry(cargo, part.values, new.state, desk, "split"), desk, ())
    desks.finish(new, "ticket", member)
    announce(book.ticket, member)
    return ticket, True


def _originals(book: ledger.Book, references: Sequence[str]) -> list[Message]:
    """The messages to copy, in their order. Raises InvalidInput for one that is not there, or deleted, and for too many."""
    numbers = {message_number(reference) for reference in references}
    if len(numbers) > MOST_MESSAGES:
        raise invalid("/messages", "split.too_many_messages", f"more than {MOST_MESSAGES} messages")
    known = {number for number in numbers if number is not None}
    rows = list(Message.objects.filter(ticket=book.ticket, number__in=known, deleted_at=None).order_by("number"))
    if len(rows) != len(numbers):
        raise invalid("/messages", "message.unknown", "no such message in this ticket, or it was deleted")
    return rows


def _copy(book: ledger.Book, originals: Sequence[Message]) -> Mapping[str, str]:
    """Copy the messages into the new ticket: author, words, times and files as they are. What was copied, by its id.

    The channel knows the originals alone: copies have no external id. What the model had not read yet is owed here too.
    """
    copies = [
        Message(
            organization_id=book.ticket.organization_id,
            ticket=book.ticket,
            number=number,
            author_kind=row.author_kind,
            author_name=row.author_name,
            author_external_id=row.author_external_id,
            author_key=row.author_key,
            member_id=row.member_id,
            text=row.text,
            sent_at=row.sent_at,
            received_at=row.received_at,
            said_at=row.said_at,
            internal=row.internal,
            automatic=row.automatic,
            unquotable=row.unquotable,
            attachments=row.attachments,
            notes=row.notes,
            edited_at=row.edited_at,
            awaits_reading=row.awaits_reading,
            copied_from=row.number,
        )
        for number, row in enumerate(originals, start=1)
    ]
    Message.objects.bulk_create(copies)
    if not copies:
        return {}
    unread = [copy for copy in copies if copy.awaits_reading]
    ticket = book.ticket
    ticket.last_message_number = len(copies)
    ticket.last_message_at = max(copy.received_at for copy in copies)
    ticket.through_message = unread[0].number - 1 if unread else len(copies)
    book.transcript = type(book.transcript)(ticket.pk, len(copies))
    if unread:
        runs.owe(book, unread[-1])
    return {original.ref: copy.ref for original, copy in zip(originals, copies, strict=True)}
