"""Locks of a database session: held beside any transaction, and gone the moment their holder is, however it died."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import DatabaseError, InterfaceError, connection

log = structlog.get_logger("atendimento.locks")


@contextmanager
def held(*key: int) -> Iterator[bool]:
    """Whether the lock of this key (one number of 64 bits, or two of 32) is ours; it is while the block runs."""
    ours = take(*key)
    try:
        yield ours
    finally:
        if ours:
            let_go(*key)


def take(*key: int) -> bool:
    """Take the lock of this key if nobody holds it, without waiting."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({_marks(key)})", key)
        (taken,) = cursor.fetchone()
    return bool(taken)


def let_go(*key: int) -> None:
    """Give the lock back. Where that fails the connection is given up, and the lock with it.

    Raises nothing: an error may be under way, and that is the one to hear of.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_unlock({_marks(key)})", key)
    except (DatabaseError, InterfaceError) as error:
        log.warning("lock not given back", error=type(error).__name__)
        connection.close()


def _marks(key: tuple[int, ...]) -> str:
    return ", ".join(["%s"] * len(key))
