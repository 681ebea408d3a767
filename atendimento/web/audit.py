"""The log of administration: read by person, act and period, and taken out as a spreadsheet."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import auditing
from atendimento.selectors import acts as pages
from atendimento.selectors import memory as panes
from atendimento.selectors import spreadsheet
from atendimento.selectors import ticket as tickets
from atendimento.selectors.acts import Filters
from atendimento.selectors.memory import Asked
from atendimento.selectors.queue import Filters as QueueFilters
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


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
    name = _("administration-log") + f"-{timezone.localdate():%Y-%m-%d}.csv"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response


@require_POST
@member_view
def open_sensitive(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Show the value of a sensitive field, this once. By POST: that it was opened is written into the log."""
    path = request.POST.get("path", "").replace("\0", "")[:1000]
    auditing.open_sensitive(member=request.member, ticket_id=ticket_id, path=path)
    asked = Asked(pane="decide" if request.POST.get("pane") == "decide" else "state", opened=path)
    if is_fragment(request):
        return show(request, "parts/memory.html", memory=panes.read(request.member, ticket_id, asked))
    page = tickets.ticket_page(request.member, str(ticket_id), asked, QueueFilters.read(request.GET))
    if page is None:
        raise Http404
    return show(request, "ticket.html", page=page, seen_url=reverse("web:seen", args=[ticket_id]))
