"""When each token was used last: kept in Redis beside the count of its requests, so that a reading call writes no row.

What is not known (never used, Redis emptied or away) is left out; nothing is decided by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import redis
import structlog

from atendimento import jobs

log = structlog.get_logger("atendimento.token_use")
KEPT = 400 * 24 * 60 * 60  # seconds


def _key(token_id: int | None) -> str:
    return f"lastro:token:{token_id}:used"


def note(pipeline: Any, token_id: int | None, second: int) -> None:
    """Have this pipeline also write down that the token was used."""
    pipeline.set(_key(token_id), second, ex=KEPT)


def last_uses(token_ids: Iterable[int]) -> dict[int, datetime]:
    """The last use of each token for which it is known."""
    ids = list(token_ids)
    if not ids:
        return {}
    try:
        found: list[Any] = jobs.connection().mget([_key(token_id) for token_id in ids])
    except redis.RedisError as error:
        log.warning("last uses not read", error=type(error).__name__)
        return {}
    return {token: datetime.fromtimestamp(int(second), UTC) for token, second in zip(ids, found, strict=True) if second}
