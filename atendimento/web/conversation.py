"""What is written and done around the conversation: replies, drafts, the ticket's owner and status."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from atendimento.actions import console, tickets
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import ticket as pages
from atendimento.selectors.pages import Composer
from atendimento.selectors.parts import Problem
from atendimento.selectors.queue import Filters
from atendimento.selectors.ticket import Asked
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_POST
@member_view
def reply(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    text, internal = request.POST.get("text", ""), request.POST.get("kind") == "note"
    try:
        console.send_draft(member=request.member, ticket_id=ticket_id, text=text, internal=internal)
    except InvalidInput:
        problem = Problem(_("Write something first, of at most 100,000 characters."))
        composer = Composer(text, internal, problem)
        if is_fragment(request):
            head = pages.head(request.member, ticket_id)
            return show(request, "parts/composer.html", 400, composer=composer, head=head)
        page = pages.ticket_page(request.member, ticket_id, Asked(), Filters(), composer)
        return show(request, "ticket.html", 400, page=page, seen_url=reverse("web:seen", args=[ticket_id]))
    if is_fragment(request):
        composer = Composer(internal=internal)
        return show(request, "parts/composer.html", composer=composer, head=pages.head(request.member, ticket_id))
    return redirect(reverse("web:ticket", args=[ticket_id]) + "?show=talk")


@require_POST
@member_view
def draft(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    text, internal = request.POST.get("text", ""), request.POST.get("kind") == "note"
    try:
        console.keep_draft(member=request.member, ticket_id=ticket_id, text=text, internal=internal)
    except InvalidInput:
        return HttpResponse(status=400)
    return HttpResponse(status=204)


@require_POST
@member_view
def seen(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    console.note_visit(member=request.member, ticket_id=ticket_id)
    return HttpResponse(status=204)


@require_POST
@member_view
def status(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    match request.POST.get("act"):
        case "take":
            tickets.update_ticket(member=request.member, ticket_id=ticket_id, assignee="me")
        case "close":
            tickets.update_ticket(member=request.member, ticket_id=ticket_id, status="closed")
        case "open":
            tickets.update_ticket(member=request.member, ticket_id=ticket_id, status="open")
        case _:
            return HttpResponse(status=400)
    return redirect(reverse("web:ticket", args=[ticket_id]))
