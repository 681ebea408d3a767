"""What a run asks the model: the ticket as it is now, put together within the budget by `memoria.extraction`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import bpe_openai

from atendimento import ledger
from atendimento.actions.desk import change_of
from atendimento.models import Correction, Message, Organization, Proposal, ProposedChange, Ticket
from atendimento.transcript import to_domain
from memoria.causes import Act
from memoria.context import Budget, Material, Proposed, TurnedDown
from memoria.extraction import Request, build_request
from memoria.marks import PastChange, marks
from memoria.proposals import Status

MOST_NEW = 300
"""Messages of one run. Far more than the token budget takes; it bounds what is read from the database."""

MOST_PAST = 200
"""Decided changes that are looked through for marks, newest first."""


MOST_REJECTED = 50
"""Rejected changes that the model is told of, newest first; the token budget takes fewer."""


@dataclass(frozen=True, slots=True)
class Question:
    request: Request
    base_version: int  # of the state that the model is shown
    numbers: tuple[int, ...]  # of the new messages in the request
    moment: datetime  # when they were read


def question(row: Proposal, organization: Organization) -> Question | None:
    """The question about the messages that await reading, up to the run's last one; None where there is none.

    A run that a person asked for reads the newest messages again where none is unread.
    """
    moment = ledger.now()
    ticket = Ticket.objects.get(pk=row.ticket_id)
    state = ledger.current_state(ticket.pk)
    unread = Message.objects.filter(ticket=ticket, awaits_reading=True, number__lte=row.through_message, deleted_at=None)
    new = list(unread.order_by("number")[:MOST_NEW])
    budget = Budget()
    if not new and row.created_by_id is not None:
        again = Message.objects.filter(ticket=ticket, number__lte=row.through_message, deleted_at=None, automatic=False)
        new = list(again.order_by("-number")[: budget.older])[::-1]
    if not new:
        return None
    before = Message.objects.filter(ticket=ticket, number__lt=new[0].number, deleted_at=None, automatic=False)
    older = list(before.order_by("-number")[: budget.older])[::-1]
    material = Material(
        ledger.published_type(ticket.ticket_type_id),
        state,
        [to_domain(message) for message in new],
        [to_domain(message) for message in older],
        marks(state, _past(ticket)),
        _proposed(ticket),
        _rejected(ticket),
    )
    request = build_request(
        material,
        language=organization.language,
        zone=ZoneInfo(organization.timezone),
        count_tokens=count_tokens,
        budget=budget,
    )
    through = request.through or new[-1].number
    return Question(request, state.version, tuple(item.number for item in new if item.number <= through), moment)


def _past(ticket: Ticket) -> Sequence[PastChange]:
    decided = [Status.ACCEPTED, Status.EDITED, Status.REJECTED]
    rows = ProposedChange.objects.filter(ticket=ticket, status__in=decided).order_by("-id")[:MOST_PAST]
    return [
        PastChange(
            Status(row.status),
            row.path,
            row.decision["value"] if row.status == Status.EDITED else row.value,
            tuple(item["message"] for item in row.citations),
        )
        for row in rows
    ]


def _proposed(ticket: Ticket) -> list[Proposed]:
    rows = ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING).order_by("-id")[:MOST_PAST]
    return [Proposed(change.path, change.value) for change in map(change_of, reversed(rows))]


def _rejected(ticket: Ticket) -> list[TurnedDown]:
    """What people have rejected and did not take back, with the reason that they gave (V7)."""
    found = Correction.objects.filter(ticket=ticket, act=Act.REJECTED, change__status=Status.REJECTED)
    rows = found.select_related("change").order_by("-id")[:MOST_REJECTED]
    return [TurnedDown(row.change.path, row.change.value, row.reason) for row in reversed(rows) if row.change is not None]


@lru_cache(maxsize=1)
def _encoding() -> Any:
    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of the text, as OpenAI's present models count; others differ by little."""
    return len(_encoding().encode_ordinary(text))
