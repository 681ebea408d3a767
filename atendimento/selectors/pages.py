"""What the console's pages show: frozen objects, everything in them already decided and worded.

Templates lay these out and decide nothing. Every text is in the reader's language, except message text, quotes
and values, which are the people's own.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import date, datetime

from atendimento.selectors.parts import (
    Chip,
    Control,
    DiffPart,
    Drafted,
    MergedNote,
    ModelSaw,
    Occurrences,
    Option,
    Past,
    Problem,
    Quote,
    ReplyCheck,
    Segment,
    Since,
    StepLine,
    TextPart,
    TicketLink,
)

# --- queue ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedView:
    key: str
    label: str
    count: int
    url: str
    current: bool = False
    hot: bool = False  # something is overdue or at odds


@dataclass(frozen=True, slots=True)
class QueueRow:
    id: str
    url: str
    title: str
    subtitle: str
    at: datetime
    chips: tuple[Chip, ...]
    current: bool = False


@dataclass(frozen=True, slots=True)
class QueueList:
    views: tuple[SavedView, ...]
    rows: tuple[QueueRow, ...]
    view: str
    title: str
    query: str = ""
    ticket_type: str = ""
    ticket_types: tuple[Option, ...] = ()
    next_url: str = ""
    reset_url: str = ""
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

    version: int
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


# --- memory: what is to be decided --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CascadeRow:
    label: str
    value: str
    hold: bool = False
    pointer: str = ""
    later: bool = False  # said after the correction that it would fall to: it can be kept in the same stroke


@dataclass(frozen=True, slots=True)
class CautionView:
    icon: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeCard:
    key: str  # "c-<id>": also the element's id
    id: str
    label: str
    what: str  # what the change does: corrige, novo, retira, confirma
    source: str
    verdict: str
    by_model: bool
    producer: str
    old: str
    new: str
    parts: tuple[DiffPart, ...]  # for long texts, word by word; empty where old → new says it
    sentences: tuple[str, ...]
    remarks: tuple[str, ...]  # what the model says of it
    quotes: tuple[Quote, ...]
    cautions: tuple[CautionView, ...]
    cascade: tuple[CascadeRow, ...]
    controls: tuple[Control, ...]
    urls: ChangeUrls
    accept_label: str
    reject_label: str
    conflicts: bool = False
    may_override: bool = False
    against: tuple[Side, ...] = ()
    unsupported: tuple[str, ...] = ()  # words of the value that no quote holds
    problem: Problem | None = None
    open_form: str = ""  # edit, reject, override: which form the server has opened
    saw: ModelSaw | None = None
    drafts: tuple[Drafted, ...] = ()
    by_rule: bool = False  # a yes to our question, read without a model
    occurrences: tuple[Occurrences, ...] = ()  # quotes whose words stand more than once


@dataclass(frozen=True, slots=True)
class ChangeUrls:
    accept: str
    edit: str
    reject: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a divergence."""

    value: str
    source: str
    who: str
    at: datetime | None
    quotes: tuple[Quote, ...]
    challenger: int | None = None  # index, None for the present value
    weaker: bool = False


@dataclass(frozen=True, slots=True)
class SlotCard:
    """A value that waits for a person: to be confirmed, or a divergence to be settled."""

    key: str
    pointer: str
    label: str
    kind: str  # confirm, conflict
    value: str
    source: str
    sentences: tuple[str, ...]
    quotes: tuple[Quote, ...]
    sides: tuple[Side, ...] = ()
    on_hold: tuple[CascadeRow, ...] = ()
    controls: tuple[Control, ...] = ()
    confirmers: tuple[Option, ...] = ()
    may_settle_against: bool = True
    problem: Problem | None = None
    open_form: str = ""
    drafts: tuple[Drafted, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedRow:
    key: str
    label: str
    new: str
    sentence: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class RunView:
    """How far the model's reading has come, said as a person would."""

    state: str  # none, waiting, running, parked
    sentence: str
    detail: str = ""
    tries: str = ""


# --- memory: state and history ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain of corrections, newest first."""

    value: str
    version: int
    who: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class SlotRow:
    key: str
    pointer: str
    label: str
    value: str
    status: str  # current, needs_confirmation, conflict, open, empty
    chip: Chip | None
    source: str
    quotes: tuple[Quote, ...] = ()
    since_version: int | None = None
    notes: tuple[str, ...] = ()
    chain: tuple[Link, ...] = ()
    challengers: tuple[Side, ...] = ()
    controls: tuple[Control, ...] = ()
    due: str = ""
    overdue: bool = False
    finished: bool = False
    can_withdraw: bool = False
    can_confirm: bool = False
    confirmers: tuple[Option, ...] = ()
    sensitive: bool = False
    problem: Problem | None = None
    drafts: tuple[Drafted, ...] = ()


@dataclass(frozen=True, slots=True)
class NewMember:
    """The form that adds to a collection."""

    pointer: str
    label: str
    controls: tuple[Control, ...]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class StateGroup:
    key: str
    label: str
    rows: tuple[SlotRow, ...]
    new: NewMember | None = None


@dataclass(frozen=True, slots=True)
class HistoryLine:
    label: str
    word: str  # aceito, rejeitado, …
    old: str
    new: str
    quotes: tuple[Quote, ...] = ()
    reason: str = ""
    tone: str = ""
    beside: bool = False  # the new value was set beside the old one, which stayed


@dataclass(frozen=True, slots=True)
class HistoryRow:
    version: int
    kind: str
    icon: str
    actor: str
    sentence: str
    at: datetime
    lines: tuple[HistoryLine, ...]
    view_url: str
    can_undo: bool = False
    current: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """The right-hand pane."""

    pane: str  # decide, state, history
    ticket_id: str
    version: int
    to_decide: int
    changes: tuple[ChangeCard, ...]
    conflicts: tuple[SlotCard, ...]
    confirms: tuple[SlotCard, ...]
    refused: tuple[RefusedRow, ...]
    groups: tuple[StateGroup, ...]
    history: tuple[HistoryRow, ...]
    run: RunView
    reject_reasons: tuple[str, ...]
    waiting: int = 0  # proposed changes beyond those that are shown
    bulk_ids: tuple[str, ...] = ()  # what "accept all" would take
    bulk_falls: tuple[CascadeRow, ...] = ()  # what would await confirmation then
    shown_version: int | None = None  # state as it was at this version
    older_history_url: str = ""
    history_of: str = ""  # the one field whose history is shown
    decided: DecidedNote | None = None
    next_url: str = ""  # the next ticket that needs a decision
    read_note: str = ""  # how far the model has read
    problem: Problem | None = None  # of a card that is no longer there
    past: Past | None = None  # of the panes that show it
    step: StepLine | None = None  # what is next; None where a past state is shown
    read_only: bool = False  # the ticket was merged: nothing is decided here


@dataclass(frozen=True, slots=True)
class DecidedNote:
    """What was just done, and how to take it back."""

    sentence: str
    version: int | None  # None: nothing to undo
    expected_version: int


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
    links: tuple[TicketLink, ...] = ()
    merged: MergedNote | None = None


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
