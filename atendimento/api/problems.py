"""Errors as the machine's door answers them: RFC 9457 documents with our code, and never a stack or a query."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from atendimento import wording
from atendimento.access import NotFound
from atendimento.actions.faults import Fault, InvalidInput
from memoria.errors import Code, DomainError
from memoria.fields import InvalidTicketType

log = structlog.get_logger("atendimento.api")

CONTENT_TYPE: Final = "application/problem+json"
_RESERVED: Final = frozenset({"type", "title", "status", "detail", "code", "instance", "errors", "rule"})


class BadRequest(Exception):
    """The request is not what the call takes. `code` says how; `errors` where."""

    def __init__(self, code: str, detail: str, errors: Sequence[Fault] = (), status: int = 400) -> None:
        self.code, self.detail, self.errors, self.status = code, detail, tuple(errors), status
        super().__init__(code)


def problem(
    status: int, code: str, detail: str, *, errors: Sequence[Fault] = (), headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """A problem document as an answer. `more` are further members (a rule's data)."""
    document: dict[str, Any] = {
        "type": f"urn:lastro:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    document |= {key: value for key, value in more.items() if value is not None}
    if errors:
        document["errors"] = [{"pointer": item.pointer, "code": item.code, "detail": item.detail} for item in errors]
    return Response(document, status=status, content_type=CONTENT_TYPE, headers=headers)


def of_domain(error: DomainError) -> Response:
    """409, or 403 where a role is missing; the rule's number and data as further members."""
    status = 403 if error.code is Code.PERMISSION_DENIED else 409
    data = {key: value for key, value in error.data.items() if key not in _RESERVED}
    return problem(status, error.code.value, wording.sentence(error.reason), rule=error.rule, data=dict(error.data), **data)


_HTTP_CODES: Final = {
    401: "authentication.required",
    403: Code.PERMISSION_DENIED.value,
    404: "not_found",
    405: "method.not_allowed",
    406: "not_acceptable",
    413: "body.too_large",
    415: "media_type.unsupported",
    429: "rate.limited",
}


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every error becomes a problem document, an unforeseen one a 500 without its words."""
    set_rollback()
    match error:
        case DomainError():
            return of_domain(error)
        case NotFound() | Http404():
            return problem(404, "not_found", "There is no such thing here.")
        case BadRequest():
            return problem(error.status, error.code, error.detail, errors=error.errors)
        case InvalidInput():
            code = error.faults[0].code if len(error.faults) == 1 else "request.invalid"
            return problem(400, code, error.faults[0].detail, errors=error.faults)
        case InvalidTicketType():
            faults = [Fault(item.where, item.code.value, item.detail) for item in error.problems]
            code = Code.TYPE_CYCLE if any(item.code is Code.TYPE_CYCLE for item in error.problems) else Code.TYPE_INVALID
            return problem(400, code.value, faults[0].detail, errors=faults)
        case RequestDataTooBig():
            return problem(413, _HTTP_CODES[413], "The body is larger than 1 MiB.")
        case exceptions.APIException():
            return _of_framework(error)
        case OperationalError():
            # No connection is free or the database is away: the call may be made again as it is.
            log.error("database not reached", error=type(error.__cause__ or error).__name__)
            return problem(503, "database.unavailable", "The database cannot be reached now.", headers={"Retry-After": "2"})
    # Where it happened, and not what it said: an exception's words may hold somebody's message.
    frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]
    log.error("unforeseen error", error=type(error).__name__, frames=frames)
    return problem(500, "internal", "Something went wrong on our side.")


def _of_framework(error: exceptions.APIException) -> Response:
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = "1"  # the limit is counted by the second
    if error.status_code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    code = _HTTP_CODES.get(error.status_code, "request.invalid")
    return problem(error.status_code, code, str(error.detail), headers=headers)
