"""Proposals: taken in from outside, judged as they arrive, and made moot by later ones."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import Q

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions.faults import invalid
from atendimento.models import Membership, Origin, Proposal, ProposedChange, RunStatus
from memoria import review
from memoria.errors import Code, DomainError
from memoria.evidence import message_number
from memoria.groups import ids, last_given, resolve_ids
from memoria.proposals import Change, Status, Verdict
from memoria.rows import ROOT, group_of

MAX_CHANGES = 100


@transaction.atomic
def store_proposal(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    base_version: int,
    producer: str,
    changes: Sequence[Change],
    through_message: str | None = None,
    key: str | None = None,
    moved: bool = False,
) -> tuple[Proposal, bool]:
    """Take in a proposal made outside, with the verdicts on its changes; True where it is new.

    `moved`: a person takes these changes from elsewhere in the ticket, and no rejection holds that back (V7).
    The same `producer` and `key` again answer the first one. Raises InvalidInput, DomainError `version.conflict`.
    """
    access.require(member, Permission.DECIDE)
    if len(changes) > MAX_CHANGES:
        raise invalid("/changes", "proposal.too_many_changes", f"more than {MAX_CHANGES} changes")
    book = ledger.open_to_change(member, ticket_id)
    if key is not None:
        known = Proposal.objects.filter(ticket=book.ticket, origin=Origin.API, producer=producer, key=key).first()
        if known is not None:
            return known, False
    ledger.refuse_merged(book.ticket)
    through = 0
    if through_message is not None:
        number = message_number(through_message)
        if number is None or number > book.ticket.last_message_number:
            raise invalid("/through_message", "message.unknown", "no such message in this ticket")
        through = number
    if base_version > book.state.version:
        raise DomainError(Code.VERSION_CONFLICT, "V2", current=book.state.version, since=[])
    proposal = Proposal.objects.create(
        organization_id=book.ticket.organization_id,
        ticket=book.ticket,
        origin=Origin.API,
        producer=producer,
        key=key,
        status=RunStatus.READY,
        base_version=base_version,
        through_message=through,
        created_by=member,
        created_at=book.moment,
        finished_at=book.moment,
    )
    take_in(book, proposal, changes, member, moved=moved)
    return proposal, True


def take_in(
    book: ledger.Book, proposal: Proposal, changes: Sequence[Change], member: Membership | None, *, moved: bool = False
) -> list[ProposedChange]:
    """Judge a proposal's changes and store them; what they make moot is superseded (V6). Closes the book.

    New groups get their ids here, once, and keep them (G2). `moved` as in `store_proposal`.
    """
    desk = desks.desk_of(book, member)
    if book.ticket_type.groups is not None:
        changes = resolve_ids(changes, book.state, desk.last_group, _known_groups(book, proposal))
        paths = [change.path for change in changes]
        desk = desks.with_groups(replace(desk, last_group=last_given(paths, desk.last_group)), paths)
    rows = [
        ProposedChange(
            organization_id=proposal.organization_id,
            ticket=book.ticket,
            proposal=proposal,
            position=position,
            op=change.op,
            path=change.path,
            value=change.value,
            citations=[item.to_json() for item in change.evidence],
            inference=change.inference,
            reason=change.reason or "",
        )
        for position, change in enumerate(changes)
    ]
    desks.load_cited(book, rows)
    rejected = set() if moved else _rejected(book, changes)
    for row, judgement in zip(rows, review.admit(book.state, changes, desk, rejected), strict=True):
        desks.write_judgement(row, judgement)
        row.proposed_verdict = judgement.verdict.value
        row.status = Status.REFUSED if judgement.refused else Status.PENDING
    _supersede(book, proposal, [row.path for row in rows if row.status == Status.PENDING])
    ProposedChange.objects.bulk_create(rows)
    book.ticket.through_message = max(book.ticket.through_message, proposal.through_message)
    desks.finish(book, "proposal", member, [row.pk for row in rows])
    return rows


def _known_groups(book: ledger.Book, proposal: Proposal) -> set[str] | None:
    """The ids by which the model may call a group: those that there are. An id of its own choice could be somebody's name,
    and no erasure looks for names in pointers. A program's ids are the organisation's own, and any will do (None); those of
    a reading were given before."""
    if proposal.origin in (Origin.API, Origin.REBUILD):
        return None
    waiting = ProposedChange.objects.filter(ticket=book.ticket, status=Status.PENDING, path__startswith=f"{ROOT}/")
    return {group for path in waiting.values_list("path", flat=True) if (group := group_of(path))} | set(ids(book.state))


def _rejected(book: ledger.Book, changes: Sequence[Change]) -> set[review.Rejection]:
    """What V7 remembers of rejections at these pointers."""
    there = Q(path__in={change.path for change in changes})
    if any(group_of(change.path) is not None for change in changes):
        there |= Q(path__startswith=f"{ROOT}/")  # a group that never came to be is the same under any id (G2)
    rows = ProposedChange.objects.filter(there, ticket=book.ticket, status=Status.REJECTED)
    return {review.Rejection.of(desks.change_of(row)) for row in rows}


def _supersede(book: ledger.Book, proposal: Proposal, paths: Sequence[str]) -> None:
    pending = ProposedChange.objects.filter(
        ticket=book.ticket,
        status=Status.PENDING,
        proposal__origin=proposal.origin,
        proposal__producer=proposal.producer,
        path__in=set(paths),
    )
    rows = [review.Pending(str(row.pk), desks.change_of(row), Verdict(row.verdict)) for row in pending]
    moot = review.moot_by_proposal(rows, paths)
    ProposedChange.objects.filter(ticket=book.ticket, pk__in=map(uuid.UUID, moot)).update(status=Status.SUPERSEDED)
