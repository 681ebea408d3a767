"""Trying a draft on past decisions: begin, follow, stop, and look at what would come out otherwise."""

from __future__ import annotations

import uuid
from datetime import date

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import simulations as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import simulation as pages
from atendimento.selectors import type_draft
from atendimento.selectors.parts import Problem
from atendimento.selectors.try_out import Asked
from atendimento.web.doors import MemberRequest, is_fragment, member_view, number, show
from memoria.fields import InvalidTicketType


@require_POST
@member_view
def start(request: MemberRequest, slug: str) -> HttpResponse:
    """Begin: on the last so many decisions, or on those of a period, where one is named."""
    since, until = _day(request.POST.get("from")), _day(request.POST.get("to"))
    scope = actions.Scope(number(request.POST.get("last")), since, until)
    revision = number(request.POST.get("revision")) or 0
    try:
        made = actions.start_simulation(member=request.member, slug=slug, revision=revision, scope=scope)
    except InvalidTicketType:
        problem = Problem(_("It was not tried."), _("What is wrong stands beside each field."))
        return _again(request, slug, problem, 400)
    except InvalidInput as error:
        code = error.faults[0].code
        problem = Problem(_("It was not tried."), type_draft.fault(code))
        return _again(request, slug, problem, 409 if code == "draft.overtaken" else 400)
    return redirect(reverse("web:admin-simulation", args=[slug, made.pk]))


def _again(request: MemberRequest, slug: str, problem: Problem, status: int) -> HttpResponse:
    page = type_draft.draft_page(request.member, slug, Asked(), problem=problem)
    return show(request, "admin/draft.html", status, tab="types", page=page)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


@require_GET
@member_view
def detail(request: MemberRequest, slug: str, simulation_id: uuid.UUID) -> HttpResponse:
    page = pages.simulation_page(
        request.member,
        slug,
        simulation_id,
        kind=request.GET.get("kind", "")[:40],
        field=request.GET.get("field", "").replace("\0", "")[:250],
        page=number(request.GET.get("page"), 10_000) or 0,
    )
    template = "admin/simulation_outcome.html" if is_fragment(request) else "admin/simulation.html"
    return show(request, template, tab="types", page=page)


@require_POST
@member_view
def cancel(request: MemberRequest, slug: str, simulation_id: uuid.UUID) -> HttpResponse:
    actions.cancel_simulation(member=request.member, slug=slug, simulation_id=simulation_id)
    return redirect(reverse("web:admin-simulation", args=[slug, simulation_id]))


@require_GET
@member_view
def difference(request: MemberRequest, slug: str, simulation_id: uuid.UUID, difference_id: int) -> HttpResponse:
    page = pages.difference_page(request.member, slug, simulation_id, difference_id)
    return show(request, "admin/simulation_difference.html", tab="types", page=page)
