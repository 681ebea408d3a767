"""JSON Pointers (RFC 6901) and the part of JSON Patch (RFC 6902) that a ticket's values need.

Values are nested objects keyed by stable ids; arrays are values, never places, so a pointer keeps its meaning
after any other change. Application copies the objects on each path and shares the rest: the input is never touched,
and a failing operation leaves nothing half done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

Json = Any  # a JSON value: None, bool, int, float, str, list or dict of such


class Missing:
    """The absence of a value, which is not null."""

    _instance: Missing | None = None

    def __new__(cls) -> Missing:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing()


class Op(StrEnum):
    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


class PatchError(ValueError):
    """An operation that does not fit the document, or a pointer that is none. `args[0]` says which and why."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One RFC 6902 operation. `value` is MISSING for `remove`."""

    op: Op
    path: str
    value: Json = MISSING

    def to_json(self) -> dict[str, Json]:
        document: dict[str, Json] = {"op": self.op.value, "path": self.path}
        if self.op is not Op.REMOVE:
            document["value"] = self.value
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Operation:
        return cls(Op(document["op"]), document["path"], document.get("value", MISSING))


_BAD_ESCAPE = re.compile(r"~(?![01])")


@lru_cache(maxsize=1024)
def parse_pointer(pointer: str) -> tuple[str, ...]:
    """The reference tokens of a pointer, unescaped: `/facts/a~1b` -> `("facts", "a/b")`.

    `~1` is unescaped before `~0`, so `~01` is the two characters `~1`, never `/` (RFC 6901 §4).
    Raises PatchError for a pointer without a leading `/` and for a `~` that escapes nothing.
    """
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise PatchError(f"{pointer!r} does not begin with '/'")
    if "~" not in pointer:
        return tuple(pointer[1:].split("/"))
    if _BAD_ESCAPE.search(pointer):
        raise PatchError(f"{pointer!r} holds a '~' that is neither '~0' nor '~1'")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def make_pointer(*parts: str) -> str:
    """The pointer of these reference tokens, escaped."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)


def lookup(document: Json, pointer: str) -> Json:
    """The value at `pointer`, or MISSING. Objects only: nothing is looked up inside an array."""
    for part in parse_pointer(pointer):
        if not isinstance(document, dict) or part not in document:
            return MISSING
        document = document[part]
    return document


def related(one: str, other: str) -> bool:
    """True where the pointers are the same or one is an ancestor of the other (V2)."""
    if len(one) > len(other):
        one, other = other, one
    return one == other or other.startswith(one + "/")


def same_json(one: Json, other: Json) -> bool:
    """Equality as JSON has it: `1` is `1.0`, and neither is `true`; MISSING equals only itself."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def apply(document: dict[str, Json], operations: Iterable[Operation]) -> dict[str, Json]:
    """The document after the operations, in order; `document` itself stays as it is.

    Raises PatchError at the first operation that does not fit: a missing parent, a `replace` or `remove` of
    what is absent, the whole document as target, a parent that is no object.
    """
    fresh: dict[int, dict[str, Json]] = {}  # containers copied in this call, by id: they need no second copy
    root = dict(document)
    fresh[id(root)] = root
    for operation in operations:
        parts = parse_pointer(operation.path)
        if not parts:
            raise PatchError("the whole document is no target")
        parent = root
        for part in parts[:-1]:
            child = parent.get(part, MISSING)
            if not isinstance(child, dict):
                raise PatchError(f"{operation.path!r} has no parent object")
            if id(child) not in fresh:
                child = dict(child)
                fresh[id(child)] = child
                parent[part] = child
            parent = child
        key = parts[-1]
        if operation.op is not Op.ADD and key not in parent:
            raise PatchError(f"{operation.path!r} holds nothing to {operation.op.value}")
        if operation.op is Op.REMOVE:
            del parent[key]
        elif isinstance(operation.value, Missing):
            raise PatchError(f"{operation.path!r} is given no value")
        else:
            parent[key] = operation.value
    return root


def setting(document: Json, pointer: str, value: Json) -> tuple[Operation, Operation]:
    """The operation that makes `pointer` hold `value` in `document` (MISSING: hold nothing), and its inverse.

    Raises PatchError where neither is needed (absent stays absent).
    """
    held = lookup(document, pointer)
    if isinstance(value, Missing):
        if isinstance(held, Missing):
            raise PatchError(f"{pointer!r} holds nothing already")
        return Operation(Op.REMOVE, pointer), Operation(Op.ADD, pointer, held)
    if isinstance(held, Missing):
        return Operation(Op.ADD, pointer, value), Operation(Op.REMOVE, pointer)
    return Operation(Op.REPLACE, pointer, value), Operation(Op.REPLACE, pointer, held)
