"""Who works on a ticket, as its page shows it: the forms to hand it on or put it off, and what was done with it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.hands import Hands, askable
from atendimento.models import Handing, HandingKind, Membership, Organization, Team, Ticket, TicketStatus
from atendimento.selectors.pages import TicketHead
from atendimento.selectors.parts import Option
from atendimento.selectors.queue import status_words
from atendimento.selectors.working import calendar_of

FAULTS: Final[Mapping[str, Promise]] = {
    "handing.nobody": gettext_lazy("Choose a person or a team."),
    "handing.note_missing": gettext_lazy("Write a note: what is asked, or what you answer."),
    "handing.note_too_long": gettext_lazy("The note is too long: at most 10,000 characters."),
    "handing.not_a_supervisor": gettext_lazy("Choose a supervisor, an administrator or who leads the team."),
    "handing.not_escalated": gettext_lazy("Nothing is asked any more: somebody answered meanwhile."),
    "member.unknown": gettext_lazy("This person works here no more. Choose another."),
    "team.unknown": gettext_lazy("This team takes no tickets any more. Choose another."),
    "team.name": gettext_lazy("Give a name of at most 100 characters."),
    "team.taken": gettext_lazy("Another team has this name."),
    "snooze.no_moment": gettext_lazy("Choose when the ticket comes back."),
    "snooze.past": gettext_lazy("This moment is over. Choose a later one."),
    "snooze.too_far": gettext_lazy("At most a year ahead."),
    "queue_view.name": gettext_lazy("Give a name of at most 60 characters."),
    "queue_view.taken": gettext_lazy("Another of your views has this name."),
    "queue_view.too_many": gettext_lazy("You keep 30 views already. Remove one first."),
}

ACTS: Final[Mapping[str, tuple[Promise, Promise, str]]] = {
    "assume": (gettext_lazy("Take"), gettext_lazy("Take it all the same"), "web:assume"),
    "transfer": (gettext_lazy("Transfer"), gettext_lazy("Transfer"), "web:transfer"),
    "escalate": (gettext_lazy("Escalate"), gettext_lazy("Escalate"), "web:escalate"),
    "answer": (gettext_lazy("Answer the escalation"), gettext_lazy("Answer"), "web:answer-escalation"),
    "snooze": (gettext_lazy("Snooze"), gettext_lazy("Snooze until then"), "web:snooze"),
}
"""What each form is called, what its button says, and where it goes."""

MOST: Final = 200  # acts in one window of the conversation

ICONS: Final[Mapping[str, str]] = {
    HandingKind.ASSUMED: "user",
    HandingKind.RELEASED: "undo-2",
    HandingKind.TRANSFERRED: "arrow-right",
    HandingKind.ESCALATED: "flag",
    HandingKind.ANSWERED: "corner-down-right",
}


def fault(code: str) -> str:
    """What is wrong, in a sentence."""
    return str(FAULTS[code])


# --- forms --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandForm:
    """A form that changes a ticket's hands, with the hands that it was drawn for."""

    act: str  # transfer, escalate, answer, snooze
    ticket_id: str
    title: str  # the ticket's
    heading: str
    submit: str  # what the button says
    url: str
    seen: str
    people: tuple[Option, ...] = ()
    teams: tuple[Option, ...] = ()
    times: tuple[SnoozeTime, ...] = ()
    asked_by: str = ""
    asked: str = ""  # the words of the escalation that is answered
    note: str = ""
    moment: str = ""
    earliest: str = ""
    asleep: str = ""  # the status of a snoozed ticket, with the time
    problem: str = ""
    key: str = field(default_factory=lambda: str(uuid.uuid4()))  # pressed twice, it is one


@dataclass(frozen=True, slots=True)
class SnoozeTime:
    key: str
    label: str
    at: datetime


