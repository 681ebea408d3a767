"""The one door to the model: one HTTP request per call to an OpenAI-compatible server, and what came of it.

The client's own retries are off. What to do next, `memoria.runs.step` says; the caller waits in its queue. No message
text is ever logged here.

A timeout of the socket's begins anew with each byte, so a server that drips would hold a worker for hours. Requests
therefore run on a loop of this process's own, where the whole of each ends at its deadline.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import openai

from memoria.extraction import NO_USAGE, Reader, Request, Usage, read_answer, read_completion, read_usage, storable
from memoria.runs import RETRY_STATUSES, Mode, Outcome, Rejected, Unreached, parse_retry_after

_NO_KEY: Final = "none"  # servers without keys ignore it; the client will not start without one


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is reached. `timeout` is in seconds, from connecting to the answer's last byte."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    timeout: float = 60.0

    @property
    def identity(self) -> str:
        """What a structured-output mode is remembered under: the same server and model, whatever the key."""
        return hashlib.sha256(f"{self.base_url.rstrip('/')}\n{self.model}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request. `raw` is the server's body as text, empty where there was none."""

    outcome: Outcome
    raw: str = field(default="", repr=False)
    usage: Usage = NO_USAGE
    model: str = ""  # as the server names it
    request_id: str = ""  # as the server names it, for its support


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector for each text, in their order."""

    vectors: tuple[tuple[float, ...], ...]
    usage: Usage = NO_USAGE


def ask(
    request: Request,
    endpoint: Endpoint,
    mode: Mode,
    read: Reader = read_answer,
    meanwhile: Callable[[], None] = lambda: None,
) -> Reply:
    """Ask once. Raises nothing for what servers and networks do: it is in the reply's outcome.

    `meanwhile` is done while the model thinks; what it raises ends the request, and is raised.
    """
    body = payload(request, endpoint.model, mode)
    answer = _send(endpoint, lambda client: client.chat.completions.with_raw_response.create(**body), meanwhile)
    if not isinstance(answer, _Body):
        return Reply(answer)
    named = answer.document.get("model") if isinstance(answer.document, dict) else None
    return Reply(
        read_completion(answer.document, request.name, read),
        answer.text,
        read_usage(answer.document),
        storable(named) if isinstance(named, str) else endpoint.model,
        answer.request_id,
    )


def knock(endpoint: Endpoint) -> tuple[str, str]:
    """Ask one short question, to see whether the model answers: a problem's code and what the server said, empty if it does."""
    body: dict[str, Any] = {"model": endpoint.model, "messages": [{"role": "user", "content": "Answer with one word: ok"}]}
    answer = _send(endpoint, lambda client: client.chat.completions.with_raw_response.create(**body))
    if isinstance(answer, Unreached):
        return "model.unavailable", f"{answer.status or ''} {answer.detail or answer.kind}".strip()
    if isinstance(answer, Rejected):
        return "model.rejected_request", f"{answer.status} {answer.detail}".strip()
    choices = answer.document.get("choices") if isinstance(answer.document, dict) else None
    return ("", "") if isinstance(choices, list) and choices else ("model.invalid_answer", "")


def embed(texts: Sequence[str], endpoint: Endpoint) -> Embedded | Unreached | Rejected:
    """The vectors of these texts. A server without embeddings is `Rejected`: search goes on by full text alone."""
    body: dict[str, Any] = {"model": endpoint.model, "input": list(texts), "encoding_format": "float"}
    answer = _send(endpoint, lambda client: client.embeddings.with_raw_response.create(**body))
    if not isinstance(answer, _Body):
        return answer
    vectors = _vectors(answer.document, len(texts))
    return Unreached("not_embeddings") if vectors is None else Embedded(vectors, read_usage(answer.document))


