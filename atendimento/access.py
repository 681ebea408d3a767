"""Who may do what, and the only way to a row: this row for this caller, or refused.

What belongs to another organisation is not there: it is answered exactly as what does not exist. Within one, agents
see the tickets of their teams, those without a team, those of teams that are open to all, and those that are assigned or
escalated to them; supervisors and administrators see all (decision 0034). Every query for tickets begins with `visible`
or `visible_tickets`.
"""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from atendimento.models import (
    ApiToken,
    Correction,
    Customer,
    Import,
    Membership,
    Message,
    Organization,
    Proposal,
    ProposedChange,
    QueueView,
    Rebuild,
    Reminder,
    Role,
    Scope,
    Team,
    TeamMember,
    Ticket,
    TicketType,
    User,
)
from memoria.errors import Code, DomainError
from memoria.evidence import message_number
from memoria.sources import Actor


class NotFound(Exception):
    """No such thing in this organisation. `what` is the kind of thing, for the log and the answer's title."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Permission(StrEnum):
    READ_MESSAGES = "read_messages"
    READ = "read"  # state, proposals, history of a ticket
    CREATE_TICKETS = "create_tickets"
    CHANGE_TICKETS = "change_tickets"  # status, assignee, team, subject
    WRITE_REPLIES = "write_replies"  # messages of the kind agent, as oneself
    DELIVER_MESSAGES = "deliver_messages"  # of any author kind; edits and deletions by the channel
    DECIDE = "decide"
    SEE_ALL_TICKETS = "see_all_tickets"  # those of every team
    OVERRIDE = "override"
    UNDO_ANY = "undo_any"
    READ_ALL_HISTORY = "read_all_history"
    APPROVE_LEARNINGS = "approve_learnings"
    REQUEST_ERASURE = "request_erasure"
    IMPORT = "import"  # conversations from files
    REBUILD = "rebuild"  # have a ticket's messages read again
    EDIT_CANNED = "edit_canned"  # the organisation's canned replies
    PUBLISH_TYPES = "publish_types"
    MANAGE = "manage"  # members, tokens, sources, webhooks, retention, model settings


_AGENT: Final = frozenset(
    {
        Permission.READ_MESSAGES,
        Permission.READ,
        Permission.CREATE_TICKETS,
        Permission.CHANGE_TICKETS,
        Permission.WRITE_REPLIES,
        Permission.DECIDE,
    }
)
_SUPERVISOR: Final = _AGENT | {
    Permission.SEE_ALL_TICKETS,
    Permission.OVERRIDE,
    Permission.UNDO_ANY,
    Permission.READ_ALL_HISTORY,
    Permission.APPROVE_LEARNINGS,
    Permission.REQUEST_ERASURE,
    Permission.IMPORT,
    Permission.REBUILD,
    Permission.EDIT_CANNED,
}
PERMISSIONS: Final[Mapping[str, frozenset[Permission]]] = {
    Role.AGENT.value: _AGENT,
    Role.SUPERVISOR.value: _SUPERVISOR,
    Role.ADMIN.value: _SUPERVISOR | {Permission.PUBLISH_TYPES, Permission.MANAGE},
}
INGEST_PERMISSIONS: Final = frozenset({Permission.READ_MESSAGES, Permission.CREATE_TICKETS, Permission.DELIVER_MESSAGES})


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever stands at a door: a member, or an integration (`member` None)."""

    organization: Organization
    member: Membership | None
    source: str  # under which its external ids are unique
    token_id: int | None = None

    def may(self, permission: Permission) -> bool:
        held = INGEST_PERMISSIONS if self.member is None else PERMISSIONS[self.member.role]
        return permission in held

    def require(self, permission: Permission) -> None:
        """Raises DomainError `permission.denied`."""
        if not self.may(permission):
            raise DomainError(Code.PERMISSION_DENIED, "§3", permission=permission.value)


def caller_of(member: Membership) -> Caller:
    """A member who acts in the console."""
    return Caller(member.organization, member, "console")


def require(member: Membership, permission: Permission) -> None:
    """Raises DomainError `permission.denied` unless the member's role holds the permission."""
    caller_of(member).require(permission)


def actor_of(member: Membership) -> Actor:
    """The member as the domain knows them; the id makes their statements and messages theirs."""
    held = PERMISSIONS[member.role]
    return Actor(str(member.pk), member.name, Permission.OVERRIDE in held, Permission.UNDO_ANY in held)


