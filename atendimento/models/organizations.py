"""Organisations, the people in them, and the tokens that act for people and integrations.

These rows are read before it is known whose request it is, so row security does not cover them.
"""

from __future__ import annotations

from datetime import time
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower


def working_week() -> list[int]:
    return [0, 1, 2, 3, 4]


class Organization(models.Model):
    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    timezone = models.CharField(max_length=64, default="America/Sao_Paulo")
    language = models.CharField(max_length=10, default="pt-br")
    # Whoever has no second factor is led to setting one up before anything else.
    requires_second_factor = models.BooleanField(default=False)
    reject_reasons = models.JSONField(default=list, blank=True)  # texts, offered by digit when a change is rejected
    # M6: when work is done here. Days of the week from Monday, 0; days off beside the national ones, as {"day", "name"}.
    weekdays = models.JSONField(default=working_week, blank=True)
    opens_at = models.TimeField(default=time(9, 0))
    closes_at = models.TimeField(default=time(18, 0))
    holidays = models.JSONField(default=list, blank=True)
    cause_names = models.JSONField(default=dict, blank=True)  # {cause: its name here}
    # The model: whether personal data leave as placeholders (U2), and what a day of this organisation may cost. Null: no limit.
    masks_personal_data = models.BooleanField(default=True)
    daily_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    daily_cost = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    retention = models.JSONField(default=dict, blank=True)  # L1: {data class: days}; what is not named is kept
    # Working hours before a commitment is due at which its owner is reminded; 0: only when it is due.
    reminder_hours = models.PositiveSmallIntegerField(default=2)
    # Setting up: which of the first steps were passed over, and when it was said to be done. {"passed": [], "finished_at"?}
    first_run = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in by e-mail address; what they may do is said by their membership."""

    email = models.EmailField(max_length=254, unique=True)
    name = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=10, blank=True)  # of pages and mails; empty: the organisation's
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(Lower("email"), name="user_email_unique")]

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.get_full_name()


class Role(models.TextChoices):
    AGENT = "agent"
    SUPERVISOR = "supervisor"
    ADMIN = "admin"


class Membership(models.Model):
    """A person in an organisation. Its id is the author's id of all that the person says there."""

    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(default=True)
    takes_reminder_mails = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "organization"], name="membership_unique"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return self.name


class Scope(models.TextChoices):
    MEMBER = "member"
    INGEST = "ingest"


class ApiToken(models.Model):
    """A bearer token. Only its SHA-256 digest is kept, so a copy of the table opens no door."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="tokens")
    membership = models.ForeignKey(Membership, models.CASCADE, related_name="tokens", null=True, blank=True)
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=20, choices=Scope.choices)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(Membership, models.SET_NULL, related_name="+", null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(scope=Scope.INGEST, membership=None)
                | models.Q(scope=Scope.MEMBER, membership__isnull=False),
                name="token_acts_as_its_scope_says",
            ),
        ]

    def __str__(self) -> str:
        return self.name
