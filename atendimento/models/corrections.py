"""Corrections, one row each, so that they are found across tickets; and what supervisors say of their causes."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import ValueField
from atendimento.models.ledger import LedgerEvent
from atendimento.models.organizations import Membership, Organization
from atendimento.models.proposals import ProposedChange
from atendimento.models.tickets import Ticket
from memoria.causes import Act, Cause


class Correction(models.Model):
    """One value that an event corrected. Written with the event; the application may change `cause`, and nothing else.

    It holds values: what is erased from the event is to be erased here.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="corrections")
    # Without a constraint: what becomes of the ledger's rows is for its proof to find, not for this table to hinder.
    event = models.ForeignKey(LedgerEvent, models.PROTECT, related_name="corrections", db_constraint=False)
    position = models.PositiveIntegerField()  # among those of the event
    version = models.PositiveIntegerField()
    at = models.DateTimeField()
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True)  # null: the system
    change = models.ForeignKey(ProposedChange, models.PROTECT, related_name="+", null=True)
    act = models.CharField(max_length=20, choices=[(item.value, item.value) for item in Act])
    pointer = models.CharField(max_length=250)
    label = models.TextField()  # the field's, or the member's own words
    old = ValueField()
    new = ValueField()
    old_source = models.CharField(max_length=30, blank=True)
    source = models.CharField(max_length=30, blank=True)
    verdict = models.CharField(max_length=20, blank=True)
    override = models.TextField(blank=True)  # the written reason; empty: none was needed
    reason = models.TextField(blank=True)
    message = models.PositiveIntegerField(null=True)  # the number of the message to look at
    proposed_cause = models.CharField(max_length=20, blank=True)  # by rule; empty: the rule knows none
    cause = models.CharField(max_length=20, blank=True)  # as it stands: the rule's, or the last one chosen
    # What is looked for by its letters: folded, as the filter folds what was typed.
    folded_label = models.TextField()
    folded_old = models.TextField(blank=True)
    folded_new = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "position"], name="correction_position_unique"),
            models.CheckConstraint(condition=models.Q(act__in=[item.value for item in Act]), name="correction_act_known"),
            models.CheckConstraint(
                condition=models.Q(cause__in=["", *(item.value for item in Cause)]), name="correction_cause_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-at", "-id"], name="correction_recent"),
            models.Index(fields=["organization", "pointer", "-at", "-id"], name="correction_of_field"),
            models.Index(fields=["organization", "member", "-at", "-id"], name="correction_of_member"),
            models.Index(fields=["organization", "source", "-at", "-id"], name="correction_of_source"),
            models.Index(fields=["organization", "act", "-at", "-id"], name="correction_of_act"),
            models.Index(fields=["organization", "cause", "-at", "-id"], name="correction_of_cause"),
            models.Index(fields=["organization", "-at", "-id"], name="correction_overrides", condition=~models.Q(override="")),
        ]

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.version} {self.pointer}"


class CauseChoice(models.Model):
    """That a person said what a correction's cause is. Added, never changed: the last one holds."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    correction = models.ForeignKey(Correction, models.PROTECT, related_name="choices")
    cause = models.CharField(max_length=20, choices=[(item.value, item.value) for item in Cause])
    by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(cause__in=[item.value for item in Cause]), name="cause_choice_known")
        ]
        indexes: ClassVar = [models.Index(fields=["correction", "-id"], name="cause_choice_of")]

    def __str__(self) -> str:
        return f"{self.correction_id}: {self.cause}"
