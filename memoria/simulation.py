"""Past decisions, decided again under other rules (T3): what each would be, beside what the rules of then say.

Each is taken by itself: against the state as it was, the messages as they stood, at its own moment. Nothing that would
have come of one is carried into the next, so that every difference has one cause: the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoria import review
from memoria.decisions import Accept, Edit, as_decided
from memoria.draft import Draft
from memoria.errors import Code, DomainError, Reason
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.judgement import Desk, judge
from memoria.members import SHAPES
from memoria.past_messages import Archive
from memoria.patch import MISSING, Json, parse_pointer
from memoria.precedence import primary_message
from memoria.proposals import Change, Citation, Evidence, Judgement, Statement, Verdict
from memoria.sources import Actor, Kind
from memoria.state import Slot, State

DECIDED = frozenset({EventKind.DECISION, EventKind.STATEMENT, EventKind.CONFIRMATION, EventKind.RESOLUTION, EventKind.UNDO})
"""What people decide. What follows by itself (E7, T2, D1) and what is carried (S1) is no decision of this ticket's."""

CASCADE = "cascade"
SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Record:
    """A proposed change as it is stored, with what was last decided on it (`version`) and on which words."""

    change: Change
    version: int | None = None
    evidence: tuple[Citation, ...] | None = None  # of an edit
    starts: tuple[Citation, ...] | None = None  # the occurrences that were pointed at (E6)


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a decision: a change that was decided, or what staff did to a slot."""

    act: str  # accepted, edited, rejected, statement, confirmation, resolution, undo
    pointer: str
    change: Change | None = None  # as it was applied
    statement: Statement | None = None
    verdict: str | None = None  # as the event has it


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules make of an act. `reason` is None for what has no verdict of its own and goes through."""

    verdict: Verdict
    reason: Reason | None = None
    cascade: tuple[str, ...] = ()
    source: str | None = None

    @property
    def refused(self) -> bool:
        return self.verdict is Verdict.REFUSED


@dataclass(frozen=True, slots=True)
class Compared:
    """An act with its outcome under the rules in force then, and under the draft."""

    act: Act
    before: Outcome
    after: Outcome

    @property
    def kind(self) -> str | None:
        """How they differ: `allowed>conflict` and the like, another cascade, another source; None where they do not."""
        if self.before.verdict is not self.after.verdict:
            return f"{self.before.verdict.value}>{self.after.verdict.value}"
        if self.before.refused:
            return None
        if set(self.before.cascade) != set(self.after.cascade):
            return CASCADE
        return SOURCE if self.before.source != self.after.source else None

    @property
    def faithful(self) -> bool:
        """Whether deciding it again under the rules of then gives what happened; else its words are gone since."""
        if self.act.verdict is not None:
            return self.before.verdict.value == self.act.verdict
        return self.act.act == "rejected" or not self.before.refused


@dataclass(frozen=True, slots=True)
class Simulated:
    """One decision, act by act. `comparable` is False where one of them cannot be decided again as it was."""

    event: Event
    acts: tuple[Compared, ...]
    comparable: bool = True

    @property
    def differs(self) -> bool:
        return self.comparable and any(item.kind is not None for item in self.acts)


@dataclass(frozen=True, slots=True)
class Case:
    """What a ticket's decisions are decided again with."""

    archive: Archive
    records: Mapping[str, Record]  # proposed changes, by id
    type_of: Callable[[int], TicketType]  # by the version that an event names
    actors: Mapping[str, Actor]  # members by id, as they may act today


def simulate(
    start: State, events: Sequence[Event], wanted: Collection[int], draft: TicketType, case: Case
) -> Iterator[Simulated]:
    """Decide again those of `events` whose version is `wanted`, under the rules of then and under `draft`.

    `start` is the state before the first event. Events are in order, without a gap; those that undid a version are
    compared where that version is among them.
    """
    state = start
    for number, event in enumerate(events):
        if event.version in wanted and event.kind in DECIDED:
            yield _decide_again(state, event, events[:number], draft, case)
        state = state.evolve(event)


def _decide_again(state: State, event: Event, earlier: Sequence[Event], draft: TicketType, case: Case) -> Simulated:
    acts = acts_of(event, case.records)
    if acts is None:
        return Simulated(event, (), comparable=False)
    transcript = case.archive.at(event.at)
    actor = case.actors.get(event.actor.member or "", event.actor)
    then = Desk(case.type_of(event.ticket_type_version), transcript, event.at, actor)
    before = outcomes(state, event, acts, then, earlier)
    if any(item.reason is not None and item.reason.code is Code.PERMISSION_DENIED for item in before):
        # Whoever did it had the right to then.
        then = replace(then, actor=replace(actor, may_override=True, may_undo_any=True))
        before = outcomes(state, event, acts, then, earlier)
    after = outcomes(state, event, acts, replace(then, ticket_type=draft), earlier)
    compared = tuple(Compared(act, one, other) for act, one, other in zip(acts, before, after, strict=True))
    return Simulated(event, compared, all(item.faithful for item in compared))


# --- what was decided ---------------------------------------------------------------------------------------------


def acts_of(event: Event, records: Mapping[str, Record]) -> tuple[Act, ...] | None:
    """What a decision's event consists of; None where one of the changes that it decided is not in `records`."""
    match event.kind:
        case EventKind.DECISION:
            found = [_entry(entry, event, records.get(entry["id"])) for entry in event.cause["changes"]]
            return None if None in found else tuple(act for act in found if act is not None)
        case EventKind.STATEMENT:
            return (_statement(event),)
        case EventKind.CONFIRMATION | EventKind.RESOLUTION:
            return (Act(event.kind.value, event.cause["path"]),)
        case EventKind.UNDO:
            return (Act(event.kind.value, event.touched[0] if event.touched else ""),)
    raise ValueError(f"no decision: {event.kind}")


