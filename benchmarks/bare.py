"""A view that does the least which a decision cannot do without, on the product's own stack, to measure decisions against.

The address of the product plus `/bare`: the session is read, the form's token checked, two rows written in one
transaction, one fragment of HTML answered.
"""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from atendimento.models import Draft, TicketVisit


@require_POST
def bare(request: HttpRequest) -> HttpResponse:
    member, ticket = request.member, request.POST["ticket"]  # type: ignore[attr-defined]
    with transaction.atomic():
        Draft.objects.filter(member=member, ticket_id=ticket).update(text=request.POST["text"])
        TicketVisit.objects.filter(member=member, ticket_id=ticket).update(seen_at=timezone.now())
    return render(request, "parts/problem.html", {"problem": {"title": "ok"}})


urlpatterns = [path("bare", bare), path("", include("atendimento.urls"))]
