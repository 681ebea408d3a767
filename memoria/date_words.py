"""The Portuguese words for days and times, one row of a table for each way of saying it."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final

from memoria.calendar import WorkingCalendar

_LATELY: Final = timedelta(days=31)  # a day and month that passed so lately may be meant as past
_WEEKDAYS: Final = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
_MONTHS: Final = (
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_NUMBERS: Final = {
    "um": 1, "uma": 1, "dois": 2, "duas": 2, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9,
    "dez": 10, "doze": 12, "quinze": 15, "vinte": 20, "trinta": 30,
}  # fmt: skip


class Why(StrEnum):
    """Why words come to no single day."""

    NOTHING = "nothing"  # no words for a day or a time
    SEVERAL = "several"  # days that differ
    WHICH_WEEK = "which_week"  # this week's or the next one's
    WHICH_MONTH = "which_month"
    WHICH_YEAR = "which_year"
    WHICH_DAY = "which_day"  # a week, a month, a weekend: more than one day
    CONTRADICTION = "contradiction"  # the weekday is not that date's
    NO_SUCH_DAY = "no_such_day"
    NO_SUCH_TIME = "no_such_time"  # skipped by a change of clocks
    HOUR = "hour"  # morning or evening, or several times
    PAST_HOUR = "past_hour"  # a time without a day that is over today
    DURATION = "duration"  # a time of day or a number of hours
    VAGUE = "vague"  # "em breve"


@dataclass(frozen=True, slots=True)
class Day:
    """A day; a moment where the words count hours."""

    value: date | datetime
    certainty: str


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. `unclear` where it may be another half of the day's, or is no time at all (then None)."""

    hour: time | None
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class Unclear:
    why: Why
    options: tuple[date, ...] = ()


Reading = Day | Clock | Unclear


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words for a day or a time, and how they read."""

    start: int
    end: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Moment:
    """When and under which calendar it was said."""

    said: datetime  # local
    calendar: WorkingCalendar

    @property
    def today(self) -> date:
        return self.said.date()


def plain(text: str) -> str:
    """Lower case without accents, character by character, so that places stay the same."""
    return "".join((unicodedata.normalize("NFD", character)[0].lower() or character)[0] for character in text)


def _counted(value: date | datetime) -> Day:
    return Day(value, "counted")


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _number(words: str) -> int:
    return int(words) if words.isdecimal() else _NUMBERS[words]


def _months_on(day: date, months: int) -> date:
    """So many months later; the last day of a shorter month (31 January and one month is 28 February)."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


# --- ways of saying a day -------------------------------------------------------------------------------------------


def _iso(match: re.Match[str], moment: _Moment) -> Reading:
    if match["clock"]:
        try:
            stated = datetime.fromisoformat(match[0].upper())
        except ValueError:
            return Unclear(Why.NO_SUCH_DAY)
        return Day(stated if stated.tzinfo else stated.replace(tzinfo=moment.said.tzinfo), "stated")
    day = _date(int(match["y"]), int(match["m"]), int(match["d"]))
    return Unclear(Why.NO_SUCH_DAY) if day is None else Day(day, "stated")


def _relative(match: re.Match[str], moment: _Moment) -> Reading:
    ahead = {"anteontem": -2, "ontem": -1, "hoje": 0, "amanha": 1, "depois de amanha": 2}[match["word"]]
    return _counted(moment.today + timedelta(days=ahead))


def _numeric(match: re.Match[str], moment: _Moment) -> Reading:
    return _calendar_day(moment, int(match["d"]), int(match["m"]), match["y"])


def _named_month(match: re.Match[str], moment: _Moment) -> Reading:
    return _calendar_day(moment, int(match["d"]), _MONTHS.index(match["month"]) + 1, match["y"])


def _calendar_day(moment: _Moment, day: int, month: int, year: str | None) -> Reading:
    """With its year it is stated; without, the next one ahead, unless it passed so lately that it may be meant as past."""
    if year is not None:
        stated = _date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        return Unclear(Why.NO_SUCH_DAY) if stated is None else Day(stated, "stated")
    this, following = _date(moment.today.year, month, day), _date(moment.today.year + 1, month, day)
    if this is not None and this >= moment.today:
        return Day(this, "assumed")
    if following is None or this is None:
        return Unclear(Why.NO_SUCH_DAY)
    if moment.today - this <= _LATELY:
        return Unclear(Why.WHICH_YEAR, (this, following))
    return Day(following, "assumed")


