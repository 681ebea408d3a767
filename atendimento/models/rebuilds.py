"""Rebuilding a ticket's state (H5): writing it anew from its log, and reading its messages again."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.proposals import Proposal, RunStatus, Waits
from atendimento.models.tickets import Ticket


class RebuildKind(models.TextChoices):
    REPLAY = "replay"  # the stored state was written anew from the log
    MESSAGES = "messages"  # the model reads the messages again, beside the state


class Rebuild(models.Model):
    """One rebuild, kept as the record of it. A reading of messages goes window by window, each a run of its own."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="rebuilds")
    kind = models.CharField(max_length=20, choices=RebuildKind.choices)
    status = models.CharField(max_length=20, choices=RunStatus.choices)
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)  # null: a command
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    base_version = models.PositiveIntegerField(default=0)  # the state that the report compares with
    report = DocumentField(null=True)  # what differs
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="+", null=True, blank=True)
    # How far the reading came.
    total = models.PositiveIntegerField(default=0)  # messages to read
    done = models.PositiveIntegerField(default=0)  # of these, read
    through_message = models.PositiveIntegerField(default=0)  # the last one when it began
    read_through = models.PositiveIntegerField(default=0)  # the last one read
    position = models.PositiveIntegerField(default=0)  # of the window that is read now
    state = DocumentField(null=True)  # the scratch state so far
    # The life of the present window's run, as a proposal's.
    attempts = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    waits_for = models.CharField(max_length=10, choices=Waits.choices, blank=True)
    holder = models.UUIDField(null=True, blank=True)
    run = DocumentField(null=True)
    problem_code = models.CharField(max_length=50, blank=True)
    problem_detail = models.TextField(blank=True)
    usage = DocumentField(null=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=50, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(kind__in=RebuildKind.values), name="rebuild_kind_known"),
            models.CheckConstraint(condition=models.Q(status__in=RunStatus.values), name="rebuild_status_known"),
            models.UniqueConstraint(
                fields=["ticket"],
                condition=models.Q(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]),
                name="rebuild_one_under_way",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["ticket", "-created_at", "-id"], name="rebuild_recent")]

    def __str__(self) -> str:
        return str(self.id)


class RebuildReading(models.Model):
    """One window of a reading: what the model was asked, and what it said, stored before it is used."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    rebuild = models.ForeignKey(Rebuild, models.CASCADE, related_name="readings")
    position = models.PositiveIntegerField()
    through_message = models.PositiveIntegerField()  # the window's last message
    count = models.PositiveIntegerField()  # messages in it
    request = DocumentField()
    context_report = DocumentField()
    raw_answer = models.TextField(blank=True)  # the server's body; empty while there is none

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["rebuild", "position"], name="rebuild_reading_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.rebuild_id} {self.position}"
