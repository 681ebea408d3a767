"""When an organisation works (M6): its days of the week, its hours, and its days off beside the national ones."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from atendimento.models import Organization
from memoria.calendar import WorkingCalendar
from memoria.holidays import national_holidays


def calendar_of(organization: Organization, moment: datetime) -> WorkingCalendar:
    """The organisation's working time from the year before `moment`, in its own zone, to the year after."""
    year = moment.astimezone(ZoneInfo(organization.timezone)).year
    years = range(year - 1, year + 2)
    return WorkingCalendar(
        weekdays=frozenset(organization.weekdays),
        opens=organization.opens_at,
        closes=organization.closes_at,
        holidays=frozenset().union(*map(national_holidays, years), own_holidays(organization, years)),
    )


def own_holidays(organization: Organization, years: range) -> frozenset[date]:
    """Its own days off in these years. One written without a year (`--06-24`) comes back each year."""
    found: set[date] = set()
    for row in organization.holidays:
        text = row["day"]
        days = [f"{year}-{text[2:]}" for year in years] if text.startswith("--") else [text]
        found.update(date.fromisoformat(day) for day in days if _exists(day))
    return frozenset(found)


def _exists(day: str) -> bool:
    """Whether this year has the day: the 29th of February comes back every fourth."""
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
