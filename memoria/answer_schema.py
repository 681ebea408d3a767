"""The JSON Schema of the model's answer, made from the ticket type, within what strict structured output takes.

Strict servers want every object closed and every key required, so "may be left out" is written as "may be null".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from memoria.fields import TicketType
from memoria.members import FINISHED, SHAPES
from memoria.patch import Json, make_pointer
from memoria.state import State

_TEXT: Final[Json] = {"type": "string"}
_TEXT_OR_NULL: Final[Json] = {"type": ["string", "null"]}
_SCALARS: Final[tuple[Json, ...]] = tuple({"type": name} for name in ("string", "number", "boolean", "null"))
_MAX_DEPTH: Final = 4  # an object within an object within a list; deeper field schemas are left to the domain's check
_BLOCK: Final = 6
_PARTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    # What of a member can be changed; a constraint and a decision as a whole.
    "commitments": (("status",), ("due",)),
    "pending": (("status",),),
    "constraints": ((),),
    "decisions": ((),),
    "authorizations": (("status",),),
    "attempts": (("status",),),
}
_MOVABLE: Final[Mapping[str, frozenset[str]]] = {
    "commitments": frozenset(SHAPES["commitments"].statuses) - FINISHED,
    "pending": frozenset({"open"}),
    "authorizations": frozenset({"granted"}),
    "attempts": frozenset({"suggested", "tried"}),
}


def answer_schema(ticket_type: TicketType, state: State, shown: Collection[str]) -> Json:
    """The answer's schema: `changes`, each with its evidence first, so that a value is drawn from the words cited.

    The pointers come fixed ones first, then what can be changed of the members in `shown`, those that the model sees.
    """
    change = _closed(
        {
            "evidence": {"type": "array", "items": _closed({"message": _TEXT, "quote": _TEXT})},
            "op": {"type": "string", "enum": ["add", "replace", "remove"]},
            "path": {"type": "string", "enum": [*fixed_pointers(ticket_type), *member_pointers(ticket_type, state, shown)]},
            "value": {"anyOf": _values(ticket_type)},
            "inference": {"type": "boolean"},
            "reason": _TEXT_OR_NULL,
        }
    )
    return _closed({"changes": {"type": "array", "items": change}})


def fixed_pointers(ticket_type: TicketType) -> list[str]:
    """The pointers that a ticket type has in every ticket: its fields, and `/-` of its collections."""
    return [*ticket_type.fields, *(make_pointer(name, "-") for name in SHAPES if name in ticket_type.collections)]


def member_pointers(ticket_type: TicketType, state: State, shown: Collection[str]) -> list[str]:
    """What can be changed of members, in the order of the collections and of their ids.

    Ids come in blocks of _BLOCK around those shown that can still change: a schema that changed with every new member
    would be read afresh each time (N4). An id in a block that no member has is refused by the domain like any other.
    """
    return [
        make_pointer(name, f"{shape.letter}-{number}", *part)
        for name, shape in SHAPES.items()
        if name in ticket_type.collections
        for number in _numbers(name, state, shown)
        for part in _PARTS[name]
    ]


def _numbers(collection: str, state: State, shown: Collection[str]) -> list[int]:
    blocks = {
        (int(identifier.partition("-")[2]) - 1) // _BLOCK
        for identifier, member in state.values.get(collection, {}).items()
        if make_pointer(collection, identifier) in shown and _can_change(collection, member)
    }
    return [block * _BLOCK + offset for block in sorted(blocks) for offset in range(1, _BLOCK + 1)]


def _can_change(collection: str, member: Mapping[str, Json]) -> bool:
    return collection not in _MOVABLE or member.get("status") in _MOVABLE[collection]


def _closed(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _values(ticket_type: TicketType) -> list[Json]:
    """One union for all fields: scalars, the shapes of lists and objects that fields hold, the collections' members."""
    union: list[Json] = list(_SCALARS)
    for field in ticket_type.fields.values():
        for shape in _shapes(field.schema, 1):
            if shape not in union:
                union.append(shape)
    union.extend(_member(ticket_type, name) for name in SHAPES if name in ticket_type.collections)
    return union


def _shapes(schema: Json, depth: int) -> Iterable[Json]:
    """The lists and objects that a field's schema may hold, loosened to what strict output takes; never wider keys."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds:
        inner = list(_shapes(schema.get("items"), depth + 1))
        yield {"type": "array", "items": {"anyOf": [*_SCALARS, *inner]}}
    properties = schema.get("properties")
    if "object" in kinds and isinstance(properties, dict) and properties:
        yield _closed(
            {key: {"anyOf": [*_SCALARS, *_shapes(part, depth + 1)]} for key, part in properties.items()},
        )
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from _shapes(part, depth + 1)


def _member(ticket_type: TicketType, collection: str) -> Json:
    shape = SHAPES[collection]
    status: Json = {"type": "string", "enum": list(shape.statuses)}
    targets: Json = {"type": "array", "items": {"type": "string", "enum": sorted(ticket_type.targets)}}
    match collection:
        case "commitments":
            kinds = ticket_type.collections[collection].kinds
            keys: dict[str, Json] = {
                "task": _TEXT,
                "owner": _TEXT,
                "due": _TEXT_OR_NULL,
                "due_text": _TEXT_OR_NULL,
                "status": status,
                "kind": {"type": ["string", "null"], "enum": [*kinds, None]},
            }
        case "pending":
            keys = {"question": _TEXT, "options": {"type": "array", "items": _TEXT}, "status": status}
        case "constraints":
            keys = {"text": _TEXT, "applies_to": targets}
        case "decisions":
            keys = {"text": _TEXT, "applies_to": targets, "reason": _TEXT_OR_NULL}
        case "authorizations":
            action: Json = {"type": "string", "enum": ["contact", "send", "execute", "share"]}
            keys = {"action": action, "scope": _TEXT, "status": status}
        case _:
            by: Json = {"type": "string", "enum": ["customer", "team", "third_party"]}
            keys = {"action": _TEXT, "by": by, "status": status, "result": _TEXT_OR_NULL}
    return _closed(keys)
