"""The national holidays of Brazil: those of the law, and Good Friday.

State and municipal ones are an organisation's own data.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Final

_FIXED: Final = ((1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (11, 20), (12, 25))
_CONSCIENCE: Final = (11, 20)  # a national holiday since 2024
_CONSCIENCE_SINCE: Final = 2024


@lru_cache(maxsize=32)
def national_holidays(year: int) -> frozenset[date]:
    """The days off of a year, in all of the country."""
    days = {date(year, *day) for day in _FIXED if day != _CONSCIENCE or year >= _CONSCIENCE_SINCE}
    return frozenset({*days, easter(year) - timedelta(days=2)})


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm."""
    golden, century, rest = year % 19, year // 100, year % 100
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
