"""The demonstration: every part of the product on one machine, started in order and ended together.

Nothing here touches the database through Django: this process only starts others and watches them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from atendimento import embedded, translations
from atendimento.embedded import EmbeddedError
from atendimento.processes import Child, stop_forgotten
from atendimento.supervise import Service, Supervisor, wait_until

BASE_DIR = Path(__file__).resolve().parent.parent
SERVERS, PRODUCT = 0, 1
STAND_IN_MODEL = "standin"


class Interrupted(BaseException):
    """SIGINT or SIGTERM. Not an Exception, so that no handler on the way takes it for a fault."""


@dataclass(frozen=True, slots=True)
class Options:
    host: str
    port: int
    data_dir: Path
    seed: bool


class Demonstration:
    def __init__(self, options: Options, say: Callable[[str], None]) -> None:
        self.options = options
        self.data_dir = options.data_dir
        self.logs = options.data_dir / "logs"
        self.started = time.monotonic()
        self.print = say
        self.supervisor = Supervisor(self.say)
        self.env: dict[str, str] = {}
        self.shared: dict[str, str] = {}  # what other commands of this data folder need
        self.lock: IO[str] | None = None
        self.listener: socket.socket | None = None
        self.address = ""

    def say(self, line: str) -> None:
        self.print(f"[{time.monotonic() - self.started:5.1f} s] {line}")

    # The whole of it

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._interrupt)
        try:
            self._start()
            while True:
                self.supervisor.look()
                time.sleep(0.2)
        except Interrupted:
            self.say("Stopping")
        finally:
            # A second signal must not cut the ending short and leave processes behind.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            self._stop()
        self.say("Stopped")

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        raise Interrupted

    def _start(self) -> None:
        embedded.prepare_folder(self.data_dir)
        self._take_lock()
        self.listener = self._listen()
        secrets = embedded.load_secrets(self.data_dir)
        self._set_environment(secrets)
        self._start_servers(secrets)
        self._start_model()
        embedded.write_record(self.data_dir, self.shared)
        if compiled := translations.compile_stale():
            self.say(f"Compiled {len(compiled)} translation(s)")
        self._manage("migrate", "--database", "owner", "--no-input", "--verbosity", "0")
        self.say("Tables are in place")
        self._start_product(self.listener)
        logins = self._seed() if self.options.seed else ""
        self._wait_for_web()
        self.say("Ready")
        if logins:
            self.print(f"\n{logins}\n")
        self.print(f"Open {self.address}  (Ctrl-C ends it; the data stays in {self.data_dir})")

    def _stop(self) -> None:
        self.supervisor.stop(8.0)
        stop_forgotten(0.5)
        if self.listener is not None:
            self.listener.close()
        if self.lock is not None:
            embedded.remove_record(self.data_dir)
            self.lock.close()

    # Its parts, in the order of their start

    def _take_lock(self) -> None:
        """One demonstration per data folder. The system frees the lock when we end, however we end."""
        path = self.data_dir / "demo.lock"
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise EmbeddedError(f"a demonstration already runs in {self.data_dir} (process {file.read().strip()})") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self.lock = file

    def _listen(self) -> socket.socket:
        """Take the port before anything is started. The web processes share it, and one that died finds it open again."""
        host, port = self.options.host, self.options.port
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(family, kind, protocol)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Inherited by each connection. The web server is handed a mere number and would not know that this is TCP: an
            # answer's second part would wait 40 ms for the browser to acknowledge the first.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listener.bind(address)
            listener.listen(1024)
        except (OSError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
                raise EmbeddedError(f"port {port} on {host} is taken: end what uses it, or give another with --port") from None
            raise EmbeddedError(f"cannot listen on {host}, port {port} ({error})") from None
        shown = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)  # noqa: S104 -- compared, not bound
        self.address = f"http://{shown}:{listener.getsockname()[1]}"
        return listener

    def _set_environment(self, secrets: Mapping[str, str]) -> None:
        metrics = self.data_dir / "metrics"
        # Figures of processes that are gone would be added to those of today.
        shutil.rmtree(metrics, ignore_errors=True)
        metrics.mkdir(mode=0o700)
        self.shared = {"SECRET_KEY": os.environ.get("SECRET_KEY") or secrets["secret_key"]}
        hosts = {"localhost", "127.0.0.1", "[::1]", self.options.host}
        self.env = {
            "PUBLIC_URL": self.address,
            "ALLOWED_HOSTS": "*" if self.options.host in {"0.0.0.0", "::"} else ",".join(sorted(hosts)),  # noqa: S104
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            **os.environ,
            "DATA_DIR": str(self.data_dir),
            "PYTHONUNBUFFERED": "1",
            "REMAP_SIGTERM": "SIGQUIT",
        }

    def _start_servers(self, secrets: Mapping[str, str]) -> None:
        if not os.environ.get("DATABASE_URL"):
            postgres = embedded.Postgres(self.data_dir, secrets)
            self.supervisor.start(Service("PostgreSQL", lambda: _started(postgres), SERVERS))
            postgres.ensure_roles()
            postgres.ensure_database()
            self.shared["DATABASE_URL"] = postgres.url(embedded.APP)
            self.shared["DATABASE_OWNER_URL"] = postgres.url(embedded.OWNER)
            self.say("PostgreSQL is up")
        if not os.environ.get("REDIS_URL"):
            redis = embedded.Redis(self.data_dir, secrets["redis"])
            self.supervisor.start(Service("Redis", lambda: _started(redis, redis.port), SERVERS))
            self.shared["REDIS_URL"] = redis.url
            self.say("Redis is up")
        self.env |= self.shared

    def _start_model(self) -> None:
        if os.environ.get("OPENAI_BASE_URL"):
            return
        port = embedded.free_port()
        self._launch("Stand-in model", "-m", "atendimento.standin", "--port", str(port))
        if not wait_until(lambda: _accepts(port), self._children, 20):
            raise EmbeddedError(f"the stand-in model did not start: {self._last_words('Stand-in model')}")
        self.shared |= {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_API_KEY": "none-needed",
            "OPENAI_MODEL": STAND_IN_MODEL,
        }
        self.env |= self.shared
        self.say("The stand-in model is up (set OPENAI_BASE_URL and OPENAI_MODEL to use a real one)")

    def _start_product(self, listener: socket.socket) -> None:
        web = [
            *("-m", "uvicorn", "atendimento.asgi:application", "--fd", str(listener.fileno())),
            # A page that listens for live updates never ends by itself.
            *(
                "--timeout-graceful-shutdown",
                "3",
                "--no-proxy-headers",
                "--no-access-log",
                "--no-server-header",
                "--lifespan",
                "off",
                "--log-level",
                "warning",
            ),
        ]
        celery = ("-m", "celery", "--app", "atendimento.celery", "--quiet")
        for number in range(1, min(os.cpu_count() or 1, 2) + 1):
            self._launch(f"Web {number}", *web, pass_fds=(listener.fileno(),))
        for number in (1, 2):
            # Processes, not threads: only those can be ended in the middle of a model call.
            name = f"worker-{number}@{socket.gethostname()}"
            options = ("--pool", "prefork", "--concurrency", "2", "--without-gossip", "--without-mingle", "--hostname", name)
            self._launch(f"Worker {number}", *celery, "worker", *options)
        # The clock keeps nothing on disk: its entries are all "every so often" or "at this hour".
        self._launch("Beat", *celery, "beat", "--scheduler", "celery.beat:Scheduler")

    def _seed(self) -> str:
        """Seed once per embedded database; later starts show the logins that the first one printed."""
        kept = self.data_dir / "postgres" / "seeded"
        embedded_database = "DATABASE_URL" in self.shared
        if embedded_database and kept.exists():
            return kept.read_text(encoding="utf-8")
        logins = self._manage("seed_demo")
        if embedded_database:
            # Beside the database's own files, so that whoever removes those seeds again.
            embedded.write_private(kept, logins)
        self.say("The demonstration's data is in place")
        return logins

    def _wait_for_web(self) -> None:
        if not wait_until(lambda: _answers(f"{self.address}/readyz"), self._children, 60):
            raise EmbeddedError(
                f"the web server does not answer: {self._last_words('Web 1') or 'no reason given'} (more in {self.logs})"
            )

    # Helpers

    def _launch(self, name: str, *arguments: str, pass_fds: tuple[int, ...] = ()) -> None:
        log = self.logs / f"{name.lower().replace(' ', '-')}.log"

        def start() -> Child:
            # Read at each start: the environment grows while the parts come up.
            return Child(name, [sys.executable, *arguments], log=log, env=self.env, cwd=BASE_DIR, pass_fds=pass_fds)

        self.supervisor.start(Service(name, start, PRODUCT))

    def _manage(self, *arguments: str) -> str:
        """Run a management command to its end, for what it prints; a failure is its last line."""
        name = arguments[0]
        printed = self.logs / f"{name}.out"
        printed.unlink(missing_ok=True)
        # What it logs is no part of what it prints.
        command = [sys.executable, "manage.py", *arguments]
        child = Child(name, command, log=self.logs / f"{name}.log", output=printed, env=self.env, cwd=BASE_DIR)
        try:
            while child.is_running():
                self.supervisor.look()
                time.sleep(0.05)
        finally:
            child.stop(3)
        if child.process.returncode:
            raise EmbeddedError(f"'manage.py {name}' failed: {child.last_words()} (more in {child.log})")
        return printed.read_text(encoding="utf-8").strip()

    def _children(self) -> list[Child]:
        return [service.child for service in self.supervisor.services if service.child is not None]

    def _last_words(self, name: str) -> str:
        return next((child.last_words() for child in self._children() if child.name == name), "")


def _started(server: embedded.Postgres | embedded.Redis, port: int = 0) -> Child:
    if isinstance(server, embedded.Redis):
        server.start(port)
    else:
        server.start()
    assert server.child is not None
    return server.child


def _accepts(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _answers(url: str) -> bool:
    with suppress(urllib.error.URLError, TimeoutError, ConnectionError), urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310
        return bool(answer.status == 200)
    return False
