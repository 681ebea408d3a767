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
# Filled by migrations and needed by Django itself.
TRIES = 5
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
    """Empties every table, whatever triggers and rights say: neither application nor owner may."""

    def __init__(self) -> None:
        self.link = psycopg.connect(settings.POSTGRES.url(embedded.SUPERUSER, settings.TEST_DATABASE), autocommit=True)
        self.link.execute("SET session_replication_role = replica")
        self.link.execute("SET lock_timeout = '20s'")
        rows = self.link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        self.tables = sorted({row[0] for row in rows} - KEPT_TABLES)

    def empty_tables(self) -> None:
        names = sql.SQL(", ").join(map(sql.Identifier, self.tables))
        for _attempt in range(TRIES - 1):
            # A server or a worker may still be in the middle of what the test's last act set off.
            with suppress(psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable):
                self._empty(names)
                return
        self._empty(names)

    def _empty(self, names: sql.Composable) -> None:
        self.link.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(names))

    def close(self) -> None:
        self.link.close()


def empty_redis() -> None:
    """All keys but the queue's bindings, which a running worker made once and posts rely on."""
    with redis.Redis.from_url(settings.REDIS.url) as client:
        keys = [key for key in client.scan_iter(count=1000) if b"_kombu.binding" not in key]
        if keys:
            client.delete(*keys)
