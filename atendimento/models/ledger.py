"""The log of a ticket's state and the projection that replaying it gives."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket


class TicketState(models.Model):
    """What holds now: the fold of all the ticket's events. `atendimento.ledger` alone writes it."""

    ticket = models.OneToOneField(Ticket, models.PROTECT, primary_key=True, related_name="state")
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=0)
    values = DocumentField()
    slots = DocumentField()
    minted = DocumentField()
    head_hash = models.CharField(max_length=64)  # of the last event; the next one's predecessor

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version}"


class LedgerEvent(models.Model):
    """One version of a ticket's state (H1). The application's role may add rows, and neither change nor remove one.

    `content` and `salt` are null once erased; `content_digest`, `previous_hash` and `hash` then still prove the rest.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="events")
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=30)
    actor = DocumentField()  # {"member": id or null, "name"}
    at = models.DateTimeField()
    ticket_type_version = models.PositiveIntegerField()
    content = DocumentField(null=True)  # patch, inverse, slots, touched, cause
    salt = models.BinaryField(null=True)
    content_digest = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    # Worked out from the above when it is written, to find events by; the chain does not cover them.
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True)
    pointers = ArrayField(models.CharField(max_length=250), default=list)  # all that it touched (V2)
    sources = ArrayField(models.CharField(max_length=30), default=list)  # of the slots that it set
    through_message = models.PositiveIntegerField(default=0)  # up to where proposals had read then

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["ticket", "version"], name="ledger_version_unique")]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-at", "-id"], name="ledger_recent"),
            models.Index(fields=["ticket", "-at", "-version"], name="ledger_of_ticket"),
            GinIndex(fields=["pointers"], name="ledger_pointers"),
        ]

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version}"


class StateSnapshot(models.Model):
    """A ticket's state as it was at a version, so that reading the past folds few events. Added, never changed."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="snapshots")
    version = models.PositiveIntegerField()
    values = DocumentField()
    slots = DocumentField()
    minted = DocumentField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["ticket", "version"], name="snapshot_version_unique")]

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version}"
