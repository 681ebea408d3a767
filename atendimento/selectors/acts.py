"""The log of administration as people read it: what was done, by whom, and who opened what is sensitive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.corrections import former_labels
from atendimento.models import Act, AdministrativeAct, Membership, Ticket
from atendimento.selectors import keeping, reading
from atendimento.selectors.administration import act_words
from atendimento.selectors.parts import Option

PAGE: Final = 50
CHUNK: Final = 500
CLOCK: Final = "clock"
"""In the filter by person: what nobody did, but the clock or a command."""

AREAS: Final[Mapping[str, tuple[Promise, tuple[str, ...]]]] = {
    "people": (gettext_lazy("People and sign-in"), ("member_", "invit", "sign_on", "second_factor", "sessions_", "team_")),
    "tokens": (gettext_lazy("Tokens"), ("token_",)),
    "types": (gettext_lazy("Ticket types"), ("type_",)),
    "settings": (gettext_lazy("Settings"), ("masking", "budget", "reminders", "setting", "model_", "first_run")),
    "retention": (gettext_lazy("Retention and holds"), ("retention_", "hold_")),
    "erasure": (gettext_lazy("Erasure and exports"), ("erasure_", "customer_", "log_")),
    "sensitive": (gettext_lazy("Openings of what is sensitive"), ("sensitive_",)),
}
"""Acts by how their codes begin. An act of no area is found without this filter."""


Labels = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the log is wanted; from the address, where what is none counts as not asked for."""

    person: str = ""
    area: str = ""
    since: date | None = None
    until: date | None = None
    before: int | None = None

    @classmethod
    def read(cls, query: QueryDict) -> Filters:
        before = query.get("before", "")
        person = query.get("person", "")
        return cls(
            person if person == CLOCK or _is_number(person) else "",
            query.get("area", "") if query.get("area", "") in AREAS else "",
            _day(query.get("since", "")),
            _day(query.get("until", "")),
            int(before) if _is_number(before) else None,
        )

    @property
    def address(self) -> str:
        """The filters as they stand in an address, the place in the list left out."""
        named = {
            "person": self.person,
            "area": self.area,
            "since": self.since.isoformat() if self.since else "",
            "until": self.until.isoformat() if self.until else "",
            "before": str(self.before or ""),
        }
        return "?" + urlencode({key: value for key, value in named.items() if value})


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 18


