"""Live updates: one stream of server-sent events a page, or asking now and then; and who else is there.

The stream holds no database connection and no thread: it waits at the process's hub (news.py), which hears Redis over one
connection for all pages.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

import redis
import structlog
from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.views.decorators.http import require_GET, require_POST

from atendimento import access, news, presence, signin, tenancy
from atendimento.models import Membership
from atendimento.news import Lost, Missed, News
from atendimento.presence import Person, Place
from atendimento.selectors import pulse, values
from atendimento.web.doors import MemberRequest, member_view
from atendimento.web.limits import limited, within

log = structlog.get_logger("atendimento.live")

BEAT: Final = 10.0
"""Seconds between two signs of life. A page that hears none for three of them connects anew."""

LIFETIME: Final = 15 * 60  # then the browser comes again, and who it is is asked again

STREAMS, POLLS, ACTS = 120, 120, 240
"""What a member may open, ask and say a minute: a page that comes and goes ten times a minute is still well below."""

AWAY = (redis.RedisError, OSError, Lost)  # a TimeoutError is an OSError


@require_GET
async def live(request: HttpRequest) -> HttpResponseBase:
    """The stream of a signed-in member; a bare 401 for anybody else. `ticket`, `tab` name the page, `after` what it knows."""
    member: Membership | None = getattr(request, "member", None)
    if member is None or await sync_to_async(signin.lacks_second_factor)(request, member):
        return HttpResponse(status=401)
    # A page stays open for hours: its database connection goes back before the waiting begins.
    prepared = await sync_to_async(_prepare)(request, member)
    if prepared is None:
        return HttpResponse(status=429, headers={"Retry-After": "60"})
    after = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    events = _events(prepared, after)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-store, private"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # compression would hold events back
    return response


@dataclass(frozen=True, slots=True)
class Ear:
    """Who listens: what they may hear, and the ticket's page that they are on."""

    organization_id: int
    member_id: int
    lanes: tuple[int, ...] | None  # see access.lanes; as they were when the page began to listen
    place: Place | None

    def may_hear(self, document: dict[str, Any]) -> bool:
        """What is for some members alone is told to them alone, and nobody hears of a ticket that they do not see."""
        if "to" in document:
            return self.member_id in document["to"]
        return any(self._sees(whose) for whose in (document, document.get("was", {})))

    def _sees(self, whose: dict[str, Any]) -> bool:
        if self.lanes is None or self.member_id in whose.get("hands", ()):
            return True
        return "team" in whose and (whose["team"] or access.NO_TEAM) in self.lanes


def _ear(request: HttpRequest, member: Membership) -> Ear:
    return Ear(member.organization_id, member.pk, access.lanes(member), _place(request, member))


def _prepare(request: HttpRequest, member: Membership) -> Ear | None:
    """Who listens; None where they came too often."""
    try:
        return _ear(request, member) if within("live", member.pk, STREAMS) else None
    finally:
        # Asked for by name inside the request's own thread: each thread has a connection of its own.
        tenancy.leave()
        connection.close()


def _place(request: HttpRequest, member: Membership) -> Place | None:
    """The page, where it is that of a ticket which the member may see."""
    ticket, tab = request.GET.get("ticket", ""), request.GET.get("tab", "")
    if not ticket or not presence.TAB.fullmatch(tab):
        return None
    with suppress(access.NotFound):
        found = access.ticket(member, ticket)
        return Place(member.organization_id, str(found.pk), member.pk, member.name, tab, secrets.token_hex(8))
    return None


async def _events(ear: Ear, after: str) -> AsyncIterator[str]:
    hub, place = news.hub(), ear.place
    page = None
    try:
        page = await hub.enter(ear.organization_id)
        # Asked for once it listens: what comes in between is told twice rather than not at all.
        missed = await hub.missed(ear.organization_id, after)
        here = await presence.join(hub.client, place) if place else ()
        yield _begin(ear, missed, here)
        ends, beat, last = time.monotonic() + LIFETIME, time.monotonic() + BEAT, news.order(missed.last)
        while time.monotonic() < ends:
            heard = await page.next(max(beat - time.monotonic(), 0.01))
            if time.monotonic() >= beat:
                beat = time.monotonic() + BEAT
                if place:
                    await presence.touch(hub.client, place)
                yield _frame("beat", {})
            if heard is not None and (frame := _framed(ear, heard, last)):
                yield frame
        yield _frame("again", {})
    except AWAY as error:
        log.info("stream ended", error=type(error).__name__)  # the page tries again, and asks now and then meanwhile
    finally:
        if page is not None:
            with suppress(*AWAY):
                if place:
                    await presence.leave(hub.client, place)
            await hub.leave(page)


