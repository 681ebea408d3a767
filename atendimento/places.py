"""Where personal data lies: every column that holds any, and what is left of it once it is erased (L1, L2).

The table is the one list that retention, erasure and the search for what was left behind work from. A test holds it
against the database's own catalogue: a column that is named neither here nor in `KEPT` fails there.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import models
from django.db.models import Q, QuerySet

from atendimento.models import (
    Correction,
    Draft,
    LedgerEvent,
    Message,
    MessagePin,
    MessageRevision,
    Proposal,
    ProposedChange,
    Rebuild,
    RebuildReading,
    Reminder,
    RunStatus,
    StateSnapshot,
    Ticket,
)
from memoria.events import EventKind
from memoria.patch import MISSING, Json
from memoria.retention import DataClass

GONE: Final = "…"
"""What stands where something has to."""

NOW: Final = object()
"""In a place's `left`: the moment of the erasure."""

Clean = Callable[[Any], Any]
"""What is left of a column, worked out from its row. Cleaning twice is cleaning once."""


def _op(row: ProposedChange) -> str:
    return "" if _is_made_up(row) else row.op


def _path(row: ProposedChange) -> str:
    return "" if _is_made_up(row) else row.path


def _is_made_up(row: ProposedChange) -> bool:
    """Whether operation or address are none of ours: a model may have put words of the conversation there."""
    return any(reason["code"].startswith("schema.") for reason in row.reasons)


def _reasons(row: ProposedChange) -> list[dict[str, Json]]:
    """Which rules spoke, without what they said of."""
    return [{"code": reason["code"], "rule": reason["rule"], "data": {}} for reason in row.reasons]


def _override(row: Correction) -> str:
    """That there was a reason, and no more: overrides are counted by it."""
    return GONE if row.override else ""


@dataclass(frozen=True, slots=True)
class Place:
    """Columns of one table that hold personal data of a ticket. Nothing in `left`: the rows themselves go."""

    model: type[models.Model]
    ticket: str  # the way from a row to its ticket
    kind: DataClass | None  # with which class it goes; None: with the customer alone
    left: Mapping[str, Any] = field(default_factory=dict)  # by field: a value, NOW, or a function of what is there
    only: Q = field(default_factory=Q)
    owner: bool = False  # the application's role may not: the tables' owner does it

    @property
    def name(self) -> str:
        """The table's own name, with its columns where a part of a row goes."""
        table = self.model.__name__.lower()
        return f"{table} ({', '.join(sorted(self.left))})" if self.left else table

    def rows(self, tickets: Collection[uuid.UUID] | QuerySet[Any], using: str = "default") -> QuerySet[Any]:
        """The rows of these tickets that still hold something."""
        found = QuerySet[Any](self.model, using=using).filter(self.only, **{f"{self.ticket}__in": tickets})
        return found.filter(self.holding) if self.left else found

    @property
    def holding(self) -> Q:
        """That a row of this place still holds what is to go. A column that is cleaned by a function tells nothing."""
        found = Q()
        for name, value in self.left.items():
            if callable(value):
                continue
            if value is NOW or value is None or value is MISSING:
                found |= Q(**{f"{name}__isnull": value is NOW})
            else:
                found |= ~Q(**{name: value})
        return found

    def erase(self, tickets: Collection[uuid.UUID], moment: datetime, using: str = "default") -> int:
        """Erase it, in the transaction that the caller opened. Returns how many rows held something."""
        rows = self.rows(tickets, using)
        if not self.left:
            count = rows.count()
            rows.delete()
            return count
        cleaned = {name: value for name, value in self.left.items() if callable(value)}
        plain = {name: moment if value is NOW else value for name, value in self.left.items() if name not in cleaned}
        if not cleaned:
            return rows.update(**plain)
        found = list(rows)
        for row in found:
            values = plain | {name: clean(row) for name, clean in cleaned.items()}
            for name, value in values.items():
                setattr(row, name, value)
        QuerySet[Any](self.model, using=using).bulk_update(found, list(self.left), batch_size=200)
        return len(found)


ENDED: Final = Q(status__in=[RunStatus.READY, RunStatus.PARKED, RunStatus.SUPERSEDED])
FOREIGN: Final = Q(member=None)
"""Messages that no member wrote: their authors are customers, third parties, and whoever the channel names."""

