"""What accepting several changes at once would do, worked out by the same rules as doing it (K5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils import timezone

from atendimento import access
from atendimento.models import Membership, ProposedChange, Ticket
from atendimento.selectors.change_words import reserved
from atendimento.transcript import TicketTranscript
from memoria import review
from memoria.errors import DomainError
from memoria.evidence import Transcript
from memoria.fields import TicketType
from memoria.proposals import Change, Citation, Verdict
from memoria.state import Slot, SlotStatus, State


def plain(pending: Sequence[ProposedChange], text_of: Callable[[str], str | None]) -> list[ProposedChange]:
    """What "accept all" may take: allowed, no cautions and no reservations, one change a pointer (V5)."""
    taken: dict[str, ProposedChange] = {}
    for row in pending:
        if row.verdict == Verdict.ALLOWED.value and not row.cautions and not reserved(row, text_of):
            taken[f"{row.path}{row.pk}" if row.path.endswith("/-") else row.path] = row
    return list(taken.values())


def reader(ticket: Ticket, rows: Sequence[ProposedChange]) -> Transcript:
    """The messages that these changes quote, read at once."""
    transcript = TicketTranscript(ticket.pk, ticket.last_message_number)
    transcript.load(item["message"] for row in rows for item in row.citations)
    return transcript


def falls(
    member: Membership,
    ticket: Ticket,
    ticket_type: TicketType,
    state: State,
    rows: Sequence[ProposedChange],
    read: Transcript | None = None,
) -> tuple[str, ...]:
    """The pointers that would await confirmation if these were accepted in one decision; none for fewer than two.

    `read`: the messages, from whoever has them. A decision that would be refused as a whole shows nothing: trying it
    says why.
    """
    if len(rows) < 2:
        return ()
    transcript = read or reader(ticket, rows)
    desk = review.Desk(ticket_type.folded or ticket_type, transcript, timezone.now(), access.actor_of(member))
    try:
        event = review.decide(state, [review.Accept(str(row.pk), _change(row)) for row in rows], [], desk, state.version)
    except DomainError:
        return ()
    return tuple(pointer for pointer, (before, after) in event.slots.items() if _fell(before, after))


def _fell(before: Slot | None, after: Slot | None) -> bool:
    waits = SlotStatus.NEEDS_CONFIRMATION
    return after is not None and after.status is waits and (before is None or before.status is not waits)


def _change(row: ProposedChange) -> Change:
    citations = tuple(Citation.from_json(item) for item in row.citations)
    return Change(row.op, row.path, row.value, citations, row.inference, row.reason or None)
