"""The page on which a supervisor has a ticket's messages read again: how far it is, and both states side by side (H5)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import Membership, ProposedChange, Rebuild, RebuildKind, RunStatus
from atendimento.selectors import quotes, reading, values
from atendimento.selectors.parts import Chip, Quote
from atendimento.selectors.reading import Cited
from memoria.fields import TicketType
from memoria.patch import MISSING
from memoria.proposals import Evidence, Status
from memoria.state import State

STATUSES: Final[Mapping[str, tuple[Promise, str]]] = {
    RunStatus.QUEUED.value: (gettext_lazy("waiting"), "proposed"),
    RunStatus.RUNNING.value: (gettext_lazy("reading"), "proposed"),
    RunStatus.READY.value: (gettext_lazy("read"), "ok"),
    RunStatus.PARKED.value: (gettext_lazy("stopped"), "conflict"),
}
DIFFERENCES: Final[Mapping[str, tuple[Promise, str]]] = {
    "different": (gettext_lazy("another value"), "conflict"),
    "only_reread": (gettext_lazy("only in the new reading"), "proposed"),
    "only_now": (gettext_lazy("only in what holds"), "confirm"),
    "same": (gettext_lazy("the same"), "ok"),
}
"""In the order in which the page lists them: what asks for a look stands first."""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    label: str
    difference: str
    chip: Chip
    now: str
    now_quotes: tuple[Quote, ...]
    reread: str
    reread_quotes: tuple[Quote, ...]
    lost: str = ""  # which of the present value's messages no longer back it
    change_url: str = ""
    change_label: str = ""


@dataclass(frozen=True, slots=True)
class RebuildPage:
    """`state`: none, under_way, parked, ready."""

    url: str
    ticket_url: str
    title: str
    protocol: str
    state: str
    id: str = ""
    chip: Chip | None = None
    progress: str = ""
    done: int = 0
    total: int = 0
    problem: str = ""
    begun: datetime | None = None
    who: str = ""
    version: int = 0
    outcome: str = ""
    notes: tuple[str, ...] = ()
    rows: tuple[DifferenceRow, ...] = ()


def may_rebuild(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.REBUILD)


def page(member: Membership, ticket_id: str | uuid.UUID) -> RebuildPage:
    """The latest reading of the ticket's messages, and what can be done. Raises NotFound, DomainError."""
    access.require(member, Permission.REBUILD)
    ticket = access.ticket(member, ticket_id)
    begun = Rebuild.objects.filter(ticket=ticket, kind=RebuildKind.MESSAGES).exclude(status=RunStatus.SUPERSEDED)
    row = begun.select_related("created_by").order_by("-created_at", "-id").first()
    shown: dict[str, Any] = {
        "url": reverse("web:rebuild", args=[ticket.pk]),
        "ticket_url": reverse("web:ticket", args=[ticket.pk]),
        "title": ticket.subject,
        "protocol": ticket.protocol,
    }
    if row is None:
        return RebuildPage(state="none", **shown)
    label, tone = STATUSES[row.status]
    progress = ngettext("%(done)d of %(count)d message read", "%(done)d of %(count)d messages read", row.total)
    shown |= {
        "id": str(row.pk),
        "chip": Chip(str(label), tone),
        "progress": progress % {"done": row.done, "count": row.total},
        "done": row.done,
        "total": max(1, row.total),
        "begun": row.created_at,
        "who": row.created_by.name if row.created_by else _("a command"),
        "version": row.base_version,
    }
    if row.status == RunStatus.PARKED:
        problem = wording.PROBLEMS.get(row.problem_code, _("The reading stopped."))
        return RebuildPage(state="parked", problem=str(problem), **shown)
    if row.status != RunStatus.READY:
        return RebuildPage(state="under_way", **shown)
    ticket_type, now = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    report = row.report
    cited = {item["message"] for shown_row in report["rows"] for item in (*shown_row["held"], *shown_row["evidence"])}
    sight = _Sight(ticket_type, now, reading.cited(ticket.pk, cited), _links(ticket.pk, report["rows"]))
    order = tuple(DIFFERENCES)
    rows = [_row(item, sight) for item in sorted(report["rows"], key=lambda item: order.index(item["difference"]))]
    return RebuildPage(state="ready", outcome=_outcome(report["rows"]), notes=_notes(report), rows=tuple(rows), **shown)