PLACES: Final = (
    # What the model was asked and what it answered.
    Place(
        Proposal,
        "ticket",
        DataClass.MODEL,
        {"run": None, "request": None, "raw_answer": None, "context_report": None, "problem_detail": ""},
        only=ENDED,
    ),
    Place(Rebuild, "ticket", DataClass.MODEL, {"run": None, "state": None, "problem_detail": ""}, only=ENDED),
    Place(RebuildReading, "rebuild__ticket", DataClass.MODEL, {"request": {}, "context_report": {}, "raw_answer": ""}),
    # What was said.
    Place(MessageRevision, "message__ticket", DataClass.MESSAGES, {"text": ""}),
    Place(MessagePin, "message__ticket", DataClass.MESSAGES),
    Place(Draft, "ticket", DataClass.MESSAGES),
    Place(
        Message,
        "ticket",
        DataClass.MESSAGES,
        {"author_name": "", "author_external_id": None, "author_key": ""},
        only=FOREIGN,
    ),
    Place(
        Message,
        "ticket",
        DataClass.MESSAGES,
        {"text": "", "unquotable": [], "attachments": [], "unread": None, "awaits_reading": False, "erased_at": NOW},
    ),
    # What was made of it.
    Place(
        ProposedChange,
        "ticket",
        DataClass.HISTORY,
        {
            "op": _op,
            "path": _path,
            "value": MISSING,
            "citations": [],
            "reason": "",
            "reasons": _reasons,
            "evidence": [],
            "author": None,
            "current_value": MISSING,
            "cascade": [],
            "cautions": [],
            "decision": None,
        },
    ),
    Place(Ticket, "pk", DataClass.HISTORY, {"subject": GONE}),
    Place(Rebuild, "ticket", DataClass.HISTORY, {"report": None, "status": RunStatus.SUPERSEDED}, only=Q(report__isnull=False)),
    Place(Reminder, "ticket", DataClass.HISTORY),
    Place(
        Correction,
        "ticket",
        DataClass.HISTORY,
        {
            "label": "",
            "old": MISSING,
            "new": MISSING,
            "override": _override,
            "reason": "",
            "folded_label": "",
            "folded_old": "",
            "folded_new": "",
        },
        owner=True,
    ),
    Place(StateSnapshot, "ticket", DataClass.HISTORY, owner=True),
    Place(
        LedgerEvent,
        "ticket",
        DataClass.HISTORY,
        {"content": None, "salt": None},
        only=~Q(kind=EventKind.ERASED.value),
        owner=True,
    ),
    # What leads from outside to the ticket, and from there to a person.
    Place(Message, "ticket", None, {"external_id": None}),
    Place(Proposal, "ticket", None, {"key": None}),
    Place(Ticket, "pk", None, {"external_id": None, "erased_at": NOW}),
)


def of(kind: DataClass | None, *, owner: bool) -> tuple[Place, ...]:
    """The places that go with this class, by the role that may."""
    return tuple(place for place in PLACES if place.kind is kind and place.owner is owner)


# --- the whole catalogue ------------------------------------------------------------------------------------------

ELSEWHERE: Final[Mapping[str, str]] = {
    "customer": "external_id name phone email",
    "import": "file_name options summary plan problem",
    "importfile": "content",
    "ticketstate": "values slots",
    "legalhold": "reason",
    "erasurerequest": "reason refusal",
    "customerexport": "content",
}
"""Columns that are erased too, by code of their own (see actions/erasing.py and actions/erasing_files.py)."""

KEPT: Final[Mapping[str, str]] = {
    # table: columns. Why they hold nobody's words: see docs/decisions on erasure.
    # Codes, numbers, hashes, addresses within a state, and what programs are called.
    "ticket": "protocol source channel status",
    "message": "author_kind source notes",
    "ticketstate": "minted head_hash",
    "ledgerevent": "kind actor content_digest previous_hash hash pointers sources",
    "proposal": "origin producer status waits_for problem_code usage model prompt_version",
    "proposedchange": "proposed_verdict verdict source same_as status",
    "correction": "act pointer old_source source verdict proposed_cause cause",
    "causechoice": "cause",
    "import": "status digest format",
    "importedticket": "protocol numbers",
    "rebuild": "kind status waits_for problem_code usage model prompt_version",
    "handing": "kind",
    "simulation": "slug document digest scope status plan",
    "simulationdifference": "act pointer kind",
    "publication": "choices status",
    "retentionrun": "status periods report",
    "erasurerequest": "status report",
    "outboxentry": "job",
    "endpointmode": "identity mode",
    "endpointhealth": "identity last_failure",
    # The organisation's own: its people, settings, types and texts.
    "organization": "slug name timezone language reject_reasons weekdays holidays cause_names first_run retention",
    "modelendpoint": "base_url model embedding_model sealed_key",
    "user": "password email name language",
    "membership": "role name",
    "apitoken": "name scope digest",
    "invitation": "email name role digest",
    "singlesignon": "issuer client_id sealed_secret sign_in_origin",
    "team": "slug name",
    "administrativeact": "kind subject details",
    "tickettype": "slug name",
    "tickettypeversion": "document digest",
    "tickettypedraft": "slug document",
    "cannedreply": "title text",
    "prompttext": "version language text",
    "queueview": "name asked",
}

OF_LIBRARIES: Final = ("django_", "auth_", "account_", "socialaccount_", "mfa_", "usersessions_")
"""How tables of the frameworks begin: sessions, rights, and how staff sign in. They hold nothing of customers."""
