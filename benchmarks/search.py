"""What a search costs with 200,000 messages against 2,000, as ratios within one run, and which plan finds them.

    python -m benchmarks.search [--rounds N] [--write]

PostgreSQL is started for it. Two organisations of the same make share the tables, one with a hundred times the other's
messages, tickets and customers; the same page (every group, and one group alone) is read for both by the selector that the
console reads it with, interleaved. What is looked for:

- a word that stands in one message, whatever there is;
- a word that stands in a tenth of them;
- two words of a tenth each, which stand together in one message of a hundred;
- a number with other punctuation than it was written with;
- the beginning of a word, as while somebody types.

Figures are recorded, never asserted. Of each query the plan is kept, as the names of the indexes that it used, and whether
a table was read from end to end.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django
import psycopg

django.setup()

from django.db import connection, connections
from django.test.utils import CaptureQueriesContext, setup_test_environment

from atendimento import embedded
from atendimento.models import Customer, Message, Ticket, TicketState, TicketType
from atendimento.selectors import search
from atendimento.selectors.search_filters import Filters
from memoria.state import State, state_to_json
from tests import settings
from tests.support import servers, stories
from tests.support.stories import World

FIGURES = Path(__file__).with_name("search.json")
A_TICKET = 20  # messages
BATCH = 5_000
VOCABULARY = 4_000
ASKED = {
    "a word of one message": "helicóptero",
    "a word of a tenth": "geladeira",
    "two of a tenth each": "geladeira endereço",
    "a number otherwise punctuated": "123.456.789-09",
    "the beginning of a word": "gelad",
}


def _word(draw: int) -> str:
    """One of 4,000 made-up words; the one of rank r stands about once for every r times that the first one does."""
    chance = (draw * 2_654_435_761 % 2**32) / 2**32
    rank = int(VOCABULARY**chance)
    return "".join("bcdfglmnprstv"[rank // 13**place % 13] + "aeio"[rank // 4**place % 4] for place in range(4))


def _text(index: int, count: int) -> str:
    """A message of some twenty words; which of those that are looked for stand in it follows from its number."""
    words = [_word(index * 17 + place) for place in range(16)]
    words += ["geladeira"] if index % 10 == 0 else []
    words += ["endereço"] if index % 10 == 3 or index % 100 == 0 else []
    words += ["helicóptero", "cpf", "12345678909"] if index == count // 2 else []
    return " ".join(words)


def _fill(world: World, count: int) -> None:
    """So many messages in tickets of twenty, each of a customer of their own, a minute apart."""
    organization = world.ana.organization
    kind = TicketType.objects.get(organization=organization)
    empty = state_to_json(State())
    start = datetime.now(UTC) - timedelta(minutes=count)
    for first in range(0, count, BATCH):
        tickets, customers, states, messages = [], [], [], []
        for base in range(first, min(first + BATCH, count), A_TICKET):
            at = start + timedelta(minutes=base)
            customer = Customer(organization=organization, external_id=f"c{base}", name=f"Cliente {base}", phone="81987654321")
            ticket = Ticket(
                organization=organization,
                protocol=f"2026-{base:06}",
                ticket_type=kind,
                customer=customer,
                subject=f"Atendimento {base}",
                created_at=at,
                updated_at=at + timedelta(minutes=A_TICKET),
                last_message_number=A_TICKET,
            )
            customers.append(customer)
            tickets.append(ticket)
            states.append(
                TicketState(
                    ticket=ticket,
                    organization=organization,
                    values={**empty["values"], "identifiers": {"pedido": f"AB-{base:06}"}},
                    slots=empty["slots"],
                    minted=empty["minted"],
                    head_hash="",
                )
            )
            messages += [
                Message(
                    organization=organization,
                    ticket=ticket,
                    number=number + 1,
                    author_kind="customer",
                    author_name="Helena",
                    author_key="helena",
                    text=_text(base + number, count),
                    received_at=at + timedelta(minutes=number),
                    said_at=at + timedelta(minutes=number),
                )
                for number in range(A_TICKET)
            ]
        Customer.objects.bulk_create(customers)
        Ticket.objects.bulk_create(tickets)
        TicketState.objects.bulk_create(states)
        Message.objects.bulk_create(messages)


def _settle() -> None:
    """Statistics and indexes as the database's own housekeeping leaves them."""
    url = settings.POSTGRES.url(embedded.SUPERUSER, settings.TEST_DATABASE)
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute("VACUUM ANALYZE")


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def _plans(call: Callable[[], object]) -> dict[str, Any]:
    """The indexes that the queries of a call use, and the tables that they read from end to end."""
    with CaptureQueriesContext(connection) as captured:
        call()
    indexes: set[str] = set()
    whole: set[str] = set()
    for query in captured.captured_queries:
        if not query["sql"].startswith("SELECT"):
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {query['sql']}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
        indexes |= set(re.findall(r"(?:Index (?:Only )?Scan(?: Backward)? using|Bitmap Index Scan on) (\w+)", plan))
        whole |= set(re.findall(r"Seq Scan on (atendimento_(?:message|ticket|customer|ticketstate))\b", plan))
    return {"queries": len(captured), "indexes": sorted(indexes), "read from end to end": sorted(whole)}


def measure(rounds: int, few: int, many: int) -> dict[str, Any]:
    worlds = {}
    for slug, count in (("poucas", few), ("muitas", many)):
        worlds[slug] = stories.make(slug, slug.title())
        _fill(worlds[slug], count)
    _settle()
    figures: dict[str, Any] = {}
    for name, query in ASKED.items():
        for group in ("", "messages"):
            filters = Filters.read({"q": query, "in": group})
            taken: dict[str, list[float]] = {slug: [] for slug in worlds}
            plan: dict[str, Any] = {}
            found: dict[str, int] = {}
            for turn in range(rounds + 2):
                for slug, world in worlds.items():
                    world.enter()
                    spent = _milliseconds(partial(search.page, world.ana, filters))
                    if turn > 1:
                        taken[slug].append(spent)
            for slug, world in worlds.items():
                world.enter()
                found[slug] = sum(len(one.hits) for one in search.page(world.ana, filters).groups)
                plan[slug] = _plans(partial(search.page, world.ana, filters))
            medians = {slug: statistics.median(values) for slug, values in taken.items()}
            figures[f"{name}, {'messages alone' if group else 'every group'}"] = {
                "milliseconds": {slug: round(value, 2) for slug, value in medians.items()},
                "worst": {slug: round(max(values), 2) for slug, values in taken.items()},
                "ratio": round(medians["muitas"] / medians["poucas"], 2),
                "shown": found,
                "plans": plan,
            }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--few", type=int, default=2_000)
    parser.add_argument("--many", type=int, default=200_000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    setup_test_environment()
    servers.start_postgres()
    servers.start_redis()
    try:
        servers.make_database()
        figures = measure(asked.rounds, asked.few, asked.many)
    finally:
        connections.close_all()
        servers.stop_redis()
        servers.stop_postgres()
    outcome = {
        "messages": {"poucas": asked.few, "muitas": asked.many},
        "rounds": asked.rounds,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "figures": figures,
    }
    text = json.dumps(outcome, indent=2, ensure_ascii=False)
    print(text)
    if asked.write:
        FIGURES.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
