"""The corrections of all tickets, newest first: filters, pages by keyset, and the same rows for a spreadsheet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.db.models import Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.corrections import folded
from atendimento.models import CauseChoice, Correction, Membership, TicketType
from atendimento.selectors import reading, values
from atendimento.selectors.of_fields import of_fields
from atendimento.selectors.parts import Chip, Option, Problem
from memoria.causes import ERRORS, Act, Cause
from memoria.members import SHAPES
from memoria.patch import Json, Missing, parse_pointer
from memoria.proposals import Verdict
from memoria.rows import template_of

PAGE: Final = 50
UNKNOWN: Final = "unknown"  # in an address: no cause yet

ACTS: Final[Mapping[str, Promise]] = {
    Act.REPLACED.value: gettext_lazy("replaced"),
    Act.WITHDRAWN.value: gettext_lazy("withdrawn"),
    Act.RESOLVED.value: gettext_lazy("divergence settled"),
    Act.OVERRIDDEN.value: gettext_lazy("replaced all the same"),
    Act.REJECTED.value: gettext_lazy("proposal rejected"),
    Act.EDITED.value: gettext_lazy("proposal edited"),
    Act.UNDONE.value: gettext_lazy("undone"),
    Act.UNFIT.value: gettext_lazy("withdrawn with a new version of the type"),
}
CAUSES: Final[Mapping[str, Promise]] = {
    Cause.CHANGED_MIND.value: gettext_lazy("the customer changed their mind"),
    Cause.MODEL_MISREAD.value: gettext_lazy("the model misread"),
    Cause.STAFF_ERROR.value: gettext_lazy("error of the staff"),
    Cause.OLD_RECORD.value: gettext_lazy("old record"),
}
VERDICTS: Final[Mapping[str, Promise]] = {
    Verdict.ALLOWED.value: gettext_lazy("permitted by the rule"),
    Verdict.CONFLICT.value: gettext_lazy("at odds with a source that weighs as much or more"),
    Verdict.NO_CHANGE.value: gettext_lazy("changed nothing"),
    Verdict.REFUSED.value: gettext_lazy("refused by a rule"),
}


def may_read(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.READ_ALL_HISTORY)


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for. What it asks for wrongly, it does not ask for."""

    field: str = ""
    old: str = ""
    new: str = ""
    source: str = ""
    actor: str = ""
    verdict: str = ""
    kind: str = ""
    cause: str = ""
    override: str = ""
    start: str = ""
    end: str = ""
    after: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        asked = {name: query.get(PARAMETERS.get(name, name), "").replace("\0", "").strip()[:200] for name in NAMES}
        return cls(**{name: text if _makes_sense(name, text) else "" for name, text in asked.items()})

    @property
    def named(self) -> dict[str, str]:
        """What is asked, as the address has it, without the place in the list."""
        asked = {PARAMETERS.get(name, name): getattr(self, name) for name in NAMES if name != "after"}
        return {name: text for name, text in asked.items() if text}

    def address(self, name: str = "web:corrections", after: str = "") -> str:
        asked = self.named | ({"after": after} if after else {})
        return reverse(name) + (f"?{urlencode(asked)}" if asked else "")


NAMES: Final = tuple(item.name for item in fields(Filters))
PARAMETERS: Final = {"start": "from", "end": "to"}
CHOICES: Final[Mapping[str, frozenset[str]]] = {
    "source": frozenset(wording.SOURCES),
    "verdict": frozenset(VERDICTS),
    "kind": frozenset(ACTS),
    "cause": frozenset({*CAUSES, UNKNOWN}),
    "override": frozenset({"1"}),
}


def _makes_sense(name: str, text: str) -> bool:
    if name in CHOICES:
        return text in CHOICES[name]
    if name in ("start", "end"):
        return _day(text) is not None
    if name == "actor":
        return text.isascii() and text.isdecimal() and len(text) < 18
    return name != "after" or _key(text) is not None


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1 < day.year < 9999 else None


def _key(text: str) -> tuple[datetime, int] | None:
    moment, _underscore, identity = text.partition("_")
    if not (identity.isascii() and identity.isdecimal() and len(identity) < 18):
        return None
    try:
        at = datetime.fromisoformat(moment)
        return None if at.tzinfo is None else (at.astimezone(UTC), int(identity))
    except (ValueError, OverflowError):
        return None


Veils = Mapping[int, Collection[str]]
"""By ticket type the pointers of its sensitive fields: no list shows their values, for looking at one opens nothing."""


def _veils(member: Membership) -> Veils:
    """One query for the types and one for each: there are few; and one for the fields that they have no more."""
    keys = TicketType.objects.filter(organization=member.organization, published__isnull=False).values_list("pk", flat=True)
    held = {key: reading.definition(key) for key in keys}
    found = {key: {pointer for pointer, field in now.fields.items() if field.sensitive} for key, now in held.items()}
    changed = [key for key, now in held.items() if now.version > 1]
    for key, former in reading.former_definitions(changed) if changed else ():
        found[key] |= {
            pointer for pointer, field in former.fields.items() if field.sensitive and pointer not in held[key].fields
        }
    return found


