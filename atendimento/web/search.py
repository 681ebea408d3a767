"""The search: a page of its own, and the same results as a panel below the field while somebody types."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from atendimento.selectors import search as pages
from atendimento.selectors.search_filters import Filters
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show
from atendimento.web.limits import limited

MOST = 240
"""Searches of a member in a minute: somebody who types fast makes two or three a second, and not for long."""


@require_GET
@member_view
@limited("search", MOST)
def search(request: MemberRequest) -> HttpResponse:
    filters = Filters.read(request.GET)
    if is_fragment(request):
        return show(request, "parts/search_panel.html", page=pages.page(request.member, filters, panel=True))
    return show(request, "search.html", page=pages.page(request.member, filters))
