"""Values, members and pointers in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import wording
from atendimento.selectors import notation
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.members import FINISHED, Place
from memoria.patch import MISSING, Json, Missing, Op, Operation, apply, lookup
from memoria.state import Slot, State

MONEY: Final = "R$"  # a field whose label says so is written with its cents
GROUPED: Final = 10_000  # below, a number may well be a year
TEXT_KEYS: Final = ("task", "question", "text", "scope", "action")

SHORT_SOURCES: Final[Mapping[str, Promise]] = {
    "customer": gettext_lazy("customer"),
    "third_party": gettext_lazy("third party"),
    "agent": gettext_lazy("staff"),
    "assistant": gettext_lazy("assistant"),
    "tool": gettext_lazy("tool"),
    "registry": gettext_lazy("registry"),
    "system": gettext_lazy("system"),
    "inference": gettext_lazy("inference"),
    "customer_reported": gettext_lazy("customer, by staff"),
    "third_party_reported": gettext_lazy("third party, by staff"),
    "registry_reported": gettext_lazy("registry, by staff"),
}
"""Sources as a tag has them, without an article."""

NEW: Final[Mapping[str, Promise]] = {
    "commitments": gettext_lazy("New commitment"),
    "pending": gettext_lazy("New pending item"),
    "constraints": gettext_lazy("New constraint"),
    "decisions": gettext_lazy("New decision"),
    "authorizations": gettext_lazy("New authorisation"),
    "attempts": gettext_lazy("New attempt"),
}

GROUPS: Final[Mapping[str, Promise]] = {
    "goal": gettext_lazy("Goal"),
    "commitments": gettext_lazy("Commitments"),
    "pending": gettext_lazy("Pending"),
    "facts": gettext_lazy("Facts"),
    "preferences": gettext_lazy("Preferences"),
    "identifiers": gettext_lazy("Identifiers"),
    "constraints": gettext_lazy("Constraints"),
    "decisions": gettext_lazy("Decisions"),
    "authorizations": gettext_lazy("Authorisations"),
    "attempts": gettext_lazy("Attempts"),
}
"""The state's groups in the order in which the console shows them."""

ACTIONS: Final[Mapping[str, Promise]] = {
    "contact": gettext_lazy("contact"),
    "send": gettext_lazy("send"),
    "execute": gettext_lazy("carry out"),
    "share": gettext_lazy("share"),
}

CHANNELS: Final[Mapping[str, str]] = {"whatsapp": "WhatsApp", "email": "e-mail", "chat": "chat", "telegram": "Telegram"}


def show(value: Json | Missing) -> str:
    """A value as people read it; empty where there is none."""
    if isinstance(value, Missing) or value is None:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        return number_format(Decimal(str(value)), use_l10n=True, force_grouping=abs(value) >= GROUPED)
    if isinstance(value, str):
        return moment_or_text(value)
    if isinstance(value, list):
        return ", ".join(show(item) for item in value)
    if isinstance(value, dict):
        text = member_text(value)
        return text or json.dumps(value, ensure_ascii=False)
    return str(value)


def moment_or_text(text: str) -> str:
    """An ISO date or moment as the language writes it; any other text as it is."""
    try:
        if len(text) == 10 and text[4:5] == "-":
            return date_format(date.fromisoformat(text), "SHORT_DATE_FORMAT")
        if len(text) > 15 and text[4:5] == "-" and text[10:11] in "Tt":
            return date_format(timezone.localtime(datetime.fromisoformat(text.upper())), "SHORT_DATETIME_FORMAT")
    except (ValueError, OverflowError):
        pass
    return text


def member_text(member: Json) -> str:
    """What a member of a collection says: its task, question, text, or action with its scope."""
    if not isinstance(member, dict):
        return ""
    if "scope" in member and "action" in member:
        return f"{ACTIONS.get(member['action'], member['action'])}: {member['scope']}"
    return next((str(member[key]) for key in TEXT_KEYS if isinstance(member.get(key), str)), "")


def label(ticket_type: TicketType, pointer: str, state: State) -> str:
    """What a pointer is called; an id that stands for nothing yet is "new"."""
    collection, _slash, rest = pointer.lstrip("/").partition("/")
    if rest == "-" and collection in NEW:
        return str(NEW[collection])
    # A page that names groups by what is proposed has unfolded its type already.
    named = ticket_type if ticket_type.folded is not None else unfolded(ticket_type, state)
    return wording.label(pointer, named, state.values)


