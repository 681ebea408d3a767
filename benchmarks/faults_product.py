"""The product under a campaign of faults: the real `manage.py demo`, its processes by name, and what is done to them."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from atendimento import embedded
from atendimento.processes import Child
from atendimento.supervise import MOST_DEATHS, WITHIN_SECONDS, Service, Supervisor

ROOT = Path(__file__).resolve().parents[1]
ORGANIZATION = "campanha"
ADMIN = "ana@campanha.test"
STAFF = {"ana": "admin", "bia": "agent", "caio": "agent", "davi": "supervisor"}
MODEL_TIMEOUT = 8
RECOVERY = 90.0  # seconds that a part may take to be back


class CampaignError(Exception):
    """Why the campaign cannot go on, in one line."""


MANNERS: dict[str, tuple[str, ...]] = {
    "Web 1": ("kill", "stop"),
    "Web 2": ("kill", "stop"),
    "Worker 1": ("kill", "kill a process of its pool", "stop"),
    "Worker 2": ("kill", "kill a process of its pool", "stop"),
    "Beat": ("kill", "stop"),
    "Redis": ("kill", "restart", "stop"),
    "PostgreSQL": ("restart", "kill", "kill a session"),
    "Model": ("kill", "stop"),
}
"""What may befall each part. `restart` asks it to end; `stop` freezes it for some seconds (SIGSTOP, then SIGCONT)."""

KIND = {name: name.split()[0] for name in MANNERS}
_MARKS = {
    "Web": ("uvicorn",),
    "Worker 1": ("celery", "worker-1@"),
    "Worker 2": ("celery", "worker-2@"),
    "Beat": ("celery", "beat"),
    "Redis": ("redis-server",),
    "PostgreSQL": ("postgres", "-D"),
}


@dataclass(slots=True)
class Product:
    """`make demo` with an empty database and a model of ours, which takes as long over an answer as real ones do."""

    data_dir: Path
    seed: int
    url: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    models: Supervisor = field(default_factory=lambda: Supervisor(print))
    demo: Child | None = None
    began: float = 0.0
    web: dict[str, int] = field(default_factory=dict)  # which of the two processes of the web server bears which name

    # Beginning and end

    def start(self) -> None:
        self.data_dir.mkdir(parents=True, exist_ok=True)
        port, web_port = embedded.free_port(), embedded.free_port()
        self.models.start(Service("Model", lambda: self._model(port)))
        self.url = f"http://127.0.0.1:{web_port}"
        own = {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_MODEL": "lastro-standin",
            "MODEL_TIMEOUT": str(MODEL_TIMEOUT),
            "PROPOSAL_DEBOUNCE": "1",
        }
        command = [sys.executable, "manage.py", "demo", "--no-seed", "--port", str(web_port), "--data-dir", str(self.data_dir)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "REDIS_", "OPENAI_"))}
        self.began = time.monotonic()
        self.demo = Child("demo", command, log=self.data_dir / "demo.log", env=kept | own, cwd=ROOT)
        self.wait_ready(120)
        self._people()

    def stop(self) -> None:
        if self.demo is not None:
            self.demo.stop(15)
        self.models.stop(2)

    def _model(self, port: int) -> Child:
        command = [sys.executable, "-m", "benchmarks.slow_model", "--port", str(port), "--seed", str(self.seed)]
        return Child("Model", command, log=self.data_dir / "model.log", cwd=ROOT)

    def _people(self) -> None:
        self.manage("create_organization", ORGANIZATION, "--name", "Campanha de falhas")
        for name, role in STAFF.items():
            more = ("--role", role, "--name", name.title(), "--password", "campanha-de-falhas")
            self.manage("create_member", f"{name}@campanha.test", "--org", ORGANIZATION, *more)
            self.tokens[name] = self._token(name, name, "member")
        for channel in ("canal-1", "canal-2", "canal-3"):
            self.tokens[channel] = self._token("ana", channel, "ingest")
        file = ROOT / "atendimento" / "gallery" / "assistencia-tecnica.json"
        self.manage("load_ticket_type", str(file), "--org", ORGANIZATION, "--as", ADMIN)

    def _token(self, member: str, name: str, scope: str) -> str:
        mail = f"{member}@campanha.test"
        said = self.manage("create_api_token", mail, "--org", ORGANIZATION, "--name", name, "--scope", scope)
        return said.splitlines()[-1]

    def manage(self, *arguments: str) -> str:
        """A management command's output. Raises CampaignError where it fails."""
        env = {**os.environ, "DATA_DIR": str(self.data_dir)}
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CampaignError(f"manage.py {arguments[0]}: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout.strip()

    # Looking at it

    def look(self) -> None:
        """Raises CampaignError where what supervises the product has given up."""
        self.models.look()
        if self.demo is None or not self.demo.is_running():
            said = self.demo.last_words(5) if self.demo else ""
            raise CampaignError(f"the demonstration ended: {said}")

    def wait_ready(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._ready():
            self.look()
            if time.monotonic() > deadline:
                raise CampaignError(f"the product is not ready after {seconds:g} s")
            time.sleep(0.1)

    def _ready(self) -> bool:
        with suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        return False

    def pid(self, name: str) -> int | None:
        """The process that bears this name now."""
        if name == "Model":
            child = self.models.services[0].child
            return child.pid if child is not None and child.is_running() else None
        assert self.demo is not None
        children = [pid for pid in _children(self.demo.pid) if _bears(pid, _MARKS.get(name, _MARKS["Web"]))]
        if not name.startswith("Web"):
            return children[0] if children else None
        self.web = {key: pid for key, pid in self.web.items() if pid in children}
        for pid in children:
            free = [key for key in ("Web 1", "Web 2") if key not in self.web]
            if pid not in self.web.values() and free:
                self.web[free[0]] = pid
        return self.web.get(name)

    def log_problems(self) -> dict[str, int]:
        """How often each part logged an error, by its log's name: told, not judged."""
        found = {}
        for path in sorted((self.data_dir / "logs").glob("*.log")):
            lines = path.read_text("utf-8", "replace").splitlines()
            if count := sum('"level": "error"' in line or '"level": "critical"' in line for line in lines):
                found[path.stem] = count
        return found

    # Doing harm

    def may_die(self, name: str) -> bool:
        """Whether one more death, and one that nobody planned, stays below what its supervisor takes for a broken part."""
        return self._recent_deaths(KIND[name] if KIND[name] == "Web" else name) < MOST_DEATHS - 2

    def _recent_deaths(self, name: str) -> int:
        """How often a part of this name died lately, as its supervisor says; both web processes count as one part."""
        if name == "Model":
            deaths = list(self.models.services[0].deaths)
        else:
            said = (self.data_dir / "demo.log").read_text("utf-8", "replace")
            found = re.findall(rf"^\[ *([\d.]+) s\] {name}[ 12]* ended", said, re.MULTILINE)
            deaths = [self.began + float(seconds) for seconds in found]
        return sum(time.monotonic() - at < WITHIN_SECONDS for at in deaths)

    def harm(self, name: str, manner: str, chance: random.Random) -> dict[str, object] | None:
        """Do it; what was done, once the part is back. None where there was nothing to do it to."""
        pid = self.pid(name)
        if pid is None:
            return None
        done: dict[str, object] = {"part": name, "manner": manner}
        began = time.monotonic()
        if manner == "stop":
            seconds = round(chance.uniform(1, 6), 1)
            _stop_for(pid, seconds)
            done["seconds"] = seconds
        elif manner in ("kill a process of its pool", "kill a session"):
            victims = _pool(pid) if name.startswith("Worker") else _sessions(pid)
            if not victims:
                return None
            os.kill(chance.choice(victims), signal.SIGKILL)
        else:
            number = signal.SIGKILL if manner == "kill" else signal.SIGINT if name == "PostgreSQL" else signal.SIGTERM
            os.kill(pid, number)
            self._wait_replaced(name, pid)
        self.wait_ready(RECOVERY)
        done["back_after"] = round(time.monotonic() - began, 1)
        return done

    def _wait_replaced(self, name: str, pid: int) -> None:
        deadline = time.monotonic() + RECOVERY
        while self.pid(name) in (None, pid):
            self.look()
            if time.monotonic() > deadline:
                raise CampaignError(f"{name} did not come back within {RECOVERY:g} s")
            time.sleep(0.05)


def _stop_for(pid: int, seconds: float) -> None:
    """Freeze the process with its whole group, as a machine that swaps does, and let it go on."""
    os.killpg(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGCONT)


def _children(pid: int) -> list[int]:
    """The living children of a process, in the order of their start."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return sorted(child for child in found if _command(child))


def _command(pid: int) -> list[str]:
    """The words of a process's command; empty for one that has ended, or is not yet what it is to be."""
    try:
        return [word for word in Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0") if word]
    except OSError:
        return []


def _bears(pid: int, marks: tuple[str, ...]) -> bool:
    words = " ".join(_command(pid))
    return all(mark in words for mark in marks)


def _pool(pid: int) -> list[int]:
    """The processes of a worker's pool, which run the tasks."""
    return [child for child in _children(pid) if "resource_tracker" not in " ".join(_command(child))]


def _sessions(pid: int) -> list[int]:
    """PostgreSQL's processes that serve a client of ours."""
    return [child for child in _children(pid) if embedded.APP in " ".join(_command(child))]
