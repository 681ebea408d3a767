"""In which list of the queue a page stands, so that nothing that is done there loses it."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from atendimento.selectors.queue_filters import Filters
from atendimento.web.doors import is_fragment


def place_of(request: HttpRequest) -> Filters:
    """The list that the page's own address names: of a page that asks for a part or sends a form, the address it is at."""
    if request.method == "GET" and not is_fragment(request):
        return Filters.read(request.GET)
    sent_from = urlsplit(request.headers.get("Referer", ""))
    if sent_from.netloc != request.get_host():
        return Filters()
    return Filters.read(QueryDict(sent_from.query))


def ticket_at(request: HttpRequest, ticket_id: object, **more: str) -> str:
    """The address of the ticket's page, in the list that the request came from."""
    return reverse("web:ticket", args=[ticket_id]) + place_of(request).suffix(**more)
