"""Times told relative to the moment of seeding: "-1 09:12" for yesterday at 9:12, "-40m" for forty minutes ago.

Texts, quotes and values name days in braces, counted from today, `w` for working days (M6):

    {date+2w}       12/03
    {weekday+2w}    quinta-feira
    {iso+2}         2026-03-12
    {at+2T15:00}    2026-03-12T15:00:00-03:00
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Final
from zoneinfo import ZoneInfo

import holidays

from memoria.patch import Json

WEEKDAYS: Final = (
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "sábado",
    "domingo",
)
_MINUTES_AGO = re.compile(r"-(\d{1,3})m")
_DAY_AND_TIME = re.compile(r"(-\d{1,3}) (\d\d:\d\d)")
_PLACE = re.compile(r"\{(date|weekday|iso|at)([+-]\d{1,3})(w?)(?:T(\d\d:\d\d))?\}")


@dataclass(frozen=True)
class Moments:
    """What the words for times mean at `now`, in `zone`."""

    now: datetime
    zone: ZoneInfo
    _days: dict[tuple[int, bool], date] = field(default_factory=dict)

    @cached_property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    @cached_property
    def _holidays(self) -> holidays.HolidayBase:
        return holidays.country_holidays("BR", years=range(self.today.year - 1, self.today.year + 2))

    def day(self, offset: int, *, working: bool = False) -> date:
        """The day so many days, or working days, from today."""
        if not working:
            return self.today + timedelta(days=offset)
        found = self._days.get((offset, True))
        if found is None:
            found = self._days[offset, True] = self._working_day(offset)
        return found

    def _working_day(self, offset: int) -> date:
        day, left = self.today, abs(offset)
        while left:
            day += timedelta(days=1 if offset > 0 else -1)
            if day.weekday() < 5 and day not in self._holidays:
                left -= 1
        return day

    def sent(self, words: str) -> datetime:
        """When a message was sent. Raises ValueError for words that name no time."""
        if match := _MINUTES_AGO.fullmatch(words):
            return self.now - timedelta(minutes=int(match[1]))
        if match := _DAY_AND_TIME.fullmatch(words):
            return datetime.combine(self.day(int(match[1])), time.fromisoformat(match[2]), self.zone)
        raise ValueError(f"no time: {words!r}")

    def told(self, text: str) -> str:
        """The text with its days filled in."""
        return _PLACE.sub(self._name, text)

    def _name(self, match: re.Match[str]) -> str:
        day = self.day(int(match[2]), working=bool(match[3]))
        match match[1]:
            case "date":
                return day.strftime("%d/%m")
            case "weekday":
                return WEEKDAYS[day.weekday()]
            case "iso":
                return day.isoformat()
            case _:
                return datetime.combine(day, time.fromisoformat(match[4] or "12:00"), self.zone).isoformat()

    def filled(self, value: Json) -> Json:
        """The value with the days filled in wherever a text names one."""
        if isinstance(value, str):
            return self.told(value)
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        return value
