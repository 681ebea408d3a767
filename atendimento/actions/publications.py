"""What publishing a version does to tickets (T2), in the workers: misfits settled as chosen, undecided changes judged anew.

Tickets are taken one after the other, in the order of their ids, each under its own lock and for moments only: work goes
on meanwhile. How far it came stands in the publication's row and is written with what was done: a worker that is lost
leaves no ticket half done and none done twice.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from django.db import transaction

from atendimento import jobs, ledger
from atendimento.actions import desk as desks
from atendimento.actions.ticket_types import tickets_of
from atendimento.models import Organization, ProposedChange, Publication, Ticket, WorkStatus
from memoria import review
from memoria.expiry import next_expiry
from memoria.misfits import Why
from memoria.proposals import Status
from memoria.publishing import Fate, settle

SLICE: Final = 10
"""Tickets of one transaction: their locks are held until it ends."""
LEASE: Final = timedelta(seconds=15)
UNDER_WAY: Final = (WorkStatus.QUEUED, WorkStatus.RUNNING)


def run_publication(*, organization_id: int, publication_id: uuid.UUID, step: int = SLICE) -> None:
    """Do what is left of a publication, and settle its job. `step`: tickets of a slice."""
    row = Publication.objects.filter(pk=publication_id).first()
    if row is None or row.status not in UNDER_WAY:
        jobs.settle(jobs.SETTLE_PUBLICATION, publication_id)
        return
    organization = Organization.objects.get(pk=organization_id)
    while _slice(organization, publication_id, step):
        pass


@transaction.atomic
def _slice(organization: Organization, publication_id: uuid.UUID, step: int) -> bool:
    """See to the next tickets; False where there is nothing left to do."""
    row = Publication.objects.select_for_update(of=("self",)).select_related("version", "created_by").get(pk=publication_id)
    if row.status not in UNDER_WAY:
        jobs.settle(jobs.SETTLE_PUBLICATION, row.pk)
        return False
    left = tickets_of(row.version.ticket_type_id, row.closed).order_by("pk")
    if row.after is not None:
        left = left.filter(pk__gt=row.after)
    keys = list(left.values_list("pk", flat=True)[:step])
    choices = {(item["group"], Why(item["why"])): Fate(item["fate"]) for item in row.choices}
    for key in keys:
        _see_to(row, organization, key, choices)
    moment = ledger.now()
    row.after = keys[-1] if keys else row.after
    row.done += len(keys)
    row.total = max(row.total, row.done)  # tickets that were opened meanwhile
    more = len(keys) == step
    row.status = WorkStatus.RUNNING if more else WorkStatus.DONE
    row.finished_at = None if more else moment
    row.save(
        update_fields=[
            "status", "after", "done", "total", "changed", "withdrawn", "doubted", "judged", "finished_at",
        ]
    )  # fmt: skip
    if more:
        jobs.postpone(jobs.SETTLE_PUBLICATION, row.pk, moment + LEASE, moment)
    else:
        jobs.settle(jobs.SETTLE_PUBLICATION, row.pk)
    return more


def _see_to(
    row: Publication, organization: Organization, ticket_id: uuid.UUID, choices: Mapping[tuple[str, Why], Fate]
) -> None:
    book = ledger.open_unless_erased(organization, ticket_id)
    if book is None or book.ticket.merged_into_id is not None:  # while its lock was waited for
        return
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desk = desks.desk_of(book, row.created_by)
    event = settle(book.state, choices, desk)
    if event is not None:
        desks.append(book, event, desk, pending)
        row.changed += 1
        fates = [entry["fate"] for entry in event.cause["values"]]
        row.withdrawn += fates.count(Fate.WITHDRAW)
        row.doubted += fates.count(Fate.CONFIRM)
    judged = _judge_again(book, desk)
    row.judged += judged
    if event is not None or judged:
        desks.finish(book, "decision", row.created_by)
        return
    # Nothing happened that anybody would look for among what changed last; when values end may be another moment.
    expiry = next_expiry(book.state, book.ticket_type)
    if book.ticket.next_expiry != expiry:
        Ticket.objects.filter(pk=book.ticket.pk).update(next_expiry=expiry)


def _judge_again(book: ledger.Book, desk: review.Desk) -> int:
    """Judge what is undecided by the version that is in force now; what that refuses waits for nobody any more.

    Returns how many verdicts came out otherwise.
    """
    otherwise = 0
    for change in ProposedChange.objects.filter(ticket=book.ticket, status=Status.PENDING).order_by("id"):
        (judgement,) = review.admit(book.state, [desks.change_of(change)], desk)
        before = [getattr(change, column) for column in desks.JUDGED]
        verdict = change.verdict
        desks.write_judgement(change, judgement)
        if judgement.refused:
            change.status = Status.REFUSED
        changed = [column for column, was in zip(desks.JUDGED, before, strict=True) if getattr(change, column) != was]
        if changed:
            change.save(update_fields=[*changed, "status"])
        otherwise += change.verdict != verdict
    return otherwise
