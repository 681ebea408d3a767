"""Rebuilding a ticket's state (H5): from its log where the stored one differs, and a new reading of its messages.

A reading begins here; `rereading` goes on with it in the workers. Neither writes over what holds.
"""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import QuerySet

from atendimento import access, jobs, ledger, proof
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions.messages import READ_BY_MODEL
from atendimento.models import Membership, Message, Organization, Rebuild, RebuildKind, RebuildReading, RunStatus
from atendimento.proof import Replayed
from atendimento.selectors.model_server import server_of
from memoria.instructions import PROMPT_VERSION

UNDER_WAY = (RunStatus.QUEUED, RunStatus.RUNNING)


@transaction.atomic
def rebuild_from_log(*, organization: Organization, ticket_id: str | uuid.UUID, write: bool) -> tuple[Replayed, bool]:
    """Set the stored state beside what replaying the log gives; with `write`, write the log's where they differ.

    True where it was written, which is recorded. A log that does not verify is never written from.
    """
    book = ledger.open_to_change(organization, ticket_id)
    found, state = proof.compare_with_log(book.ticket.pk)
    if not write or found.agrees or state is None:
        return found, False
    before = book.state.version
    ledger.write_replayed(book, state)
    Rebuild.objects.create(
        organization=organization,
        ticket=book.ticket,
        kind=RebuildKind.REPLAY,
        status=RunStatus.READY,
        created_at=book.moment,
        finished_at=book.moment,
        base_version=before,
        report={"differed": list(found.differs), "version": state.version},
    )
    desks.announce(book, "decision", None)
    return found, True


@transaction.atomic
def start_rereading(*, organization: Organization, member: Membership | None, ticket_id: str | uuid.UUID) -> Rebuild:
    """Have the model read the ticket's messages again; while that is under way, the same one.

    `member` None is a command. One that is parked makes place for the new one.
    """
    if member is not None:
        access.require(member, Permission.REBUILD)
    book = ledger.open_to_decide(organization, ticket_id)
    readings = Rebuild.objects.filter(ticket=book.ticket, kind=RebuildKind.MESSAGES)
    under_way = readings.filter(status__in=UNDER_WAY).first()
    if under_way is not None:
        return under_way
    readings.filter(status=RunStatus.PARKED).update(status=RunStatus.SUPERSEDED)
    row = Rebuild.objects.create(
        organization=organization,
        ticket=book.ticket,
        kind=RebuildKind.MESSAGES,
        status=RunStatus.QUEUED,
        created_by=member,
        created_at=book.moment,
        not_before=book.moment,
        base_version=book.state.version,
        through_message=book.ticket.last_message_number,
        total=readable(book.ticket.pk).count(),
        model=server_of(organization.pk).model,
        prompt_version=PROMPT_VERSION,
    )
    jobs.owe(jobs.REREAD, row.pk, organization.pk, book.moment, book.moment)
    return row


def readable(ticket_id: uuid.UUID) -> QuerySet[Message]:
    """The messages that are left to read. An empty text is what retention leaves."""
    found = Message.objects.filter(ticket_id=ticket_id, author_kind__in=READ_BY_MODEL, deleted_at=None, automatic=False)
    return found.exclude(text="")


@transaction.atomic
def retry_rereading(*, member: Membership, ticket_id: str | uuid.UUID, rebuild_id: str | uuid.UUID) -> Rebuild:
    """Go on with a parked reading from the window where it stopped; one that is not parked is left as it is."""
    access.require(member, Permission.REBUILD)
    book = ledger.open_to_decide(member, ticket_id)
    row = access.rebuild(book.ticket, rebuild_id)
    others = Rebuild.objects.filter(ticket=book.ticket, status__in=UNDER_WAY)
    if row.status != RunStatus.PARKED or others.exists():
        return row
    row.status, row.attempts, row.run = RunStatus.QUEUED, 0, None
    row.problem_code = row.problem_detail = ""
    row.finished_at, row.not_before = None, book.moment
    row.save(update_fields=["status", "attempts", "run", "problem_code", "problem_detail", "finished_at", "not_before"])
    RebuildReading.objects.filter(rebuild=row, position=row.position).update(raw_answer="")
    jobs.owe(jobs.REREAD, row.pk, row.organization_id, book.moment, book.moment)
    return row
