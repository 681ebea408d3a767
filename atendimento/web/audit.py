"""The log of administration: read by person, act and period, and taken out as a spreadsheet."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone, translation
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import auditing
from atendimento.selectors import acts as pages
from atendimento.selectors import spreadsheet
from atendimento.selectors.acts import Filters
from atendimento.web.doors import MemberRequest, member_view, show


@require_GET
@member_view
def acts(request: MemberRequest) -> HttpResponse:
    return show(request, "admin/acts.html", tab="acts", page=pages.page(request.member, Filters.read(request.GET)))


@require_POST
@member_view
def export(request: MemberRequest) -> HttpResponse:
    """By POST: that the log was taken out is an entry of it."""
    filters = Filters.read(request.POST)
    auditing.note_log_export(member=request.member, entries=pages.count(request.member, filters))
    language = translation.get_language() or ""
    text = spreadsheet.BYTE_ORDER_MARK + spreadsheet.lines([pages.heading(), *pages.export(request.member, filters)], language)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    name = f"{_('log')}-{timezone.localdate():%Y-%m-%d}.csv"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response
