"""Publishing ticket types: immutable versions, the same content only once."""

from __future__ import annotations

import hashlib

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Membership, TicketType, TicketTypeVersion
from memoria import fields
from memoria.events import canonical
from memoria.patch import Json


@transaction.atomic
def publish_ticket_type(*, member: Membership, document: Json, slug: str | None = None) -> tuple[TicketTypeVersion, bool]:
    """Check a definition and publish it as the next version; the same content as the published one publishes nothing.

    `slug`, where given, must be the document's. True where a version was made. Raises memoria's InvalidTicketType.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    definition = fields.TicketType.from_document(document)
    if slug is not None and definition.slug != slug:
        raise invalid("/slug", "ticket_type.other_slug", "is not the one in the address")
    digest = hashlib.sha256(canonical(document)).hexdigest()
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
    log_act(member=member, kind=Act.TYPE_PUBLISHED, subject=definition.slug, details={"version": version.number})
    return version, True
