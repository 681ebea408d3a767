"""The memory pane: what is to be decided, the state or the history, and how far the model has read."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import LedgerEvent, Membership, Message, Origin, Proposal, ProposedChange, RunStatus, Ticket
from atendimento.selectors import (
    cards,
    foreign,
    grouping,
    history,
    next_step,
    queue,
    queue_rows,
    reading,
    reading_words,
    state,
    together,
    values,
    versions,
)
from atendimento.selectors.cards import Failure, Sight
from atendimento.selectors.model_page import waits_for
from atendimento.selectors.pane_parts import CascadeRow, ChangeCard, DecidedNote, HistoryRow, Memory, Report, RunView, SlotCard
from atendimento.selectors.parts import Past, Problem
from atendimento.selectors.queue import Filters
from memoria.fields import TicketType
from memoria.proposals import Status
from memoria.state import State

WHOLE_QUEUE = Filters()
REPORTS = ("customer", "registry")
PANES = ("decide", "state", "history")
REFUSED_SHOWN = 20
CARDS_SHOWN = 60  # proposed changes at once, oldest first: the next come as these are decided


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a ticket's page."""

    pane: str = "decide"
    version: int | None = None  # of the state pane: as it was then
    done: int | None = None  # the version that the member has just made
    before: int | None = None  # of the history pane: versions older than this
    first: int | None = None  # of the history pane: the two versions that are compared
    second: int | None = None
    message: int | None = None  # where the conversation opens
    failure: Failure | None = None
    seen: int | None = None  # the version that the page shows: what others did since is said
    keep: tuple[str, ...] = ()  # cards in which something was typed: they stay, whatever became of them
    events: bool = False  # whether decisions stand between the messages
    report: str = ""  # of the state pane: whose word is about to be recorded
    field: str = ""  # of the history pane: only the versions that touched this pointer
    find: str = ""  # what was searched for, to be marked in the conversation
    opened: str = ""  # the sensitive field whose value is shown
    place: Filters = WHOLE_QUEUE  # the list of the queue that the page stands in


@dataclass(frozen=True, slots=True)
class Ground:
    """What every part of a ticket's page stands on, read once."""

    ticket: Ticket
    ticket_type: TicketType
    state: State
    pending: Sequence[ProposedChange]
    refused: Sequence[ProposedChange]


def ground_of(member: Membership, ticket_id: str | uuid.UUID) -> Ground:
    ticket = access.ticket(member, ticket_id)
    changes = ProposedChange.objects.filter(ticket=ticket).select_related("proposal")
    pending = list(changes.filter(status=Status.PENDING).order_by("proposal__created_at", "proposal_id", "position"))
    # Refusals stay for good: however many a long conversation has gathered, the newest are read and no others.
    refused = list(changes.filter(status=Status.REFUSED).order_by("-id")[:REFUSED_SHOWN])[::-1]
    now, ticket_type = reading.standing(ticket.pk)
    return Ground(ticket, reading.with_groups(ticket_type, now, pending), now, pending, refused)


def _references(ground: Ground, shown: State) -> set[str]:
    """Every message that a card or a row quotes."""
    found = {item["message"] for row in (*ground.pending, *ground.refused) for item in row.citations}
    for slot in shown.slots.values():
        found |= {item.message for item in slot.evidence}
        for challenger in slot.challengers:
            found |= {item.message for item in challenger.evidence}
    return found


def read(member: Membership, ticket_id: str | uuid.UUID, asked: Asked) -> Memory | None:
    """The memory pane; None where the version asked for does not exist."""
    ground = ground_of(member, ticket_id)
    shown = shown_at(ground, asked.version)
    return None if shown is None else pane(member, ground, shown, asked, ())


def shown_at(ground: Ground, version: int | None) -> State | None:
    """The state at the version asked for; None where there is none."""
    return ground.state if version is None else reading.state_before(ground.state, ground.ticket.pk, version)


