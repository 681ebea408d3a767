"""The model's view of a ticket, the words of its prompts, and the summary that is read and checked."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento.actions import contexts as actions
from atendimento.actions.faults import InvalidInput
from atendimento.actions.runs import request_proposal
from atendimento.selectors import brief as briefs
from atendimento.selectors import contexts as pages
from atendimento.web.doors import MemberRequest, member_view, number, show


@require_http_methods(["GET", "POST"])
@member_view
def context(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    if request.method == "GET":
        message = request.GET.get("message", "").replace("\0", "")[:20]
        words = request.GET.get("words", "").replace("\0", "")[:4000]
        return show(request, "context.html", page=pages.context_page(request.member, ticket_id, message=message, words=words))
    message = request.POST.get("message", "").replace("\0", "").strip()[:20]
    words = request.POST.get("words", "").replace("\r\n", "\n")
    try:
        actions.pin(member=request.member, ticket_id=ticket_id, message=message, words=words)
    except InvalidInput as error:
        fault = error.faults[0].code
        page = pages.context_page(request.member, ticket_id, message=message, words=words, fault=fault)
        return show(request, "context.html", 400, page=page)
    return redirect("web:context", ticket_id)


@require_POST
@member_view
def unpin(request: MemberRequest, ticket_id: uuid.UUID, pin_id: int) -> HttpResponse:
    actions.unpin(member=request.member, ticket_id=ticket_id, pin_id=pin_id)
    return redirect("web:context", ticket_id)


@require_POST
@member_view
def refresh_brief(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Have the model read what is new now. The summary itself is made anew each time that it is looked at."""
    request_proposal(member=request.member, ticket_id=ticket_id)
    return redirect("web:brief", ticket_id)


@require_POST
@member_view
def check_brief(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    version, newest = number(request.POST.get("version")), number(request.POST.get("last_message"))
    try:
        actions.confirm_brief(
            member=request.member, ticket_id=ticket_id, version=-1 if version is None else version, last_message=newest or 0
        )
    except InvalidInput as error:
        found = briefs.brief(request.member, ticket_id, error.faults[0].code)
        return show(request, "brief.html", 409, brief=found)
    return redirect("web:brief", ticket_id)


@require_GET
@member_view
def prompts(request: MemberRequest) -> HttpResponse:
    asked = {key: request.GET.get(key, "").replace("\0", "")[:50] for key in ("shown", "against")}
    return show(request, "admin/prompts.html", tab="model", page=pages.prompts_page(request.member, **asked))