def _day_of_month(match: re.Match[str], moment: _Moment) -> Reading:
    """`dia 5`: this month's where it lies ahead, else the next one's; said on that very day it may be either."""
    number, today = int(match["d"]), moment.today
    first = today.replace(day=1)
    if match["next"]:
        following = _months_on(first, 1)
        day = _date(following.year, following.month, number)
        return Unclear(Why.NO_SUCH_DAY) if day is None else _counted(day)
    this, then = _date(today.year, today.month, number), _months_on(first, 1)
    after = _date(then.year, then.month, number)
    if this == today and after is not None:
        return Unclear(Why.WHICH_MONTH, (today, after))
    if this is not None and this > today:
        return Day(this, "assumed")
    return Unclear(Why.NO_SUCH_DAY) if after is None or number > 31 or this is None else Day(after, "assumed")


def _weekday(match: re.Match[str], moment: _Moment) -> Reading:
    """The next such day; said on one, this week's or the next; with a date, that date, if its weekday it is."""
    today, weekday = moment.today, _WEEKDAYS.index(match["weekday"])
    this_week = today + timedelta(days=weekday - today.weekday())
    coming = today + timedelta(days=(weekday - today.weekday()) % 7)
    following = this_week + timedelta(days=7)
    if match["checked"]:
        return _checked_weekday(match, moment, weekday)
    if match["week"]:
        return _counted(following)
    if match["this"]:
        return _counted(this_week) if this_week >= today else Unclear(Why.WHICH_WEEK, (this_week, following))
    if match["next"] or match["coming"]:
        # In the same week the words are used for either Friday.
        if this_week > today:
            return Unclear(Why.WHICH_WEEK, (this_week, following))
        return _counted(following)
    return Unclear(Why.WHICH_WEEK, (today, following)) if coming == today else _counted(coming)


def _checked_weekday(match: re.Match[str], moment: _Moment, weekday: int) -> Reading:
    number, month = int(match["checked"]), match["checked_month"]
    if month:
        found = _calendar_day(moment, number, int(month), match["checked_year"])
        if not isinstance(found, Day) or isinstance(found.value, datetime):
            return found
        return found if found.value.weekday() == weekday else Unclear(Why.CONTRADICTION, (found.value,))
    first = moment.today.replace(day=1)
    for ahead in (0, 1):
        then = _months_on(first, ahead)
        day = _date(then.year, then.month, number)
        if day is not None and day >= moment.today:
            return _counted(day) if day.weekday() == weekday else Unclear(Why.CONTRADICTION, (day,))
    return Unclear(Why.NO_SUCH_DAY)


def _hours(match: re.Match[str], moment: _Moment) -> Reading:
    unit = timedelta(minutes=1) if match["unit"].startswith("min") else timedelta(hours=1)
    return _counted(moment.said + _number(match["n"]) * unit)


def _until_hours(match: re.Match[str], moment: _Moment) -> Reading:
    """`até 18 horas` may be a time of day; `até 48 horas` can only be counted."""
    count = int(match["n"])
    return Unclear(Why.DURATION) if count <= 24 else _counted(moment.said + timedelta(hours=count))


def _days(match: re.Match[str], moment: _Moment) -> Reading:
    count = _number(match["n"])
    if match["working"]:
        return _counted(moment.calendar.add_working_days(moment.said, count))
    return _counted(moment.today + timedelta(days=count))


def _weeks_or_months(match: re.Match[str], moment: _Moment) -> Reading:
    count = _number(match["n"])
    if match["unit"].startswith("sem"):
        return _counted(moment.today + timedelta(weeks=count))
    return _counted(_months_on(moment.today, count))


def _next_working_day(_: re.Match[str], moment: _Moment) -> Reading:
    return _counted(moment.calendar.working_day_from(moment.today + timedelta(days=1)))


