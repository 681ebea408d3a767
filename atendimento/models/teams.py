"""Teams of an organisation, who is in them, and the book of who handed which ticket to whom."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from atendimento.models.organizations import Membership, Organization


class Team(models.Model):
    """A sector of the organisation. Its tickets are its members' alone, unless it is open to all (see access)."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="teams")
    slug = models.SlugField(max_length=100)
    name = models.CharField(max_length=100)
    open_to_all = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)  # takes no more tickets, and keeps those that it has
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "slug"], name="team_slug_unique"),
            models.UniqueConstraint("organization", Lower("name"), name="team_name_unique"),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="teams")
    leads = models.BooleanField(default=False)  # tickets of the team can be escalated to them, whatever their role

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "member"], name="team_member_unique")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.member_id}"


class HandingKind(models.TextChoices):
    ASSUMED = "assumed"  # somebody took it
    RELEASED = "released"  # it has no owner any more
    TRANSFERRED = "transferred"  # to a person, a team, or both
    ESCALATED = "escalated"  # a supervisor is asked; the owner stays
    ANSWERED = "answered"  # the supervisor answered


class Handing(models.Model):
    """One change of a ticket's hands. The application can add rows, and never change or remove one.

    `to_member` and `to_team` are what the ticket had after it, `from_member` and `from_team` what it had before; of an
    escalation and its answer, `to_member` is who is asked, or who had asked.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey("Ticket", models.PROTECT, related_name="handings")
    kind = models.CharField(max_length=20, choices=HandingKind.choices)
    by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    from_member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True)
    to_member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True)
    from_team = models.ForeignKey(Team, models.PROTECT, related_name="+", null=True)
    to_team = models.ForeignKey(Team, models.PROTECT, related_name="+", null=True)
    note = models.ForeignKey("Message", models.PROTECT, related_name="+", null=True)  # the internal note that came with it
    after_message = models.PositiveIntegerField(default=0)  # the last message then: it is told after that one
    key = models.UUIDField(null=True)  # of the form that it came by: pressed twice, it is one

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "key"], name="handing_once"),
            models.CheckConstraint(condition=models.Q(kind__in=HandingKind.values), name="handing_kind_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["ticket", "after_message", "id"], name="handing_of_ticket")]

    def __str__(self) -> str:
        return f"{self.ticket_id} {self.kind}"
