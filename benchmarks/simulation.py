"""How many past decisions a second a draft is tried on, one process, one core.

    python -m benchmarks.simulation [--tickets N] [--decisions N] [--write]

Tickets of 30 fields are made up by chance from a seed, with about as many decisions each as named: changes accepted singly
and in batches, edits, rejections, statements, confirmations. Each decision is then taken again, under the rules of then and
under a draft in which every third field has another order of sources and every fifth another cascade.

- `decided again`: the domain alone, states folded on the way, messages as they stood
- `with reading the events`: the same with each event read from its stored record
- `one verdict`: judging one change once, for comparison

Times are of the processor, so that what else the machine does counts less. Figures are recorded, never asserted.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoria import review
from memoria.errors import DomainError
from memoria.events import Event, event_from_record, event_to_record
from memoria.evidence import Message
from memoria.fields import TicketType
from memoria.judgement import Desk, judge
from memoria.past_messages import Archive, Kept
from memoria.proposals import Change, Citation
from memoria.simulation import Case, Record, simulate
from memoria.sources import Actor, Author, Kind
from memoria.state import State

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
ANA = Actor("ana", "Ana", may_override=True)
FIGURES = Path(__file__).with_name("simulation.json")
FIELDS = 30
WORDS = ("azul", "verde", "roxo", "preto", "branco")
SENTENCE = "o cliente informou na conversa de hoje que o valor deste campo é"


def a_type(draft: bool) -> TicketType:
    rows: dict[str, Any] = {}
    for index in range(FIELDS):
        sources = ["registry", "agent", "customer"]
        later = [f"/facts/campo{number}" for number in (index + 1, index + 2) if number < FIELDS]
        if draft and index % 3 == 0:
            sources.reverse()
        if draft and index % 5 == 0:
            later = later[:1]
        rows[f"/facts/campo{index}"] = {
            "label": f"Campo {index}",
            "schema": {"type": "string", "maxLength": 200},
            "sources": sources,
            "invalidates": later,
        }
    return TicketType.from_document({"slug": "medida", "name": "Medida", "fields": rows, "collections": {}}, 1)


@dataclass
class Ticket:
    """A ticket with a past."""

    ticket_type: TicketType
    chance: random.Random
    now: datetime = START
    state: State = field(default_factory=State)
    events: list[Event] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)

    def say(self) -> Message:
        self.now += timedelta(minutes=1)
        kind = self.chance.choice((Kind.CUSTOMER, Kind.CUSTOMER, Kind.AGENT, Kind.REGISTRY))
        number = len(self.kept) + 1
        text = f"{SENTENCE} {self.chance.choice(WORDS)}, e pediu que fosse anotado assim"
        message = Message(number, Author(kind, kind.value, kind.value), text, self.now)
        self.kept.append(Kept(message, self.now))
        return message

    def change(self, pointer: str) -> tuple[str, Change]:
        message = self.say()
        value = message.text.removeprefix(f"{SENTENCE} ").split(",")[0]
        change = Change("add", pointer, value, (Citation(message.id, f"{SENTENCE} {value}"),))
        identity = f"h-{len(self.records)}"
        self.records[identity] = Record(change, len(self.events) + 1)
        return identity, change

    def desk(self) -> Desk:
        return Desk(self.ticket_type, Archive(self.kept).at(self.now), self.now, ANA)

    def live(self, decisions: int) -> None:
        """Make about so many decisions."""
        while len(self.events) < decisions:
            self.now += timedelta(minutes=1)
            try:
                event = self._decision()
            except DomainError:
                continue
            self.state = self.state.evolve(event)
            self.events.append(event)

    def _decision(self) -> Event:
        version, pointer = self.state.version, f"/facts/campo{self.chance.randrange(FIELDS)}"
        what = self.chance.random()
        if what < 0.1:
            waiting = [key for key, slot in self.state.slots.items() if slot.status == "needs_confirmation"]
            return review.confirm(self.state, self.chance.choice(waiting or [pointer]), self.desk(), version)
        if what < 0.2:
            return review.set_value(self.state, pointer, self.chance.choice(WORDS), self.desk(), version)
        count = self.chance.choice((1, 1, 1, 1, 2, 3))
        fields = self.chance.sample(range(FIELDS), count)
        found = [self.change(f"/facts/campo{index}") for index in fields]
        if what < 0.3:
            return review.decide(self.state, [], [review.Reject(*found[0])], self.desk(), version)
        accepts = [review.Accept(*item) for item in found]
        return review.decide(self.state, accepts, [], self.desk(), version)

    def case(self) -> Case:
        ticket_type = self.ticket_type
        return Case(Archive(self.kept), self.records, lambda _number: ticket_type, {"ana": ANA})


def measure(tickets: int, decisions: int) -> dict[str, Any]:
    in_force, draft = a_type(draft=False), a_type(draft=True)
    made = [Ticket(in_force, random.Random(seed)) for seed in range(tickets)]
    for ticket in made:
        ticket.live(decisions)
    records = [[event_to_record(event) for event in ticket.events] for ticket in made]
    wanted = frozenset(range(1, decisions + 1))
    total = sum(len(ticket.events) for ticket in made)

    begun, different, incomparable = time.process_time(), 0, 0
    for ticket in made:
        for item in simulate(State(), ticket.events, wanted, draft, ticket.case()):
            different += item.differs
            incomparable += not item.comparable
    alone = time.process_time() - begun

    begun = time.process_time()
    for ticket, stored in zip(made, records, strict=True):
        events = [event_from_record(record) for record in stored]
        for _item in simulate(State(), events, wanted, draft, ticket.case()):
            pass
    reading = time.process_time() - begun

    last = made[-1]
    change = next(iter(last.records.values())).change
    desk, rounds = last.desk(), 2000
    begun = time.process_time()
    for _round in range(rounds):
        judge(last.state, change, desk)
    verdict = (time.process_time() - begun) / rounds
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "tickets": tickets,
        "decisions": total,
        "changes": sum(len(ticket.records) for ticket in made),
        "different": different,
        "incomparable": incomparable,
        "decided again a second": round(total / alone),
        "with reading the events, a second": round(total / reading),
        "one verdict, µs": round(verdict * 1e6, 1),
        "one decision again, µs": round(alone / total * 1e6, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tickets", type=int, default=100)
    parser.add_argument("--decisions", type=int, default=50, help="a ticket")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    figures = measure(options.tickets, options.decisions)
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    if options.write:
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
