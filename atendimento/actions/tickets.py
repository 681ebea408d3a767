"""Opening tickets and changing what is not their state: status, owner, team, subject."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Caller, Permission
from atendimento.actions import handing, runs, waking
from atendimento.actions.announcing import announce
from atendimento.actions.faults import invalid
from atendimento.hands import Hands
from atendimento.models import Customer, Membership, Organization, ProtocolCounter, Ticket, TicketStatus, TicketType
from memoria.patch import MISSING, Missing
from memoria.reading import Event

CHANGEABLE: Final = ("status", "snoozed_until", "subject")
"""What `update_ticket` changes beside the ticket's hands, as columns."""


@dataclass(frozen=True, slots=True)
class CustomerData:
    """Who the ticket is for. None leaves what is known as it is."""

    external_id: str
    name: str | None = None
    phone: str | None = None
    email: str | None = None


@transaction.atomic
def create_ticket(
    *,
    caller: Caller,
    ticket_type: str,
    subject: str,
    customer: CustomerData,
    channel: str = "",
    external_id: str | None = None,
) -> tuple[Ticket, bool]:
    """Open a ticket, or find the one that this source gave the same external id; True where it is new.

    Raises InvalidInput for an unknown ticket type, NotFound where the one found went out of the caller's sight.
    """
    caller.require(Permission.CREATE_TICKETS)
    found = _known(caller, external_id)
    if found is not None:
        return access.ticket(caller, found.pk), False
    kind = TicketType.objects.filter(organization=caller.organization, slug=ticket_type, published__isnull=False).first()
    if kind is None:
        raise invalid("/ticket_type", "ticket_type.unknown", "no such ticket type is published")
    moment = ledger.now()
    year = moment.astimezone(ZoneInfo(caller.organization.timezone)).year
    counter = _lock_counter(caller.organization, year)
    # Looked for again under the lock: of two deliveries at once, the second finds what the first made.
    found = _known(caller, external_id)
    if found is not None:
        return access.ticket(caller, found.pk), False
    ticket = Ticket(
        organization=caller.organization,
        source=caller.source if external_id is not None else "",
        external_id=external_id,
        ticket_type=kind,
        customer=_customer(caller, customer),
        subject=subject,
        channel=channel,
        created_at=moment,
        updated_at=moment,
    )
    _number(ticket, counter)
    announce(ticket, caller.member)
    return ticket, True


def open_new(ticket: Ticket) -> None:
    """Give a new ticket, whose other columns are filled, its protocol and version 0, in the caller's transaction."""
    year = ticket.created_at.astimezone(ZoneInfo(ticket.organization.timezone)).year
    _number(ticket, _lock_counter(ticket.organization, year))


def _number(ticket: Ticket, counter: ProtocolCounter) -> None:
    counter.last += 1
    counter.save(update_fields=["last"])
    ticket.protocol = f"{counter.year}-{counter.last:06}"
    ticket.save(force_insert=True)
    ledger.start(ticket)


def _known(caller: Caller, external_id: str | None) -> Ticket | None:
    if external_id is None:
        return None
    tickets = Ticket.objects.select_related("organization", "ticket_type", "customer", "assignee")
    return tickets.filter(organization=caller.organization, source=caller.source, external_id=external_id).first()


def _lock_counter(organization: Organization, year: int) -> ProtocolCounter:
    ProtocolCounter.objects.bulk_create([ProtocolCounter(organization=organization, year=year, last=0)], ignore_conflicts=True)
    return ProtocolCounter.objects.select_for_update().get(organization=organization, year=year)


def _customer(caller: Caller, data: CustomerData) -> Customer:
    given = {key: value for key in ("name", "phone", "email") if (value := getattr(data, key)) is not None}
    # Locked: a customer who is being erased is another one afterwards, and whoever waited for that finds none (L2).
    known = Customer.objects.select_for_update(no_key=True)
    row, made = known.get_or_create(organization=caller.organization, external_id=data.external_id, defaults=given)
    changed = [] if made else [key for key, value in given.items() if getattr(row, key) != value]
    if changed:
        for key in changed:
            setattr(row, key, given[key])
        row.save(update_fields=changed)
    return row


