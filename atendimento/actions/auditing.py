"""Writing down who opened what is sensitive, and that the log itself was taken out. Never a value, never a message's words."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Caller, Permission
from atendimento.actions.administration import log_act
from atendimento.models import Act, Membership, Ticket
from memoria.fields import TicketType
from memoria.state import State


def sensitive_in(ticket_type: TicketType, pointers: Collection[str]) -> list[str]:
    """Those of the pointers whose field is marked sensitive."""
    return sorted(pointer for pointer in pointers if (field := ticket_type.fields.get(pointer)) is not None and field.sensitive)


def held_in(state: State) -> set[str]:
    """The pointers whose values can be read from a state: those that hold one, and those whose slot keeps one."""
    return {pointer for pointer, slot in state.slots.items() if slot.holds or slot.challengers or slot.replaces is not None}


@transaction.atomic
def note_reading(*, caller: Caller, ticket: Ticket, ticket_type: TicketType, pointers: Collection[str]) -> None:
    """Write down that the caller's token was given these fields' values, where any is sensitive."""
    fields = sensitive_in(ticket_type, pointers)
    if not fields or caller.member is None:
        return
    details = {"fields": fields, "via": "api", "token": caller.token_id}
    log_act(member=caller.member, kind=Act.SENSITIVE_READ, subject=ticket.protocol, details=details)


def note_readings(*, caller: Caller, pointers: Mapping[uuid.UUID, Collection[str]]) -> None:
    """The same for several tickets."""
    tickets = Ticket.objects.filter(organization=caller.organization, pk__in=pointers).order_by("pk")
    for ticket in tickets:
        kind = ledger.published_type(ticket.ticket_type_id)
        note_reading(caller=caller, ticket=ticket, ticket_type=kind, pointers=pointers[ticket.pk])


@transaction.atomic
def open_sensitive(*, member: Membership, ticket_id: str | uuid.UUID, path: str) -> None:
    """Write down that the member opens a sensitive field in the console. Of what is no such field nothing is written.

    Raises NotFound, DomainError `permission.denied`.
    """
    access.require(member, Permission.READ)
    ticket = access.ticket(member, ticket_id)
    fields = sensitive_in(ledger.published_type(ticket.ticket_type_id), [path])
    if fields:
        details = {"fields": fields, "via": "console", "token": None}
        log_act(member=member, kind=Act.SENSITIVE_READ, subject=ticket.protocol, details=details)


@transaction.atomic
def note_log_export(*, member: Membership, entries: int) -> None:
    """Write down that the log was taken out. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    log_act(member=member, kind=Act.LOG_EXPORTED, subject="", details={"entries": entries})
