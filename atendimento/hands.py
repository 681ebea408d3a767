"""In whose hands a ticket is, as a page shows it and a form carries it back; and who can be asked to look at it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from atendimento.models import Membership, Role, Ticket


@dataclass(frozen=True, slots=True)
class Hands:
    """Whose a ticket is: ids of its owner, its team, and of who is asked to look at it."""

    assignee: int | None
    team: int | None
    escalated_to: int | None

    @classmethod
    def of(cls, ticket: Ticket) -> Hands:
        return cls(ticket.assignee_id, ticket.team_id, ticket.escalated_to_id)

    @classmethod
    def read(cls, text: str) -> Hands | None:
        """As a form carries them; None where it carries none."""
        parts = text.split("/")
        if len(parts) != 3 or any(part and not (part.isascii() and part.isdecimal() and len(part) < 18) for part in parts):
            return None
        return cls(*(int(part) if part else None for part in parts))

    def __str__(self) -> str:
        return "/".join("" if part is None else str(part) for part in (self.assignee, self.team, self.escalated_to))


def askable(ticket: Ticket, member: Membership) -> QuerySet[Membership]:
    """To whom `member` can escalate: supervisors, administrators, and who leads the ticket's team."""
    leads = Q(pk__in=ticket.team.members.filter(leads=True).values("member")) if ticket.team is not None else Q(pk=None)
    able = Membership.objects.filter(organization=ticket.organization_id, is_active=True).exclude(pk=member.pk)
    return able.filter(Q(role__in=(Role.SUPERVISOR, Role.ADMIN)) | leads).order_by("name", "pk")
