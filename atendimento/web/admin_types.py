"""Ticket types as administrators see them."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from atendimento.selectors import policy as pages
from atendimento.web.doors import MemberRequest, member_view, number, show


@require_GET
@member_view
def index(request: MemberRequest) -> HttpResponse:
    return show(request, "admin/types.html", tab="types", rows=pages.type_rows(request.member))


@require_GET
@member_view
def detail(request: MemberRequest, slug: str) -> HttpResponse:
    page = pages.type_page(request.member, slug, number(request.GET.get("version")))
    return show(request, "admin/type.html", tab="types", page=page)
