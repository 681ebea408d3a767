"""Ending sessions, one's own and a member's, and taking a lost second factor away."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import transaction

from atendimento import access
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import end_all_sessions, log_act
from atendimento.models import Act, Membership, User


def end_session(*, user: User, session_id: int) -> None:
    """End one of the person's own sessions. One that has ended already is none of theirs any more: nothing happens."""
    found = UserSession.objects.filter(user=user, pk=session_id).first()
    if found is not None:
        found.end()


def end_other_sessions(*, user: User, current_key: str) -> int:
    """End every session of the person but this one; how many there were."""
    others = list(UserSession.objects.filter(user=user).exclude(session_key=current_key))
    for session in others:
        session.end()
    return len(others)


@transaction.atomic
def end_sessions_of(*, member: Membership, member_id: int) -> None:
    """Sign a member out everywhere. Raises NotFound."""
    access.require(member, Permission.MANAGE)
    found = _colleague(member, member_id)
    end_all_sessions(found.user_id)
    log_act(member=member, kind=Act.SESSIONS_ENDED, subject=found.name)


@transaction.atomic
def reset_second_factor(*, member: Membership, member_id: int) -> None:
    """Take away a second factor that was lost, and sign the person out everywhere.

    Not of a person who is a member elsewhere too: another organisation may rely on that factor. Raises NotFound.
    """
    access.require(member, Permission.MANAGE)
    found = _colleague(member, member_id)
    if Membership.objects.filter(user_id=found.user_id).exclude(pk=found.pk).exists():
        raise NotFound("second_factor")
    removed, _kinds = Authenticator.objects.filter(user_id=found.user_id).delete()
    if not removed:
        return
    end_all_sessions(found.user_id)
    log_act(member=member, kind=Act.SECOND_FACTOR_RESET, subject=found.name)


def _colleague(member: Membership, member_id: int) -> Membership:
    found = Membership.objects.filter(organization_id=member.organization_id, pk=member_id).first()
    if found is None:
        raise NotFound("member")
    return found
