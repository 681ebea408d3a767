"""A hundred live pages and ten decisions a second: what fails, how long it takes, and what the processes hold.

    python -m benchmarks.soak [--minutes 10] [--pages 100] [--tickets 80] [--rate 10] [--write]

`manage.py demo` runs on this machine with a data folder of its own. Each page is an agent's own session: it loads a ticket's
page, opens the live stream with its presence, and asks for its parts as the page's script does: the conversation and the
memory when somebody else decides on its ticket, the conversation and the queue after its own decision, the queue for news of
any other ticket, at the script's intervals. There are fewer tickets than pages, so that some are looked at by two. Decisions
are the accepting of proposed changes by the form of the page, one after another over all tickets; where a ticket has none
left, six are handed in by the API, as a model's reading would.

Told are latencies of decisions, of parts and of live delivery (from the moment that Redis keeps an event to the moment that
the page has it, for every page), whatever was not answered as it should, and what each part of the product held, every five
seconds: the slope is that of a line through the samples of the last four fifths. Exit 1 where anything failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from atendimento import embedded
from benchmarks.soak_http import Answer, Browser, as_json
from benchmarks.soak_product import Product

FIGURES = Path(__file__).with_name("soak.json")
AT_ONCE = 6  # changes of a proposal
FIELDS, QUOTE = 12, "é isto que peço"
FORM = "application/x-www-form-urlencoded"
FRAGMENT = {"HX-Request": "true"}


@dataclass(slots=True)
class Room:
    """A ticket: its version as the last decision left it, and what is there to decide."""

    ticket: str
    version: int = 0
    pending: list[str] = field(default_factory=list)
    proposed: int = 0
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class Run:
    """What is measured, and whether it goes on."""

    until: float
    decisions: list[float] = field(default_factory=list)
    delivery: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    heard: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    pages: int = 0
    all_ready: asyncio.Event = field(default_factory=asyncio.Event)

    def over(self) -> bool:
        return time.monotonic() >= self.until

    def check(self, what: str, answer: Answer, *wanted: int) -> bool:
        if answer.status in (wanted or (200,)):
            return True
        self.failures[f"{what}: {answer.status}"] += 1
        return False


class Page:
    """An open page with its script."""

    def __init__(self, browser: Browser, member: int, room: Room, run: Run) -> None:
        self.browser, self.member, self.room, self.run = browser, member, room, run
        self.tab = f"{random.getrandbits(96):024x}"
        self.token = self.last = ""
        self.queue_after = 0.0
        self.queue_waits: asyncio.Task[None] | None = None
        self.due: set[str] = set()
        self.waits: asyncio.Task[None] | None = None
        self.alive = True

    async def load(self) -> None:
        answer = await self.part("page", f"/tickets/{self.room.ticket}/", {})
        text = answer.text
        self.token = _found(r'name="csrfmiddlewaretoken" value="([^"]+)"', text)
        self.last = _found(r'data-known="([^"]*)"', text)

    async def listen(self) -> None:
        """The stream; when it ends, again, from the last event that was heard."""
        while not self.run.over():
            asked = urlencode({"ticket": self.room.ticket, "tab": self.tab, "after": self.last})
            try:
                async for event in self.browser.events(f"/live?{asked}"):
                    self.heard(event)
                    if self.run.over():
                        return
            except (OSError, asyncio.IncompleteReadError, ValueError) as error:
                if not self.run.over():
                    self.run.failures[f"stream: {type(error).__name__} {error}"[:100]] += 1
                    await asyncio.sleep(1 + random.random())

    def heard(self, event: dict[str, str]) -> None:
        kind = event["event"]
        self.run.heard[kind] += 1
        if self.run.heard["ready"] >= self.run.pages:
            self.run.all_ready.set()
        if event.get("id"):
            self.last = event["id"]
        if kind == "ready" and not json.loads(event["data"])["whole"]:
            self.run.failures["a gap that was not caught up"] += 1
        if kind != "news":
            return
        self.run.delivery.append(time.time() - int(event["id"].partition("-")[0]) / 1000)
        news = json.loads(event["data"])
        self.want_queue()
        if news["ticket"] != self.room.ticket or (news["member"] == self.member and news["kind"] == "decision"):
            return
        self.want("memory", "messages")

    def want(self, *parts: str) -> None:
        self.due.update(parts)
        if self.waits is None:
            self.waits = asyncio.create_task(self._flush(0.12))

    def want_queue(self) -> None:
        if self.queue_waits is None:
            wait = max(self.queue_after - time.monotonic(), 0)
            self.queue_waits = asyncio.create_task(self._queue(wait))

    async def _flush(self, wait: float) -> None:
        await asyncio.sleep(wait)
        self.waits, due, self.due = None, self.due, set()
        for name in sorted(due):
            await self.refresh(name)

    async def _queue(self, wait: float) -> None:
        await asyncio.sleep(wait)
        await self.refresh("queue")
        self.queue_waits = None

    async def refresh(self, name: str) -> None:
        if self.run.over():
            return
        paths = {
            "memory": f"/tickets/{self.room.ticket}/memory?pane=decide",
            "messages": f"/tickets/{self.room.ticket}/messages",
        }
        path = paths.get(name, f"/?{urlencode({'view': 'decide', 'current': self.room.ticket, 'part': 'queue'})}")
        more = {"Lastro-Seen": str(max(self.room.version - 1, 0))} if name == "memory" else {}
        answer = await self.part(name, path, FRAGMENT | more)
        if name == "queue":
            # As the page's script: the slower the server, the longer the wait.
            self.queue_after = time.monotonic() + min(max(40 * answer.seconds, 5), 60) * (0.7 + 0.6 * random.random())

    async def part(self, name: str, path: str, headers: dict[str, str]) -> Answer:
        answer = await self.browser.request("GET", path, headers=headers)
        self.run.check(name, answer)
        self.run.parts.setdefault(name, []).append(answer.seconds)
        return answer

    async def decide(self, api: str) -> None:
        """Accept the ticket's next change by the page's form; where none is left, have some proposed first."""
        async with self.room.busy:
            if not self.room.pending:
                await self.propose(api)
            if not self.room.pending:
                return
            change = self.room.pending.pop(0)
            path = f"/tickets/{self.room.ticket}/changes/{change}/accept"
            form = urlencode({"expected_version": self.room.version, "csrfmiddlewaretoken": self.token, "pane": "decide"})
            headers = FRAGMENT | {"Lastro-Seen": str(self.room.version)}
            answer = await self.browser.request("POST", path, body=form.encode(), kind=FORM, headers=headers)
            self.run.decisions.append(answer.seconds)
            if self.run.check("decision", answer):
                self.room.version += 1
        self.want("messages")
        self.want_queue()

    async def propose(self, api: str) -> None:
        self.room.proposed += 1
        start = self.room.proposed * AT_ONCE
        changes = [
            {
                "op": "add" if start + index < FIELDS + AT_ONCE else "replace",
                "path": f"/facts/campo{(start + index) % FIELDS}",
                "value": f"valor {start + index}",
                "evidence": [{"message": "m-12", "quote": QUOTE}],
            }
            for index in range(AT_ONCE)
        ]
        body = {"base_version": self.room.version, "producer": "carga", "key": str(start), "changes": changes}
        headers = {"Authorization": f"Bearer {api}"}
        path = f"/api/v1/tickets/{self.room.ticket}/proposals"
        answer = await self.browser.request("POST", path, body=as_json(body), kind="application/json", headers=headers)
        if self.run.check("proposal", answer, 201):
            made = json.loads(answer.text)["changes"]
            self.room.pending = [change["id"] for change in made if change["status"] == "pending"]
            if not self.room.pending:
                self.run.failures[f"nothing to decide: {made[0]['reasons']}"[:200]] += 1


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return found[1]


async def soak(product: Product, made: dict[str, Any], seconds: float, rate: float) -> tuple[Run, float]:
    rooms = [Room(ticket) for ticket in made["tickets"]]
    run = Run(time.monotonic() + 3600, pages=len(made["cookies"]))
    pages = [
        Page(Browser("127.0.0.1", product.port, cookie), member, rooms[index % len(rooms)], run)
        for index, (cookie, member) in enumerate(zip(made["cookies"], made["members"], strict=True))
    ]
    for page in pages:
        await page.load()
    streams = [asyncio.create_task(page.listen()) for page in pages]
    await run.all_ready.wait()
    run.parts.clear()
    began = time.monotonic()
    run.until = began + seconds
    sampling = asyncio.create_task(_sample(product, run, began))
    deciding: set[asyncio.Task[None]] = set()
    turn = 0
    while not run.over():
        due = began + turn / rate
        await asyncio.sleep(max(due - time.monotonic(), 0))
        if len(deciding) > 5 * rate:  # the product is five seconds behind: more would only wait
            run.skipped += 1
        else:
            task = asyncio.create_task(pages[turn % len(rooms)].decide(made["token"]))
            deciding.add(task)
            task.add_done_callback(deciding.discard)
        turn += 1
    took = time.monotonic() - began
    results = await asyncio.gather(*deciding, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            run.failures[f"decision: {type(result).__name__}"] += 1
    await sampling
    for stream in streams:
        stream.cancel()
    ended = await asyncio.gather(*streams, return_exceptions=True)
    for end in ended:
        if isinstance(end, Exception):
            run.failures[f"page: {type(end).__name__} {end}"[:100]] += 1
    for page in pages:
        page.browser.close()
    return run, took


async def _sample(product: Product, run: Run, began: float) -> None:
    while not run.over():
        await asyncio.to_thread(product.sample, time.monotonic() - began)
        await asyncio.sleep(5)


def spread(seconds: list[float]) -> dict[str, float]:
    """In milliseconds."""
    if len(seconds) < 2:
        return {"count": len(seconds)}
    cuts = statistics.quantiles(seconds, n=100)
    points = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "longest": max(seconds)}
    return {"count": len(seconds), **{name: round(value * 1000, 1) for name, value in points.items()}}


def held(samples: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Of what was sampled: the first, the most and the last, and how much a minute it grew over the last four fifths."""
    late = samples[len(samples) // 5 :]
    found = {}
    for name in samples[0]:
        if name == "second":
            continue
        values = [sample.get(name, 0) for sample in samples]
        slope = 0.0
        if len(late) > 2:
            line = statistics.linear_regression([one["second"] for one in late], [one.get(name, 0) for one in late])
            slope = line.slope * 60
        found[name] = {
            "first": round(values[0]),
            "most": round(max(values)),
            "last": round(values[-1]),
            "a minute": round(slope, 1),
        }
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--tickets", type=int, default=80)
    parser.add_argument("--rate", type=float, default=10, help="decisions a second")
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lastro-soak-"))
    folder.chmod(0o711)
    product = Product(folder, embedded.free_port())
    try:
        product.start()
        made = product.prepare(options.pages, options.tickets)
        run, took = asyncio.run(soak(product, made, options.minutes * 60, options.rate))
    finally:
        product.stop()
        shutil.rmtree(folder, ignore_errors=True)
    figures = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "minutes": round(took / 60, 2),
        "pages": options.pages,
        "tickets": options.tickets,
        "decisions a second": {"asked": options.rate, "made": round(len(run.decisions) / took, 2), "skipped": run.skipped},
        "milliseconds": {
            "decision": spread(run.decisions),
            "live delivery": spread(run.delivery),
            **{name: spread(values) for name, values in sorted(run.parts.items())},
        },
        "events heard": dict(run.heard),
        "failures": dict(run.failures),
        "held (KiB; counts)": held(product.samples),
    }
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    if options.write:
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if run.failures:
        print(f"{sum(run.failures.values())} failures", file=sys.stderr)
    return 1 if run.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
