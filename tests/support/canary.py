"""Looking for a word everywhere: every column of every table, every key of Redis, every file of the data folder."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import redis
from django.contrib.sessions.backends.db import SessionStore
from psycopg import sql

from atendimento import embedded
from tests import settings

CANARY = "zqcanario"
"""A word that nothing else holds: ASCII and small letters, so that no folding and no escaping can hide it."""


def columns(link: psycopg.Connection) -> list[tuple[str, str, str, bool]]:
    """Every column of every table: (table, column, type, whether the database works it out by itself)."""
    rows = link.execute(
        "SELECT c.table_name, c.column_name, c.data_type, c.is_generated = 'ALWAYS' FROM information_schema.columns c"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, 2"
    )
    return [(str(table), str(column), str(kind), bool(made)) for table, column, kind, made in rows]


def superuser() -> psycopg.Connection:
    return psycopg.connect(settings.POSTGRES.url(embedded.SUPERUSER, settings.TEST_DATABASE), autocommit=True)


def in_database(word: str = CANARY) -> set[str]:
    """Where the database holds the word, as `table.column`: as text whatever the type, in bytes, and in sessions."""
    found = set()
    with superuser() as link:
        for table, column, kind, _made in columns(link):
            name = sql.Identifier(column)
            text = sql.SQL("encode({}, 'escape')").format(name) if kind == "bytea" else sql.SQL("{}::text").format(name)
            held = sql.SQL("SELECT 1 FROM {} WHERE lower({}) LIKE {} LIMIT 1")
            if link.execute(held.format(sql.Identifier(table), text, sql.Literal(f"%{word}%"))).fetchone():
                found.add(f"{table}.{column}")
        for (data,) in link.execute("SELECT session_data FROM django_session"):
            opened = SessionStore().decode(str(data))
            if word in json.dumps(opened, default=str).casefold():
                found.add("django_session.session_data")
    return found


def in_redis(word: str = CANARY) -> set[str]:
    """The keys of Redis that hold the word, in their name or in what they hold, plain or in base64 (Celery's bodies)."""
    needles = [word.encode(), *(_in_base64(word.encode(), shift) for shift in range(3))]
    with redis.Redis.from_url(settings.REDIS.url) as client:
        return {
            key.decode(errors="replace")
            for key in client.scan_iter(count=1000)
            if any(needle in text for needle in needles for text in _held(client, key))
        }


def _in_base64(word: bytes, shift: int) -> bytes:
    """The letters that stand for the word, and for nothing beside it, where it begins `shift` bytes into a group of three."""
    packed = base64.b64encode(b"x" * shift + word)
    return packed[4 if shift else 0 : -4 if (shift + len(word)) % 3 else None]


def _held(client: Any, key: bytes) -> Iterator[bytes]:
    yield key.lower()
    read: dict[bytes, Callable[[], Any]] = {
        b"string": lambda: [client.get(key)],
        b"list": lambda: client.lrange(key, 0, -1),
        b"set": lambda: client.smembers(key),
        b"zset": lambda: client.zrange(key, 0, -1),
        b"hash": lambda: [*client.hgetall(key).keys(), *client.hgetall(key).values()],
        b"stream": lambda: [value for _id, fields in client.xrange(key) for value in fields.values()],
    }
    for held in read[client.type(key)]():
        text = bytes(held or b"")
        yield text
        yield text.lower()


def in_files(word: str = CANARY) -> set[str]:
    """The files of the data folder that hold the word. The database's own are its business (see docs/operations.md)."""
    folder = settings.RUN_DIR
    needle = word.encode()
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and settings.POSTGRES.home not in path.parents and needle in path.read_bytes().lower()
    }


def everywhere(word: str = CANARY) -> set[str]:
    return in_database(word) | in_redis(word) | in_files(word)
