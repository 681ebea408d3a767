"""What must hold after the faults: the clients' records against the product, its tables and its own proof.

Every check returns the sentences of what does not hold; none of them trusts what another has read.
"""

from __future__ import annotations

import copy
import time
from collections import Counter, defaultdict
from typing import Any

import httpx
import psycopg

from atendimento import embedded
from benchmarks.faults_load import Record, mark_in
from benchmarks.faults_product import ORGANIZATION, CampaignError, Product

Json = Any


class Tables:
    """The product's tables, read beside its API, with nobody's rows hidden."""

    def __init__(self, product: Product) -> None:
        server = embedded.Postgres(product.data_dir, embedded.load_secrets(product.data_dir))
        self.link = psycopg.connect(server.url(embedded.SUPERUSER), autocommit=True)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.link.execute(query.encode()).fetchall()

    def waiting(self) -> dict[str, int]:
        """What is still to be done by itself."""
        runs = "SELECT count(*) FROM atendimento_proposal WHERE status IN ('queued', 'running')"
        jobs = "SELECT count(*) FROM atendimento_outboxentry"
        unread = "SELECT count(*) FROM atendimento_message WHERE awaits_reading"
        return {name: self.rows(query)[0][0] for name, query in (("runs", runs), ("jobs", jobs), ("unread", unread))}


def drained(product: Product, tables: Tables, seconds: float) -> float:
    """Wait until nothing waits, touching nothing. How long it took; raises CampaignError after `seconds`."""
    began = time.monotonic()
    while any(left := tables.waiting().values()):
        product.look()
        if time.monotonic() - began > seconds:
            raise CampaignError(f"the queue does not drain: {tables.waiting()} ({sum(left)} left)")
        time.sleep(0.25)
    return time.monotonic() - began


def everything(product: Product, record: Record, tables: Tables) -> dict[str, list[str]]:
    """Every check by its name, and what it found; all of them empty is a campaign that was passed."""
    reading = _Reading(product, record)
    return {
        "clients were told one thing": list(record.disagreements),
        "messages": _messages(record, reading),
        "versions": _versions(reading),
        "decisions": _decisions(record, reading),
        "statements and undos": _marks(record, reading),
        "events": _events(record, reading),
        "runs": _runs(tables),
        "history": _proof(product),
    }


def what_they_miss(product: Product, record: Record, tables: Tables) -> list[str]:
    """The checks that say nothing where they should: each is given a loss or a doubling of its own. Call last.

    One message, decision and statement is forgotten by the record (as if the product had doubled it), another is made up
    (as if it were lost); one run is told to have read nothing, and one event is rewritten.
    """
    spoilt = copy.copy(record)
    ticket = next(iter(record.tickets.values()))
    spoilt.messages = dict(list(record.messages.items())[1:]) | {(ticket, "never-sent"): ("m-1", "nothing")}
    spoilt.decided = dict(list(record.decided.items())[1:]) | {"00000000-0000-0000-0000-000000000000": 1}
    spoilt.marks = dict(list(record.marks.items())[1:]) | {"nobody said so": (ticket, 1)}
    spoilt.disagreements = ["made up"]
    tables.rows(
        "UPDATE atendimento_proposal SET raw_answer = jsonb_set(raw_answer::jsonb, '{numbers}', '[]')::text WHERE id ="
        " (SELECT id FROM atendimento_proposal WHERE status = 'ready' AND raw_answer IS NOT NULL LIMIT 1) RETURNING id"
    )
    tables.rows(
        "UPDATE atendimento_ledgerevent SET content = replace(content, '\"value\"', '\"valor\"') WHERE id ="
        " (SELECT min(id) FROM atendimento_ledgerevent) RETURNING id"
    )
    tables.rows("DELETE FROM atendimento_ledgerevent WHERE id = (SELECT max(id) FROM atendimento_ledgerevent) RETURNING id")
    return [name for name, found in everything(product, spoilt, tables).items() if not found]


class _Reading:
    """All tickets, messages and events, page by page through the API."""

    def __init__(self, product: Product, record: Record) -> None:
        headers = {"Authorization": f"Bearer {product.tokens['davi']}"}
        with httpx.Client(base_url=f"{product.url}/api/v1/", headers=headers, timeout=60) as self.http:
            self.tickets: dict[str, Json] = {row["id"]: row for row in self._all("tickets?limit=100")}
            self.messages: dict[str, list[Json]] = {key: self._all(f"tickets/{key}/messages?limit=100") for key in self.tickets}
            self.events: dict[str, list[Json]] = {
                key: self._all(f"tickets/{key}/history?limit=100")[::-1] for key in self.tickets
            }
            self.state_versions = {key: self.http.get(f"tickets/{key}/state").json()["version"] for key in self.tickets}
        self.unknown = set(record.tickets.values()) ^ set(self.tickets)

    def _all(self, path: str) -> list[Json]:
        found: list[Json] = []
        following: str | None = path
        while following:
            page = self.http.get(following)
            page.raise_for_status()
            found += page.json()["results"]
            following = page.json()["next"]
        return found

    def every_event(self) -> list[Json]:
        return [event for events in self.events.values() for event in events]