# --- who is it? ---------------------------------------------------------------------------------------------------


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A bearer token with 256 random bits."""
    return "lastro_" + secrets.token_urlsafe(32)


def bearer(token: str) -> Caller | None:
    """Whom this token acts for; None where it is unknown, revoked, or its member is inactive."""
    found = (
        ApiToken.objects.select_related("organization", "membership__organization", "membership__user")
        .filter(digest=token_digest(token), revoked_at=None)
        .first()
    )
    if found is None:
        return None
    member = found.membership
    if found.scope == Scope.INGEST:
        return Caller(found.organization, None, f"ingest:{found.name}", found.pk)
    if member is None or not (member.is_active and member.user.is_active):
        return None
    if member.organization_id != found.organization_id:
        return None
    return Caller(found.organization, member, f"member:{member.pk}", found.pk)


def membership_of(user: User | AnonymousUser, chosen: int | None = None, *, within: int | None = None) -> Membership | None:
    """The membership that a signed-in person works under: the one chosen last, else the oldest.

    `within` is the only organisation that counts, where the session is good for one alone.
    """
    if not user.is_authenticated:
        return None
    active = Membership.objects.select_related("organization", "user").filter(user=user, is_active=True)
    memberships = list((active if within is None else active.filter(organization_id=within)).order_by("pk"))
    return next((item for item in memberships if item.pk == chosen), memberships[0] if memberships else None)


def team(organization: Organization, team_id: int) -> Team:
    """The team, archived or not. Raises NotFound."""
    found = Team.objects.filter(organization=organization, pk=team_id).first()
    if found is None:
        raise NotFound("team")
    return found


def team_named(organization: Organization, reference: str) -> Team | None:
    """A team that takes tickets, by its name or slug, however the letters are written."""
    named = Team.objects.filter(Q(name__iexact=reference) | Q(slug=reference.lower()), organization=organization)
    return named.filter(archived_at=None).order_by("pk").first()


def member_named(organization: Organization, reference: str) -> Membership | None:
    """An active member by id or e-mail address."""
    members = Membership.objects.filter(organization=organization, is_active=True)
    if reference.isascii() and reference.isdecimal() and len(reference) < 18:
        return members.filter(pk=int(reference)).first()
    return members.filter(user__email__iexact=reference).first()


# --- whose tickets? -----------------------------------------------------------------------------------------------

Reader = Membership | Caller | Organization
"""For whom a row is looked up: a member, an integration, or the organisation where the system itself works."""

NO_TEAM: Final = 0
"""The lane of a ticket without a team."""


def organization_of(reader: Reader) -> Organization:
    return reader if isinstance(reader, Organization) else reader.organization


def _limited(reader: Reader) -> Membership | None:
    """The member whose view ends at their teams; None for whoever sees all of the organisation's tickets."""
    member = reader if isinstance(reader, Membership) else None if isinstance(reader, Organization) else reader.member
    return None if member is None or Permission.SEE_ALL_TICKETS in PERMISSIONS[member.role] else member


def _teams_of(member: Membership) -> QuerySet[Team]:
    mine = TeamMember.objects.filter(member=member).values("team")
    return Team.objects.filter(Q(open_to_all=True) | Q(pk__in=mine), organization=member.organization_id)


def visible(reader: Reader, prefix: str = "") -> Q:
    """The condition on tickets, or on rows with a ticket behind `prefix` (`ticket__`), that the reader sees."""
    member = _limited(reader)
    whose = Q(**{f"{prefix}organization": organization_of(reader).pk})
    if member is None:
        return whose
    return whose & (
        Q(**{f"{prefix}lane": NO_TEAM})
        | Q(**{f"{prefix}lane__in": _teams_of(member).values("pk")})
        | Q(**{f"{prefix}assignee": member.pk})
        | Q(**{f"{prefix}escalated_to": member.pk})
    )


def visible_tickets(reader: Reader) -> QuerySet[Ticket]:
    """The tickets that the reader sees: what every list, search and count of tickets begins with."""
    return Ticket.objects.filter(visible(reader))


def lanes(reader: Reader) -> tuple[int, ...] | None:
    """The teams' ids, and `NO_TEAM`, whose tickets the reader sees whoever owns them; None: those of all."""
    member = _limited(reader)
    return None if member is None else (NO_TEAM, *_teams_of(member).order_by("pk").values_list("pk", flat=True))


# --- rows ---------------------------------------------------------------------------------------------------------


def _uuid(reference: str | uuid.UUID, what: str) -> uuid.UUID:
    try:
        return reference if isinstance(reference, uuid.UUID) else uuid.UUID(reference)
    except ValueError:
        raise NotFound(what) from None


def ticket(reader: Reader, ticket_id: str | uuid.UUID) -> Ticket:
    """The ticket to read. Raises NotFound."""
    found = (
        Ticket.objects.select_related(
            "organization",
            "ticket_type",
            "customer",
            "assignee",
            "team",
            "escalated_to",
            "split_from",
            "merged_into",
            "merged_by",
        )
        .filter(visible(reader), pk=_uuid(ticket_id, "ticket"))
        .first()
    )
    if found is None:
        raise NotFound("ticket")
    return found


