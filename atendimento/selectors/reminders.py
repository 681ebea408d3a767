"""A person's reminders: how many are unread, the page that lists them, the words of a mail; and the administrators' view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Correction, MailStatus, Membership, Reminder, ReminderKind, Ticket, TicketState
from atendimento.selectors import dossier, reading, values
from atendimento.selectors.cards import slot_key
from atendimento.selectors.of_fields import of_fields
from memoria.patch import Json

SHOWN: Final = 50
FAILURES: Final = 30
MOST_COUNTED: Final = 99

FAULTS: Final[Mapping[str, Promise]] = {
    "reminders.no_hours": gettext_lazy("Give a whole number of working hours from 0 to 40."),
}


@dataclass(frozen=True, slots=True)
class ReminderRow:
    id: str
    protocol: str
    customer: str
    commitment: str  # its id
    task: str
    owner: str
    when: str  # "due today, 16:00", in words
    late: bool
    at: datetime  # when the person was reminded
    read: bool
    mail_problem: str  # in words, where its mail failed or is tried again


@dataclass(frozen=True, slots=True)
class Reminders:
    """What a person is reminded of, unread first."""

    rows: tuple[ReminderRow, ...]
    unread: int
    mails: bool
    lead: str  # when the organisation reminds, in words


@dataclass(frozen=True, slots=True)
class Bell:
    """The bell of the bar. `news`: the newest unread one in words, where a page that is open asks for it."""

    unread: int
    shown: str  # the number, or that there are more than fit
    label: str
    news: str = ""
    news_id: str = ""


@dataclass(frozen=True, slots=True)
class Unmailed:
    to: str
    protocol: str
    url: str
    problem: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Settings:
    """The administrators' page. What was typed stays beside its fault."""

    hours: str
    fault: str
    failures: tuple[Unmailed, ...]


def _live(member: Membership) -> QuerySet[Reminder]:
    """What stands, of tickets that the person still sees: a ticket may have gone to a team that keeps its own."""
    return Reminder.objects.filter(access.visible(member, "ticket__"), member=member, cancelled_at=None)


def _newest(rows: QuerySet[Reminder], count: int) -> Iterable[Reminder]:
    return rows.select_related("ticket__customer").order_by("-made_at", "-id")[:count]


def _unread(member: Membership) -> QuerySet[Reminder]:
    return _live(member).filter(read_at=None)


def _count(rows: QuerySet[Reminder]) -> int:
    return rows[: MOST_COUNTED + 1].count()


def bell(member: Membership, *, with_news: bool = False) -> Bell:
    """One query; with the newest one's words, three more."""
    unread = _count(_unread(member))
    label = ngettext("%(count)d unread reminder", "%(count)d unread reminders", unread) % {"count": unread}
    shown = str(unread) if unread <= MOST_COUNTED else f"{MOST_COUNTED}+"
    if not (with_news and unread):
        return Bell(unread, shown, label if unread else _("Reminders"))
    (row,) = _rows(_newest(_unread(member), 1))
    words = _("Reminder: %(task)s, %(when)s (%(protocol)s)")
    return Bell(unread, shown, label, words % {"task": row.task, "when": row.when, "protocol": row.protocol}, row.id)


def reminders(member: Membership) -> Reminders:
    access.require(member, Permission.READ)
    rows = sorted(_rows(_newest(_live(member), SHOWN)), key=lambda row: row.read)
    hours = member.organization.reminder_hours
    before = ngettext(
        "%(count)d working hour before it is due, and when it is due.",
        "%(count)d working hours before it is due, and when it is due.",
        hours,
    )
    lead = before % {"count": hours} if hours else _("When it is due.")
    mails = Membership.objects.values_list("takes_reminder_mails", flat=True).get(pk=member.pk)
    return Reminders(tuple(rows), _count(_unread(member)), mails, lead)


