"""What of a list was handed out, so that the openings of what is sensitive can be written down."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento.access import Caller
from atendimento.actions import auditing
from atendimento.api import queries, shapes
from atendimento.models import LedgerEvent, ProposedChange
from atendimento.models import Proposal as ProposalRow


class Seen:
    """The pointers that one answer gave the values of, by ticket."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._pointers: dict[uuid.UUID, set[str]] = {}

    def answer(self, request: Request, read: Any, show: Any) -> Response:
        """`queries.answer`, and the note of it."""
        answered = queries.answer(request, read, show)
        self.note()
        return answered

    def note(self) -> None:
        auditing.note_readings(caller=self._caller, pointers=self._pointers)

    def event(self, row: LedgerEvent) -> dict[str, Any]:
        if row.content is not None:
            self._pointers.setdefault(row.ticket_id, set()).update(row.pointers)
        return shapes.event(row)

    def change(self, row: ProposedChange) -> dict[str, Any]:
        self._pointers.setdefault(row.ticket_id, set()).add(row.path)
        return shapes.change(row)

    def proposal(self, row: ProposalRow, changes: Any) -> dict[str, Any]:
        found = list(changes)
        self._pointers.setdefault(row.ticket_id, set()).update(change.path for change in found)
        return shapes.proposal(row, found)
