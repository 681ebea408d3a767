"""What the commands share: a bad input is one clear line and a non-zero exit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from atendimento.actions import InvalidInput
from atendimento.models import Membership, Organization
from memoria.errors import DomainError
from memoria.fields import InvalidTicketType


@contextmanager
def one_line() -> Iterator[None]:
    """Turn a refusal into the one line that the terminal shows."""
    try:
        yield
    except InvalidInput as error:
        raise CommandError("; ".join(f"{fault.pointer.lstrip('/')}: {fault.detail}" for fault in error.faults)) from None
    except InvalidTicketType as error:
        raise CommandError("; ".join(f"{fault.where or '/'}: {fault.detail}" for fault in error.problems)) from None
    except DomainError as error:
        raise CommandError(f"{error.code.value} ({error.rule})") from None


def organization_named(slug: str) -> Organization:
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"there is no organisation {slug!r} (create_organization makes one)")
    return found


def member_with(email: str, organization: Organization) -> Membership:
    found = (
        Membership.objects.select_related("organization", "user")
        .filter(organization=organization, user__email__iexact=email, is_active=True)
        .first()
    )
    if found is None:
        raise CommandError(f"{email} is no member of {organization.slug} (create_member makes one)")
    return found
