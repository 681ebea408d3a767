"""A reply before it is sent: what the rules find in it, in words, and what it promises, ready to be recorded."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import Membership, Message, ProposedChange, Ticket
from atendimento.selectors import reading, values
from atendimento.selectors.parts import ReplyCheck, ReplyFinding
from atendimento.selectors.working import calendar_of
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.patch import Json, Missing
from memoria.proposals import Status
from memoria.reply_check import Code, Finding, Ground, Offer, Proposed, check
from memoria.state import State

MOST_CHANGES = 200
"""Undecided and rejected changes that a reply is checked against, newest first."""
MOST_UNREAD = 20
MOST_CHECKED = 10_000
"""Code points of a reply that are read. What a person writes is shorter; what is pasted must not hold the server."""
SHOWN = 6
TONES = {
    Code.NOT_CURRENT: "bad",
    Code.CONSTRAINT: "bad",
    Code.AUTHORIZATION_MISSING: "bad",
    Code.AUTHORIZATION_REVOKED: "bad",
    Code.UNREAD: "",
}
ICONS = {
    Code.DONE_BUT_OPEN: "circle-dashed",
    Code.PROMISE_UNRECORDED: "calendar-clock",
    Code.PROMISE_OTHER_DUE: "calendar-clock",
    Code.PROMISE_UNDECIDED: "calendar-clock",
    Code.UNDECIDED: "hourglass",
    Code.CONSTRAINT: "ban",
    Code.AUTHORIZATION_MISSING: "ban",
    Code.AUTHORIZATION_REVOKED: "ban",
    Code.GAP: "quote",
    Code.UNREAD: "info",
}


@dataclass(frozen=True, slots=True)
class Promise:
    """A commitment as it is recorded, and where in the reply its words stand."""

    value: dict[str, Json]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A reply's findings with what they speak of."""

    text: str
    findings: tuple[Finding, ...]
    state: State
    ticket_type: TicketType

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What the reply promises and nothing records."""
        return tuple(Promise(_commitment(item.offer), item.start, item.end) for item in self.findings if item.offer is not None)

    def hinders(self, *, recording: bool = False) -> bool:
        """Whether sending asks once more. What is recorded in the same stroke is no reason to."""
        return any(item.hinders and not (recording and item.offer is not None) for item in self.findings)


def digest(text: str) -> str:
    """Names a text, so that "all the same" is said of the words that were shown and of no others."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def promised(found: Checked) -> str:
    """Names the commitments that a reply makes; empty where it makes none."""
    told = json.dumps([promise.value for promise in found.promises], sort_keys=True, ensure_ascii=False)
    return digest(told) if found.promises else ""


def was_sent(member: Membership, ticket_id: str | uuid.UUID, key: uuid.UUID) -> bool:
    """Whether the reply written in this form is recorded already."""
    ticket = access.ticket(member, ticket_id)
    return Message.objects.filter(ticket=ticket, send_key=key, member=member).exists()


def checked(member: Membership, ticket_id: str | uuid.UUID, text: str) -> Checked:
    """Check a reply of this member to this ticket's customer."""
    access.require(member, Permission.WRITE_REPLIES)
    ticket = access.ticket(member, ticket_id)
    state = reading.current_state(ticket.pk)
    ticket_type = unfolded(reading.definition(ticket.ticket_type_id), state)
    return Checked(text, check(text[:MOST_CHECKED], ground_of(ticket, state, ticket_type)), state, ticket_type)


def ground_of(ticket: Ticket, state: State, ticket_type: TicketType) -> Ground:
    """What a reply to this ticket is checked against, now."""
    zone = ZoneInfo(ticket.organization.timezone)
    now = datetime.now(zone)
    rows = ProposedChange.objects.filter(ticket=ticket, status__in=[Status.PENDING, Status.REJECTED]).order_by("-id")
    changes = list(rows.only("id", "status", "path", "value", "citations")[:MOST_CHANGES])
    unread = Message.objects.filter(
        ticket=ticket, awaits_reading=True, deleted_at=None, author_kind__in=["customer", "third_party"]
    )
    numbers = list(unread.order_by("-number").values_list("number", flat=True)[:MOST_UNREAD])
    return Ground(
        state,
        ticket_type,
        now,
        zone,
        calendar_of(ticket.organization, now),
        tuple(_proposed(row) for row in changes if row.status == Status.PENDING),
        tuple(_proposed(row) for row in changes if row.status == Status.REJECTED),
        tuple(f"m-{number}" for number in reversed(numbers)),
    )


def _proposed(row: ProposedChange) -> Proposed:
    return Proposed(row.path, row.value, tuple(dict.fromkeys(item["message"] for item in row.citations)))


def _commitment(offer: Offer) -> dict[str, Json]:
    return {"task": offer.task, "owner": "team", "due": offer.due, "due_text": offer.due_text, "kind": offer.kind}


# --- in words -----------------------------------------------------------------------------------------------------


def view(found: Checked, *, held: bool = False) -> ReplyCheck:
    """The findings as the composer shows them. `held`: the reply was to be sent, and was not."""
    rows = tuple(_row(item, found) for item in found.findings[:SHOWN])
    more = len(found.findings) - len(rows)
    promises = found.promises
    label = ""
    if promises:
        named = ", ".join(f"“{promise.value['task']}”" for promise in promises)
        words = ngettext(
            "Record the commitment %(what)s with the reply", "Record the commitments %(what)s with the reply", len(promises)
        )
        label = words % {"what": named}
    return ReplyCheck(
        rows,
        more=ngettext("%(count)d more", "%(count)d more", more) % {"count": more} if more > 0 else "",
        hinders=found.hinders(),
        held=held,
        digest=digest(found.text) if held else "",
        record=label,
        promised=promised(found),
    )


