"""The settings of the whole organisation, as its administrators see and edit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from zoneinfo import available_timezones

from django.conf import settings
from django.utils.dates import WEEKDAYS
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Membership
from atendimento.selectors.corrections import CAUSES
from atendimento.selectors.parts import Option
from memoria.causes import ERRORS

FAULTS: Final[Mapping[str, Promise]] = {
    "settings.no_name": gettext_lazy("Give a name of at most 200 characters."),
    "settings.no_zone": gettext_lazy("Choose a time zone of the list."),
    "settings.no_language": gettext_lazy("Choose a language."),
    "settings.no_weekday": gettext_lazy("Choose at least one day."),
    "settings.no_hours": gettext_lazy("Work must end after it begins, as in 09:00 and 18:00."),
    "settings.no_holiday": gettext_lazy("Write each day on a line of its own, as in 24/06 São João or 08/12/2026. See"),
    "settings.bad_reasons": gettext_lazy("At most nine reasons, each another one, of at most 80 characters."),
    "settings.bad_causes": gettext_lazy("Each cause needs a name of its own, of at most 80 characters."),
}


@dataclass(frozen=True, slots=True)
class CauseName:
    code: str
    usual: str
    name: str
    counts: bool  # as an error


@dataclass(frozen=True, slots=True)
class SettingsPage:
    name: str
    zones: tuple[Option, ...]
    languages: tuple[Option, ...]
    weekdays: tuple[Option, ...]
    opens: str
    closes: str
    holidays: str
    reject_reasons: str
    causes: tuple[CauseName, ...]
    faults: Mapping[str, str] = field(default_factory=dict)
    saved: str = ""


def settings_page(
    member: Membership,
    *,
    typed: Mapping[str, str] | None = None,
    weekdays: frozenset[int] | None = None,
    faults: Mapping[str, str] | None = None,
    saved: str = "",
) -> SettingsPage:
    """What holds, or, after a refusal, what was typed. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    organization, given = member.organization, typed or {}
    worked = frozenset(organization.weekdays) if weekdays is None else weekdays
    zone, language = given.get("timezone", organization.timezone), given.get("language", organization.language)
    return SettingsPage(
        name=given.get("name", organization.name),
        zones=tuple(Option(name, name, name == zone) for name in zones(organization.timezone)),
        languages=tuple(Option(code, label, code == language) for code, label in settings.LANGUAGES),
        weekdays=tuple(Option(str(day), str(label), day in worked) for day, label in WEEKDAYS.items()),
        opens=given.get("opens", f"{organization.opens_at:%H:%M}"),
        closes=given.get("closes", f"{organization.closes_at:%H:%M}"),
        holidays=given.get("holidays", "\n".join(_line(row) for row in organization.holidays)),
        reject_reasons=given.get("reject_reasons", "\n".join(organization.reject_reasons)),
        causes=tuple(
            CauseName(code, str(label), given.get(f"cause-{code}", organization.cause_names.get(code, "")), code in ERRORS)
            for code, label in CAUSES.items()
        ),
        faults=faults or {},
        saved=saved,
    )


def zones(present: str) -> list[str]:
    """Brazil's, and the one that is set; then all others."""
    known = available_timezones()
    brazil = [name for name in BRAZIL if name in known]
    return list(dict.fromkeys([*brazil, present, *sorted(name for name in known if "/" in name)]))


BRAZIL: Final = (
    "America/Sao_Paulo",
    "America/Recife",
    "America/Bahia",
    "America/Fortaleza",
    "America/Belem",
    "America/Maceio",
    "America/Araguaina",
    "America/Cuiaba",
    "America/Campo_Grande",
    "America/Manaus",
    "America/Porto_Velho",
    "America/Boa_Vista",
    "America/Rio_Branco",
    "America/Noronha",
)


def _line(row: Mapping[str, str]) -> str:
    text = row["day"]
    shown = f"{text[5:]}/{text[2:4]}" if text.startswith("--") else f"{date.fromisoformat(text):%d/%m/%Y}"
    return f"{shown} {row['name']}".rstrip()
