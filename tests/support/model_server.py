"""A small real server that speaks the model's protocol and says what a test scripted.

Answers are given in the order scripted, one a request; after the last, and where nothing is scripted, it
proposes no change. What it was asked stays in `requests`.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut_after: int | None = None  # bytes sent before the connection is dropped
    drip: float = 0.0  # seconds between any two bytes of the body
    raw: bytes | None = None  # sent instead of an HTTP answer; then the connection is closed


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: Body
    raw: bytes = b""  # the body as it came over the wire


def completion(content: str | None, *, finish: str = "stop", tool_calls: list[Body] | None = None, **message: Any) -> Body:
    words = len((content or "").split())
    said: Body = {"role": "assistant", "content": content, **message}
    if tool_calls:
        said["tool_calls"] = tool_calls
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "scripted",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": words, "total_tokens": 100 + words},
    }


class ModelServer:
    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v1"
        self.requests: list[Asked] = []
        self.dimensions = 64
        self._script: deque[Reply | Callable[[Body], Reply]] = deque()
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    # What it is to say

    def answer(self, *changes: Body, delay: float = 0.0) -> None:
        """A well-formed answer with these changes."""
        self.answer_text(json.dumps({"changes": list(changes)}, ensure_ascii=False), delay=delay)

    def answer_text(self, text: str | None, *, finish: str = "stop", delay: float = 0.0, **message: Any) -> None:
        self._add(Reply(body=_json(completion(text, finish=finish, **message)), delay=delay))

    def answer_with(self, make: Callable[[Body], Body | str | Reply]) -> None:
        """An answer made from the request: changes (a dict), a text, or a whole reply."""

        def reply(body: Body) -> Reply:
            made = make(body)
            if isinstance(made, Reply):
                return made
            return Reply(body=_json(completion(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))))

        self._add(reply)

    def fail(self, status: int, *, message: str = "scripted failure", retry_after: str | None = None, times: int = 1) -> None:
        headers = {"Retry-After": retry_after} if retry_after is not None else {}
        error = _json({"error": {"message": message, "type": "scripted", "code": None, "param": None}})
        for _ in range(times):
            self._add(Reply(status=status, body=error, headers=headers))

    def hang(self, seconds: float) -> None:
        """Answers so late that the client has given up."""
        self._add(Reply(body=_json(completion('{"changes": []}')), delay=seconds))

    def drip(self, pause: float = 0.1) -> None:
        """A good answer, byte by byte: no single wait is long, the whole never ends in time."""
        self._add(Reply(body=_json(completion('{"changes": []}')), drip=pause))

    def send(self, raw: bytes, *, drip: float = 0.0) -> None:
        """These bytes in place of an HTTP answer, and no more."""
        self._add(Reply(raw=raw, drip=drip))

    def cut_connection(self, after: int = 40) -> None:
        """Drops the connection in the middle of the body."""
        self._add(Reply(body=_json(completion('{"changes": []}')), cut_after=after))

    def cut_answer(self, text: str = '{"changes": [{"op": "add", "path": "/fac') -> None:
        """The model ran out of tokens: whole HTTP, half an answer."""
        self.answer_text(text, finish="length")

    def refuse(self, reason: str = "I cannot help with that.") -> None:
        self.answer_text(None, refusal=reason)

    def filter(self) -> None:
        self.answer_text(None, finish="content_filter")

    def say_nothing(self) -> None:
        self._add(Reply(body=_json({**completion(None), "choices": []})))

    def reply(self, reply: Reply) -> None:
        self._add(reply)

    # What it was asked

    @property
    def chats(self) -> list[Asked]:
        return [asked for asked in self.requests if asked.path.endswith("/chat/completions")]

    @property
    def left(self) -> int:
        """How many scripted answers nobody has asked for."""
        return len(self._script)

    def wait_for_chats(self, number: int, seconds: float = 15.0) -> list[Asked]:
        deadline = time.monotonic() + seconds
        while len(self.chats) < number:
            if time.monotonic() > deadline:
                raise AssertionError(f"the model was asked {len(self.chats)} time(s) in {seconds:g} s, not {number}")
            time.sleep(0.02)
        return self.chats

    def reset(self) -> None:
        with self._lock:
            self._script.clear()
            self.requests.clear()

    # Serving

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = _Server(("127.0.0.1", self.port), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="model-server").start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _add(self, reply: Reply | Callable[[Body], Reply]) -> None:
        with self._lock:
            self._script.append(reply)

    def take(self, asked: Asked) -> Reply:
        with self._lock:
            self.requests.append(asked)
            if asked.path.endswith("/embeddings"):
                return Reply(body=_json(self._embeddings(asked.body)))
            if not asked.path.endswith("/chat/completions"):
                return Reply(status=404, body=_json({"error": {"message": "no such path", "type": "invalid_request_error"}}))
            scripted = self._script.popleft() if self._script else Reply(body=_json(completion('{"changes": []}')))
        return scripted(asked.body) if callable(scripted) else scripted

    def _embeddings(self, body: Body) -> Body:
        """The same text always gives the same vector, and texts that share words lie near each other."""
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        size = int(body.get("dimensions") or self.dimensions)
        data = []
        for index, text in enumerate(texts):
            vector = [0.0] * size
            for word in str(text).lower().split():
                vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % size] += 1.0
            length = sum(value * value for value in vector) ** 0.5 or 1.0
            data.append({"object": "embedding", "index": index, "embedding": [value / length for value in vector]})
        return {"object": "list", "data": data, "model": "scripted", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A hanging answer must not hold up the end of the tests.
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what some tests are about; nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reply = self.owner.take(Asked(self.path, dict(self.headers.items()), json.loads(raw or b"{}"), raw))
        if reply.delay:
            time.sleep(reply.delay)
        if reply.raw is not None:
            self._write(reply.raw, reply.drip)
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self._write(reply.body[: reply.cut_after], reply.drip)
        if reply.cut_after is not None:
            self.close_connection = True

    def _write(self, data: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(data)
            return
        for place in range(len(data)):
            self.wfile.write(data[place : place + 1])
            time.sleep(drip)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class names it so
        """Pytest's output is for the tests."""


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
