"""The pinned requirements hold what pyproject.toml asks for, each with hashes and without an address."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PIN.findall(text)}


def unmet(wanted: list[str], pinned: dict[str, str]) -> list[str]:
    requirements = [Requirement(line) for line in wanted]
    return [str(line) for line in requirements if not line.specifier.contains(pinned.get(canonicalize_name(line.name), "0"))]


def read(name: str) -> str:
    return (ROOT / "requirements" / name).read_text()


def test_the_runtime_pins_are_in_step() -> None:
    assert unmet(PROJECT["dependencies"], pins(read("base.txt"))) == []


def test_the_development_pins_are_in_step_and_the_same_as_the_runtimes() -> None:
    base, development = pins(read("base.txt")), pins(read("dev.txt"))

    assert unmet(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"], development) == []
    assert base.items() <= development.items()


@pytest.mark.parametrize("name", ["base.txt", "dev.txt"])
def test_each_pin_has_hashes_and_no_address(name: str) -> None:
    text = read(name)
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())

    assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text
    assert "--index" not in text


def test_a_missing_or_wrong_pin_is_found() -> None:
    assert unmet(["Django>=5.2,<5.3"], {"django": "6.0"}) == ["Django<5.3,>=5.2"]
    assert unmet(["new-package"], {}) == []
    assert unmet(["new-package>=1"], {}) == ["new-package>=1"]
