"""What an address asks of the search. What it asks for wrongly, it does not ask for."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from atendimento.selectors import queue, search_terms
from memoria.sources import Kind

GROUPS: Final[Mapping[str, Promise]] = {
    "tickets": gettext_lazy("Tickets"),
    "customers": gettext_lazy("Customers"),
    "identifiers": gettext_lazy("Identifiers"),
    "messages": gettext_lazy("Messages"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """The words, the group that is shown, and what narrows it."""

    query: str = ""
    group: str = ""  # one of GROUPS; empty: all of them, a few rows each
    start: str = ""
    end: str = ""
    ticket_type: str = ""
    status: str = ""
    author: str = ""
    after: str = ""

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Filters:
        asked = {name: given.get(key, "").replace("\0", "").strip()[:100] for name, key in PARAMETERS.items()}
        asked["query"] = search_terms.clean(given.get("q", ""))
        return cls(**{name: text if _makes_sense(name, text) else "" for name, text in asked.items()})

    @property
    def narrowed(self) -> bool:
        return any((self.start, self.end, self.ticket_type, self.status, self.author))

    def address(self, **changed: str) -> str:
        asked = {key: getattr(self, name) for name, key in PARAMETERS.items() if name != "after"}
        named = {key: text for key, text in {**asked, **changed}.items() if text}
        return reverse("web:search") + (f"?{urlencode(named)}" if named else "")


PARAMETERS: Final[Mapping[str, str]] = {
    item.name: {"query": "q", "group": "in", "start": "from", "end": "to", "ticket_type": "type"}.get(item.name, item.name)
    for item in fields(Filters)
}


def _makes_sense(name: str, text: str) -> bool:
    match name:
        case "group":
            return text in GROUPS
        case "start" | "end":
            return day_of(text) is not None
        case "status":
            return text in queue.STATUSES
        case "author":
            return text in {kind.value for kind in Kind}
        case "after":
            return key_of(text) is not None
    return True


def day_of(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1 < day.year < 9999 else None


def key_of(text: str) -> tuple[datetime, str] | None:
    """The place after which a page begins: a moment, and the row's id."""
    moment, _underscore, identity = text.partition("_")
    try:
        at = datetime.fromisoformat(moment)
        return None if at.tzinfo is None or not identity else (at.astimezone(UTC), identity)
    except (ValueError, OverflowError):
        return None


def as_uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        return uuid.UUID(int=0)


def as_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 18 else 0
