"""What every test may ask for. Nothing of ours is patched: databases, queues, processes and browser are real.

servers         PostgreSQL and this worker's Redis run (any database test has them)
db, transactional_db, client, …   pytest-django's, connected as the application's role, so row security holds
model_server    the scripted model (tests/support/model_server.py); the settings already point to it
live_server     a real uvicorn; `.url`. Rows are committed and emptied afterwards
live_worker     a real Celery worker beside it
live_beat       the clock, for the one test that asks for it
page            a page of a real Chromium, pt-BR, that fails the test on any error in its console
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import TransactionTestCase
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from atendimento.processes import Child
from tests import settings
from tests.support import chromium, servers
from tests.support.live import LiveServer, LiveWorker, start_beat
from tests.support.model_server import ModelServer

LOOPBACK = ("127.", "::1", "localhost")


def pytest_configure(config: pytest.Config) -> None:
    # With xdist the first process starts PostgreSQL for all; else the first test that asks for it does.
    if settings.WORKER == "main" and config.getoption("numprocesses", None):
        servers.start_postgres()


SLOW = ("tests/journeys/", "tests/house/test_demo.py", "tests/atendimento/test_worker.py", "tests/browser/")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take long begin the run: at its end one worker would wait for the other to come to theirs."""
    items.sort(key=lambda item: next((place for place, name in enumerate(SLOW) if item.nodeid.startswith(name)), len(SLOW)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if settings.WORKER == "main":
        servers.stop_postgres()


# Walls


@pytest.fixture(autouse=True, scope="session")
def _only_this_machine() -> Iterator[None]:
    """A test that talks to another machine fails instead of passing where there is a network."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6} and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


# Servers and database


@pytest.fixture(scope="session")
def servers_started() -> Iterator[None]:
    if settings.WORKER == "main" and settings.POSTGRES.child is None:
        servers.start_postgres()
    servers.start_redis()
    yield
    servers.stop_redis()


@pytest.fixture(name="servers")
def _servers(servers_started: None) -> None:
    """For tests that need a server and no table."""


@pytest.fixture(scope="session")
def django_db_setup(servers_started: None, django_db_blocker: Any) -> Iterator[None]:
    """In place of pytest-django's: tables are made by the owner, tests connect as the application's role."""
    with django_db_blocker.unblock():
        servers.make_database()
        cleaner = servers.Cleaner()
    with pytest.MonkeyPatch.context() as patch:
        # Django would empty the tables through the test's own connection, whose role may not.
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda self: cleaner.empty_tables())
        yield
    cleaner.close()


@pytest.fixture(autouse=True)
def _empty_redis(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if settings.REDIS.child is not None and "servers_started" in request.fixturenames:
        servers.empty_redis()


# The model


@pytest.fixture(scope="session")
def model_server_process() -> Iterator[ModelServer]:
    server = ModelServer(settings.MODEL_PORT)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def model_server(model_server_process: ModelServer) -> ModelServer:
    model_server_process.reset()
    return model_server_process


# The product's own processes


@pytest.fixture(scope="session")
def live_server_process(django_db_setup: None) -> Iterator[LiveServer]:
    server = LiveServer()
    yield server
    server.child.stop(3)


@pytest.fixture(scope="module")
def live_worker_process(django_db_setup: None) -> Iterator[LiveWorker]:
    """Per module: a worker that outlived the tests which asked for it would read the next ones' messages as well."""
    worker = LiveWorker()
    yield worker
    worker.child.stop(3)


@pytest.fixture
def _live_server_helper() -> None:
    """In place of pytest-django's, which prepares its own server, run in a thread of the test process."""


@pytest.fixture
def live_server(transactional_db: None, live_server_process: LiveServer) -> LiveServer:
    return live_server_process


@pytest.fixture
def live_worker(
    transactional_db: None, model_server: ModelServer, live_worker_process: LiveWorker, request: pytest.FixtureRequest
) -> Iterator[LiveWorker]:
    yield live_worker_process
    if request.node.stash.get(FAILED, False):
        sys.stderr.write(f"The worker's last lines:\n{live_worker_process.child.last_words(30)}\n")


@pytest.fixture
def live_beat(transactional_db: None) -> Iterator[Child]:
    beat = start_beat()
    yield beat
    beat.stop(3)


# The browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Per module: while it runs, this thread counts as asynchronous, which other tests must not see."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        launched = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def browser_options() -> dict[str, Any]:
    """Override in a module for another size, theme or language."""
    return {"viewport": {"width": 1280, "height": 800}, "locale": "pt-BR", "timezone_id": "America/Sao_Paulo"}


@pytest.fixture
def context(browser: Browser, live_server: LiveServer, browser_options: dict[str, Any]) -> Iterator[BrowserContext]:
    opened = browser.new_context(base_url=live_server.url, **browser_options)
    opened.set_default_timeout(20_000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[Page]:
    opened = context.new_page()
    problems: list[str] = []
    # A refused script or style (Content-Security-Policy) is an error in the console too.
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))

    def note_failure(failed: Request) -> None:
        # A page that is left aborts what it was still waiting for, live updates among it.
        if failed.failure and "ERR_ABORTED" not in failed.failure:
            problems.append(f"{failed.url}: {failed.failure}")

    opened.on("requestfailed", note_failure)
    yield opened
    if request.node.stash.get(FAILED, False):
        folder = Path("test-results")
        folder.mkdir(exist_ok=True)
        sys.stderr.write(f"The web server's last lines:\n{live_server.child.last_words(20)}\n")
        opened.screenshot(path=folder / f"{request.node.name}.png", full_page=True)
    allowed = request.node.get_closest_marker("console_errors")
    if not allowed:
        assert problems == [], "the browser's console holds errors"


# A page answers within milliseconds, but not beside everything else that runs on a busy machine.
expect.set_options(timeout=20_000)

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
