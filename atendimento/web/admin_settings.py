"""The settings of the organisation. Each card is a form of its own."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import organization_settings as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import organization_settings as pages
from atendimento.web.doors import MemberRequest, member_view, show
from memoria.causes import Cause

WEEK = frozenset("0123456")
ONE_LINE = 200
MANY_LINES = 20_000


@require_GET
@member_view
def detail(request: MemberRequest) -> HttpResponse:
    saved = _("Saved.") if "saved" in request.GET else ""
    return show(request, "admin/settings.html", tab="settings", page=pages.settings_page(request.member, saved=saved))


@require_POST
@member_view
def identity(request: MemberRequest) -> HttpResponse:
    return _save(request, lambda typed: actions.save_identity(member=request.member, **typed), "name", "timezone", "language")


@require_POST
@member_view
def working_time(request: MemberRequest) -> HttpResponse:
    days = request.POST.getlist("weekday")[:7]

    def run(typed: dict[str, str]) -> None:
        actions.save_working_time(member=request.member, weekdays=days, **typed)

    return _save(request, run, "opens", "closes", "holidays", weekdays=frozenset(int(day) for day in days if day in WEEK))


@require_POST
@member_view
def reasons(request: MemberRequest) -> HttpResponse:
    return _save(request, lambda typed: actions.save_reasons(member=request.member, **typed), "reject_reasons")


@require_POST
@member_view
def causes(request: MemberRequest) -> HttpResponse:
    names = [f"cause-{cause.value}" for cause in Cause]

    def run(typed: dict[str, str]) -> None:
        actions.save_causes(member=request.member, names={name.removeprefix("cause-"): text for name, text in typed.items()})

    return _save(request, run, *names)


def _save(
    request: MemberRequest, run: Callable[[dict[str, str]], None], *names: str, weekdays: frozenset[int] | None = None
) -> HttpResponse:
    many = {"holidays", "reject_reasons"}
    typed = {
        name: request.POST.get(name, "").replace("\0", "").strip()[: MANY_LINES if name in many else ONE_LINE + 1]
        for name in names
    }
    try:
        run(typed)
    except InvalidInput as error:
        faults = {fault.pointer.removeprefix("/"): _told(fault.code, fault.detail) for fault in error.faults}
        page = pages.settings_page(request.member, typed=typed, weekdays=weekdays, faults=faults)
        return show(request, "admin/settings.html", 400, tab="settings", page=page)
    return redirect(f"{request.path.rsplit('/', 1)[0]}/?saved")


def _told(code: str, detail: str) -> str:
    said = str(pages.FAULTS[code])
    if code != "settings.no_holiday":
        return said
    return _("%(said)s line %(number)s.") % {"said": said, "number": detail.removeprefix("line ")}
