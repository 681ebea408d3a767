"""A member's own views of the queue: kept from the present filters, renamed, put in order, removed."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from atendimento.actions import queue_views as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import queue as queues
from atendimento.selectors.hands import fault
from atendimento.selectors.queue_filters import Filters
from atendimento.web.doors import MemberRequest, member_view, show


def _page(request: MemberRequest, status: int = 200, problem: str = "") -> HttpResponse:
    return show(request, "queue_views.html", status, views=queues.own_views(request.member, Filters()), problem=problem)


def _changed(request: MemberRequest, run: Callable[[], object]) -> HttpResponse:
    try:
        run()
    except InvalidInput as error:
        return _page(request, 400, fault(error.faults[0].code))
    return redirect("web:queue-views")


@require_http_methods(["GET", "POST"])
@member_view
def index(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return _page(request)
    filters = Filters.read(request.POST).whole
    try:
        actions.keep_view(member=request.member, name=request.POST.get("name", ""), asked=filters.asked)
    except InvalidInput as error:
        return _page(request, 400, fault(error.faults[0].code))
    return redirect(filters.address(did="keep"))


@require_POST
@member_view
def change(request: MemberRequest, view_id: int) -> HttpResponse:
    name = request.POST.get("name", "")
    return _changed(request, lambda: actions.rename_view(member=request.member, view_id=view_id, name=name))


@require_POST
@member_view
def move(request: MemberRequest, view_id: int) -> HttpResponse:
    up = request.POST.get("to") == "up"
    return _changed(request, lambda: actions.move_view(member=request.member, view_id=view_id, up=up))


@require_POST
@member_view
def remove(request: MemberRequest, view_id: int) -> HttpResponse:
    return _changed(request, lambda: actions.remove_view(member=request.member, view_id=view_id))
