"""Child processes that cannot be left behind: each in a group of its own, ended as a whole, and gone when we are.

Used by the demonstration and the tests. Nothing here knows Django.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1


def _load_prctl() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    # Loaded here, before any fork: between fork and exec nothing may allocate or take a lock.
    library = ctypes.CDLL(None, use_errno=True)
    return library.prctl


_prctl = _load_prctl()


# What a person or a service manager asks us to end by; its handlers raise, at any line.
ENDING = frozenset({signal.SIGINT, signal.SIGTERM})


def die_with_parent(death_signal: signal.Signals, parent: int, mask: Iterable[int]) -> Callable[[], None]:
    """For Popen's preexec_fn: the kernel signals the child when the process that started it ends, however it ends."""

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if _prctl is not None:
            _prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
            # The parent may have died between fork and the call above; then no signal would ever come.
            if os.getppid() != parent:
                os._exit(1)

    return prepare


class Child:
    """A started process with its log file; `output` takes what it prints, where that is to be told from its log."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        output: Path | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.process: subprocess.Popen[bytes]
        self.name = name
        self.log = log
        self.stop_signal = stop_signal
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors, (output or log).open("ab") as printed:
            self.log_start = errors.tell()
            # Held back until the child is noted: an interruption between the two would leave it to nobody.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
            try:
                self.process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=errors,
                    env=None if env is None else dict(env),
                    cwd=cwd,
                    start_new_session=True,
                    pass_fds=tuple(pass_fds),
                    preexec_fn=die_with_parent(stop_signal, os.getpid(), mask),  # noqa: PLW1509 -- system calls, no lock
                )
                _started[:] = [child for child in _started if child.is_running()] + [self]
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_running(self) -> bool:
        return self.process.poll() is None

    def last_words(self, lines: int = 1) -> str:
        """The end of what it wrote since this start, for the line that says why it died."""
        with self.log.open("rb") as written:
            written.seek(self.log_start)
            text = written.read()[-20_000:].decode("utf-8", "replace")
        return "\n".join([line for line in text.splitlines() if line.strip()][-lines:])

    def signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def ask_to_stop(self) -> None:
        if self.is_running():
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, self.stop_signal)

    def wait(self, seconds: float) -> bool:
        try:
            self.process.wait(max(seconds, 0.01))
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self, seconds: float = 8.0) -> None:
        stop_all([self], seconds)


# Every child of this process that may still run.
_started: list[Child] = []


def stop_forgotten(seconds: float = 2.0) -> None:
    """End what was started and reached no list, because we were interrupted in that moment."""
    stop_all([child for child in _started if child.is_running()], seconds)


def stop_all(children: Sequence[Child], seconds: float = 8.0) -> None:
    """Ask every child at once, wait for all under one deadline, then kill what is left of their groups."""
    deadline = time.monotonic() + seconds
    for child in children:
        child.ask_to_stop()
    for child in children:
        child.wait(deadline - time.monotonic())
    for child in children:
        # Also where the child itself ended well: one of its own children may have stayed.
        child.signal_group(signal.SIGKILL)
        child.wait(2.0)


def working_folder(pid: int) -> Path | None:
    """Where a process works, if that can be known: how a server left over from an earlier run is recognised."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def end_leftover(pid: int, folder: Path, stop_signal: signal.Signals, seconds: float = 10.0) -> bool:
    """End the server of an earlier run that still works in `folder`. False when it does not end.

    The number alone proves nothing: after a crash the system may have given it to another process.
    """
    deadline = time.monotonic() + seconds
    asked = False
    while working_folder(pid) == folder:
        if time.monotonic() > deadline:
            return False
        if not asked:
            asked = True
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, stop_signal)
        time.sleep(0.05)
    return True