def pane(
    member: Membership,
    ground: Ground,
    shown: State,
    asked: Asked,
    known: Sequence[Message],
    sees: queue_rows.Sight | None = None,
) -> Memory:
    """The pane on its ground. `known`: messages that were read already; `sees`: what of the queue the member sees."""
    ticket = ground.ticket
    caller = access.caller_of(member)
    references = _references(ground, shown)
    events: list[LedgerEvent] = []
    chain = []
    if asked.pane == "history":
        events = history.page(ticket.pk, asked.before, asked.field)
        references |= history.cited_in([reading.event_of(row) for row in events if row.content is not None])
    if asked.pane == "state":
        chain = history.touching(ticket.pk, [key for key, slot in shown.slots.items() if slot.replaces is not None])
        references |= history.cited_in(chain)
    keep = [*asked.keep, *([asked.failure.key] if asked.failure is not None else [])]
    kept = foreign.kept_rows(ticket, keep)
    references |= {item["message"] for row in kept for item in row.citations}
    messages = reading.cited(ticket.pk, references, known)
    ticket_type = ground.ticket_type if asked.version is None else reading.with_groups(ground.ticket_type, shown)
    called = grouping.names(ticket_type, shown, ground.pending if asked.version is None else ())
    sight = Sight(ticket_type, shown, messages, caller.may(Permission.OVERRIDE), asked.failure, asked.opened, called)
    read_only = ticket.merged_into_id is not None or ticket.erased_at is not None
    conflicts, confirms = (
        cards.slot_cards(sight, {row.path for row in ground.pending}) if asked.version is None and not read_only else ((), ())
    )
    to_decide = len(ground.pending) + len(conflicts) + len(confirms)
    if asked.pane == "decide" and asked.version is None and not read_only:
        settled = foreign.kept_slots(ticket, sight, keep, [card.key for card in (*conflicts, *confirms)])
        confirms = (*confirms, *settled)
    shown_rows = ground.pending[:CARDS_SHOWN]
    placed = grouping.side_by_side(foreign.in_order([*shown_rows, *kept]), ground.state)
    waiting = len(ground.pending) - len(shown_rows)
    bulk = together.plain(shown_rows, messages.text_of) if asked.pane == "decide" else []  # no other pane offers it
    read = together.reader(ticket, bulk) if len(bulk) > 1 else None

    def falls(rows: Sequence[ProposedChange]) -> tuple[CascadeRow, ...]:
        return cards.cascade_rows(together.falls(member, ticket, ticket_type, ground.state, rows, read), sight)

    changes = grouping.headed((foreign.card(row, sight) for row in placed), ground.pending, bulk, ticket_type, shown, falls)
    unread = unread_in(ticket)
    versions_shown = history.rows(
        events[: history.PAGE],
        sight,
        history.undos(ticket.pk, events[: history.PAGE]),
        member_id=member.pk,
        may_undo_any=caller.may(Permission.UNDO_ANY),
        pointer=asked.field,
    )
    editable = asked.version is None and not read_only
    groups = state.groups(sight, chain, editable=editable) if asked.pane == "state" else ()
    report = None
    if asked.report in REPORTS and asked.pane == "state" and editable:
        groups, places = state.reporting(groups, asked.report)
        report = Report(asked.report, places)
    older = ""
    if len(events) > history.PAGE:
        asks = {
            "pane": "history",
            "before": events[history.PAGE - 1].version,
            **({"field": asked.field} if asked.field else {}),
        }
        older = reverse("web:memory", args=[ticket.pk], query=asks)
    return Memory(
        pane=asked.pane,
        ticket_id=str(ticket.pk),
        version=ground.state.version,
        to_decide=to_decide,
        waiting=waiting,
        changes=changes,
        conflicts=conflicts,
        confirms=confirms,
        refused=tuple(cards.refused_row(row, sight) for row in ground.refused),
        groups=groups,
        report=report,
        history=versions_shown,
        run=_run(ticket, unread),
        read_note=read_note(ticket, unread, ground.ticket_type),
        reject_reasons=reject_reasons(member),
        bulk_ids=tuple(str(row.pk) for row in bulk),
        bulk_falls=falls(bulk),
        shown_version=asked.version,
        older_history_url=older,
        history_of=values.label(ticket_type, asked.field, shown) if asked.field else "",
        decided=_note(member, sight, ticket, asked.done),
        next_url=queue.next_to_decide(member, ticket, asked.place, sees),
        problem=_homeless(asked, (*changes, *conflicts, *confirms) if asked.pane == "decide" else versions_shown),
        past=_past(ground, asked),
        step=next_step.line(ground.state, ground.ticket_type, timezone.now())
        if asked.version is None and not read_only
        else None,
        read_only=read_only,
        erased="" if ticket.erased_at is None else "ticket" if ticket.customer.erased_at is None else "customer",
        told=foreign.told(member, ticket, sight, asked.seen) if asked.failure is None else "",
    )


