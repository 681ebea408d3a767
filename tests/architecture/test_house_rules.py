"""No hidden flow: no signals, no save overrides, no rules in managers, no imports inside functions, no secrets of a machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.support import ROOT, imported, sources

SIGNAL_MODULES = {
    "django.dispatch",
    "django.db.models.signals",
    "django.core.signals",
    "django.contrib.auth.signals",
    "blinker",
}
# What a subclass must not change silently: a row that is saved is saved as it stands.
OVERRIDES = {"save", "delete", "asave", "adelete", "bulk_create", "bulk_update"}
# A custom manager may make accounts (Django's own commands call these), and nothing else.
MANAGER_METHODS = {"create_user", "create_superuser", "get_by_natural_key"}


def hidden_flow(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    yield from (f"{line}: uses signals ({name})" for line, name in imported(tree) if name in SIGNAL_MODULES)
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        bases = [ast.unparse(base).split("[")[0] for base in node.bases]
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
        if any(base.endswith("Model") for base in bases):
            yield from (
                f"{method.lineno}: {node.name} overrides {method.name}" for method in methods if method.name in OVERRIDES
            )
        if any(base.endswith(("Manager", "QuerySet")) for base in bases):
            rules = [method for method in methods if method.name not in MANAGER_METHODS]
            yield from (f"{method.lineno}: {node.name} holds {method.name}" for method in rules)


def test_nothing_flows_in_secret() -> None:
    found = [f"{path.relative_to(ROOT)}:{fault}" for path in sources("atendimento") for fault in hidden_flow(path.read_text())]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "from django.dispatch import receiver",
        "from django.db.models.signals import post_save",
        "class A(models.Model):\n    def save(self, *args): ...",
        "class A(models.Model):\n    def delete(self): ...",
        "class M(models.Manager['A']):\n    def open_ones(self): ...",
        "class Q(models.QuerySet):\n    def late(self): ...",
    ],
)
def test_a_hidden_flow_is_found(source: str) -> None:
    assert list(hidden_flow(source))


def ruff(path: Path) -> str:
    command = [str(Path(sys.executable).parent / "ruff"), "check", "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    return subprocess.run([*command, str(path)], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def f() -> None:\n    import json\n\n    json.dumps(1)\n", "PLC0415"),
        ("try:\n    f = 1\nexcept Exception:\n    f = 2\n", "BLE001"),
        ("from . import x\n", "TID252"),
        ("import datetime\n\nnow = datetime.datetime.now()\n", "DTZ005"),
    ],
)
def test_the_linter_is_told_of_our_rules(tmp_path: Path, source: str, rule: str) -> None:
    file = tmp_path / "sample.py"
    file.write_text(source)

    assert rule in ruff(file)


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


# Written in pieces, so that this file does not hold what it looks for.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com", "deb." + "debian.org")
MACHINE_PATH = re.compile("/(?:work|farm|root|home/[a-z]+)" + "/[a-z.]+/")
OUTSIDE_DATA = ".." + "/shared"


def machine_traces(text: str) -> list[str]:
    found = [host for host in HOSTS if host in text]
    return found + [match.group() for match in MACHINE_PATH.finditer(text)]


def test_no_file_names_a_machine_or_a_registry() -> None:
    vendored = ROOT / "static" / "vendor"
    found = {}
    for path in tracked():
        if path.is_relative_to(vendored) or "vendor" in path.parts:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        traces = machine_traces(text)
        if OUTSIDE_DATA in text and path != ROOT / ".ci" / "run":
            traces.append(OUTSIDE_DATA)
        if traces:
            found[str(path.relative_to(ROOT))] = traces

    assert found == {}


def test_a_trace_of_a_machine_is_found() -> None:
    assert machine_traces("see https://files." + HOSTS[1] + "/x")
    assert machine_traces("open('" + "/work" + "/main/x')")


def test_no_file_is_long_beyond_reading() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources("memoria", "atendimento")
        if "migrations" not in path.parts and (lines := len(path.read_text().splitlines())) > 450
    }

    assert long == {}
