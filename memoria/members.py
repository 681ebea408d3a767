"""The collections of a ticket's values: what their members look like and which words make two of them the same.

Every collection is a map keyed by ids that the domain mints (`c-1`, `k-1`, …).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from memoria.patch import MISSING, Json


@dataclass(frozen=True, slots=True)
class Shape:
    """One collection: the letter of its ids, and its members' keys."""

    letter: str
    text_keys: tuple[str, ...]  # M7: the words that make two members the same
    required: tuple[str, ...]
    optional: tuple[str, ...]
    statuses: tuple[str, ...] = ()
    default_status: str | None = None
    literal: str | None = None  # E10: the key whose words must stand in a quote
    removable: bool = False  # constraints and decisions are removed; the rest move by status


SHAPES: Final[Mapping[str, Shape]] = {
    "commitments": Shape(
        "c",
        ("task",),
        ("task", "owner"),
        ("due", "due_text", "status", "kind", "reopens"),
        ("requested", "in_progress", "done", "failed", "cancelled"),
        "requested",
    ),
    "pending": Shape("p", ("question",), ("question",), ("options", "status"), ("open", "answered", "withdrawn"), "open"),
    "constraints": Shape("k", ("text",), ("text",), ("applies_to",), literal="text", removable=True),
    "decisions": Shape("d", ("text",), ("text",), ("applies_to", "reason"), literal="text", removable=True),
    "authorizations": Shape(
        "a", ("action", "scope"), ("action", "scope"), ("status",), ("granted", "revoked"), "granted", literal="scope"
    ),
    "attempts": Shape(
        "t",
        ("action",),
        ("action",),
        ("by", "status", "result"),
        ("suggested", "tried", "worked", "failed"),
        "tried",
    ),
}

FIELD_MAPS: Final = ("facts", "preferences", "identifiers")
OWNERS: Final = ("team", "customer", "third_party")
FINISHED: Final = frozenset({"done", "failed", "cancelled"})
_AUTHORIZED_ACTIONS: Final = ("contact", "send", "execute", "share")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?([Zz]|[+-]\d{2}:\d{2})\Z")


YEARS: Final = range(1970, 9999)
"""Of a due: what every clock, database and time zone can show."""
_FURTHEST_ZONE: Final = timedelta(hours=14)


def empty_values() -> dict[str, Json]:
    """The document of version 0: every map is there, the goal is not."""
    return {name: {} for name in (*FIELD_MAPS, *SHAPES)}


def is_due(value: Json) -> bool:
    """True for an ISO 8601 date, a datetime with a zone, or null (nothing is held). Its year is one of YEARS."""
    if value is None:
        return True
    if not isinstance(value, str) or not value.isascii():
        return False
    try:
        if _DATE.match(value):
            return date.fromisoformat(value).year in YEARS
        if _DATETIME.match(value):
            moment = datetime.fromisoformat(value.upper())
            return moment.year in YEARS and abs(moment.utcoffset() or timedelta()) <= _FURTHEST_ZONE
    except ValueError:
        return False
    return False


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_text_or_null(value: Json) -> bool:
    return value is None or isinstance(value, str)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def member_problem(collection: str, value: Json, kinds: tuple[str, ...], targets: Container[str]) -> tuple[str, str] | None:
    """Where and why `value` is no member of `collection`, as (key, detail); None where it is one.

    `kinds` are the ticket type's kinds of commitment, `targets` what `applies_to` may name.
    """
    shape = SHAPES[collection]
    if not isinstance(value, dict):
        return "", "not an object"
    for key in shape.required:
        if key not in value:
            return key, "missing"
    for key, item in value.items():
        if key not in shape.required and key not in shape.optional:
            return key, "unknown member"
        if not _fits(collection, key, item, kinds, targets):
            return key, "not a value that it takes"
    return None


def _fits(collection: str, key: str, item: Json, kinds: tuple[str, ...], targets: Container[str]) -> bool:
    match key:
        case "status":
            return item in SHAPES[collection].statuses if isinstance(item, str) else False
        case "due":
            return is_due(item)
        case "kind":
            return item is None or item in kinds
        case "applies_to":
            return _is_texts(item) and all(target in targets for target in item)
        case "options":
            return _is_texts(item)
        case "by":
            return isinstance(item, str) and item in ("customer", "team", "third_party")
        case "action" if collection == "authorizations":
            return isinstance(item, str) and item in _AUTHORIZED_ACTIONS
        case "due_text" | "reopens" | "result" | "reason":
            return _is_text_or_null(item)
        case _:
            return _is_text(item)


def completed_member(collection: str, value: Mapping[str, Json]) -> dict[str, Json]:
    """The member as it is stored: what was left out of a commitment or a status has its default."""
    shape = SHAPES[collection]
    member = dict(value)
    if shape.default_status is not None:
        member.setdefault("status", shape.default_status)
    if collection == "commitments":
        for key in ("due", "due_text", "kind"):
            member.setdefault(key, None)
    return member


@dataclass(frozen=True, slots=True)
class Place:
    """What a pointer means under a ticket type: a field, a new member, a member, or a member's status or due."""

    kind: str  # "field", "new", "member", "status", "due"
    pointer: str
    collection: str | None = None
    member: str | None = None

    @property
    def member_pointer(self) -> str:
        return f"/{self.collection}/{self.member}"


def place_in_collection(parts: tuple[str, ...], values: Mapping[str, Json]) -> Place | None:
    """The place in a collection that these tokens name, or None where there is none (no such member, no such part)."""
    collection, rest = parts[0], parts[1:]
    shape = SHAPES[collection]
    if rest == ("-",):
        return Place("new", f"/{collection}/-", collection)
    if not rest or values.get(collection, {}).get(rest[0], MISSING) is MISSING:
        return None
    pointer = f"/{collection}/{'/'.join(rest)}"
    if len(rest) == 1 and shape.removable:
        return Place("member", pointer, collection, rest[0])
    if len(rest) == 2 and rest[1] == "status" and shape.default_status is not None:
        return Place("status", pointer, collection, rest[0])
    if len(rest) == 2 and rest[1] == "due" and collection == "commitments":
        return Place("due", pointer, collection, rest[0])
    return None
