"""Working days and hours, as the organisation has them: which days count for "dias úteis" (M6)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

_ONE_DAY: Final = timedelta(days=1)
_LONGEST_SEARCH: Final = 3660  # days; a calendar without a working day in ten years has none


class NoWorkingDay(ValueError):
    """The calendar holds no working day within ten years: its data is wrong."""


@dataclass(frozen=True, slots=True)
class WorkingCalendar:
    """The days and hours on which an organisation works. Holidays are data: national, state and municipal ones alike."""

    weekdays: frozenset[int] = frozenset(range(5))  # Monday is 0
    opens: time = time(9, 0)
    closes: time = time(18, 0)
    holidays: Collection[date] = frozenset()

    def works_on(self, day: date) -> bool:
        return day.weekday() in self.weekdays and day not in self.holidays

    def working_day_from(self, day: date) -> date:
        """`day` itself where work is done on it, else the next such day. Raises NoWorkingDay."""
        for _ in range(_LONGEST_SEARCH):
            if self.works_on(day):
                return day
            day += _ONE_DAY
        raise NoWorkingDay("no working day within ten years")

    def add_working_days(self, said: datetime, count: int) -> date:
        """The day that lies `count` working days after words said at this local time.

        Words said on a day off, or after closing time, count as said on the next working day; the day they count on is
        day 0. Raises NoWorkingDay.
        """
        day = said.date()
        if self.works_on(day) and said.time() >= self.closes:
            day += _ONE_DAY
        day = self.working_day_from(day)
        for _ in range(count):
            day = self.working_day_from(day + _ONE_DAY)
        return day

    def working_time_before(self, moment: datetime, span: timedelta) -> datetime:
        """The moment that lies `span` of working hours before a local one; time off does not count.

        Nothing before a moment off work is the end of work before it. Raises NoWorkingDay.
        """
        day, end = moment.date(), moment.time()
        for _ in range(_LONGEST_SEARCH):
            closes = min(end, self.closes)
            if self.works_on(day) and closes > self.opens:
                last = datetime.combine(day, closes, moment.tzinfo)
                worked = last - datetime.combine(day, self.opens, moment.tzinfo)
                if span <= worked:
                    return last - span
                span -= worked
            day, end = day - _ONE_DAY, time.max
        raise NoWorkingDay("no working day within ten years")
