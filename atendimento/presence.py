"""Who has a ticket open, and what they are doing there: kept in Redis alone, and gone by itself when a page is.

A page (a tab) has a key of its own that expires unless it is touched; the ticket has the set of its pages. Each change is
published on the organisation's channel, as all who are there then, so that no page has to ask. Two tabs of one person are
one person. Names come from the page's own connection: nothing is asked of the database, and nothing is written there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import Any, Final, cast

from atendimento import jobs

EXPIRES: Final = 30
"""Seconds after which a page that is not heard of any more has gone."""

MOST: Final = 100
"""Pages of one ticket that are kept; who comes later is not shown."""

TAB = re.compile(r"[A-Za-z0-9]{8,40}")
"""What a page calls itself: drawn anew at each load."""

DOING = re.compile(r"(?:reply|(?:ch|sl)-[A-Za-z0-9-]{1,200})?")
"""What a member does on a page: nothing but look, write a reply, or edit the card of that id."""

# KEYS: the ticket's set, the organisation's channel. ARGV: act, page, lifetime, most, ticket, member, name, connection, doing.
# Each page's key is built here from the set's: Redis is one server, not a cluster.
_SCRIPT: Final = """
local act, page, life = ARGV[1], ARGV[2], ARGV[3]
local key = KEYS[1] .. ':' .. page
local changed = false
if act == 'touch' or act == 'join' then
    local held = redis.call('HGET', key, 'c')
    if not held and redis.call('SCARD', KEYS[1]) < tonumber(ARGV[4]) then
        redis.call('HSET', key, 'm', ARGV[6], 'n', ARGV[7], 'd', '', 'c', ARGV[8])
        redis.call('SADD', KEYS[1], page)
        changed = true
    elseif held and act == 'join' then
        redis.call('HSET', key, 'c', ARGV[8])
    end
    redis.call('EXPIRE', key, life)
elseif act == 'do' then
    if redis.call('HGET', key, 'm') == ARGV[6] and redis.call('HGET', key, 'd') ~= ARGV[9] then
        redis.call('HSET', key, 'd', ARGV[9])
        changed = true
    end
elseif act == 'leave' and redis.call('HGET', key, 'c') == ARGV[8] then
    redis.call('DEL', key)
    redis.call('SREM', KEYS[1], page)
    changed = true
end
local here = {}
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    local found = redis.call('HMGET', KEYS[1] .. ':' .. name, 'm', 'n', 'd')
    if found[1] then
        here[#here + 1] = { m = found[1], n = found[2], d = found[3] }
    else
        redis.call('SREM', KEYS[1], name)
        changed = true
    end
end
redis.call('EXPIRE', KEYS[1], life)
local text = #here > 0 and cjson.encode(here) or '[]'
if changed then
    redis.call('PUBLISH', KEYS[2], '~ {"kind":"here","ticket":"' .. ARGV[5] .. '","pages":' .. text .. '}')
end
return text
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A member's page on a ticket."""

    organization_id: int
    ticket: str
    member_id: int
    name: str
    tab: str
    connection: str = ""  # of its stream: an old one that ends late does not take away what a new one holds


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is there, with all that they do there: "reply", or ids of cards."""

    id: int
    name: str
    doing: tuple[str, ...]


def people(pages: Iterable[dict[str, str]]) -> tuple[Person, ...]:
    """The pages as people, by name: several pages of one person are one."""
    found: dict[int, tuple[str, set[str]]] = {}
    for page in pages:
        _name, doing = found.setdefault(int(page["m"]), (page["n"], set()))
        doing |= {page["d"]} - {""}
    listed = [Person(member, name, tuple(sorted(doing))) for member, (name, doing) in found.items()]
    return tuple(sorted(listed, key=lambda person: (person.name, person.id)))


def _arguments(act: str, place: Place, doing: str = "") -> list[str]:
    keys = [f"lastro:org:{place.organization_id}:at:{place.ticket}", jobs.channel(place.organization_id)]
    page = f"{place.member_id}-{place.tab}"
    named = [place.ticket, str(place.member_id), place.name, place.connection, doing]
    return [*keys, act, page, str(EXPIRES), str(MOST), *named]


def _read(text: bytes) -> tuple[Person, ...]:
    return people(json.loads(text))


async def join(client: Any, place: Place) -> tuple[Person, ...]:
    """The page is there from now on; who is there with it. Raises RedisError, like all of these."""
    return await _ask(client, "join", place)


async def touch(client: Any, place: Place) -> tuple[Person, ...]:
    """The page is still there."""
    return await _ask(client, "touch", place)


async def leave(client: Any, place: Place) -> None:
    """The page has gone."""
    await _ask(client, "leave", place)


async def _ask(client: Any, act: str, place: Place) -> tuple[Person, ...]:
    return _read(await cast("Awaitable[bytes]", client.eval(_SCRIPT, 2, *_arguments(act, place))))


def do(place: Place, doing: str) -> None:
    """The page's member does this from now on; nothing where that page is not there."""
    jobs.connection().eval(_SCRIPT, 2, *_arguments("do", place, doing))


def polled(place: Place) -> tuple[Person, ...]:
    """As `touch`, for a page that asks now and then instead of listening."""
    return _read(cast("bytes", jobs.connection().eval(_SCRIPT, 2, *_arguments("touch", place))))
