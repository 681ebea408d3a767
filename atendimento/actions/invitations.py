"""Inviting people: a link that makes its receiver a member. The link is told once and only its digest is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import MAX_NAME, log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Invitation, Membership, Organization, Role, User

GOOD_FOR: Final = timedelta(days=7)


@transaction.atomic
def invite(*, member: Membership, email: str, name: str, role: str) -> tuple[Invitation, str]:
    """The invitation and the secret of its link. An open one to the same address is replaced: only the newest link works.

    Raises InvalidInput: bad address, no name, unknown role, member already.
    """
    access.require(member, Permission.MANAGE)
    # One after the other: two invitations of one address at once would leave two links.
    Organization.objects.select_for_update().get(pk=member.organization_id)
    name = name.strip()
    try:
        validate_email(email)
    except ValidationError:
        raise invalid("/email", "member.bad_email", "no e-mail address") from None
    if not name or len(name) > MAX_NAME:
        raise invalid("/name", "member.no_name", f"a text of at most {MAX_NAME} characters")
    if role not in Role.values:
        raise invalid("/role", "member.unknown_role", f"must be one of {', '.join(Role.values)}")
    if Membership.objects.filter(organization_id=member.organization_id, user__email__iexact=email).exists():
        raise invalid("/email", "member.there_already", "is a member already")
    now = ledger.now()
    # One that ran out is not open any more, and must make room for the new one all the same.
    Invitation.objects.filter(
        organization_id=member.organization_id, email__iexact=email, accepted_at=None, revoked_at=None
    ).update(revoked_at=now)
    secret = access.new_token()
    made = Invitation.objects.create(
        organization_id=member.organization_id,
        email=email,
        name=name,
        role=role,
        digest=access.token_digest(secret),
        invited_by=member,
        invited_at=now,
        expires_at=now + GOOD_FOR,
    )
    log_act(member=member, kind=Act.INVITED, subject=name, details={"role": role})
    return made, secret


@transaction.atomic
def revoke_invitation(*, member: Membership, invitation_id: int) -> None:
    """Raises NotFound. One that was accepted or revoked stays as it is."""
    access.require(member, Permission.MANAGE)
    rows = Invitation.objects.select_for_update().filter(organization_id=member.organization_id)
    found = rows.filter(pk=invitation_id).first()
    if found is None:
        raise NotFound("invitation")
    if found.revoked_at is not None or found.accepted_at is not None:
        return
    found.revoked_at = ledger.now()
    found.save(update_fields=["revoked_at"])
    log_act(member=member, kind=Act.INVITATION_REVOKED, subject=found.name)


def open_invitation(secret: str) -> Invitation | None:
    """The invitation of a link; None where there is none, or it was used, revoked, or ran out."""
    rows = Invitation.objects.select_related("organization", "invited_by__organization")
    found = rows.filter(digest=access.token_digest(secret)).first()
    return found if found is not None and _is_open(found) else None


def person_of(invitation: Invitation) -> User | None:
    """Whose account the invited address is, where somebody has one."""
    return User.objects.filter(email__iexact=invitation.email).first()


@transaction.atomic
def accept_with_password(*, secret: str, password: str) -> tuple[Membership, User]:
    """Make the account of a person who has none, and the member. Having received the link proves the address.

    Raises NotFound for a link that does not work; InvalidInput: weak password, an account that exists already.
    """
    invitation = _locked(secret)
    if person_of(invitation) is not None:
        raise invalid("/password", "invitation.has_account", "an account exists: sign in with it")
    try:
        validate_password(password, User(email=invitation.email, name=invitation.name))
    except ValidationError:
        raise invalid("/password", "member.weak_password", "too short, too common, or only digits") from None
    user = User.objects.create_user(invitation.email, password, name=invitation.name)
    return _join(invitation, user), user


@transaction.atomic
def accept_as(*, secret: str, user: User) -> Membership:
    """Make the signed-in person a member. Raises NotFound for a link that does not work or is another address'."""
    invitation = _locked(secret)
    if user.email.lower() != invitation.email.lower():
        raise NotFound("invitation")
    return _join(invitation, user)


@transaction.atomic
def member_by_address(*, organization_id: int, email: str) -> Membership | None:
    """Whom the organisation's own sign-in service means by a verified address: a member, or somebody who is invited.

    An invited person joins by it, without a password where the account is new.
    """
    member = (
        Membership.objects.select_related("user", "organization")
        .filter(organization_id=organization_id, user__email__iexact=email)
        .first()
    )
    if member is not None:
        return member if member.is_active else None
    rows = _open(organization_id, email, ledger.now()).select_related("invited_by__organization")
    invitation = rows.select_for_update(of=("self",)).first()
    if invitation is None or not _still_stands(invitation.invited_by):
        return None
    user = person_of(invitation) or User.objects.create_user(invitation.email, None, name=invitation.name)
    return _join(invitation, user)


def _join(invitation: Invitation, user: User) -> Membership:
    """A new member. Whoever is or was one already is no matter of a link: roles and doors are an administrator's.

    Raises InvalidInput.
    """
    if Membership.objects.filter(user=user, organization_id=invitation.organization_id).exists():
        raise invalid("/email", "invitation.member_already", "is or was a member")
    member = Membership.objects.create(
        user=user, organization_id=invitation.organization_id, role=invitation.role, name=invitation.name, is_active=True
    )
    invitation.accepted_at, invitation.accepted_by = ledger.now(), member
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    log_act(member=member, kind=Act.INVITATION_ACCEPTED, subject=invitation.name, details={"role": invitation.role})
    return member


def _locked(secret: str) -> Invitation:
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("organization", "invited_by__organization")
    found = rows.filter(digest=access.token_digest(secret)).first()
    if found is None or not _is_open(found):
        raise NotFound("invitation")
    return found


def _is_open(invitation: Invitation) -> bool:
    used = invitation.accepted_at is not None or invitation.revoked_at is not None
    return not used and invitation.expires_at > ledger.now() and _still_stands(invitation.invited_by)


def _still_stands(inviter: Membership) -> bool:
    """Whether who invited could do so now: what somebody gave out ends with their own rights."""
    return inviter.is_active and access.caller_of(inviter).may(Permission.MANAGE)


def _open(organization_id: int, email: str, now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        organization_id=organization_id, email__iexact=email, accepted_at=None, revoked_at=None, expires_at__gt=now
    )
