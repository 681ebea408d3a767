"""What every action on a ticket's state shares: the desk, the proposed changes as the domain reads them, and settling."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.aftermath import Aftermath
from atendimento.models import Membership, ProposedChange
from memoria import fields, groups, review
from memoria.events import Event
from memoria.patch import MISSING
from memoria.proposals import Change, Citation, Judgement, Status, Verdict
from memoria.rows import ITEMS, ROOT, group_of
from memoria.sources import SYSTEM
from memoria.state import State


@dataclass(frozen=True, slots=True)
class Written:
    """What a write on a ticket's state came to: the version, and the state as of that version."""

    ticket_id: uuid.UUID
    version: int
    state: State
    ticket_type: fields.TicketType
    through_message: int
    changes: tuple[uuid.UUID, ...] = ()
    aftermath: Aftermath | None = None  # of a decision that was made now


def desk_of(book: ledger.Book, member: Membership | None) -> review.Desk:
    """The desk at which `member` (None: the system itself) works on the locked ticket."""
    actor = SYSTEM if member is None else access.actor_of(member)
    desk = review.Desk(book.ticket_type, book.transcript, book.moment, actor)
    if book.ticket_type.groups is None:
        return desk
    named = ProposedChange.objects.filter(ticket=book.ticket, path__startswith=f"{ROOT}/")
    paths = list(named.values_list("path", "status").distinct())
    # G2: no number is given twice, whatever became of the change that had it.
    last = groups.last_given((path for path, _status in paths), book.state.minted.get(ITEMS, 0))
    return with_groups(replace(desk, last_group=last), (path for path, status in paths if status == Status.PENDING))


def with_groups(desk: review.Desk, paths: Iterable[str]) -> review.Desk:
    """The desk that knows of the groups in these paths of undecided changes too (G5)."""
    return replace(desk, proposed_groups=desk.proposed_groups | _groups_in(paths))


