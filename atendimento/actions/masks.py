"""What of a ticket is masked before a request leaves: with which key, and which values its sensitive fields have had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.crypto import salted_hmac

from atendimento.actions.question import Held
from atendimento.models import Correction, Organization, ProposedChange
from atendimento.selectors import reading
from atendimento.selectors.of_fields import of_fields
from memoria import masking
from memoria.extraction import Reader, Request, read_answer
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.masking import NO_MASKS, Masked
from memoria.patch import Json, Missing, lookup
from memoria.state import State

MOST_KNOWN = 500
"""Values of sensitive fields that are looked for in texts, of each kind of record, the newest."""


def protect(request: Request, held: Held, organization: Organization) -> Masked:
    """The request as it may leave for the model: masked, unless the organisation has chosen otherwise (U2)."""
    if not organization.masks_personal_data:
        return Masked(request, NO_MASKS)
    key = salted_hmac("lastro.masking", str(held.ticket.pk), algorithm="sha256").digest()
    # What was sensitive stays so where the type has the field no more.
    ticket_type = reading.with_former(held.ticket_type, held.ticket.ticket_type_id, held.state.slots)
    return masking.masked(request, ticket_type, key, list(_known(held, ticket_type)))


def stored(sent: Masked) -> dict[str, Json]:
    """What is kept of a request: as it was sent, and what its placeholders stand for, to read the answer at any time."""
    return {"user": sent.request.user, "schema": sent.request.schema, "masks": dict(sent.masks)}


def reader_of(request: Mapping[str, Json] | None) -> Reader:
    """How to read the answer to a stored request."""
    return masking.reader((request or {}).get("masks", NO_MASKS), read_answer)


def _known(held: Held, ticket_type: TicketType) -> Iterable[tuple[str, Json | Missing]]:
    """What sensitive fields hold, held, or were proposed to hold."""
    pointers = [row.pointer for row in ticket_type.fields.values() if row.sensitive]
    if not pointers:
        return
    over = unfolded(ticket_type, held.state)
    yield from _in_state(held.state, [row.pointer for row in over.fields.values() if row.sensitive])
    proposed = ProposedChange.objects.filter(of_fields("path", pointers), ticket=held.ticket).order_by("-id")
    for path, value, decision in proposed.values_list("path", "value", "decision")[:MOST_KNOWN]:
        yield path, value
        if decision and "value" in decision:
            yield path, decision["value"]
    corrected = Correction.objects.filter(of_fields("pointer", pointers), ticket=held.ticket).order_by("-id")
    for pointer, old, new in corrected.values_list("pointer", "old", "new")[:MOST_KNOWN]:
        yield pointer, old
        yield pointer, new


def _in_state(state: State, pointers: Iterable[str]) -> Iterable[tuple[str, Json | Missing]]:
    for pointer in pointers:
        yield pointer, lookup(state.values, pointer)
        slot = state.slots.get(pointer)
        if slot is not None:
            if slot.replaces is not None:
                yield pointer, slot.replaces.value
            yield from ((pointer, challenger.value) for challenger in slot.challengers)
