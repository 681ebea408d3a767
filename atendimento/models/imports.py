"""Conversations that were brought in from a file: the file, how it was understood, and what it became."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket


class ImportStatus(models.TextChoices):
    PREVIEW = "preview"  # understood, nothing written
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


class Import(models.Model):
    """One file. Its row is the lock under which it is written, a slice at a time, and undone."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=ImportStatus.choices, default=ImportStatus.PREVIEW)
    file_name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)  # of the file's bytes: the same file again is this import
    format = models.CharField(max_length=20)
    options = DocumentField()  # how it is read: {date_order, names}
    summary = DocumentField()  # what was understood, as the preview shows it
    plan = DocumentField(null=True)  # what was chosen: {ticket_type, ticket, subject, roles, read}
    total = models.PositiveIntegerField(default=0)  # messages in the file
    done = models.PositiveIntegerField(default=0)  # of these, gone through
    added = models.PositiveIntegerField(default=0)  # of these, new
    problem = DocumentField(null=True)  # {code, data} where it failed
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)  # null: a command
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(status__in=ImportStatus.values), name="import_status_known"),
            models.UniqueConstraint(
                fields=["organization", "digest"],
                condition=models.Q(status__in=[ImportStatus.QUEUED, ImportStatus.RUNNING, ImportStatus.DONE]),
                name="import_file_once",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "-created_at", "-id"], name="import_recent")]

    def __str__(self) -> str:
        return self.file_name


class ImportFile(models.Model):
    """The file as it came: what is read again when the import is written, and what can be looked up afterwards."""

    batch = models.OneToOneField(Import, models.CASCADE, primary_key=True, related_name="file")
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    content = models.BinaryField()

    def __str__(self) -> str:
        return str(self.batch_id)


class ImportedTicket(models.Model):
    """What one conversation of the file became. The ticket is gone where undoing took it away; its protocol stays."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    batch = models.ForeignKey(Import, models.CASCADE, related_name="tickets")
    position = models.PositiveIntegerField()  # of the conversation in the file
    ticket = models.ForeignKey(Ticket, models.SET_NULL, related_name="+", null=True)
    protocol = models.CharField(max_length=30)
    made = models.BooleanField()  # by this import
    added = models.PositiveIntegerField(default=0)
    numbers = DocumentField()  # [[first, last], …] of the messages that this import added

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["batch", "position"], name="imported_ticket_unique")]

    def __str__(self) -> str:
        return self.protocol
