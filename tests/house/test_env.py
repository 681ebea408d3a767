"""A missing or bad value of the environment is one line that names the variable, and exit 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from atendimento import env

ROOT = Path(__file__).resolve().parents[2]
COMPLETE = {"DATABASE_URL": "postgresql://a:b@localhost/lastro", "REDIS_URL": "redis://localhost", "SECRET_KEY": "s"}


def load_settings(tmp_path: Path, **values: str) -> subprocess.CompletedProcess[str]:
    surroundings = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **values}
    command = [sys.executable, "-c", "import atendimento.settings as s; print(s.DATABASES['default']['HOST'])"]
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)


def test_complete_values_are_taken(tmp_path: Path) -> None:
    assert load_settings(tmp_path, **COMPLETE).stdout == "localhost\n"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DATABASE_URL", "", "is not set"),
        ("DATABASE_URL", "mysql://localhost/lastro", "must begin with postgresql://"),
        ("DATABASE_URL", "postgresql://localhost", "names no database"),
        ("DATABASE_URL", "postgresql://localhost:port/lastro", "no valid address"),
        ("DATABASE_OWNER_URL", "lastro", "must begin with postgresql://"),
        ("REDIS_URL", "", "is not set"),
        ("REDIS_URL", "http://localhost", "must begin with redis://"),
        ("SECRET_KEY", " ", "is not set"),
        ("PROPOSAL_DEBOUNCE", "soon", "number of seconds"),
        ("PROPOSAL_DEBOUNCE", "16", "between 0 and 15"),
        ("MODEL_TIMEOUT", "nan", "between 0.1 and 900"),
        ("MODEL_MAX_TRIES", "0", "between 1 and"),
        ("MODEL_MAX_TRIES", "2.5", "whole number"),
        ("MODEL_BACKOFF", "-1", "between 0 and"),
        ("MODEL_CONCURRENCY", "-1", "between 0 and"),
        ("MODEL_PRICE_INPUT", "2,50", "an amount such as 2.50"),
        ("MODEL_PRICE_OUTPUT", "-1", "an amount such as 2.50"),
        ("DEBUG", "maybe", "must be 1 or 0"),
        ("EMAIL_URL", "mail.example", "must begin with smtp://"),
        ("EMAIL_URL", "smtp://", "names no host"),
        ("OPENAI_BASE_URL", "localhost:8080", "must begin with http://"),
        ("OPENAI_MODEL", "", "is not set"),
        ("LOG_LEVEL", "loud", "must be DEBUG"),
        ("TRUSTED_PROXIES", "10.0.0.0/8, the proxy", "addresses or networks"),
    ],
)
def test_a_bad_value_is_one_line_that_names_its_variable(tmp_path: Path, name: str, value: str, said: str) -> None:
    values = {**COMPLETE, "OPENAI_BASE_URL": "http://localhost/v1", "OPENAI_MODEL": "m", name: value}
    result = load_settings(tmp_path, **values)

    assert result.returncode == 1
    assert result.stderr.startswith(f"{name}: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_socket_folder_may_stand_in_the_query() -> None:
    reader = env.Environment({"DATABASE_URL": "postgresql://ana:p%40ss@/lastro?host=%2Frun%2Fpg&sslmode=disable"})

    assert reader.database("DATABASE_URL") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "lastro",
        "USER": "ana",
        "PASSWORD": "p@ss",
        "HOST": "/run/pg",
        "PORT": "",
        "OPTIONS": {"sslmode": "disable"},
    }


def leave_record(folder: Path, pid: int) -> None:
    values = {"DATABASE_URL": "postgresql:///embedded", "DATABASE_OWNER_URL": "postgresql:///owner", "REDIS_URL": "redis://e"}
    (folder / "embedded.json").write_text(json.dumps({"pid": pid, "env": {**values, "SECRET_KEY": "kept"}}))


def test_a_running_demonstration_completes_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_record(tmp_path, os.getpid())
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REDIS_URL", "redis://mine")

    values = env.read(tmp_path, optional_servers=False).values

    assert values["DATABASE_OWNER_URL"] == "postgresql:///owner"
    assert values["SECRET_KEY"] == "kept"
    assert values["REDIS_URL"] == "redis://mine"


def test_the_owner_of_one_server_is_never_joined_to_the_application_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_record(tmp_path, os.getpid())
    monkeypatch.delenv("DATABASE_OWNER_URL", raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgresql:///elsewhere")

    assert "DATABASE_OWNER_URL" not in env.read(tmp_path, optional_servers=False).values


def test_what_a_killed_demonstration_left_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True)
    leave_record(tmp_path, int(ended.stdout))
    monkeypatch.delenv("DATABASE_URL", raising=False)

    with pytest.raises(SystemExit):
        env.read(tmp_path, optional_servers=False)

    assert capsys.readouterr().err.startswith("DATABASE_URL: is not set")


@pytest.mark.parametrize(
    ("argv", "optional"),
    [
        (["manage.py"], True),
        (["./manage.py", "demo", "--port", "8000"], True),
        (["manage.py", "migrate", "--help"], True),
        (["manage.py", "migrate"], False),
        (["manage.py", "create_organization", "demo"], False),
        (["uvicorn", "demo"], False),
    ],
)
def test_only_commands_that_read_no_row_do_without_servers(argv: list[str], optional: bool) -> None:
    assert env.servers_are_optional(argv) is optional
