"""Ready definitions of ticket types to begin from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from atendimento.access import NotFound

FOLDER: Final = Path(__file__).resolve().parent.parent / "gallery"


@dataclass(frozen=True, slots=True)
class Ready:
    slug: str
    name: str
    description: str


@cache
def _texts() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.json"))}


def ready() -> tuple[Ready, ...]:
    """Every definition of the gallery."""
    documents = [(name, json.loads(text)) for name, text in _texts().items()]
    return tuple(Ready(name, document["name"], document.get("description", "")) for name, document in documents)


def document(name: str) -> dict[str, Any]:
    """One definition, the caller's to change. Raises NotFound."""
    text = _texts().get(name)
    if text is None:
        raise NotFound("definition of the gallery")
    read: dict[str, Any] = json.loads(text)
    return read
