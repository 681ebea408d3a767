"""What happens in an organisation, for its open pages: heard as it happens, or caught up on after a gap.

However many pages are open, a process listens over one connection and hands on what it hears. The last events are kept in
a Redis stream (see jobs.py): a page names the last one that it knows and gets those after it. Where they are no longer all
there, it is told so, and asks for its parts anew.
"""

from __future__ import annotations

import asyncio
import json
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import redis
import redis.asyncio
import structlog
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from atendimento import jobs

log = structlog.get_logger("atendimento.news")

QUIET: Final = 10.0
"""Seconds without any event after which the listening connection is tried out. Twice that, and it is given up."""

BACKLOG: Final = 2 * jobs.KEPT_EVENTS
"""Events that a page may have before it that it did not take. One that takes none is cut off; it catches up by itself."""

CONNECTIONS: Final = 6
"""That a process's pages share: one listens, the others are for what pages say of themselves."""

NO_EVENT: Final = "0-0"


@dataclass(frozen=True, slots=True)
class News:
    """One event: the id that it is kept under, empty for what is not kept, and what jobs.publish was given."""

    id: str
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Missed:
    """What a page did not hear. `whole` is False where it may be more than `news`: the page then asks for everything."""

    last: str  # the id to go on from, that of the last of `news` among them
    news: tuple[News, ...] = ()
    whole: bool = True


def order(event_id: str) -> tuple[int, int]:
    """An event's id as something to compare by; what is none comes before all."""
    left, _dash, right = event_id.partition("-")
    if not (left.isascii() and left.isdecimal() and right.isascii() and right.isdecimal() and len(event_id) < 50):
        return (-1, -1)
    return int(left), int(right)


def newest(organization_id: int) -> str:
    """The id of the organisation's last event; empty where Redis cannot be asked."""
    try:
        found: Any = jobs.connection().xrevrange(jobs.kept(organization_id), count=1)
    except redis.RedisError as error:
        log.warning("live events not read", error=type(error).__name__)
        return ""
    return str(found[0][0].decode()) if found else NO_EVENT


def missed(organization_id: int, after: str) -> Missed | None:
    """What was published after the event `after`; None where Redis cannot be asked."""
    try:
        return _missed(after, *_ask(jobs.connection().pipeline(transaction=True), organization_id, after).execute())
    except redis.RedisError as error:
        log.warning("live events not read", error=type(error).__name__)
        return None


def _ask(pipeline: Any, organization_id: int, after: str) -> Any:
    name = jobs.kept(organization_id)
    pipeline.xrange(name, count=1)
    pipeline.xrevrange(name, count=1)
    pipeline.xrange(name, min=f"({after}" if order(after) >= (0, 0) else "+", count=BACKLOG)
    return pipeline


def _missed(after: str, first: Any, last: Any, rest: Any) -> Missed:
    ends = last[0][0].decode() if last else NO_EVENT
    known = order(after)
    if known == order(NO_EVENT) == order(ends):
        return Missed(ends)
    # All is there that came after an event which is there itself, or is younger than the oldest one.
    if not first or known < order(first[0][0].decode()):
        return Missed(ends, whole=False)
    return Missed(ends, tuple(News(key.decode(), json.loads(entry[b"d"])) for key, entry in rest))


# --- listening ----------------------------------------------------------------------------------------------------


class Lost(Exception):
    """The connection to Redis is gone: what is published meanwhile is not heard."""


@dataclass(eq=False)
class Page:
    """An open page's place among those who listen."""

    organization_id: int
    waiting: asyncio.Queue[News] = field(default_factory=lambda: asyncio.Queue(BACKLOG))
    lost: bool = False

    async def next(self, seconds: float) -> News | None:
        """The next event, or None when there is none for so long. Raises Lost."""
        if self.lost:
            raise Lost
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                news = await self.waiting.get()
                if self.lost:
                    raise Lost
                return news
        return None

    def tell(self, news: News) -> None:
        try:
            self.waiting.put_nowait(news)
        except asyncio.QueueFull:
            self.cut()

    def cut(self) -> None:
        """End its waiting, whatever it waits for."""
        self.lost = True
        with suppress(asyncio.QueueFull):
            self.waiting.put_nowait(News("", {}))


