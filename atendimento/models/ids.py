"""Public ids: opaque, and ordered by the time they were made, so that indexes grow at one end."""

from __future__ import annotations

import os
import threading
import time
import uuid

_lock = threading.Lock()
_last = 0


def _tick() -> int:
    """The time in 1/4096 ms, later than every tick before in this process: rows made together keep their order."""
    global _last  # noqa: PLW0603 - the one thing that a process must remember for this
    with _lock:
        _last = max(_last + 1, time.time_ns() * 4096 // 1_000_000)
        return _last


def new_id() -> uuid.UUID:
    """A UUID of version 7 (RFC 9562, §6.2 method 3): 48 bits of milliseconds, 12 of their fraction, then random bits."""
    milliseconds, fraction = divmod(_tick(), 4096)
    noise = int.from_bytes(os.urandom(8)) & ((1 << 62) - 1)
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0x2 << 62 | noise)
