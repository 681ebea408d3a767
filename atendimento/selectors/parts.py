"""The small parts that pages are made of: frozen objects, as in `pages`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TicketLink:
    """Another ticket that this one came from or gave rise to."""

    label: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class MergedNote:
    """The banner of a ticket that was merged into another one."""

    sentence: str
    protocol: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A short word with a meaning: tone gives the colour, icon and label say the same without it."""

    label: str
    tone: str = ""  # "", proposed, confirm, conflict, ok
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with one mark, or none."""

    text: str
    mark: str = ""  # "", state, proposed, caution
    refs: str = ""  # keys of the cards that rest on these words, separated by spaces
    title: str = ""  # what the words support, for whoever points at them


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of a message: its own words, or words of others that it quotes."""

    segments: tuple[Segment, ...]
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that back a value, with who said them and when; `segments` is their whole sentence."""

    message: str  # "m-3"
    number: int
    author: str
    at: datetime | None
    words: str
    segments: tuple[Segment, ...] = ()  # empty where the quote is all there is to show
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One of the places where the same words stand, with what stands around them."""

    start: int  # in code points of the message
    before: str
    words: str
    after: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Occurrences:
    name: str  # of the form's field
    message: str
    places: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class DiffPart:
    kind: str  # same, del, ins
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    selected: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter: its name in the address, what it is called, and what it can be."""

    name: str
    label: str
    any: str  # what is said where nothing is chosen
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A text that is a CPF, a telephone number and the like (see notation.py), and what its schema takes of it."""

    notation: str
    held: str  # as it is stored
    pattern: str
    longest: int | None
    keyboard: str  # an HTML inputmode
    example: str


@dataclass(frozen=True, slots=True)
class Control:
    """One field of a form, of the kind that the value's schema asks for."""

    name: str
    label: str
    kind: str  # text, textarea, select, switch, number, date, moment, lines, json
    value: str = ""
    checked: bool = False
    options: tuple[Option, ...] = ()
    required: bool = False
    minimum: str = ""
    maximum: str = ""
    max_length: str = ""
    step: str = ""
    hint: str = ""
    number: WrittenNumber | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What the domain or the form said no to: it stands beside the card, with what was typed."""

    title: str
    detail: str = ""
    items: tuple[str, ...] = ()
    retry: bool = False  # the ground has moved: the card below is fresh, the same act may be tried again


@dataclass(frozen=True, slots=True)
class Settled:
    """How a card was decided by somebody else while one was writing in it, and where what was typed can go."""

    sentence: str
    now: str  # the value that holds; empty where none does
    pointer: str
    address: str  # of the page without the card
    problem: Problem | None = None  # of a submit that came too late
    hidden: bool = False  # `now` stands for a sensitive value


@dataclass(frozen=True, slots=True)
class Held:
    """What a pointer held at one of the two versions."""

    value: str
    status: str
    source: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    label: str
    before: Held | None  # None: there was nothing at the pointer
    after: Held | None


@dataclass(frozen=True, slots=True)
class Comparison:
    first: int
    second: int
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """The controls with which the past is walked through, and what they were asked for."""

    url: str
    newest: int
    shown: int  # where the slider stands
    at: datetime | None  # when that version came; None for version 0
    previous_url: str
    next_url: str
    first_options: tuple[Option, ...]
    second_options: tuple[Option, ...]
    comparison: Comparison | None = None
    unknown: bool = False  # one of the two versions does not exist, or is erased


@dataclass(frozen=True, slots=True)
class SeenLayer:
    name: str
    tokens: str
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class ModelSaw:
    """What the model had before it: the layers of its request, and which model read them when."""

    model: str
    prompt_version: str
    at: datetime
    through: int  # the last message that it read
    tokens: str
    layers: tuple[SeenLayer, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A text that a button writes into the composer. Nothing is sent by it."""

    label: str
    text: str
    kind: str = "reply"  # or note
    icon: str = "message-circle-question-mark"
    more: str = ""  # what is written instead behind a question of the same kind, in the place of its question mark


@dataclass(frozen=True, slots=True)
class StepPart:
    """One thing that is next: its kind in a word or two, and what it is about."""

    icon: str
    label: str
    text: str
    tone: str = ""  # "", warn, bad


@dataclass(frozen=True, slots=True)
class StepLine:
    """The next step: a line's worth of it, and all of it for whoever opens the line."""

    short: tuple[StepPart, ...]
    every: tuple[StepPart, ...]


@dataclass(frozen=True, slots=True)
class ReplyFinding:
    """What a reply says that the state does not bear out: its words, and why."""

    code: str
    icon: str
    tone: str  # "", warn, bad
    words: str  # empty where it is about the whole reply
    sentence: str


@dataclass(frozen=True, slots=True)
class ReplyCheck:
    findings: tuple[ReplyFinding, ...]
    more: str = ""  # how many are not shown
    hinders: bool = False
    held: bool = False  # it was to be sent, and asks once more
    digest: str = ""  # of the text that was held
    record: str = ""  # what its promise would record; empty where it makes none
    promised: str = ""  # names what would be recorded, so that nothing else is


@dataclass(frozen=True, slots=True)
class SinceItem:
    """One decision that the member has not seen."""

    at: datetime
    sentence: str
    lines: tuple[str, ...]
    url: str  # the state as it was then


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the member last looked: a line, and what it opens to."""

    sentence: str
    first_message: int | None  # the first of the messages that came since
    items: tuple[SinceItem, ...] = ()
    more: int = 0  # decisions that are not listed
