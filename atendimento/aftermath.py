"""What a decision found and left behind, for whoever answers it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from atendimento.models import ProposedChange, Ticket
from memoria.events import Event
from memoria.evidence import Transcript
from memoria.fields import TicketType
from memoria.state import State


@dataclass(frozen=True, slots=True)
class Aftermath:
    """All of it was read or written under the decision's lock: who answers it need not read that again."""

    ticket: Ticket
    ticket_type: TicketType
    transcript: Transcript
    before: State
    event: Event
    state: State
    decided: tuple[ProposedChange, ...]
    superseded: tuple[ProposedChange, ...]
    pending: tuple[ProposedChange, ...]  # still undecided, oldest first
    judged: frozenset[uuid.UUID]  # of these, the ones whose stored verdict changed
