"""Ticket types as administrators see them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions.faults import InvalidInput
from atendimento.actions.type_drafts import new_type
from atendimento.selectors import policy as pages
from atendimento.selectors.try_out import Asked
from atendimento.web.doors import MemberRequest, is_fragment, member_view, number, show


@require_GET
@member_view
def index(request: MemberRequest) -> HttpResponse:
    return show(request, "admin/types.html", tab="types", page=pages.types_page(request.member))


@require_POST
@member_view
def new(request: MemberRequest) -> HttpResponse:
    """Begin the draft of a type that there is not yet; what cannot be taken comes back beside its input."""
    said = {name: request.POST.get(name, "").replace("\0", "").strip()[:200] for name in ("name", "slug", "like")}
    try:
        draft = new_type(member=request.member, **said)
    except InvalidInput as error:
        faults = {fault.pointer.strip("/"): fault.code for fault in error.faults}
        return show(request, "admin/types.html", 400, tab="types", page=pages.types_page(request.member, **said, faults=faults))
    return redirect("web:admin-draft", draft.slug)


@require_GET
@member_view
def detail(request: MemberRequest, slug: str) -> HttpResponse:
    page = pages.type_page(request.member, slug, number(request.GET.get("version")), Asked.read(request.GET))
    return show(request, "admin/type.html", tab="types", page=page)


@require_GET
@member_view
def publication(request: MemberRequest, slug: str) -> HttpResponse:
    """How far what the last publication does to tickets has come; without a script, on the type's page."""
    page = pages.publication_part(request.member, slug)
    if not is_fragment(request):
        return redirect("web:admin-type", slug)
    return show(request, "admin/publication.html", page=page)
