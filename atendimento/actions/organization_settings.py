"""What an administrator sets for the whole organisation: what it is called, when it works, and its words for reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Final
from zoneinfo import available_timezones

from django.conf import settings
from django.db import transaction

from atendimento import access
from atendimento.access import Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import Fault, InvalidInput
from atendimento.actions.reminders import look_again
from atendimento.models import Act, Membership, Organization
from memoria.causes import Cause
from memoria.patch import Json

MOST_REASONS: Final = 9  # as many as there are digits to choose one by
MOST_HOLIDAYS: Final = 100
LONGEST: Final = 80
CLOCK: Final = frozenset({"timezone", "weekdays", "opens_at", "closes_at", "holidays"})
"""What says when a commitment is due, and when its working hours before are."""
_DAY_OFF: Final = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}))?\s*[-–:]?\s*(.*)")
_LEAP: Final = 2024


@transaction.atomic
def save_identity(*, member: Membership, name: str, timezone: str, language: str) -> None:
    """Raises InvalidInput: no name, a zone that there is not, a language that the console does not speak."""
    faults = []
    if not name.strip() or len(name) > 200:
        faults.append(Fault("/name", "settings.no_name", "must be a text of at most 200 characters"))
    if timezone not in available_timezones():
        faults.append(Fault("/timezone", "settings.no_zone", "no such time zone"))
    if language not in dict(settings.LANGUAGES):
        faults.append(Fault("/language", "settings.no_language", "no such language"))
    _save(member, "identity", faults, name=name.strip(), timezone=timezone, language=language)


@transaction.atomic
def save_working_time(*, member: Membership, weekdays: Sequence[str], opens: str, closes: str, holidays: str) -> None:
    """The days of the week (0 is Monday), hours as HH:MM, and days off, one a line: `24/06 São João`, or with a year.

    Raises InvalidInput: no day, hours that do not end after they begin, a line that is no date.
    """
    days = sorted({int(day) for day in weekdays if day in {"0", "1", "2", "3", "4", "5", "6"}})
    faults = []
    if not days:
        faults.append(Fault("/weekdays", "settings.no_weekday", "at least one day"))
    hours = _time(opens), _time(closes)
    if hours[0] is None or hours[1] is None or hours[0] >= hours[1]:
        faults.append(Fault("/closes", "settings.no_hours", "must end after they begin"))
    rows: list[Json] = []
    for number, line in enumerate(filter(str.strip, holidays.splitlines()), 1):
        row = _day_off(line.strip())
        if row is None or number > MOST_HOLIDAYS:
            faults.append(Fault("/holidays", "settings.no_holiday", f"line {number}"))
            break
        rows.append(row)
    _save(member, "working_time", faults, weekdays=days, opens_at=hours[0], closes_at=hours[1], holidays=rows)


@transaction.atomic
def save_reasons(*, member: Membership, reject_reasons: str) -> None:
    """The reasons offered when a change is rejected, one a line, in the order of their digits; none: the usual ones.

    Raises InvalidInput: more than nine, a longer one than 80 characters, one twice.
    """
    lines = [line.strip() for line in reject_reasons.splitlines() if line.strip()]
    faults = []
    if len(lines) > MOST_REASONS or len(set(lines)) < len(lines) or any(len(line) > LONGEST for line in lines):
        faults.append(Fault("/reject_reasons", "settings.bad_reasons", "at most nine different ones of 80 characters"))
    _save(member, "reject_reasons", faults, reject_reasons=lines)


@transaction.atomic
def save_causes(*, member: Membership, names: Mapping[str, str]) -> None:
    """What the causes of corrections are called here; an empty name is the usual one. Which count as errors stays.

    Raises InvalidInput: a name of more than 80 characters, or one for two causes.
    """
    known = {cause.value: names.get(cause.value, "").strip() for cause in Cause}
    named = {cause: name for cause, name in known.items() if name}
    faults = []
    if len(set(named.values())) < len(named) or any(len(name) > LONGEST for name in named.values()):
        faults.append(Fault("/causes", "settings.bad_causes", "different ones of at most 80 characters"))
    _save(member, "causes", faults, cause_names=named)


def _save(member: Membership, what: str, faults: Sequence[Fault], **wanted: object) -> None:
    access.require(member, Permission.MANAGE)
    if faults:
        raise InvalidInput(*faults)
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    changed = [name for name, value in wanted.items() if getattr(organization, name) != value]
    if not changed:
        return
    for name in changed:
        setattr(organization, name, wanted[name])
    organization.save(update_fields=changed)
    log_act(member=member, kind=Act.SETTINGS, subject=organization.name, details={"what": what})
    if CLOCK.intersection(changed):
        look_again(organization)


def _time(text: str) -> time | None:
    try:
        return time.fromisoformat(text) if len(text) == len("09:00") else None
    except ValueError:
        return None


def _day_off(line: str) -> dict[str, Json] | None:
    """`{"day", "name"}` of a line: the day as ISO, or `--MM-DD` where it comes back each year."""
    found = _DAY_OFF.fullmatch(line)
    if found is None:
        return None
    day, month, year, name = found.groups()
    try:
        known = date(int(year or _LEAP), int(month), int(day))
    except ValueError:
        return None
    return {"day": known.isoformat() if year else f"--{known:%m-%d}", "name": name[:LONGEST]}
