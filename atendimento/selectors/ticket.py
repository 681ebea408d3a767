"""A ticket's page and its parts. Each read takes the same number of queries, however long the ticket is."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from atendimento import access
from atendimento.hands import Hands
from atendimento.models import (
    Draft,
    Membership,
    Message,
    Ticket,
    TicketVisit,
)
from atendimento.selectors import (
    hands,
    links,
    memory,
    queue,
    queue_rows,
    reading,
    search_terms,
    since,
    state,
    transcript,
    values,
    woven,
)
from atendimento.selectors.cards import Sight
from atendimento.selectors.memory import Asked, Ground, ground_of, shown_at
from atendimento.selectors.pages import Composer, TicketHead, TicketPage, Transcript
from atendimento.selectors.queue import Filters
from atendimento.selectors.search_terms import Sought
from atendimento.selectors.transcript import Window
from memoria.proposals import Citation
from memoria.state import State

# --- the whole page -----------------------------------------------------------------------------------------------


def ticket_page(
    member: Membership, ticket_id: str | uuid.UUID, asked: Asked, filters: Filters, composer: Composer | None = None
) -> TicketPage | None:
    """Everything that a ticket's page shows; None where the version asked for does not exist."""
    ground = ground_of(member, ticket_id)
    ticket = ground.ticket
    newest = ticket.last_message_number
    window = Window.newest(newest) if asked.message is None else Window.around(asked.message, newest)
    messages = transcript.rows(ticket.pk, window)
    shown = shown_at(ground, asked.version)
    if shown is None:
        return None
    sees = queue_rows.Sight.of(member)
    pane = memory.pane(member, ground, shown, asked, messages, sees)
    draft, visit = _own(member, ticket)
    return TicketPage(
        head=head_of(member, ticket, pane.read_note),
        transcript=_talk(
            ground,
            shown,
            asked.version,
            window,
            messages,
            focus=asked.message,
            events=asked.events,
            sought=_sought(member, asked.find),
        ),
        memory=pane,
        queue=queue.queue(member, filters, ticket.pk, sight=sees),
        composer=composer or draft,
        since=since.since(
            member, ticket, visit, Sight(ground.ticket_type, ground.state, reading.Cited({}), may_override=False)
        ),
        cite_targets=state.targets(ground.ticket_type, ground.state)
        if asked.version is None and ticket.merged_into_id is None
        else (),
    )


def _talk(
    ground: Ground,
    shown: State,
    version: int | None,
    window: Window,
    messages: Sequence[Message],
    *,
    focus: int | None = None,
    above: bool = True,
    below: bool = True,
    events: bool = False,
    sought: Sought | None = None,
) -> Transcript:
    """The conversation with the words lit that the shown state rests on; a past state has nothing to decide."""
    pending = ground.pending if version is None else ()
    ticket_type = ground.ticket_type if version is None else reading.with_groups(ground.ticket_type, shown)
    seen = transcript.view(
        ground.ticket,
        window,
        messages,
        shown,
        ticket_type,
        pending,
        focus,
        above=above,
        below=below,
        version=version,
        sought=sought,
    )
    if not events:
        return seen
    ends = window.last >= ground.ticket.last_message_number
    told = woven.weave(ground.ticket, seen.messages, messages, ticket_type, shown, to_the_end=ends)
    return replace(seen, messages=told)


def _sought(member: Membership, find: str) -> Sought | None:
    return search_terms.sought(member, find) if find else None


def head_of(member: Membership, ticket: Ticket, read_note: str = "") -> TicketHead:
    """The line above the conversation. `read_note` where it is known already."""
    channel = values.CHANNELS.get(ticket.channel, ticket.channel)
    return TicketHead(
        id=str(ticket.pk),
        url=reverse("web:ticket", args=[ticket.pk]),
        title=ticket.subject,
        subtitle=" · ".join(filter(None, [str(ticket.customer), channel])),
        protocol=ticket.protocol,
        read_note=read_note or memory.read_note(ticket, memory.unread_in(ticket)),
        status=ticket.status,
        status_label=queue.status_words(ticket),
        assignee=ticket.assignee.name if ticket.assignee else "",
        assignee_initials=values.initials(ticket.assignee.name) if ticket.assignee else "",
        mine=ticket.assignee_id == member.pk,
        team=ticket.team.name if ticket.team else "",
        hands=str(Hands.of(ticket)),
        escalated=hands.escalated_note(member, ticket),
        may_answer=hands.may_answer(member, ticket),
        woken=ticket.woken_at is not None and ticket.status == "open",
        last_message=ticket.last_message_number,
        customer=str(ticket.customer_id),
        links=links.links(member, ticket),
        merged=links.merged_note(member, ticket),
    )


def _own(member: Membership, ticket: Ticket) -> tuple[Composer, TicketVisit | None]:
    """What the member has at this ticket: the draft, and how far they have seen it. One query."""
    draft = Draft.objects.filter(member=OuterRef("pk"), ticket=ticket)
    visit = TicketVisit.objects.filter(member=OuterRef("pk"), ticket=ticket)
    row = (
        Membership.objects.filter(pk=member.pk)
        .values_list(
            Subquery(draft.values("text")),
            Subquery(draft.values("internal")),
            Subquery(visit.values("seen_message")),
            Subquery(visit.values("seen_version")),
        )
        .get()
    )
    text, internal, message, version = row
    composer = Composer() if text is None else Composer(text, internal)
    return composer, None if message is None else TicketVisit(seen_message=message, seen_version=version)


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
    find: str = "",
) -> Transcript | None:
    """A stretch of the conversation: around a message, older or newer than one, or between two.

    None where the version, at which its words are lit, does not exist.
    """
    ground = ground_of(member, ticket_id)
    shown = shown_at(ground, version)
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
    sought = _sought(member, find)
    return _talk(ground, shown, version, window, messages, above=above, below=below, events=events, sought=sought)


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
