"""A bound on request bodies before anything is kept: the framework would first write the whole body to disk."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final

from atendimento.ingest.neutral import MAX_FILE

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

MOST: Final = MAX_FILE + 1024 * 1024
"""Bytes: the largest file that a page takes, and what a form says beside it."""

_PROBLEM: Final = {
    "type": "urn:lastro:problem:body.too_large",
    "title": "Content Too Large",
    "status": 413,
    "detail": f"A body holds at most {MOST} bytes.",
    "code": "body.too_large",
}


class _TooLarge(Exception):
    """More came than was announced or than is taken."""


def bounded(application: Application, most: int = MOST) -> Application:
    """The application, behind a limit: an announced length over `most` is answered 413 at once, an unannounced body
    as soon as it has grown past it."""

    async def entrance(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not announced.isdigit() or int(announced[:20]) > most:
            await _refuse(send)
            return
        came = 0
        answering = False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise _TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            await application(scope, counted, noted)
        except _TooLarge:
            if answering:
                raise
            await _refuse(send)

    return entrance


async def _refuse(send: Send) -> None:
    body = json.dumps(_PROBLEM).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