def form(
    member: Membership, ticket_id: uuid.UUID, act: str, *, to: str = "", note: str = "", moment: str = "", problem: str = ""
) -> HandForm:
    """The form for an act on the ticket as it is now, with what was typed. Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    heading, submit, route = ACTS[act]
    plain = HandForm(
        act=act,
        ticket_id=str(ticket.pk),
        title=ticket.subject,
        heading=str(heading),
        submit=str(submit),
        url=reverse(route, args=[ticket.pk]),
        seen=str(Hands.of(ticket)),
        note=note,
        moment=moment,
        problem=problem,
    )
    if act == "transfer":
        people = Membership.objects.filter(organization=ticket.organization, is_active=True).order_by("name", "pk")
        teams = Team.objects.filter(organization=ticket.organization, archived_at=None).order_by("name")
        others = [(key, name) for key, name in people.values_list("pk", "name") if key != ticket.assignee_id]
        elsewhere = [(row.slug, row.name) for row in teams if row.pk != ticket.team_id]
        asleep = status_words(ticket) if ticket.status == TicketStatus.SNOOZED else ""
        return replace(plain, people=_options("m", others, to), teams=_options("t", elsewhere, to), asleep=asleep)
    if act == "escalate":
        return replace(plain, people=_options("m", askable(ticket, member).values_list("pk", "name"), to))
    if act == "snooze":
        now = timezone.now().astimezone(ZoneInfo(ticket.organization.timezone))
        return replace(plain, times=snooze_times(ticket.organization, now), earliest=now.strftime("%Y-%m-%dT%H:%M"))
    last = Handing.objects.select_related("note", "by").filter(ticket=ticket, kind=HandingKind.ESCALATED).last()
    if act != "answer" or last is None:
        return plain
    return replace(plain, asked=last.note.text if last.note is not None else "", asked_by=last.by.name)


def _options(kind: str, rows: Iterable[tuple[object, str]], chosen: str) -> tuple[Option, ...]:
    return tuple(Option(f"{kind}:{key}", name, f"{kind}:{key}" == chosen) for key, name in rows)


def changed_hands(last: Handing | None) -> str:
    """Why an act was refused: who had the ticket change hands meanwhile."""
    if last is None:
        return _("The ticket changed hands meanwhile. Look at who has it now, and decide again.")
    words = _("Meanwhile, at %(time)s: %(what)s. Look at who has the ticket now, and decide again.")
    return words % {"time": date_format(timezone.localtime(last.at), "H:i"), "what": sentence(last)}


def may_answer(member: Membership, ticket: Ticket) -> bool:
    """Whether the member can answer what the ticket was escalated for."""
    if ticket.escalated_to_id is None:
        return False
    return ticket.escalated_to_id == member.pk or access.caller_of(member).may(access.Permission.SEE_ALL_TICKETS)


def escalated_note(member: Membership, ticket: Ticket) -> str:
    """Whom the ticket is escalated to, in words; empty where it is not."""
    if ticket.escalated_to is None:
        return ""
    if ticket.escalated_to_id == member.pk:
        return _("escalated to you")
    return _("escalated to %(name)s") % {"name": ticket.escalated_to.name}


def said(act: str, head: TicketHead | None = None) -> str:
    """What was just done with a ticket, or with a view, in words; of a ticket that is out of sight now, without a name."""
    to = (head.assignee or head.team) if head is not None else ""
    moved = _("Transferred to %(name)s.") % {"name": to} if to else _("Transferred.")
    ended = head.merged if head is not None else None
    words = {
        "assume": _("You have this ticket now."),
        "take": _("You have this ticket now."),
        "transfer": moved,
        "transfer_awake": " ".join((moved, _("It is no longer snoozed."))),
        "escalate": _("Escalated: the owner stays."),
        "answer": _("The escalation is answered."),
        "snooze": _("Snoozed: it comes back by itself."),
        "close": _("The ticket is closed."),
        "open": _("The ticket is open again."),
        "keep": _("The view is kept among your views."),
        # Said to a page that was open then, and only of a ticket that is erased.
        "erased": ended.sentence if ended is not None and not ended.protocol else "",
    }
    return words.get(act, "")


# --- snoozing -----------------------------------------------------------------------------------------------------

AFTERNOON: Final = time(14, 0)


def snooze_times(organization: Organization, now: datetime) -> tuple[SnoozeTime, ...]:
    """What is offered, each once: `now` is the organisation's own time."""
    calendar = calendar_of(organization, now)
    tomorrow = datetime.combine(now.date() + timedelta(days=1), calendar.opens, now.tzinfo)
    working = datetime.combine(calendar.working_day_from(tomorrow.date()), calendar.opens, now.tzinfo)
    afternoon = datetime.combine(now.date(), AFTERNOON, now.tzinfo)
    offered = [SnoozeTime("hour", _("In one hour"), _later(now))]
    if now + timedelta(minutes=30) < afternoon:
        offered.append(SnoozeTime("afternoon", _("This afternoon"), afternoon))
    offered.append(SnoozeTime("tomorrow", _("Tomorrow"), tomorrow))
    if working != tomorrow:
        offered.append(SnoozeTime("working_day", _("Next working day"), working))
    return tuple(offered)


