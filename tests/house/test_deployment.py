"""What containers run is what is tested: the compose file, the shell script and the collected static files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import yaml

from atendimento import embedded

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def test_the_parts_of_the_product_are_all_there() -> None:
    assert {"web", "worker", "beat", "migrate", "postgres", "redis"} <= COMPOSE["services"].keys()


def test_nothing_starts_before_the_tables_are_in_place() -> None:
    for name in ("web", "worker", "beat"):
        assert COMPOSE["services"][name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_every_secret_must_be_given() -> None:
    text = (ROOT / "docker-compose.yml").read_text()

    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "OWNER_PASSWORD", "APP_PASSWORD", "REDIS_PASSWORD"):
        assert f"${{{name}:?" in text


def test_mounted_files_exist() -> None:
    mounts = [volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service.get("volumes", [])]

    assert [mount for mount in mounts if mount.startswith("./") and not (ROOT / mount).exists()] == []


def test_the_image_copies_what_there_is() -> None:
    copied = re.findall(r"^COPY (?!--)(\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

    assert [name for name in copied if not (ROOT / name).exists()] == []


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lastro-") as name:
        embedded.prepare_folder(Path(name))
        yield Path(name)


def test_the_script_of_the_container_makes_the_roles_that_the_rights_need(folder: Path) -> None:
    server = embedded.Postgres(folder, embedded.load_secrets(folder), embedded.FAST_AND_LOSSY)
    server.start()
    try:
        environment = {
            "PATH": f"{embedded.POSTGRES_PROGRAMS}:{os.environ['PATH']}",
            "PGHOST": str(server.sockets),
            "PGPASSWORD": server.passwords["postgres"],
            "POSTGRES_USER": embedded.SUPERUSER,
            "POSTGRES_DB": "postgres",
            "OWNER_PASSWORD": server.passwords["owner"],
            "APP_PASSWORD": server.passwords["app"],
        }
        subprocess.run(["bash", str(ROOT / "docker" / "roles.sh")], env=environment, check=True, capture_output=True)
        assert server.ensure_database()
        with psycopg.connect(server.url(embedded.APP)) as app:
            row = app.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
        assert row == (False,)
    finally:
        assert server.child is not None
        server.child.stop(3)


def test_static_files_are_collected_under_names_that_change_with_their_content(tmp_path: Path) -> None:
    surroundings = {"PATH": os.environ["PATH"], "STATIC_ROOT": str(tmp_path / "static"), "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=surroundings, check=True)

    manifest = json.loads((tmp_path / "static" / "staticfiles.json").read_text())
    assert manifest["paths"]
    assert all((tmp_path / "static" / name).exists() for name in manifest["paths"].values())
