"""A small HTTP/1.1 client for many connections at once: keep-alive, chunks, and streams of server-sent events."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        packed = self.headers.get("content-encoding") == "gzip"
        return (gzip.decompress(self.body) if packed else self.body).decode()


@dataclass(slots=True)
class Browser:
    """One member's: a session, and a connection that is kept for their requests, one at a time."""

    host: str
    port: int
    session: str
    cookies: dict[str, str] = field(default_factory=dict)
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def request(
        self, method: str, path: str, *, body: bytes = b"", kind: str = "", headers: dict[str, str] | None = None
    ) -> Answer:
        """Raises OSError, asyncio.IncompleteReadError, TimeoutError."""
        async with self._one, asyncio.timeout(60):
            loop = asyncio.get_running_loop()
            started = loop.time()
            for again in (True, False):
                if self._streams is None:
                    self._streams = await asyncio.open_connection(self.host, self.port)
                reader, writer = self._streams
                try:
                    writer.write(self._head(method, path, body, kind, headers or {}))
                    await writer.drain()
                    status, told = await _read_head(reader)
                    break
                except (OSError, asyncio.IncompleteReadError):
                    self.close()
                    if not again:  # the server had closed a connection that was idle for long: once is usual
                        raise
            content = b"" if status in (204, 304) else await _read_body(reader, told)
            for cookie in told.pop("set-cookie", "").split("\n"):
                name, _equals, rest = cookie.partition("=")
                if rest:
                    self.cookies[name] = rest.partition(";")[0]
            if told.get("connection", "").lower() == "close":
                self.close()
            return Answer(status, told, content, loop.time() - started)

    async def events(self, path: str) -> AsyncIterator[dict[str, str]]:
        """The server's events, as {event, data, id}; ends where the stream does. Raises OSError where it is refused."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(self._head("GET", path, b"", "", {"Accept": "text/event-stream"}))
            status, _told = await _read_head(reader)
            if status != 200:
                raise OSError(f"stream refused: {status}")
            rest = b""
            while size := int((await reader.readline()).strip() or b"0", 16):
                rest += (await reader.readexactly(size + 2))[:-2]
                *whole, rest = rest.split(b"\n\n")
                for text in whole:
                    yield dict(line.split(": ", 1) for line in text.decode().split("\n"))  # type: ignore[misc]
        finally:
            writer.close()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    def _head(self, method: str, path: str, body: bytes, kind: str, headers: dict[str, str]) -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in {**self.cookies, "lastro_session": self.session}.items())
        lines = {"Host": f"{self.host}:{self.port}", "Accept-Encoding": "gzip", "Accept-Language": "pt-BR", "Cookie": cookies}
        if method != "GET":
            lines |= {"Content-Length": str(len(body)), "Content-Type": kind, "Origin": f"http://{self.host}:{self.port}"}
        lines |= headers
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"{method} {path} HTTP/1.1\r\n{text}\r\n".encode() + body


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    told: dict[str, str] = {}
    for line in lines:
        name, _colon, value = line.partition(": ")
        key = name.lower()
        told[key] = f"{told[key]}\n{value}" if key in told else value
    return int(first.split()[1]), told


async def _read_body(reader: asyncio.StreamReader, told: dict[str, str]) -> bytes:
    if "content-length" in told:
        return await reader.readexactly(int(told["content-length"]))
    found = b""
    while size := int((await reader.readline()).strip(), 16):
        found += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return found


def as_json(document: object) -> bytes:
    return json.dumps(document).encode()
