"""What was corrected, across tickets: the list with its filters, its spreadsheet, and saying a cause.

Everything works without JavaScript; filters live in the address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from zoneinfo import ZoneInfo

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone, translation
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from atendimento import tenancy
from atendimento.actions import corrections as actions
from atendimento.actions.faults import InvalidInput
from atendimento.models import Membership
from atendimento.selectors import corrections as pages
from atendimento.selectors import spreadsheet
from atendimento.selectors.corrections import Filters
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, member_view, show

BATCH = 500


@require_GET
@member_view
def index(request: MemberRequest) -> HttpResponse:
    return show(request, "corrections.html", page=pages.page(request.member, Filters.read(request.GET)))


@require_POST
@member_view
def cause(request: MemberRequest, correction_id: int) -> HttpResponse:
    filters = Filters.read(QueryDict(request.POST.get("back", "")))
    try:
        actions.choose_cause(member=request.member, correction_id=correction_id, cause=request.POST.get("cause", ""))
    except InvalidInput:
        problem = Problem(_("Choose a cause first."))
        return show(request, "corrections.html", 400, page=pages.page(request.member, filters, problem))
    return redirect(f"{filters.address(after=filters.after)}#correction-{correction_id}")


@require_GET
@member_view
def export(request: MemberRequest) -> HttpResponseBase:
    filters = Filters.read(request.GET)
    pages.export(request.member, filters, 1)  # who may not, is told so before anything is sent
    response = StreamingHttpResponse(
        _parts(request.member, filters, translation.get_language() or ""), content_type="text/csv; charset=utf-8"
    )
    name = f"{_('corrections')}-{timezone.localdate():%Y-%m-%d}.csv"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response


async def _parts(member: Membership, filters: Filters, language: str) -> AsyncIterator[str]:
    """The spreadsheet in pieces, each read when the one before it has gone out."""
    wanted: Filters | None = filters
    first = True
    while wanted is not None:
        piece, wanted = await sync_to_async(_part)(member, wanted, language, first=first)
        first = False
        yield piece


def _part(member: Membership, filters: Filters, language: str, *, first: bool) -> tuple[str, Filters | None]:
    # The request is over: its organisation, words and times are entered anew, and its connection is given back.
    try:
        with (
            tenancy.organization(member.organization_id),
            timezone.override(ZoneInfo(member.organization.timezone)),
            translation.override(language),
        ):
            rows, following = pages.export(member, filters, BATCH)
            heading = spreadsheet.BYTE_ORDER_MARK + spreadsheet.lines([pages.heading()], language) if first else ""
            return heading + spreadsheet.lines(rows, language), following
    finally:
        if not connection.in_atomic_block:
            connection.close()
