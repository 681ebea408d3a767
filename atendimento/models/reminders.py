"""Reminders of commitments: who was reminded of which one, when it was read, and what became of its mail."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket


class ReminderKind(models.TextChoices):
    BEFORE = "before"  # the organisation's lead time before it is due
    DUE = "due"


class MailStatus(models.TextChoices):
    UNWANTED = "unwanted"  # the person takes no mails
    OWED = "owed"
    SENT = "sent"
    FAILED = "failed"  # given up after all tries


class Reminder(models.Model):
    """One person reminded of one commitment: once before a due date and once when it has come, whoever makes it.

    It holds no words: what is to be done stands in the ticket's state. A due that is moved away cancels it; one that is
    moved back lets it count again.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="reminders")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="reminders")
    commitment = models.CharField(max_length=20)  # its id: c-1
    due = models.CharField(max_length=40)  # as the state has it
    due_at = models.DateTimeField()  # when its day's work, or its moment, is over
    kind = models.CharField(max_length=10, choices=ReminderKind.choices)
    made_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)  # moved, finished, closed, or another's since
    mail = models.CharField(max_length=10, choices=MailStatus.choices)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    mail_problem = models.CharField(max_length=100, blank=True)  # of the last try: the error's kind and code, no text of it
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "commitment", "due", "kind", "member"], name="reminder_once"),
            models.CheckConstraint(condition=models.Q(kind__in=ReminderKind.values), name="reminder_kind_known"),
            models.CheckConstraint(condition=models.Q(mail__in=MailStatus.values), name="reminder_mail_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["member", "-made_at"], name="reminder_live", condition=models.Q(cancelled_at=None)),
            models.Index(
                fields=["organization", "-made_at"], name="reminder_unmailed", condition=models.Q(mail=MailStatus.FAILED)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.commitment} {self.due}"
