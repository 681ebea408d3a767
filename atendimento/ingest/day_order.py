"""Which of two numbers is the day: decided once for a whole file, never line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

Written = tuple[int, int, int]
"""A date's three numbers, as they stand."""

YEARS: Final = range(2000, 2100)


@dataclass(frozen=True, slots=True)
class Decided:
    order: str  # dmy, mdy, ymd
    by: str  # file: a number above 12 says so. sequence: only so do the dates go forward. assumed. chosen

    def date(self, written: Written) -> tuple[int, int, int] | None:
        """Year, month, day; None where this order makes no date of it. Whether the day exists is not asked."""
        return _ordered(written, self.order)


def decide(dates: Sequence[Written], chosen: str, month_first_likely: bool = False) -> Decided:
    """The order of all these dates.

    A number above 12 can only be a day. Where no date has one, the order in which the dates go forward counts, since a
    chat is exported from its beginning to its end; where both do, the day is assumed to come first, unless the file is
    written as Americans do.
    """
    if dates and all(first > 31 for first, _b, _c in dates):
        return Decided("ymd", "file")
    if chosen in ("dmy", "mdy"):
        return Decided(chosen, "chosen")
    days_first = sum(1 for a, b, _c in dates if a > 12 >= b)
    months_first = sum(1 for a, b, _c in dates if b > 12 >= a)
    if days_first or months_first:
        return Decided("dmy" if days_first >= months_first else "mdy", "file")
    forward = [order for order in ("dmy", "mdy") if _goes_forward(dates, order)]
    if len(forward) == 1:
        return Decided(forward[0], "sequence")
    return Decided("mdy" if month_first_likely else "dmy", "assumed")


def _ordered(written: Written, order: str) -> tuple[int, int, int] | None:
    a, b, c = written
    year, month, day = {"ymd": (a, b, c), "dmy": (c, b, a), "mdy": (c, a, b)}[order]
    year += 2000 if year < 100 else 0
    return (year, month, day) if year in YEARS and 1 <= month <= 12 and 1 <= day <= 31 else None


def _goes_forward(dates: Sequence[Written], order: str) -> bool:
    ordered = [_ordered(date, order) for date in dates]
    known = [date for date in ordered if date is not None]
    return len(known) == len(ordered) and all(before <= after for before, after in pairwise(known))
