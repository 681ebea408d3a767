"""Undoing one version by a new event (H4)."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Q

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions.desk import Written
from atendimento.models import Membership, ProposedChange
from memoria import review
from memoria.patch import Json
from memoria.proposals import Status


@transaction.atomic
def undo_version(
    *, member: Membership, ticket_id: str | uuid.UUID, version: int, expected_version: int, reason: str
) -> Written:
    """Apply the inverse of `version`, slots included; the changes that it decided, or made moot, are pending again,
    judged anew.

    Agents undo their own; supervisors any. Raises DomainError (`undo.*`, `version.conflict`, `permission.denied`).
    """
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_decide(member, ticket_id)
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desk = desks.desk_of(book, member)
    events = book.since(version - 1) if 1 <= version <= book.state.version else []
    event = review.undo(book.state, version, desk, expected_version, events, reason)
    decided = Q(pk__in=_ids(event.cause["changes"]))
    # What the version made moot waits again too: it was proposed, and nobody decided it.
    moot = Q(status=Status.SUPERSEDED, superseded_by=version)
    returned = list(ProposedChange.objects.filter(decided | moot, ticket=book.ticket))
    desk = desks.with_groups(desk, (row.path for row in returned))
    desks.append(book, event, desk, pending)
    desks.load_cited(book, returned)
    for row in returned:
        (judgement,) = review.admit(book.state, [desks.change_of(row)], desk)
        desks.write_judgement(row, judgement)
        row.status = Status.REFUSED if judgement.refused else Status.PENDING
        row.proposed_verdict = judgement.verdict.value
        row.decided_by = row.decided_at = row.version = row.decision = row.superseded_by = None
    columns = ["status", "proposed_verdict", "decided_by", "decided_at", "version", "decision", "superseded_by"]
    ProposedChange.objects.bulk_update(returned, [*columns, *desks.JUDGED])
    return desks.finish(book, "decision", member, [row.pk for row in returned])


def _ids(references: Json) -> list[uuid.UUID]:
    return [uuid.UUID(reference) for reference in references]