def _veiled(row: Correction, veils: Veils) -> bool:
    return template_of(row.pointer) in veils.get(row.ticket.ticket_type_id, ())


def _matching(member: Membership, filters: Filters, veils: Veils) -> QuerySet[Correction]:
    rows = Correction.objects.filter(organization=member.organization)
    if filters.old or filters.new:  # else a value that is not shown is guessed letter by letter
        for ticket_type, pointers in veils.items():
            rows = rows.exclude(of_fields("pointer", pointers), ticket__ticket_type=ticket_type) if pointers else rows
    zone = ZoneInfo(member.organization.timezone)
    if filters.field.startswith("/"):
        rows = rows.filter(of_fields("pointer", [filters.field]))
    elif filters.field:
        rows = rows.filter(folded_label__contains=folded(filters.field))
    if filters.old:
        rows = rows.filter(folded_old__contains=folded(filters.old))
    if filters.new:
        rows = rows.filter(folded_new__contains=folded(filters.new))
    if filters.actor:
        rows = rows.filter(member_id=int(filters.actor))
    if filters.override:
        rows = rows.exclude(override="")
    named = {"source": filters.source, "verdict": filters.verdict, "act": filters.kind}
    rows = rows.filter(**{column: text for column, text in named.items() if text})
    if filters.cause:
        rows = rows.filter(cause="" if filters.cause == UNKNOWN else filters.cause)
    first, last = _day(filters.start), _day(filters.end)
    if first is not None:
        rows = rows.filter(at__gte=datetime.combine(first, time.min, zone))
    if last is not None:
        rows = rows.filter(at__lt=datetime.combine(last + timedelta(days=1), time.min, zone))
    return rows


def _read(member: Membership, filters: Filters, count: int, veils: Veils) -> tuple[list[Correction], str]:
    """One page of rows, and the key of the next one; empty where there is none. Two queries, however many rows."""
    rows = _matching(member, filters, veils)
    key = _key(filters.after) if filters.after else None
    if key is not None:
        rows = rows.filter(Q(at__lt=key[0]) | Q(at=key[0], pk__lt=key[1]))
    choices = Prefetch("choices", CauseChoice.objects.select_related("by").order_by("-id"))
    found = list(rows.select_related("ticket", "member").prefetch_related(choices).order_by("-at", "-id")[: count + 1])
    more = len(found) > count
    last = found[count - 1] if more else None
    return found[:count], f"{last.at.astimezone(UTC).isoformat()}_{last.pk}" if last is not None else ""


# --- the page -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    id: int
    url: str
    protocol: str
    subject: str
    version: int
    label: str
    old: str
    new: str
    act: Chip
    source: str
    actor: str
    at: datetime
    verdict: str
    override: str
    reason: str
    cause: str
    counts: bool  # as an error
    chosen: str  # who said so, and when; empty: the rule
    causes: tuple[Option, ...]
    reopened: bool  # a rejection was undone: what was proposed waits again


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the filters that are chosen from a list."""

    name: str
    label: str
    any: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Page:
    rows: tuple[Row, ...]
    filters: Filters
    choices: tuple[Choice, ...]
    query: str
    export_url: str
    next_url: str = ""
    first_url: str = ""  # from a later page, back to the newest
    problem: Problem | None = None


def page(member: Membership, filters: Filters, problem: Problem | None = None) -> Page:
    """One page of corrections. Raises DomainError for who may not read across tickets."""
    access.require(member, Permission.READ_ALL_HISTORY)
    veils = _veils(member)
    found, key = _read(member, filters, PAGE, veils)
    return Page(
        rows=tuple(_row(row, causes_of(member), veils) for row in found),
        filters=filters,
        choices=_choices(member, filters),
        query=urlencode(filters.named | ({"after": filters.after} if filters.after else {})),
        export_url=filters.address("web:corrections-export"),
        next_url=filters.address(after=key) if key else "",
        first_url=filters.address() if filters.after else "",
        problem=problem,
    )


def _options(words: Mapping[str, Promise] | Mapping[str, str], chosen: str) -> tuple[Option, ...]:
    return tuple(Option(key, str(word), key == chosen) for key, word in words.items())


def _choices(member: Membership, filters: Filters) -> tuple[Choice, ...]:
    people = Membership.objects.filter(organization=member.organization).order_by("name", "pk").values_list("pk", "name")
    actors = tuple(Option(str(key), name, str(key) == filters.actor) for key, name in people)
    causes = (*_options(causes_of(member), filters.cause), Option(UNKNOWN, _("to be said"), filters.cause == UNKNOWN))
    return (
        Choice("actor", _("Who"), _("anybody"), actors),
        Choice("kind", _("What happened"), _("anything"), _options(ACTS, filters.kind)),
        Choice("cause", _("Cause"), _("any"), causes),
        Choice("source", _("Source"), _("any"), _options(values.SHORT_SOURCES, filters.source)),
        Choice("verdict", _("Verdict"), _("any"), _options(VERDICTS, filters.verdict)),
    )


def label(row: Correction) -> str:
    """The field's label; of a member what it is, and its own words."""
    parts = parse_pointer(row.pointer) if row.pointer.startswith("/") else ()
    if len(parts) < 2 or parts[0] not in wording.COLLECTIONS:
        return row.label
    words = f"{wording.COLLECTIONS[parts[0]]}: {row.label}"
    part = {"status": _("status"), "due": _("due")}.get(parts[2]) if len(parts) == 3 else None
    return f"{words} ({part})" if part is not None else words


