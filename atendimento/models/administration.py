"""What administrators do: the log of it, and the ticket types that they are drafting."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField
from atendimento.models.organizations import Membership, Organization


class Act(models.TextChoices):
    MEMBER_ADDED = "member_added"
    MEMBER_ROLE = "member_role"
    MEMBER_DEACTIVATED = "member_deactivated"
    MEMBER_REACTIVATED = "member_reactivated"
    TOKEN_CREATED = "token_created"  # noqa: S105 - the name of an act
    TOKEN_REVOKED = "token_revoked"  # noqa: S105
    TYPE_PUBLISHED = "type_published"
    MASKING = "masking"
    BUDGET = "budget"
    MODEL_FORGOTTEN = "model_forgotten"
    MODEL_ENDPOINT = "model_endpoint"
    SETTINGS = "settings"
    FIRST_RUN = "first_run"
    REMINDERS = "reminders"
    INVITED = "invited"
    INVITATION_REVOKED = "invitation_revoked"
    INVITATION_ACCEPTED = "invitation_accepted"
    SIGN_ON = "sign_on"
    SECOND_FACTOR = "second_factor"
    SECOND_FACTOR_RESET = "second_factor_reset"
    SESSIONS_ENDED = "sessions_ended"
    TEAM_CREATED = "team_created"
    TEAM_CHANGED = "team_changed"
    TEAM_ARCHIVED = "team_archived"
    TEAM_RESTORED = "team_restored"
    TEAM_MEMBERS = "team_members"
    RETENTION_SET = "retention_set"
    RETENTION_RUN = "retention_run"
    HOLD_PLACED = "hold_placed"
    HOLD_LIFTED = "hold_lifted"
    ERASURE_REQUESTED = "erasure_requested"
    ERASURE_APPROVED = "erasure_approved"
    ERASURE_REFUSED = "erasure_refused"
    ERASURE_DONE = "erasure_done"
    CUSTOMER_CHANGED = "customer_changed"
    CUSTOMER_EXPORTED = "customer_exported"
    CUSTOMER_EXPORT_READ = "customer_export_read"
    LOG_EXPORTED = "log_exported"
    SENSITIVE_READ = "sensitive_read"


class AdministrativeAct(models.Model):
    """One administrative act, or one reading of what is sensitive, with who and when.

    The application can add rows, and never change or remove one. No row holds words of a message or a value.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)  # null: the clock
    kind = models.CharField(max_length=30, choices=Act.choices)
    subject = models.CharField(max_length=300)  # a person's or token's name, a type's slug
    details = DocumentField()  # {"role": …}, {"scope": …}, {"version": …}, {"on": …}, {"tokens": …, "cost": …}
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=models.Q(kind__in=Act.values), name="act_kind_known")]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-id"], name="act_recent"),
            models.Index(fields=["organization", "kind", "-id"], name="act_of_kind"),
            models.Index(fields=["organization", "member", "-id"], name="act_of_member"),
            models.Index(fields=["organization", "at"], name="act_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class TicketTypeDraft(models.Model):
    """A ticket type that is being edited, valid or not. One a type, shared by the organisation's administrators."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    slug = models.CharField(max_length=100)
    document = DocumentField()
    revision = models.PositiveIntegerField(default=1)  # a form that names an older one was overtaken
    base = models.PositiveIntegerField(default=0)  # the published version when the draft was begun, 0 for none
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "slug"], name="ticket_type_draft_unique"),
        ]

    def __str__(self) -> str:
        return self.slug