def _end_of_month(match: re.Match[str], moment: _Moment) -> Reading:
    then = _months_on(moment.today.replace(day=1), 1 if match["next"] else 0)
    return _counted(then.replace(day=monthrange(then.year, then.month)[1]))


def _end_of_work(_: re.Match[str], moment: _Moment) -> Reading:
    """The closing time of the day, or of the next working day where that is over."""
    day = moment.today
    if not moment.calendar.works_on(day) or moment.said.time() >= moment.calendar.closes:
        day = moment.calendar.working_day_from(day + timedelta(days=1))
    return _counted(datetime.combine(day, moment.calendar.closes, moment.said.tzinfo))


def _end_of_day(_: re.Match[str], moment: _Moment) -> Reading:
    return _counted(moment.today)


def _unclear(why: Why) -> Callable[[re.Match[str], _Moment], Reading]:
    return lambda _, __: Unclear(why)


_N: Final = rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_WITHIN: Final = (
    r"\b(?:(?:em|dentro de|no prazo de|prazo de|daqui a|no maximo em|nos? proxim[oa]s?|nas proximas)"
    r"(?: ate| no maximo)?|ate)\s+"
)
_SPOKEN_WEEKDAY: Final = (
    r"\b(?P<this>(?:n?est[ae]|dest[ae])\s+)?(?P<next>(?:n[ao] )?proxim[ao]\s+)?"
    rf"(?P<weekday>{'|'.join(_WEEKDAYS)})(?:[- ]feira)?"
    r"(?!\s+(?:via|vez|opcao|parte|visita|tentativa|pessoa|parcela)\b)"  # the second one, not the day
    r"(?:(?P<week>,?\s+d?a?\s*(?:semana que vem|proxima semana))|(?P<coming>\s+que vem))?"
    r"(?:,?\s*\(?(?:dia\s+)?(?P<checked>\d{1,2})(?:/(?P<checked_month>\d{1,2})(?:/(?P<checked_year>\d{4}))?)?\)?"
    r"(?![\d:h]|\s*h))?(?!\w)"
)
_SPOKEN_ISO: Final = (
    r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"
    r"(?P<clock>[t ]\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?)?(?!\d)"
)
_SPOKEN_NUMERIC: Final = r"(?<![\d/])(?P<d>\d{1,2})/(?P<m>\d{1,2})(?:/(?P<y>\d{4}|\d{2}))?(?![\d/])"
_SPOKEN_DOTTED: Final = r"(?<![\d.])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?!\d)"
_VAGUE: Final = r"\b(?:em breve|logo|assim que (?:possivel|puder|der)|o quanto antes|nos proximos dias|qualquer dia)\b"
_LONG: Final = r"\b(?:semana|mes|ano)\s+que\s+vem\b|\b(?:proxim[ao]|n?esta|n?este)\s+(?:semana|mes|ano)\b"
_PART_OF_LONG: Final = (
    r"\b(?:fim|final|comeco|inicio|meio)\s+d[ae]\s+semana(?:\s+que\s+vem)?\b|\b(?:comeco|inicio|meio)\s+do\s+mes\b"
)
_END_OF_MONTH: Final = r"\b(?:fim|final)\s+(?:do|deste)\s+(?:mes\b(?!\s+que)|(?P<next>proximo\s+mes|mes\s+que\s+vem)\b)"
_MONTH: Final = "|".join(_MONTHS)

