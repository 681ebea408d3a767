"""A ticket's page and its parts. Each read takes the same number of queries, however long the ticket is."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import (
    Draft,
    LedgerEvent,
    Membership,
    Message,
    Origin,
    Proposal,
    ProposedChange,
    RunStatus,
    Ticket,
    TicketVisit,
)
from atendimento.selectors import (
    cards,
    history,
    links,
    next_step,
    queue,
    reading,
    since,
    state,
    together,
    transcript,
    values,
    versions,
    woven,
)
from atendimento.selectors.cards import Failure, Sight
from atendimento.selectors.model_page import waits_for
from atendimento.selectors.pages import (
    ChangeCard,
    Composer,
    DecidedNote,
    Memory,
    RunView,
    SlotCard,
    TicketHead,
    TicketPage,
    Transcript,
)
from atendimento.selectors.parts import Past, Problem
from atendimento.selectors.queue import Filters
from atendimento.selectors.transcript import Window
from memoria.fields import TicketType
from memoria.proposals import Citation, Status, Verdict
from memoria.state import State

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
    events: bool = False  # whether decisions stand between the messages
    field: str = ""  # of the history pane: only the versions that touched this pointer


@dataclass(frozen=True, slots=True)
class _Ground:
    """What every part of a ticket's page stands on, read once."""

    ticket: Ticket
    ticket_type: TicketType
    state: State
    pending: Sequence[ProposedChange]
    refused: Sequence[ProposedChange]


def _ground(member: Membership, ticket_id: str | uuid.UUID) -> _Ground:
    ticket = access.ticket(member, ticket_id)
    changes = ProposedChange.objects.filter(ticket=ticket).select_related("proposal")
    pending = list(changes.filter(status=Status.PENDING).order_by("proposal__created_at", "proposal_id", "position"))
    # Refusals stay for good: however many a long conversation has gathered, the newest are read and no others.
    refused = list(changes.filter(status=Status.REFUSED).order_by("-id")[:REFUSED_SHOWN])[::-1]
    return _Ground(ticket, reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk), pending, refused)


def _references(ground: _Ground, shown: State) -> set[str]:
    """Every message that a card or a row quotes."""
    found = {item["message"] for row in (*ground.pending, *ground.refused) for item in row.citations}
    for slot in shown.slots.values():
        found |= {item.message for item in slot.evidence}
        for challenger in slot.challengers:
            found |= {item.message for item in challenger.evidence}
    return found


def memory(member: Membership, ticket_id: str | uuid.UUID, asked: Asked) -> Memory | None:
    """The memory pane; None where the version asked for does not exist."""
    ground = _ground(member, ticket_id)
    shown = _shown(ground, asked.version)
    return None if shown is None else _memory(member, ground, shown, asked, ())


def _shown(ground: _Ground, version: int | None) -> State | None:
    """The state at the version asked for; None where there is none."""
    return ground.state if version is None else reading.state_before(ground.state, ground.ticket.pk, version)