def _rows(found: Iterable[Reminder]) -> list[ReminderRow]:
    rows = list(found)
    states = TicketState.objects.filter(ticket__in={row.ticket_id for row in rows})
    held = {ticket: document.get("commitments", {}) for ticket, document in states.values_list("ticket", "values")}
    return [_row(row, held.get(row.ticket_id, {}).get(row.commitment, {})) for row in rows]


def _row(row: Reminder, member: Mapping[str, Json]) -> ReminderRow:
    when, late = values.due_words(row.due, timezone.localdate())
    return ReminderRow(
        id=str(row.pk),
        protocol=row.ticket.protocol,
        customer=str(row.ticket.customer),
        commitment=row.commitment,
        task=values.member_text(member),
        owner=values.owner(str(member.get("owner", ""))),
        when=when,
        late=late,
        at=row.made_at,
        read=row.read_at is not None,
        mail_problem=_mail_problem(row),
    )


def _mail_problem(row: Reminder) -> str:
    if row.mail == MailStatus.FAILED:
        return _("The mail could not be sent.")
    return _("The mail was not taken yet; it is tried again.") if row.mail_problem and row.mail == MailStatus.OWED else ""


def place(row: Reminder) -> str:
    """The commitment's own place in its ticket."""
    query = urlencode({"pane": "state", "show": "memory"})
    return f"{reverse('web:ticket', args=[row.ticket_id])}?{query}#{slot_key(f'/commitments/{row.commitment}')}"


# --- mails --------------------------------------------------------------------------------------------------------


def mail(row: Reminder) -> tuple[str, str]:
    """Subject and text, in the language and zone that are active.

    A mail leaves the house: it names the ticket by its protocol, no customer, and the task without what is personal or
    sensitive in it.
    """
    when = _moment(row)
    data = {"protocol": row.ticket.protocol, "when": when, "name": row.member.name}
    if row.kind == ReminderKind.DUE:
        subject, first = _("Commitment due: %(protocol)s"), _("A commitment of ticket %(protocol)s was due %(when)s.")
    else:
        subject, first = _("Commitment due soon: %(protocol)s"), _("A commitment of ticket %(protocol)s is due %(when)s.")
    lines = [
        _("Hello %(name)s,") % data,
        "",
        first % data,
        f"“{_safe_task(row)}”",
        "",
        settings.PUBLIC_URL + place(row),
        "",
        _("You can turn these mails off here:"),
        settings.PUBLIC_URL + reverse("web:reminders"),
    ]
    return subject % data, "\n".join(lines) + "\n"


def _moment(row: Reminder) -> str:
    local = timezone.localtime(row.due_at)
    if len(row.due) == len("2026-01-31"):
        return date_format(local.date(), "SHORT_DATE_FORMAT")
    return date_format(local, "SHORT_DATETIME_FORMAT")


def _safe_task(row: Reminder) -> str:
    ticket = Ticket.objects.get(pk=row.ticket_id)
    state, ticket_type = reading.current_state(ticket.pk), reading.definition(ticket.ticket_type_id)
    sensitive = [pointer for pointer, field in ticket_type.fields.items() if field.sensitive]
    corrections = list(Correction.objects.filter(of_fields("pointer", sensitive), ticket=ticket)) if sensitive else []
    held = state.values.get("commitments", {}).get(row.commitment, {})
    return dossier.redactor_of(ticket, state, ticket_type, corrections).text(values.member_text(held))


# --- administrators -----------------------------------------------------------------------------------------------


def administered(member: Membership, typed: str | None = None, fault: str = "") -> Settings:
    """Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    failed = Reminder.objects.filter(organization=member.organization, mail=MailStatus.FAILED, cancelled_at=None)
    rows = failed.select_related("ticket", "member__user").order_by("-made_at")[:FAILURES]
    return Settings(
        typed if typed is not None else str(member.organization.reminder_hours),
        str(FAULTS[fault]) if fault else "",
        tuple(Unmailed(row.member.user.email, row.ticket.protocol, place(row), row.mail_problem, row.made_at) for row in rows),
    )
