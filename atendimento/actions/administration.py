"""What administrators do to people and tokens. Each act is written into the log in the transaction that does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.backends.cached_db import SessionStore
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.faults import invalid
from atendimento.actions.organizations import create_api_token, create_member
from atendimento.models import Act, AdministrativeAct, ApiToken, Invitation, Membership, Role, Scope, User
from memoria.patch import Json

MAX_NAME: Final = 100


def log_act(*, member: Membership, kind: Act, subject: str, details: Mapping[str, Json] | None = None) -> None:
    """Write down who did what, in the transaction that the caller opened."""
    AdministrativeAct.objects.create(
        organization_id=member.organization_id,
        member=member,
        kind=kind,
        subject=subject[:300],
        details=dict(details or {}),
        at=ledger.now(),
    )


@transaction.atomic
def add_member(*, member: Membership, email: str, name: str, role: str, password: str) -> Membership:
    """Make a person a member, with a first password.

    An account of another organisation is not taken in: its first password was chosen there, so whoever chose it could
    sign in here as well. Whoever runs the installation can add such a person by `create_member`.

    Raises InvalidInput: bad address, no name, unknown role, weak password, member already, account of elsewhere.
    """
    access.require(member, Permission.MANAGE)
    if not name.strip() or len(name) > MAX_NAME:
        raise invalid("/name", "member.no_name", "must be a text")
    _check_role(role)
    try:
        validate_password(password, User(email=email, name=name))
    except ValidationError:
        raise invalid("/password", "member.weak_password", "too short, too common, or only digits") from None
    organization = member.organization
    if Membership.objects.filter(organization=organization, user__email__iexact=email).exists():
        raise invalid("/email", "member.there_already", "is a member already")
    if Membership.objects.filter(user__email__iexact=email).exists():
        raise invalid("/email", "member.elsewhere", "belongs to an account of another organisation")
    made, _new = create_member(organization=organization, email=email, role=role, name=name.strip(), password=password)
    _revoke_invitations(member.organization_id, email)
    log_act(member=member, kind=Act.MEMBER_ADDED, subject=made.name, details={"role": role})
    return made


@transaction.atomic
def change_role(*, member: Membership, member_id: int, role: str) -> None:
    """Raises NotFound; InvalidInput where the role is unknown or the last administrator would be lost."""
    access.require(member, Permission.MANAGE)
    _check_role(role)
    found = _to_change(member, member_id)
    if found.role == role:
        return
    _keep_an_admin(found)
    before, found.role = found.role, role
    found.save(update_fields=["role"])
    log_act(member=member, kind=Act.MEMBER_ROLE, subject=found.name, details={"before": before, "role": role})


@transaction.atomic
def deactivate_member(*, member: Membership, member_id: int) -> None:
    """Shut a person out: their tokens are revoked and every session of theirs ends. Their words and history stay.

    Raises NotFound; InvalidInput where the last administrator would be lost.
    """
    access.require(member, Permission.MANAGE)
    found = _to_change(member, member_id)
    if not found.is_active:
        return
    _keep_an_admin(found)
    found.is_active = False
    found.save(update_fields=["is_active"])
    _revoke_invitations(member.organization_id, found.user.email)
    revoked = ApiToken.objects.filter(membership=found, revoked_at=None).update(revoked_at=ledger.now())
    log_act(member=member, kind=Act.MEMBER_DEACTIVATED, subject=found.name, details={"tokens": revoked})
    end_all_sessions(found.user_id)


@transaction.atomic
def reactivate_member(*, member: Membership, member_id: int) -> None:
    """Let a person in again, in their role; their tokens stay revoked. Raises NotFound."""
    access.require(member, Permission.MANAGE)
    found = _to_change(member, member_id)
    if found.is_active:
        return
    found.is_active = True
    found.save(update_fields=["is_active"])
    log_act(member=member, kind=Act.MEMBER_REACTIVATED, subject=found.name, details={"role": found.role})


@transaction.atomic
def create_token(*, member: Membership, name: str, scope: str) -> str:
    """Make a token and return it, the only time that it is seen. One of the scope `member` acts as its maker.

    Raises InvalidInput: no name, unknown scope.
    """
    access.require(member, Permission.MANAGE)
    if len(name) > MAX_NAME:
        raise invalid("/name", "token.no_name", f"at most {MAX_NAME} characters")
    made = create_api_token(
        organization=member.organization,
        name=name.strip(),
        scope=scope,
        member=member if scope == Scope.MEMBER else None,
        created_by=member,
    )
    log_act(member=member, kind=Act.TOKEN_CREATED, subject=name.strip(), details={"scope": scope})
    return made


@transaction.atomic
def revoke_token(*, member: Membership, token_id: int) -> None:
    """Raises NotFound. A revoked one stays so."""
    access.require(member, Permission.MANAGE)
    found = ApiToken.objects.select_for_update().filter(organization_id=member.organization_id, pk=token_id).first()
    if found is None:
        raise NotFound("token")
    if found.revoked_at is not None:
        return
    found.revoked_at = ledger.now()
    found.save(update_fields=["revoked_at"])
    log_act(member=member, kind=Act.TOKEN_REVOKED, subject=found.name, details={"scope": found.scope})


def _revoke_invitations(organization_id: int, email: str) -> None:
    """Links that are still out for this address open nothing any more."""
    unanswered = Invitation.objects.filter(organization_id=organization_id, accepted_at=None, revoked_at=None)
    unanswered.filter(email__iexact=email).update(revoked_at=ledger.now())


def _check_role(role: str) -> None:
    if role not in Role.values:
        raise invalid("/role", "member.unknown_role", f"must be one of {', '.join(Role.values)}")


def _to_change(member: Membership, member_id: int) -> Membership:
    """The member, locked together with the organisation's administrators, so that two cannot remove each other."""
    rows = Membership.objects.select_for_update().filter(organization_id=member.organization_id)
    locked = list(rows.order_by("pk"))
    found = next((row for row in locked if row.pk == member_id), None)
    if found is None:
        raise NotFound("member")
    return found


def _keep_an_admin(leaving: Membership) -> None:
    if leaving.role != Role.ADMIN or not leaving.is_active:
        return
    others = Membership.objects.filter(organization_id=leaving.organization_id, role=Role.ADMIN, is_active=True)
    if not others.exclude(pk=leaving.pk).exists():
        raise invalid("/role", "member.last_admin", "is the only administrator")


def end_all_sessions(user_id: int) -> None:
    """A session names its person only inside of what it holds, so each that is alive is looked into."""
    for session in Session.objects.filter(expire_date__gt=ledger.now()).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user_id):
            SessionStore(session.session_key).delete()
    UserSession.objects.filter(user_id=user_id).delete()
