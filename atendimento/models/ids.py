"""Public ids: opaque, and ordered by the time they were made, so that indexes grow at one end."""

from __future__ import annotations

import os
import time
import uuid


def new_id() -> uuid.UUID:
    """A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then random bits."""
    number = int.from_bytes(os.urandom(16))
    number &= (1 << 80) - 1
    number |= (time.time_ns() // 1_000_000) << 80
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=number)