def _begin(ear: Ear, missed: Missed, here: tuple[Person, ...]) -> str:
    told = [item for item in missed.news if ear.may_hear(item.document)]
    start = _frame("ready", {"whole": missed.whole, "here": _shown(here)}, missed.last)
    return start + "".join(_frame("news", _told(item.document), missed.last) for item in told)


def _framed(ear: Ear, heard: News, last: tuple[int, int]) -> str:
    """The event as this page is told it; empty where it is none of its business, or known already."""
    document = heard.document
    if document.get("kind") == "here":
        if ear.place is None or document.get("ticket") != ear.place.ticket:
            return ""
        return _frame("here", {"here": _shown(presence.people(document["pages"]))})
    known = news.order(heard.id) <= last
    return "" if known or not ear.may_hear(document) else _frame("news", _told(document), heard.id)


def _told(document: dict[str, Any]) -> dict[str, Any]:
    return {key: document.get(key) for key in ("ticket", "customer", "kind", "version", "message", "member")}


def _shown(people: tuple[Person, ...]) -> list[dict[str, Any]]:
    return [{**asdict(person), "initials": values.initials(person.name)} for person in people]


def _frame(event: str, document: dict[str, Any], event_id: str = "") -> str:
    named = f"id: {event_id}\n" if event_id else ""
    return f"{named}event: {event}\ndata: {json.dumps(document)}\n\n"


# --- where no stream comes through --------------------------------------------------------------------------------


@require_GET
@member_view
@limited("news", POLLS)
def catch_up(request: MemberRequest) -> HttpResponse:
    """What the stream would have told since `after`; 304 where nothing is new. Without Redis: whether anything changed."""
    member = request.member
    ear, after = _ear(request, member), request.GET.get("after", "")
    missed = news.missed(member.organization_id, after)
    if missed is None:
        return _tagged(request, pulse.mark(member), {"after": "", "whole": False, "news": [], "here": []})
    here: tuple[Person, ...] = ()
    if ear.place is not None:
        with suppress(redis.RedisError):
            here = presence.polled(ear.place)
    told = [_told(item.document) for item in missed.news if ear.may_hear(item.document)]
    body = {"after": missed.last, "whole": missed.whole, "news": told, "here": _shown(here)}
    return _tagged(request, f"{missed.last} {hashlib.sha256(repr(here).encode()).hexdigest()}", body)


def _tagged(request: HttpRequest, mark: str, body: dict[str, Any]) -> HttpResponse:
    tag = f'"{hashlib.sha256(mark.encode()).hexdigest()[:32]}"'
    same = request.headers.get("If-None-Match") == tag
    response = HttpResponse(status=304) if same else JsonResponse(body)
    response["ETag"] = tag
    return response


@require_POST
@member_view
@limited("doing", ACTS)
def doing(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """What the member does on this page from now on: nothing, write a reply, or edit a card."""
    found = access.ticket(request.member, ticket_id)
    what, tab = request.POST.get("doing", ""), request.POST.get("tab", "")
    if not presence.DOING.fullmatch(what) or not presence.TAB.fullmatch(tab):
        return HttpResponse(status=400)
    place = Place(request.member.organization_id, str(found.pk), request.member.pk, request.member.name, tab)
    try:
        presence.do(place, what)
    except redis.RedisError as error:
        log.warning("presence not kept", error=type(error).__name__)
    return HttpResponse(status=204)


@require_GET
@member_view
def session(request: MemberRequest) -> HttpResponse:
    """Who is signed in, and the token for forms that were drawn before: for a page that outlived its session."""
    return JsonResponse({"member": request.member.pk, "token": get_token(request)})
