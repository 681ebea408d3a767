"""Who is invited, in which role, and who holds a second factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from allauth.mfa.models import Authenticator
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Invitation, Membership, Role, User

ROLES: Final[Mapping[str, Promise]] = {
    Role.AGENT.value: gettext_lazy("Agent"),
    Role.SUPERVISOR.value: gettext_lazy("Supervisor"),
    Role.ADMIN.value: gettext_lazy("Administrator"),
}


@dataclass(frozen=True, slots=True)
class InvitationRow:
    id: int
    name: str
    email: str
    role: str
    by: str
    expires_at: datetime
    expired: bool


def has_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


def invitations(member: Membership) -> tuple[InvitationRow, ...]:
    """Those that nobody has answered yet, newest first. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    now = timezone.now()
    found = Invitation.objects.select_related("invited_by").filter(
        organization_id=member.organization_id, accepted_at=None, revoked_at=None
    )
    return tuple(
        InvitationRow(
            row.pk, row.name, row.email, str(ROLES[row.role]), row.invited_by.name, row.expires_at, row.expires_at <= now
        )
        for row in found.order_by("-pk")
    )


def factor_holders(member: Membership) -> frozenset[int]:
    """The memberships whose person has a second factor."""
    holding = Authenticator.objects.filter(type=Authenticator.Type.TOTP, user__memberships__organization=member.organization_id)
    users = set(holding.values_list("user_id", flat=True))
    mine = Membership.objects.filter(organization_id=member.organization_id, user_id__in=users)
    return frozenset(mine.values_list("pk", flat=True))
