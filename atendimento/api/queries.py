"""What stands after the question mark, and pages that follow one another."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento.access import NotFound
from atendimento.actions.faults import Fault
from atendimento.api.problems import BadRequest
from atendimento.selectors.machine import Page
from memoria.evidence import message_number

DEFAULT_LIMIT, MAX_LIMIT = 50, 200


def bad(name: str, detail: str) -> BadRequest:
    """The answer to a parameter that cannot be taken."""
    return BadRequest("query.invalid", f"The parameter {name} {detail}.", [Fault(name, "query.invalid", detail)])


def text(request: Request, name: str, allowed: Collection[str] | None = None) -> str | None:
    """The parameter, None where it is absent or empty. Raises BadRequest for a value that is not allowed."""
    value = request.query_params.get(name) or None
    if value is not None and "\0" in value:
        raise bad(name, "holds a NUL character")
    if value is not None and allowed is not None and value not in allowed:
        raise bad(name, f"must be one of {', '.join(sorted(allowed))}")
    return value


def whole(request: Request, name: str) -> int | None:
    value = text(request, name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= 10):
        raise bad(name, "must be a whole number")
    return int(value)


def version(request: Request, name: str = "version") -> int | None:
    """A version's number; one that no ticket can have is not found, like any unknown version."""
    value = text(request, name)
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise NotFound("version") from None


def moment(request: Request, name: str) -> datetime | None:
    value = text(request, name)
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value.replace(" ", "+").upper())  # an unescaped + arrives as a space
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or not 1970 <= at.year < 9999:
        raise bad(name, "must be a time with its zone")
    return at.astimezone(UTC)


def message_after(request: Request) -> int:
    """`after=m-40`: 40; 0 where it is absent."""
    value = text(request, "after")
    number = message_number(value) if value else 0
    if number is None:
        raise bad("after", "must be a message id")
    return number


def limit(request: Request) -> int:
    value = whole(request, "limit")
    return DEFAULT_LIMIT if value is None else max(1, min(value, MAX_LIMIT))


def cursor(request: Request, size: int) -> list[Any] | None:
    """The key after which the page begins; None for the first. Raises BadRequest for one that we did not give."""
    value = text(request, "cursor")
    if value is None:
        return None
    try:
        keys = json.loads(base64.urlsafe_b64decode(value.encode() + b"=="))
    except (ValueError, RecursionError):
        keys = None
    if not isinstance(keys, list) or len(keys) != size or not all(isinstance(key, str | int) for key in keys):
        raise bad("cursor", "is none of ours")
    return keys


def answer(request: Request, read: Callable[[], Page], show: Callable[[Any], dict[str, Any]]) -> Response:
    """A page as an answer: its rows, and the address of the next one."""
    try:
        page = read()
    except (ValueError, TypeError, OverflowError):
        if "cursor" not in request.query_params:
            raise
        # Keys of a cursor that somebody wrote themselves; the parameters were checked before.
        raise bad("cursor", "is none of ours") from None
    return Response({"results": [show(row) for row in page.rows], "next": _next(request, page.after)})


def _next(request: Request, after: Sequence[Any] | None) -> str | None:
    if after is None:
        return None
    key = base64.urlsafe_b64encode(json.dumps(list(after)).encode()).decode().rstrip("=")
    query = request.query_params.copy()
    query["cursor"] = key
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
