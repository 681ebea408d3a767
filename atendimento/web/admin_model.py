"""The model's page for administrators: settings, queue and failures. Every step is a plain form."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import asking
from atendimento.actions import model_settings as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import model_page as pages
from atendimento.web.doors import MemberRequest, member_view, show


@require_GET
@member_view
def model(request: MemberRequest) -> HttpResponse:
    return _page(request)


@require_POST
@member_view
def endpoint(request: MemberRequest) -> HttpResponse:
    """The organisation's own model: tried with one question, then kept; or given up for the installation's."""
    names = ("base_url", "name", "key")
    typed = {name: request.POST.get(name, "").replace("\0", "").strip()[:500] for name in names}
    try:
        if request.POST.get("act") == "drop":
            actions.drop_endpoint(member=request.member)
            messages.info(request, _("From now on the installation's model is asked."))
        else:
            actions.save_endpoint(
                member=request.member,
                base_url=typed["base_url"],
                model=typed["name"],
                key=typed["key"],
            )
            messages.info(request, _("The model answered, and was saved."))
    except InvalidInput as error:
        faults = {item.pointer.removeprefix("/"): pages.endpoint_fault(item.code, item.detail) for item in error.faults}
        return _page(request, 400, typed={**typed, "key": ""}, faults=faults)
    return redirect("web:admin-model")


def _page(
    request: MemberRequest, status: int = 200, typed: dict[str, str] | None = None, faults: dict[str, str] | None = None
) -> HttpResponse:
    asked = asking.endpoint(request.member.organization_id)
    page = pages.model_page(request.member, asked.identity, typed=typed, faults=faults)
    return show(request, "admin/model.html", status, tab="model", page=page)


@require_POST
@member_view
def masking(request: MemberRequest) -> HttpResponse:
    actions.set_masking(member=request.member, on=request.POST.get("masking") == "on")
    return redirect("web:admin-model")


@require_POST
@member_view
def budget(request: MemberRequest) -> HttpResponse:
    typed = {name: request.POST.get(name, "").replace("\0", "").strip()[:40] for name in ("tokens", "cost")}
    try:
        actions.set_budget(member=request.member, **typed)
    except InvalidInput as error:
        faults = {item.pointer.removeprefix("/"): pages.fault(item.code) for item in error.faults}
        return _page(request, 400, typed=typed, faults=faults)
    return redirect("web:admin-model")


@require_POST
@member_view
def forget(request: MemberRequest) -> HttpResponse:
    endpoint = asking.endpoint(request.member.organization_id)
    if actions.forget_endpoint(member=request.member, identity=endpoint.identity, model=endpoint.model):
        messages.info(request, _("Forgotten. The next reading finds out again how the server takes answers."))
    return redirect("web:admin-model")


@require_POST
@member_view
def retry(request: MemberRequest) -> HttpResponse:
    tried = actions.retry_runs(member=request.member, proposals=request.POST.getlist("run"))
    said = ngettext("%(count)d reading is tried again.", "%(count)d readings are tried again.", tried) % {"count": tried}
    messages.info(request, said)
    return redirect("web:admin-model")
