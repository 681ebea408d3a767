"""Who works with the product while it is harmed: channels that deliver messages, and staff who decide.

Each keeps its own record. A call whose answer was lost is made again, the same to the letter, until one comes: so the
record knows of every call what the product said in the end, and the checks hold the product to its word.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

Json = Any
GIVE_UP = 180.0  # seconds without any answer


class Unanswered(Exception):
    """A call that nobody answered for so long that the product counts as lost."""


@dataclass
class Record:
    """What the clients were told. Shared by all of them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    tickets: dict[str, str] = field(default_factory=dict)  # external id → ticket
    messages: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)  # (ticket, external id) → (m-N, text)
    decided: dict[str, int] = field(default_factory=dict)  # change → version
    marks: dict[str, tuple[str, int]] = field(default_factory=dict)  # mark in a statement or undo → (ticket, version)
    refused: set[str] = field(default_factory=set)  # marks of statements and undos that were refused
    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def disagree(self, line: str) -> None:
        with self.lock:
            self.disagreements.append(line)


class Client(threading.Thread):
    """A program that calls the API with one token, one call at a time, at its own pace (seconds between two calls)."""

    pace = (0.1, 0.5)

    def __init__(self, name: str, url: str, token: str, record: Record, chance: random.Random, end: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.url, self.token, self.record, self.chance, self.end = url, token, record, chance, end
        self.made = 0
        self.problem: Exception | None = None

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        with httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=15) as self.http:
            try:
                self.begin()
                while not self.end.is_set():
                    self.step()
                    time.sleep(self.chance.uniform(*self.pace))
            except (Unanswered, KeyError, AssertionError) as problem:
                self.problem = problem

    def begin(self) -> None:
        """Before the first step."""

    def step(self) -> None:
        """One piece of work."""
        raise NotImplementedError

    def call(self, method: str, path: str, body: Json = None) -> tuple[httpx.Response, bool]:
        """The answer, and whether an earlier try of the same call was left without one."""
        began, lost = time.monotonic(), False
        while time.monotonic() - began < GIVE_UP:
            try:
                answer = self.http.request(method, path, json=body)
            except httpx.HTTPError as error:
                self.record.count(f"lost: {type(error).__name__}")
                lost = True
            else:
                if answer.status_code < 500 and answer.status_code != 429:
                    with self.record.lock:
                        self.record.counts["calls"] += 1
                        self.record.slowest = max(self.record.slowest, time.monotonic() - began)
                    return answer, lost
                self.record.count(f"lost: {answer.status_code}")
                lost = lost or answer.status_code != 429
            time.sleep(self.chance.uniform(0.1, 0.6))
        raise Unanswered(f"{self.name}: {method} {path}")

    def mark(self) -> str:
        self.made += 1
        return f"{self.name}-{self.made}"


SAID = (
    "O bairro é Vila {word} {number}.",
    "moro no Jardim {word} {number}",
    "a ordem é OS-{number:05}",
    "Fica na Avenida {word}, {number}",
    "pode levar na unidade {word}",
    "o {thing} não liga desde {day}",
    "prefiro de {period}",
    "obrigado, fico no aguardo ({number})",
)
WORDS = {
    "word": ("Aurora", "Bonança", "Cedro", "Dourada", "Esperança", "Figueira", "Girassol", "Horizonte"),
    "thing": ("fogão", "forno", "ar-condicionado", "micro-ondas", "refrigerador"),
    "day": ("ontem", "segunda", "terça", "hoje cedo"),
    "period": ("manhã", "tarde", "noite"),
}


class Channel(Client):
    """An integration: some tickets, and what their customers say, some of it delivered twice."""

    tickets = 4

    def begin(self) -> None:
        self.mine: list[str] = []
        for number in range(self.tickets):
            name = f"{self.name}-t{number}"
            customer = {"external_id": f"cliente-{name}", "name": f"Cliente {name}"}
            body = {
                "external_id": name,
                "ticket_type": "assistencia-tecnica",
                "subject": f"Conserto {name}",
                "customer": customer,
            }
            answer, _ = self.call("POST", "tickets", body)
            assert answer.status_code in (200, 201), answer.text
            self.mine.append(answer.json()["id"])
            with self.record.lock:
                self.record.tickets[name] = answer.json()["id"]

    def step(self) -> None:
        ticket = self.chance.choice(self.mine)
        mark = self.mark()
        said = self.chance.choice(SAID)
        text = said.format(number=self.made, **{name: self.chance.choice(words) for name, words in WORDS.items()})
        self.deliver(ticket, mark, text)
        if self.chance.random() < 0.15:
            # Its own alone: an id that another source gave names another message.
            again = self.chance.choice([key for key in list(self.record.messages) if key[1].startswith(f"{self.name}-")])
            self.record.count("delivered again")
            self.deliver(*again, self.record.messages[again][1])

    def deliver(self, ticket: str, mark: str, text: str) -> None:
        author = {"kind": "customer", "external_id": f"cliente-{ticket}", "name": "Cliente"}
        body = {"external_id": mark, "author": author, "text": text}
        answer, lost = self.call("POST", f"tickets/{ticket}/messages", body)
        assert answer.status_code in (200, 201), answer.text
        told, key = (answer.json()["id"], text), (ticket, mark)
        with self.record.lock:
            known = self.record.messages.setdefault(key, told)
        if known != told:
            self.record.disagree(f"{key}: told as {known[0]}, then as {told[0]}")
        if answer.status_code == 200 and lost and known is told:
            self.record.count("written though the answer was lost")