def _later(now: datetime) -> datetime:
    """An hour of time, whatever the clocks are set to meanwhile."""
    return (now.astimezone(ZoneInfo("UTC")) + timedelta(hours=1)).astimezone(now.tzinfo)


# --- what was done ------------------------------------------------------------------------------------------------


def handings(ticket: Ticket, first: int, last: int) -> list[Handing]:
    """The acts between two messages, both ends included, oldest first."""
    rows = Handing.objects.select_related("by", "from_member", "to_member", "to_team").filter(ticket=ticket)
    return list(rows.filter(after_message__gte=first, after_message__lte=last).order_by("pk")[:MOST])


@dataclass(frozen=True, slots=True)
class HandingRow:
    at: datetime
    icon: str
    sentence: str
    note: str


@dataclass(frozen=True, slots=True)
class HandsPage:
    ticket_id: str
    title: str
    owner: str
    team: str
    rows: tuple[HandingRow, ...]  # newest first


def history(member: Membership, ticket_id: uuid.UUID) -> HandsPage:
    """The ticket's book of hands. Raises NotFound."""
    ticket = access.ticket(member, ticket_id)
    rows = Handing.objects.select_related("by", "from_member", "to_member", "to_team", "note").filter(ticket=ticket)
    return HandsPage(
        str(ticket.pk),
        ticket.subject,
        ticket.assignee.name if ticket.assignee else "",
        ticket.team.name if ticket.team else "",
        tuple(
            HandingRow(row.at, ICONS[row.kind], sentence(row), row.note.text if row.note is not None else "")
            for row in rows.order_by("-pk")[:MOST]
        ),
    )


def sentence(row: Handing) -> str:
    """The act in words, with who did it."""
    names = {
        "by": row.by.name,
        "to": row.to_member.name if row.to_member is not None else "",
        "team": row.to_team.name if row.to_team is not None else "",
    }
    if row.kind == HandingKind.ASSUMED:
        return _("%(by)s took the ticket") % names
    if row.kind == HandingKind.RELEASED:
        return _("%(by)s left the ticket without an owner") % names
    if row.kind == HandingKind.ESCALATED:
        return _("%(by)s escalated the ticket to %(to)s") % names
    if row.kind == HandingKind.ANSWERED:
        return _("%(by)s answered the escalation") % names
    if row.from_team_id != row.to_team_id and row.to_team is None:
        return _("%(by)s took the ticket out of its team") % names
    if row.from_team_id != row.to_team_id and row.to_member is None:
        return _("%(by)s transferred the ticket to the team %(team)s") % names
    if row.from_team_id != row.to_team_id:
        return _("%(by)s transferred the ticket to %(to)s, team %(team)s") % names
    return _("%(by)s transferred the ticket to %(to)s") % names