class Hub:
    """This process's ear: one subscribed connection, a channel for each organisation that has a page open."""

    def __init__(self) -> None:
        # Without retries: a client that connects again by itself would hide that something was missed.
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            settings.REDIS_URL,
            max_connections=CONNECTIONS,
            timeout=5,
            socket_timeout=5,
            socket_connect_timeout=2,
            retry=Retry(NoBackoff(), 0),
        )
        self.client = redis.asyncio.Redis(connection_pool=pool)
        self._pages: dict[str, set[Page]] = {}
        self._subscribed: dict[str, asyncio.Event] = {}
        self._pubsub: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._asking = asyncio.Lock()  # two that subscribe at once would each open a connection

    async def enter(self, organization_id: int) -> Page:
        """A page that hears all that is published from now on, until it leaves. Raises RedisError, Lost, TimeoutError."""
        page, channel = Page(organization_id), jobs.channel(organization_id)
        self._pages.setdefault(channel, set()).add(page)
        try:
            async with asyncio.timeout(5):
                await self._subscribe(channel)
            if page.lost:
                raise Lost
        except BaseException:
            await self.leave(page)
            raise
        return page

    async def _subscribe(self, channel: str) -> None:
        async with self._asking:
            if self._pubsub is None:
                self._pubsub = self.client.pubsub()
            heard = self._subscribed.get(channel)
            if heard is None:
                heard = asyncio.Event()
                await self._pubsub.subscribe(channel)
                self._subscribed[channel] = heard
            if self._reader is None:
                self._reader = asyncio.create_task(self._read(self._pubsub))
        await heard.wait()

    async def leave(self, page: Page) -> None:
        """The page has been closed."""
        channel = jobs.channel(page.organization_id)
        pages = self._pages.get(channel, set())
        pages.discard(page)
        if pages or self._pages.get(channel) is not pages:
            return
        del self._pages[channel]
        if not self._pages:
            await self._end()
        elif self._subscribed.pop(channel, None) is not None:
            with suppress(redis.RedisError):
                await self._pubsub.unsubscribe(channel)

    async def _read(self, pubsub: Any) -> None:
        tried = False
        try:
            while True:
                heard = await pubsub.get_message(timeout=QUIET)
                if heard is None:
                    if tried:
                        raise Lost
                    await pubsub.ping()
                    tried = True
                    continue
                tried = False
                if heard["type"] == "subscribe":
                    event = self._subscribed.get(heard["channel"].decode())
                    if event is not None:
                        event.set()
                elif heard["type"] == "message":
                    self._hand_on(heard["channel"].decode(), heard["data"].decode())
        except (redis.RedisError, OSError, Lost) as error:
            log.warning("live events not heard", error=type(error).__name__)
            await self._give_up(pubsub)

    def _hand_on(self, channel: str, data: str) -> None:
        event_id, _space, text = data.partition(" ")
        news = News(event_id.strip("~"), json.loads(text))
        for page in self._pages.get(channel, ()):
            page.tell(news)

    async def _give_up(self, pubsub: Any) -> None:
        """Every page begins anew, and so hears of what it missed."""
        pages = [page for found in self._pages.values() for page in found]
        self._pages, self._subscribed, self._pubsub, self._reader = {}, {}, None, None
        for page in pages:
            page.cut()
        with suppress(redis.RedisError, OSError):
            await pubsub.aclose()

    async def _end(self) -> None:
        reader, pubsub = self._reader, self._pubsub
        self._reader, self._pubsub, self._subscribed = None, None, {}
        if reader is not None:
            reader.cancel()
        if pubsub is not None:
            with suppress(redis.RedisError, OSError):
                await pubsub.aclose()

    async def missed(self, organization_id: int, after: str) -> Missed:
        """As `missed`, without holding up other pages. Raises RedisError."""
        return _missed(after, *await _ask(self.client.pipeline(transaction=True), organization_id, after).execute())


# A loop of its own for each test; the web server has one.
_HUBS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = weakref.WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running loop."""
    loop = asyncio.get_running_loop()
    found = _HUBS.get(loop)
    if found is None:
        found = _HUBS[loop] = Hub()
    return found
