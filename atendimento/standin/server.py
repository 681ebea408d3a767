"""The HTTP side of the stand-in: three addresses, errors in the protocol's shape."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from atendimento.standin import protocol

_LARGEST: Final = 16 * 1024 * 1024  # bytes of a body
_POSTS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "/v1/chat/completions": protocol.chat,
    "/v1/embeddings": protocol.embeddings,
}


class Server(ThreadingHTTPServer):
    """Listens on `host` and `port`; port 0 takes a free one (`server_port` says which)."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Says nothing: bodies hold what customers wrote."""

    def do_GET(self) -> None:
        if self._path() == "/v1/models":
            self._send(200, protocol.models())
        elif self._path() in ("/", "/healthz"):
            self._send(200, {"status": "ok", "model": protocol.MODEL})
        else:
            self._fail(404, "no such address")

    def do_POST(self) -> None:
        answer = _POSTS.get(self._path())
        length = self.headers.get("Content-Length", "")
        if answer is None or not length.isdecimal() or int(length) > _LARGEST:
            self.close_connection = True  # the body is left unread
            self._fail(404 if answer is None else 413, "no such address" if answer is None else "the body is too large")
            return
        try:
            body = json.loads(self.rfile.read(int(length)))
            document = answer(body)
        except protocol.BadRequest as error:
            self._fail(400, str(error.args[0]))
        except (ValueError, RecursionError):
            self._fail(400, "the body is no JSON")
        else:
            if isinstance(body, dict) and body.get("stream") and "choices" in document:
                self._stream(document)
            else:
                self._send(200, document)

    def _path(self) -> str:
        path = self.path.split("?", 1)[0].rstrip("/") or "/"
        return path if path.startswith("/v1") or path in ("/", "/healthz") else f"/v1{path}"

    def _fail(self, status: int, message: str) -> None:
        kind = "invalid_request_error"
        self._send(status, {"error": {"message": message, "type": kind, "param": None, "code": None}})

    def _send(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, completion: dict[str, Any]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in protocol.chunks(completion):
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
