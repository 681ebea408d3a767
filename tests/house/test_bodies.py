"""What is too large is refused before it is kept, announced or not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from atendimento.bodies import bounded


async def _reads_all(_scope: Any, receive: Any, send: Any) -> None:
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def _ask(chunks: list[bytes], announced: bytes | None) -> list[dict[str, Any]]:
    headers = [] if announced is None else [(b"content-length", announced)]
    rest = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    rest.append({"type": "http.request", "body": b"", "more_body": False})
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return rest.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(bounded(_reads_all, most=10)({"type": "http", "headers": headers}, receive, send))
    return sent


@pytest.mark.parametrize(
    ("chunks", "announced", "status"),
    [
        ([b"12345", b"67890"], None, 200),  # ten are taken
        ([b"12345", b"67890"], b"10", 200),
        ([b"12345", b"678901"], None, 413),  # eleven are not, however they come
        ([b"12345", b"678901"], b"5", 413),  # announced as less
        ([], b"11", 413),  # refused before a byte of it is read
        ([], b"1" * 60, 413),
        ([], b"-1", 413),  # no length at all
    ],
)
def test_a_body_is_taken_up_to_the_limit_and_refused_beyond_it(
    chunks: list[bytes], announced: bytes | None, status: int
) -> None:
    answer = _ask(chunks, announced)
    assert answer[0]["status"] == status
    if status == 413:
        assert json.loads(answer[1]["body"])["code"] == "body.too_large"


def test_what_is_no_request_passes() -> None:
    seen = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["type"])

    asyncio.run(bounded(application)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert seen == ["lifespan"]
