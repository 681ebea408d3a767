"""Who works on a ticket: assume, transfer, escalate with a note, answer; and the book in which each is written once.

Forms name the hands in which their page showed the ticket. Where those changed meanwhile, the act is refused: nobody takes
a ticket out of hands that they did not see. A form sent twice (`key`) is one act.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import runs, waking
from atendimento.actions.announcing import announce
from atendimento.actions.faults import invalid
from atendimento.actions.messages import write_reply
from atendimento.hands import Hands, askable
from atendimento.models import Handing, HandingKind, Membership, Team, Ticket
from memoria.errors import Code, DomainError
from memoria.reading import Event

MAX_NOTE = 10_000
COLUMNS = ("assignee", "team", "escalated_to", "escalated_by", "escalated_at", "updated_at", "woken_at", "remind_at")


class ChangedHands(Exception):
    """The ticket is not in the hands that the page showed. Nothing was written; `last` tells who had it last changed."""

    def __init__(self, last: Handing | None) -> None:
        self.last = last
        super().__init__("the ticket changed hands")


@transaction.atomic
def assume(*, member: Membership, ticket_id: uuid.UUID, seen: Hands | None = None, key: uuid.UUID | None = None) -> Ticket:
    """Make the ticket the member's own. Raises NotFound, ChangedHands, and DomainError `ticket.merged`."""

    def act(ticket: Ticket) -> None:
        ticket.assignee = member

    return _hand(member, ticket_id, seen, key, "", act)


@transaction.atomic
def transfer(
    *,
    member: Membership,
    ticket_id: uuid.UUID,
    to_member: str | None = None,
    to_team: str | None = None,
    note: str = "",
    seen: Hands | None = None,
    key: uuid.UUID | None = None,
) -> Ticket:
    """Hand the ticket to a person, or to a team, where it has no owner then. The note is kept as an internal message.
    A snoozed ticket is open again: whoever receives it has agreed to no time.

    `to_member`: id or address; `to_team`: name or slug. Raises InvalidInput for unknown ones, NotFound, ChangedHands, and
    DomainError `ticket.merged`.
    """

    def act(ticket: Ticket) -> None:
        if to_member:
            ticket.assignee = known_member(member, to_member)
        elif to_team:
            ticket.team, ticket.assignee = known_team(member, to_team), None
        else:
            raise invalid("/to", "handing.nobody", "names nobody")

    return _hand(member, ticket_id, seen, key, note, act)


@transaction.atomic
def escalate(
    *,
    member: Membership,
    ticket_id: uuid.UUID,
    to_member: int,
    note: str,
    seen: Hands | None = None,
    key: uuid.UUID | None = None,
) -> Ticket:
    """Ask a supervisor, an administrator or the team's lead to look at the ticket; its owner stays.

    Raises InvalidInput without a note or for whom cannot be asked, NotFound, ChangedHands, and DomainError `ticket.merged`.
    """
    _needed(note)

    def act(ticket: Ticket) -> None:
        asked = askable(ticket, member).filter(pk=to_member).first()
        if asked is None:
            raise invalid("/to", "handing.not_a_supervisor", "must be a supervisor, an administrator or the team's lead")
        ticket.escalated_to, ticket.escalated_by, ticket.escalated_at = asked, member, ledger.now()

    return _hand(member, ticket_id, seen, key, note, act, HandingKind.ESCALATED)


@transaction.atomic
def answer(
    *, member: Membership, ticket_id: uuid.UUID, note: str, seen: Hands | None = None, key: uuid.UUID | None = None
) -> Ticket:
    """Answer an escalation: by whom it was meant for, or another who sees all tickets.

    Raises InvalidInput without a note or where nothing is asked, NotFound, ChangedHands, and DomainError
    `ticket.merged`, `permission.denied`.
    """
    _needed(note)

    def act(ticket: Ticket) -> None:
        if ticket.escalated_to_id is None:
            raise invalid("", "handing.not_escalated", "nothing is asked")
        if ticket.escalated_to_id != member.pk and not access.caller_of(member).may(Permission.SEE_ALL_TICKETS):
            raise DomainError(Code.PERMISSION_DENIED, "§3", permission="answer")
        ticket.escalated_to = ticket.escalated_by = ticket.escalated_at = None

    return _hand(member, ticket_id, seen, key, note, act, HandingKind.ANSWERED)


