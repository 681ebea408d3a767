"""The ticket in a few sentences, by template from the state and from nothing else (N1, N2, H6).

Every clause says its status in words: what is not current never reads as if it were. Literals stand in it as they are,
and once more, verbatim, in a block after it. Nothing open is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Final

from memoria.fields import COMMITMENTS, Field, TicketType
from memoria.groups import unfolded
from memoria.members import FINISHED, OWNERS
from memoria.narrative_words import Words, words_of
from memoria.patch import Json, Missing, lookup, make_pointer
from memoria.sources import INFERENCE, Kind
from memoria.state import Slot, SlotStatus, Stale, State, is_first

_SEPARATOR: Final = "; "
_PLACE: Final = re.compile(r"\{(\w+)\}")
_ORDER: Final = (
    "goal",
    "holds",
    "doubt",
    "open",
    "offered",
    "promised",
    "finished",
    "tried",
    "allowed",
    "decided",
    "forbidden",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of the narrative, and the pointer that it speaks of."""

    text: str
    pointer: str
    status: str  # current, needs_confirmation, conflict, open

    def to_json(self) -> dict[str, Json]:
        return {"text": self.text, "pointer": self.pointer, "status": self.status}


@dataclass(frozen=True, slots=True)
class Paragraph:
    kind: str  # one of `_ORDER`
    heading: str
    clauses: tuple[Clause, ...]

    @property
    def text(self) -> str:
        told = f"{self.heading}: {_SEPARATOR.join(clause.text for clause in self.clauses)}"
        return told if told.endswith((".", "!", "?", "…")) else told + "."


