"""Having a ticket's messages read again: begin, follow, compare, go on after a fault. Works without JavaScript."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import rebuilds as actions
from atendimento.selectors import rebuilds as pages
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show
from memoria.errors import Code, DomainError


@require_GET
@member_view
def detail(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    page = pages.page(request.member, ticket_id)
    return show(request, "rebuilds/outcome.html" if is_fragment(request) else "rebuilds/page.html", page=page)


@require_POST
@member_view
def start(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    member = request.member
    try:
        actions.start_rereading(organization=member.organization, member=member, ticket_id=ticket_id)
    except DomainError as error:
        return _merged(ticket_id, error)
    return redirect(reverse("web:rebuild", args=[ticket_id]))


def _merged(ticket_id: uuid.UUID, error: DomainError) -> HttpResponse:
    """Of a merged ticket nothing is read again: its own page says where it goes on."""
    if error.code is not Code.TICKET_MERGED:
        raise error
    return redirect(reverse("web:ticket", args=[ticket_id]))


@require_POST
@member_view
def retry(request: MemberRequest, ticket_id: uuid.UUID, rebuild_id: uuid.UUID) -> HttpResponse:
    try:
        actions.retry_rereading(member=request.member, ticket_id=ticket_id, rebuild_id=rebuild_id)
    except DomainError as error:
        return _merged(ticket_id, error)
    return redirect(reverse("web:rebuild", args=[ticket_id]))
