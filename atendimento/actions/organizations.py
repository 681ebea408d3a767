"""Organisations, members and tokens, as the management commands make them. Each call again changes nothing."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction

from atendimento import access
from atendimento.actions.faults import invalid
from atendimento.models import ApiToken, Membership, Organization, Role, Scope, User


@transaction.atomic
def create_organization(*, slug: str, name: str, timezone: str = "America/Sao_Paulo") -> tuple[Organization, bool]:
    """Make an organisation, or bring name and time zone of the existing one up to date. True where it is new."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise invalid("/slug", "organization.bad_slug", "must be letters, digits, - and _") from None
    if timezone not in available_timezones():
        raise invalid("/timezone", "organization.unknown_timezone", f"no such time zone: {timezone}")
    if not name.strip():
        raise invalid("/name", "organization.no_name", "must not be empty")
    return Organization.objects.update_or_create(slug=slug, defaults={"name": name, "timezone": timezone})


@transaction.atomic
def create_member(
    *, organization: Organization, email: str, role: str, name: str, password: str | None
) -> tuple[Membership, bool]:
    """Make a member, or bring role and name up to date. `password` None leaves that of an existing person.

    True where the membership is new. Raises InvalidInput: bad address, unknown role, missing password.
    """
    try:
        validate_email(email)
    except ValidationError:
        raise invalid("/email", "member.bad_email", f"no e-mail address: {email}") from None
    if role not in Role.values:
        raise invalid("/role", "member.unknown_role", f"must be one of {', '.join(Role.values)}")
    user = User.objects.filter(email__iexact=email).first()
    if user is None:
        if password is None:
            raise invalid("/password", "member.no_password", "a new member needs a password")
        user = User.objects.create_user(email, name=name)
    if password is not None:
        _set_password(user, password)
    return Membership.objects.update_or_create(
        user=user, organization=organization, defaults={"role": role, "name": name, "is_active": True}
    )


def _set_password(user: User, password: str) -> None:
    """Whoever has the command line may choose any password; the sign-in pages are stricter."""
    if not password:
        raise invalid("/password", "member.no_password", "a password must not be empty")
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])


@transaction.atomic
def create_api_token(
    *, organization: Organization, name: str, scope: str, member: Membership | None, created_by: Membership | None = None
) -> str:
    """Make a token and return it: the only time that it is seen. `member` is whom a member token acts as."""
    if scope not in Scope.values:
        raise invalid("/scope", "token.unknown_scope", f"must be one of {', '.join(Scope.values)}")
    if not name.strip():
        raise invalid("/name", "token.no_name", "must not be empty")
    token = access.new_token()
    ApiToken.objects.create(
        organization=organization,
        membership=member if scope == Scope.MEMBER else None,
        name=name,
        scope=scope,
        digest=access.token_digest(token),
        created_by=created_by,
    )
    return token
