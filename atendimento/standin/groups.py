"""Which group the new messages speak of, where a ticket type has fields that repeat (`/items/{id}/…`).

The only one that there is; of several the only one that is called by its name; where there is none yet, a new one. Else
nothing is said of any: a person is asked, not guessed for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from atendimento.standin.field_list import FieldLine
from atendimento.standin.words import plain

Json = Any
TEMPLATE: Final = "/items/{id}/"
NEW: Final = "new-1"


def in_group(fields: Iterable[FieldLine], document: Json) -> Iterator[FieldLine]:
    """The fields, those that repeat as the ones of the group that is meant; without them where none is."""
    group = _meant(document)
    for row in fields:
        if not row.path.startswith(TEMPLATE):
            yield row
        elif group is not None:
            yield replace(row, path=f"/items/{group}/{row.path.removeprefix(TEMPLATE)}")


def _meant(document: Json) -> str | None:
    listed = document.get("groups")
    groups = [row for row in listed if isinstance(row, dict) and isinstance(row.get("id"), str)] if listed else []
    if len(groups) < 2:
        return str(groups[0]["id"]) if groups else NEW
    said = " ".join(plain(str(row.get("text", ""))) for row in document["new_messages"] if isinstance(row, dict))
    named = [row["id"] for row in groups if (name := plain(str(row.get("label", "")).partition(": ")[2])) and name in said]
    return named[0] if len(named) == 1 else None
