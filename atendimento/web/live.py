"""Live updates: one stream of server-sent events a page, fed by the organisation's Redis channel."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from atendimento import jobs, tenancy
from atendimento.models import Membership

HEARTBEAT = 15.0
LIFETIME = 15 * 60  # then the browser comes again, and who it is is asked again

WORDS: dict[str, Promise] = {
    "message": _("New message"),
    "proposal": _("New proposals to decide"),
    "decision": _("A colleague has decided something in this ticket"),
}


@require_GET
async def live(request: HttpRequest) -> HttpResponseBase:
    """The stream of a signed-in member; a bare 401 for anybody else."""
    member: Membership | None = getattr(request, "member", None)
    if member is None:
        return HttpResponse(status=401)
    words = {kind: str(text) for kind, text in WORDS.items()}
    # A page stays open for hours: its database connection goes back before the waiting begins.
    await sync_to_async(_give_back)()
    response = StreamingHttpResponse(_events(member.organization_id, words), content_type="text/event-stream")
    response["Cache-Control"] = "no-store, private"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # compression would hold events back
    return response


def _give_back() -> None:
    # Asked for by name inside the request's own thread: each thread has a connection of its own.
    tenancy.leave()
    connection.close()


async def _events(organization_id: int, words: dict[str, str]) -> AsyncIterator[str]:
    client = redis.asyncio.Redis.from_url(settings.REDIS_URL)
    ends = time.monotonic() + LIFETIME
    try:
        async with client.pubsub(ignore_subscribe_messages=True) as channel:
            await channel.subscribe(jobs.channel(organization_id))
            yield "retry: 1500\nevent: ready\ndata: {}\n\n"
            while time.monotonic() < ends:
                message = await channel.get_message(timeout=HEARTBEAT)
                yield _framed(message, words) if message is not None else ": still here\n\n"
    except redis.RedisError:
        return  # the browser tries again, and polls meanwhile
    finally:
        with suppress(redis.RedisError):
            await client.aclose()


def _framed(message: dict[str, Any], words: dict[str, str]) -> str:
    document = json.loads(message["data"])
    document["text"] = words.get(document.get("kind", ""), "")
    return f"event: news\ndata: {json.dumps(document)}\n\n"
