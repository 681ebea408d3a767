"""Reminders of commitments: made when their moment has come, mailed, read; and what an organisation and a person set.

A ticket says when it is to be looked at next (`remind_at`): every change of its commitments sets that to now, and every
look moves it on to the next moment at which somebody is reminded. So a look costs nothing where nothing is due, two
workers never look at the same ticket, and one that died leaves everything to the next.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import (
    Act,
    LedgerEvent,
    MailStatus,
    Membership,
    Organization,
    Reminder,
    ReminderKind,
    Role,
    TeamMember,
    Ticket,
    TicketStatus,
)
from atendimento.selectors.working import calendar_of
from memoria.members import OWNERS
from memoria.reminding import Deadline, deadlines

TOO_LATE: Final = timedelta(days=4)
"""So long past, a due is reminded of no more: a long weekend without workers is made up for, an old import is left in peace."""

MOST_AT_ONCE: Final = 200
"""Tickets of one organisation that one look takes."""

MOST_HOURS: Final = 40

SLEEPING: Final = (TicketStatus.OPEN, TicketStatus.SNOOZED)
"""A ticket put off is reminded of all the same: what was promised falls due meanwhile."""

Wanted = tuple[str, str, str, int]
"""Commitment, due, kind, and whom it reminds."""


# --- made ---------------------------------------------------------------------------------------------------------


def remind_all(organization: Organization) -> int:
    """Look at every ticket of the organisation whose time has come, each in a transaction of its own. How many there were."""
    for looked in range(MOST_AT_ONCE):
        if not _remind_next(organization):
            return looked
    return MOST_AT_ONCE


@transaction.atomic
def _remind_next(organization: Organization) -> bool:
    moment = ledger.now()
    waiting = Ticket.objects.select_for_update(skip_locked=True, of=("self",)).select_related("organization")
    ticket = waiting.filter(organization=organization, remind_at__lte=moment).order_by("remind_at").first()
    if ticket is None:
        return False
    _remind(ticket, moment)
    return True


def _remind(ticket: Ticket, moment: datetime) -> None:
    """Make what is to be made now, cancel what stands no more, and set when to look again."""
    organization = ticket.organization
    live = ticket.status in SLEEPING and ticket.merged_into_id is None
    lead = timedelta(hours=organization.reminder_hours)
    calendar, zone = calendar_of(organization, moment), ZoneInfo(organization.timezone)
    state = ledger.current_state(ticket.pk)
    found = list(deadlines(state, lead, calendar, zone)) if live else []
    standing = {(row.commitment, row.due, row.kind, row.member_id): row for row in Reminder.objects.filter(ticket=ticket)}
    told = {(commitment, due) for commitment, due, kind, _member in standing if kind == ReminderKind.DUE}
    wanted = {key: deadline for deadline in found for key in _due_now(ticket, deadline, moment, told)}
    made = [_make(ticket, key, deadline, moment) for key, deadline in wanted.items() if key not in standing]
    Reminder.objects.bulk_create(made)
    over = [row.pk for key, row in standing.items() if key not in wanted and row.cancelled_at is None]
    back = [row.pk for key, row in standing.items() if key in wanted and row.cancelled_at is not None]
    Reminder.objects.filter(pk__in=over).update(cancelled_at=moment)
    Reminder.objects.filter(pk__in=back).update(cancelled_at=None)
    ahead = [at for item in found for at in (item.before_at, item.due_at) if at is not None and at > moment]
    # The organisation may have moved to another zone: the day of a commitment ends at another moment, for the queue too.
    due = ledger.next_due(state, zone) if live else ticket.next_due
    Ticket.objects.filter(pk=ticket.pk).update(remind_at=min(ahead, default=None), next_due=due)
    for row in made:
        if row.mail == MailStatus.OWED:
            jobs.owe(jobs.MAIL_REMINDER, row.pk, organization.pk, moment, moment)
    if made or over or back:
        _announce(ticket, sorted({row.member_id for row in (*made, *standing.values())}))


def _due_now(ticket: Ticket, deadline: Deadline, moment: datetime, told: Collection[tuple[str, str]]) -> Iterator[Wanted]:
    """Who is to be reminded of a deadline at this moment; at its due, the reminder before it has had its time.

    `told`: the commitments and dues that somebody was reminded of when they were due.
    """
    if deadline.due_at <= moment:
        kind = ReminderKind.DUE
        if moment - deadline.due_at > TOO_LATE and (deadline.commitment, deadline.due) not in told:
            return
    elif deadline.before_at is not None and deadline.before_at <= moment:
        kind = ReminderKind.BEFORE
    else:
        return
    itself = _recorded_late_by(ticket, deadline) if kind == ReminderKind.BEFORE else None
    for member in _owners(ticket, deadline.owner):
        if str(member.pk) != itself:
            yield deadline.commitment, deadline.due, kind.value, member.pk


def _recorded_late_by(ticket: Ticket, deadline: Deadline) -> str | None:
    """Who recorded a due when the time to remind of it had come already: they need not be told what they have just typed."""
    events = LedgerEvent.objects.filter(ticket=ticket, version=deadline.since_version)
    event = events.values("at", "actor").first()
    if event is None or deadline.before_at is None or event["at"] < deadline.before_at:
        return None
    return str(event["actor"]["member"])


def _owners(ticket: Ticket, owner: str) -> list[Membership]:
    """Who keeps a commitment: whoever is named, and sees the ticket; else whose ticket it is; else those who share the
    work out: its team's leads, or the supervisors.

    What a customer or third party is to do is watched by the same people.
    """
    people = Membership.objects.filter(organization_id=ticket.organization_id, is_active=True)
    people = people.filter(user__is_active=True).select_related("user").order_by("pk")
    if owner not in OWNERS:
        called = [member for member in people if _plain(member.name) == _plain(owner)]
        named = [member for member in called if access.visible_tickets(member).filter(pk=ticket.pk).exists()]
        if named:
            return named
    if ticket.assignee_id is not None:
        assigned = list(people.filter(pk=ticket.assignee_id))
        if assigned:
            return assigned
    leads = list(people.filter(pk__in=TeamMember.objects.filter(team=ticket.team_id, leads=True).values("member")))
    return leads or list(people.filter(role=Role.SUPERVISOR)) or list(people.filter(role=Role.ADMIN))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


def _make(ticket: Ticket, key: Wanted, deadline: Deadline, moment: datetime) -> Reminder:
    commitment, due, kind, member_id = key
    wants = Membership.objects.values_list("takes_reminder_mails", flat=True).get(pk=member_id)
    return Reminder(
        organization_id=ticket.organization_id,
        ticket=ticket,
        member_id=member_id,
        commitment=commitment,
        due=due,
        due_at=deadline.due_at,
        kind=kind,
        made_at=moment,
        mail=MailStatus.OWED if wants else MailStatus.UNWANTED,
    )


def _announce(ticket: Ticket, members: list[int]) -> None:
    """Tell these people's open pages, after the commit."""
    document = {
        "ticket": str(ticket.pk),
        "kind": "reminder",
        "version": ticket.state_version,
        "message": ticket.last_message_number,
        "member": None,
        "to": members,
    }
    transaction.on_commit(lambda: jobs.publish(ticket.organization_id, document))