def kind_and_id(pointer: str) -> str:
    """A member by its kind and id, where its own words are shown beside it."""
    collection, _slash, member = pointer.strip("/").partition("/")
    return f"{wording.COLLECTIONS[collection]} {member}"


HIDDEN = "••••••"
"""What stands for the value of a sensitive field until somebody opens it, which is written into the log."""


def is_sensitive(ticket_type: TicketType, pointer: str) -> bool:
    """Whether the field is marked so: its quotes hold its value, and are hidden as it is."""
    field = ticket_type.fields.get(pointer)
    return field is not None and field.sensitive


def is_hidden(ticket_type: TicketType, pointer: str, value: Json | Missing) -> bool:
    """Whether a value is one of a sensitive field."""
    return is_sensitive(ticket_type, pointer) and value is not None and not isinstance(value, Missing)


def show_at(ticket_type: TicketType, pointer: str, value: Json | Missing, state: State) -> str:
    """A value as people read it, where it stands; of a sensitive field, that there is one."""
    return HIDDEN if is_hidden(ticket_type, pointer, value) else show_plain(ticket_type, pointer, value, state)


def show_plain(ticket_type: TicketType, pointer: str, value: Json | Missing, state: State) -> str:
    """The same, whatever the field: statuses by their words, numbers as they are written.

    For what is being decided, for words that are being written, and for who has opened the field.
    """
    if isinstance(value, str):
        place = ticket_type.place(pointer, state.values)
        if place is not None and place.kind == "status":
            return str(wording.MEMBER_STATUSES.get(value, value))
        field = ticket_type.fields.get(pointer)
        asked = notation.of_schema(field.schema) if field is not None else ""
        if asked:
            return notation.shown(asked, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and MONEY in _label_of(ticket_type, pointer):
        return number_format(Decimal(str(value)), decimal_pos=2, use_l10n=True, force_grouping=True)
    return show(value)


def veiled(state: State, ticket_type: TicketType) -> State:
    """The state as a summary tells it: of what sensitive fields hold, held, or are told by others, that it is there."""
    values, slots = state.values, dict(state.slots)
    for pointer, field in unfolded(ticket_type, state).fields.items():
        if not field.sensitive:
            continue
        if is_hidden(ticket_type, pointer, lookup(values, pointer)):
            values = apply(values, [Operation(Op.REPLACE, pointer, HIDDEN)])
        slot = slots.get(pointer)
        if slot is not None:
            slots[pointer] = _veiled(slot)
    return replace(state, values=values, slots=slots)


def _veiled(slot: Slot) -> Slot:
    before = slot.replaces
    if before is not None and not isinstance(before.value, Missing):
        before = replace(before, value=HIDDEN, evidence=())
    others = tuple(replace(one, value=HIDDEN, evidence=()) for one in slot.challengers)
    return replace(slot, replaces=before, challengers=others, evidence=())


def _label_of(ticket_type: TicketType, pointer: str) -> str:
    field = ticket_type.fields.get(pointer)
    return field.label if field is not None else ""


def held(state: State, pointer: str) -> Json | Missing:
    return lookup(state.values, pointer)


def due_words(due: Json | Missing, today: date) -> tuple[str, bool]:
    """When something is due, in words, and whether that is past."""
    if not isinstance(due, str):
        return "", False
    try:
        moment = date.fromisoformat(due) if len(due) == 10 else timezone.localtime(datetime.fromisoformat(due.upper()))
    except ValueError:
        return due, False
    day = moment.date() if isinstance(moment, datetime) else moment
    late = moment < timezone.localtime() if isinstance(moment, datetime) else day < today
    words = moment_or_text(due)
    if late:
        return _("due %(when)s, overdue") % {"when": words}, True
    if day == today:
        return _("due today, %(when)s") % {"when": words}, False
    return _("due %(when)s") % {"when": words}, False


def is_finished(place: Place, state: State) -> bool:
    member = lookup(state.values, place.member_pointer) if place.collection else MISSING
    return isinstance(member, dict) and member.get("status") in FINISHED


def initials(name: str) -> str:
    words = [word for word in name.split() if word[:1].isalnum()]
    if not words:
        return "?"
    return (words[0][0] + (words[-1][0] if len(words) > 1 else words[0][1:2])).upper()


def source(name: str | None) -> str:
    """A source as a tag has it; empty where there is none."""
    return str(SHORT_SOURCES.get(name or "", name or ""))


def owner(name: str) -> str:
    """Who keeps a commitment: a role by its word, a person by name."""
    return str(SHORT_SOURCES.get("agent" if name == "team" else name, name))
