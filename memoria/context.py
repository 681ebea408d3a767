"""What goes into one request to the model, within a budget by layer, and the report of what stayed out (N3 to N6).

The parts stand in a fixed order, what changes least first, so that the provider's cache finds the same beginning. What a
request costs is bounded by the budget and by what holds now, never by how long the conversation is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import Final, TypeVar

from memoria.evidence import Message
from memoria.fields import TicketType
from memoria.groups import listed
from memoria.marks import Mark
from memoria.passages import Span, cut, within, without
from memoria.patch import MISSING, Json, Missing
from memoria.sources import Kind
from memoria.state import State
from memoria.state_view import view
from memoria.typography import fold_words

CountTokens = Callable[[str], int]

_UNBOUNDED: Final = 1 << 62
_TOOL_KINDS: Final = (Kind.TOOL, Kind.REGISTRY)
_WEEKDAYS: Final[Mapping[bool, tuple[str, ...]]] = {
    True: ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"),
    False: ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens per layer, and counts where a layer is a list. What is pinned has none: it always goes in."""

    state: int = 800
    members: int = 3  # shown whole, beside open commitments and literals; and as many names
    proposed: int = 300
    rejected: int = 200
    learnings: int = 250
    retrieved: int = 500
    older: int = 10  # messages; those that fit into `recent`
    older_least: int = 2  # of them, whatever they cost
    recent: int = 200
    older_message: int = 150  # one of them
    new: int = 6000
    new_message: int = 2000  # one of them
    tool_output: int = 400  # one message of a tool or registry, cut before anything else


@dataclass(frozen=True, slots=True)
class LeftOut:
    what: str
    why: str

    def to_json(self) -> dict[str, Json]:
        return {"what": self.what, "why": self.why}


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a request: its tokens, how many things it holds, and what is missing from it."""

    name: str
    tokens: int
    included: int
    left_out: tuple[LeftOut, ...] = ()

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "tokens": self.tokens,
            "included": self.included,
            "left_out": [item.to_json() for item in self.left_out],
        }


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What a request was made of; stored with the proposal (N3)."""

    layers: tuple[Layer, ...]
    total_tokens: int  # the whole request: instructions, schema and document

    def to_json(self) -> dict[str, Json]:
        return {"layers": [layer.to_json() for layer in self.layers], "total_tokens": self.total_tokens}


@dataclass(frozen=True, slots=True)
class Snippet:
    """Words from another ticket of the same customer (R1): they help to understand and cannot be cited."""

    text: str
    origin: str  # "atendimento 2026-000123"
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change that waits for its decision."""

    path: str
    value: Json | Missing

    def to_json(self) -> dict[str, Json]:
        return {"path": self.path} if isinstance(self.value, Missing) else {"path": self.path, "value": self.value}


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """A change that a person has rejected, and why, where they said so (V7)."""

    path: str
    value: Json | Missing
    why: str = ""

    def to_json(self) -> dict[str, Json]:
        document = Proposed(self.path, self.value).to_json()
        return document | {"why": self.why} if self.why else document


@dataclass(frozen=True, slots=True)
class Context:
    """The document of the user turn, in its order, with the layers that made it."""

    document: dict[str, Json]
    layers: tuple[Layer, ...]
    through: int  # number of the last new message in it; newer ones wait for the next run
    rest: Mapping[int, tuple[Span, ...]]  # of new messages that were cut: what of them is still to be read


@dataclass(frozen=True, slots=True)
class Pinned:
    """A message, or a passage of one, that a person wants in every request, letter by letter."""

    message: Message
    start: int | None = None  # code points of the passage; None: the whole message
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """All that a context may be made of. The caller loads no more than the budget can take."""

    ticket_type: TicketType
    state: State
    new: Sequence[Message]  # oldest first
    older: Sequence[Message] = ()  # oldest first; the last `Budget.older` are enough
    marks: Mapping[str, Sequence[Mark]] = field(default_factory=dict)  # N5, by message id
    proposed: Sequence[Proposed] = ()  # newest last
    rejected: Sequence[TurnedDown] = ()  # newest last
    learnings: Sequence[str] = ()  # approved ones, the most useful first
    retrieved: Sequence[Message | Snippet] = ()  # the most useful first
    pinned: Sequence[Pinned] = ()  # in the order of the messages
    unread: Mapping[int, Sequence[Span]] = field(default_factory=dict)  # what is new of a message that was read in part


def dump(document: Json) -> str:
    """The one spelling in which documents reach the model and are counted."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def assemble(
    material: Material, *, zone: tzinfo, language: str, count_tokens: CountTokens, budget: Budget | None = None
) -> Context:
    """The context of one request. Never drops literals, constraints, decisions, open commitments (N1, N3) or what is pinned."""
    budget = budget or Budget()
    count = _Counter(count_tokens)
    held = view(material.state, material.ticket_type, count.of, budget.state, budget.members)
    scribe = _Scribe(material, zone, language, budget, count)
    proposed = _within(reversed(material.proposed), budget.proposed, Proposed.to_json, lambda item: item.path, count)
    rejected = _within(reversed(material.rejected), budget.rejected, TurnedDown.to_json, lambda item: item.path, count)
    learnings = _within(material.learnings, budget.learnings, str, lambda item: item[:40], count)
    new, through = scribe.new(material.new)
    pinned = scribe.pinned(material.pinned)
    retrieved = _within(material.retrieved, budget.retrieved, scribe.retrieved, _origin, count)
    recent = scribe.recent(material.older)
    # Of the groups that are only proposed those whose proposals the model sees: however many wait, the list stays short.
    seen = [(row["path"], row.get("value", MISSING)) for row in proposed.rows[::-1]]
    called = listed(material.ticket_type, material.state, seen)
    state_tokens = count.of(held.document) + (count.of(called) if called else 0)
    document: dict[str, Json] = {}
    parts: tuple[tuple[str, Json], ...] = (
        # What changes least stands first (N4).
        ("learnings", learnings.rows),
        ("pinned", pinned.rows),
        ("groups", called),
        ("literals", held.literals),
        ("state", held.document),
        ("proposed", proposed.rows[::-1]),
        ("rejected", rejected.rows[::-1]),
        ("retrieved", retrieved.rows),
        ("context", recent.rows),
    )
    document |= {key: part for key, part in parts if part}
    document["new_messages"] = new.rows
    layers = (
        learnings.layer("learnings"),
        pinned.layer("pinned"),
        Layer("literals", count.of(held.literals), held.literal_count),
        Layer("state", state_tokens, held.included, tuple(LeftOut(*item) for item in held.left_out)),
        proposed.layer("proposed"),
        retrieved.layer("retrieved"),
        recent.layer("recent"),
        new.layer("new"),
        rejected.layer("rejected"),
        scribe.tools.layer("tool_output"),
    )
    return Context(document, layers, through, scribe.rest)


