"""What every view of the console shares: who asks, how a fragment is told from a page, and how refusals are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from atendimento import news, signin
from atendimento.access import NotFound
from atendimento.models import Membership, Organization
from atendimento.selectors import (
    administration,
    canned,
    corrections,
    customers,
    first_run,
    imports,
    people,
    rebuilds,
    reminders,
)
from memoria.errors import Code, DomainError

P = ParamSpec("P")
STAND_IN_MODEL = "standin"  # the name under which the demonstration runs its own
THEMES = ("system", "light", "dark")
SHOWN = ("memory", "talk", "queue", "customer")


class MemberRequest(HttpRequest):
    """A request of a signed-in member."""

    member: Membership
    known_news: str  # of a page: the last live event that it knows of


@dataclass(frozen=True, slots=True)
class Look:
    """How this browser shows the console."""

    theme: str
    queue: str
    show: str
    events: bool = False  # decisions stand between the messages
    customer: str = "closed"  # whether the customer stands beside the conversation

    @classmethod
    def of(cls, request: HttpRequest) -> Look:
        theme = request.COOKIES.get("lastro_theme", "")
        show = request.GET.get("show", "")
        return cls(
            theme if theme in THEMES else "system",
            "closed" if request.COOKIES.get("lastro_queue") == "closed" else "open",
            show if show in SHOWN else "memory",
            request.COOKIES.get("lastro_events") == "on",
            "open" if "open" in (request.GET.get("customer"), request.COOKIES.get("lastro_customer")) else "closed",
        )


def is_fragment(request: HttpRequest) -> bool:
    """Whether a script asks for a part of the page."""
    return request.headers.get("HX-Request") == "true"


def member_view(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """A view for members alone.

    Who is not signed in is sent to the sign-in page; a script gets a bare 401, so that no login form lands in a
    panel. What is not there, or another organisation's, is 404; what the role does not permit is 403;
    what is written to a ticket that was erased with its customer is 409 (L2).
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast(MemberRequest, request)
        if not request.user.is_authenticated:
            return _ended(request)
        if getattr(request, "member", None) is None:
            return _denied(request)
        if signin.lacks_second_factor(request, asked.member):
            return HttpResponse(status=401) if is_fragment(request) else redirect("mfa_activate_totp")
        organization = asked.member.organization
        try:
            # Times and words are the organisation's; a person may have chosen another language.
            with (
                timezone.override(ZoneInfo(organization.timezone)),
                translation.override(language_of(request, organization)),
            ):
                # Before anything is read: what comes after it is told to the page, or caught up on.
                asked.known_news = "" if is_fragment(request) else news.newest(organization.pk)
                response = view(asked, *args, **kwargs)
        except NotFound:
            raise Http404 from None
        except DomainError as error:
            if error.code is Code.TICKET_ERASED:
                return HttpResponse(status=409) if is_fragment(request) else render(request, "409.html", status=409)
            if error.code is not Code.PERMISSION_DENIED:
                raise
            return _denied(request)
        patch_vary_headers(response, ["HX-Request"])
        return _compressed(request, response)

    return guarded


def language_of(request: HttpRequest, organization: Organization) -> str:
    """The person's own choice, wherever they sign in; else this browser's; else the organisation's."""
    chosen = (getattr(request.user, "language", ""), request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""))
    return next((language for language in chosen if language in dict(settings.LANGUAGES)), organization.language)


def _compressed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The page as the browser takes it. Its tokens are masked anew each time, so its length tells nothing."""
    if not isinstance(response, HttpResponse):
        return response  # a stream goes out as it comes
    compressed = GZipMiddleware(lambda _request: response).process_response(request, response)
    assert isinstance(compressed, HttpResponse)
    return compressed


KEPT_FIELDS = frozenset({"text", "reason", "note", "quote", "subject"})
"""Fields of forms in which people write; those of values begin with "value"."""


def _ended(request: HttpRequest) -> HttpResponse:
    """Nobody is signed in. A form that came too late is answered with what was written in it: it stands nowhere else."""
    if is_fragment(request):
        return HttpResponse(status=401)
    if request.method == "POST":
        fields = [value for name, value in request.POST.items() if name in KEPT_FIELDS or name.startswith("value")]
        written = [text for text in map(str, fields) if text.strip()]
        if written:
            return render(request, "account/session_ended.html", {"written": written}, status=401)
    return redirect_to_login(_way_back(request))


def _way_back(request: HttpRequest) -> str:
    """Where to go after signing in: the page itself, or the page that a form was on."""
    return request.get_full_path() if request.method == "GET" else "/"


def _denied(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=403) if is_fragment(request) else render(request, "403.html", status=403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is not this session's: most often the session ended, or began anew in another tab."""
    return HttpResponse(status=401) if is_fragment(request) else render(request, "403_csrf.html", status=403)


def show(request: MemberRequest, template: str, status: int = 200, **context: Any) -> HttpResponse:
    """A page or fragment with what the console's frame needs."""
    me = people.me(request.member)
    frame = {
        "look": Look.of(request),
        "known_news": request.known_news,
        "member_id": me.id,
        "member_name": me.name,
        "member_initials": me.initials,
        "organization_name": me.organization,
        "model_is_standin": settings.OPENAI_MODEL == STAND_IN_MODEL,
        "may_import": imports.may_import(request.member),
        "may_read_corrections": corrections.may_read(request.member),
        "may_edit_canned": canned.may_edit(request.member),
        "first_run_open": first_run.is_open(request.member),
        "may_manage": administration.may_manage(request.member),
        "may_open_customer": customers.may_open(request.member),
        "may_rebuild": rebuilds.may_rebuild(request.member),
        "bell": None if is_fragment(request) else reminders.bell(request.member),
        "query": request.GET.get("find") or request.GET.get("q", ""),
    }
    return render(request, template, {**frame, **context}, status=status)


def seen_by(request: HttpRequest) -> int | None:
    """The ticket's version that the asking page shows."""
    return number(request.headers.get("Lastro-Seen"))


def kept_by(request: HttpRequest) -> tuple[str, ...]:
    """The cards in which something was typed on the asking page."""
    return tuple(request.headers.get("Lastro-Keep", "")[:2000].split())


def with_query(address: str, **query: object) -> str:
    named = {key: value for key, value in query.items() if value is not None}
    return f"{address}?{urlencode(named)}" if named else address


def number(text: str | None, most: int = 10**9) -> int | None:
    """A whole number that is not negative, or None for anything else."""
    if text is None or not (text.isascii() and text.isdecimal()) or len(text) > 10:
        return None
    return min(int(text), most)
