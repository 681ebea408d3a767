"""What people fix in the model's view, which words the model was told, and who has read a summary."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Message, Ticket


class MessagePin(models.Model):
    """A message, or a passage of one, that goes into every question about its ticket, letter by letter (N3)."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    message = models.ForeignKey(Message, models.CASCADE, related_name="pins")
    start = models.PositiveIntegerField(null=True, blank=True)  # code points of the passage; null: the whole message
    end = models.PositiveIntegerField(null=True, blank=True)
    pinned_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    pinned_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "start", "end"], name="pin_once", nulls_distinct=False),
            models.CheckConstraint(
                condition=models.Q(start=None, end=None) | models.Q(start__lt=models.F("end")), name="pin_of_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.message_id}[{self.start}:{self.end}]"


class PromptText(models.Model):
    """The instructions of a prompt version, as they were when it was first used here. They hold nothing of a tenant."""

    version = models.CharField(max_length=50)
    language = models.CharField(max_length=20)
    text = models.TextField()
    first_used_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["version", "language"], name="prompt_text_unique")]

    def __str__(self) -> str:
        return f"{self.version} {self.language}"


class BriefReading(models.Model):
    """Somebody has read a ticket's summary at a version, and checked it: a handover that is on record."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="brief_readings")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    version = models.PositiveIntegerField()
    last_message = models.PositiveIntegerField()  # number of the newest message then
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "member", "version", "last_message"], name="brief_read_once")
        ]

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version}"
