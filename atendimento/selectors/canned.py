"""Canned replies: the page on which they are kept, and the picker that fills them from a ticket's state."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import CannedReply, Membership, TicketType
from atendimento.selectors import reading, values
from memoria import fields
from memoria.canned import field_named, fill, names_in
from memoria.patch import Json
from memoria.state import State

NAMES: Final[Mapping[str, tuple[str, Promise]]] = {
    "customer": ("cliente", gettext_lazy("the customer's name")),
    "protocol": ("protocolo", gettext_lazy("the ticket's protocol")),
    "member": ("atendente", gettext_lazy("your name")),
}
"""What is no field: the name in braces, and what it stands for. The names are the same in both languages."""

FAULTS: Final[Mapping[str, Promise]] = {
    "canned.no_title": gettext_lazy("Give it a title of at most 80 characters."),
    "canned.no_text": gettext_lazy("Write its text, of at most 4,000 characters."),
    "canned.title_taken": gettext_lazy("Another canned reply has this title."),
    "canned.too_many": gettext_lazy("There are as many canned replies as there can be: remove one first."),
}


@dataclass(frozen=True, slots=True)
class CannedRow:
    id: int
    title: str
    text: str
    changed_by: str
    changed_at: datetime
    unknown: tuple[str, ...]  # names in braces that no published ticket type has
    fault: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class PlaceRow:
    name: str  # in braces
    meaning: str


@dataclass(frozen=True, slots=True)
class CannedPage:
    rows: tuple[CannedRow, ...]
    places: tuple[PlaceRow, ...]
    title: str = ""  # as typed into the empty form
    text: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Picked:
    """A canned reply as it would be inserted: filled, what has no value that holds, and what is not filled in by itself."""

    title: str
    text: str
    gaps: tuple[str, ...]
    veiled: tuple[str, ...]  # sensitive fields: their places keep the label in brackets


def may_edit(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.EDIT_CANNED)


def fault(code: str) -> str:
    return str(FAULTS.get(code, code))


def page(
    member: Membership, *, typed: tuple[str, str] = ("", ""), fault_text: str = "", canned_id: int | None = None
) -> CannedPage:
    """The list with its forms; `typed` and `fault_text` belong to the form of `canned_id`, or to the empty one."""
    access.require(member, Permission.EDIT_CANNED)
    types = TicketType.objects.filter(organization_id=member.organization_id, published__isnull=False).order_by("slug")
    definitions = [reading.definition(row.pk) for row in types]
    own = {name for name, _meaning in NAMES.values()}

    def unknown(text: str) -> tuple[str, ...]:
        names = dict.fromkeys(name for name in names_in(text) if name.casefold() not in own)
        return tuple(name for name in names if all(field_named(name, one) is None for one in definitions))

    rows = []
    for row in CannedReply.objects.select_related("changed_by").filter(organization_id=member.organization_id):
        mine = row.pk == canned_id
        title, text = typed if mine else (row.title, row.text)
        rows.append(
            CannedRow(row.pk, title, text, row.changed_by.name, row.changed_at, unknown(text), fault_text if mine else "", mine)
        )
    rows.sort(key=lambda one: one.title.casefold())
    places = {name: str(meaning) for name, meaning in NAMES.values()}
    for one in definitions:
        for pointer, field in one.fields.items():
            if field.repeats:
                continue
            name = pointer.rpartition("/")[2]
            places.setdefault(name if field_named(name, one) == pointer else pointer.strip("/"), field.label)
    empty = canned_id is None
    return CannedPage(
        tuple(rows),
        tuple(PlaceRow("{" + name + "}", meaning) for name, meaning in places.items()),
        typed[0] if empty else "",
        typed[1] if empty else "",
        fault_text if empty else "",
    )


def picker(member: Membership, ticket_id: str | uuid.UUID) -> tuple[Picked, ...]:
    """The organisation's canned replies, filled with what holds in this ticket and is not sensitive.

    What is sensitive is opened by a deliberate act, and to look at what may be inserted is none.
    """
    access.require(member, Permission.WRITE_REPLIES)
    ticket = access.ticket(member, ticket_id)
    state, ticket_type = reading.current_state(ticket.pk), reading.definition(ticket.ticket_type_id)
    names = {
        NAMES["customer"][0]: ticket.customer.name or _("customer"),
        NAMES["protocol"][0]: ticket.protocol,
        NAMES["member"][0]: member.name,
    }

    rows = CannedReply.objects.filter(organization_id=member.organization_id)
    found = [_picked(row, state, ticket_type, names) for row in rows]
    return tuple(sorted(found, key=lambda one: one.title.casefold()))


def _picked(row: CannedReply, state: State, ticket_type: fields.TicketType, names: Mapping[str, str]) -> Picked:
    veiled: dict[str, None] = {}

    def show(pointer: str, value: Json) -> str:
        if values.is_hidden(ticket_type, pointer, value):
            label = ticket_type.fields[pointer].label
            veiled[label] = None
            return f"[{label}]"
        return values.show_plain(ticket_type, pointer, value, state)

    filled = fill(row.text, state, ticket_type, names, show)
    gaps = tuple(ticket_type.fields[pointer].label for pointer in filled.gaps)
    return Picked(row.title, filled.text, gaps, tuple(veiled))
