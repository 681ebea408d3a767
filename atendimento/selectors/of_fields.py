"""Rows that are about certain fields, in whichever group of a ticket (G3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.db.models import Q

from memoria.rows import ROOT, TEMPLATE


def of_fields(column: str, pointers: Iterable[str]) -> Q:
    """The rows whose `column` is one of these pointers; of a field of groups, at any group's own pointer."""
    named = list(pointers)
    found = Q(**{f"{column}__in": [pointer for pointer in named if not pointer.startswith(TEMPLATE)]})
    for pointer in named:
        if pointer.startswith(TEMPLATE):
            found |= Q(**{f"{column}__regex": f"^{ROOT}/[^/]+/{re.escape(pointer.removeprefix(TEMPLATE))}$"})
    return found
