"""When something is due, where the words leave no doubt; the stand-in's own small reading of Portuguese dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

_WEEKDAYS: Final = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
_TIME: Final = r"(?:,?\s*(?:(?:as|a|a partir das|pelas)\s+)?)(?P<hour>\d{1,2})(?:h(?P<half>\d{2})?|:(?P<minute>\d{2})|\s*horas)"
_DAY: Final = (
    r"(?P<relative>depois de amanha|amanha|hoje)"
    r"|(?P<weekday>segunda|terca|quarta|quinta|sexta|sabado|domingo)(?:-feira)?(?:,?\s*dia\s+(?P<checked>\d{1,2}))?"
    r"|dia\s+(?P<number>\d{1,2})(?!\s*/)"
    r"|(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>\d{4}))?"
)
WHEN: Final = re.compile(rf"\b(?:{_DAY})(?:\s*(?:de manha|pela manha|a tarde|de tarde|a noite|de noite))?(?:{_TIME})?(?!\w)")
"""A day, with or without a time of day, in plain text."""

_TERM: Final = re.compile(
    r"\b(?:em\s+ate|em|dentro\s+de|daqui\s+a)\s+(?P<n>\d{1,3}|uma?|duas|dois|tres)\s*"
    r"(?P<unit>minutos?|min|horas?|h|dias?(?P<working>\s+uteis|\s+util)?)\b"
)
_NUMBERS: Final = {"um": 1, "uma": 1, "dois": 2, "duas": 2, "tres": 3}


@dataclass(frozen=True, slots=True)
class When:
    start: int
    end: int
    iso: str | None  # a date, or a date and time with zone; None where the words name no single day


def whens(text: str, sent_at: datetime | None) -> list[When]:
    """Every day or time named in plain text, counted from when it was said."""
    days = [When(match.start(), match.end(), _iso(match, sent_at)) for match in WHEN.finditer(text)]
    return sorted([*days, *_terms(text, sent_at)], key=lambda when: when.start)


def _terms(text: str, sent_at: datetime | None) -> list[When]:
    """A number of minutes, hours or days from when it was said. Working days take a calendar, which is not at hand."""
    found = []
    for match in _TERM.finditer(text):
        count = int(match["n"]) if match["n"].isdecimal() else _NUMBERS[match["n"]]
        unit = "days" if match["unit"].startswith("d") else "minutes" if match["unit"].startswith("min") else "hours"
        iso = None
        if sent_at is not None and not match["working"]:
            then = sent_at + timedelta(**{unit: count})
            iso = then.date().isoformat() if unit == "days" else then.isoformat()
        found.append(When(match.start(), match.end(), iso))
    return found


def _iso(match: re.Match[str], sent_at: datetime | None) -> str | None:
    if sent_at is None:
        return None
    try:
        day = _day(match, sent_at)
        if day is None:
            return None
        if match["hour"] is None:
            return day.date().isoformat()
        minute = int(match["half"] or match["minute"] or 0)
        return day.replace(hour=int(match["hour"]), minute=minute, second=0, microsecond=0).isoformat()
    except ValueError:  # a day 31 where there is none, an hour 25
        return None


def _day(match: re.Match[str], sent_at: datetime) -> datetime | None:
    if match["relative"]:
        return sent_at + timedelta(days=("hoje", "amanha", "depois de amanha").index(match["relative"]))
    if match["weekday"]:
        ahead = (_WEEKDAYS.index(match["weekday"]) - sent_at.weekday()) % 7 or 7
        day = sent_at + timedelta(days=ahead)
        # Where words name the day of the month too, both must agree.
        return day if match["checked"] in (None, str(day.day), f"{day.day:02}") else None
    if match["number"]:
        return _next_with_day(sent_at, int(match["number"]))
    year = int(match["year"]) if match["year"] else sent_at.year
    day = sent_at.replace(year=year, month=int(match["month"]), day=int(match["day"]))
    return day.replace(year=year + 1) if match["year"] is None and day.date() < sent_at.date() else day


def _next_with_day(sent_at: datetime, number: int) -> datetime | None:
    for ahead in range(62):
        day = sent_at + timedelta(days=ahead)
        if day.day == number:
            return day
    return None
