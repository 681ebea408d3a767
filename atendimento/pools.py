"""One pool of connections to Redis for a process's cache, whichever thread asks.

Django keeps a cache's client for each thread, and under ASGI each request has a thread of its own: each would open a
connection, and leave it to the garbage collector.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import redis


class SharedPool(redis.ConnectionPool):
    """For the cache's `pool_class`."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> redis.ConnectionPool:  # type: ignore[override] # the process's own, whoever asks
        return _pool(url, tuple(sorted(options.items())))


@lru_cache(maxsize=4)
def _pool(url: str, options: tuple[tuple[str, Any], ...]) -> redis.ConnectionPool:
    return redis.ConnectionPool.from_url(url, **dict(options))
