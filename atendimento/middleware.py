"""What happens around every request: its id and its line in the log; private pages stay out of caches."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from atendimento import metrics

log = structlog.get_logger("atendimento.request")
Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]

# A caller's own id is taken over only in this shape: it is written into the log and sent back in a header.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
FORWARDING = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_REAL_IP", "HTTP_VIA")
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


class Around:
    """A middleware that works in both worlds: a sync one would put every live page on a thread of its own."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.is_async = bool(iscoroutinefunction(get_response))
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self.acall(request)
        self.before(request)
        response = self.get_response(request)
        assert isinstance(response, HttpResponseBase)
        self.after(request, response)
        return response

    async def acall(self, request: HttpRequest) -> HttpResponseBase:
        self.before(request)
        response = self.get_response(request)
        assert not isinstance(response, HttpResponseBase)
        answered = await response
        self.after(request, answered)
        return answered

    def before(self, request: HttpRequest) -> None: ...

    def after(self, request: HttpRequest, response: HttpResponseBase) -> None: ...


class ForwardedMiddleware(Around):
    """Who asks, and by which scheme: the connection's own, unless a proxy that is trusted says otherwise.

    A trusted proxy adds at the end of X-Forwarded-For whom it heard. So the list is read from its end, and whoever is no
    proxy of ours is the one that asks; what stands before that is only what they say. Without TRUSTED_PROXIES no such header
    is believed by anything below: they are taken away.
    """

    def before(self, request: HttpRequest) -> None:
        meta = request.META
        forwarded = meta.pop("HTTP_X_FORWARDED_FOR", None)
        meta["lastro.forwarded"] = any(name in meta for name in FORWARDING) or forwarded is not None
        if not _is_proxy(meta.get("REMOTE_ADDR", "")):
            meta.pop("HTTP_X_FORWARDED_PROTO", None)
            return
        for named in reversed((forwarded or "").split(",")):
            address = named.strip()
            if not _is_address(address):
                break
            meta["REMOTE_ADDR"] = address
            if not _is_proxy(address):
                break


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_proxy(text: str) -> bool:
    return _is_address(text) and any(ip_address(text) in network for network in settings.TRUSTED_PROXIES)


class RequestLogMiddleware(Around):
    def before(self, request: HttpRequest) -> None:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        request.META["lastro.request_id"] = request_id
        request.META["lastro.started"] = time.monotonic()
        # A worker thread may still hold what an earlier request bound.
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)

    def after(self, request: HttpRequest, response: HttpResponseBase) -> None:
        response["X-Request-ID"] = request.META["lastro.request_id"]
        seconds = time.monotonic() - request.META["lastro.started"]
        match = request.resolver_match
        # The route, never the path: a path may hold a customer's token or a searched name.
        route = match.route if match else "unmatched"
        metrics.REQUESTS.labels(request.method or "", route, str(response.status_code)).observe(seconds)
        if request.path not in PROBES:
            log.info(
                "request",
                method=request.method,
                route=route,
                status=response.status_code,
                milliseconds=round(seconds * 1000, 1),
            )


class PrivatePagesMiddleware(Around):
    """What a signed-in person or a token saw is kept by no cache, not even by the browser's back button."""

    def after(self, request: HttpRequest, response: HttpResponseBase) -> None:
        signed_in = getattr(request, "user", None) is not None and request.user.is_authenticated
        if (signed_in or "Authorization" in request.headers) and "Cache-Control" not in response:
            response["Cache-Control"] = "no-store, private"
