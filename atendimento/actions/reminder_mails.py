"""A reminder's mail: claimed by one worker, sent outside of any transaction, tried again, and given up visibly.

Between a mail server's yes and our note of it a worker may die; the mail then goes twice, under the same Message-ID.
"""

from __future__ import annotations

import smtplib
import uuid
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Final
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone, translation

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.models import MailStatus, Membership, OutboxEntry, Reminder
from atendimento.selectors import reminders as words

log = structlog.get_logger("atendimento.reminders")

MAX_TRIES: Final = 8
"""With the waits between them, about two hours."""
FIRST_WAIT: Final = timedelta(seconds=30)
LEASE: Final = timedelta(minutes=2)
"""A worker that has not told by then what came of a mail is taken for dead; a try takes EMAIL_TIMEOUT at most."""

UNFINISHED: Final = "unfinished"
"""The problem of a mail whose tries all ended before they could tell what came of them."""


def mail_reminder(*, organization_id: int, reminder_id: uuid.UUID) -> None:
    """Send the mail of a reminder, if it is still owed and its time has come.

    A try is counted before it is made: whatever ends it, a fault of ours or the worker's death, it is not made for ever.
    """
    claimed = _claim(reminder_id)
    if claimed is None:
        return
    try:
        _letter(claimed).send()
    except (smtplib.SMTPException, OSError, ValueError) as error:  # ValueError: a header or address that cannot be written
        _failed(claimed.pk, error)
    else:
        _sent(claimed.pk)


@transaction.atomic
def _claim(reminder_id: uuid.UUID) -> Reminder | None:
    """The reminder, leased to this worker; None where there is nothing to send, or another one is at it."""
    rows = Reminder.objects.select_for_update(of=("self",)).select_related("ticket", "member__user", "organization")
    row = rows.filter(pk=reminder_id).first()
    moment = ledger.now()
    if row is None or row.mail != MailStatus.OWED:
        jobs.settle(jobs.MAIL_REMINDER, reminder_id)
        return None
    if OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER, subject=reminder_id, due_at__gt=moment).exists():
        return None
    gone = row.cancelled_at is not None or row.read_at is not None
    gone = gone or not access.visible_tickets(row.member).filter(pk=row.ticket_id).exists()
    if gone or not (row.member.takes_reminder_mails and row.member.is_active and row.member.user.is_active):
        Reminder.objects.filter(pk=row.pk).update(mail=MailStatus.UNWANTED)
        jobs.settle(jobs.MAIL_REMINDER, reminder_id)
        return None
    if row.mail_tries >= MAX_TRIES:  # the last one ended without a word of what came of it
        _give_up(row)
        return None
    row.mail_tries += 1
    row.save(update_fields=["mail_tries"])
    jobs.postpone(jobs.MAIL_REMINDER, reminder_id, moment + LEASE, moment)
    return row


def _letter(row: Reminder) -> EmailMessage:
    """The mail in its reader's language and the organisation's time."""
    organization = row.organization
    language = row.member.user.language or organization.language
    with translation.override(language), timezone.override(ZoneInfo(organization.timezone)):
        subject, body = words.mail(row)
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].partition("@")[2] or "localhost"
    return EmailMessage(
        subject,
        body,
        to=[row.member.user.email],
        headers={
            "Message-ID": f"<reminder-{row.pk}@{host}>",
            "Auto-Submitted": "auto-generated",
            "Content-Language": language,
        },
    )


@transaction.atomic
def _sent(reminder_id: uuid.UUID) -> None:
    Reminder.objects.filter(pk=reminder_id).update(mail=MailStatus.SENT, mailed_at=ledger.now(), mail_problem="")
    jobs.settle(jobs.MAIL_REMINDER, reminder_id)


@transaction.atomic
def _failed(reminder_id: uuid.UUID, error: Exception) -> None:
    """Try again later, each time after twice as long; or give up, so that it is seen."""
    row = Reminder.objects.select_for_update().get(pk=reminder_id)
    moment = ledger.now()
    row.mail_problem = _problem(error)
    if row.mail_tries >= MAX_TRIES:
        _give_up(row)
        return
    jobs.owe(jobs.MAIL_REMINDER, reminder_id, row.organization_id, _next_try(row.mail_tries, moment), moment)
    row.save(update_fields=["mail_problem"])
    _tell(row)


def _give_up(row: Reminder) -> None:
    """Owe the mail no more, in the transaction that the caller opened; its reader and the administrators see that."""
    row.mail, row.mail_problem = MailStatus.FAILED, row.mail_problem or UNFINISHED
    row.save(update_fields=["mail", "mail_problem"])
    jobs.settle(jobs.MAIL_REMINDER, row.pk)
    _tell(row)


def _tell(row: Reminder) -> None:
    log.warning("reminder not mailed", reminder=str(row.pk), problem=row.mail_problem, tries=row.mail_tries)


def _next_try(tries: int, moment: datetime) -> datetime:
    return moment + FIRST_WAIT * int(2 ** (tries - 1))


def _problem(error: Exception) -> str:
    """The kind of the error and the server's code. Its text is not kept: it may quote an address."""
    code = getattr(error, "smtp_code", None) or getattr(error, "errno", None)
    return f"{type(error).__name__} {code}" if code else type(error).__name__


@transaction.atomic
def mail_again(*, member: Membership) -> int:
    """Owe all mails once more that were given up, in the administrator's organisation; how many."""
    access.require(member, Permission.MANAGE)
    rows = Reminder.objects.select_for_update().filter(organization_id=member.organization_id, mail=MailStatus.FAILED)
    found = list(rows.filter(cancelled_at=None).values_list("pk", flat=True))
    Reminder.objects.filter(pk__in=found).update(mail=MailStatus.OWED, mail_tries=0)
    moment = ledger.now()
    for reminder_id in found:
        jobs.owe(jobs.MAIL_REMINDER, reminder_id, member.organization_id, moment, moment)
    return len(found)
