"""The plainest document that a JSON Schema takes: empty lists, empty texts. For questions that the stand-in has no rule for."""

from __future__ import annotations

from typing import Any, Final

_PLAIN: Final[dict[str, Any]] = {"string": "", "number": 0, "integer": 0, "boolean": False, "null": None, "array": []}


def fill(schema: Any, depth: int = 0) -> Any:
    """A value for the schema; null beyond what it understands."""
    if not isinstance(schema, dict) or depth > 12:
        return None
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            return fill(schema[word][0], depth + 1)
    kinds = schema.get("type")
    kind = kinds[0] if isinstance(kinds, list) and kinds else kinds
    if kind == "object" or "properties" in schema:
        return {key: fill(part, depth + 1) for key, part in schema.get("properties", {}).items()}
    return _PLAIN.get(kind) if isinstance(kind, str) else None