_DAYS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _Moment], Reading]], ...]] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        # The earlier row takes the words.
        (_SPOKEN_ISO, _iso),
        (r"\b(?P<word>depois de amanha|amanha|hoje|anteontem|ontem)\b", _relative),
        (_SPOKEN_WEEKDAY, _weekday),
        (_SPOKEN_NUMERIC, _numeric),
        (_SPOKEN_DOTTED, _numeric),
        (rf"(?<!\d)(?P<d>\d{{1,2}})[ºo°]?\s+de\s+(?P<month>{_MONTH})(?:\s+de\s+(?P<y>\d{{4}}))?\b", _named_month),
        (r"\bdia\s+(?P<d>\d{1,2})(?!\d)(?P<next>\s+do\s+(?:mes que vem|proximo mes))?", _day_of_month),
        (rf"{_WITHIN}{_N}\s*dias?(?P<working>\s+ut(?:eis|il))?(?:\s+corridos)?\b", _days),
        (rf"(?<!\w){_N}\s+dias?(?P<working>\s+ut(?:eis|il))\b", _days),
        (r"(?<!em )(?<!maximo )\bate\s+(?P<n>\d{1,3})\s*(?:h\b|hs\b|horas\b)", _until_hours),
        (rf"{_WITHIN}{_N}\s*(?P<unit>h\b|hs\b|horas?\b|min\b|minutos?\b)", _hours),
        (rf"{_WITHIN}{_N}\s+(?P<unit>semanas?|mes(?:es)?)\b", _weeks_or_months),
        (r"\b(?:n?o\s+)?proximo dia util\b", _next_working_day),
        (_END_OF_MONTH, _end_of_month),
        (r"\b(?:fim|final)\s+do\s+expediente\b", _end_of_work),
        (r"\b(?:fim|final)\s+do\s+dia\b", _end_of_day),
        (_PART_OF_LONG, _unclear(Why.WHICH_DAY)),
        (_LONG, _unclear(Why.WHICH_DAY)),
        (_VAGUE, _unclear(Why.VAGUE)),
    )
)


def spoken_days(words: str, said: datetime, calendar: WorkingCalendar) -> list[Spoken]:
    """The words for days in plain text, in order, none within another."""
    moment = _Moment(said, calendar)
    found: list[Spoken] = []
    taken = bytearray(len(words))
    for pattern, reader in _DAYS:
        for match in pattern.finditer(words):
            start, end = match.span()
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(Spoken(start, end, reader(match, moment)))
    return sorted(found, key=lambda item: item.start)


# --- ways of saying a time ------------------------------------------------------------------------------------------

_LEAD: Final = r"(?:\b(?:as|a|ate as|pelas|a partir das|apos as|antes das|depois das|por volta das)\s+)"
_BARE_LEAD: Final = r"(?:\b(?:as|ate as|pelas|a partir das|apos as|antes das|depois das|por volta das)\s+)"
_HALF: Final = r"(?:\s+da\s+(?P<{name}>manha|tarde|noite|madrugada))?"
_CLOCK: Final = re.compile(
    rf"{_LEAD}?(?<![\d/.,])(?P<h>\d{{1,2}})(?:h(?P<hm>\d{{2}})?(?!\w)|:(?P<cm>\d{{2}})(?:h)?(?!\d)|\s+horas?\b|\s*hs\b){_HALF.format(name='half')}"
    rf"|{_BARE_LEAD}(?P<bare>\d{{1,2}})(?![\d/:h.,]|\s*(?:dias?|horas?|min|de\s|ut)){_HALF.format(name='other')}(?!\w)"
    r"|\b(?:ao\s+)?(?P<noon>meio-?\s?dia)\b|\b(?:a\s+)?(?P<midnight>meia-?\s?noite)\b"
)


def clock_times(words: str, days: Iterable[Spoken]) -> list[Spoken]:
    """The words for times of day in plain text, in order, those aside that belong to a day; "de manhã" is no time."""
    taken = bytearray(len(words))
    for day in days:
        taken[day.start : day.end] = b"\1" * (day.end - day.start)
    found = [Spoken(match.start(), match.end(), _clock(match)) for match in _CLOCK.finditer(words)]
    return [time_ for time_ in found if not any(taken[time_.start : time_.end])]


def _clock(match: re.Match[str]) -> Clock:
    if match["noon"]:
        return Clock(time(12))
    if match["midnight"]:
        return Clock(time(0), unclear=True)  # which of the day's two ends
    hour = int(match["h"] or match["bare"])
    minute = int(match["hm"] or match["cm"] or 0)
    half = match["half"] or match["other"]
    if hour > 23 or minute > 59:
        return Clock(None, unclear=True)
    if half in ("tarde", "noite") and hour < 12:
        return Clock(time(hour + 12, minute))
    # A bare small hour, said without `h`, is morning's or evening's.
    return Clock(time(hour, minute), unclear=match["bare"] is not None and half is None and hour <= 12)
