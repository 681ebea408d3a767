"""What the console keeps for each member."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket


class Draft(models.Model):
    """A reply or note that is being written; it survives reload, session end and foreign changes."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="drafts")
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="drafts")
    text = models.TextField(blank=True)
    internal = models.BooleanField(default=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["member", "ticket"], name="draft_unique")]

    def __str__(self) -> str:
        return f"{self.member_id} {self.ticket_id}"


class TicketVisit(models.Model):
    """When a member last looked at a ticket, and what they saw: "since you opened" is told from it."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="visits")
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="visits")
    seen_at = models.DateTimeField()
    seen_version = models.PositiveIntegerField(default=0)
    seen_message = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["member", "ticket"], name="visit_unique")]

    def __str__(self) -> str:
        return f"{self.member_id} {self.ticket_id}"


class QueueView(models.Model):
    """A member's own view of the queue: what its address asks for, under a name."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="queue_views")
    name = models.CharField(max_length=60)
    asked = models.JSONField()  # {"view": "mine", "type": …}, as in the address
    position = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["member", "name"], name="queue_view_name_unique")]

    def __str__(self) -> str:
        return self.name


class CannedReply(models.Model):
    """A reply written beforehand. Its places, names in braces, are filled from a ticket's state when it is chosen."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    title = models.CharField(max_length=80)
    text = models.TextField()
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "title"], name="canned_title_unique")]

    def __str__(self) -> str:
        return self.title