def ticket_to_change(reader: Reader, ticket_id: str | uuid.UUID) -> Ticket:
    """The ticket, locked until the transaction ends (V3). Raises NotFound, and DomainError `ticket.erased` (L2).

    What is read of other rows must be read after this: a join would show them as they were before the wait.
    """
    try:
        found = Ticket.objects.select_for_update().get(visible(reader), pk=_uuid(ticket_id, "ticket"))
    except Ticket.DoesNotExist:
        raise NotFound("ticket") from None
    if found.erased_at is not None:
        raise DomainError(Code.TICKET_ERASED, "L2", protocol=found.protocol)
    found.organization = organization_of(reader)
    return found


def ticket_to_erase(organization: Organization, ticket_id: uuid.UUID) -> Ticket:
    """The ticket, locked until the transaction ends, erased before or not. Raises NotFound."""
    found = Ticket.objects.select_for_update().filter(organization=organization, pk=ticket_id).first()
    if found is None:
        raise NotFound("ticket")
    found.organization = organization
    return found


def message(ticket_row: Ticket, reference: str) -> Message:
    """The message of this ticket with this id (`m-3`). Raises NotFound."""
    number = message_number(reference)
    found = None if number is None else Message.objects.filter(ticket=ticket_row, number=number).first()
    if found is None:
        raise NotFound("message")
    return found


def proposal(reader: Reader, proposal_id: str | uuid.UUID) -> Proposal:
    """The proposal to read, of a ticket that the reader sees. Raises NotFound."""
    found = Proposal.objects.filter(visible(reader, "ticket__"), pk=_uuid(proposal_id, "proposal")).first()
    if found is None:
        raise NotFound("proposal")
    return found


def change(reader: Reader, change_id: str | uuid.UUID) -> ProposedChange:
    """The change to read, of a ticket that the reader sees. Raises NotFound."""
    found = ProposedChange.objects.filter(visible(reader, "ticket__"), pk=_uuid(change_id, "change")).first()
    if found is None:
        raise NotFound("change")
    return found


def queue_view(member: Membership, view_id: int) -> QueueView:
    """The member's own view of the queue. Raises NotFound, and DomainError `permission.denied` for a colleague's."""
    found = QueueView.objects.filter(organization=member.organization_id, pk=view_id).first()
    if found is None:
        raise NotFound("view")
    if found.member_id != member.pk:
        raise DomainError(Code.PERMISSION_DENIED, "§3", permission=Permission.READ.value)
    return found


def ticket_type(organization: Organization, slug: str) -> TicketType:
    """The ticket type with its published version. Raises NotFound."""
    found = (
        TicketType.objects.select_related("published__published_by")
        .filter(organization=organization, slug=slug, published__isnull=False)
        .first()
    )
    if found is None:
        raise NotFound("ticket type")
    return found


def import_batch(organization: Organization, import_id: str | uuid.UUID) -> Import:
    """The import to read. Raises NotFound."""
    found = Import.objects.filter(organization=organization, pk=_uuid(import_id, "import")).first()
    if found is None:
        raise NotFound("import")
    return found


def rebuild(ticket_row: Ticket, rebuild_id: str | uuid.UUID) -> Rebuild:
    """The rebuild of this ticket. Raises NotFound."""
    found = Rebuild.objects.filter(ticket=ticket_row, pk=_uuid(rebuild_id, "rebuild")).first()
    if found is None:
        raise NotFound("rebuild")
    return found


def reminder(member: Membership, reminder_id: str | uuid.UUID) -> Reminder:
    """The member's own reminder. Raises NotFound, and DomainError `permission.denied` for a colleague's."""
    found = Reminder.objects.filter(organization_id=member.organization_id, pk=_uuid(reminder_id, "reminder")).first()
    if found is None:
        raise NotFound("reminder")
    if found.member_id != member.pk:
        raise DomainError(Code.PERMISSION_DENIED, "§3", permission=Permission.READ.value)
    return found


def customer(organization: Organization, customer_id: str | uuid.UUID) -> Customer:
    """The customer to read. Raises NotFound."""
    found = Customer.objects.filter(organization=organization, pk=_uuid(customer_id, "customer")).first()
    if found is None:
        raise NotFound("customer")
    return found


def correction_to_change(organization: Organization, correction_id: int) -> Correction:
    """The correction, locked until the transaction ends. Raises NotFound."""
    found = Correction.objects.select_for_update().filter(organization=organization, pk=correction_id).first()
    if found is None:
        raise NotFound("correction")
    return found
