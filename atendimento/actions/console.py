"""What the console keeps for a member: the draft of a reply, and what they have seen."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions.faults import invalid
from atendimento.actions.messages import MAX_TEXT, Received, write_reply
from atendimento.actions.slots import set_slot
from atendimento.models import Draft, Membership, Message, TicketVisit, User
from memoria.patch import Json
from memoria.proposals import Citation


@transaction.atomic
def keep_draft(*, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool) -> None:
    """Keep what the member is writing; an empty text is no draft.

    Raises InvalidInput for more than a message holds, and DomainError `ticket.merged` where the conversation goes on
    elsewhere: a draft that is handed over there must not be followed by another one here (S2).
    """
    access.require(member, Permission.WRITE_REPLIES)
    if len(text) > MAX_TEXT:
        raise invalid("/text", "message.too_long", f"more than {MAX_TEXT} characters")
    ticket = access.ticket_to_change(member, ticket_id)
    ledger.refuse_merged(ticket)
    if not text.strip():
        Draft.objects.filter(member=member, ticket=ticket).delete()
        return
    kept = {"text": text.replace("\0", ""), "internal": internal, "organization": ticket.organization}
    Draft.objects.update_or_create(member=member, ticket=ticket, defaults=kept)


@transaction.atomic
def add_to_draft(*, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool) -> None:
    """Put words below what the member is writing. Raises InvalidInput for more than a message holds."""
    held = Draft.objects.filter(member=member, ticket_id=ticket_id).values_list("text", flat=True).first() or ""
    joined = f"{held.rstrip()}\n{text}" if held.strip() else text
    keep_draft(member=member, ticket_id=ticket_id, text=joined, internal=internal)


@transaction.atomic
def send_draft(
    *, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool, key: uuid.UUID | None = None
) -> Received:
    """Record a reply or note, and let its draft go in the same stroke. Raises InvalidInput where nothing is said.

    The same `key` again is the same reply: what has been written since stays a draft.
    """
    if not text.replace("\0", "").strip():
        raise invalid("/text", "message.empty", "says nothing")
    written = write_reply(member=member, ticket_id=ticket_id, text=text, internal=internal, key=key)
    if written.created:
        Draft.objects.filter(member=member, ticket_id=written.message.ticket_id).delete()
    return written


@dataclass(frozen=True, slots=True)
class Recorded:
    """A reply, and the version that its commitments made; None where it made none."""

    message: Message
    version: int | None


@transaction.atomic
def send_with_commitments(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    text: str,
    commitments: Sequence[tuple[dict[str, Json], int, int]],
    key: uuid.UUID | None = None,
) -> Recorded:
    """Record a reply and, as the member's statement on its very words, the commitments that it makes: all or nothing.

    Each commitment comes with where its words begin and end in `text`. Raises InvalidInput, and DomainError where the
    rules refuse one.
    """
    sent = send_draft(member=member, ticket_id=ticket_id, text=text, internal=False, key=key)
    message, version = sent.message, None
    if not sent.created:
        return Recorded(message, None)
    for value, start, end in commitments:
        held = access.ticket(member, message.ticket_id).state_version  # locked since the reply
        quoted = Citation(message.ref, message.text[start:end], start)
        written = set_slot(
            member=member,
            ticket_id=message.ticket_id,
            path="/commitments/-",
            value=value,
            expected_version=held,
            evidence=(quoted,),
        )
        version = written.version
    return Recorded(message, version)


def choose_language(*, user: User, language: str) -> None:
    """The language that this person reads, on pages and in mails."""
    User.objects.filter(pk=user.pk).exclude(language=language).update(language=language)


@transaction.atomic
def note_visit(*, member: Membership, ticket_id: str | uuid.UUID) -> None:
    """The member has seen the ticket as it is now."""
    access.require(member, Permission.READ)
    ticket = access.ticket(member, ticket_id)
    seen = {
        "organization": ticket.organization,
        "seen_at": ledger.now(),
        "seen_version": ticket.state_version,
        "seen_message": ticket.last_message_number,
    }
    TicketVisit.objects.update_or_create(member=member, ticket=ticket, defaults=seen)