def _groups_in(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(group for path in paths if (group := group_of(path)) is not None)


def change_of(row: ProposedChange) -> Change:
    """The change as it was proposed."""
    citations = tuple(Citation.from_json(item) for item in row.citations)
    return Change(row.op, row.path, row.value, citations, row.inference, row.reason or None)


JUDGED = ("verdict", "reasons", "evidence", "source", "author", "current_value", "cascade", "same_as", "cautions")
"""The columns that `write_judgement` sets."""


def write_judgement(row: ProposedChange, judgement: Judgement) -> None:
    """Put the verdict onto the row; the caller saves it."""
    row.verdict = judgement.verdict.value
    row.reasons = [{"code": reason.code.value, "rule": reason.rule, "data": dict(reason.data)} for reason in judgement.reasons]
    row.evidence = [item.to_json() for item in judgement.evidence]
    row.source = judgement.source or ""
    row.author = judgement.author.to_json() if judgement.author else None
    row.current_value = MISSING if judgement.current_value is MISSING else judgement.current_value
    row.cascade = list(judgement.cascade)
    row.same_as = judgement.same_as or ""
    row.cautions = [caution.to_json() for caution in judgement.cautions]


def pending_of(book: ledger.Book) -> list[ProposedChange]:
    """The ticket's undecided changes, oldest first."""
    return list(ProposedChange.objects.filter(ticket=book.ticket, status=Status.PENDING).order_by("id"))


def load_cited(book: ledger.Book, rows: Iterable[ProposedChange], more: Iterable[Citation] = ()) -> None:
    """Fetch at once every message that a judgement of these changes looks at, and name those that the state rests on."""
    book.transcript.expect(item.message for slot in book.state.slots.values() for item in slot.evidence)
    book.transcript.expect(
        item.message for slot in book.state.slots.values() for one in slot.challengers for item in one.evidence
    )
    book.transcript.load({item["message"] for row in rows for item in row.citations} | {item.message for item in more})


def append(
    book: ledger.Book, event: Event, desk: review.Desk, pending: Sequence[ProposedChange], skip: Collection[str] = ()
) -> Aftermath:
    """Store the event, then judge the undecided changes anew: moot ones are superseded (V6)."""
    before = book.state
    state = book.append(event)
    rows = {str(row.pk): row for row in pending if str(row.pk) not in skip}
    decided = _groups_in(row.path for row in pending if str(row.pk) in skip)
    desk = with_groups(replace(desk, proposed_groups=desk.proposed_groups - decided), (row.path for row in rows.values()))
    waiting = [review.Pending(key, change_of(row), _proposed_verdict(row)) for key, row in rows.items()]
    moot, judged = [], set()
    for settled in review.settle(event, state, waiting, desk):
        if settled.superseded:
            moot.append(rows.pop(settled.id))
        elif not settled.judgement.refused and _rewrite(rows[settled.id], settled.judgement):
            # Refused, though nothing touched its pointer: it stays as shown, and is refused when it is decided.
            judged.add(rows[settled.id].pk)
    if moot:
        moot_rows = ProposedChange.objects.filter(pk__in=[row.pk for row in moot])
        moot_rows.update(status=Status.SUPERSEDED, superseded_by=event.version)
    return Aftermath(
        ticket=book.ticket,
        ticket_type=book.ticket_type,
        transcript=book.transcript,
        before=before,
        event=event,
        state=state,
        decided=tuple(row for row in pending if str(row.pk) in skip),
        superseded=tuple(moot),
        pending=tuple(rows.values()),
        judged=frozenset(judged),
    )


def _rewrite(row: ProposedChange, judgement: Judgement) -> bool:
    """Store a fresh verdict where it differs: most decisions leave most of what is undecided as it was."""
    before = [getattr(row, column) for column in JUDGED]
    write_judgement(row, judgement)
    changed = [column for column, value in zip(JUDGED, before, strict=True) if getattr(row, column) != value]
    if changed:
        row.save(update_fields=changed)
    return bool(changed)


def _proposed_verdict(row: ProposedChange) -> Verdict:
    return Verdict(row.proposed_verdict)


def refresh(rows: Iterable[ProposedChange], state: State, desk: review.Desk) -> None:
    """Judge undecided changes anew and store what comes out, refusals aside (E7, E8)."""
    judged = list(rows)
    for row, judgement in zip(judged, review.admit(state, [change_of(row) for row in judged], desk), strict=True):
        if not judgement.refused:
            _rewrite(row, judgement)


def finish(
    book: ledger.Book,
    kind: str,
    member: Membership | None,
    changes: Iterable[uuid.UUID] = (),
    aftermath: Aftermath | None = None,
) -> Written:
    """Write the ticket's figures and, once all is committed, tell who watches the organisation."""
    if member is not None:
        book.ticket.woken_at = None  # somebody works on it again: that it came back need not be told any more
    book.close(None if aftermath is None else len(aftermath.pending))
    announce(book, kind, member)
    ticket = book.ticket
    return Written(
        ticket.pk, book.state.version, book.state, book.ticket_type, ticket.through_message, tuple(changes), aftermath
    )


def announce(book: ledger.Book, kind: str, member: Membership | None) -> None:
    """Publish a live event after the commit."""
    ticket = book.ticket
    transaction.on_commit(
        _announcement(
            ticket.organization_id,
            {
                "ticket": str(ticket.pk),
                "customer": str(ticket.customer_id),
                "kind": kind,
                "version": book.state.version,
                "message": ticket.last_message_number,
                "member": member.pk if member else None,
                "team": ticket.team_id,
                "hands": [ticket.assignee_id, ticket.escalated_to_id],
            },
        )
    )


def _announcement(organization_id: int, document: dict[str, object]) -> Callable[[], None]:
    return lambda: jobs.publish(organization_id, document)


def as_of(book: ledger.Book, version: int, changes: Iterable[uuid.UUID]) -> Written:
    """The first answer to a decision that is made again (V4). Raises access.NotFound where that version is erased."""
    then = ledger.read_state(book.ticket, version)
    return Written(book.ticket.pk, version, then.state, then.ticket_type, then.through_message, tuple(changes))
