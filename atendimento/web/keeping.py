"""Retention, erasure, legal holds, and a customer's data. Every step is a plain form."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento import ledger
from atendimento.actions import erasures, exports, holds
from atendimento.actions import retention as actions
from atendimento.actions.faults import InvalidInput
from atendimento.models import LegalHold, Membership
from atendimento.selectors import customers
from atendimento.selectors import keeping as pages
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show
from memoria.retention import DataClass


def _typed(request: MemberRequest, *names: str) -> dict[str, str]:
    return {name: request.POST.get(name, "").replace("\0", "").strip()[:400] for name in names}


def _faults(error: InvalidInput) -> dict[str, str]:
    return {item.pointer.removeprefix("/"): pages.fault(item.code) for item in error.faults}


def _standing(member: Membership) -> frozenset[int]:
    rows = holds.standing(LegalHold.objects.filter(organization=member.organization), holds.today(member.organization))
    return frozenset(row.pk for row in rows)


# --- retention ------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@member_view
def retention(request: MemberRequest) -> HttpResponse:
    member = request.member
    if request.method == "GET":
        pages.retention_page(member)  # who may not, is told so before anything is counted
        counted = None
        if "count" in request.GET:
            counted = actions.due(member.organization, actions.periods_of(member.organization), ledger.now())
        template = "keeping/runs.html" if is_fragment(request) else "keeping/retention.html"
        return show(request, template, tab="retention", page=pages.retention_page(member, over=counted))
    typed = _typed(request, *(kind.value for kind in DataClass))
    try:
        actions.set_periods(member=member, typed=typed)
    except InvalidInput as error:
        page = pages.retention_page(member, typed=typed, faults=_faults(error))
        return show(request, "keeping/retention.html", 400, tab="retention", page=page)
    messages.info(request, _("The periods are saved. Nothing is erased before the next run."))
    return redirect("web:admin-retention")


@require_POST
@member_view
def run(request: MemberRequest) -> HttpResponse:
    actions.begin_run(organization=request.member.organization, member=request.member)
    return redirect(reverse("web:admin-retention") + "#runs")


# --- erasures and holds ---------------------------------------------------------------------------------------------


@require_GET
@member_view
def requests(request: MemberRequest) -> HttpResponse:
    page = pages.erasures_page(request.member, _standing(request.member))
    template = "keeping/requests.html" if is_fragment(request) else "keeping/erasures.html"
    return show(request, template, tab="erasures", page=page)


def _decide(request: MemberRequest, run: Callable[[], object]) -> HttpResponse:
    try:
        run()
    except InvalidInput as error:
        problem = Problem(_("Nothing was changed."), " ".join(_faults(error).values()))
        page = pages.erasures_page(request.member, _standing(request.member), problem)
        return show(request, "keeping/erasures.html", 409, tab="erasures", page=page)
    return redirect("web:admin-erasures")


@require_POST
@member_view
def approve(request: MemberRequest, request_id: uuid.UUID) -> HttpResponse:
    return _decide(request, lambda: erasures.approve(member=request.member, request_id=request_id))


@require_POST
@member_view
def refuse(request: MemberRequest, request_id: uuid.UUID) -> HttpResponse:
    reason = _typed(request, "reason")["reason"]
    return _decide(request, lambda: erasures.refuse(member=request.member, request_id=request_id, reason=reason))


@require_POST
@member_view
def lift(request: MemberRequest, hold_id: int) -> HttpResponse:
    return _decide(request, lambda: holds.lift_hold(member=request.member, hold_id=hold_id))


# --- a customer -----------------------------------------------------------------------------------------------------


@require_GET
@member_view
def customer(request: MemberRequest, customer_id: uuid.UUID) -> HttpResponse:
    return show(request, "keeping/customer.html", page=customers.page(request.member, customer_id, _standing(request.member)))


def _act(request: MemberRequest, customer_id: uuid.UUID, typed: dict[str, str], run: Callable[[], str]) -> HttpResponse:
    try:
        said = run()
    except InvalidInput as error:
        page = customers.page(request.member, customer_id, _standing(request.member), typed=typed, faults=_faults(error))
        return show(request, "keeping/customer.html", 400, page=page)
    messages.info(request, said)
    return redirect("web:customer", customer_id)


@require_POST
@member_view
def erase(request: MemberRequest, customer_id: uuid.UUID) -> HttpResponse:
    typed = _typed(request, "reason")

    def ask() -> str:
        erasures.request_erasure(member=request.member, customer_id=customer_id, reason=typed["reason"])
        return _("The erasure is asked for. An administrator decides.")

    return _act(request, customer_id, typed, ask)


@require_POST
@member_view
def hold(request: MemberRequest, customer_id: uuid.UUID) -> HttpResponse:
    typed = _typed(request, "why", "until", "ticket")
    of = {"ticket_id": typed["ticket"]} if typed["ticket"] else {"customer_id": str(customer_id)}

    def place() -> str:
        holds.place_hold(member=request.member, reason=typed["why"], until=typed["until"], **of)
        return _("The hold stands: nothing of it is erased.")

    return _act(request, customer_id, typed, place)


@require_POST
@member_view
def export(request: MemberRequest, customer_id: uuid.UUID) -> HttpResponse:
    try:
        exports.make_export(member=request.member, customer_id=customer_id)
    except InvalidInput as error:
        page = customers.page(request.member, customer_id, _standing(request.member))
        problem = Problem(_("No file was made."), " ".join(_faults(error).values()))
        return show(request, "keeping/customer.html", 409, page=page, problem=problem)
    messages.info(request, _("The file is made, and can be fetched for seven days."))
    return redirect("web:customer", customer_id)


@require_POST
@member_view
def export_file(request: MemberRequest, export_id: uuid.UUID) -> HttpResponse:
    """By POST: that the file was fetched is written into the log."""
    content = exports.read_export(member=request.member, export_id=export_id)
    name = _("customer-data") + f"-{str(export_id)[-6:]}"
    if request.POST.get("as") == "page":
        response = render(request, "keeping/readable.html", {"data": _readable(json.loads(content))})
        name += ".html"
    else:
        response = HttpResponse(content, content_type="application/json; charset=utf-8")
        name += ".json"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response


def _readable(document: dict[str, Any]) -> dict[str, Any]:
    """The document as the page walks through it: a template would take `values.items` for a member of that name."""
    tickets = [ticket | {"held": list(ticket["state"]["values"].items())} for ticket in document["tickets"]]
    return document | {"tickets": tickets}