def _memory(member: Membership, ground: _Ground, shown: State, asked: Asked, known: Sequence[Message]) -> Memory:
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
    messages = reading.cited(ticket.pk, references, known)
    sight = Sight(ground.ticket_type, shown, messages, caller.may(Permission.OVERRIDE), asked.failure)
    read_only = ticket.merged_into_id is not None
    conflicts, confirms = cards.slot_cards(sight) if asked.version is None and not read_only else ((), ())
    shown_rows = ground.pending[:CARDS_SHOWN]
    changes = tuple(cards.change_card(row, sight) for row in shown_rows)
    waiting = len(ground.pending) - len(changes)
    bulk = _bulk(shown_rows) if asked.pane == "decide" else []  # no other pane offers it
    unread = _unread(ticket)
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
        to_decide=len(ground.pending) + len(conflicts) + len(confirms),
        waiting=waiting,
        changes=changes,
        conflicts=conflicts,
        confirms=confirms,
        refused=tuple(cards.refused_row(row, sight) for row in ground.refused),
        groups=state.groups(sight, chain, editable=asked.version is None and not read_only) if asked.pane == "state" else (),
        history=history.rows(events[: history.PAGE], sight, member_id=member.pk, may_undo_any=caller.may(Permission.UNDO_ANY)),
        run=_run(ticket, unread),
        read_note=_read_note(ticket, unread),
        reject_reasons=_reject_reasons(member),
        bulk_ids=tuple(str(row.pk) for row in bulk),
        bulk_falls=cards.cascade_rows(together.falls(member, ticket, ground.ticket_type, ground.state, bulk), sight),
        shown_version=asked.version,
        older_history_url=older,
        history_of=values.label(ground.ticket_type, asked.field, shown) if asked.field else "",
        decided=_note(member, sight, ticket, asked.done),
        next_url=queue.next_to_decide(member, ticket.pk),
        problem=_homeless(asked, changes, conflicts, confirms),
        past=_past(ground, asked),
        step=next_step.line(ground.state, ground.ticket_type, timezone.now())
        if asked.version is None and not read_only
        else None,
        read_only=read_only,
    )


def _past(ground: _Ground, asked: Asked) -> Past | None:
    if asked.pane not in ("state", "history") or asked.before is not None:
        return None
    return versions.past(ground.ticket, ground.state, shown=asked.version, first=asked.first, second=asked.second)


def _homeless(asked: Asked, *shown: Sequence[ChangeCard | SlotCard]) -> Problem | None:
    """A refusal whose card is gone meanwhile: it is said above the others. The state's rows say their own."""
    if asked.failure is None or asked.pane == "state":
        return None
    keys = {card.key for cards_shown in shown for card in cards_shown}
    return None if asked.failure.key in keys else asked.failure.problem


def _bulk(pending: Sequence[ProposedChange]) -> list[ProposedChange]:
    """What "accept all" may take: allowed, no cautions, one change a pointer (V5)."""
    taken: dict[str, ProposedChange] = {}
    for row in pending:
        if row.verdict == Verdict.ALLOWED.value and not row.cautions:
            taken[f"{row.path}{row.pk}" if row.path.endswith("/-") else row.path] = row
    return list(taken.values())


def _reject_reasons(member: Membership) -> tuple[str, ...]:
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


def _unread(ticket: Ticket) -> int:
    return Message.objects.filter(ticket=ticket, awaits_reading=True).count()


# --- the whole page -----------------------------------------------------------------------------------------------


def ticket_page(
    member: Membership, ticket_id: str | uuid.UUID, asked: Asked, filters: Filters, composer: Composer | None = None
) -> TicketPage | None:
    """Everything that a ticket's page shows; None where the version asked for does not exist."""
    ground = _ground(member, ticket_id)
    ticket = ground.ticket
    newest = ticket.last_message_number
    window = Window.newest(newest) if asked.message is None else Window.around(asked.message, newest)
    messages = transcript.rows(ticket.pk, window)
    shown = _shown(ground, asked.version)
    if shown is None:
        return None
    pane = _memory(member, ground, shown, asked, messages)
    visit = TicketVisit.objects.filter(member=member, ticket=ticket).first()
    return TicketPage(
        head=head_of(member, ticket, pane.read_note),
        transcript=_talk(ground, shown, asked.version, window, messages, focus=asked.message, events=asked.events),
        memory=pane,
        queue=queue.queue(member, replace(filters, after=""), ticket.pk),
        composer=composer or _draft(member, ticket),
        since=since.since(
            member, ticket, visit, Sight(ground.ticket_type, ground.state, reading.Cited({}), may_override=False)
        ),
        cite_targets=state.targets(ground.ticket_type) if asked.version is None and ticket.merged_into_id is None else (),
    )


