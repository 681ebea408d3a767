"""The customer beside the conversation: a part of the ticket's page, or a page of its own."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from atendimento.actions.customers import LIMITS, change_contact
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import customer as pages
from atendimento.selectors.customer import Typed
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_http_methods(["GET", "POST"])
@member_view
def customer(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        return _save(request, ticket_id)
    panel = pages.panel(request.member, ticket_id, request.GET.get("after", "")[:100].replace("\0", ""))
    if is_fragment(request):
        return show(request, "parts/customer_tickets.html" if panel.more else "parts/customer.html", panel=panel)
    return show(request, "customer.html", panel=panel)


def _save(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    given = {key: request.POST.get(key, "") for key in LIMITS}
    typed, status = None, 200
    try:
        change_contact(member=request.member, ticket_id=ticket_id, contact=given, seen=request.POST.get("seen", ""))
    except InvalidInput as error:
        faults = {fault.pointer.removeprefix("/"): str(pages.FAULTS[fault.code]) for fault in error.faults}
        typed, status = Typed(**given, faults=faults), 422
    if typed is None and not is_fragment(request):
        return redirect(reverse("web:ticket-customer", args=[ticket_id]))
    panel = pages.panel(request.member, ticket_id, typed=typed)
    return show(request, "parts/customer.html" if is_fragment(request) else "customer.html", status, panel=panel)
