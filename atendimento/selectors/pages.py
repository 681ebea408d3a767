"""What the console's pages show: frozen objects, everything in them already decided and worded.

Templates lay these out and decide nothing. Every text is in the reader's language, except message text, quotes
and values, which are the people's own.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import date, datetime

from atendimento.selectors.pane_parts import Memory
from atendimento.selectors.parts import (
    Chip,
    Choice,
    MergedNote,
    Option,
    Problem,
    ReplyCheck,
    Segment,
    Since,
    TextPart,
    TicketLink,
)

# --- queue ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedView:
    key: str
    label: str
    count: int | None  # None: it is not counted
    url: str
    current: bool = False
    hot: bool = False  # something is overdue or at odds
    shown: str = ""  # the count as it is written: it ends at "999+"


@dataclass(frozen=True, slots=True)
class OwnView:
    """A view that the member keeps."""

    id: int
    name: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class QueueRow:
    id: str
    url: str
    title: str
    subtitle: str
    at: datetime
    chips: tuple[Chip, ...]
    current: bool = False
    owner: str = ""
    owner_initials: str = ""
    waiting_since: datetime | None = None  # somebody waits for a reply since then


@dataclass(frozen=True, slots=True)
class FilterPanel:
    """What a list can be narrowed by, and whether it is kept as a view."""

    view: str
    choices: tuple[Choice, ...]
    asked: tuple[tuple[str, str], ...]  # what makes the list this one, as an address has it
    reset_url: str  # the view without its filters; empty where it has none
    kept: bool  # the member has this list among their views


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set, in words, and the list without it."""

    words: str
    url: str


@dataclass(frozen=True, slots=True)
class QueueList:
    views: tuple[SavedView, ...]
    rows: tuple[QueueRow, ...]
    view: str
    title: str
    own: tuple[OwnView, ...] = ()
    panel: FilterPanel | None = None  # None: it is asked for once it is opened
    choosing: bool = False  # the panel is open; else what is chosen in it stands in a line
    chips: tuple[FilterChip, ...] = ()
    panel_url: str = ""  # asks for it; where no script asks, a page on which it is open
    next_url: str = ""  # the next page by itself
    more_url: str = ""  # its rows alone, to be put behind these
    top_url: str = ""  # the list from its first row on, where this is a later page
    place: str = ""  # the address that shows all the rows up to these: where going back leads
    address: str = ""  # this very list, to be asked for again


# --- transcript -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Replacement:
    """A tag in the margin: what these words supported was corrected by another message."""

    label: str
    by: str  # "m-3", or a member's name
    number: int | None


@dataclass(frozen=True, slots=True)
class EventLine:
    """A version of the state, told in one line between two messages."""

    version: int | None  # None: the state stayed as it was
    at: datetime
    icon: str
    sentence: str
    told: str
    url: str


@dataclass(frozen=True, slots=True)
class MessageView:
    number: int
    ref: str
    kind: str  # customer, agent, …
    kind_label: str  # empty for people
    icon: str  # empty for people, who have initials
    initials: str
    author: str
    at: datetime
    segments: tuple[Segment, ...]
    new_day: date | None = None
    internal: bool = False
    automatic: bool = False
    deleted: bool = False
    erased: bool = False  # its words are gone, by retention or with the customer (L)
    edited: bool = False
    not_sent: bool = False
    tone: str = ""  # people are told apart by more than initials: customer, staff, tool
    replaced: tuple[Replacement, ...] = ()
    attachments: tuple[str, ...] = ()
    parts: tuple[TextPart, ...] = ()  # the same segments, laid out
    marks: tuple[str, ...] = ()  # what its reader had to guess: a date, a character set
    copied: str = ""  # where it was copied from, for one that came along when the ticket was split
    copied_url: str = ""
    after: tuple[EventLine, ...] = ()  # what was decided before the next message came, where that is asked for


@dataclass(frozen=True, slots=True)
class Transcript:
    messages: tuple[MessageView, ...]
    first: int
    last: int
    older_url: str = ""
    newer_url: str = ""
    window_url: str = ""  # the same stretch, to be asked for again
    focus: int | None = None


# --- the pages ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TicketHead:
    id: str
    url: str
    title: str
    subtitle: str
    protocol: str
    read_note: str
    status: str
    status_label: str
    assignee: str
    assignee_initials: str
    mine: bool
    last_message: int
    customer: str = ""  # the customer's id
    links: tuple[TicketLink, ...] = ()
    merged: MergedNote | None = None
    team: str = ""
    hands: str = ""  # in whose hands it is, as forms carry it
    escalated: str = ""  # whom it is escalated to, in words
    may_answer: bool = False
    woken: bool = False  # it came back from being snoozed, and nobody worked on it since


@dataclass(frozen=True, slots=True)
class Composer:
    text: str = ""
    internal: bool = False
    problem: Problem | None = None
    check: ReplyCheck | None = None
    key: str = field(default_factory=lambda: str(uuid.uuid4()))  # of this form: pressed twice, it is sent once


@dataclass(frozen=True, slots=True)
class TicketPage:
    head: TicketHead
    transcript: Transcript
    memory: Memory
    queue: QueueList
    composer: Composer
    since: Since | None = None  # what changed since this person last looked
    cite_targets: tuple[Option, ...] = ()  # where selected words can be recorded, by the key of the form


@dataclass(frozen=True, slots=True)
class BriefClause:
    text: str
    doubtful: bool = False  # not plainly current


@dataclass(frozen=True, slots=True)
class BriefParagraph:
    heading: str
    clauses: tuple[BriefClause, ...]


@dataclass(frozen=True, slots=True)
class BriefLiteral:
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Brief:
    """The handover brief, as of a version."""

    title: str
    customer: str
    protocol: str
    paragraphs: tuple[BriefParagraph, ...]
    verbatim_heading: str
    verbatim: tuple[BriefLiteral, ...]
    at: datetime | None
    note: str
    url: str  # the ticket's page
