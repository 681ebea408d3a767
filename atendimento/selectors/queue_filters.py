"""What is asked of the queue: a view, and filters beside it. It lives in the address, and in the views that members keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PAGE: Final = 30
MOST_ROWS: Final = 300
"""So many rows a page shows at most, where somebody comes back to a list of which they had asked for more."""

VIEWS: Final[Mapping[str, Promise]] = {
    "decide": _("To decide"),
    "mine": _("Mine"),
    "escalated": _("Escalated to me"),
    "confirm": _("Needs confirmation"),
    "conflicts": _("Divergences"),
    "overdue": _("Commitments overdue"),
    "today": _("Due today"),
    "unowned": _("Without owner"),
    "failed": _("Failed reading"),
    "snoozed": _("Snoozed"),
    "all": _("All open"),
    "closed": _("Closed"),
}
HOT: Final = frozenset({"escalated", "conflicts", "overdue", "failed"})
UNCOUNTED: Final = frozenset({"closed"})
"""Of what is done nobody needs the number."""

WAITING: Final[Mapping[str, timedelta]] = {
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
    "1d": timedelta(days=1),
    "3d": timedelta(days=3),
}
NONE: Final = "none"
"""In the address: without a team, without an owner."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What is asked of the queue. Empty asks for nothing; what an address holds and is not known counts as empty."""

    view: str = "decide"
    ticket_type: str = ""  # slug
    team: str = ""  # slug, or `none`
    assignee: str = ""  # a member's id, `me`, or `none`
    channel: str = ""
    waiting: str = ""  # somebody waits for a reply for longer than this: a key of WAITING
    after: str = ""  # the last row of the page before: moment and id
    rows: int = PAGE  # how many rows are asked for at once

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Filters:
        """From an address, whatever it holds."""
        view, waiting = given.get("view", ""), given.get("waiting", "")
        return cls(
            view if view in VIEWS else "decide",
            _text(given, "type", 100),
            _text(given, "team", 100),
            _owner(_text(given, "assignee", 20)),
            _text(given, "channel", 50),
            waiting if waiting in WAITING else "",
            _text(given, "after", 100),
            _rows(given.get("rows", "")),
        )

    @property
    def asked(self) -> dict[str, str]:
        """What makes the list this one, wherever in it one stands: as it is kept in a member's own view."""
        named = {
            "view": "" if self.view == "decide" else self.view,
            "type": self.ticket_type,
            "team": self.team,
            "assignee": self.assignee,
            "channel": self.channel,
            "waiting": self.waiting,
        }
        return {key: value for key, value in named.items() if value}

    @property
    def narrowed(self) -> bool:
        """Whether anything is asked for beside the view."""
        return bool(self.ticket_type or self.team or self.assignee or self.channel or self.waiting)

    @property
    def whole(self) -> Filters:
        """The same list from its first row on."""
        return replace(self, after="", rows=PAGE)

    def _query(self, **more: str) -> str:
        place = {"after": self.after, "rows": "" if self.rows == PAGE else str(self.rows)}
        named = self.asked | {key: value for key, value in (place | more).items() if value}
        return f"?{urlencode(named)}" if named else ""

    def address(self, **more: str) -> str:
        """The list's own address; `more` goes with it."""
        return reverse("web:queue") + self._query(**more)

    def suffix(self, **more: str) -> str:
        """For a ticket's own address, so that opening one never loses the place."""
        return self._query(**more)


def _text(given: Mapping[str, str], name: str, most: int) -> str:
    return given.get(name, "").replace("\0", "").strip()[:most]


def _owner(text: str) -> str:
    number = text.isascii() and text.isdecimal() and len(text) < 18
    return text if number or text in ("me", NONE) else ""


def _rows(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        return PAGE
    return min(max(int(text), PAGE), MOST_ROWS)