def _hand(
    member: Membership,
    ticket_id: uuid.UUID,
    seen: Hands | None,
    key: uuid.UUID | None,
    note: str,
    act: Callable[[Ticket], None],
    kind: HandingKind | None = None,
) -> Ticket:
    access.require(member, Permission.CHANGE_TICKETS)
    if len(note) > MAX_NOTE:
        raise invalid("/note", "handing.note_too_long", f"more than {MAX_NOTE} characters")
    # The same form again is looked for first: what it did may have taken the ticket out of the member's sight.
    known = Handing.objects.filter(organization=member.organization_id, ticket=ticket_id, key=key, by=member)
    if key is not None and known.exists():
        return access.ticket(member.organization, ticket_id)
    ticket = _locked(member, ticket_id, key)
    if ticket is None:  # the first press was through while this one waited
        return access.ticket(member.organization, ticket_id)
    ledger.refuse_merged(ticket)
    before = Hands.of(ticket)
    if seen is not None and seen != before:
        raise ChangedHands(Handing.objects.select_related("by", "to_member", "to_team").filter(ticket=ticket).last())
    act(ticket)
    if kind is None and Hands.of(ticket) == before and not note.strip():
        return access.ticket(member.organization, ticket_id)
    message = None
    if note.strip():
        message = write_reply(member=member, ticket_id=ticket_id, text=note.strip(), internal=True).message
        # The note moved the ticket's figures on; only the hands are written below.
        ticket.last_message_number = message.number
    if (ticket.assignee_id, ticket.team_id) != (before.assignee, before.team):
        waking.rouse(ticket)
    write(ticket, before, member, kind=kind, note=message.pk if message else None, key=key)
    announce(ticket, member, before)
    return access.ticket(member.organization, ticket_id)


def _locked(member: Membership, ticket_id: uuid.UUID, key: uuid.UUID | None) -> Ticket | None:
    """The ticket under its lock; None where the form with this key did its work while this one waited."""
    try:
        ticket = access.ticket_to_change(member, ticket_id)
    except access.NotFound:
        if key is None or not Handing.objects.filter(ticket=ticket_id, key=key, by=member).exists():
            raise
        return None
    done = key is not None and Handing.objects.filter(ticket=ticket, key=key).exists()
    return None if done else ticket


def write(
    ticket: Ticket,
    before: Hands,
    member: Membership,
    *,
    kind: HandingKind | None = None,
    note: int | None = None,
    key: uuid.UUID | None = None,
) -> None:
    """Store the locked ticket's hands, and a line in the book; `kind` None says it by what changed."""
    moment = ledger.now()
    ticket.updated_at, ticket.woken_at = moment, None
    if ticket.next_due is not None:
        ticket.remind_at = moment  # who is reminded of its commitments may be another now, or nobody
    ticket.save(update_fields=COLUMNS)
    asked = kind in (HandingKind.ESCALATED, HandingKind.ANSWERED)
    Handing.objects.create(
        organization_id=ticket.organization_id,
        ticket=ticket,
        kind=kind or _kind(ticket, before, member),
        by=member,
        at=moment,
        from_member_id=before.escalated_to if asked else before.assignee,
        to_member_id=(ticket.escalated_to_id or before.escalated_to) if asked else ticket.assignee_id,
        from_team_id=before.team,
        to_team_id=ticket.team_id,
        note_id=note,
        after_message=ticket.last_message_number,
        key=key,
    )
    if ticket.assignee_id is not None and ticket.assignee_id != before.assignee:
        runs.happened_to(member.organization, ticket.pk, Event.ASSIGNED)


def _kind(ticket: Ticket, before: Hands, member: Membership) -> HandingKind:
    if ticket.assignee_id == member.pk and before.assignee != member.pk:
        return HandingKind.ASSUMED
    if ticket.assignee_id is None and ticket.team_id == before.team:
        return HandingKind.RELEASED
    return HandingKind.TRANSFERRED


def known_member(member: Membership, reference: str) -> Membership:
    """The active member whom a reference names: an id, an address, or `me`. Raises InvalidInput."""
    found = member if reference == "me" else access.member_named(member.organization, reference)
    if found is None:
        raise invalid("/assignee", "member.unknown", "no such active member")
    return found


def known_team(member: Membership, reference: str) -> Team:
    """The team that takes tickets under this name or slug. Raises InvalidInput."""
    found = access.team_named(member.organization, reference)
    if found is None:
        raise invalid("/team", "team.unknown", "no such team")
    return found


def _needed(note: str) -> None:
    if not note.strip():
        raise invalid("/note", "handing.note_missing", "must say something")
