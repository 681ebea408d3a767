"""How long a value holds: the durations of ISO 8601 that are the same on every day (D1)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

LEAST: Final = timedelta(minutes=1)
MOST: Final = timedelta(days=3660)
_DURATION = re.compile(r"P(?:([0-9]{1,3})W|(?:([0-9]{1,4})D)?(?:T(?:([0-9]{1,5})H)?(?:([0-9]{1,5})M)?)?)\Z")


def duration(text: str) -> timedelta | None:
    """`P30D`, `PT8H`, `P2W`, `P1DT12H30M` as a length of time, from a minute to ten years; None for anything else.

    Years and months are refused, since they are not always as long; so are seconds, since nobody looks that often.
    """
    found = _DURATION.match(text)
    if found is None or text.endswith("T"):
        return None
    weeks, days, hours, minutes = (int(part) if part else 0 for part in found.groups())
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    return length if LEAST <= length <= MOST else None
