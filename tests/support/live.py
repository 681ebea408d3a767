"""The product's own processes, started for tests: a web server and a worker, on this worker's database and Redis."""

from __future__ import annotations

import os
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from atendimento import embedded
from atendimento.processes import Child
from tests import settings

ROOT = Path(__file__).resolve().parents[2]


def environment(**more: str) -> dict[str, str]:
    """Without this process's own settings module: the started ones run on the product's settings."""
    own = {"DJANGO_SETTINGS_MODULE": "atendimento.settings", "PYTHONUNBUFFERED": "1", "REMAP_SIGTERM": "SIGQUIT"}
    return {**os.environ, **own, **more}


def start(name: str, *arguments: str, **more: str) -> Child:
    log = settings.RUN_DIR / settings.WORKER / "logs" / f"{name}.log"
    return Child(name, [sys.executable, *arguments], log=log, env=environment(**more), cwd=ROOT)


class LiveServer:
    """A real uvicorn on a port of its own."""

    def __init__(self) -> None:
        self.port = embedded.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        quiet = ("--lifespan", "off", "--no-proxy-headers", "--timeout-graceful-shutdown", "1", "--no-access-log")
        arguments = ("--port", str(self.port), *quiet)
        self.child = start("web", "-m", "uvicorn", "atendimento.asgi:application", *arguments, PUBLIC_URL=self.url)
        self._wait(30)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.child.is_running():
            with (
                suppress(urllib.error.URLError, ConnectionError, TimeoutError),
                urllib.request.urlopen(f"{self.url}/healthz", timeout=2),
            ):
                return
            time.sleep(0.05)
        self.child.stop(1)
        raise AssertionError(f"the web server did not start:\n{self.child.last_words(30)}")

    def __str__(self) -> str:
        return self.url


class LiveWorker:
    """A real Celery worker."""

    def __init__(self) -> None:
        name = f"test-{settings.WORKER}-{os.getpid()}@localhost"
        options = ("--pool", "prefork", "--concurrency", "2", "--without-gossip", "--without-mingle", "--hostname", name)
        self.child = start("worker", "-m", "celery", "--app", "atendimento.celery", "worker", "--loglevel", "INFO", *options)
        deadline = time.monotonic() + 30
        while "ready." not in self.child.last_words(50):
            if time.monotonic() > deadline or not self.child.is_running():
                self.child.stop(1)
                raise AssertionError(f"the worker did not start:\n{self.child.last_words(30)}")
            time.sleep(0.05)


def start_beat() -> Child:
    return start("beat", "-m", "celery", "--app", "atendimento.celery", "beat", "--scheduler", "celery.beat:Scheduler")
