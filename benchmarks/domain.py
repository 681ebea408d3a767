"""What one change costs in the domain, as ratios within one run.

    python -m benchmarks.domain [--rounds N] [--write]

The document is a ticket's stored state of about 20 KB: 36 fields, each a sentence, with where each comes from. Measured
side by side, interleaved:

- `jsonpatch`: `jsonpatch.apply_patch` of one `replace` with its default deep copy of the same document;
- `verdict, schema and application`: the same change by `memoria`: judged, which checks its value, and applied;
- `whole decision`: the same with everything that a version keeps besides: slots, cascade, inverse, the event;
- each part alone: `verdict` (with the schema check), `schema`, `application`, and the library's `deepcopy`.

Further: the cost of a change at 10, 100 and 1,000 slots; replaying 10,000 events against applying their patches in
place; the cost of one more event after 10 and after 100,000; reading an old version by how far it is from a snapshot.
Figures are recorded, never asserted.
"""

from __future__ import annotations

import argparse
import copy
import json
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import jsonpatch

from memoria import review
from memoria.events import Event, event_from_record, event_to_record
from memoria.evidence import Message, Messages
from memoria.fields import TicketType
from memoria.patch import Op, Operation, apply
from memoria.proposals import Change, Citation
from memoria.sources import Actor, Author, Kind
from memoria.state import State, replay, state_from_json, state_to_json

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
ANA = Actor("ana", "Ana")
FIGURES = Path(__file__).with_name("domain.json")
SENTENCE = "o cliente informou que o valor deste campo é o que segue, na conversa de hoje, e pediu nota"


def a_type(fields: int) -> TicketType:
    rows: dict[str, Any] = {
        f"/facts/campo{index}": {
            "label": f"Campo {index}",
            "schema": {"type": "string", "maxLength": 200},
            "sources": ["registry", "agent", "customer"],
        }
        for index in range(fields)
    }
    rows["/facts/campo0"]["invalidates"] = ["/facts/campo1", "/facts/campo2"]
    return TicketType.from_document({"slug": "medida", "name": "Medida", "fields": rows, "collections": {}}, 1)


class Ticket:
    """A ticket with `fields` current values, each resting on a message of its own."""

    def __init__(self, fields: int) -> None:
        self.ticket_type = a_type(fields)
        author = Author(Kind.CUSTOMER, "c-1", "Cliente")
        self.messages = [
            Message(number, author, f"{SENTENCE} {number}", START + timedelta(minutes=number))
            for number in range(1, fields + 3)
        ]
        self.transcript = Messages(self.messages)
        self.now = START + timedelta(days=1)
        self.state = State()
        self.events: list[Event] = []
        for index in range(fields):
            self.take(self.change(index, index + 1))

    def desk(self) -> review.Desk:
        return review.Desk(self.ticket_type, self.transcript, self.now, ANA)

    def change(self, index: int, number: int) -> Change:
        text = f"{SENTENCE} {number}"
        return Change("replace", f"/facts/campo{index}", text, (Citation(f"m-{number}", text),))

    def event(self, change: Change) -> Event:
        return review.decide(self.state, [review.Accept("h", change)], [], self.desk(), self.state.version)

    def take(self, change: Change) -> None:
        event = self.event(change)
        self.events.append(event)
        self.state = self.state.evolve(event)


def best(call: Callable[[], object], repeat: int) -> float:
    """Seconds of the processor for one call, the best of `repeat` batches: nothing here waits for anything."""
    started = time.process_time()
    call()
    once = max(time.process_time() - started, 1e-7)
    batch = max(1, int(0.004 / once))
    times = []
    for _ in range(repeat):
        started = time.process_time()
        for _ in range(batch):
            call()
        times.append((time.process_time() - started) / batch)
    return min(times)


