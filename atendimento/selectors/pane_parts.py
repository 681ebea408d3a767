"""What the memory pane shows: cards to decide, the state by groups, versions. Frozen, already decided and worded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from atendimento.selectors.parts import (
    Chip,
    Control,
    DiffPart,
    Drafted,
    ModelSaw,
    Occurrences,
    Option,
    Past,
    Problem,
    Quote,
    Settled,
    StepLine,
)

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
class NewGroup:
    """The head above the cards of one group that they would begin (G2)."""

    key: str  # also the element's id
    label: str
    ids: tuple[str, ...]  # what "accept all" of this group would take
    whole: tuple[str, ...] = ()  # all that is proposed of it
    there: tuple[Option, ...] = ()  # the groups that it may be
    falls: tuple[CascadeRow, ...] = ()  # what would await confirmation if all of `ids` were accepted


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
    alone: str = ""  # why it is not accepted along with others
    occurrences: tuple[Occurrences, ...] = ()  # quotes whose words stand more than once
    settled: Settled | None = None  # decided meanwhile: it stays for what is being typed in it
    veiled: str = ""  # the pointer, where its present value is hidden and can be opened
    head: NewGroup | None = None  # on the first card of a group that is to begin


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
    hidden: bool = False  # `value` stands for one that is sensitive


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
    hidden: bool = False  # its value is there, and shown to who opens it
    settled: Settled | None = None  # settled meanwhile: it stays for what is being typed in it
    typed: Mapping[str, str] = field(default_factory=dict)  # what a form held that came too late


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
    hidden: bool = False  # its value is there, and shown to who opens it
    opened: bool = False  # the member has just done so
    problem: Problem | None = None
    drafts: tuple[Drafted, ...] = ()
    by_quote: bool = False  # staff may not say it: its form waits for words that are selected in the conversation


@dataclass(frozen=True, slots=True)
class NewMember:
    """The form that adds to a collection."""

    pointer: str
    label: str
    controls: tuple[Control, ...]
    problem: Problem | None = None
    key: str = ""  # of the element, where it is not the collection's


@dataclass(frozen=True, slots=True)
class StateGroup:
    key: str
    label: str
    rows: tuple[SlotRow, ...]
    new: NewMember | None = None
    begins: tuple[NewMember, ...] = ()  # the forms any of which begins another of these groups


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
    pointer: str = ""
    fell: bool = False  # it did not get this value: what it holds is to be confirmed


@dataclass(frozen=True, slots=True)
class HistoryRow:
    key: str  # also the element's id
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
    undone_in: int | None = None  # the version that took this one back
    problem: Problem | None = None  # why it was not undone
    reason: str = ""  # as it was typed then
    others: tuple[HistoryLine, ...] = ()  # of the history of one field: what else the version did


@dataclass(frozen=True, slots=True)
class Report:
    """What somebody said by telephone, or a system showed, is about to be recorded (E9)."""

    whose: str  # customer, registry
    places: tuple[Option, ...]  # the forms that take it, by their element's id


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
    report: Report | None = None  # of the state pane
    read_only: bool = False  # the ticket was merged or erased: nothing is decided here
    erased: str = ""  # `ticket` once its words are, `customer` once the name is too: what an open page must stop showing
    told: str = ""  # what colleagues decided since the version that the page shows

    @property
    def keys(self) -> tuple[str, ...]:
        """The elements' ids of every card to decide."""
        return tuple(card.key for cards in (self.changes, self.conflicts, self.confirms) for card in cards)


@dataclass(frozen=True, slots=True)
class DecidedNote:
    """What was just done, and how to take it back."""

    sentence: str
    version: int | None  # None: nothing to undo
    expected_version: int