def look_again(organization: Organization) -> None:
    """Have every ticket with something due looked at anew, in the transaction that the caller opened.

    For another lead, other working time, or another zone: what the look plans, and when the ticket counts as overdue.
    """
    rows = Ticket.objects.filter(organization=organization, next_due__isnull=False, status__in=SLEEPING)
    rows.update(remind_at=ledger.now())


# --- read, and set ------------------------------------------------------------------------------------------------


@transaction.atomic
def read_reminder(*, member: Membership, reminder_id: str | uuid.UUID) -> Reminder:
    """The person has opened it; opened again it stays read since the first time. Raises NotFound."""
    access.require(member, Permission.READ)
    found = access.reminder(member, reminder_id)
    Reminder.objects.filter(pk=found.pk, read_at=None).update(read_at=ledger.now())
    return found


@transaction.atomic
def read_all(*, member: Membership) -> int:
    """The person has seen all of them; how many were unread."""
    access.require(member, Permission.READ)
    unread = Reminder.objects.filter(access.visible(member, "ticket__"), member=member, read_at=None, cancelled_at=None)
    return unread.update(read_at=ledger.now())


@transaction.atomic
def set_mails(*, member: Membership, on: bool) -> None:
    """Whether this person is reminded by mail too. What is owed already is judged when it is sent."""
    access.require(member, Permission.READ)
    Membership.objects.filter(pk=member.pk).update(takes_reminder_mails=on)


@transaction.atomic
def set_lead(*, member: Membership, hours: str) -> None:
    """How many working hours before it is due the organisation's people are reminded; 0: only then.

    Raises InvalidInput: no whole number, or more than a week's work.
    """
    access.require(member, Permission.MANAGE)
    if not (hours.isascii() and hours.isdecimal()) or len(hours) > 3 or int(hours) > MOST_HOURS:
        raise invalid("/hours", "reminders.no_hours", f"must be a whole number from 0 to {MOST_HOURS}")
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    if organization.reminder_hours == int(hours):
        return
    organization.reminder_hours = int(hours)
    organization.save(update_fields=["reminder_hours"])
    log_act(member=member, kind=Act.REMINDERS, subject=organization.slug, details={"hours": int(hours)})
    look_again(organization)
