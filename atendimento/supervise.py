"""Keep a set of services running: start them, start again what dies, end them all in order.

A service that dies soon after each start is no accident that a restart mends; then supervising ends with the reason.
One that worked for a while and then died was met by something from outside: it is started again, however often.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from atendimento.processes import Child, stop_all

MOST_DEATHS = 5
WITHIN_SECONDS = 180.0  # a slow machine takes long over each of five starts
LONG_LIFE = 30.0  # seconds; after a life as long as this, earlier deaths count no more


class KeepsDying(Exception):
    """One line: which service, and its last words."""


@dataclass(slots=True)
class Service:
    name: str
    start: Callable[[], Child]
    layer: int = 1  # higher layers end first: what uses a database before the database
    child: Child | None = None
    born: float = 0.0
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_DEATHS))
    restart_at: float | None = None


class Supervisor:
    def __init__(self, say: Callable[[str], None], long_life: float = LONG_LIFE) -> None:
        self.say = say
        self.long_life = long_life
        self.services: list[Service] = []

    def start(self, service: Service) -> None:
        # Listed first: should the start itself be interrupted, the service is still among those to end.
        self.services.append(service)
        self._bear(service)

    def look(self) -> None:
        """One look at every service; what died is started again, a little later each time."""
        now = time.monotonic()
        for service in self.services:
            if service.restart_at is not None:
                if now >= service.restart_at:
                    service.restart_at = None
                    self._bear(service)
            elif service.child is not None and not service.child.is_running():
                self._note_death(service, service.child, now)

    def _bear(self, service: Service) -> None:
        service.child = service.start()
        service.born = time.monotonic()

    def _note_death(self, service: Service, child: Child, now: float) -> None:
        # What the dead process itself had started must not go on beside its successor.
        stop_all([child], 0)
        if now - service.born >= self.long_life:
            service.deaths.clear()
        service.deaths.append(now)
        reason = f"{service.name} ended ({how_it_ended(child.process.returncode)}): {child.last_words() or 'no last words'}"
        if len(service.deaths) == MOST_DEATHS and now - service.deaths[0] < WITHIN_SECONDS:
            raise KeepsDying(f"{reason}. It keeps ending; more in {child.log}")
        wait = 0.2 * 2 ** (sum(now - death < WITHIN_SECONDS for death in service.deaths) - 1)
        self.say(f"{reason}. Starting it again")
        service.restart_at = now + wait

    def stop(self, seconds: float = 9.0) -> None:
        """End everything within `seconds`, layer by layer."""
        deadline = time.monotonic() + seconds
        layers = sorted({service.layer for service in self.services}, reverse=True)
        for number, layer in enumerate(layers):
            children = [service.child for service in self.services if service.layer == layer and service.child is not None]
            # Each layer leaves a little time for those below it, or a slow worker would cost the database its clean end.
            stop_all(children, deadline - time.monotonic() - 2.0 * (len(layers) - 1 - number))
        self.services.clear()


def how_it_ended(status: int) -> str:
    return f"exit {status}" if status >= 0 else f"signal {-status}"


def wait_until(ready: Callable[[], bool], children: Callable[[], Iterable[Child]], seconds: float) -> bool:
    """Wait for `ready`, but no longer than the children live."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if ready():
            return True
        if any(not child.is_running() for child in children()):
            return False
        time.sleep(0.05)
    return False
