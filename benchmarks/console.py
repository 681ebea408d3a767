"""What the ticket's page and a decision cost on the real stack, as ratios within one run.

    python -m benchmarks.console [--rounds N] [--write]

PostgreSQL and Redis are started for it; requests go through every middleware, by Django's test client with the check of
form tokens on. Measured side by side, interleaved:

- the ticket's page with 10,000 messages against 100, both with the same 300 fields filled: queries, time, bytes;
- accepting a change, on a ticket of ordinary size with four more to decide and on the one of 300 fields with twenty,
  against a bare view of the same stack: session, token, two rows in one transaction, one fragment (`benchmarks/bare.py`);
- the first page with everything that it links to, as a browser that takes gzip fetches it.

Figures are recorded, never asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import platform
import re
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext, setup_test_environment

from atendimento.actions import ticket_types
from atendimento.models import Draft, Membership, Ticket, TicketVisit
from memoria.proposals import Change
from tests.support import servers, stories
from tests.support.stories import World, change

FIGURES = Path(__file__).with_name("console.json")
FIELDS = 300


def _publish(world: World) -> None:
    fields = {
        f"/facts/campo{index}": {"label": f"Campo {index}", "schema": {"type": "string"}, "sources": ["agent", "customer"]}
        for index in range(FIELDS)
    }
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    ticket_types.publish_ticket_type(member=admin, document={**stories.TICKET_TYPE, "fields": fields})


def _ticket(world: World, messages: int) -> Ticket:
    """A ticket with so many messages, 300 values that rest on its newest 100, and 20 changes to decide."""
    ticket = world.ticket(f"{messages} mensagens")
    world.many(ticket, [f"mensagem número {index}: o campo {index % FIELDS} é este" for index in range(messages)])
    for start in range(0, FIELDS, 100):
        world.accept(
            world.propose(
                ticket,
                *(
                    change(f"/facts/campo{index}", f"valor {index}", (f"m-{messages - index % 90}", "é este"))
                    for index in range(start, start + 100)
                ),
            )
        )
    world.propose(
        ticket, *(change(f"/facts/campo{index}", f"novo {index}", (f"m-{messages}", "é este")) for index in range(20))
    )
    return Ticket.objects.get(pk=ticket.pk)


class Browser(Client):
    """A signed-in member's; the rows that this script reads afterwards stay the organisation's."""

    def __init__(self, world: World) -> None:
        super().__init__(enforce_csrf_checks=True, headers={"accept-language": "pt-BR"})
        self.world = world
        self.force_login(world.ana.user, "allauth.account.auth_backends.AuthenticationBackend")

    def request(self, **asked: Any) -> Any:
        try:
            return super().request(**asked)
        finally:
            self.world.enter()

    def token(self) -> str:
        return str(self.cookies[settings.CSRF_COOKIE_NAME].value)


def _page(browser: Browser, ticket: Ticket) -> tuple[float, int, int]:
    started = time.perf_counter()
    response = browser.get(f"/tickets/{ticket.pk}/")
    took = time.perf_counter() - started
    assert response.status_code == 200
    return took, len(response.content), len(gzip.compress(response.content, 6))


def _queries(browser: Browser, ticket: Ticket) -> int:
    with CaptureQueriesContext(connection) as seen:
        browser.get(f"/tickets/{ticket.pk}/")
    return len(seen)


def _accept(browser: Browser, world: World, ticket: Ticket, asked: Change) -> float:
    (row,) = world.propose(ticket, asked)
    version = Ticket.objects.values_list("state_version", flat=True).get(pk=ticket.pk)
    data = {"expected_version": version, "csrfmiddlewaretoken": browser.token()}
    started = time.perf_counter()
    response = browser.post(f"/tickets/{ticket.pk}/changes/{row.pk}/accept", data, headers={"HX-Request": "true"})
    took = time.perf_counter() - started
    assert response.status_code == 200, response.content[:300]
    return took


def _asked(browser: Browser, world: World, ticket: Ticket, asked: Change) -> int:
    """The queries of one acceptance, those included that every request makes."""
    with CaptureQueriesContext(connection) as seen:
        _accept(browser, world, ticket, asked)
    first = next(index for index, query in enumerate(seen.captured_queries) if "atendimento_user" in query["sql"])
    return len(seen) - first


def _bare(browser: Browser, ticket: Ticket, round_: int) -> float:
    data = {"ticket": str(ticket.pk), "text": f"texto {round_}", "csrfmiddlewaretoken": browser.token()}
    started = time.perf_counter()
    response = browser.post("/bare", data, headers={"HX-Request": "true"})
    took = time.perf_counter() - started
    assert response.status_code == 200, response.content[:300]
    return took


async def _whole(response: Any) -> bytes:
    """What a streamed answer holds: files come asynchronously."""
    return b"".join([part async for part in response])


def _weight(browser: Browser, address: str) -> dict[str, int]:
    """Bytes of a page and of all that it links to on this host, compressed where that helps."""
    page = browser.get(address)
    found: dict[str, int] = {"page": len(gzip.compress(page.content, 6))}
    todo = re.findall(r'(?:href|src)="(/static/[^"#]+)', page.content.decode())
    while todo:
        link = todo.pop()
        if link in found:
            continue
        response = browser.get(link)
        body = asyncio.run(_whole(response)) if response.streaming else response.content
        found[link] = min(len(body), len(gzip.compress(body, 9)))
        if link.endswith(".css"):
            todo += [urljoin(link, url) for url in re.findall(r'url\("([^"#]+)"\)', body.decode())]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    options = parser.parse_args()
    servers.start_postgres()
    servers.start_redis()
    try:
        servers.make_database()
        setup_test_environment()
        with override_settings(ROOT_URLCONF="benchmarks.bare"):
            figures = _measure(options.rounds)
    finally:
        connection.close()
        servers.stop_redis()
        servers.stop_postgres()
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    if options.write:
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


def _measure(rounds: int) -> dict[str, Any]:
    world = stories.make()
    _publish(world)
    short, long = _ticket(world, 100), _ticket(world, 10_000)
    browser = Browser(world)
    for row in (Draft(text=""), TicketVisit(seen_at=datetime.now(UTC))):
        row.organization_id, row.member, row.ticket = world.ana.organization_id, world.ana, short
        row.save()
    for _warm in range(3):
        _page(browser, short), _page(browser, long)
    queries = {"100": _queries(browser, short), "10000": _queries(browser, long)}
    small, large, accepts, bares = [], [], [], []
    for round_ in range(rounds):
        small.append(_page(browser, short))
        large.append(_page(browser, long))
        field = change(f"/facts/campo{round_ % 50 + 100}", f"outro {round_}", ("m-100", "é este"))
        accepts.append(_accept(browser, world, short, field))
        bares.append(_bare(browser, short, round_))

    def median(values: list[float]) -> float:
        return statistics.median(values)

    times = {"100": median([one[0] for one in small]), "10000": median([one[0] for one in large])}
    ordinary = stories.recife(stories_of(world))
    weight = _weight(browser, f"/tickets/{ordinary.pk}/")
    stories.correction(world, ordinary)
    plain, plain_bares = [], []
    for round_ in range(rounds):
        symptom = change("/facts/sintoma", f"outro {round_}", ("m-1", "minha geladeira"))
        plain.append(_accept(browser, world, ordinary, symptom))
        plain_bares.append(_bare(browser, short, round_))
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "rounds": rounds,
        "ticket page, 300 fields": {
            "queries": queries,
            "milliseconds": {key: round(value * 1000, 1) for key, value in times.items()},
            "bytes": {"100": small[-1][1], "10000": large[-1][1]},
            "compressed bytes": {"100": small[-1][2], "10000": large[-1][2]},
            "time, 10,000 to 100 messages": round(times["10000"] / times["100"], 2),
            "bytes, 10,000 to 100 messages": round(large[-1][1] / small[-1][1], 2),
        },
        "accepting a change": {
            "ordinary ticket": _against(plain, plain_bares),
            "300 fields, 20 changes to decide": _against(accepts, bares),
            "queries": _asked(browser, world, ordinary, change("/facts/sintoma", "por fim", ("m-1", "minha geladeira"))),
        },
        "first ticket page with all its assets, compressed bytes": {"in all": sum(weight.values()), **weight},
    }


def _against(accepts: list[float], bares: list[float]) -> dict[str, float]:
    mine, bare = statistics.median(accepts), statistics.median(bares)
    return {
        "milliseconds": round(mine * 1000, 1),
        "bare view, milliseconds": round(bare * 1000, 1),
        "ratio of medians": round(mine / bare, 2),
    }


def stories_of(world: World) -> World:
    """The same people with the ticket type of the tests' story, for a page of ordinary size."""
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    ticket_types.publish_ticket_type(member=admin, document=stories.TICKET_TYPE)
    return world


if __name__ == "__main__":
    raise SystemExit(main())