def _entry(entry: Mapping[str, Json], event: Event, record: Record | None) -> Act | None:
    if record is None:
        return None
    decision = entry["decision"]
    if decision == "rejected":
        return Act(decision, entry["pointer"], record.change)
    edit = None
    if decision == "edited":
        edit = Edit(entry.get("value"), _edited_evidence(entry, event, record), entry.get("reason"))
    starts = record.starts if record.version == event.version else None
    change, _, stated = as_decided(Accept(entry["id"], record.change, starts=starts, edit=edit))
    return Act(decision, entry["pointer"], change, Statement() if stated else None, entry["verdict"])


def _edited_evidence(entry: Mapping[str, Json], event: Event, record: Record) -> tuple[Citation, ...] | None:
    """The words of an edit. Where it was taken back since, the slot that it made tells them."""
    if record.version == event.version:
        return record.evidence
    _, after = event.slots.get(entry["pointer"], (None, None))
    if after is None or (after.edited_by is None and entry["source"] != Kind.AGENT):
        return None
    return _cited(after.evidence) if after.edited_by is not None else ()


def _cited(evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    return tuple(Citation(item.message, item.quote, item.start) for item in evidence if not item.gone)


def _statement(event: Event) -> Act:
    """What staff said themselves, with the words that they cited as the slot keeps them (they decide no source: E9)."""
    cause = event.cause
    pointer = cause["path"]
    parts = parse_pointer(pointer)
    adds = cause["op"] == "add" and len(parts) == 2 and parts[0] in SHAPES
    before, after = event.slots.get(pointer, (None, None))
    evidence = _statement_evidence(before, after, same_member=adds and before is not None)
    path = f"/{parts[0]}/-" if adds else pointer
    change = Change(cause["op"], path, cause.get("value", MISSING), evidence, reason=cause.get("reason"))
    reported = Kind(cause["reported"]) if cause.get("reported") else None
    return Act("statement", pointer, change, Statement(reported), cause["verdict"])


def _statement_evidence(before: Slot | None, after: Slot | None, *, same_member: bool) -> tuple[Citation, ...]:
    if after is None:
        return ()
    if same_member:  # M7 tells it by the primary message of the member that was there
        return _cited(tuple(item for item in after.evidence if item.message == primary_message(after))[:1])
    if after.challengers and (before is None or after.challengers != before.challengers):
        return _cited(after.challengers[-1].evidence)
    known = before.evidence if before is not None and before.since_version == after.since_version else ()
    return _cited(tuple(item for item in after.evidence if item not in known))


# --- what the rules make of it ------------------------------------------------------------------------------------


def outcomes(state: State, event: Event, acts: Sequence[Act], desk: Desk, earlier: Sequence[Event]) -> tuple[Outcome, ...]:
    """What the desk's rules make of each act of a decision, in its order.

    Of several changes each meets what those before it did; one that is refused did nothing. (Decided for good, one
    refusal would turn the whole decision away, V5.)
    """
    if event.kind in (EventKind.DECISION, EventKind.STATEMENT):
        return tuple(_judged(state, event, acts, desk))
    try:
        again = _again(state, event, desk, earlier)
    except DomainError as error:
        return (Outcome(Verdict.REFUSED, error.reason),)
    return (Outcome(Verdict.ALLOWED, None, fell_with(again)),)


def _judged(state: State, event: Event, acts: Sequence[Act], desk: Desk) -> Iterator[Outcome]:
    draft = Draft(state, desk) if len(acts) > 1 else None
    for number, act in enumerate(acts):
        assert act.change is not None
        judgement = judge(state if draft is None else draft.state, act.change, desk, statement=act.statement)
        if draft is not None and act.act != "rejected" and not judgement.refused:
            entry = event.cause["changes"][number]
            edited = act.act == "edited" and act.statement is None
            draft.take(act.change, judgement, override="override" in entry, edited_by=desk.actor.author if edited else None)
        yield _outcome(judgement)


def _outcome(judgement: Judgement) -> Outcome:
    return Outcome(judgement.verdict, judgement.reasons[0], judgement.cascade, judgement.source)


def _again(state: State, event: Event, desk: Desk, earlier: Sequence[Event]) -> Event:
    cause, version = event.cause, state.version
    match event.kind:
        case EventKind.CONFIRMATION:
            before, after = event.slots[cause["path"]]
            return review.confirm(
                state,
                cause["path"],
                desk,
                version,
                evidence=_confirmed_by(before, after) if cause["ground"] == "evidence" else (),
                reported=Kind(cause["reported"]) if cause.get("reported") else None,
            )
        case EventKind.RESOLUTION:
            choice, index = cause["choice"], cause.get("challenger")
            return review.resolve(state, cause["path"], choice, desk, version, reason=cause["reason"], challenger=index)
        case _:
            undone = cause["version"]
            later = [item for item in earlier if item.version >= undone]
            return review.undo(state, undone, desk, version, later, cause["reason"])


def _confirmed_by(before: Slot | None, after: Slot | None) -> tuple[Citation, ...]:
    """The words that a confirmation added; where it cited none that were new, those that were there."""
    held = after.evidence if after is not None else ()
    added = tuple(item for item in held if before is None or item not in before.evidence)
    return _cited(added or held)


def fell_with(event: Event) -> tuple[str, ...]:
    """The pointers that the event put in doubt because a value under them moved (K1), in its order."""
    return tuple(
        pointer
        for pointer, (_, after) in event.slots.items()
        if after is not None and after.stale_because is not None and after.stale_because.version == event.version
    )
