"""When whoever keeps a commitment is reminded: some working time before its due, and when it has come (M6)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memoria.calendar import NoWorkingDay, WorkingCalendar
from memoria.holidays import national_holidays
from memoria.members import empty_values
from memoria.reminding import deadlines, due_moment
from memoria.state import State

RECIFE = ZoneInfo("America/Recife")
LISBON = ZoneInfo("Europe/Lisbon")
CALENDAR = WorkingCalendar(holidays=national_holidays(2026))
TWO = timedelta(hours=2)


def at(text: str, zone: ZoneInfo = RECIFE) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("moment", "span", "before"),
    [
        ("2026-03-10T16:00", TWO, "2026-03-10T14:00"),  # a Tuesday
        ("2026-03-10T10:00", TWO, "2026-03-09T17:00"),  # an hour of today, an hour of yesterday
        ("2026-03-09T10:00", TWO, "2026-03-06T17:00"),  # Monday: the other hour is Friday's
        ("2026-03-10T20:00", TWO, "2026-03-10T16:00"),  # after closing time
        ("2026-03-10T07:00", TWO, "2026-03-09T16:00"),  # before work begins
        ("2026-03-08T12:00", TWO, "2026-03-06T16:00"),  # on a Sunday
        ("2026-04-06T10:00", TWO, "2026-04-02T17:00"),  # over Good Friday and a weekend
        ("2026-03-10T11:00", TWO, "2026-03-10T09:00"),  # exactly as long as was worked
        ("2026-03-13T18:00", timedelta(hours=40), "2026-03-09T14:00"),  # more than four days of nine hours
        ("2026-03-10T20:00", timedelta(), "2026-03-10T18:00"),
    ],
)
def test_working_time_is_counted_back_over_closed_hours(moment: str, span: timedelta, before: str) -> None:
    assert CALENDAR.working_time_before(at(moment), span) == at(before)


def test_a_calendar_without_a_working_day_is_no_calendar() -> None:
    with pytest.raises(NoWorkingDay):
        WorkingCalendar(weekdays=frozenset()).working_time_before(at("2026-03-10T16:00"), TWO)


@pytest.mark.parametrize(
    ("due", "zone", "moment"),
    [
        ("2026-03-10", RECIFE, "2026-03-10T18:00-03:00"),  # a day is over when its work is
        ("2026-03-08", RECIFE, "2026-03-08T18:00-03:00"),  # worked on or not
        ("2026-03-10T15:30:00-03:00", RECIFE, "2026-03-10T15:30-03:00"),
        ("2026-03-10t18:30:00z", RECIFE, "2026-03-10T15:30-03:00"),
        ("2026-07-10", LISBON, "2026-07-10T18:00+01:00"),  # summer time there
    ],
)
def test_a_due_has_its_moment_in_the_organisation_s_zone(due: str, zone: ZoneInfo, moment: str) -> None:
    assert due_moment(due, CALENDAR, zone) == datetime.fromisoformat(moment)


def state(**commitments: dict[str, str]) -> State:
    held = {
        key.replace("_", "-"): {"task": key, "owner": "team", "status": "requested"} | row for key, row in commitments.items()
    }
    return State(values={**empty_values(), "commitments": held})


def test_only_what_is_unfinished_and_has_a_due_is_a_deadline() -> None:
    held = state(c_1={"due": "2026-03-10"}, c_2={}, c_3={"due": "2026-03-10", "status": "done"}, c_4={"due": "2026-03-11"})

    found = list(deadlines(held, TWO, CALENDAR, RECIFE))

    assert [(item.commitment, item.task, item.owner) for item in found] == [("c-1", "c_1", "team"), ("c-4", "c_4", "team")]
    assert (found[0].before_at, found[0].due_at) == (at("2026-03-10T16:00"), at("2026-03-10T18:00"))


def test_without_a_lead_there_is_no_reminder_before() -> None:
    (found,) = deadlines(state(c_1={"due": date(2026, 3, 10).isoformat()}), timedelta(), CALENDAR, RECIFE)

    assert found.before_at is None
