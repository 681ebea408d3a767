"""memoria imports what its allow-list names, and reads neither clock nor chance nor disk."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

from tests.architecture.support import ROOT, imported, sources

ALLOWED_PACKAGES = {"memoria", "jsonpatch", "jsonpointer", "jsonschema_rs"}
# Parts of the standard library that bring in the outside: time, chance, disk, network, other processes.
IMPURE = {
    *("asyncio", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil"),
    *("signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time"),
}
IMPURE_CALLS = {"now", "utcnow", "today", "uuid1", "uuid4", "open", "print", "input", "urlopen"}


def faults(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    for line, name in imported(tree):
        top = name.split(".")[0]
        if name.startswith(".") or (top not in ALLOWED_PACKAGES and top not in sys.stdlib_module_names):
            yield f"{line}: imports {name}"
        elif top in IMPURE:
            yield f"{line}: imports {name}, which reaches outside"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
            if name in IMPURE_CALLS:
                yield f"{node.lineno}: calls {name}()"


def test_memoria_is_pure() -> None:
    found = [f"{path.relative_to(ROOT)}:{fault}" for path in sources("memoria") for fault in faults(path.read_text())]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import django",
        "from rest_framework.views import APIView",
        "from . import state",
        "import requests as json",
        "def f():\n    import yaml",
        "import random",
        "from os import environ",
        "from datetime import datetime\ndatetime.now()",
        "import uuid\nuuid.uuid4()",
        "open('x')",
    ],
)
def test_an_impure_module_is_found(source: str) -> None:
    assert list(faults(source))


def test_a_pure_module_passes() -> None:
    assert not list(faults("from datetime import datetime\nimport jsonpatch, jsonschema_rs\nfrom memoria.state import State"))
