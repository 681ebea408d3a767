"""Which day Portuguese words mean, counted from the message's own time and place (M6); what leaves a choice is not chosen."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.calendar import NoWorkingDay, WorkingCalendar
from memoria.dates import Certainty, Resolved, Unresolved, Why, agrees, resolve
from memoria.members import is_due

ZONE = ZoneInfo("America/Sao_Paulo")
HOLIDAYS = {
    date(2026, 3, 6),  # a municipal one, a Friday
    date(2026, 4, 3),  # Good Friday
    date(2026, 4, 21),
    date(2026, 12, 25),
    date(2027, 1, 1),
}
CALENDAR = WorkingCalendar(holidays=HOLIDAYS)
WITHOUT_HOLIDAYS = WorkingCalendar()


def at(local: str) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZONE).astimezone(UTC)


WEDNESDAY = at("2026-03-11T10:00")


@pytest.mark.parametrize(
    ("words", "said", "iso"),
    [
        # The day's own words.
        ("hoje", WEDNESDAY, "2026-03-11"),
        ("ainda hoje", WEDNESDAY, "2026-03-11"),
        ("amanhã", WEDNESDAY, "2026-03-12"),
        ("amanha", WEDNESDAY, "2026-03-12"),
        ("AMANHÃ", WEDNESDAY, "2026-03-12"),
        ("depois de amanhã", WEDNESDAY, "2026-03-13"),
        ("ontem", WEDNESDAY, "2026-03-10"),
        # The zone decides which day it is: 02:40 in Greenwich is the evening before in São Paulo.
        ("amanhã", datetime(2026, 3, 6, 2, 40, tzinfo=UTC), "2026-03-06"),
        ("hoje", datetime(2026, 3, 6, 2, 59, tzinfo=UTC), "2026-03-05"),
        ("hoje", datetime(2026, 3, 6, 3, 0, tzinfo=UTC), "2026-03-06"),
        ("amanhã", at("2026-12-31T23:59"), "2027-01-01"),
        ("depois de amanhã", at("2028-02-28T08:00"), "2028-03-01"),  # over a leap day
        # Weekdays.
        ("sexta", WEDNESDAY, "2026-03-13"),
        ("na sexta-feira", WEDNESDAY, "2026-03-13"),
        ("terça", WEDNESDAY, "2026-03-17"),
        ("sábado", WEDNESDAY, "2026-03-14"),
        ("domingo", WEDNESDAY, "2026-03-15"),
        ("nesta sexta", WEDNESDAY, "2026-03-13"),
        ("nesta quarta", WEDNESDAY, "2026-03-11"),
        ("sexta da semana que vem", WEDNESDAY, "2026-03-20"),
        ("segunda que vem", WEDNESDAY, "2026-03-16"),
        ("próxima segunda", WEDNESDAY, "2026-03-16"),
        ("sexta que vem", at("2026-03-13T10:00"), "2026-03-20"),
        ("sexta, dia 13", WEDNESDAY, "2026-03-13"),
        ("sexta (13/03)", WEDNESDAY, "2026-03-13"),
        ("quarta, dia 1", WEDNESDAY, "2026-04-01"),
        ("segunda", at("2026-12-31T10:00"), "2027-01-04"),
        # Days of the month.
        ("dia 15", WEDNESDAY, "2026-03-15"),
        ("dia 5", WEDNESDAY, "2026-04-05"),
        ("até o dia 31", WEDNESDAY, "2026-03-31"),
        ("dia 5 do mês que vem", WEDNESDAY, "2026-04-05"),
        ("dia 5", at("2026-12-20T10:00"), "2027-01-05"),
        ("dia 28", at("2026-01-30T10:00"), "2026-02-28"),
        ("15 de abril", WEDNESDAY, "2026-04-15"),
        ("1º de maio", WEDNESDAY, "2026-05-01"),
        ("dia 15 de abril", WEDNESDAY, "2026-04-15"),
        ("24 de dezembro de 2027", WEDNESDAY, "2027-12-24"),
        # Written dates.
        ("24/12", WEDNESDAY, "2026-12-24"),
        ("dia 24/12", WEDNESDAY, "2026-12-24"),
        ("02/01", at("2026-12-30T10:00"), "2027-01-02"),
        ("24/12/2027", WEDNESDAY, "2027-12-24"),
        ("24/12/27", WEDNESDAY, "2027-12-24"),
        ("24.12.2027", WEDNESDAY, "2027-12-24"),
        ("10/01", WEDNESDAY, "2027-01-10"),
        ("2026-03-20", WEDNESDAY, "2026-03-20"),
        ("2026-03-20T14:00-03:00", WEDNESDAY, "2026-03-20T14:00:00-03:00"),
        ("2026-03-20T17:00Z", WEDNESDAY, "2026-03-20T17:00:00+00:00"),
        ("2026-03-20 14:00", WEDNESDAY, "2026-03-20T14:00:00-03:00"),
        # Counted.
        ("em 48 horas", WEDNESDAY, "2026-03-13T10:00:00-03:00"),
        ("em até 24h", WEDNESDAY, "2026-03-12T10:00:00-03:00"),
        ("até 48 horas", WEDNESDAY, "2026-03-13T10:00:00-03:00"),
        ("daqui a duas horas", WEDNESDAY, "2026-03-11T12:00:00-03:00"),
        ("em 30 minutos", at("2026-03-11T23:50"), "2026-03-12T00:20:00-03:00"),
        ("em 3 dias", WEDNESDAY, "2026-03-14"),
        ("daqui a dez dias", WEDNESDAY, "2026-03-21"),
        ("em até 3 dias corridos", WEDNESDAY, "2026-03-14"),
        ("em uma semana", WEDNESDAY, "2026-03-18"),
        ("em 2 meses", WEDNESDAY, "2026-05-11"),
        ("em um mês", at("2026-01-31T10:00"), "2026-02-28"),
        # Working days: holidays and days off do not count, nor does the evening after closing time.
        ("em até 3 dias úteis", WEDNESDAY, "2026-03-16"),
        ("em 2 dias úteis", at("2026-03-05T10:00"), "2026-03-10"),  # Thursday; Friday is a holiday
        ("em 1 dia útil", at("2026-03-11T18:00"), "2026-03-13"),  # after hours: said on Thursday
        ("em 1 dia útil", at("2026-03-11T17:59"), "2026-03-12"),
        ("em 1 dia útil", at("2026-03-14T10:00"), "2026-03-17"),  # Saturday: said on Monday
        ("5 dias úteis", at("2026-12-23T10:00"), "2026-12-31"),
        ("em 5 dias úteis", at("2026-12-30T10:00"), "2027-01-07"),  # over New Year
        ("próximo dia útil", at("2026-03-05T10:00"), "2026-03-09"),
        # Ends.
        ("fim do mês", WEDNESDAY, "2026-03-31"),
        ("até o final do mês", at("2028-02-10T10:00"), "2028-02-29"),
        ("final do mês que vem", WEDNESDAY, "2026-04-30"),
        ("até o fim do dia", WEDNESDAY, "2026-03-11"),
        ("até o fim do expediente", WEDNESDAY, "2026-03-11T18:00:00-03:00"),
        ("fim do expediente", at("2026-03-05T19:00"), "2026-03-09T18:00:00-03:00"),
        # With a time of day.
        ("amanhã às 14h", WEDNESDAY, "2026-03-12T14:00:00-03:00"),
        ("amanhã, às 14h30", WEDNESDAY, "2026-03-12T14:30:00-03:00"),
        ("às 14:30 de amanhã", WEDNESDAY, "2026-03-12T14:30:00-03:00"),
        ("sexta 9h", WEDNESDAY, "2026-03-13T09:00:00-03:00"),
        ("sexta, dia 13, às 9h", WEDNESDAY, "2026-03-13T09:00:00-03:00"),
        ("hoje às 8 da noite", WEDNESDAY, "2026-03-11T20:00:00-03:00"),
        ("amanhã às 2 da tarde", WEDNESDAY, "2026-03-12T14:00:00-03:00"),
        ("amanhã ao meio-dia", WEDNESDAY, "2026-03-12T12:00:00-03:00"),
        ("dia 24/12 às 10h", WEDNESDAY, "2026-12-24T10:00:00-03:00"),
        ("amanhã às 16", WEDNESDAY, "2026-03-12T16:00:00-03:00"),
        ("às 14h", WEDNESDAY, "2026-03-11T14:00:00-03:00"),  # still ahead today
        # A part of the day leaves it a day.
        ("amanhã de manhã", WEDNESDAY, "2026-03-12"),
        ("hoje à tarde", WEDNESDAY, "2026-03-11"),
        # The same day twice is one day.
        ("amanhã, dia 12", WEDNESDAY, "2026-03-12"),
        # Within a sentence.
        ("Vou consultar a agenda e retorno até amanhã, combinado?", WEDNESDAY, "2026-03-12"),
        ("Segue a segunda via; pague até 20/03.", WEDNESDAY, "2026-03-20"),  # not Monday
    ],
)
def test_words_with_one_meaning_come_to_one_day_or_moment(words: str, said: datetime, iso: str) -> None:
    found = resolve(words, said, ZONE, CALENDAR)
    assert isinstance(found, Resolved), found
    assert found.iso == iso
    assert is_due(found.iso)
    assert words[found.start : found.end] == found.expression


@pytest.mark.parametrize(
    ("words", "said", "why", "options"),
    [
        ("", WEDNESDAY, Why.NOTHING, []),
        ("retorno com a resposta", WEDNESDAY, Why.NOTHING, []),
        ("pela manhã", WEDNESDAY, Why.NOTHING, []),
        ("em breve", WEDNESDAY, Why.VAGUE, []),
        ("assim que possível", WEDNESDAY, Why.VAGUE, []),
        ("quarta", WEDNESDAY, Why.WHICH_WEEK, ["2026-03-11", "2026-03-18"]),  # said on a Wednesday
        ("sexta que vem", WEDNESDAY, Why.WHICH_WEEK, ["2026-03-13", "2026-03-20"]),
        ("próxima sexta", WEDNESDAY, Why.WHICH_WEEK, ["2026-03-13", "2026-03-20"]),
        ("nesta segunda", WEDNESDAY, Why.WHICH_WEEK, ["2026-03-09", "2026-03-16"]),  # it is over
        ("dia 11", WEDNESDAY, Why.WHICH_MONTH, ["2026-03-11", "2026-04-11"]),
        ("24/12", at("2026-12-26T10:00"), Why.WHICH_YEAR, ["2026-12-24", "2027-12-24"]),
        ("semana que vem", WEDNESDAY, Why.WHICH_DAY, []),
        ("no mês que vem", WEDNESDAY, Why.WHICH_DAY, []),
        ("até o fim da semana", WEDNESDAY, Why.WHICH_DAY, []),
        ("no fim de semana", WEDNESDAY, Why.WHICH_DAY, []),
        ("começo do mês", WEDNESDAY, Why.WHICH_DAY, []),
        ("sexta, dia 14", WEDNESDAY, Why.CONTRADICTION, ["2026-03-14"]),
        ("sexta, 14/03", WEDNESDAY, Why.CONTRADICTION, ["2026-03-14"]),
        ("quinta ou sexta", WEDNESDAY, Why.SEVERAL, ["2026-03-12", "2026-03-13"]),
        ("hoje, no máximo amanhã", WEDNESDAY, Why.SEVERAL, ["2026-03-11", "2026-03-12"]),
        ("30/02", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("31/04/2026", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("29/02/2027", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("2026-02-30", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("2026-03-20T25:00", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("sexta, 30/02", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("sexta, dia 45", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("dia 31", at("2026-04-10T10:00"), Why.NO_SUCH_DAY, []),
        ("dia 45", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("24/13", WEDNESDAY, Why.NO_SUCH_DAY, []),
        ("amanhã às 2", WEDNESDAY, Why.HOUR, ["2026-03-12"]),  # morning's or afternoon's
        ("amanhã às 14h ou às 16h", WEDNESDAY, Why.HOUR, ["2026-03-12"]),
        ("amanhã à meia-noite", WEDNESDAY, Why.HOUR, ["2026-03-12"]),  # the day's beginning or its end
        ("amanhã às 25h", WEDNESDAY, Why.HOUR, ["2026-03-12"]),
        ("às 9h", WEDNESDAY, Why.PAST_HOUR, ["2026-03-11"]),
        ("às 3", WEDNESDAY, Why.HOUR, []),
        ("até 18 horas", WEDNESDAY, Why.DURATION, []),
    ],
)
def test_words_that_leave_a_choice_stay_unresolved_and_say_so(words: str, said: datetime, why: Why, options: list[str]) -> None:
    found = resolve(words, said, ZONE, CALENDAR)
    assert isinstance(found, Unresolved), found
    assert (found.why, [option.isoformat() for option in found.options]) == (why, options)


@pytest.mark.parametrize(
    ("due", "words", "verdict"),
    [
        ("2026-03-12", "amanhã", True),
        ("2026-03-13", "amanhã", False),
        ("2026-03-12T14:00:00-03:00", "amanhã às 14h", True),
        ("2026-03-12T17:00:00Z", "amanhã às 14h", True),
        ("2026-03-12T15:00:00-03:00", "amanhã às 14h", False),
        ("2026-03-12", "amanhã às 14h", True),
        ("2026-03-12T09:00:00-03:00", "amanhã", True),
        ("2026-03-13T02:00:00Z", "amanhã", True),  # still the 12th there
        ("2026-03-13", "sexta que vem", None),
        ("2026-03-13", "em breve", None),
    ],
)
def test_a_due_is_held_against_the_words_that_it_was_resolved_from(due: str, words: str, verdict: bool | None) -> None:
    assert agrees(due, words, WEDNESDAY, ZONE, CALENDAR) is verdict


@pytest.mark.parametrize(
    ("words", "certainty"),
    [
        ("2026-03-20", Certainty.STATED),
        ("20/03/2026", Certainty.STATED),
        ("amanhã", Certainty.COUNTED),
        ("em 2 dias úteis", Certainty.COUNTED),
        ("20/03", Certainty.ASSUMED),
        ("dia 20", Certainty.ASSUMED),
        ("às 14h", Certainty.ASSUMED),
    ],
)
def test_how_sure_the_day_is_goes_with_it(words: str, certainty: Certainty) -> None:
    found = resolve(words, WEDNESDAY, ZONE, CALENDAR)
    assert isinstance(found, Resolved)
    assert found.certainty is certainty


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("em 29/03/2026 às 1h30", Why.NO_SUCH_TIME),  # clocks go forward
        ("em 25/10/2026 às 1h30", Why.HOUR),  # clocks go back: twice
        ("em 29/03/2026 às 3h30", "2026-03-29T03:30:00+01:00"),
    ],
)
def test_a_time_that_a_change_of_clocks_skips_or_repeats_is_no_moment(words: str, result: object) -> None:
    found = resolve(words, WEDNESDAY, ZoneInfo("Europe/Lisbon"), WITHOUT_HOLIDAYS)
    assert (found.iso if isinstance(found, Resolved) else found.why) == result


def test_the_same_words_at_the_same_moment_mean_another_day_in_another_zone() -> None:
    said = datetime(2026, 3, 11, 2, 0, tzinfo=UTC)
    here = resolve("amanhã", said, ZONE, CALENDAR)
    there = resolve("amanhã", said, ZoneInfo("Europe/Lisbon"), CALENDAR)
    assert isinstance(here, Resolved)
    assert isinstance(there, Resolved)
    assert (here.iso, there.iso) == ("2026-03-11", "2026-03-12")


def test_an_organisation_that_works_on_saturdays_counts_them() -> None:
    saturdays = WorkingCalendar(frozenset(range(6)), time(8), time(12))
    found = resolve("em 1 dia útil", at("2026-03-13T09:00"), ZONE, saturdays)
    assert isinstance(found, Resolved)
    assert found.iso == "2026-03-14"


def test_a_calendar_without_working_days_says_that_it_is_wrong() -> None:
    with pytest.raises(NoWorkingDay):
        resolve("em 1 dia útil", WEDNESDAY, ZONE, WorkingCalendar(frozenset()))


words = st.lists(
    st.sampled_from(
        [
            "sexta",
            "que vem",
            "dia",
            "31",
            "às",
            "14h",
            "30/02",
            "em",
            "3",
            "dias úteis",
            "amanhã",
            "fim do",
            "mês",
            "ou",
            "99:99",
        ]
    ),
    max_size=6,
).map(" ".join)


moments = st.integers(0, 3 * 10**9).map(lambda seconds: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))


@given(st.text() | words, moments)
def test_no_words_break_it_and_what_comes_of_them_stands_in_the_text(text: str, moment: datetime) -> None:
    found = resolve(text, moment, ZONE, CALENDAR)
    if isinstance(found, Resolved):
        assert text[found.start : found.end] == found.expression
        assert is_due(found.iso)


@given(moments, st.integers(0, 30))
def test_a_term_in_working_days_ends_on_one_and_never_before_its_days_are_over(moment: datetime, count: int) -> None:
    day = CALENDAR.add_working_days(moment, count)
    assert CALENDAR.works_on(day)
    assert day >= moment.date() + timedelta(days=count)
