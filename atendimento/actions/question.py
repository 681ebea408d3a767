"""What a run asks the model: the ticket as it is now, put together within the budget by `memoria.extraction`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import bpe_openai
import structlog

from atendimento import ledger
from atendimento.actions.desk import change_of
from atendimento.models import Correction, Message, MessagePin, Organization, Proposal, ProposedChange, Ticket
from atendimento.transcript import to_domain
from memoria.causes import Act
from memoria.context import Budget, Material, Pinned, Proposed, TurnedDown
from memoria.extraction import Request, build_request
from memoria.fields import TicketType
from memoria.marks import PastChange, marks
from memoria.proposals import Status
from memoria.rows import template_of
from memoria.state import State

READABLE: dict[str, Any] = {"deleted_at": None, "erased_at": None, "automatic": False}
"""What a message must be to be shown to the model."""

MOST_NEW = 300
"""Messages of one run. Far more than the token budget takes; it bounds what is read from the database."""

MOST_PAST = 200
"""Decided changes that are looked through for marks, newest first."""


MOST_REJECTED = 50
"""Rejected changes that the model is told of, newest first; the token budget takes fewer."""


MOST_CUTS = 50
"""Cuts that an event names; it tells how many there were."""

_NAMED = re.compile(r"[a-z]-[0-9]+(?:\[[0-9]+:[0-9]+\])?|[0-9]+ (?:before|older)|/[^ ]*")
"""What of a cut's name is an id, a count or a pointer, and may stand in a log."""

log = structlog.get_logger("atendimento.question")


@dataclass(frozen=True, slots=True)
class Question:
    request: Request
    base_version: int  # of the state that the model is shown
    numbers: tuple[int, ...]  # of the new messages in the request
    moment: datetime  # when they were read


@dataclass(frozen=True, slots=True)
class Held:
    """A ticket as it was when its run was claimed: what moves on from there, the answer is carried over."""

    ticket: Ticket
    state: State
    ticket_type: TicketType


def question(row: Proposal, organization: Organization, held: Held) -> Question | None:
    """The question about the messages that await reading, up to the run's last one; None where there is none.

    A run that a person asked for reads the newest messages again where none is unread.
    """
    moment = ledger.now()
    ticket, state = held.ticket, held.state
    unread = Message.objects.filter(ticket=ticket, awaits_reading=True, number__lte=row.through_message, deleted_at=None)
    new = list(unread.order_by("number")[:MOST_NEW])
    budget = Budget()
    if not new and row.created_by_id is not None:
        again = Message.objects.filter(ticket=ticket, number__lte=row.through_message, **READABLE)
        new = list(again.order_by("-number")[: budget.older])[::-1]
    if not new:
        return None
    before = Message.objects.filter(ticket=ticket, number__lt=new[0].number, **READABLE)
    older = list(before.order_by("-number")[: budget.older])[::-1] if new[0].number > 1 else []
    material = Material(
        held.ticket_type,
        state,
        [to_domain(message) for message in new],
        [to_domain(message) for message in older],
        marks(state, _past(ticket)),
        _proposed(ticket),
        _rejected(ticket),
        pinned=_pinned(ticket, row.through_message),
        unread={message.number: [(low, high) for low, high in message.unread] for message in new if message.unread},
    )
    request = build_request(
        material,
        language=organization.language,
        zone=ZoneInfo(organization.timezone),
        count_tokens=count_tokens,
        budget=budget,
    )
    _tell_cuts(row, request)
    through = request.through or new[-1].number
    return Question(request, state.version, tuple(item.number for item in new if item.number <= through), moment)


def _pinned(ticket: Ticket, through: int) -> list[Pinned]:
    """What people pinned, in the order of the messages. Of one that was edited since, a passage whose words moved or went
    is looked at as a whole: half a word would mean something else."""
    rows = MessagePin.objects.filter(message__ticket=ticket).select_related("message").order_by("message__number", "start")
    found = []
    for pin in rows:
        edited = pin.message.edited_at is not None and pin.message.edited_at > pin.pinned_at
        span = (None, None) if edited else (pin.start, pin.end)
        found.append(Pinned(to_domain(pin.message), *span))
    return [pin for pin in found if not through or pin.message.number <= through]


def _tell_cuts(row: Proposal, request: Request) -> None:
    """An event for each question that left something out: which layer, which things by their ids, and why. No text."""
    cuts = [
        {"layer": layer.name, "what": template_of(named.group()) if (named := _NAMED.match(item.what)) else "", "why": item.why}
        for layer in request.report.layers
        for item in layer.left_out
    ]
    if cuts:
        log.info("left out of a question", proposal=str(row.pk), ticket=str(row.ticket_id), cuts=cuts[:MOST_CUTS], of=len(cuts))


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
