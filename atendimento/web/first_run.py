"""Setting up a new organisation, and the walk through the demonstration."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import asking
from atendimento.actions import first_run as actions
from atendimento.selectors import first_run as pages
from atendimento.selectors import tour as tours
from atendimento.web.doors import MemberRequest, member_view, show

PROBLEMS: dict[str, Promise] = {
    "model.not_configured": _("No model is configured yet. Whoever runs this installation names one, or you give your own."),
    "model.unavailable": _("The model's server did not answer."),
    "model.rejected_request": _("The model's server refused the question."),
    "model.invalid_answer": _("Something answered, but not as a model does."),
}


@require_GET
@member_view
def detail(request: MemberRequest) -> HttpResponse:
    return show(request, "first_run.html", page=pages.first_run(request.member, endpoint=asking.endpoint().identity))


@require_POST
@member_view
def try_model(request: MemberRequest) -> HttpResponse:
    code, said = actions.try_model(member=request.member)
    problem = f"{PROBLEMS[code]} {said}".strip() if code else ""
    page = pages.first_run(request.member, problem=problem, answered=not code, endpoint=asking.endpoint().identity)
    return show(request, "first_run.html", page=page)


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
