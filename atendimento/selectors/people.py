"""Who is signed in, as the console's bar names them."""

from __future__ import annotations

from dataclasses import dataclass

from atendimento.models import Membership
from atendimento.selectors import values


@dataclass(frozen=True, slots=True)
class Me:
    id: int
    name: str
    initials: str
    organization: str
    organization_id: int


def me(member: Membership) -> Me:
    """The member as the page names them."""
    return Me(member.pk, member.name, values.initials(member.name), member.organization.name, member.organization_id)
