"""What closing a ticket now would leave: undecided, in doubt, unanswered, promised. It forbids nothing."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from atendimento import access, wording
from atendimento.models import Membership, ProposedChange
from atendimento.selectors import reading, values
from memoria.fates import left
from memoria.groups import unfolded
from memoria.patch import Missing
from memoria.proposals import Status

SHOWN = 8
"""Rows of a group: what a person reads before a click."""


@dataclass(frozen=True, slots=True)
class LeftGroup:
    key: str
    icon: str
    heading: str
    rows: tuple[str, ...]
    url: str  # where it is settled
    more: int = 0  # that are not shown


@dataclass(frozen=True, slots=True)
class Closing:
    ticket_id: str
    title: str
    groups: tuple[LeftGroup, ...]

    @property
    def count(self) -> int:
        return sum(len(group.rows) + group.more for group in self.groups)


def closing(member: Membership, ticket_id: str | uuid.UUID) -> Closing:
    """What would be left. Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    state = reading.current_state(ticket.pk)
    ticket_type = unfolded(reading.definition(ticket.ticket_type_id), state)
    rest = left(state, ticket_type)
    pending = list(ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING).order_by("id"))
    with_new = reading.with_groups(ticket_type, state, pending)

    def shown(pointer: str) -> str:
        held = values.held(state, pointer)
        return "" if isinstance(held, Missing) else values.show_at(ticket_type, pointer, held, state)

    def doubtful(pointer: str) -> str:
        slot = state.slots[pointer]
        status = wording.SLOT_STATUSES[slot.status.value]
        label, value = ticket_type.fields[pointer].label, shown(pointer)
        return f"{label}: {value} ({status})" if value else f"{label} ({status})"

    def promised(pointer: str) -> str:
        held = values.held(state, pointer)
        member_ = held if isinstance(held, dict) else {}
        due, _late = values.due_words(member_.get("due"), timezone.localdate())
        return ", ".join(part for part in (values.member_text(held), values.owner(str(member_.get("owner", ""))), due) if part)

    def proposed(row: ProposedChange) -> str:
        value = values.show_at(ticket_type, row.path, row.value, state) or _("withdrawal")
        return f"{values.label(with_new, row.path, state)}: {value}"

    undecided = [proposed(row) for row in pending]
    doubts = [doubtful(pointer) for pointer in rest.doubtful]
    questions, promises = [shown(pointer) for pointer in rest.questions], [promised(pointer) for pointer in rest.promises]
    groups = (
        ("undecided", "sparkles", _("Not decided"), undecided, "decide"),
        ("doubtful", "circle-question-mark", _("In doubt or open"), doubts, "decide"),
        ("questions", "message-circle-question-mark", _("Not answered"), questions, "state"),
        ("promises", "calendar-clock", _("Commitments not finished"), promises, "state"),
    )
    address = reverse("web:ticket", args=[ticket.pk])
    return Closing(
        str(ticket.pk),
        ticket.subject,
        tuple(
            LeftGroup(key, icon, heading, tuple(rows[:SHOWN]), f"{address}?pane={pane}&show=memory", max(len(rows) - SHOWN, 0))
            for key, icon, heading, rows, pane in groups
            if rows
        ),
    )
