"""Merging a ticket into another open one of the same customer (S2): it stays as it is, is read, and points on."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import desk as desks
from atendimento.actions.faults import invalid
from atendimento.models import (
    Draft,
    Membership,
    Origin,
    Proposal,
    ProposedChange,
    Rebuild,
    RunStatus,
    Ticket,
    TicketStatus,
)
from memoria import carrying
from memoria.carrying import Cargo
from memoria.errors import Code, DomainError
from memoria.merging import Standing, check_merge
from memoria.proposals import Status
from memoria.versions import check_version, conflict

UNFINISHED = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.PARKED)


@transaction.atomic
def merge_ticket(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    into: str,
    carry: Sequence[str] = (),
    expected_version: int | None = None,
    into_version: int | None = None,
    seen: Collection[str] | None = None,
) -> Ticket:
    """Merge the ticket into the open one with this id or protocol; once and for good. Again into the same: nothing.

    `carry` are pointers of present values that arrive there awaiting confirmation (S1). The versions are those that the
    member saw: of this ticket nothing, and there nothing of what is carried, may have changed since; None: whatever
    holds. `seen` are the ids of the undecided changes that were shown: others are `version.conflict` too.
    Raises InvalidInput where there is no such ticket, NotFound, and DomainError `ticket.merged`,
    `ticket.merge_refused`, `version.conflict`, `carry.not_possible`.
    """
    access.require(member, Permission.CHANGE_TICKETS)
    access.require(member, Permission.DECIDE)
    this_id, into_id = access.ticket(member, ticket_id).pk, _named(member, into)
    # Locked in one order, as everybody who locks several tickets does.
    books = {key: ledger.open_to_change(member, key) for key in sorted({this_id, into_id})}
    this, there = books[this_id], books[into_id]
    if this.ticket.merged_into_id is not None and this.ticket.merged_into_id == into_id:
        return access.ticket(member, this_id)
    check_merge(_standing(this.ticket), _standing(there.ticket))
    pending = desks.pending_of(this)
    if expected_version is not None and expected_version != this.state.version:
        raise conflict(this.state, this.since(max(0, expected_version)))
    if seen is not None and not {str(row.pk) for row in pending} <= set(seen):
        raise DomainError(Code.VERSION_CONFLICT, "V2", current=this.state.version, since=[])
    if into_version is not None:
        check_version(there.state, into_version, there.since(max(0, into_version)), carry)
    if carry:
        cargo = Cargo(this.state, str(this_id), this.ticket.protocol, {})
        undecided = desks.pending_of(there)
        desks.load_cited(there, undecided)
        desk = desks.desk_of(there, member)
        desks.append(there, carrying.carry(cargo, carry, there.state, desk, "merge"), desk, undecided)
    _close(this, there.ticket, member, [row.pk for row in pending])
    _hand_over_drafts(this.ticket, there.ticket)
    desks.finish(this, "ticket", member)
    desks.finish(there, "ticket", member)
    return access.ticket(member, this_id)


def _named(member: Membership, reference: str) -> uuid.UUID:
    """The id of the ticket that is named by id or protocol. One that the member does not see is none."""
    named = reference.replace("\0", "").strip()
    try:
        return access.ticket(member, named).pk
    except NotFound:
        found = access.visible_tickets(member).filter(protocol=named).values_list("pk", flat=True).first()
    if found is None:
        raise invalid("/merged_into", "ticket.unknown", "no such ticket")
    return found


def _standing(ticket: Ticket) -> Standing:
    into = None
    if ticket.merged_into_id is not None:
        into = Ticket.objects.values_list("protocol", flat=True).get(pk=ticket.merged_into_id)
    is_open = ticket.status == TicketStatus.OPEN
    return Standing(str(ticket.pk), ticket.protocol, str(ticket.customer_id), is_open, into)


def _close(book: ledger.Book, into: Ticket, member: Membership, pending: Sequence[uuid.UUID]) -> None:
    """Nothing is decided here any more: what was undecided is moot, and nothing is read on."""
    ProposedChange.objects.filter(pk__in=pending).update(status=Status.SUPERSEDED)
    ended = {"status": RunStatus.SUPERSEDED, "finished_at": book.moment, "holder": None}
    proposals = Proposal.objects.filter(ticket=book.ticket, origin=Origin.MODEL, status__in=UNFINISHED)
    for key in list(proposals.values_list("pk", flat=True)):
        jobs.settle(jobs.PROPOSE, key)
    proposals.update(**ended)
    readings = Rebuild.objects.filter(ticket=book.ticket, status__in=UNFINISHED)
    for key in list(readings.values_list("pk", flat=True)):
        jobs.settle(jobs.REREAD, key)
    readings.update(**ended)
    ticket = book.ticket
    ticket.status, ticket.snoozed_until = TicketStatus.MERGED, None
    ticket.merged_into, ticket.merged_by, ticket.merged_at = into, member, book.moment


def _hand_over_drafts(this: Ticket, into: Ticket) -> None:
    """What members were writing goes on where they go on; behind what they were writing there.

    Both tickets are locked, and so is the ticket of a draft that is kept. Two together may be more than a message
    holds: nothing of them is lost, and the composer says so.
    """
    there = {row.member_id: row for row in Draft.objects.filter(ticket=into)}
    for draft in Draft.objects.filter(ticket=this):
        kept = there.get(draft.member_id)
        if kept is None:
            draft.ticket = into
            draft.save(update_fields=["ticket"])
        else:
            kept.text = f"{kept.text}\n\n{draft.text}"
            kept.internal = kept.internal or draft.internal  # what was meant for colleagues reaches no customer
            kept.save(update_fields=["text", "internal"])
            draft.delete()