def _day(text: str) -> date | None:
    """A day whose neighbours exist in every zone."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1 < day.year < 9999 else None


@dataclass(frozen=True, slots=True)
class ActRow:
    who: str
    what: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ActsPage:
    rows: tuple[ActRow, ...]
    people: tuple[Option, ...]
    areas: tuple[Option, ...]
    filters: Filters
    older: str  # the address of the next page; empty: there is none

    @property
    def filtered(self) -> bool:
        return replace(self.filters, before=None) != Filters()


def page(member: Membership, filters: Filters) -> ActsPage:
    """One page of the log, newest first. Raises DomainError `permission.denied`."""
    found = list(_found(member, filters)[: PAGE + 1])
    labels = _labels(member, found)
    older = replace(filters, before=found[PAGE - 1].pk).address if len(found) > PAGE else ""
    people = Membership.objects.filter(organization=member.organization).order_by("name", "pk")
    return ActsPage(
        tuple(ActRow(_who(row), words(row, labels), row.at) for row in found[:PAGE]),
        (
            *(Option(str(one.pk), one.name, str(one.pk) == filters.person) for one in people),
            Option(CLOCK, _("The clock"), filters.person == CLOCK),
        ),
        tuple(Option(code, str(label), code == filters.area) for code, (label, _codes) in AREAS.items()),
        filters,
        older,
    )


def _found(member: Membership, filters: Filters) -> QuerySet[AdministrativeAct]:
    access.require(member, Permission.MANAGE)
    rows = AdministrativeAct.objects.select_related("member").filter(organization_id=member.organization_id)
    if filters.person == CLOCK:
        rows = rows.filter(member=None)
    elif filters.person:
        rows = rows.filter(member=int(filters.person))
    if filters.area:
        begins = AREAS[filters.area][1]
        rows = rows.filter(kind__in=[kind for kind in Act.values if kind.startswith(begins)])
    zone = ZoneInfo(member.organization.timezone)
    if filters.since is not None:
        rows = rows.filter(at__gte=_midnight(filters.since, zone))
    if filters.until is not None:
        rows = rows.filter(at__lt=_midnight(filters.until, zone) + timedelta(days=1))
    if filters.before is not None:
        rows = rows.filter(pk__lt=filters.before)
    return rows.order_by("-pk")


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def _who(row: AdministrativeAct) -> str:
    return row.member.name if row.member is not None else _("The clock")


def _labels(member: Membership, rows: Sequence[AdministrativeAct]) -> Labels:
    """What the sensitive fields that were opened are called, by the ticket's protocol and their pointer.

    A query for the tickets, a few for each of their types; none where nothing was opened.
    """
    opened = {(row.subject, pointer) for row in rows if row.kind == Act.SENSITIVE_READ for pointer in row.details["fields"]}
    tickets = Ticket.objects.filter(organization=member.organization, protocol__in={protocol for protocol, _ in opened})
    kinds = dict(tickets.values_list("protocol", "ticket_type_id")) if opened else {}
    called: dict[int, Mapping[str, str]] = {}
    for kind in set(kinds.values()):
        definition = reading.definition(kind)
        wanted = {pointer for protocol, pointer in opened if kinds.get(protocol) == kind}
        known = {pointer: wording.label(pointer, definition, {}) for pointer in wanted if pointer in definition.fields}
        called[kind] = {**known, **former_labels(kind, wanted - known.keys())}
    return {
        (protocol, pointer): called[kinds[protocol]].get(pointer, pointer) for protocol, pointer in opened if protocol in kinds
    }


def words(row: AdministrativeAct, labels: Labels) -> str:
    """What was done, in a sentence without its subject."""
    details: dict[str, Any] = dict(row.details)
    if row.kind == Act.RETENTION_SET:
        details = {key: _periods(details[key]) for key in ("periods", "was")}
    if row.kind == Act.HOLD_PLACED:
        details["until"] = details["until"] or _("it is lifted")
    if row.kind == Act.SENSITIVE_READ:
        details["fields"] = ", ".join(labels.get((row.subject, pointer), pointer) for pointer in details["fields"])
        details["via"] = _("by the API") if details["via"] == "api" else _("in the console")
    return act_words(row.kind, row.subject, details)


def _periods(periods: Mapping[str, int]) -> str:
    named = [f"{keeping.CLASSES[kind][0]} {days}" for kind, days in periods.items() if kind in keeping.CLASSES]
    return ", ".join(named) or _("without limit")


# --- as a file ----------------------------------------------------------------------------------------------------


def heading() -> list[str]:
    return [_("When"), _("Who"), _("What"), _("Subject"), _("Area"), _("Code"), _("Fields")]


def count(member: Membership, filters: Filters) -> int:
    """How many entries these filters find. Raises DomainError `permission.denied`."""
    return _found(member, replace(filters, before=None)).count()


def export(member: Membership, filters: Filters) -> Iterator[list[str]]:
    """The entries, newest first, as cells."""
    zone = ZoneInfo(member.organization.timezone)
    found = _found(member, replace(filters, before=None)).iterator(chunk_size=CHUNK)
    while rows := list(islice(found, CHUNK)):
        labels = _labels(member, rows)
        for row in rows:
            when = row.at.astimezone(zone).isoformat(sep=" ", timespec="seconds")
            codes = ", ".join(row.details["fields"]) if row.kind == Act.SENSITIVE_READ else ""
            yield [when, _who(row), words(row, labels), row.subject, _area(row.kind), row.kind, codes]


def _area(kind: str) -> str:
    """The area that an act counts to, as the filter names it."""
    return next((str(label) for label, begins in AREAS.values() if kind.startswith(begins)), "")
