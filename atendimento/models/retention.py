"""What keeps and what ends data: legal holds, runs of retention, requests for erasure, and exports of a customer's data."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Customer, Ticket


class LegalHold(models.Model):
    """That a ticket, or all of a customer's, is kept whatever the periods say, and whoever asks for erasure (L4)."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="holds", null=True, blank=True)
    customer = models.ForeignKey(Customer, models.PROTECT, related_name="holds", null=True, blank=True)
    reason = models.CharField(max_length=300)
    until = models.DateField(null=True, blank=True)  # the last day, in the organisation's zone; null: until it is lifted
    placed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    placed_at = models.DateTimeField()
    lifted_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(ticket=None, customer__isnull=False) | models.Q(ticket__isnull=False, customer=None),
                name="hold_of_one_thing",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-id"], name="hold_standing", condition=models.Q(lifted_at=None))
        ]

    def __str__(self) -> str:
        return str(self.ticket_id or self.customer_id)


class TaskStatus(models.TextChoices):
    """How far a run of retention has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class RetentionRun(models.Model):
    """One run over an organisation's data. What it erased stands in its report, as numbers and protocols."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=TaskStatus.choices, default=TaskStatus.QUEUED)
    periods = DocumentField()  # {class: days} as they were when it began
    started_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)  # null: the clock
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    report = DocumentField()  # {class: {tickets, rows, places: {place: rows}}} so far

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(status__in=TaskStatus.values), name="retention_status_known"),
            models.UniqueConstraint(
                fields=["organization"], condition=~models.Q(status=TaskStatus.DONE), name="retention_one_under_way"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "-created_at"], name="retention_recent")]

    def __str__(self) -> str:
        return str(self.id)


class ErasureStatus(models.TextChoices):
    REQUESTED = "requested"  # waits for an administrator
    REFUSED = "refused"
    APPROVED = "approved"  # owed to a worker
    RUNNING = "running"
    HELD = "held"  # a legal hold stands against it
    DONE = "done"


class ErasureRequest(models.Model):
    """That a customer's data be erased: asked for, decided, done (L2). The row outlives the data, and names nobody."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    customer = models.ForeignKey(Customer, models.PROTECT, related_name="erasures")
    status = models.CharField(max_length=20, choices=ErasureStatus.choices, default=ErasureStatus.REQUESTED)
    reason = models.CharField(max_length=300, blank=True)
    requested_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    requested_at = models.DateTimeField()
    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    refusal = models.CharField(max_length=300, blank=True)  # why it was refused
    finished_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0)  # tickets
    done = models.PositiveIntegerField(default=0)
    report = DocumentField()  # {place: rows} so far

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(status__in=ErasureStatus.values), name="erasure_status_known"),
            models.UniqueConstraint(
                fields=["customer"],
                condition=~models.Q(status__in=[ErasureStatus.REFUSED, ErasureStatus.DONE]),
                name="erasure_one_under_way",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "-requested_at"], name="erasure_recent")]

    def __str__(self) -> str:
        return str(self.id)


class CustomerExport(models.Model):
    """All that is held about a customer, as one file, for a while."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    customer = models.ForeignKey(Customer, models.CASCADE, related_name="exports")
    content = models.BinaryField()  # JSON, UTF-8
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organization", "expires_at"], name="export_expiry")]

    def __str__(self) -> str:
        return str(self.id)