def payload(request: Request, model: str, mode: Mode) -> dict[str, Any]:
    """The body of a chat request in one of the structured-output modes."""
    body: dict[str, Any] = {"model": model, "messages": request.messages(with_schema=mode in (Mode.JSON_OBJECT, Mode.TEXT))}
    if mode is Mode.MARKED_SCHEMA:
        # Schema, rules and fields are stored once and read by every later request; what follows is stored for nobody.
        mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
        body["messages"][0]["content"] = [{"type": "text", "text": request.system, **mark}]
        body["prompt_cache_options"] = {"mode": "explicit"}
    if mode in (Mode.MARKED_SCHEMA, Mode.JSON_SCHEMA):
        schema = {"name": request.name, "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif mode is Mode.JSON_OBJECT:
        body["response_format"] = {"type": "json_object"}
    elif mode is Mode.TOOL:
        function = {"name": request.name, "description": "Answers with the proposed changes.", "parameters": request.schema}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": request.name}}
    return body


@dataclass(frozen=True, slots=True)
class _Body:
    """A body that came with HTTP 200. `document` is None where it is no JSON."""

    text: str
    document: Any
    request_id: str


@dataclass(slots=True)
class _Held:
    """A client, and how many requests use it now."""

    client: openai.AsyncOpenAI
    users: int = 0


_CLIENTS: Final = 16
_clients: OrderedDict[Endpoint, _Held] = OrderedDict()  # touched on the loop alone


@asynccontextmanager
async def _client(endpoint: Endpoint) -> AsyncIterator[openai.AsyncOpenAI]:
    """One client, and with it one pool of connections, for each endpoint of this process; the longest unused is closed."""
    held = _clients.get(endpoint) or _clients.setdefault(endpoint, _Held(_made(endpoint)))
    _clients.move_to_end(endpoint)
    held.users += 1
    try:
        yield held.client
    finally:
        held.users -= 1
        idle = [one for one, other in _clients.items() if not other.users]
        # Taken out all at once: while one is being closed, nobody finds another that is about to be.
        for old in [_clients.pop(one) for one in idle[: max(0, len(_clients) - _CLIENTS)]]:
            await old.client.close()


def _made(endpoint: Endpoint) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or _NO_KEY,
        timeout=endpoint.timeout,
        max_retries=0,
        # A redirect would be a second request that nobody counts, and might lead to a server that nobody chose.
        http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
    )


class _Loop:
    """The loop on which this process's requests run, in a thread that ends with the process; begun by the first request.

    One, whichever threads ask first at the same time: a pool of connections belongs to a single loop.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew. A forked child has none of its parent's threads, and the parent may have held the lock."""
        self._beginning = threading.Lock()
        self._begun: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._beginning:
            if self._begun is None:
                self._begun = asyncio.new_event_loop()
                threading.Thread(target=self._begun.run_forever, daemon=True, name="llm").start()
            return self._begun


_loop = _Loop()


def _forget() -> None:
    # A child has neither its parent's threads nor a right to its connections.
    _clients.clear()
    _loop.forget()


os.register_at_fork(after_in_child=_forget)


def _send(
    endpoint: Endpoint,
    request: Callable[[openai.AsyncOpenAI], Awaitable[Any]],
    meanwhile: Callable[[], None] = lambda: None,
) -> _Body | Unreached | Rejected:
    answered = asyncio.run_coroutine_threadsafe(_within_deadline(endpoint, request), _loop.get())
    try:
        meanwhile()
        return answered.result()
    except BaseException:
        # The worker is told to end, or failed itself: nobody waits for this answer any more.
        answered.cancel()
        raise


async def _within_deadline(
    endpoint: Endpoint, request: Callable[[openai.AsyncOpenAI], Awaitable[Any]]
) -> _Body | Unreached | Rejected:
    try:
        async with asyncio.timeout(endpoint.timeout), _client(endpoint) as client:
            response = await request(client)
    except (openai.APITimeoutError, TimeoutError):
        return Unreached("timeout")
    except openai.APIConnectionError as error:
        return Unreached("connection", detail=type(error.__cause__).__name__ if error.__cause__ else "")
    except openai.APIStatusError as error:
        return _refused(error)
    # Read as plain text: bodies that are not what the client's types expect are ours to judge.
    text: str = response.http_response.text
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    return _Body(storable(text), document, response.headers.get("x-request-id", ""))


def _refused(error: openai.APIStatusError) -> Unreached | Rejected:
    status, detail = error.status_code, _said(error.body)
    if status in RETRY_STATUSES or status >= 500:
        kind = "rate_limit" if status == 429 else "timeout" if status == 408 else "server_error"
        asked = parse_retry_after(error.response.headers.get("retry-after"), datetime.now(UTC))
        return Unreached(kind, asked, status, detail)
    return Rejected(status, detail)


def _said(body: object) -> str:
    """The server's own words about an error, shortened; it is not trusted to be of any shape."""
    if isinstance(body, dict):
        body = body.get("message", body)
    return storable(body if isinstance(body, str) else json.dumps(body, default=str))[:300]


def _vectors(document: Any, wanted: int) -> tuple[tuple[float, ...], ...] | None:
    rows = document.get("data") if isinstance(document, dict) else None
    if not isinstance(rows, list) or len(rows) != wanted:
        return None
    found: list[tuple[int, tuple[float, ...]]] = []
    for position, row in enumerate(rows):
        values = row.get("embedding") if isinstance(row, dict) else None
        if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
            return None
        index = row.get("index")
        found.append((index if isinstance(index, int) else position, tuple(map(float, values))))
    return tuple(vector for _, vector in sorted(found))
