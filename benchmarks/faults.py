"""A campaign of faults against the real product under load: what is lost, what is doubled, does it heal by itself.

    python -m benchmarks.faults [--faults 64] [--seed N] [--write]

`manage.py demo` runs on this machine with a data folder of its own and a model that takes as long over an answer as real
ones do. Three integrations deliver what customers of twelve tickets say, four members of staff decide what is proposed,
state values and take them back, all through the API. Meanwhile one part at a time (a web process, a worker or one of
its pool, the clock, Redis, PostgreSQL or one of its sessions, the model) is killed, asked to end, or frozen for some
seconds, each at a random moment. Nothing is repaired by the campaign: what supervises the product starts again what died.
(The model is no part of the product; the campaign starts that again itself.)

Then the load ends, and the queue has to drain by itself. At last every check of `faults_checks` is made, and once more over
a record and tables spoilt on purpose, where each has to find something. The figures
and the seed are kept in `faults.json` by --write. The seed fixes what is drawn, not what the machine's own timing makes
of it. Exit 1 where a check fails.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import faults_checks
from benchmarks.faults_load import Channel, Client, Decider, Record
from benchmarks.faults_product import KIND, MANNERS, MODEL_TIMEOUT, STAFF, CampaignError, Product

FIGURES = Path(__file__).with_name("faults.json")
DRAINS_WITHIN = 240.0  # seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=64)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    parser.add_argument("--keep", action="store_true", help="leave the data folder, for a look at the logs")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lastro-faults-"))
    folder.chmod(0o711)
    print(f"seed {options.seed}, data in {folder}", flush=True)
    product = Product(folder, options.seed)
    try:
        product.start()
        figures = campaign(product, options.faults, options.seed)
    except CampaignError as error:
        print(f"The campaign failed: {error}", file=sys.stderr)
        return 1
    finally:
        product.stop()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    text = json.dumps(figures, indent=2, ensure_ascii=False)
    print(text)
    if options.write:
        FIGURES.write_text(text + "\n", "utf-8")
    return 1 if any(figures["findings"].values()) else 0


def campaign(product: Product, number: int, seed: int) -> dict[str, Any]:
    record, end = Record(), threading.Event()
    clients = workforce(product, record, seed, end)
    for client in clients:
        client.start()
    chance = random.Random(seed)
    began = time.monotonic()
    try:
        done = faults(product, number, chance, clients, began)
    finally:
        end.set()
        for client in clients:
            client.join(200)
    lasted = time.monotonic() - began
    still_alive(clients)
    tables = faults_checks.Tables(product)
    left = tables.waiting()
    drained = faults_checks.drained(product, tables, DRAINS_WITHIN)
    findings = faults_checks.everything(product, record, tables)
    runs = dict(tables.rows("SELECT status, count(*) FROM atendimento_proposal GROUP BY status ORDER BY status"))
    more = tables.rows("SELECT coalesce(sum(attempts - 1), 0) FROM atendimento_proposal WHERE status = 'ready'")[0][0]
    missed = faults_checks.what_they_miss(product, record, tables)
    if missed:
        raise CampaignError(f"checks that notice nothing: {', '.join(missed)}")
    back = [float(item["back_after"]) for item in done]
    return {
        "measured": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "seed": seed,
        "minutes_of_load": round(lasted / 60, 1),
        "faults": len(done),
        "faults_by_part": dict(Counter(KIND[item["part"]] for item in done).most_common()),
        "faults_by_manner": dict(Counter(f"{KIND[item['part']]}: {item['manner']}" for item in done).most_common()),
        "ready_again_after_seconds": {"median": statistics.median(back), "longest": max(back)},
        "waiting_when_load_ended": left,
        "drained_after_seconds": round(drained, 1),
        "tickets": len(record.tickets),
        "messages_acknowledged": len(record.messages),
        "changes_decided": len(record.decided),
        "statements_and_undos": len(record.marks),
        "calls": told(record),
        "slowest_call_seconds": round(record.slowest, 1),
        "model_timeout_seconds": MODEL_TIMEOUT,
        "runs": runs,
        "requests_to_the_model_beyond_one_a_run": more,
        "findings": findings,
        "log": done,
    }


def told(record: Record) -> dict[str, int]:
    return dict(sorted(record.counts.items(), key=lambda item: (-item[1], item[0])))


def workforce(product: Product, record: Record, seed: int, end: threading.Event) -> list[Client]:
    def made(kind: type[Client], name: str) -> Client:
        return kind(name, product.url, product.tokens[name], record, random.Random(f"{seed} {name}"), end)

    channels = [made(Channel, f"canal-{number}") for number in (1, 2, 3)]
    return [*channels, *(made(Decider, name) for name in STAFF)]


def faults(product: Product, number: int, chance: random.Random, clients: list[Client], began: float) -> list[dict[str, Any]]:
    """One fault after another, the parts in an order of chance; a part that died too often lately is left for later."""
    done: list[dict[str, Any]] = []
    # Every kind of fault comes up before any comes up again: the rarest too is tried several times.
    every = [(name, manner) for name, manners in MANNERS.items() for manner in manners]
    deck: list[tuple[str, str]] = []
    while len(done) < number:
        pause = time.monotonic() + chance.uniform(1.5, 6.0)
        while time.monotonic() < pause:
            product.look()
            time.sleep(0.05)
        still_alive(clients)
        deck = deck or chance.sample(every, len(every))
        drawn = next((item for item in deck if not _kills(item[1]) or product.may_die(item[0])), None)
        if drawn is None:
            deck = deck if len(deck) > len(every) else deck + chance.sample(every, len(every))
            continue
        deck.remove(drawn)
        at = round(time.monotonic() - began, 1)
        happened = product.harm(*drawn, chance)
        if happened is not None:
            done.append({"at": at, **happened})
            print(f"[{at:6.1f} s] {len(done):3}. {happened}", flush=True)
    return done


def _kills(manner: str) -> bool:
    """Whether the part itself dies of it, so that its supervisor counts a death."""
    return manner in ("kill", "restart")


def still_alive(clients: list[Client]) -> None:
    for client in clients:
        if client.problem is not None:
            raise CampaignError(f"{client.name}: {type(client.problem).__name__} {client.problem}")


if __name__ == "__main__":
    sys.exit(main())
