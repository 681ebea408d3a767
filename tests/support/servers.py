"""The run's PostgreSQL, this worker's database in it, and this worker's Redis."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import redis
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from atendimento import embedded
from tests import settings

TEMPLATE = "lastro_template"
TRIES = 5
LARGE = 2**20  # bytes
SEQUENCES = """
SELECT relation.relname, sequence.oid::regclass::text
FROM pg_class AS sequence
JOIN pg_depend ON pg_depend.objid = sequence.oid AND pg_depend.deptype IN ('a', 'i')
JOIN pg_class AS relation ON relation.oid = pg_depend.refobjid
WHERE sequence.relkind = 'S'
"""
# Filled by migrations and needed by Django itself.
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def start_postgres() -> None:
    embedded.prepare_folder(settings.RUN_DIR)
    settings.POSTGRES.start()
    settings.POSTGRES.ensure_roles()


def stop_postgres() -> None:
    if settings.POSTGRES.child is not None:
        settings.POSTGRES.child.stop()
        settings.POSTGRES.child = None
    shutil.rmtree(settings.RUN_DIR, ignore_errors=True)
    if settings.POSTGRES.sockets != settings.RUN_DIR / "run":
        shutil.rmtree(settings.POSTGRES.sockets, ignore_errors=True)


def start_redis() -> None:
    embedded.prepare_folder(settings.RUN_DIR / settings.WORKER)
    settings.REDIS.start(settings.REDIS.port)


def stop_redis() -> None:
    if settings.REDIS.child is not None:
        settings.REDIS.child.stop(2)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_database() -> None:
    """This worker's database, copied from one that the first worker migrates, as the owner, once a run."""
    with alone(settings.RUN_DIR / "template.lock"):
        if settings.POSTGRES.ensure_database(TEMPLATE):
            owner = connections["owner"]
            name, owner.settings_dict["NAME"] = owner.settings_dict["NAME"], TEMPLATE
            try:
                call_command("migrate", database="owner", verbosity=0, interactive=False)
            finally:
                owner.close()
                owner.settings_dict["NAME"] = name
        settings.POSTGRES.ensure_database(settings.TEST_DATABASE, template=TEMPLATE)


class Cleaner:
    """Empties every table, whatever triggers and rights say: neither application nor owner may.

    Most tests write a handful of rows into a dozen of tables. To delete those is many times quicker than to truncate
    all tables with all their indexes; what is large is truncated.
    """

    def __init__(self) -> None:
        self.link = psycopg.connect(settings.POSTGRES.url(embedded.SUPERUSER, settings.TEST_DATABASE), autocommit=True)
        self.link.execute("SET session_replication_role = replica")  # no triggers, the keys' own included
        self.link.execute("SET lock_timeout = '20s'")
        rows = self.link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        self.tables = sorted({row[0] for row in rows} - KEPT_TABLES)
        self.sequences: dict[str, list[str]] = {}
        for table, sequence in self.link.execute(SEQUENCES).fetchall():
            self.sequences.setdefault(table, []).append(sequence)
        sizes = [
            sql.SQL("SELECT {}, pg_relation_size({}) WHERE EXISTS (SELECT FROM {})").format(
                sql.Literal(table), sql.Literal(table), sql.Identifier(table)
            )
            for table in self.tables
        ]
        self.filled = sql.SQL(" UNION ALL ").join(sizes)
        self.lock = sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.SQL(", ").join(map(sql.Identifier, self.tables)))

    def empty_tables(self) -> None:
        for _attempt in range(TRIES - 1):
            # A server or a worker may still be in the middle of what the test's last act set off.
            with suppress(psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable):
                self._empty()
                return
        self._empty()

    def _empty(self) -> None:
        with self.link.transaction():
            self.link.execute(self.lock)  # whoever writes still is waited for
            for table, size in self.link.execute(self.filled, prepare=True).fetchall():
                name = sql.Identifier(table)
                if size > LARGE:
                    self.link.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(name))
                    continue
                self.link.execute(sql.SQL("DELETE FROM {}").format(name))
                for sequence in self.sequences.get(table, ()):
                    self.link.execute("SELECT setval(%s::regclass, 1, false)", [sequence])

    def close(self) -> None:
        self.link.close()


def empty_redis() -> None:
    """All keys but the queue's bindings, which a running worker made once and posts rely on."""
    with redis.Redis.from_url(settings.REDIS.url) as client:
        keys = [key for key in client.scan_iter(count=1000) if b"_kombu.binding" not in key]
        if keys:
            client.delete(*keys)
