"""Tries the mutants of a prepared folder: the tests are collected once, and each mutant runs in a fork of that.

    python benchmarks/mutation_trial.py FOLDER WORKERS PATIENCE

The folder holds `memoria` with mutmut's mutants, `tests`, and `mutants.json`: their names. Of each mutant run the tests
that reach its function until one fails: first those that found others, there or elsewhere, then the quickest. Outcomes go
to `outcomes.json`, by name: `killed` (with the test that did), `timeout`, `survived`, `unreached`, or `undecided` where
PATIENCE seconds of a processor were not enough. Exits non-zero where the tests fail without any mutant.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

SECONDS = 5
"""Of a processor, for one test: some mutants make a loop endless. None takes a tenth of that."""

KILLED, SURVIVED, UNDECIDED = 1, 0, 3


class Trial:
    """Stands in for pytest's own loop over the tests."""

    def __init__(self, folder: Path, workers: int, patience: float) -> None:
        self.folder = folder
        self.workers = workers
        self.patience = patience
        self.names: list[str] = json.loads((folder / "mutants.json").read_text("utf-8"))
        self.outcomes: dict[str, str] = {}
        self.running: dict[int, tuple[str, list[Any], int]] = {}  # by process id: mutant, its tests, a pipe's end
        self.found: dict[str, Counter[str]] = {}  # by function: how many mutants each test has found
        self.ever: Counter[str] = Counter()  # the same, anywhere

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        reached = self._reached(session.items)
        set_mutant_under_test("")
        gc.collect()
        gc.freeze()  # what is shared with the forks stays shared
        for name in self.names:
            function = name.rpartition("__mutmut_")[0]
            tests = reached.get(function, [])
            if not tests:
                self.outcomes[name] = "unreached"
                continue
            while len(self.running) >= self.workers:
                self._await_one()
            here = self.found.setdefault(function, Counter())
            self._start(name, sorted(tests, key=lambda item: (-here[item.nodeid], -self.ever[item.nodeid])))
        while self.running:
            self._await_one()
        self._save()
        return True

    def _reached(self, items: list[Any]) -> dict[str, list[Any]]:
        """The tests that reach each function, the quickest first. A test that fails now ends it all."""
        found: dict[str, list[tuple[float, int, Any]]] = {}
        for number, item in enumerate(items):
            set_mutant_under_test("stats")
            state()._stats.clear()  # noqa: SLF001 - mutmut tells it nowhere else
            started = time.perf_counter()
            failed = [report for report in runtestprotocol(item, log=False, nextitem=None) if report.failed]
            took = time.perf_counter() - started
            if failed:
                raise SystemExit(f"fails without any mutant: {item.nodeid}\n{failed[0].longreprtext}")
            for function in state()._stats:  # noqa: SLF001
                found.setdefault(function, []).append((took, number, item))
        return {function: [item for _, _, item in sorted(tests)] for function, tests in found.items()}

    def _start(self, name: str, tests: list[Any]) -> None:
        reading, writing = os.pipe()
        process = os.fork()
        if process:
            os.close(writing)
            self.running[process] = (name, tests, reading)
            return
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.disable()  # it ends soon
        set_mutant_under_test(name)
        started = time.process_time()
        for number, item in enumerate(tests):
            if time.process_time() - started > self.patience:
                os._exit(UNDECIDED)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # whose signal ends the process
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=None)):
                os.write(writing, str(number).encode())
                os._exit(KILLED)
        os._exit(SURVIVED)

    def _await_one(self) -> None:
        process, status = os.wait()
        name, tests, reading = self.running.pop(process)
        number = os.read(reading, 20).decode()
        os.close(reading)
        code = os.waitstatus_to_exitcode(status)
        if code == KILLED and number:
            test = tests[int(number)].nodeid
            self.found[name.rpartition("__mutmut_")[0]][test] += 1
            self.ever[test] += 1
            self.outcomes[name] = f"killed by {test}"
        elif code == KILLED:
            self.outcomes[name] = "killed"
        else:
            self.outcomes[name] = {SURVIVED: "survived", UNDECIDED: "undecided"}.get(code, "timeout")
        if len(self.outcomes) % 20 == 0:
            self._save()

    def _save(self) -> None:
        (self.folder / "outcomes.json").write_text(json.dumps(self.outcomes, indent=1), "utf-8")


def main() -> int:
    folder, workers, patience = Path(sys.argv[1]).resolve(), int(sys.argv[2]), float(sys.argv[3])
    os.chdir(folder)
    sys.path[0] = str(folder)
    return int(pytest.main(sys.argv[4:], [Trial(folder, workers, patience)]))


if __name__ == "__main__":
    sys.exit(main())
