"""What people see of their own sign-in, and administrators of how everybody comes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Membership, SingleSignOn
from atendimento.selectors import address_words
from atendimento.selectors.administration import FAULTS
from atendimento.selectors.joining import factor_holders, has_factor
from atendimento.selectors.parts import Problem

SIGN_ON_FAULTS: Final[Mapping[str, Promise]] = {
    **address_words.ADDRESSES,
    "sign_on.unreachable": gettext_lazy("The service did not answer. Nothing was changed."),
    "sign_on.no_service": gettext_lazy("What answers there does not describe an OpenID Connect service."),
    "sign_on.other_issuer": gettext_lazy("The service calls itself by another address. Type exactly the one that it names."),
    "sign_on.no_client": gettext_lazy("Give the client id that the service knows this console by."),
    "sign_on.no_secret": gettext_lazy("Give the client secret."),
    "invitation.member_already": gettext_lazy("You are a member already, or were one. Ask your administrator."),
    "invitation.other_address": gettext_lazy("This link is for another address, or was used meanwhile."),
    "invitation.has_account": gettext_lazy("There is an account with this address. Sign in with it, then open the link again."),
}
BROWSERS: Final = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class SessionRow:
    id: int
    browser: str
    address: str
    since: datetime
    current: bool


@dataclass(frozen=True, slots=True)
class SecurityPage:
    email: str
    sessions: tuple[SessionRow, ...]
    has_factor: bool
    codes_left: int
    factor_required: bool
    by_service: bool  # this session was opened by the organisation's service
    organization: str
    others: int
    ended: str = ""


@dataclass(frozen=True, slots=True)
class SignOnPage:
    issuer: str
    client_id: str
    has_secret: bool
    active: bool
    configured: bool
    callback: str
    entrance: str
    required: bool
    without_factor: tuple[str, ...]  # names of those who would have to set one up
    faults: Mapping[str, str] = field(default_factory=dict)
    problem: Problem | None = None
    saved: str = ""


def fault(code: str) -> str:
    known = {**FAULTS, **SIGN_ON_FAULTS}
    return str(known.get(code, code))


def browser_named(user_agent: str) -> str:
    """A browser and its system in words, as far as they can be told."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), _("Unknown browser"))
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system} if system else browser


def security_page(member: Membership, *, session_key: str, by_service: bool, ended: str = "") -> SecurityPage:
    user = member.user
    rows = UserSession.objects.purge_and_list(user)
    sessions = tuple(
        SessionRow(row.pk, browser_named(row.user_agent), row.ip, row.created_at, row.session_key == session_key)
        for row in sorted(rows, key=lambda row: row.created_at, reverse=True)
    )
    codes = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    return SecurityPage(
        email=user.email,
        sessions=sessions,
        has_factor=has_factor(user),
        codes_left=len(codes.wrap().get_unused_codes()) if codes is not None else 0,
        factor_required=member.organization.requires_second_factor,
        by_service=by_service,
        organization=member.organization.name,
        others=sum(not row.current for row in sessions),
        ended=ended,
    )


def sign_on_page(
    member: Membership,
    *,
    callback: str,
    entrance: str,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    saved: str = "",
) -> SignOnPage:
    """Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    kept = SingleSignOn.objects.filter(organization_id=member.organization_id).first()
    given = typed or {}
    holders = factor_holders(member)
    active = Membership.objects.filter(organization_id=member.organization_id, is_active=True).order_by("name")
    return SignOnPage(
        issuer=given.get("issuer", kept.issuer if kept else ""),
        client_id=given.get("client_id", kept.client_id if kept else ""),
        has_secret=kept is not None,
        active=bool(given.get("active")) if typed is not None else (kept.active if kept else True),
        configured=kept is not None,
        callback=callback,
        entrance=entrance,
        required=member.organization.requires_second_factor,
        without_factor=tuple(row.name for row in active if row.pk not in holders),
        faults=faults or {},
        saved=saved,
    )
