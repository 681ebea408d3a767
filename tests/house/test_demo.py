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

    def end(self, ending: signal.Signals) -> int:
        if self.process.poll() is None:
            self.process.send_signal(ending)
        return self.process.wait(20)

    @property
    def address(self) -> str:
        return self.wait_for(r"Open (http\S+)")

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


@pytest.fixture(scope="module")
def shared_demonstration() -> Iterator[Running]:
    with tempfile.TemporaryDirectory(prefix="lastro-") as name:
        demonstration = Running(Path(name) / "data", "--no-seed")
        try:
            demonstration.wait_for(r"Open (http\S+)")
            yield demonstration
        finally:
            demonstration.end(signal.SIGTERM)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


def test_it_is_ready_and_every_part_is_a_process(shared_demonstration: Running) -> None:
    assert '"ok"' in get(f"{shared_demonstration.address}/readyz")
    assert len(shared_demonstration.left) >= 8


def test_a_second_start_in_the_same_folder_is_refused(shared_demonstration: Running) -> None:
    said = refused(shared_demonstration.data_dir, "--port", "0")

    assert f"already runs in {shared_demonstration.data_dir} (process {shared_demonstration.process.pid})" in said


def test_other_commands_find_its_servers(shared_demonstration: Running) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--check"],
        cwd=ROOT,
        env=surroundings() | {"DATA_DIR": str(shared_demonstration.data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")


def test_what_is_killed_comes_back_with_a_line(shared_demonstration: Running) -> None:
    # A worker is known by the title that it gives itself once it is up, a moment after the page answers.
    named = time.monotonic() + 60
    while sum("MainProcess" in line for line in shared_demonstration.left) < 2:
        assert time.monotonic() < named, shared_demonstration.left
        time.sleep(0.2)
    for line in shared_demonstration.left:
        pid, words = line.split(" ", 1)
        if any(part in words for part in ("uvicorn", "MainProcess", "postgres -D", "redis-server")):
            os.kill(int(pid), signal.SIGKILL)

    for name in ("Web 1", "Web 2", "Worker 1", "Worker 2", "PostgreSQL", "Redis"):
        shared_demonstration.wait_for(rf"({name}) ended \(signal 9\)")
    deadline = time.monotonic() + 20
    while True:
        try:
            assert '"ok"' in get(f"{shared_demonstration.address}/readyz")
            break
        except OSError:
            assert time.monotonic() < deadline, shared_demonstration.said
            time.sleep(0.2)


def test_it_ends_whole_and_within_10_seconds_and_finds_its_data_after_a_kill(data_dir: Path) -> None:
    first = Running(data_dir, "--no-seed")
    first.wait_for(r"Open (http\S+)")
    first.process.kill()
    first.process.wait()
    first.wait_until_nothing_is_left()

    for ending in (signal.SIGTERM, signal.SIGINT):
        again = Running(data_dir, "--no-seed")
        try:
            again.wait_for(r"Open (http\S+)")
        finally:
            began = time.monotonic()
            status = again.end(ending)
        assert status == 0, again.said
        assert time.monotonic() - began < 10
        assert again.left == []
        assert not (data_dir / "embedded.json").exists()


def test_it_ends_whole_while_it_is_still_starting(data_dir: Path) -> None:
    demonstration = Running(data_dir, "--no-seed")
    demonstration.wait_for(r"(Redis is up)")

    assert demonstration.end(signal.SIGINT) == 0
    assert demonstration.left == []


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
