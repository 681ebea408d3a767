"""Publishing ticket types: immutable versions, the same content only once."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Membership, Publication, Ticket, TicketStatus, TicketType, TicketTypeVersion, WorkStatus
from memoria import fields
from memoria.events import document_digest
from memoria.patch import Json
from memoria.publishing import Choice, fates


@transaction.atomic
def publish_ticket_type(
    *, member: Membership, document: Json, slug: str | None = None, choices: Sequence[Choice] = (), closed: bool = False
) -> tuple[TicketTypeVersion, bool]:
    """Check a definition and publish it as the next version; the same content as the published one publishes nothing.

    `slug`, where given, must be the document's. True where a version was made. What `choices` says of values that no
    longer fit is done to tickets afterwards (T2), `closed` ones too; what it does not name awaits confirmation, or is
    withdrawn where the version does not have it any more.
    Raises memoria's InvalidTicketType, and InvalidInput `publication.fate` for what cannot become of a misfit.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    definition = fields.TicketType.from_document(document)
    if slug is not None and definition.slug != slug:
        raise invalid("/slug", "ticket_type.other_slug", "is not the one in the address")
    if any(choice.fate not in fates(choice.group, choice.why) for choice in choices):
        raise invalid("/choices", "publication.fate", "cannot become of it")
    digest = document_digest(document)
    TicketType.objects.bulk_create(
        [TicketType(organization=member.organization, slug=definition.slug, name=definition.name)], ignore_conflicts=True
    )
    row = TicketType.objects.select_for_update().get(organization=member.organization, slug=definition.slug)
    last = TicketTypeVersion.objects.filter(ticket_type=row).order_by("-number").first()
    if last is not None and last.digest == digest:
        return last, False
    version = TicketTypeVersion.objects.create(
        organization=member.organization,
        ticket_type=row,
        number=last.number + 1 if last else 1,
        document=document,
        digest=digest,
        published_by=member,
        published_at=ledger.now(),
    )
    row.name, row.published = definition.name, version
    row.save(update_fields=["name", "published"])
    if last is not None:
        _owe_tickets(member, version, choices, closed)
    log_act(member=member, kind=Act.TYPE_PUBLISHED, subject=definition.slug, details={"version": version.number})
    return version, True


def _owe_tickets(member: Membership, version: TicketTypeVersion, choices: Sequence[Choice], closed: bool) -> None:
    """Owe what the version does to tickets. What an earlier one has not yet done is overtaken: this one sees to it."""
    earlier = Publication.objects.filter(
        version__ticket_type=version.ticket_type_id, status__in=[WorkStatus.QUEUED, WorkStatus.RUNNING]
    )
    earlier.update(status=WorkStatus.CANCELLED, finished_at=version.published_at)
    row = Publication.objects.create(
        organization_id=version.organization_id,
        version=version,
        choices=[{"group": item.group, "why": item.why.value, "fate": item.fate.value} for item in choices],
        closed=closed,
        total=tickets_of(version.ticket_type_id, closed).count(),
        created_by=member,
        created_at=version.published_at,
    )
    jobs.owe(jobs.SETTLE_PUBLICATION, row.pk, version.organization_id, version.published_at, version.published_at)


def tickets_of(ticket_type_id: int, closed: bool) -> QuerySet[Ticket]:
    """The tickets that publishing sees to: a merged one goes on elsewhere, one that is erased goes on nowhere, and a
    closed one only where that is asked.
    """
    statuses = [TicketStatus.OPEN, TicketStatus.SNOOZED, *([TicketStatus.CLOSED] if closed else [])]
    return Ticket.objects.filter(ticket_type_id=ticket_type_id, merged_into=None, erased_at=None, status__in=statuses)