def _messages(record: Record, reading: _Reading) -> list[str]:
    """Every acknowledged message is there once, under the number and with the text it was acknowledged with; no other is."""
    found = [f"ticket {key} is known to one side alone" for key in reading.unknown]
    told = dict(record.messages)
    for ticket, messages in reading.messages.items():
        numbers = [item["id"] for item in messages]
        if numbers != [f"m-{number}" for number in range(1, len(numbers) + 1)]:
            found.append(f"ticket {ticket}: messages are not numbered without gaps")
        for item in messages:
            known = told.pop((ticket, item["external_id"]), None)
            if known != (item["id"], item["text"]):
                found.append(f"ticket {ticket}, {item['id']}: told {known}")
    return found + [f"{key}: acknowledged, and gone" for key in told]


def _versions(reading: _Reading) -> list[str]:
    found = []
    for key, events in reading.events.items():
        numbers = [event["version"] for event in events]
        ends = {len(numbers), reading.tickets[key]["state_version"], reading.state_versions[key]}
        if numbers != list(range(1, len(numbers) + 1)) or len(ends) != 1:
            found.append(f"ticket {key}: versions {numbers[:3]}…{numbers[-3:]}, ends {sorted(ends)}")
    return found


def _decisions(record: Record, reading: _Reading) -> list[str]:
    """Every acknowledged decision is in one event, that of the version it was acknowledged with; and no other is in any."""
    at: defaultdict[str, list[int]] = defaultdict(list)
    for event in reading.every_event():
        for change in event["cause"].get("changes", ()) if event["kind"] == "decision" else ():
            at[change["id"]].append(event["version"])
    found = [
        f"change {key}: told {version}, in events {at.get(key)}"
        for key, version in record.decided.items()
        if at.get(key) != [version]
    ]
    return found + [
        f"change {key}: in events {versions}, decided by nobody" for key, versions in at.items() if key not in record.decided
    ]


def _marks(record: Record, reading: _Reading) -> list[str]:
    found = []
    for mark, (ticket, version) in record.marks.items():
        versions = [event["version"] for event in reading.events[ticket] if mark_in(event, mark)]
        if versions != [version]:
            found.append(f"{mark!r}: told {version}, in versions {versions}")
    events = reading.every_event()
    return found + [
        f"{mark!r}: refused, and in an event" for mark in record.refused if any(mark_in(event, mark) for event in events)
    ]


def _events(record: Record, reading: _Reading) -> list[str]:
    """There are as many events as acknowledged writes: none that nobody asked for."""
    events = reading.every_event()
    asked = len({(change_ticket(reading, key), version) for key, version in record.decided.items()}) + len(record.marks)
    kinds = Counter(event["kind"] for event in events)
    return [] if len(events) == asked else [f"{asked} acknowledged writes made {len(events)} events ({dict(kinds)})"]


def change_ticket(reading: _Reading, change: str) -> str:
    """The ticket in whose events the change is named."""
    for key, events in reading.events.items():
        if any(item["id"] == change for event in events if event["kind"] == "decision" for item in event["cause"]["changes"]):
            return key
    return ""


def _runs(tables: Tables) -> list[str]:
    """No run is parked, and each message was read in exactly one that is ready."""
    found = [f"{count} run(s) are {status}" for status, count in tables.rows(
        "SELECT status, count(*) FROM atendimento_proposal WHERE status NOT IN ('ready', 'superseded') GROUP BY status"
    )]  # fmt: skip
    times_read = tables.rows(
        """
        SELECT m.ticket_id, m.number, count(p.id)
        FROM atendimento_message m
        LEFT JOIN atendimento_proposal p
          ON p.ticket_id = m.ticket_id AND p.status = 'ready' AND (p.raw_answer::jsonb -> 'numbers') @> to_jsonb(m.number)
        GROUP BY m.ticket_id, m.number HAVING count(p.id) <> 1
        """
    )
    return found + [f"ticket {ticket}, m-{number}: in {count} ready runs" for ticket, number, count in times_read]


def _proof(product: Product) -> list[str]:
    """The product's own proof: chain, columns beside it, and the projection against the replayed log."""
    try:
        product.manage("verify_history", "--org", ORGANIZATION)
    except CampaignError as error:
        return [str(error)]
    return []
