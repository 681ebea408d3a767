"""What a form of the console is about: the controls it was drawn with, and the change it decides."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from atendimento import access
from atendimento.models import Membership, ProposedChange
from atendimento.selectors import controls, grouping, occurrences, reading
from atendimento.selectors.parts import Control
from memoria.members import Place
from memoria.patch import MISSING, Json, Missing, lookup
from memoria.proposals import Citation, Status
from memoria.rows import group_of


@dataclass(frozen=True, slots=True)
class Form:
    """The controls at a place, and the value that they were filled with."""

    controls: tuple[Control, ...]
    base: Json | Missing
    evidence: tuple[Citation, ...] = ()  # of a change: what its proposal quotes
    group: str = ""  # of a change: the group that it was proposed for


def of_change(member: Membership, ticket_id: uuid.UUID, change_id: uuid.UUID) -> Form:
    """The editing form of a proposed change of this ticket. Raises NotFound."""
    change = access.change(member, change_id)
    ticket = access.ticket(member, ticket_id)
    if change.ticket_id != ticket.pk:
        raise access.NotFound("change")
    ticket_type, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    place = ticket_type.place(change.path, state.values)
    forms = controls.for_place(ticket_type, place, change.value) if place is not None else ()
    return Form(forms, change.value, tuple(Citation.from_json(item) for item in change.citations), group_of(change.path) or "")


def of_place(member: Membership, ticket_id: uuid.UUID, path: str) -> Form:
    """The form of what stands at a pointer, or of a new member (`/pending/-`). Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    ticket_type, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    begins = grouping.declared_of(path)
    if begins is not None and begins in ticket_type.fields:
        return Form(controls.for_place(ticket_type, Place("field", begins), MISSING), MISSING)
    place: Place | None = ticket_type.place(path, state.values)
    if place is None:
        raise access.NotFound("field")
    held = MISSING if place.kind == "new" else lookup(state.values, path)
    return Form(controls.for_place(ticket_type, place, held), held)


def moved_to(member: Membership, ticket_id: uuid.UUID, group: str) -> str:
    """Why a change is not taken where it was proposed: the group that it is of. Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    state, ticket_type = reading.standing(ticket.pk)
    pending = ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING)
    named = grouping.names(ticket_type, state, pending).get(group)
    return _("It is of another one.") if named is None else _("It is of “%(group)s”.") % {"group": named}


def pointed(member: Membership, ticket_id: uuid.UUID, change_id: uuid.UUID, starts: Mapping[int, int]) -> tuple[Citation, ...]:
    """The quotes of this ticket's change, each with the place that is meant (E6). Raises NotFound."""
    change = access.change(member, change_id)
    if change.ticket_id != ticket_id:
        raise access.NotFound("change")
    return occurrences.pointed(change, starts)


def belongs(member: Membership, ticket_id: uuid.UUID, change_id: uuid.UUID) -> None:
    """Raises NotFound unless the change is one of this ticket."""
    if access.change(member, change_id).ticket_id != ticket_id:
        raise access.NotFound("change")
