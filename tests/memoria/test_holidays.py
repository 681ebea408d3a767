"""The days on which all of Brazil rests."""

from __future__ import annotations

from datetime import date

import pytest

from memoria.holidays import easter, national_holidays


@pytest.mark.parametrize(
    ("year", "right"),
    [
        (1900, date(1900, 4, 15)),
        (1961, date(1961, 4, 2)),
        (2000, date(2000, 4, 23)),
        (2008, date(2008, 3, 23)),
        (2019, date(2019, 4, 21)),
        (2024, date(2024, 3, 31)),
        (2025, date(2025, 4, 20)),
        (2026, date(2026, 4, 5)),
        (2027, date(2027, 3, 28)),
        (2038, date(2038, 4, 25)),
        (2100, date(2100, 3, 28)),
    ],
)
def test_easter(year: int, right: date) -> None:
    assert easter(year) == right
    assert right.weekday() == 6


def test_a_years_holidays() -> None:
    days = national_holidays(2026)
    assert {date(2026, 4, 3), date(2026, 4, 21), date(2026, 11, 20), date(2026, 12, 25)} <= days
    assert date(2026, 2, 17) not in days  # carnival is no holiday by law
    assert len(days) == 10
    assert date(2023, 11, 20) not in national_holidays(2023)
