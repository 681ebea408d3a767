"""Request bodies: strict JSON, checked against the very schema that the API's description shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import jsonschema_rs
from rest_framework.request import Request

from atendimento.actions.faults import Fault
from atendimento.api.problems import BadRequest
from memoria.patch import Json
from memoria.proposals import Citation
from memoria.strict_json import NotStrictJson, loads

MAX_BODY: Final = 1024 * 1024  # bytes
_CODES: Final = {
    "additionalProperties": "member.unknown",
    "required": "member.missing",
    "type": "type.wrong",
    "enum": "value.not_allowed",
    "const": "value.not_allowed",
    "maxLength": "text.too_long",
    "minLength": "text.too_short",
    "maxItems": "list.too_long",
    "format": "format.wrong",
}


@dataclass(frozen=True)
class Shape:
    """What a call takes: a JSON Schema, which is also what the API's description shows."""

    schema: dict[str, Json]

    @cached_property
    def validator(self) -> Any:
        return jsonschema_rs.validator_for(self.schema, validate_formats=True)


@dataclass(frozen=True, slots=True)
class Body:
    """A body that fits its shape. `document` is without NUL characters; `raw` is as it came."""

    document: dict[str, Any]
    raw: dict[str, Any]

    def get(self, key: str, default: Any = None) -> Any:
        return self.document.get(key, default)

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __contains__(self, key: str) -> bool:
        return key in self.document

    def whole(self, key: str) -> int:
        """A whole number, which JSON may also spell `3.0`."""
        return int(self.document[key])

    def moment(self, key: str) -> datetime | None:
        """A time with its zone; None where it is null or absent. Raises BadRequest for one that no clock shows."""
        text = self.document.get(key)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text.upper())
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None or not 1970 <= moment.year < 9999:
            raise BadRequest(
                "request.invalid", "The body is not what this call takes.", [Fault(f"/{key}", "format.wrong", "no time")]
            )
        return moment.astimezone(UTC)  # an offset that Python reads may be more than the database takes

    def citations(self, key: str = "evidence") -> tuple[Citation, ...] | None:
        """The evidence given; None where there is none."""
        given = self.document.get(key)
        return None if given is None else tuple(map(citation, given))


def citation(document: Mapping[str, Json]) -> Citation:
    start = document.get("start")
    return Citation(document["message"], document["quote"], None if start is None else int(start))


def read(request: Request, shape: Shape, *, optional: bool = False) -> Body:
    """The request's body. Raises BadRequest (400, 413, 415). `optional`: no body is an empty object."""
    text = _text(request)
    if optional and not text.strip():
        text = "{}"
    try:
        raw = loads(text, allow_nul=True)
    except NotStrictJson as error:
        raise BadRequest("json.invalid", str(error.args[0])) from None
    document = without_nul(raw)
    faults = [_fault(error, shape.schema) for error in shape.validator.iter_errors(document)]
    if faults:
        # A limit has an error of its own; among others it is one of them.
        code = faults[0].code if len(faults) == 1 and faults[0].code not in _CODES.values() else "request.invalid"
        raise BadRequest(code, "The body is not what this call takes.", sorted(faults, key=lambda fault: fault.pointer))
    return Body(document, raw)


def _text(request: Request) -> str:
    # A GET without a body has no type; a body of another type is refused before it is read.
    media_type = (request.content_type or "").partition(";")[0].strip().lower()
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > MAX_BODY:
        raise BadRequest("body.too_large", "The body is larger than 1 MiB.", status=413)
    data = request._request.read(MAX_BODY + 1)  # noqa: SLF001 - DRF reads bodies by parsers only, which decode too leniently
    if len(data) > MAX_BODY:
        raise BadRequest("body.too_large", "The body is larger than 1 MiB.", status=413)
    if (
        data
        and media_type != "application/json"
        and not (media_type.startswith("application/") and media_type.endswith("+json"))
    ):
        raise BadRequest("media_type.unsupported", "The body must be application/json.", status=415)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadRequest("json.invalid", "The body is not UTF-8.") from None


def without_nul(document: Json) -> Json:
    """The document with every NUL character taken out of its texts; keys hold none."""
    if isinstance(document, str):
        return document.replace("\0", "")
    if isinstance(document, dict):
        return {key: without_nul(value) for key, value in document.items()}
    if isinstance(document, list):
        return [without_nul(item) for item in document]
    return document


def _fault(error: Any, schema: Json) -> Fault:
    pointer = _pointer(error.instance_path)
    kind = error.kind.name
    match kind:
        case "additionalProperties":
            pointer += _pointer(error.kind.unexpected[:1])
        case "required":
            pointer += _pointer([error.kind.property])
    node = schema
    for part in list(error.schema_path)[:-1]:
        node = node[part]
    code = node.get("x-code") if isinstance(node, dict) and kind in ("maxLength", "maxItems") else None
    return Fault(pointer, code or _CODES.get(kind, "value.invalid"), _plain(kind, error))


def _plain(kind: str, error: Any) -> str:
    """The fault in English, without the value: it may be long, or somebody's words."""
    match kind:
        case "additionalProperties":
            return "unknown member"
        case "required":
            return "missing"
        case "type":
            return f"must be of type {', '.join(sorted(error.kind.types))}"
        case "enum":
            return f"must be one of {', '.join(map(str, error.kind.options))}"
        case _:
            return f"does not satisfy {kind}"


def _pointer(parts: Sequence[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
