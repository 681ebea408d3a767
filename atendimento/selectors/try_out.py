"""Trying a definition out: one value that stands, one new statement, and what the rules say to it.

The state, the messages and the people are made up; the verdict is the rules' own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.selectors import policy_words as words
from atendimento.selectors.parts import Option
from memoria.evidence import Message, Messages
from memoria.fields import Field, TicketType
from memoria.judgement import Desk, judge
from memoria.members import empty_values
from memoria.patch import Json, Op, Operation, apply
from memoria.proposals import Change, Citation, Evidence, Judgement, Statement
from memoria.rows import ROOT, in_group
from memoria.sources import INFERENCE, REPORTED, Actor, Age, Author, Kind
from memoria.state import Slot, SlotStatus, State

_NOW: Final = datetime(2026, 1, 15, 12, tzinfo=UTC)
_STAFF: Final = Actor("staff", "staff")
_HEARD: Final[Mapping[str, Kind]] = {name: kind for kind, name in REPORTED.items()}
NONE: Final = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form says."""

    pointer: str = ""
    current: str = ""
    current_source: str = NONE  # nothing stands there yet
    new: str = ""
    new_source: str = Kind.CUSTOMER.value
    inference: bool = False
    same_author: bool = False
    older: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asked:
        def said(name: str) -> str:
            return query.get(name, "").replace("\0", "")[:200]

        flags = (bool(query.get(name)) for name in ("inference", "same", "older"))
        source = said("new_source")
        known = source if source in (*_KINDS, *_HEARD) else Kind.CUSTOMER.value
        current = said("current_source") if said("current_source") in (*_KINDS, *_HEARD, INFERENCE) else NONE
        return cls(said("try"), said("current"), current, said("new"), known, *flags)


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: str  # the code
    label: str
    sentence: str
    rule: str
    cascade: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TryOut:
    asked: Asked
    fields: tuple[Option, ...]
    current_sources: tuple[Option, ...]
    new_sources: tuple[Option, ...]
    outcome: Outcome | None


_GROUPS: Final = ("i-1", "i-2")
"""The ids of the groups that the made-up ticket has, where the definition has groups."""
_KINDS: Final = tuple(kind.value for kind in Kind)


def try_out(definition: TicketType, asked: Asked) -> TryOut:
    """The form as it was filled in, and the answer where a field of the definition was chosen."""
    field = definition.fields.get(asked.pointer) if asked.pointer in set(definition.fields) else None
    sources = [(code, words.upper_first(words.source(code))) for code in (*_KINDS, *_HEARD)]
    current = [(NONE, _("nothing stands there yet")), *sources, (INFERENCE, words.upper_first(words.source(INFERENCE)))]
    return TryOut(
        asked,
        tuple(
            Option(found.pointer, words.label(found, definition), found.pointer == asked.pointer)
            for found in definition.fields.values()
        ),
        tuple(Option(code, label, code == asked.current_source) for code, label in current),
        tuple(Option(code, label, code == asked.new_source) for code, label in sources),
        None if field is None else _outcome(*_in_ticket(definition, field), asked),
    )


def _in_ticket(definition: TicketType, field: Field) -> tuple[TicketType, Field]:
    """The definition and the field as in a ticket that has two groups; what repeats is tried out in the first."""
    rule = definition.groups
    if rule is None:
        return definition, field
    over = definition.over({group: f"{rule.label} {number}" for number, group in enumerate(_GROUPS, start=1)})
    return over, over.fields[in_group(field.pointer, _GROUPS[0])]


def _outcome(definition: TicketType, field: Field, asked: Asked) -> Outcome:
    judgement = ask(definition, field, asked)
    reason = judgement.reasons[0]
    notes = (
        [_("The value that stands does not fit the field; the rules were asked all the same.")]
        if (asked.current_source and field.value_problem(_value(field, asked.current)) is not None)
        else []
    )
    if asked.new_source in _HEARD:
        notes.append(_("What the staff report counts as said now, by whoever reports it."))
    return Outcome(
        judgement.verdict.value,
        str(wording.VERDICTS[judgement.verdict.value]),
        wording.sentence(reason),
        reason.rule,
        tuple(_fallen(pointer, definition) for pointer in judgement.cascade),
        tuple(notes),
    )


def _fallen(pointer: str, definition: TicketType) -> str:
    if pointer.startswith("/commitments/"):
        return words.target("commitments:" + pointer.rsplit("/", 1)[1], definition)
    return words.target(pointer, definition)


def ask(definition: TicketType, field: Field, asked: Asked) -> Judgement:
    """The judgement of the new statement, in a ticket where every other field and kind of commitment holds something."""
    earlier, later = _NOW - timedelta(hours=2), _NOW - timedelta(hours=1)
    before = _author(asked.current_source or Kind.CUSTOMER.value, "first")
    same = asked.same_author and _kind(asked.new_source) is before.kind
    author = before if same else _author(asked.new_source, "second")
    text = asked.new or "?"
    stood = Message(1 if not asked.older else 2, before, asked.current or "?", later if asked.older else earlier)
    said = Message(2 if not asked.older else 1, author, text, earlier if asked.older else later)
    state = _state(definition, field, asked, stood)
    actor = Actor(before.external_id, "staff") if same else _STAFF
    desk = Desk(definition.folded or definition, Messages([stood, said]), _NOW, actor)
    value = _value(field, asked.new)
    if asked.new_source in _HEARD:
        return judge(state, Change("add", field.pointer, value), desk, statement=Statement(_HEARD[asked.new_source]))
    change = Change("add", field.pointer, value, (Citation(said.id, text),), inference=asked.inference)
    return judge(state, change, desk)


def _kind(source: str) -> Kind:
    """What relays a source: staff, where they report; a person's words, where the model infers."""
    if source in _HEARD:
        return Kind.AGENT
    return Kind.CUSTOMER if source == INFERENCE else Kind(source)


def _author(source: str, name: str) -> Author:
    return Author(_kind(source), name, name)


def _value(field: Field, text: str) -> Json:
    """The text as the field takes it: as it stands, else as JSON (a number, yes or no) where that fits."""
    if field.value_problem(text) is None:
        return text
    try:
        read: Json = json.loads(text)
    except ValueError:
        return text
    return read if field.value_problem(read) is None else text


def _state(definition: TicketType, field: Field, asked: Asked, stood: Message) -> State:
    patch: list[Operation] = []
    if definition.groups is not None:
        patch.append(Operation(Op.ADD, ROOT, {group: {} for group in _GROUPS}))
    slots: dict[str, Slot] = {}

    def hold(pointer: str, value: Json, source: str, author: Author, age: Age) -> None:
        patch.append(Operation(Op.ADD, pointer, value))
        evidence = (Evidence(stood.id, stood.text, 0, len(stood.text)),)
        slots[pointer] = Slot(SlotStatus.CURRENT, source, author, age, evidence, 1)

    for other in definition.fields.values():
        if other.pointer != field.pointer:
            hold(other.pointer, "…", other.sources[0], stood.author, stood.age)
    for kind in definition.collections["commitments"].kinds if "commitments" in definition.collections else ():
        task = {
            "task": kind,
            "owner": "team",
            "due": None,
            "due_text": None,
            "status": "requested",
            "kind": kind,
            "reopens": None,
        }
        hold(f"/commitments/{kind}", task, Kind.AGENT.value, stood.author, stood.age)
    if asked.current_source:
        hold(field.pointer, _value(field, asked.current), asked.current_source, stood.author, stood.age)
    return State(1, apply(empty_values(), patch), slots)