class Decider(Client):
    """A member of staff: decides what is proposed, states values, takes back, writes replies."""

    pace = (0.2, 0.8)

    def begin(self) -> None:
        self.ours: list[tuple[str, int]] = []  # statements that may be taken back: ticket and version

    def step(self) -> None:
        kind = self.chance.random()
        if kind < 0.12:
            self.state_a_value()
        elif kind < 0.16 and self.ours:
            self.take_back()
        elif kind < 0.24:
            self.reply()
        else:
            self.decide()

    def decide(self) -> None:
        answer, _ = self.call("GET", "changes?status=pending&limit=40")
        waiting = answer.json()["results"]
        if not waiting:
            return
        change = self.chance.choice(waiting)
        together = [item for item in waiting if item["ticket"] == change["ticket"]]
        version = self.version(change["ticket"])
        kind = self.chance.random()
        if kind < 0.2 and len(together) > 1:
            body: Json = {"expected_version": version, "accept": [together[0]["id"]], "reject": [together[1]["id"]]}
            self.decided(f"tickets/{change['ticket']}/decisions", body, [together[0]["id"], together[1]["id"]])
        elif kind < 0.35:
            self.decided(f"changes/{change['id']}/reject", {"reason": "não foi isso"}, [change["id"]])
        elif kind < 0.45 and isinstance(change.get("value"), str) and change["path"].startswith("/facts/"):
            body = {"expected_version": version, "value": f"{change['value']} (conferido)", "evidence": []}
            self.decided(f"changes/{change['id']}/edit", body, [change["id"]])
        else:
            self.decided(f"changes/{change['id']}/accept", {"expected_version": version}, [change["id"]])

    def decided(self, path: str, body: Json, changes: list[str]) -> None:
        answer, lost = self.call("POST", path, body)
        if answer.status_code == 409:
            # Another member was first, or what was seen is no longer so: refused as a whole.
            self.record.count(f"refused: {answer.json()['code']}")
            return
        assert answer.status_code == 200, answer.text
        self.record.count("decided though an answer was lost" if lost else "decided")
        version = answer.json()["version"]
        with self.record.lock:
            told = {change: self.record.decided.setdefault(change, version) for change in changes}
        for change, before in told.items():
            if before != version:
                self.record.disagree(f"change {change}: told version {before}, then {version}")

    def state_a_value(self) -> None:
        ticket = self.a_ticket()
        if ticket is None:
            return
        mark = f"Técnico {self.mark()}"
        body = {"path": "/facts/tecnico", "value": mark, "expected_version": self.version(ticket)}
        version = self.marked(f"tickets/{ticket}/slots/set", body, ticket, mark)
        if version is not None:
            self.ours.append((ticket, version))

    def take_back(self) -> None:
        ticket, version = self.ours.pop()
        mark = f"engano {self.mark()}"
        body = {"version": version, "expected_version": self.version(ticket), "reason": mark}
        self.marked(f"tickets/{ticket}/undo", body, ticket, mark)

    def marked(self, path: str, body: Json, ticket: str, mark: str) -> int | None:
        """A write that bears a mark of its own. Refused after a lost answer: the history tells whether it was done."""
        answer, lost = self.call("POST", path, body)
        if answer.status_code == 200:
            version: int = answer.json()["version"]
            if lost:
                # The same statement again may be a second one: which of the two was answered, the history tells.
                self.record.count("stated though an answer was lost")
        elif answer.status_code == 409:
            self.record.count(f"refused: {answer.json()['code']}")
            found = self.versions_with(ticket, mark) if lost else []
            if not found:
                with self.record.lock:
                    self.record.refused.add(mark)
                return None
            version = found[0]
            self.record.count("stated though an answer was lost")
        else:
            raise AssertionError(answer.text)
        with self.record.lock:
            self.record.marks[mark] = (ticket, version)
        return version

    def versions_with(self, ticket: str, mark: str) -> list[int]:
        answer, _ = self.call("GET", f"tickets/{ticket}/history?limit=100")
        return [event["version"] for event in answer.json()["results"] if mark_in(event, mark)]

    def reply(self) -> None:
        ticket = self.a_ticket()
        if ticket is None:
            return
        mark = self.mark()
        text = f"Anotado, já verifico ({mark})."
        body = {"external_id": mark, "author": {"kind": "agent"}, "text": text}
        answer, _ = self.call("POST", f"tickets/{ticket}/messages", body)
        assert answer.status_code in (200, 201), answer.text
        with self.record.lock:
            self.record.messages[ticket, mark] = (answer.json()["id"], text)

    def a_ticket(self) -> str | None:
        with self.record.lock:
            tickets = sorted(self.record.tickets.values())
        return self.chance.choice(tickets) if tickets else None

    def version(self, ticket: str) -> int:
        answer, _ = self.call("GET", f"tickets/{ticket}")
        version: int = answer.json()["state_version"]
        return version


def mark_in(event: Json, mark: str) -> bool:
    """Whether an event is the one that this statement or undo made: its value set, or its reason given."""
    if any(operation.get("value") == mark for operation in event["patch"] or ()) and event["kind"] != "undo":
        return True
    return bool((event["cause"] or {}).get("reason") == mark)
