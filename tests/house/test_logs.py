"""A line of the log is one JSON object; it holds no value that a person wrote and no secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import logging
from atendimento import logs
logs.configure({"level": "INFO", "readable": False})

def fail(message):
    password = "segredo-7"
    raise ValueError("broken")

import structlog
structlog.contextvars.bind_contextvars(request_id="r-1")
try:
    fail("Meu endereço é Rua A")
except ValueError:
    logging.getLogger("library").exception("it failed")
    structlog.get_logger("ours").exception("ours failed", ticket="t-1")
    logging.getLogger("django.request").exception("Internal Server Error: /tickets/segredo-7")
logging.getLogger("django.request").error("Internal Server Error: /tickets/segredo-7")
"""


def logged() -> list[dict[str, object]]:
    run = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stderr.splitlines()]


def test_our_lines_and_the_libraries_have_one_shape() -> None:
    library, ours, *_ = logged()

    assert library.keys() == ours.keys() - {"ticket"}
    assert (library["logger"], library["request_id"], ours["ticket"]) == ("library", "r-1", "t-1")


def test_a_traceback_holds_no_local_variable() -> None:
    text = json.dumps(logged(), ensure_ascii=False)

    assert "broken" in text
    assert "segredo-7" not in text
    assert "Rua A" not in text


def test_an_unforeseen_error_of_a_request_is_told_by_its_kind_and_place_alone() -> None:
    *_, told, short = logged()

    assert (told["event"], short["event"]) == ("unforeseen error", "Internal Server Error")
    (error,) = cast("list[dict[str, object]]", told["exception"])
    assert error["exc_type"] == "ValueError"
    assert error["frames"]
    assert "broken" not in json.dumps(told)
