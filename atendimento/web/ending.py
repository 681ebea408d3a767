"""A ticket's end: what closing it would leave, and the dossier that goes out of the house."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from atendimento.selectors import closing as left
from atendimento.selectors import dossier as dossiers
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_GET
@member_view
def closing(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    found = left.closing(request.member, ticket_id)
    return show(request, "parts/closing.html" if is_fragment(request) else "closing.html", closing=found)


@require_GET
@member_view
def dossier(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    return show(request, "dossier.html", dossier=dossiers.dossier(request.member, ticket_id))
