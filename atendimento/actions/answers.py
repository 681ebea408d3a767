"""A customer's yes to our question: read by a rule as it arrives, and confirmed by a person in one stroke (E11, K6)."""

from __future__ import annotations

import uuid

import structlog
from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import proposals
from atendimento.actions.desk import Written
from atendimento.actions.slots import confirm_slot
from atendimento.models import Membership, Message, Origin, Proposal, ProposedChange, RunStatus
from atendimento.transcript import TicketTranscript, to_domain
from memoria import confirmation
from memoria.errors import Code, DomainError
from memoria.proposals import Citation, Status, Verdict

log = structlog.get_logger("atendimento.answers")

LOOK_BACK = 6
"""Messages before an answer that are looked at."""


def read(book: ledger.Book, row: Message) -> None:
    """Propose what the message just taken in confirms, if it is a plain yes to our question. Needs the open book.

    Raises nothing: the message is taken in, whatever this comes to. Without the proposal it is read as any other.
    """
    transcript = book.transcript
    try:
        with transaction.atomic():
            _propose(book, row)
    except Exception as error:  # noqa: BLE001 - whatever it is, the message is worth more than the proposal
        book.transcript = transcript
        log.error("answer not read", ticket=str(book.ticket.pk), message=row.ref, error=type(error).__name__)


def _propose(book: ledger.Book, row: Message) -> None:
    if not confirmation.is_yes(row.text):
        return
    before = Message.objects.filter(ticket=book.ticket, number__lt=row.number, internal=False)
    earlier = [to_domain(message) for message in before.order_by("-number")[:LOOK_BACK]]
    changes = confirmation.confirmed(to_domain(row), earlier, book.state, book.ticket_type)
    if not changes:
        return
    book.transcript = TicketTranscript(book.ticket.pk, row.number)  # the one of the opening ends before this message
    proposal = Proposal.objects.create(
        organization_id=book.ticket.organization_id,
        ticket=book.ticket,
        origin=Origin.RULE,
        producer=confirmation.PRODUCER,
        key=row.ref,
        status=RunStatus.READY,
        base_version=book.state.version,
        created_at=book.moment,
        finished_at=book.moment,
    )
    proposals.take_in(book, proposal, changes, None)


@transaction.atomic
def confirm_answered(*, member: Membership, change_id: str | uuid.UUID, expected_version: int) -> Written:
    """Confirm the value that awaits it on the words of a proposed yes; that proposal is settled by it.

    So the value is confirmed whoever's word it is: as a change, a customer's yes would not outweigh a tool. Raises
    DomainError: already decided, superseded, refused, no such yes, or as `confirm_slot` does.
    """
    access.require(member, Permission.DECIDE)
    change = access.change(member, change_id)
    ledger.open_to_change(member, change.ticket_id)
    change.refresh_from_db()
    if change.status != Status.PENDING:
        codes = {Status.REFUSED.value: Code.CHANGE_REFUSED, Status.SUPERSEDED.value: Code.CHANGE_SUPERSEDED}
        raise DomainError(codes.get(change.status, Code.ALREADY_DECIDED), "V4")
    if change.proposal.origin != Origin.RULE or change.verdict != Verdict.NO_CHANGE:
        # The words of any other change say something else than what holds.
        raise DomainError(Code.WRONG_STATUS, "K6", pointer=change.path, status=None)
    ProposedChange.objects.filter(pk=change.pk).update(status=Status.SUPERSEDED)
    citations = tuple(Citation.from_json(item) for item in change.citations)
    return confirm_slot(
        member=member,
        ticket_id=change.ticket_id,
        path=change.path,
        expected_version=expected_version,
        evidence=citations,
    )
