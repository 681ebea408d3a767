"""What can be looked at: the queue, a ticket, and their parts."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions.console import choose_language
from atendimento.selectors import brief as briefs
from atendimento.selectors import customer as customers
from atendimento.selectors import first_run as first_runs
from atendimento.selectors import hands
from atendimento.selectors import memory as panes
from atendimento.selectors import queue as queues
from atendimento.selectors import ticket as tickets
from atendimento.selectors import tour as tours
from atendimento.selectors.memory import PANES, Asked
from atendimento.selectors.queue import Filters
from atendimento.selectors.search_terms import clean
from atendimento.web.doors import THEMES, Look, MemberRequest, is_fragment, kept_by, member_view, number, seen_by, show
from atendimento.web.places import place_of
from memoria.patch import PatchError, parse_pointer

YEAR = 365 * 24 * 60 * 60


@require_GET
@member_view
def queue(request: MemberRequest) -> HttpResponse:
    filters = Filters.read(request.GET)
    current = queues.known(request.GET.get("current", ""))
    choosing = request.GET.get("filters") == "open"
    if is_fragment(request) and request.GET.get("part") == "queue":
        listed = queues.queue(request.member, filters, current, choosing=choosing)
        return show(request, "parts/queue.html", queue=listed)
    if is_fragment(request) and choosing:
        return show(request, "parts/queue_filter.html", panel=queues.panel(request.member, filters))
    if is_fragment(request):
        # More rows for a list that is open: they belong to the place in which it began.
        base = Filters.read({**request.GET.dict(), "after": request.GET.get("base", ""), "rows": request.GET.get("shown", "")})
        return show(request, "parts/queue_rows.html", queue=queues.queue(request.member, filters, current, base))
    listed = queues.queue(request.member, filters, choosing=choosing)
    return show(
        request,
        "queue.html",
        queue=listed,
        next_url=queues.next_to_decide(request.member, filters=filters),
        tour_url=tours.begin(request.member),
        first_run=first_runs.is_open(request.member),
        said=hands.said(request.GET.get("did", "")),
    )


def asked_of(request: HttpRequest) -> Asked:
    """What an address asks of a ticket's page."""
    pane = request.GET.get("pane", "")
    message = request.GET.get("m")
    return Asked(
        place=place_of(request),
        seen=seen_by(request),
        keep=kept_by(request),
        pane=pane if pane in PANES else "decide",
        version=number(request.GET.get("version")),
        done=number(request.GET.get("done")),
        before=number(request.GET.get("before")),
        first=number(request.GET.get("from")),
        second=number(request.GET.get("to")),
        message=number(message.removeprefix("m-")) if message else None,
        events=Look.of(request).events,
        report=request.GET.get("report", ""),
        field=_pointer(request.GET.get("field", "")[:500].replace("\0", "")),
        find=clean(request.GET.get("find", "")),
    )


def _pointer(text: str) -> str:
    """A pointer as it is; what is none asks for nothing."""
    try:
        parse_pointer(text)
    except PatchError:
        return ""
    return text


@require_GET
@member_view
def ticket(request: MemberRequest, ticket_id: str) -> HttpResponse:
    page = tickets.ticket_page(request.member, ticket_id, asked_of(request), Filters.read(request.GET))
    if page is None:
        raise Http404
    stop = tours.stop(request.member, ticket_id, number(request.GET.get("tour")))
    said = hands.said(request.GET.get("did", ""), page.head)
    # Otherwise the customer comes once a script asks for it; by this address it is there for whoever has none.
    beside = customers.panel(request.member, ticket_id) if request.GET.get("customer") == "open" else None
    seen_url = reverse("web:seen", args=[ticket_id])
    return show(request, "ticket.html", page=page, seen_url=seen_url, tour=stop, said=said, customer=beside)


@require_GET
@member_view
def memory(request: MemberRequest, ticket_id: str) -> HttpResponse:
    asked = asked_of(request)
    pane = panes.read(request.member, ticket_id, asked)
    if pane is None:
        raise Http404
    if not is_fragment(request):
        return redirect(f"{reverse('web:ticket', args=[ticket_id])}?{request.GET.urlencode()}")
    template = "parts/history_rows.html" if asked.before is not None else "parts/memory.html"
    return show(request, template, memory=pane)


@require_GET
@member_view
def messages(request: MemberRequest, ticket_id: str) -> HttpResponse:
    asked = {key: number(request.GET.get(key)) for key in ("before", "after", "around", "version")}
    window = tickets.messages_window(
        request.member,
        ticket_id,
        first=number(request.GET.get("from")),
        last=number(request.GET.get("to")),
        events=Look.of(request).events,
        find=clean(request.GET.get("find", "")),
        **asked,
    )
    if window is None:
        raise Http404
    if not is_fragment(request):
        middle = window.messages[0].number if window.messages else 1
        return redirect(f"{reverse('web:ticket', args=[ticket_id])}?m={middle}&show=talk#m-{middle}")
    return show(request, "parts/messages.html", transcript=window)


@require_GET
@member_view
def brief(request: MemberRequest, ticket_id: str) -> HttpResponse:
    found = briefs.brief(request.member, ticket_id)
    return show(request, "parts/brief.html" if is_fragment(request) else "brief.html", brief=found)


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Remember in this browser how the console is shown; the language also for the person, wherever they sign in.

    It can be chosen before signing in.
    """
    back = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    response = HttpResponse(status=204) if is_fragment(request) else redirect(back if safe else "/")
    chosen = {
        "lastro_theme": (request.POST.get("theme"), THEMES),
        "lastro_queue": (request.POST.get("queue"), ("open", "closed")),
        "lastro_events": (request.POST.get("events"), ("on", "off")),
        "lastro_customer": (request.POST.get("customer"), ("open", "closed")),
        settings.LANGUAGE_COOKIE_NAME: (request.POST.get("language"), tuple(dict(settings.LANGUAGES))),
    }
    language, languages = chosen[settings.LANGUAGE_COOKIE_NAME]
    if language in languages and request.user.is_authenticated:
        choose_language(user=request.user, language=str(language))
    for name, (value, known) in chosen.items():
        if value in known:
            response.set_cookie(name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure(), httponly=True)
    return response