@dataclass(frozen=True, slots=True)
class _Sight:
    ticket_type: TicketType
    state: State
    messages: Cited
    links: Mapping[str, tuple[str, str]]  # of a proposed change: address and words


def _links(ticket_id: uuid.UUID, rows: Iterable[Mapping[str, Any]]) -> Mapping[str, tuple[str, str]]:
    ids = [item["change"] for item in rows if item["change"]]
    address = reverse("web:ticket", args=[ticket_id])
    found = {}
    for change in ProposedChange.objects.filter(pk__in=ids):
        anchor = {Status.PENDING.value: f"#ch-{change.pk}", Status.REFUSED.value: f"#rf-{change.pk}"}.get(change.status, "")
        pane = "decide" if anchor else "history"
        words = str(wording.CHANGE_STATUSES[change.status])
        found[str(change.pk)] = (f"{address}?pane={pane}&show=memory{anchor}", words)
    return found


def _row(item: Mapping[str, Any], sight: _Sight) -> DifferenceRow:
    pointer = item["pointer"]
    label, tone = DIFFERENCES[item["difference"]]
    url, words = sight.links.get(item["change"] or "", ("", ""))
    return DifferenceRow(
        label=values.label(sight.ticket_type, pointer, sight.state),
        difference=item["difference"],
        chip=Chip(str(label), tone),
        now=_shown(item.get("now", MISSING), pointer, sight),
        now_quotes=_quotes(item["held"], pointer, sight),
        reread=_shown(item.get("reread", MISSING), pointer, sight),
        reread_quotes=_quotes(item["evidence"], pointer, sight),
        lost=_("Evidence that is gone: %(messages)s") % {"messages": ", ".join(item["lost"])} if item["lost"] else "",
        change_url=url,
        change_label=words,
    )


def _shown(value: Any, pointer: str, sight: _Sight) -> str:
    return values.show_at(sight.ticket_type, pointer, value, sight.state)


def _quotes(evidence: Iterable[Mapping[str, Any]], pointer: str, sight: _Sight) -> tuple[Quote, ...]:
    if values.is_sensitive(sight.ticket_type, pointer):
        return ()
    return quotes.of_evidence([Evidence.from_json(item) for item in evidence], sight.messages)


def _outcome(rows: list[Mapping[str, Any]]) -> str:
    differ = sum(item["difference"] != "same" for item in rows)
    if not differ:
        return _("The messages give what holds: nothing differs.")
    return ngettext(
        "%(count)d of %(all)d value differs. Nothing was overwritten: what the reading brings waits for a decision.",
        "%(count)d of %(all)d values differ. Nothing was overwritten: what the reading brings waits for a decision.",
        differ,
    ) % {"count": differ, "all": len(rows)}


def _notes(report: Mapping[str, Any]) -> tuple[str, ...]:
    """What the reading cannot promise: messages that are no longer there, values whose words are gone."""
    notes = []
    if report["first"] is None:
        notes.append(_("There is no message left to read."))
    elif report["first"] > 1:
        notes.append(_("It begins at m-%(number)d: what came before is gone.") % {"number": report["first"]})
    if report["gone"]:
        words = ngettext("%(count)d message was deleted.", "%(count)d messages were deleted.", report["gone"])
        notes.append(words % {"count": report["gone"]})
    lost = sum(bool(item["lost"]) for item in report["rows"])
    if lost:
        words = ngettext(
            "%(count)d value rests on words that are no longer there.",
            "%(count)d values rest on words that are no longer there.",
            lost,
        )
        notes.append(words % {"count": lost})
    return tuple(notes)