@dataclass(frozen=True, slots=True)
class Literal:
    """Words that no summary touches: an identifier, a literal field, a constraint, a decision, an authorization's scope."""

    pointer: str
    label: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class Narrative:
    paragraphs: tuple[Paragraph, ...]
    verbatim: tuple[Literal, ...]
    verbatim_heading: str

    @property
    def text(self) -> str:
        """The whole of it as plain text: a paragraph a line, then the verbatim block."""
        lines = [paragraph.text for paragraph in self.paragraphs]
        if self.verbatim:
            lines += [f"{self.verbatim_heading}:", *(f"- {item.label}: {item.text}" for item in self.verbatim)]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Json]:
        return {
            "paragraphs": [
                {
                    "kind": paragraph.kind,
                    "heading": paragraph.heading,
                    "clauses": [clause.to_json() for clause in paragraph.clauses],
                }
                for paragraph in self.paragraphs
            ],
            "verbatim_heading": self.verbatim_heading,
            "verbatim": [
                {"pointer": item.pointer, "label": item.label, "text": item.text, "status": item.status}
                for item in self.verbatim
            ],
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class People:
    """How the parties are called; by their role where no name is known."""

    customer: str | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class _Teller:
    state: State
    ticket_type: TicketType
    people: People
    words: Words
    zone: tzinfo | None
    first_goal: str | None

    # --- parts -------------------------------------------------------------------------------------------------------

    def say(self, key: str, **parts: str) -> str:
        # In one pass over the template: what people wrote may hold braces itself.
        return _PLACE.sub(lambda match: parts.get(match[1], match[0]), self.words[key])

    def with_remarks(self, clause: str, remarks: Iterable[str]) -> str:
        found = [remark for remark in remarks if remark]
        return f"{clause} — {', '.join(found)}" if found else clause

    def members(self, collection: str) -> Sequence[tuple[str, Mapping[str, Json], Slot | None]]:
        held = self.state.values.get(collection, {})
        pointers = ((make_pointer(collection, identifier), member) for identifier, member in held.items())
        return [(pointer, member, self.state.slots.get(pointer)) for pointer, member in pointers]

    def value(self, value: Json) -> str:
        if value is None or isinstance(value, bool):
            return self.words[json.dumps(value)]
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return ", ".join(map(self.value, value))
        return json.dumps(value, ensure_ascii=False)

    def due(self, due: str) -> str:
        if len(due) == len("2026-03-10"):
            day = date.fromisoformat(due)
            return self.words["date"].format(d=day.day, m=day.month, y=day.year)
        moment = datetime.fromisoformat(due.upper())
        moment = moment.astimezone(self.zone) if self.zone is not None else moment
        return self.words["moment"].format(d=moment.day, m=moment.month, y=moment.year, h=moment.hour, min=moment.minute)

    def who(self, owner: str, slot: Slot | None) -> str:
        """An owner's name: the member of the team who said it, the customer's, or the role."""
        if owner == "team":
            if slot is not None and slot.author.kind is Kind.AGENT and slot.author.name:
                return self.say("of_team", name=slot.author.name)
            return self.people.team or self.words["team"]
        if owner == "customer":
            return self.people.customer or self.words["customer"]
        return self.words[owner] if owner in OWNERS else owner

    def doubts(self, slot: Slot | None) -> list[str]:
        """Why a slot is not current, in words; nothing for one that is."""
        if slot is None or slot.status is SlotStatus.CURRENT:
            return []
        found = [self.words[slot.status.value]] if slot.status is not SlotStatus.OPEN else []
        if slot.source == INFERENCE and slot.status is SlotStatus.NEEDS_CONFIRMATION:
            found.append(self.words["inferred"])
        if slot.stale_because is not None:
            found.append(self.because(slot.stale_because))
        for challenger in slot.challengers:
            source = self.words.get(challenger.source, challenger.source)
            if isinstance(challenger.value, Missing):
                found.append(self.say("against_withdrawal", source=source))
            else:
                found.append(self.say("against", source=source, value=self.value(challenger.value)))
        return found

    def because(self, stale: Stale) -> str:
        if stale.cause is not None:
            return self.words.get(stale.cause, stale.cause)
        known = "stale_first" if is_first(stale, self.state) else "stale_field"
        return self.say(known, label=self.label(stale.pointer or ""))

    def label(self, target: str) -> str:
        row = self.ticket_type.fields.get(target)
        if row is not None or not target.startswith(COMMITMENTS):
            return row.label if row is not None else target
        kind = target.removeprefix(COMMITMENTS)
        return self.words.get(f"kind:{kind}", kind.replace("_", " "))

    # --- paragraphs --------------------------------------------------------------------------------------------------

    def goal(self) -> Iterable[Clause]:
        goal, slot = lookup(self.state.values, "/goal"), self.state.slots.get("/goal")
        if isinstance(goal, Missing):
            if "/goal" in self.ticket_type.fields:
                yield self._withdrawn("/goal", slot) if slot is not None else Clause(self.words["no_goal"], "/goal", "open")
            return
        first = self.first_goal
        if first is None and slot is not None and slot.replaces is not None and isinstance(slot.replaces.value, str):
            first = slot.replaces.value
        text = self.value(goal)
        told = self.say("first_goal", goal=text, first=first) if first is not None and first != text else text
        yield Clause(self.with_remarks(told, self.doubts(slot)), "/goal", _status(slot))

    def fields(self, *statuses: SlotStatus) -> Iterable[Clause]:
        for pointer, row in self.ticket_type.fields.items():
            slot = self.state.slots.get(pointer)
            if pointer == "/goal" or slot is None or slot.status not in statuses:
                continue
            value = lookup(self.state.values, pointer)
            if isinstance(value, Missing):
                yield self._withdrawn(pointer, slot)
            else:
                clause = self.say("value", label=row.label, value=self.value(value))
                yield Clause(self.with_remarks(clause, self.doubts(slot)), pointer, _status(slot))

    def _withdrawn(self, pointer: str, slot: Slot) -> Clause:
        label, replaced = self.label(pointer), slot.replaces
        if replaced is None or isinstance(replaced.value, Missing):
            text = self.say("without_value", label=label)
        else:
            text = self.say("withdrawn", label=label, was=self.value(replaced.value))
        return Clause(self.with_remarks(text, self.doubts(slot)), pointer, _status(slot))

    def offered(self) -> Iterable[Clause]:
        for pointer, member, slot in self.members("pending"):
            if member.get("status") != "open":
                continue
            by_staff = slot is None or slot.author.kind in (Kind.AGENT, Kind.ASSISTANT, Kind.SYSTEM)
            who = self.who("customer" if by_staff else "team", None)
            options = member.get("options") or []
            key = "option" if options else "question"
            listed = self.say("options", options=", ".join(options)) if options else ""
            clause = self.say(key, who=who, question=str(member["question"]))
            yield Clause(self.with_remarks(clause, [listed, *self.doubts(slot)]), pointer, _status(slot))

    def commitments(self, finished: bool) -> Iterable[Clause]:
        for pointer, member, slot in self.members("commitments"):
            if (member.get("status") in FINISHED) is not finished:
                continue
            clause = self.say("promise", who=self.who(str(member["owner"]), slot), task=str(member["task"]))
            again = self.say("reopens", id=str(member["reopens"])) if member.get("reopens") else ""
            term = [] if finished else self.term(pointer, member)
            status = self.words[str(member.get("status", "requested"))]
            doubts = [*self.doubts(slot), *self.doubts(self.state.slots.get(pointer + "/status"))]
            yield Clause(self.with_remarks(clause, [status, *term, again, *doubts]), pointer, _status(slot))

    def term(self, pointer: str, member: Mapping[str, Json]) -> list[str]:
        """Until when, with the words that it was resolved from, and what is wrong with it."""
        slot, due, said = self.state.slots.get(pointer + "/due"), member.get("due"), member.get("due_text")
        if due is None:
            if slot is not None and slot.status is SlotStatus.OPEN:
                return [self.words["due_open"]]
            return [self.say("said_until", words=said) if said else self.words["no_due"]]
        spelled = self.due(due)
        told = [self.say("until_words", due=spelled, words=said) if said else self.say("until", due=spelled)]
        if slot is not None and slot.status is SlotStatus.CONFLICT:
            told.append(self.words["due_conflict"])
        elif slot is not None and slot.status is SlotStatus.NEEDS_CONFIRMATION:
            told.append(self.words["due_doubt"])
        return told

    def tried(self) -> Iterable[Clause]:
        for pointer, member, slot in self.members("attempts"):
            by = member.get("by")
            action = str(member["action"])
            clause = self.say("attempt", who=self.who(by, slot), action=action) if isinstance(by, str) else action
            status = str(member.get("status", "tried"))
            result = self.say("result", result=str(member["result"])) if member.get("result") else ""
            told = self.words["tried_status" if status == "tried" else status]
            yield Clause(self.with_remarks(clause, [told, result, *self.doubts(slot)]), pointer, _status(slot))

    def allowed(self) -> Iterable[Clause]:
        for pointer, member, slot in self.members("authorizations"):
            clause = self.say("allow", action=self.words[str(member["action"])], scope=str(member["scope"]))
            taken = self.words["taken_back"] if member.get("status") == "revoked" else ""
            yield Clause(self.with_remarks(clause, [taken, *self.doubts(slot)]), pointer, _status(slot))

    def decided(self) -> Iterable[Clause]:
        for pointer, member, slot in self.members("decisions"):
            reason = member.get("reason")
            why = self.say("because", reason=str(reason)) if reason else self.words["no_reason"]
            clause = self.say("decision", text=str(member["text"]))
            yield Clause(self.with_remarks(clause, [why, self.limits(member), *self.doubts(slot)]), pointer, _status(slot))

    def forbidden(self) -> Iterable[Clause]:
        for pointer, member, slot in self.members("constraints"):
            remarks = [self.limits(member), *self.doubts(slot)]
            yield Clause(self.with_remarks(str(member["text"]), remarks), pointer, _status(slot))

    def limits(self, member: Mapping[str, Json]) -> str:
        targets = member.get("applies_to") or []
        return self.say("limits", targets=", ".join(map(self.label, targets))) if targets else ""

    def verbatim(self) -> Iterable[Literal]:
        for pointer, row in self.ticket_type.fields.items():
            value = lookup(self.state.values, pointer)
            if _is_literal(row) and not isinstance(value, Missing):
                yield Literal(pointer, row.label, self.value(value), _status(self.state.slots.get(pointer)))
        for collection, key, heading in (
            ("constraints", "text", "forbidden"),
            ("decisions", "text", "decided"),
            ("authorizations", "scope", "allowed"),
        ):
            for pointer, member, slot in self.members(collection):
                if member.get("status") != "revoked":
                    yield Literal(pointer, self.words[heading], str(member[key]), _status(slot))


def _is_literal(row: Field) -> bool:
    return row.literal or row.is_identifier


def _status(slot: Slot | None) -> str:
    return SlotStatus.CURRENT.value if slot is None else slot.status.value


def narrative(
    state: State,
    ticket_type: TicketType,
    *,
    language: str,
    people: People | None = None,
    zone: tzinfo | None = None,
    first_goal: str | None = None,
) -> Narrative:
    """The narrative of a state.

    `zone` is the one in which moments are told (their own where it is left out); `first_goal` the goal that the ticket
    began with, where the caller knows it: the state itself remembers only the one before.
    """
    teller = _Teller(state, unfolded(ticket_type, state), people or People(), words_of(language), zone, first_goal)
    told: Mapping[str, tuple[Clause, ...]] = {
        "goal": tuple(teller.goal()),
        "holds": tuple(teller.fields(SlotStatus.CURRENT)),
        "doubt": tuple(teller.fields(SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT)),
        "open": tuple(teller.fields(SlotStatus.OPEN)),
        "offered": tuple(teller.offered()),
        "promised": tuple(teller.commitments(finished=False)),
        "finished": tuple(teller.commitments(finished=True)),
        "tried": tuple(teller.tried()),
        "allowed": tuple(teller.allowed()),
        "decided": tuple(teller.decided()),
        "forbidden": tuple(teller.forbidden()),
    }
    paragraphs = tuple(Paragraph(kind, teller.words[kind], told[kind]) for kind in _ORDER if told[kind])
    return Narrative(paragraphs, tuple(teller.verbatim()), teller.words["verbatim"])