def _talk(
    ground: _Ground,
    shown: State,
    version: int | None,
    window: Window,
    messages: Sequence[Message],
    *,
    focus: int | None = None,
    above: bool = True,
    below: bool = True,
    events: bool = False,
) -> Transcript:
    """The conversation with the words lit that the shown state rests on; a past state has nothing to decide."""
    pending = ground.pending if version is None else ()
    seen = transcript.view(
        ground.ticket, window, messages, shown, ground.ticket_type, pending, focus, above=above, below=below, version=version
    )
    if not events:
        return seen
    ends = window.last >= ground.ticket.last_message_number
    told = woven.weave(ground.ticket.pk, seen.messages, messages, ground.ticket_type, shown, to_the_end=ends)
    return replace(seen, messages=told)


def head_of(member: Membership, ticket: Ticket, read_note: str = "") -> TicketHead:
    """The line above the conversation. `read_note` where it is known already."""
    channel = values.CHANNELS.get(ticket.channel, ticket.channel)
    return TicketHead(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]),
        title=ticket.subject,
        subtitle=" · ".join(filter(None, [str(ticket.customer), channel])),
        protocol=ticket.protocol,
        read_note=read_note or _read_note(ticket, _unread(ticket)),
        status=ticket.status,
        status_label=str(queue.STATUSES[ticket.status]),
        assignee=ticket.assignee.name if ticket.assignee else "",
        assignee_initials=values.initials(ticket.assignee.name) if ticket.assignee else "",
        mine=ticket.assignee_id == member.pk,
        last_message=ticket.last_message_number,
        links=links.links(member, ticket),
        merged=links.merged_note(member, ticket),
    )


def _read_note(ticket: Ticket, unread: int) -> str:
    if unread:
        words = ngettext("%(count)d message not yet read by the model", "%(count)d messages not yet read by the model", unread)
        return words % {"count": unread}
    # When it was said: an older conversation that came in just now was not said just now.
    said = Message.objects.filter(ticket=ticket).order_by("-number").values_list("said_at", flat=True).first()
    if said is None:
        return _("no message yet")
    local = timezone.localtime(said)
    pattern = "H:i" if local.date() == timezone.localdate() else "SHORT_DATETIME_FORMAT"
    return _("all read up to %(time)s") % {"time": date_format(local, pattern)}


def _draft(member: Membership, ticket: Ticket) -> Composer:
    row = Draft.objects.filter(member=member, ticket=ticket).first()
    return Composer(row.text, row.internal) if row is not None else Composer()


def messages_window(
    member: Membership,
    ticket_id: str | uuid.UUID,
    *,
    first: int | None,
    last: int | None,
    before: int | None,
    after: int | None,
    around: int | None,
    version: int | None = None,
    events: bool = False,
) -> Transcript | None:
    """A stretch of the conversation: around a message, older or newer than one, or between two.

    None where the version, at which its words are lit, does not exist.
    """
    ground = _ground(member, ticket_id)
    shown = _shown(ground, version)
    if shown is None:
        return None
    newest = ground.ticket.last_message_number
    above = below = True
    if before is not None:
        window, below = Window.before(before), False
    elif after is not None:
        window, above = Window.after(after, newest), False
    elif around is not None:
        window = Window.around(around, newest)
    elif first is not None:
        window = Window.between(first, last, newest)
    else:
        window = Window.newest(newest)
    messages = transcript.rows(ground.ticket.pk, window)
    return _talk(ground, shown, version, window, messages, above=above, below=below, events=events)


def head(member: Membership, ticket_id: str | uuid.UUID) -> TicketHead:
    """The line above the conversation, alone."""
    return head_of(member, access.ticket(member, ticket_id))


def whole_message(member: Membership, ticket_id: str | uuid.UUID, cited: Citation) -> Citation:
    """The citation as it is; with no quote, the whole message is quoted, where there is one."""
    if cited.quote.strip():
        return cited
    ticket = access.ticket(member, ticket_id)
    found = reading.cited(ticket.pk, [cited.message]).get(cited.message)
    return replace(cited, quote=found.text if found is not None else "")
