"""How people come in: invitations, and an organisation's own sign-in service.

Both are read before it is known whose request it is, so row security does not cover them.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from atendimento.models.organizations import Membership, Organization, Role


class Invitation(models.Model):
    """An address that may become a member. Only the SHA-256 digest of its link is kept."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(Membership, models.SET_NULL, related_name="+", null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
            models.UniqueConstraint(
                "organization",
                Lower("email"),
                name="invitation_open_once",
                condition=models.Q(accepted_at=None, revoked_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} → {self.organization_id}"


class SingleSignOn(models.Model):
    """The OpenID Connect service of one organisation. What it says of a person counts for this organisation alone."""

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="single_sign_on", primary_key=True)
    issuer = models.URLField(max_length=500)  # as the service names itself; its discovery document lies below it
    client_id = models.CharField(max_length=300)
    sealed_secret = models.TextField()  # encrypted by `atendimento.seals`
    sign_in_origin = models.CharField(max_length=500)  # where the browser is sent: scheme, host and port
    active = models.BooleanField(default=True)
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.issuer
