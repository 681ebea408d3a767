"""Ready definitions of ticket types to begin from, in the language of whoever begins."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.utils.translation import get_language

from atendimento.access import NotFound

FOLDER: Final = Path(__file__).resolve().parent.parent / "gallery"
SPOKEN: Final = ("name", "label", "plural", "description")
"""The keys of a definition, of its fields, collections and groups whose texts people read."""


@dataclass(frozen=True, slots=True)
class Ready:
    slug: str
    name: str
    description: str


@cache
def _texts() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.json"))}


@cache
def english() -> dict[str, str]:
    """What the definitions say, by their own words."""
    return tomllib.loads((FOLDER / "english.toml").read_text("utf-8"))


def parts(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a definition that say something to people."""
    yield document
    yield from document["fields"].values()
    yield from document.get("collections", {}).values()
    yield from document.get("groups", {}).values()


def ready() -> tuple[Ready, ...]:
    """Every definition of the gallery."""
    documents = [(name, document(name)) for name in _texts()]
    return tuple(Ready(name, found["name"], found.get("description", "")) for name, found in documents)


def document(name: str) -> dict[str, Any]:
    """One definition, the caller's to change. Raises NotFound."""
    text = _texts().get(name)
    if text is None:
        raise NotFound("definition of the gallery")
    read: dict[str, Any] = json.loads(text)
    if (get_language() or "").startswith("en"):
        for part in parts(read):
            part.update({key: english()[part[key]] for key in SPOKEN if key in part})
    return read