def shown(row: Correction, value: Json | Missing, veils: Veils) -> str:
    """A value as people read it; a member's status by its word; of a sensitive field, that there is one."""
    if _veiled(row, veils) and value is not None and not isinstance(value, Missing):
        return values.HIDDEN
    if isinstance(value, str) and row.pointer.endswith("/status") and row.pointer.strip("/").split("/")[0] in SHAPES:
        return str(wording.MEMBER_STATUSES.get(value, value))
    return values.show(value)


def _row(row: Correction, causes: Mapping[str, str], veils: Veils) -> Row:
    address = reverse("web:ticket", args=[row.ticket_id]) + f"?pane=state&show=memory&version={row.version}"
    if row.message is not None:
        address += f"&m={row.message}"
    return Row(
        id=row.pk,
        url=address,
        protocol=row.ticket.protocol,
        subject=row.ticket.subject,
        version=row.version,
        label=label(row),
        old=shown(row, row.old, veils),
        new=shown(row, row.new, veils),
        act=Chip(act(row), "conflict" if row.override else ""),
        reopened=_reopened(row),
        source=values.source(row.source),
        actor=_actor(row),
        at=row.at,
        verdict=_verdict(row),
        override=row.override,
        reason=row.reason,
        cause=_cause(row, causes),
        counts=row.cause in ERRORS,
        chosen=_chosen(row),
        causes=_options(causes, row.cause),
    )


def act(row: Correction) -> str:
    """What was done, in words."""
    return _("rejection undone") if _reopened(row) else str(ACTS[row.act])


def _reopened(row: Correction) -> bool:
    """Whether it took a rejection back: no value came of it, a proposal waits for a decision again."""
    return row.act == Act.UNDONE and row.change_id is not None


def _actor(row: Correction) -> str:
    return row.member.name if row.member is not None else _("The system")


def _verdict(row: Correction) -> str:
    return str(VERDICTS.get(row.verdict, ""))


def causes_of(member: Membership) -> dict[str, str]:
    """The causes by the names that they have in this organisation."""
    own = member.organization.cause_names
    return {cause: own.get(cause) or str(usual) for cause, usual in CAUSES.items()}


def _cause(row: Correction, causes: Mapping[str, str]) -> str:
    return causes[row.cause] if row.cause else _("to be said")


def _chosen(row: Correction) -> str:
    choices = row.choices.all()
    if not choices:
        return ""
    last = choices[0]
    return _("said by %(name)s, %(when)s") % {"name": last.by.name, "when": _moment(last.at)}


def _moment(at: datetime) -> str:
    return date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")


# --- the spreadsheet ----------------------------------------------------------------------------------------------


def heading() -> Sequence[str]:
    """The first line of the spreadsheet."""
    names = (_("Ticket"), _("Subject"), _("Version"), _("When"), _("Who"), _("What happened"), _("Field"))
    more = (_("Old value"), _("New value"), _("Source"), _("Verdict"), _("Reason for overriding"), _("Reason"))
    return (*names, *more, _("Cause"), _("Counts as an error"), _("Cause said by"))


def export(member: Membership, filters: Filters, count: int) -> tuple[list[Sequence[str]], Filters | None]:
    """The next lines of the spreadsheet, and what to ask for the ones after; None where these were the last."""
    access.require(member, Permission.READ_ALL_HISTORY)
    veils = _veils(member)
    found, key = _read(member, filters, count, veils)
    causes = causes_of(member)
    return [_line(row, causes, veils) for row in found], replace(filters, after=key) if key else None


def _line(row: Correction, causes: Mapping[str, str], veils: Veils) -> Sequence[str]:
    at = timezone.localtime(row.at).strftime("%Y-%m-%d %H:%M:%S")
    who = (row.ticket.protocol, row.ticket.subject, str(row.version), at, _actor(row), act(row), label(row))
    new = shown(row, row.new, veils)
    if _reopened(row):
        new = _("%(value)s (to be decided again)") % {"value": new}
    what = (shown(row, row.old, veils), new, values.source(row.source), _verdict(row), row.override, row.reason)
    return (*who, *what, _cause(row, causes), _("yes") if row.cause in ERRORS else _("no"), _chosen(row))
