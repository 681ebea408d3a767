"""How calls are described: the same schemas that check bodies and that tests check answers against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from atendimento.api import schemas
from atendimento.api.bodies import Shape
from atendimento.api.problems import CONTENT_TYPE

F = TypeVar("F", bound=Callable[..., Any])
_ERRORS = {
    400: "The body or a parameter is not what the call takes.",
    401: "No token, or an unknown one.",
    403: "The role does not permit it.",
    404: "No such thing in this organisation.",
    409: "The domain refuses: `code` and `rule` say why.",
    413: "The body is larger than 1 MiB.",
    415: "The body is not JSON.",
    429: "Too many requests; `Retry-After` says when.",
    503: "The database cannot be reached, or no connection is free; `Retry-After` says when.",
}


def query(name: str, description: str = "", *, kind: Any = OpenApiTypes.STR) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description)


PAGED = (query("cursor", "From `next`."), query("limit", "Rows a page, 200 at most.", kind=OpenApiTypes.INT))


def call(
    summary: str,
    answers: Mapping[int, Any],
    *,
    takes: Shape | None = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    refuses: tuple[int, ...] = (),
    tag: str = "tickets",
) -> Callable[[F], F]:
    """Describe a call. `answers`: a schema per status, None for no body; `refuses`: further error statuses."""
    errors = {401, 403, 429, 503, *refuses, *((400, 413, 415) if takes is not None else ())}
    responses: dict[Any, Any] = {}
    for status, schema in answers.items():
        key = status if schema is None else (status, "application/json")
        responses[key] = OpenApiResponse(schema, description="No content." if schema is None else "")
    for status in sorted(errors):
        responses[status, CONTENT_TYPE] = OpenApiResponse(schemas.PROBLEM, description=_ERRORS[status])
    decorate: Callable[[F], F] = extend_schema(
        summary=summary,
        request=None if takes is None else {"application/json": takes.schema},
        responses=responses,
        parameters=list(parameters),
        tags=[tag],
    )
    return decorate
