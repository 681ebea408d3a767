"""Going through a ticket's past: one version after the other, and any two side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.models import LedgerEvent, Ticket
from atendimento.selectors import quotes, reading, values
from atendimento.selectors.parts import ComparedRow, Comparison, Held, Option, Past
from atendimento.selectors.reading import Cited
from memoria.fields import TicketType
from memoria.patch import Json, Missing, same_json
from memoria.state import Slot, State

LISTED = 100
"""Versions that a list offers: the newest, and those that are chosen. Others go by their number in the address."""


def past(ticket: Ticket, now: State, *, shown: int | None, first: int | None, second: int | None) -> Past:
    """Everything with which a member goes through a ticket's past; `now` is the present state."""
    newest = now.version
    chosen = newest if shown is None else min(shown, newest)
    asked = first is not None and second is not None
    # What is offered first: the newest version beside the one before it.
    left = first if first is not None else max(0, newest - 1)
    right = second if second is not None else newest
    found = _compare(ticket, now, left, right) if asked else None
    named, moments = _named(ticket, newest, {left, right, chosen})
    return Past(
        url=reverse("web:ticket", args=[ticket.pk]),
        newest=newest,
        shown=chosen,
        at=moments.get(chosen),
        previous_url=_address(ticket, chosen - 1) if chosen > 0 else "",
        next_url=_address(ticket, chosen + 1) if chosen < newest else "",
        first_options=_options(named, left),
        second_options=_options(named, right),
        comparison=found,
        unknown=asked and found is None,
    )


def _address(ticket: Ticket, version: int) -> str:
    return reverse("web:ticket", args=[ticket.pk]) + f"?pane=state&show=memory&version={version}"


def _named(ticket: Ticket, newest: int, wanted: set[int]) -> tuple[Mapping[int, str], Mapping[int, datetime]]:
    """Versions by who made them, newest first; and when each was made."""
    listed = Q(version__gt=newest - LISTED) | Q(version__in=wanted)
    rows = list(LedgerEvent.objects.filter(listed, ticket=ticket).order_by("-version").values_list("version", "actor", "at"))
    named = {version: f"v{version} · {actor['name'] if actor['member'] else _('The system')}" for version, actor, _at in rows}
    return named | {0: "v0 · " + _("nothing yet")}, {version: at for version, _actor, at in rows}


def _options(named: Mapping[int, str], chosen: int) -> tuple[Option, ...]:
    return tuple(Option(str(version), label, version == chosen) for version, label in named.items())


def _compare(ticket: Ticket, now: State, first: int, second: int) -> Comparison | None:
    before, after = (reading.state_before(now, ticket.pk, version) for version in (first, second))
    if before is None or after is None:
        return None
    ticket_type = reading.definition(ticket.ticket_type_id)
    pointers = [pointer for pointer in {**before.slots, **after.slots} if _differs(pointer, before, after)]
    ticket_type = reading.with_former(ticket_type, ticket.ticket_type_id, pointers, now)
    sides = [slot for pointer in pointers for state in (before, after) if (slot := state.slots.get(pointer)) is not None]
    messages = reading.cited(ticket.pk, {item.message for slot in sides for item in slot.evidence})
    rows = [
        ComparedRow(
            values.label(ticket_type, pointer, after if pointer in after.slots else before),
            _held(pointer, before, ticket_type, messages),
            _held(pointer, after, ticket_type, messages),
        )
        for pointer in sorted(pointers, key=_place)
    ]
    return Comparison(first, second, tuple(rows))


def _place(pointer: str) -> tuple[int, str]:
    """The order of the state's groups."""
    group = pointer.split("/")[1]
    order: Sequence[str] = tuple(values.GROUPS)
    return (order.index(group) if group in order else len(order), pointer)


def _differs(pointer: str, before: State, after: State) -> bool:
    one, other = before.slots.get(pointer), after.slots.get(pointer)
    if one is None or other is None:
        return True
    same: bool = same_json(values.held(before, pointer), values.held(after, pointer))
    return not same or _standing(one) != _standing(other)


def _standing(slot: Slot) -> tuple[object, ...]:
    """What of a slot a comparison tells: who says it, on which words, and whether it holds."""
    return slot.status, slot.source, slot.author, [(item.message, item.quote) for item in slot.evidence], slot.challengers


def _held(pointer: str, state: State, ticket_type: TicketType, messages: Cited) -> Held | None:
    slot = state.slots.get(pointer)
    if slot is None:
        return None
    value: Json | Missing = values.held(state, pointer)
    return Held(
        values.show_at(ticket_type, pointer, value, state),
        str(wording.SLOT_STATUSES[slot.status.value]),
        values.source(slot.source),
        () if values.is_sensitive(ticket_type, pointer) else quotes.of_evidence(slot.evidence, messages),
    )
