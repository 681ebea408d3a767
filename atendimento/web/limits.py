"""How often a member may ask for what costs little but could be asked for without end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

import redis
import structlog
from django.http import HttpResponse
from django.http.response import HttpResponseBase

from atendimento import jobs
from atendimento.web.doors import MemberRequest, is_fragment, show

log = structlog.get_logger("atendimento.limits")
P = ParamSpec("P")
SPAN = 60
"""Seconds that a limit counts over."""


def within(what: str, member_id: int, most: int) -> bool:
    """Count one more; whether it is among the first `most` of the minute. While Redis is away nothing is counted."""
    key = f"lastro:limit:{what}:{member_id}"
    try:
        with jobs.connection().pipeline(transaction=False) as pipeline:
            pipeline.set(key, 0, ex=SPAN, nx=True)  # the minute begins with the first
            pipeline.incr(key)
            return int(pipeline.execute()[1]) <= most
    except redis.RedisError as error:
        log.warning("limit not counted", error=type(error).__name__)
        return True


def limited(
    what: str, most: int
) -> Callable[
    [Callable[Concatenate[MemberRequest, P], HttpResponseBase]], Callable[Concatenate[MemberRequest, P], HttpResponseBase]
]:
    """For a member's view, below `member_view`: at most so many a minute, then 429."""

    def limit(
        view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
    ) -> Callable[Concatenate[MemberRequest, P], HttpResponseBase]:
        @wraps(view)
        def guarded(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if within(what, request.member.pk, most):
                return view(request, *args, **kwargs)
            response = HttpResponse(status=429) if is_fragment(request) else show(request, "429.html", 429)
            response["Retry-After"] = str(SPAN)
            return response

        return guarded

    return limit
