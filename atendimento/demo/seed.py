"""Bringing the demonstration in. What is there already is left as it is, whatever became of it since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from atendimento import access, actions, ledger
from atendimento.actions.canned import save_canned
from atendimento.actions.teams import create_team
from atendimento.demo import script
from atendimento.demo.moments import Moments
from atendimento.demo.play import Play
from atendimento.demo.stage import SOURCE, DatabaseStage, integration
from atendimento.models import CannedReply, Membership, Organization, Ticket, TicketType, User


@dataclass(frozen=True, slots=True)
class House:
    """The demonstration's organisation with its members, by their keys."""

    content: script.OrganizationPart
    organization: Organization
    members: Mapping[str, Membership]


@transaction.atomic
def open_house() -> House:
    """Find or make the organisation and its members. Whoever changed a name, a role or a password keeps it."""
    content = script.organization()
    organization = Organization.objects.filter(slug=content.slug).first()
    if organization is None:
        organization, _ = actions.create_organization(slug=content.slug, name=content.name, timezone=content.timezone)
        organization.reject_reasons = list(content.reject_reasons)
        organization.save(update_fields=["reject_reasons"])
    members = {part.key: _member(organization, part, content.password) for part in content.members}
    return House(content, organization, members)


def _member(organization: Organization, part: script.MemberPart, password: str) -> Membership:
    found = (
        Membership.objects.select_related("organization", "user")
        .filter(organization=organization, user__email__iexact=part.email)
        .first()
    )
    if found is not None:
        return found
    known = User.objects.filter(email__iexact=part.email).exists()
    member, _ = actions.create_member(
        organization=organization,
        email=part.email,
        role=part.role,
        name=part.name,
        password=None if known else password,
    )
    return member


def fill(house: House, say: Callable[[str], None]) -> int:
    """Publish the ticket types and play the conversations that are not there yet; how many were made.

    Inside the organisation's tenancy. Raises PlayError, ScriptError.
    """
    admin = house.members["admin"]
    for document in script.ticket_types():
        if not TicketType.objects.filter(organization=house.organization, slug=document["slug"]).exists():
            actions.publish_ticket_type(member=admin, document=document)
            say(f"ticket type {document['slug']}")
    for title, text in script.canned():
        if not CannedReply.objects.filter(organization=house.organization, title=title).exists():
            save_canned(member=house.members["supervisor"], title=title, text=text)
    made = 0
    # Backwards, so that the first conversation is the newest and stands at the top of the queue.
    for conversation in reversed(script.conversations()):
        ticket = _play(house, conversation)
        if ticket is not None:
            made += 1
            say(
                f"conversation {conversation.slug}: {ticket.last_message_number} messages,"
                f" version {ticket.state_version}, {ticket.pending_count} to decide"
            )
    return made


def _team(house: House, name: str) -> None:
    """The team of this name, open to all, so that the tour can be walked under any login."""
    if name and access.team_named(house.organization, name) is None:
        create_team(member=house.members["admin"], name=name, open_to_all=True)


@contextmanager
def _no_model() -> Iterator[None]:
    """Meanwhile messages queue no run, as where no model is configured: the script says when the model reads, and what."""
    configured = settings.OPENAI_BASE_URL
    settings.OPENAI_BASE_URL = ""
    try:
        yield
    finally:
        settings.OPENAI_BASE_URL = configured


@transaction.atomic
def _play(house: House, conversation: script.Conversation) -> Ticket | None:
    """Play one conversation, all of it or nothing; None where it is there already."""
    organization = house.organization
    if Ticket.objects.filter(organization=organization, source=SOURCE, external_id=conversation.slug).exists():
        return None
    customer = conversation.people[conversation.customer]
    ticket, _ = actions.create_ticket(
        caller=integration(organization),
        ticket_type=conversation.ticket_type,
        subject=conversation.subject,
        channel=conversation.channel,
        external_id=conversation.slug,
        customer=actions.CustomerData(
            external_id=f"{conversation.slug}:{customer.key}",
            name=customer.name,
            phone=conversation.phone,
            email=f"{customer.key}@exemplo.test",
        ),
    )
    if conversation.assignee is not None:
        assignee = house.members[conversation.assignee]
        _team(house, conversation.team)
        actions.update_ticket(member=assignee, ticket_id=ticket.pk, assignee="me", team=conversation.team)
    stage = DatabaseStage(conversation, organization, house.members, ticket)
    with nullcontext() if conversation.reading == "waiting" else _no_model():
        Play(conversation, stage, Moments(ledger.now(), ZoneInfo(organization.timezone))).run()
        stage.finish()
    return access.ticket(organization, ticket.pk)
