"""Changing a ticket type's rules: drafts tried on past decisions, and what publishing makes of values that no longer fit."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket, TicketTypeVersion


class WorkStatus(models.TextChoices):
    """How far a task over many tickets has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


class Simulation(models.Model):
    """A draft tried on decisions of the past, ticket by ticket. It writes to no ticket, and keeps none of their words."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    slug = models.CharField(max_length=100)  # the ticket type's
    document = DocumentField()  # the draft as it is tried
    digest = models.CharField(max_length=64)  # of the document: where the draft's is another, the outcome is stale
    scope = DocumentField()  # {"last": 500}, or {"from": date, "to": date}
    status = models.CharField(max_length=20, choices=WorkStatus.choices, default=WorkStatus.QUEUED)
    plan = DocumentField()  # [[ticket, [versions]]], in the order of the work
    position = models.PositiveIntegerField(default=0)  # in the plan: what is before it is done
    total = models.PositiveIntegerField(default=0)  # decisions of the plan
    done = models.PositiveIntegerField(default=0)  # of these, looked at
    different = models.PositiveIntegerField(default=0)  # of these, those that would be decided otherwise
    incomparable = models.PositiveIntegerField(default=0)  # of these, those whose words or event are gone
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(status__in=WorkStatus.values), name="simulation_status_known"),
            models.UniqueConstraint(
                fields=["organization", "slug"],
                condition=models.Q(status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]),
                name="simulation_one_under_way",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "slug", "-created_at", "-id"], name="simulation_recent")]

    def __str__(self) -> str:
        return f"{self.slug} {self.id}"


class SimulationDifference(models.Model):
    """One act of one decision that the draft would answer otherwise: where it is found again, and how it differs.

    Codes alone: what was said and held is read from the ticket when the row is opened.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    simulation = models.ForeignKey(Simulation, models.CASCADE, related_name="differences")
    ticket = models.ForeignKey(Ticket, models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()  # that the decision made
    place = models.PositiveIntegerField()  # among the decision's acts
    act = models.CharField(max_length=20)
    pointer = models.CharField(max_length=250)
    kind = models.CharField(max_length=40)  # "allowed>conflict", "cascade", "source"
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["simulation", "ticket", "version", "place"], name="simulation_difference_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["simulation", "-at", "-id"], name="simulation_difference_recent")]

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version}: {self.kind}"


class Publication(models.Model):
    """What the publishing of a version does to tickets, one after the other: misfits settled, undecided changes judged anew."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    version = models.OneToOneField(TicketTypeVersion, models.PROTECT, related_name="publication")
    choices = DocumentField()  # [{"group", "why", "fate"}]: what is not named becomes what T2 proposes first
    closed = models.BooleanField(default=False)  # closed tickets too
    status = models.CharField(max_length=20, choices=WorkStatus.choices, default=WorkStatus.QUEUED)
    after = models.UUIDField(null=True, blank=True)  # the last ticket that is done, in the order of ids
    total = models.PositiveIntegerField(default=0)  # tickets when it began
    done = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)  # tickets that got an event
    withdrawn = models.PositiveIntegerField(default=0)  # values
    doubted = models.PositiveIntegerField(default=0)  # values
    judged = models.PositiveIntegerField(default=0)  # undecided changes whose verdict came out otherwise
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(status__in=WorkStatus.values), name="publication_status_known"),
        ]

    def __str__(self) -> str:
        return str(self.version_id)
