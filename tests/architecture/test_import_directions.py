"""The import contracts of pyproject.toml hold, and each of them can break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.architecture.support import ROOT, copy_code, lint_imports


def test_every_contract_is_kept() -> None:
    result = lint_imports(ROOT)

    assert result.returncode == 0, result.stdout


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_code(tmp_path_factory.mktemp("code"))


@pytest.mark.parametrize(
    ("place", "line", "broken"),
    [
        # A door does not know another door, and nothing below knows a door.
        ("atendimento/web/spoiled.py", "import atendimento.api", "From door to rule"),
        ("atendimento/actions/spoiled.py", "import atendimento.web", "From door to rule"),
        # Reading and writing are apart; the archive is not the reading room.
        ("atendimento/selectors/spoiled.py", "import atendimento.actions", "From door to rule"),
        ("atendimento/selectors/spoiled.py", "import atendimento.ledger", "From door to rule"),
        ("atendimento/models/spoiled.py", "import atendimento.access", "From door to rule"),
        # A new file must be given a room.
        ("atendimento/shed.py", "", "From door to rule"),
        ("memoria/spoiled.py", "import atendimento.models", "The workshop has no door to the street"),
        ("atendimento/actions/spoiled.py", "import openai", "One telephone"),
        ("atendimento/actions/spoiled.py", "import atendimento.standin", "Nobody knows the stand-in"),
        ("atendimento/standin/spoiled.py", "import atendimento.models", "The stand-in knows nobody"),
        ("atendimento/env.py", "import atendimento.models", "The foundations carry and ask nothing"),
    ],
)
def test_an_illegal_import_breaks_its_contract(code: Path, tmp_path: Path, place: str, line: str, broken: str) -> None:
    spoiled = shutil.copytree(code, tmp_path / "code")
    file = spoiled / place
    before = file.read_text() if file.exists() else ""
    file.write_text(f"{before}\n{line}\n")

    result = lint_imports(spoiled)

    assert result.returncode == 1, result.stdout
    assert f"{broken} BROKEN" in result.stdout
    # The report names our line, not one that was wrong before.
    assert place.removesuffix(".py").split("/")[-1] in result.stdout.split("Broken contracts")[1]
