"""Teams: made, renamed, opened to all or closed, archived, and who is in them. Every step is a plain form."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from atendimento.actions import teams as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import teams as pages
from atendimento.selectors.hands import fault
from atendimento.web.doors import MemberRequest, member_view, number, show


@require_http_methods(["GET", "POST"])
@member_view
def index(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return show(request, "admin/teams.html", tab="teams", page=pages.page(request.member))
    name, is_open = request.POST.get("name", ""), request.POST.get("open") == "on"
    return _changed(request, lambda: actions.create_team(member=request.member, name=name, open_to_all=is_open), name=name)


@require_POST
@member_view
def change(request: MemberRequest, team_id: int) -> HttpResponse:
    name, is_open = request.POST.get("name", ""), request.POST.get("open") == "on"
    return _changed(
        request,
        lambda: actions.change_team(member=request.member, team_id=team_id, name=name, open_to_all=is_open),
        team_id=team_id,
    )


@require_POST
@member_view
def people(request: MemberRequest, team_id: int) -> HttpResponse:
    """Who is in the team: all of them at once, as the form has them."""
    named = {field: [number(text) or 0 for text in request.POST.getlist(field)[:1000]] for field in ("inside", "leads")}
    return _changed(
        request,
        lambda: actions.set_team_members(member=request.member, team_id=team_id, members=named["inside"], leads=named["leads"]),
        team_id=team_id,
    )


@require_POST
@member_view
def archive(request: MemberRequest, team_id: int) -> HttpResponse:
    archived = request.POST.get("to") != "back"
    return _changed(request, lambda: actions.archive_team(member=request.member, team_id=team_id, archived=archived))


def _changed(request: MemberRequest, run: Callable[[], object], *, name: str = "", team_id: int | None = None) -> HttpResponse:
    try:
        run()
    except InvalidInput as error:
        page = pages.page(request.member, name=name, fault=fault(error.faults[0].code), team_id=team_id)
        return show(request, "admin/teams.html", 400, tab="teams", page=page)
    return redirect("web:admin-teams")