def _past(ground: Ground, asked: Asked) -> Past | None:
    if asked.pane not in ("state", "history") or asked.before is not None:
        return None
    return versions.past(ground.ticket, ground.state, shown=asked.version, first=asked.first, second=asked.second)


def _homeless(asked: Asked, shown: Sequence[ChangeCard | SlotCard | HistoryRow]) -> Problem | None:
    """A refusal whose card or version is not shown: it is said above the others. The state's rows say their own."""
    if asked.failure is None or asked.pane == "state":
        return None
    return None if asked.failure.key in {one.key for one in shown} else asked.failure.problem


def reject_reasons(member: Membership) -> tuple[str, ...]:
    """The organisation's own words, else four that fit anywhere."""
    named = tuple(str(reason) for reason in member.organization.reject_reasons)[:9]
    return named or (_("Not what was said"), _("Not decided yet"), _("A repetition"), _("Wrong value"))


def _note(member: Membership, sight: Sight, ticket: Ticket, version: int | None) -> DecidedNote | None:
    if version is None or version != sight.state.version:
        return None
    row = LedgerEvent.objects.filter(ticket=ticket, version=version).first()
    return history.note(row, sight, member_id=member.pk) if row is not None else None


def _run(ticket: Ticket, unread: int) -> RunView:
    """How far the model's reading has come: what it has under way, or why it stopped."""
    latest = (
        Proposal.objects.filter(
            ticket=ticket, origin=Origin.MODEL, status__in=[RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.PARKED]
        )
        .order_by("-created_at")
        .first()
    )
    if latest is None:
        return RunView("none", "")
    if latest.status == RunStatus.PARKED:
        problem = str(wording.PROBLEMS.get(latest.problem_code, _("The reading stopped.")))
        tries = ngettext("after %(count)d try", "after %(count)d tries", latest.attempts) % {"count": latest.attempts}
        return RunView("parked", problem, _("The messages are kept (%(tries)s).") % {"tries": tries})
    held_up = waits_for(latest)
    if held_up:
        return RunView("waiting", f"{held_up[:1].upper()}{held_up[1:]}.", _("The messages are kept."))
    if latest.attempts > 1:
        waits = _("The model does not answer yet: try %(count)d. The messages are kept.") % {"count": latest.attempts}
        return RunView("waiting", waits)
    count = max(unread, 1)
    reads = ngettext("Reading %(count)d new message…", "Reading %(count)d new messages…", count) % {"count": count}
    return RunView("running" if latest.status == RunStatus.RUNNING else "waiting", reads)


def unread_in(ticket: Ticket) -> int:
    return Message.objects.filter(ticket=ticket, awaits_reading=True).count()


def read_note(ticket: Ticket, unread: int, ticket_type: TicketType | None = None) -> str:
    """How far the model has read, and why no further, where that is the type's choice; its definition, where it is known."""
    if unread:
        words = ngettext("%(count)d message not yet read by the model", "%(count)d messages not yet read by the model", unread)
        why = reading_words.why_unread((ticket_type or reading.definition(ticket.ticket_type_id)).reading)
        return f"{words % {'count': unread}}: {why}" if why else words % {"count": unread}
    # When it was said: an older conversation that came in just now was not said just now.
    said = Message.objects.filter(ticket=ticket).order_by("-number").values_list("said_at", flat=True).first()
    if said is None:
        return _("no message yet")
    local = timezone.localtime(said)
    pattern = "H:i" if local.date() == timezone.localdate() else "SHORT_DATETIME_FORMAT"
    return _("all read up to %(time)s") % {"time": date_format(local, pattern)}