def _origin(item: Message | Snippet) -> str:
    return item.id if isinstance(item, Message) else item.origin


class _Counter:
    def __init__(self, count_tokens: CountTokens) -> None:
        self.text = count_tokens

    def of(self, document: Json) -> int:
        return self.text(dump(document))


@dataclass(slots=True)
class _Rows:
    """A layer that is being filled."""

    rows: list[Json] = field(default_factory=list)
    tokens: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    def take(self, row: Json, tokens: int) -> None:
        self.rows.append(row)
        self.tokens += tokens

    def layer(self, name: str) -> Layer:
        return Layer(name, self.tokens, len(self.rows), tuple(self.left_out))


T = TypeVar("T")


def _within(items: Iterable[T], budget: int, show: Callable[[T], Json], name: Callable[[T], str], count: _Counter) -> _Rows:
    """The items in their order, as long as they fit. What does not fit is named; a smaller one behind it is still taken."""
    rows = _Rows()
    for item in items:
        row = show(item)
        tokens = count.of(row)
        if rows.tokens + tokens <= budget:
            rows.take(row, tokens)
        else:
            rows.left_out.append(LeftOut(name(item), "budget"))
    return rows


@dataclass(frozen=True, slots=True)
class _Written:
    """A message on the page: its row, tokens, and what of it stayed out."""

    row: dict[str, Json] | None
    tokens: int
    is_tool: bool
    left_out: tuple[LeftOut, ...]
    rest: tuple[Span, ...] = ()  # what was cut off and is to be read in a following call


