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
    return show(request, "admin/model.html", tab="model", page=pages.model_page(request.member, asking.endpoint().identity))


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
        page = pages.model_page(request.member, asking.endpoint().identity, typed=typed, faults=faults)
        return show(request, "admin/model.html", 400, tab="model", page=page)
    return redirect("web:admin-model")


@require_POST
@member_view
def forget(request: MemberRequest) -> HttpResponse:
    endpoint = asking.endpoint()
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