@transaction.atomic
def update_ticket(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    status: str | Missing = MISSING,
    snoozed_until: datetime | Missing | None = MISSING,
    assignee: str | Missing | None = MISSING,
    team: str | Missing = MISSING,
    subject: str | Missing = MISSING,
) -> Ticket:
    """Change what is given; MISSING leaves it. `assignee` is a member's id or e-mail address, `me`, or None; `team` a
    team's name or slug, or empty for none.

    A ticket is snoozed until a moment, and only then has one; given to another without a word of its status, it is open
    again. What is so already changes nothing: the ticket keeps its place among the latest changed. A merged ticket is
    changed no more, and merging has an action of its own, which names the other ticket. Raises InvalidInput, and
    DomainError `ticket.merged`.
    """
    access.require(member, Permission.CHANGE_TICKETS)
    ticket = access.ticket_to_change(member, ticket_id)
    ledger.refuse_merged(ticket)
    before, hands, was = [getattr(ticket, column) for column in CHANGEABLE], Hands.of(ticket), ticket.status
    _set_status(ticket, status, snoozed_until)
    if not isinstance(subject, Missing):
        ticket.subject = subject
    if not isinstance(assignee, Missing):
        ticket.assignee = None if assignee is None else handing.known_member(member, assignee)
    if not isinstance(team, Missing):
        ticket.team = handing.known_team(member, team) if team.strip() else None
    changed = [getattr(ticket, column) for column in CHANGEABLE] != before
    if changed:
        ticket.updated_at, ticket.woken_at = ledger.now(), None
        ledger.note_closing(ticket, ticket.updated_at)
        if ticket.next_due is not None:
            ticket.remind_at = ticket.updated_at  # a closed ticket reminds nobody, an opened one does again
        ticket.save(update_fields=[*CHANGEABLE, "updated_at", "woken_at", "waiting_since", "closed_at", "remind_at"])
        waking.plan(ticket)
    if Hands.of(ticket) != hands:
        if isinstance(status, Missing) and isinstance(snoozed_until, Missing):
            waking.rouse(ticket)
        handing.write(ticket, hands, member)
    for event in _events(ticket, was):
        runs.happened_to(member.organization, ticket.pk, event)
    if changed or Hands.of(ticket) != hands:
        announce(ticket, member, hands)
    return access.ticket(member.organization, ticket.pk)  # it may have gone where the member does not see it


def _events(ticket: Ticket, was: str) -> Iterator[Event]:
    """What a change of status is to a type that has the model read on events (T4)."""
    if ticket.status == TicketStatus.CLOSED and was != TicketStatus.CLOSED:
        yield Event.CLOSING
    if ticket.status == TicketStatus.OPEN and was != TicketStatus.OPEN:
        yield Event.REOPENED


def _set_status(ticket: Ticket, status: str | Missing, until: datetime | Missing | None) -> None:
    if not isinstance(status, Missing):
        if status not in TicketStatus.values:
            raise invalid("/status", "ticket.unknown_status", f"must be one of {', '.join(TicketStatus.values)}")
        if status == TicketStatus.MERGED:
            raise invalid("/merged_into", "ticket.merged_into_missing", "merging names the ticket to merge into")
        ticket.status = status
        if status != TicketStatus.SNOOZED:
            ticket.snoozed_until = None
        if status == TicketStatus.CLOSED:
            ticket.waiting_since = None
    if isinstance(until, Missing):
        return
    if until is not None and ticket.status != TicketStatus.SNOOZED:
        raise invalid("/snoozed_until", "ticket.not_snoozed", "only a snoozed ticket has a moment to wake up")
    ticket.snoozed_until = until
