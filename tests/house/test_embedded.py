"""The embedded servers start, lock their doors, and come back after a kill."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from atendimento import embedded


@pytest.fixture
def folder() -> Iterator[Path]:
    # Short, because pytest's own folders may be too long for a socket; that case has a test of its own.
    with tempfile.TemporaryDirectory(prefix="lastro-") as name:
        yield Path(name)


@pytest.fixture
def postgres(folder: Path) -> Iterator[embedded.Postgres]:
    server = started(folder)
    yield server
    if server.child is not None:
        server.child.stop(3)


def started(folder: Path) -> embedded.Postgres:
    embedded.prepare_folder(folder)
    # Not the fast and lossy settings: what was committed must outlive the server.
    server = embedded.Postgres(folder, embedded.load_secrets(folder))
    server.start()
    server.ensure_roles()
    server.ensure_database()
    return server


def test_each_role_has_its_rights_and_no_more(postgres: embedded.Postgres) -> None:
    with psycopg.connect(postgres.url(embedded.OWNER)) as owner:
        owner.execute("CREATE TABLE note (id int GENERATED ALWAYS AS IDENTITY, text text, near vector(2))")

    with psycopg.connect(postgres.url(embedded.APP), autocommit=True) as app:
        app.execute("INSERT INTO note (text, near) VALUES ('a', '[1,2]')")
        app.execute("UPDATE note SET text = 'b'")
        assert app.execute("SELECT text FROM note").fetchone() == ("b",)
        for forbidden in ("TRUNCATE note", "DROP TABLE note", "CREATE TABLE other ()", "ALTER ROLE lastro_app BYPASSRLS"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute(forbidden)


def test_a_wrong_password_is_refused(postgres: embedded.Postgres) -> None:
    wrong = embedded.Postgres(postgres.home.parent, dict.fromkeys(embedded.SECRET_NAMES, "guessed"))

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong.url(embedded.APP))


def test_secrets_are_made_once_and_readable_by_nobody_else(folder: Path) -> None:
    first = embedded.load_secrets(folder)

    assert embedded.load_secrets(folder) == first
    assert len(set(first.values())) == len(embedded.SECRET_NAMES)
    assert stat.S_IMODE((folder / "secrets.json").stat().st_mode) == 0o600


def test_the_data_outlives_a_kill_of_everything(folder: Path, postgres: embedded.Postgres) -> None:
    with psycopg.connect(postgres.url(embedded.OWNER)) as owner:
        owner.execute("CREATE TABLE kept AS SELECT 7 AS number")
    assert postgres.child is not None
    postgres.child.signal_group(signal.SIGKILL)
    postgres.child.wait(5)

    again = started(folder)

    try:
        with psycopg.connect(again.url(embedded.OWNER)) as owner:
            assert owner.execute("SELECT number FROM kept").fetchone() == (7,)
    finally:
        assert again.child is not None
        again.child.stop(3)


def test_a_number_left_by_a_crash_that_is_another_process_now_stops_nothing(folder: Path, postgres: embedded.Postgres) -> None:
    assert postgres.child is not None
    postgres.child.stop(3)
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        left = postgres.home / "postmaster.pid"
        left.write_text(f"{bystander.pid}\n{postgres.home}\n1\n5432\n\n\n\nready\n")
        os.chown(left, postgres.who.uid, postgres.who.gid)

        again = started(folder)
        assert again.child is not None
        again.child.stop(3)

        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_server_that_an_earlier_start_left_running_is_ended_first(folder: Path, postgres: embedded.Postgres) -> None:
    again = started(folder)

    assert again.child is not None
    assert postgres.child is not None
    assert postgres.child.wait(1)
    again.child.stop(3)


def test_a_long_path_gets_a_short_socket() -> None:
    with tempfile.TemporaryDirectory(prefix="lastro-") as name:
        folder = Path(name) / ("long-" * 20)
        server = started(folder)
        try:
            assert server.sockets.parent == Path(tempfile.gettempdir())
            with psycopg.connect(server.url(embedded.APP)) as app:
                assert app.execute("SELECT 1").fetchone() == (1,)
        finally:
            assert server.child is not None
            server.child.stop(3)
            server.sockets.rmdir()


def test_a_path_that_is_too_long_everywhere_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    monkeypatch.setattr(tempfile, "tempdir", str(long))

    with pytest.raises(embedded.EmbeddedError, match=r"TMPDIR: .* too long for a socket"):
        embedded.socket_folder(long)


def test_a_socket_folder_of_someone_else_is_not_used(folder: Path) -> None:
    embedded.prepare_folder(folder)
    (folder / "run").symlink_to("/")
    server = embedded.Postgres(folder, embedded.load_secrets(folder), embedded.FAST_AND_LOSSY)

    with pytest.raises(embedded.EmbeddedError, match="belongs to someone else"):
        server.start()


def test_a_data_folder_that_is_a_file_is_said_in_one_line(folder: Path) -> None:
    (folder / "file").touch()

    with pytest.raises(embedded.EmbeddedError, match="cannot be written to"):
        embedded.prepare_folder(folder / "file")


def test_a_missing_program_is_named() -> None:
    assert embedded.program("psql").exists()
    with pytest.raises(embedded.EmbeddedError, match="pg_nothing is missing"):
        embedded.program("pg_nothing")


def test_redis_keeps_its_data_over_a_kill_and_asks_for_its_password(folder: Path) -> None:
    embedded.prepare_folder(folder)
    server = embedded.Redis(folder, "secret")
    server.start()
    assert server.child is not None
    with redis.Redis.from_url(server.url) as client:
        client.set("kept", "yes")
    time.sleep(1.2)  # the append-only file goes to disk once a second
    server.child.signal_group(signal.SIGKILL)
    server.child.wait(5)

    server.start(server.port)

    with redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"yes"
    with redis.Redis(port=server.port, retry=embedded.NO_RETRY) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()
    server.child.stop(3)
