"""Children end with their whole group, and with us, however we end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from atendimento.processes import Child
from atendimento.supervise import KeepsDying, Service, Supervisor

STUBBORN = "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (15, 2)]; print('up', flush=True); time.sleep(60)"


def wait_for(condition: object, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_child_that_ignores_the_request_is_killed_with_its_own_children(tmp_path: Path) -> None:
    start = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {STUBBORN!r}]); print(p.pid, flush=True)"
    script = f"{start}; {STUBBORN}"
    child = Child("stubborn", [sys.executable, "-c", script], log=tmp_path / "log")
    assert wait_for(lambda: child.last_words(5).count("up") == 2)
    grandchild = int(child.last_words(5).split()[0])

    began = time.monotonic()
    child.stop(0.5)

    assert time.monotonic() - began < 3
    assert not child.is_running()
    assert wait_for(lambda: is_gone(grandchild))


def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time, pathlib; from atendimento.processes import Child\n"
        f"print(Child('c', ['sleep', '60'], log=pathlib.Path({str(tmp_path / 'log')!r})).pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": "."}
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert not is_gone(child)

    parent.kill()
    parent.wait()
    parent.stdout.close()

    assert wait_for(lambda: is_gone(child))


def test_what_dies_is_started_again_with_a_line(tmp_path: Path) -> None:
    lines: list[str] = []
    supervisor = Supervisor(lines.append)
    service = Service("Sleeper", lambda: Child("Sleeper", ["sleep", "60"], log=tmp_path / "log"))
    supervisor.start(service)
    assert service.child is not None
    first = service.child.pid
    os.kill(first, signal.SIGKILL)
    service.child.wait(5)

    def looked() -> bool:
        supervisor.look()
        return service.child is not None and service.child.pid != first

    assert wait_for(looked)
    assert lines == ["Sleeper ended (signal 9): no last words. Starting it again"]
    supervisor.stop(3)


def test_what_keeps_dying_ends_the_supervision_with_its_last_words(tmp_path: Path) -> None:
    lines: list[str] = []
    supervisor = Supervisor(lines.append)
    supervisor.start(Service("Broken", lambda: Child("Broken", ["sh", "-c", "echo no disk; exit 3"], log=tmp_path / "log")))

    def looks() -> bool:
        supervisor.look()
        return False

    with pytest.raises(KeepsDying, match=r"Broken ended \(exit 3\): no disk. It keeps ending"):
        wait_for(looks, 30)
    assert len(lines) == 4
    supervisor.stop(1)


def test_a_service_that_worked_for_a_while_before_each_death_is_started_again_however_often(tmp_path: Path) -> None:
    lines: list[str] = []
    supervisor = Supervisor(lines.append, long_life=0.1)
    command = [sys.executable, "-c", "import time; time.sleep(0.3); raise SystemExit('hit from outside')"]
    supervisor.start(Service("Worker", lambda: Child("worker", command, log=tmp_path / "log")))

    def died_often() -> bool:
        supervisor.look()
        return len(lines) >= 7

    assert wait_for(died_often, 60)
    supervisor.stop(1)
