"""Canned replies: the page of those who keep them, and the composer's picker."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento.actions import canned as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import canned as pages
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_http_methods(["GET", "POST"])
@member_view
def index(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return show(request, "canned.html", page=pages.page(request.member))
    return _save(request, None)


@require_POST
@member_view
def change(request: MemberRequest, canned_id: int) -> HttpResponse:
    return _save(request, canned_id)


@require_POST
@member_view
def remove(request: MemberRequest, canned_id: int) -> HttpResponse:
    actions.remove_canned(member=request.member, canned_id=canned_id)
    return redirect("web:canned")


@require_GET
@member_view
def picker(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """The canned replies for this ticket: a part of its page, or a page of their own."""
    found = pages.picker(request.member, ticket_id)
    template = "parts/canned.html" if is_fragment(request) else "canned_choice.html"
    return show(request, template, canned=found, may_edit=pages.may_edit(request.member), ticket_id=ticket_id)


def _save(request: MemberRequest, canned_id: int | None) -> HttpResponse:
    typed = (request.POST.get("title", ""), request.POST.get("text", ""))
    try:
        actions.save_canned(member=request.member, title=typed[0], text=typed[1], canned_id=canned_id)
    except InvalidInput as error:
        page = pages.page(request.member, typed=typed, fault_text=pages.fault(error.faults[0].code), canned_id=canned_id)
        return show(request, "canned.html", 400, page=page)
    return redirect("web:canned")