def interleaved(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(best(call, 3))
    return {name: min(times) for name, times in found.items()}


def one_change(rounds: int) -> dict[str, Any]:
    ticket = Ticket(36)
    change = ticket.change(18, 37)
    values = ticket.state.values
    document = state_to_json(ticket.state)
    size = len(json.dumps(document, ensure_ascii=False).encode())
    patch = jsonpatch.JsonPatch([{"op": "replace", "path": "/values" + change.path, "value": change.value}])
    operation = Operation(Op.REPLACE, change.path, change.value)
    desk = ticket.desk()
    field = ticket.ticket_type.fields[change.path]
    accept = [review.Accept("h", change)]
    times = interleaved(
        {
            "jsonpatch": lambda: patch.apply(document),
            "verdict, schema and application": lambda: (
                review.judge(ticket.state, change, desk),
                apply(values, (operation,)),
            ),
            "whole decision": lambda: review.decide(ticket.state, accept, [], desk, ticket.state.version),
            "verdict": lambda: review.judge(ticket.state, change, desk),
            "schema": lambda: field.value_problem(change.value),
            "application": lambda: apply(values, (operation,)),
            "deepcopy": lambda: copy.deepcopy(document),
        },
        rounds,
    )
    base = times["jsonpatch"]
    return {
        "document_bytes": size,
        "microseconds": {name: round(seconds * 1e6, 1) for name, seconds in times.items()},
        "jsonpatch_over": {name: round(base / seconds, 1) for name, seconds in times.items()},
    }


def by_slots(rounds: int) -> dict[str, Any]:
    tickets = {size: Ticket(size) for size in (10, 100, 1000)}
    calls: dict[str, Callable[[], object]] = {}
    for size, ticket in tickets.items():
        accept = [review.Accept("h", ticket.change(size // 2, size + 1))]

        def call(ticket: Ticket = ticket, accept: list[review.Accept] = accept) -> object:
            return ticket.state.evolve(review.decide(ticket.state, accept, [], ticket.desk(), ticket.state.version))

        calls[str(size)] = call
    times = interleaved(calls, rounds)
    return {
        "microseconds": {size: round(seconds * 1e6, 1) for size, seconds in times.items()},
        "over_ten_slots": {size: round(seconds / times["10"], 2) for size, seconds in times.items()},
    }


def replaying(rounds: int, count: int = 10_000) -> dict[str, Any]:
    ticket = Ticket(50)
    author = ticket.messages[0].author
    for number in range(count - 50):
        said = Message(number + 100, author, f"{SENTENCE} {number + 100}", START + timedelta(days=1, seconds=number))
        ticket.transcript = Messages((said,))
        ticket.take(ticket.change(3 + number % 47, said.number))
    patches = [jsonpatch.JsonPatch([item.to_json() for item in event.patch]) for event in ticket.events]

    def in_place() -> object:
        document: Any = State().values
        for patch in patches:
            document = patch.apply(document, in_place=True)
        return document

    times = interleaved({"replay": lambda: replay(ticket.events), "patches in place": in_place}, max(1, rounds // 3))
    return {
        "events": count,
        "milliseconds": {name: round(seconds * 1e3, 1) for name, seconds in times.items()},
        "replay_over_patches": round(times["replay"] / times["patches in place"], 2),
    }


def by_length(rounds: int) -> dict[str, Any]:
    """The cost of one more change does not look at the log at all: the state carries all that a verdict needs."""
    calls: dict[str, Callable[[], object]] = {}
    for count in (10, 100_000):
        ticket = Ticket(10)
        ticket.state = State(count, ticket.state.values, ticket.state.slots, ticket.state.minted)
        accept = [review.Accept("h", ticket.change(5, 11))]
        desk = ticket.desk()

        def call(ticket: Ticket = ticket, accept: list[review.Accept] = accept, desk: review.Desk = desk) -> object:
            return ticket.state.evolve(review.decide(ticket.state, accept, [], desk, ticket.state.version))

        calls[str(count)] = call
    times = interleaved(calls, rounds)
    return {
        "microseconds": {count: round(seconds * 1e6, 1) for count, seconds in times.items()},
        "ratio": round(times["100000"] / times["10"], 2),
    }


def by_distance(rounds: int) -> dict[str, Any]:
    """Reading a version from what is stored: the nearest snapshot, and the events between, in a short and a long history."""
    found: dict[str, Any] = {}
    for count in (200, 5000):
        ticket = Ticket(36)
        author = ticket.messages[0].author
        kept: dict[int, str] = {}
        for number in range(count - 36):
            said = Message(number + 100, author, f"{SENTENCE} {number + 100}", START + timedelta(days=1, seconds=number))
            ticket.transcript = Messages((said,))
            ticket.take(ticket.change(number % 36, said.number))
            if ticket.state.version % 100 == 0:
                kept[ticket.state.version] = json.dumps(state_to_json(ticket.state))
        snapshot = count - 100
        records = [json.dumps(event_to_record(event)) for event in ticket.events[snapshot:]]

        def read(distance: int, document: str = kept[snapshot], records: list[str] = records) -> State:
            events = (event_from_record(json.loads(record)) for record in records[:distance])
            return replay(events, state_from_json(json.loads(document)))

        calls = {str(distance): partial(read, distance) for distance in (0, 10, 20, 40, 80)}
        times = interleaved(calls, max(1, rounds // 3))
        found[f"{count} events"] = {distance: round(seconds * 1e6, 1) for distance, seconds in times.items()}
    return {"microseconds by distance": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    options = parser.parse_args()
    figures = {
        "python": platform.python_version(),
        "measured": datetime.now(UTC).date().isoformat(),
        "one change on 36 fields": one_change(options.rounds),
        "one change by number of slots": by_slots(options.rounds),
        "replay": replaying(options.rounds),
        "one change by length of the log": by_length(options.rounds),
        "an old version by distance from a snapshot": by_distance(options.rounds),
    }
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    print(text)
    if options.write:
        FIGURES.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
