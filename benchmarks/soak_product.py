"""The product of a soak: `manage.py demo`, and what its processes hold while it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import redis

from atendimento.env import embedded_values
from atendimento.processes import Child

ROOT = Path(__file__).resolve().parents[1]
PARTS = {"web": "uvicorn", "worker": "MainProcess", "worker pool": "ForkPoolWorker", "redis": "redis-server"}
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Product:
    data_dir: Path
    port: int
    demo: Child | None = None
    samples: list[dict[str, float]] = field(default_factory=list)

    def start(self) -> None:
        """Raises RuntimeError where it does not come up."""
        command = [sys.executable, "manage.py", "demo", "--no-seed", "--port", str(self.port), "--data-dir", str(self.data_dir)]
        self.demo = Child("demo", command, log=self.data_dir / "demo.log", cwd=ROOT, env={**os.environ, "LOG_LEVEL": "WARNING"})
        deadline = time.monotonic() + 600
        while "Open http" not in (self.data_dir / "demo.log").read_text("utf-8"):
            if time.monotonic() > deadline or not self.demo.is_running():
                raise RuntimeError(f"the demonstration did not start: {self.demo.last_words(5)}")
            time.sleep(0.2)

    def stop(self) -> None:
        if self.demo is not None:
            self.demo.stop(15)

    def prepare(self, pages: int, tickets: int) -> dict[str, Any]:
        """An agent for each page, and the tickets that they look at: {cookies, members, token, tickets}."""
        env = {**os.environ, "DATA_DIR": str(self.data_dir)}
        command = [sys.executable, "-m", "benchmarks.soak_people", str(pages), str(tickets)]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-2000:])
        made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return made

    # What it holds

    def sample(self, second: float) -> None:
        """Resident memory of each part in KiB, threads and open files of the web server, and what is connected."""
        found: dict[str, float] = {"second": round(second, 1)}
        assert self.demo is not None
        for process in descendants(self.demo.process.pid):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                part = next((part for part, mark in PARTS.items() if mark in words), None)
                if part is None:
                    continue
                found[part] = found.get(part, 0) + int((process / "statm").read_text().split()[1]) * PAGE_SIZE / 1024
                if part == "web":
                    found["web threads"] = found.get("web threads", 0) + len(list((process / "task").iterdir()))
                    found["web files"] = found.get("web files", 0) + len(list((process / "fd").iterdir()))
        servers = embedded_values(self.data_dir)
        with redis.Redis.from_url(servers["REDIS_URL"]) as client:
            info: Any = client.info()
            found |= {"redis data": info["used_memory"] / 1024, "redis clients": info["connected_clients"]}
        with psycopg.connect(servers["DATABASE_OWNER_URL"]) as connection:
            row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'lastro_app'").fetchone()
            found["database connections"] = row[0] if row else 0
        self.samples.append(found)


def descendants(parent: int) -> list[Path]:
    """The folders in /proc of a process's children, their children and so on."""
    below: dict[int, list[int]] = {}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):
                above = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
                below.setdefault(above, []).append(int(process.name))
    found, todo = [], [parent]
    while todo:
        children = below.get(todo.pop(), [])
        todo += children
        found += [Path("/proc") / str(child) for child in children]
    return found
