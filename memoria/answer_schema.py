"""The JSON Schema of the model's answer, made from the ticket type, within what strict structured output takes.

Strict servers want every object closed and every key required, so "may be left out" is written as "may be null", and a key
that a new member need not have (the status it begins with) is left out. Pointers stand in the field list alone: a list of
them here would cost their tokens twice and change with every member, so that no cache would hit (N4). The domain refuses
what is none, and what is no status, kind or target, with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from memoria.fields import TicketType
from memoria.instructions import takes_inferences
from memoria.members import SHAPES
from memoria.patch import Json

_TEXT: Final[Json] = {"type": "string"}
_TEXT_OR_NULL: Final[Json] = {"type": ["string", "null"]}
_TEXTS: Final[Json] = {"type": "array", "items": _TEXT}
_SCALAR: Final[Json] = {"type": ["string", "number", "boolean", "null"]}
_MAX_DEPTH: Final = 4  # an object within an object within a list; deeper field schemas are left to the domain's check
_MEMBERS: Final[Mapping[str, Mapping[str, Json]]] = {
    "commitments": {
        "task": _TEXT,
        "owner": _TEXT,
        "due": _TEXT_OR_NULL,
        "due_text": _TEXT_OR_NULL,
        "kind": _TEXT_OR_NULL,
    },
    "pending": {"question": _TEXT, "options": _TEXTS},
    "constraints": {"text": _TEXT, "applies_to": _TEXTS},
    "decisions": {"text": _TEXT, "applies_to": _TEXTS, "reason": _TEXT_OR_NULL},
    "authorizations": {"action": _TEXT, "scope": _TEXT},
    "attempts": {"action": _TEXT, "by": _TEXT, "status": _TEXT, "result": _TEXT_OR_NULL},
}


def answer_schema(ticket_type: TicketType) -> Json:
    """The answer's schema: `changes`, each with its evidence first, so that a value is drawn from the words cited.

    It depends on the ticket type alone, never on a ticket.
    """
    change = _closed(
        {
            "evidence": {"type": "array", "items": _closed({"message": _TEXT, "quote": _TEXT})},
            "op": {"type": "string", "enum": ["add", "replace", "remove"]},
            "path": _TEXT,
            "value": {"anyOf": _values(ticket_type)},
            **({"inference": {"type": "boolean"}} if takes_inferences(ticket_type) else {}),
        }
    )
    return _closed({"changes": {"type": "array", "items": change}})


def _closed(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _values(ticket_type: TicketType) -> list[Json]:
    """One union for all fields: scalars, the shapes of lists and objects that fields hold, the collections' members."""
    union: list[Json] = [_SCALAR]
    for field in ticket_type.fields.values():
        for shape in _shapes(field.schema, 1):
            if shape not in union:
                union.append(shape)
    union.extend(_closed(_MEMBERS[name]) for name in SHAPES if name in ticket_type.collections)
    return union


def _shapes(schema: Json, depth: int) -> Iterable[Json]:
    """The lists and objects that a field's schema may hold, loosened to what strict output takes; never wider keys."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds:
        inner = list(_shapes(schema.get("items"), depth + 1))
        yield {"type": "array", "items": _either(inner)}
    properties = schema.get("properties")
    if "object" in kinds and isinstance(properties, dict) and properties:
        yield _closed({key: _either(list(_shapes(part, depth + 1))) for key, part in properties.items()})
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from _shapes(part, depth + 1)


def _either(shapes: list[Json]) -> Json:
    return {"anyOf": [_SCALAR, *shapes]} if shapes else _SCALAR
