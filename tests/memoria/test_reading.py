"""T4: when the model reads, as the ticket type says."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from memoria.fields import InvalidTicketType, TicketType
from memoria.patch import Json
from memoria.reading import Event, Reading, When, first_free_day, next_time, problems, read
from tests.memoria.bench import a_field

ZONE = ZoneInfo("America/Sao_Paulo")


def a_type(**reading: Json) -> TicketType:
    document = {"slug": "t", "name": "T", "fields": {"/facts/a": a_field()}, "reading": reading}
    return TicketType.from_document(document)


def test_t4_a_type_that_says_nothing_reads_after_each_burst() -> None:
    assert TicketType.from_document({"slug": "t", "name": "T", "fields": {}}).reading == Reading(When.BURST)


def test_t4_each_way_of_reading_is_read() -> None:
    assert a_type(when="demand").reading.when is When.DEMAND
    assert a_type(when="events", on=["closing", "assigned"]).reading.on == {Event.CLOSING, Event.ASSIGNED}
    assert a_type(when="schedule", every_minutes=30).reading.every == 30
    assert a_type(when="schedule", at=["14:30", "08:00"]).reading.at == (time(8), time(14, 30))
    capped = a_type(when="burst", most_per_ticket_and_day=5, most_per_day=100).reading
    assert (capped.most_per_ticket, capped.most_per_day) == (5, 100)


@pytest.mark.parametrize(
    ("reading", "where"),
    [
        ({}, "/reading"),
        ({"when": "now"}, "/reading/when"),
        ({"when": "events"}, "/reading"),
        ({"when": "events", "on": []}, "/reading/on"),
        ({"when": "events", "on": ["lunch"]}, "/reading/on/0"),
        ({"when": "burst", "on": ["closing"]}, "/reading/on"),
        ({"when": "schedule"}, "/reading"),
        ({"when": "schedule", "every_minutes": 1}, "/reading/every_minutes"),
        ({"when": "schedule", "at": ["8h"]}, "/reading/at/0"),
        ({"when": "schedule", "at": ["08:00"], "every_minutes": 30}, "/reading"),
        ({"when": "demand", "every_minutes": 30}, "/reading/every_minutes"),
        ({"when": "burst", "most_per_day": 0}, "/reading/most_per_day"),
        ({"when": "burst", "other": 1}, "/reading"),
    ],
)
def test_t4_what_does_not_fit_is_a_fault_at_its_place(reading: dict[str, Json], where: str) -> None:
    with pytest.raises(InvalidTicketType) as refused:
        a_type(**reading)
    assert where in [problem.where for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("reading", "moment", "then"),
    [
        # Every half hour, from midnight on in the organisation's zone.
        ({"every_minutes": 30}, "2026-03-10T12:10:00Z", "2026-03-10T12:30:00Z"),
        ({"every_minutes": 30}, "2026-03-10T12:30:00Z", "2026-03-10T13:00:00Z"),
        ({"every_minutes": 1440}, "2026-03-10T12:30:00Z", "2026-03-11T03:00:00Z"),
        # A step that does not divide the day begins anew with it.
        ({"every_minutes": 1000}, "2026-03-10T20:00:00Z", "2026-03-11T03:00:00Z"),
        ({"at": ["08:00", "14:00"]}, "2026-03-10T10:59:00Z", "2026-03-10T11:00:00Z"),
        ({"at": ["08:00", "14:00"]}, "2026-03-10T11:00:00Z", "2026-03-10T17:00:00Z"),
        ({"at": ["08:00", "14:00"]}, "2026-03-10T17:00:00Z", "2026-03-11T11:00:00Z"),
    ],
)
def test_t4_the_next_set_time(reading: dict[str, Json], moment: str, then: str) -> None:
    found = next_time(a_type(when="schedule", **reading).reading, datetime.fromisoformat(moment), ZONE)
    assert found == datetime.fromisoformat(then)


def test_t4_a_moment_of_another_zone_is_the_organisation_s_day() -> None:
    """At 1:00 in Lisbon it is still the day before in São Paulo; and a time that is skipped once a year is not missed."""
    every = a_type(when="schedule", at=["22:30"]).reading
    late = datetime(2026, 3, 11, 1, 0, tzinfo=ZoneInfo("Europe/Lisbon"))
    assert next_time(every, late, ZONE) == datetime(2026, 3, 11, 1, 30, tzinfo=UTC)
    hourly = a_type(when="schedule", every_minutes=45).reading
    assert next_time(hourly, datetime(2026, 3, 10, 14, 40, tzinfo=UTC), ZONE) == datetime(2026, 3, 10, 15, 0, tzinfo=UTC)
    assert next_time(hourly, datetime(2026, 3, 10, 15, 10, tzinfo=UTC), ZONE) == datetime(2026, 3, 10, 15, 45, tzinfo=UTC)


def test_t4_what_is_wrong_is_said() -> None:
    assert [said for _where, said in problems({"when": "burst", "most_per_day": 0})] == ["0 is less than the minimum of 1"]


def test_t4_without_a_schedule_there_is_no_set_time() -> None:
    assert next_time(read(None), datetime(2026, 3, 10, tzinfo=UTC), ZONE) is None


def test_t4_caps_count_a_ticket_s_readings_and_the_type_s_day_by_day() -> None:
    capped = read({"when": "burst", "most_per_ticket_and_day": 2, "most_per_day": 10})
    days = [date(2026, 3, 10), date(2026, 3, 11), date(2026, 3, 12)]

    assert first_free_day(capped, iter([(days[0], 1, 9)])) == days[0]
    assert first_free_day(capped, iter([(days[0], 2, 2), (days[1], 0, 10), (days[2], 0, 0)])) == days[2]
    assert first_free_day(capped, iter([(days[0], 2, 2)])) is None
    assert first_free_day(read(None), iter([(days[0], 999, 999)])) == days[0]
