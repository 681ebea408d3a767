"""Setting up a new organisation, and the walk through the demonstration."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import asking
from atendimento.actions import first_run as actions
from atendimento.selectors import first_run as pages
from atendimento.selectors import tour as tours
from atendimento.selectors.model_page import endpoint_fault
from atendimento.web.doors import MemberRequest, member_view, show


@require_GET
@member_view
def detail(request: MemberRequest) -> HttpResponse:
    page = pages.first_run(request.member, endpoint=_asked(request))
    return show(request, "first_run.html", page=page)


@require_POST
@member_view
def try_model(request: MemberRequest) -> HttpResponse:
    code, said = actions.try_model(member=request.member)
    problem = endpoint_fault(code, said) if code else ""
    page = pages.first_run(request.member, problem=problem, answered=not code, endpoint=_asked(request))
    return show(request, "first_run.html", page=page)


def _asked(request: MemberRequest) -> str:
    """The identity of the model's server."""
    return asking.endpoint(request.member.organization_id).identity


@require_POST
@member_view
def pass_over(request: MemberRequest) -> HttpResponse:
    actions.pass_over(member=request.member, step=request.POST.get("step", ""), passed=request.POST.get("passed") == "on")
    return redirect("web:first-run")


@require_POST
@member_view
def finish(request: MemberRequest) -> HttpResponse:
    actions.finish(member=request.member)
    return redirect("web:queue")


@require_GET
@member_view
def tour(request: MemberRequest) -> HttpResponse:
    """The demonstration's walk, from its beginning; 404 where there is none."""
    address = tours.begin(request.member)
    if not address:
        raise Http404
    return redirect(address)