@dataclass(slots=True)
class _Scribe:
    """Writes messages into the document, within the budget, and keeps the account of tools' output apart."""

    material: Material
    zone: tzinfo
    language: str
    budget: Budget
    count: _Counter
    tools: _Rows = field(default_factory=_Rows)
    telling: frozenset[str] = frozenset()
    shown: set[int] = field(default_factory=set)  # numbers of messages that stand whole among what is pinned
    rest: dict[int, tuple[Span, ...]] = field(default_factory=dict)
    today: set[date] = field(default_factory=set)  # of the first new message
    through: int = 0

    def __post_init__(self) -> None:
        labels = " ".join(row.label for row in self.material.ticket_type.fields.values())
        self.telling = frozenset(word for word in fold_words(labels).split() if len(word) > 3)

    def new(self, messages: Sequence[Message]) -> tuple[_Rows, int]:
        """The new messages, oldest first, as many as fit; the first always. The rest is for the next run."""
        rows, through = _Rows(), 0
        for message in messages:
            written = self._write(message, self._room(message, self.budget.new_message), new=True)
            if rows.rows and rows.tokens + written.tokens > self.budget.new:
                rows.left_out.append(LeftOut(f"{message.id} on", "next run"))
                break
            self._put(written, rows)
            if written.rest:
                self.rest[message.number] = written.rest
            through = message.number
        self.through = through
        self.today = {self._day(message) for message in messages[:1]}
        return rows, through

    def pinned(self, pins: Sequence[Pinned]) -> _Rows:
        """What a person pinned, letter by letter, whatever it costs; nothing twice that stands whole among the new."""
        rows = _Rows()
        fresh = {message.number for message in self.material.new if message.number <= self.through}
        for pin in pins:
            message = pin.message
            if message.number in fresh:
                continue
            if message.deleted:
                rows.left_out.append(LeftOut(message.id, "deleted"))
                continue
            row = self._row(message, message.text[pin.start : pin.end])
            rows.take(row, self.count.of(row))
            if pin.start is None:
                self.shown.add(message.number)
        return rows

    def recent(self, messages: Sequence[Message]) -> _Rows:
        """The last older messages, newest first into the budget, oldest first onto the page."""
        rows = _Rows()
        kept = messages[-self.budget.older :] if self.budget.older else ()
        for at, message in enumerate(reversed(kept)):
            if message.number in self.shown:
                continue
            written = self._write(message, self.budget.older_message)
            if at >= self.budget.older_least and rows.tokens + written.tokens > self.budget.recent:
                # What lies before a gap would be read as if nothing had been said in between.
                kept = kept[len(kept) - at :]
                break
            self._put(written, rows)
        if len(messages) > len(kept):
            rows.left_out.append(LeftOut(f"{len(messages) - len(kept)} before", "older"))
        rows.rows.reverse()
        return rows

    def retrieved(self, item: Message | Snippet) -> Json:
        if isinstance(item, Snippet):
            return {"from": item.origin, "sent_at": self._moment(item.said_at), "text": item.text}
        return self._write(item, self.budget.older_message).row or {}

    def _put(self, written: _Written, rows: _Rows) -> None:
        if written.row is not None:
            rows.take(written.row, written.tokens)
            if written.is_tool:
                self.tools.take(written.row, written.tokens)
        (self.tools if written.is_tool else rows).left_out.extend(written.left_out)

    def _room(self, message: Message, budget: int) -> int:
        """The tokens that a message may take: what is pinned whole is never cut."""
        pinned = any(pin.start is None and pin.message.number == message.number for pin in self.material.pinned)
        return _UNBOUNDED if pinned else budget

    def _write(self, message: Message, budget: int, *, new: bool = False) -> _Written:
        """One message as the model sees it; no row where it holds nothing that could be cited."""
        is_tool = message.author.kind in _TOOL_KINDS
        parts = without(message.text, message.unquotable)
        if new and message.number in self.material.unread:
            parts = within(parts, self.material.unread[message.number])
        why = "deleted" if message.deleted else "automatic" if message.automatic else "" if parts else "nothing to quote"
        if why:
            return _Written(None, 0, is_tool, (LeftOut(message.id, why),))
        room = min(budget, self.budget.tool_output) if is_tool and budget != _UNBOUNDED else budget
        text, dropped = cut(message.text, parts, room, self.count.text, self.telling)
        row = self._row(message, text, new=new)
        # What a tool says is cut at its source and not asked for again; of a person's words nothing is passed over.
        rest = tuple(dropped) if new and not is_tool else ()
        why = "next run" if rest else "budget"
        left_out = tuple(LeftOut(f"{message.id}[{low}:{high}]", why) for low, high in dropped)
        return _Written(row, self.count.of(row), is_tool, left_out, rest)

    def _row(self, message: Message, text: str, *, new: bool = False) -> dict[str, Json]:
        """Of a new message the weekday too, and who said it where it was not the customer: promises and dates are read
        from it. Of an older one the time only where it was said on another day."""
        row: dict[str, Json] = {"id": message.id, "kind": message.author.kind.value}
        if new and message.author.name and message.author.kind is not Kind.CUSTOMER:
            row["name"] = message.author.name
        if new or self._day(message) not in self.today:
            row["sent_at"] = self._moment(message.said_at)
        if new:
            weekdays = _WEEKDAYS[self.language.lower().startswith("pt")]
            row["weekday"] = weekdays[message.said_at.astimezone(self.zone).weekday()]
        row["text"] = text
        marks = self.material.marks.get(message.id)
        if marks:
            row["mark"] = [mark.to_json() for mark in marks]
        return row

    def _day(self, message: Message) -> date:
        return message.said_at.astimezone(self.zone).date()

    def _moment(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).isoformat(timespec="minutes")
