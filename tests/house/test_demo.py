"""The demonstration starts with one command, says what is wrong in one line, and leaves no process behind."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.leftovers import left_behind

ROOT = Path(__file__).resolve().parents[2]
MARK = "LASTRO_TEST_MARK"
NOT_INHERITED = re.compile("DATABASE_|REDIS_|OPENAI_|DATA_DIR|SECRET_KEY|DJANGO_|LASTRO_|ALLOWED_|PYTEST|MODEL_|LOG_LEVEL")


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lastro-") as name:
        yield Path(name) / "data"


def surroundings(mark: str = "") -> dict[str, str]:
    """A user's environment: nothing of the test run's servers."""
    return {name: value for name, value in os.environ.items() if not NOT_INHERITED.match(name)} | {MARK: mark}


def command(data_dir: Path, *arguments: str) -> list[str]:
    return [sys.executable, "manage.py", "demo", "--data-dir", str(data_dir), *arguments]


def refused(data_dir: Path, *arguments: str) -> str:
    result = subprocess.run(
        command(data_dir, *arguments), cwd=ROOT, env=surroundings(), capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 1, result.stdout
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


class Running:
    """A started demonstration and what it has said so far."""

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        self.data_dir = data_dir
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self.output = data_dir.parent / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                command(data_dir, "--port", "0", *arguments),
                cwd=ROOT,
                env=surroundings(self.mark),
                stdout=output,
                stderr=output,
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    @property
    def left(self) -> list[str]:
        return left_behind(f"{MARK}={self.mark}", self.data_dir)

    def wait_for(self, pattern: str, seconds: float = 90) -> str:
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.said)):
            assert time.monotonic() < deadline, f"{pattern!r} was not said:\n{self.said}"
            assert self.process.poll() is None, f"it ended:\n{self.said}"
            time.sleep(0.05)
        return found.group(1)

    def wait_until_nothing_is_left(self, seconds: float = 15) -> None:
        deadline = time.monotonic() + seconds
        while left := self.left:
            assert time.monotonic() < deadline, left
            time.sleep(0.1)


@pytest.fixture
def running(data_dir: Path) -> Iterator[Running]:
    demonstration = Running(data_dir, "--no-seed")
    yield demonstration
    if demonstration.process.poll() is None:
        demonstration.process.send_signal(signal.SIGTERM)
        demonstration.process.wait(15)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_asked_to_stop_and_leaves_no_process(running: Running, ending: signal.Signals) -> None:
    address = running.wait_for(r"Open (http\S+)")
    assert '"ok"' in get(f"{address}/readyz")
    assert len(running.left) >= 8

    began = time.monotonic()
    running.process.send_signal(ending)

    assert running.process.wait(15) == 0
    assert time.monotonic() - began < 10
    assert running.left == []
    assert not (running.data_dir / "embedded.json").exists()


def test_a_second_start_in_the_same_folder_is_refused(running: Running) -> None:
    running.wait_for(r"(PostgreSQL is up)")

    assert f"already runs in {running.data_dir} (process {running.process.pid})" in refused(running.data_dir, "--port", "0")


def test_other_commands_find_its_servers(running: Running) -> None:
    running.wait_for(r"Open (http\S+)")

    result = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--check"],
        cwd=ROOT,
        env=surroundings() | {"DATA_DIR": str(running.data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")


def test_what_is_killed_comes_back_with_a_line(running: Running) -> None:
    address = running.wait_for(r"Open (http\S+)")
    for line in running.left:
        pid, words = line.split(" ", 1)
        if "uvicorn" in words or "postgres -D" in words or "redis-server" in words:
            os.kill(int(pid), signal.SIGKILL)

    for name in ("Web 1", "Web 2", "PostgreSQL", "Redis"):
        running.wait_for(rf"({name}) ended \(signal 9\)")
    deadline = time.monotonic() + 20
    while True:
        try:
            assert '"ok"' in get(f"{address}/readyz")
            break
        except OSError:
            assert time.monotonic() < deadline, running.said
            time.sleep(0.2)


def test_its_own_kill_leaves_no_orphans_and_the_next_start_finds_the_data(running: Running) -> None:
    running.wait_for(r"Open (http\S+)")
    running.process.kill()
    running.process.wait()

    running.wait_until_nothing_is_left()
    again = Running(running.data_dir, "--no-seed")
    try:
        again.wait_for(r"Open (http\S+)")
    finally:
        again.process.send_signal(signal.SIGTERM)
        again.process.wait(15)
    assert again.left == []


def test_a_taken_port_is_named(data_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert f"port {port} on 127.0.0.1 is taken" in refused(data_dir, "--port", str(port))


def test_an_address_of_another_machine_is_refused(data_dir: Path) -> None:
    assert "cannot listen on 192.0.2.1" in refused(data_dir, "--host", "192.0.2.1", "--port", "0")


def test_a_folder_that_cannot_be_written_to_is_named(data_dir: Path) -> None:
    data_dir.parent.joinpath("file").touch()

    assert "cannot be written to" in refused(data_dir.parent / "file" / "data")


def test_a_path_beyond_all_limits_is_one_line(data_dir: Path) -> None:
    assert "File name too long" in refused(data_dir / ("x" * 300))


def test_the_lock_of_a_folder_is_free_after_its_holder(data_dir: Path) -> None:
    refused(data_dir, "--host", "192.0.2.1")

    with (data_dir / "demo.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_bad_port_is_a_usage_error(data_dir: Path) -> None:
    result = subprocess.run(
        command(data_dir, "--port", "70000"), cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=False
    )

    assert result.returncode == 2
    assert "a port is a number from 0 to 65535" in result.stderr
