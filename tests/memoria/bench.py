"""A ticket held in memory: messages, state, events and changes, driven through `memoria` as the product drives it.

Every write checks that replaying the log gives the state and that the newest event can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memoria import review
from memoria.errors import DomainError
from memoria.events import Event, event_from_record, event_to_record
from memoria.evidence import Message, Messages, said_at
from memoria.fields import TicketType
from memoria.groups import last_given, resolve_ids
from memoria.patch import MISSING, Json, parse_pointer
from memoria.proposals import Change, Citation, Judgement, Status, Verdict
from memoria.rows import ITEMS, group_of
from memoria.sources import SYSTEM, Actor, Author, Kind
from memoria.state import Slot, State, replay, state_from_json, state_to_json

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
ANA = Actor("member-ana", "Ana")
RUI = Actor("member-rui", "Rui")
SARA = Actor("member-sara", "Sara", may_override=True, may_undo_any=True)

COLLECTIONS: dict[str, Json] = {
    "commitments": {
        "sources": ["registry", "tool", "agent", "customer"],
        "kinds": ["visit", "return_call"],
        "completion_sources": ["tool", "registry", "performer"],
    },
    "pending": {"sources": ["agent", "customer", "third_party", "assistant"]},
    "constraints": {"sources": ["agent", "customer"]},
    "decisions": {"sources": ["agent"]},
    "authorizations": {"sources": ["registry", "customer"]},
    "attempts": {"sources": ["agent", "customer", "tool"]},
}


def a_field(*sources: str, schema: Json = None, label: str = "Campo", **more: Json) -> dict[str, Json]:
    """A row of a ticket type; by default a text that agent and customer may say."""
    return {
        "label": label,
        "schema": {"type": "string"} if schema is None else schema,
        "sources": list(sources or ("agent", "customer")),
        **more,
    }


def a_type(fields: dict[str, Json] | None = None, collections: dict[str, Json] | None = None, **more: Json) -> TicketType:
    document = {
        "slug": "teste",
        "name": "Teste",
        "fields": {"/facts/a": a_field()} if fields is None else fields,
        "collections": COLLECTIONS if collections is None else collections,
        **more,
    }
    return TicketType.from_document(document, version=1)


def cite(*items: Sequence[Any]) -> tuple[Citation, ...]:
    """Citations from (message, quote) or (message, quote, start)."""
    return tuple(Citation(*item) for item in items)


@dataclass
class Held:
    """A proposed change and its fate, as the product stores it."""

    id: str
    change: Change
    judgement: Judgement
    status: Status
    producer: str
    version: int | None = None
    value: Json = None
    evidence: tuple[Citation, ...] | None = None
    proposed_verdict: Verdict = Verdict.ALLOWED
    overridden: bool = False


@dataclass
class Bench:
    """One ticket. Times advance by a minute with each step, unless a step names its own."""

    ticket_type: TicketType = field(default_factory=a_type)
    state: State = field(default_factory=State)
    events: list[Event] = field(default_factory=list)
    messages: dict[int, Message] = field(default_factory=dict)
    revisions: dict[int, list[str]] = field(default_factory=dict)
    changes: dict[str, Held] = field(default_factory=dict)
    now: datetime = START
    actor: Actor = ANA

    # --- messages ----------------------------------------------------------------------------------------------------

    def tick(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    def say(
        self,
        kind: str | Kind,
        text: str,
        name: str | None = None,
        *,
        sent_at: datetime | None = None,
        **more: Any,
    ) -> str:
        """A message arrives; its id comes back."""
        arrived = self.tick()
        number = len(self.messages) + 1
        author = Author(Kind(kind), name or str(kind), name or str(kind))
        self.messages[number] = Message(number, author, text, said_at(sent_at, arrived), **more)
        self.revisions[number] = [text]
        return f"m-{number}"

    def rewrite(self, reference: str, text: str) -> Event | None:
        """The channel says that a message now reads so (E7)."""
        number = int(reference[2:])
        if text in self.revisions[number] or self.messages[number].deleted:
            return None
        self.revisions[number].append(text)
        self.messages[number] = replace(self.messages[number], text=text)
        return self._revise(reference, "edited")

    def delete(self, reference: str) -> Event | None:
        number = int(reference[2:])
        self.messages[number] = replace(self.messages[number], deleted=True, text="")
        return self._revise(reference, "deleted")

    def _revise(self, reference: str, how: str) -> Event | None:
        event = review.revise(self.state, reference, how, replace(self.desk(), actor=SYSTEM))
        return self._append(event) if event is not None else None

    # --- proposals and decisions -----------------------------------------------------------------------------------

    def desk(self, actor: Actor | None = None) -> review.Desk:
        given = last_given((held.change.path for held in self.changes.values()), self.state.minted.get(ITEMS, 0))
        waiting = frozenset(group for item in self._pending() if (group := group_of(item.change.path)) is not None)
        messages = Messages(self.messages.values())
        return review.Desk(self.ticket_type, messages, self.now, actor or self.actor, given, waiting)

    def propose(self, *changes: Change, producer: str = "model") -> list[Held]:
        self.tick()
        changes = resolve_ids(changes, self.state, self.desk().last_group)
        rejected = [review.Rejection.of(held.change) for held in self.changes.values() if held.status is Status.REJECTED]
        begun = frozenset(group for change in changes if (group := group_of(change.path)) is not None)
        desk = replace(self.desk(), proposed_groups=self.desk().proposed_groups | begun)
        judgements = review.admit(self.state, changes, desk, rejected)
        fresh = [change.path for change, verdict in zip(changes, judgements, strict=True) if not verdict.refused]
        mine = [item for item in self._pending() if self.changes[item.id].producer == producer]
        for identity in review.moot_by_proposal(mine, fresh):
            self.changes[identity].status = Status.SUPERSEDED
        made = []
        for change, judgement in zip(changes, judgements, strict=True):
            status = Status.REFUSED if judgement.refused else Status.PENDING
            held = Held(f"h-{len(self.changes) + 1}", change, judgement, status, producer)
            held.proposed_verdict = judgement.verdict
            self.changes[held.id] = held
            made.append(held)
        return made

    def one(self, op: str, path: str, value: Json = MISSING, *quotes: Sequence[Any], **more: Any) -> Held:
        """Propose a single change."""
        return self.propose(Change(op, path, value, cite(*quotes), **more))[0]

    def _pending(self) -> list[review.Pending]:
        return [
            review.Pending(held.id, held.change, held.proposed_verdict)
            for held in self.changes.values()
            if held.status is Status.PENDING
        ]

    def _decided(self, held: Held) -> review.Decided:
        return review.Decided(
            held.id, held.change, held.status, held.version, held.value, held.evidence, overridden=held.overridden
        )

    def decide(
        self,
        accept: Iterable[Held] = (),
        reject: Iterable[Held] = (),
        *,
        expected: int | None = None,
        override: str | None = None,
        edit: review.Edit | None = None,
        starts: tuple[Citation, ...] | None = None,
        actor: Actor | None = None,
        reason: str | None = None,
    ) -> int:
        """Decide; the version made, or the one that this very decision made before."""
        self.tick()
        accepts = [review.Accept(held.id, held.change, override, starts, edit) for held in accept]
        rejects = [review.Reject(held.id, held.change, reason) for held in reject]
        records = {held.id: self._decided(held) for held in self.changes.values()}
        first = review.first_answer(records, accepts, rejects)
        if first is not None:
            return first
        at = self.state.version if expected is None else expected
        event = review.decide(self.state, accepts, rejects, self.desk(actor), at, self.events[max(at, 0) :])
        for entry in event.cause["changes"]:
            held = self.changes[entry["id"]]
            held.status, held.version, held.overridden = Status(entry["decision"]), event.version, override is not None
            if held.status is Status.EDITED and edit is not None:
                held.value, held.evidence = edit.value, edit.evidence
        self._append(event)
        return event.version

    def accept(self, *held: Held, **more: Any) -> int:
        return self.decide(held, **more)

    def reject(self, *held: Held, **more: Any) -> int:
        return self.decide((), held, **more)

    def put(
        self, path: str, value: Json = MISSING, *, expected: int | None = None, actor: Actor | None = None, **more: Any
    ) -> Event:
        """Staff's own statement (`set`)."""
        self.tick()
        at = self.state.version if expected is None else expected
        return self._append(review.set_value(self.state, path, value, self.desk(actor), at, self.events[max(at, 0) :], **more))

    def confirm(self, path: str, *, expected: int | None = None, actor: Actor | None = None, **more: Any) -> Event:
        self.tick()
        at = self.state.version if expected is None else expected
        return self._append(review.confirm(self.state, path, self.desk(actor), at, self.events[max(at, 0) :], **more))

    def resolve(self, path: str, choice: str, *, expected: int | None = None, actor: Actor | None = None, **more: Any) -> Event:
        self.tick()
        at = self.state.version if expected is None else expected
        more.setdefault("reason", "conferido")
        return self._append(review.resolve(self.state, path, choice, self.desk(actor), at, self.events[max(at, 0) :], **more))

    def undo(self, version: int, *, expected: int | None = None, actor: Actor | None = None, reason: str = "engano") -> Event:
        self.tick()
        at = self.state.version if expected is None else expected
        event = review.undo(self.state, version, self.desk(actor), at, self.events[max(version - 1, 0) :], reason)
        returned = [held for held in self.changes.values() if held.id in event.cause["changes"] and held.version == version]
        for held in returned:
            held.status, held.version, held.value, held.evidence = Status.PENDING, None, None, None
        self._append(event, returned)
        for held in returned:
            held.judgement = review.judge(self.state, held.change, self.desk())
            if held.judgement.refused:
                held.status = Status.REFUSED
        return event

    def _append(self, event: Event, returned: Sequence[Held] = ()) -> Event:
        before = self.state
        self.state = before.evolve(event)
        self.events.append(event)
        kept = {held.id for held in returned}
        pending = [item for item in self._pending() if item.id not in kept]
        for settled in review.settle(event, self.state, pending, self.desk()):
            held = self.changes[settled.id]
            if settled.superseded:
                held.status = Status.SUPERSEDED
            elif not settled.judgement.refused:
                held.judgement = settled.judgement
        assert replay(self.events) == self.state
        assert event_from_record(event_to_record(event)).slots == event.slots
        assert state_from_json(state_to_json(self.state)) == self.state
        rewound = self.state.rewind(event)
        assert (rewound.values, rewound.slots) == (before.values, before.slots)
        return event

    # --- reading -----------------------------------------------------------------------------------------------------

    def value(self, pointer: str) -> Any:
        document: Any = self.state.values
        for part in parse_pointer(pointer):
            if not isinstance(document, dict) or part not in document:
                return MISSING
            document = document[part]
        return document

    def slot(self, pointer: str) -> Slot:
        return self.state.slots[pointer]

    def status(self, pointer: str) -> str:
        return self.slot(pointer).status.value


def code_of(call: Any, *args: Any, **more: Any) -> str:
    """The code with which a call is refused; it fails where the call is not."""
    try:
        call(*args, **more)
    except DomainError as error:
        return error.code.value
    raise AssertionError("was not refused")