def _row(item: Finding, found: Checked) -> ReplyFinding:
    words = found.text[item.start : item.end]
    return ReplyFinding(
        item.code.value, ICONS.get(item.code, "triangle-alert"), TONES.get(item.code, "warn"), words, _sentence(item, found)
    )


def _sentence(item: Finding, found: Checked) -> str:
    match item.code:
        case Code.DONE_BUT_OPEN:
            return _still_open(item.pointer, found)
        case Code.PROMISE_UNRECORDED:
            return _unrecorded(item.offer)
        case Code.PROMISE_OTHER_DUE:
            due = values.moment_or_text(str(item.value))
            return _("%(member)s is due %(when)s.") % {"member": _member(item.pointer, found), "when": due}
        case Code.PROMISE_UNDECIDED:
            return _("A proposed commitment waits for your decision (%(messages)s).") % {"messages": ", ".join(item.messages)}
        case Code.NOT_CURRENT:
            return _not_current(item, found)
        case Code.UNDECIDED:
            return _undecided(item, found)
        case Code.CONSTRAINT:
            return _member(item.pointer, found)
        case Code.AUTHORIZATION_MISSING:
            return _("Nobody has authorised this: %(action)s.") % {"action": values.ACTIONS.get(item.why, item.why)}
        case Code.AUTHORIZATION_REVOKED:
            return _("%(member)s was revoked.") % {"member": _member(item.pointer, found)}
        case Code.GAP if not item.pointer:
            return _("Nothing was filled in here: this type of ticket knows no such name.")
        case Code.GAP if (field := found.ticket_type.fields.get(item.pointer)) is not None and field.sensitive:
            return _("“%(field)s” is sensitive: it is to be filled in by hand.") % {"field": _label(item.pointer, found)}
        case Code.GAP:
            return _("“%(field)s” has no value that holds.") % {"field": _label(item.pointer, found)}
    count = len(item.messages)
    words = ngettext(
        "%(count)d message has not been read for the memory yet: %(messages)s.",
        "%(count)d messages have not been read for the memory yet: %(messages)s.",
        count,
    )
    return words % {"count": count, "messages": ", ".join(item.messages)}


def _label(pointer: str, found: Checked) -> str:
    return wording.label(pointer, found.ticket_type, found.state.values)


def _member(pointer: str, found: Checked) -> str:
    """A member by kind, id and its own words."""
    held = values.held(found.state, pointer)
    text = "" if isinstance(held, Missing) else values.member_text(held)
    return f"{values.kind_and_id(pointer)} “{text}”"


def _still_open(pointer: str, found: Checked) -> str:
    if pointer in found.ticket_type.fields:
        return _("“%(field)s” awaits confirmation.") % {"field": _label(pointer, found)}
    held = values.held(found.state, pointer)
    status = str(held.get("status", "")) if isinstance(held, dict) else ""
    return _("%(member)s is not done: %(status)s.") % {
        "member": _member(pointer, found),
        "status": wording.MEMBER_STATUSES.get(status, status),
    }


def _unrecorded(offer: Offer | None) -> str:
    words = [_("No commitment records this promise.")]
    if offer is not None and offer.due is not None:
        due = _spoken(offer.due)
        if offer.moved is not None:
            named = _("“%(words)s” (%(day)s) is no working day: due %(due)s.")
            words.append(named % {"words": offer.due_text, "day": date_format(offer.moved, "SHORT_DATE_FORMAT"), "due": due})
        else:
            words.append(_("Due %(due)s.") % {"due": due})
    return " ".join(words)


def _spoken(due: str) -> str:
    """A due with its weekday: a slip is seen at once."""
    if len(due) == len("2026-03-10"):
        day = date.fromisoformat(due)
        return f"{date_format(day, 'D')} {date_format(day, 'SHORT_DATE_FORMAT')}"
    return values.moment_or_text(due)


def _not_current(item: Finding, found: Checked) -> str:
    label = _label(item.pointer, found)
    if item.why in ("corrected", "rejected") and item.value is not None:
        now = values.show_at(found.ticket_type, item.pointer, item.value, found.state)
        words = (
            _("“%(field)s” was corrected: now “%(now)s”.")
            if item.why == "corrected"
            else _("Rejected for “%(field)s”: “%(now)s” holds.")
        )
        return words % {"field": label, "now": now}
    words = {
        "corrected": _("“%(field)s” was corrected."),
        "withdrawn": _("“%(field)s” is open: this value was withdrawn."),
        "rejected": _("Rejected for “%(field)s”."),
        "conflict": _("“%(field)s” is a divergence that nobody has settled."),
    }.get(item.why, _("“%(field)s” awaits confirmation."))
    return words % {"field": label}


def _undecided(item: Finding, found: Checked) -> str:
    data = {"field": _label(item.pointer, found), "messages": ", ".join(item.messages)}
    if item.why == "proposed":
        return _("“%(field)s” is only proposed (%(messages)s): not decided yet.") % data
    if item.value is None:
        return _("A proposal would withdraw “%(field)s” (%(messages)s): not decided yet.") % data
    now = values.show_at(found.ticket_type, item.pointer, item.value, found.state)
    return _("A proposal says “%(now)s” for “%(field)s” (%(messages)s): not decided yet.") % {**data, "now": now}
