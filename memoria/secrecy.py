"""What a sensitive field's JSON Schema tells of its values before any is known: their pattern, format, or each by name (U2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

import jsonschema_rs

from memoria.patch import Json
from memoria.spellings import spelled

_FORMATS: Final = frozenset({"cep", "date", "ipv4", "ipv6", "uuid"})
"""Formats of which a text can be recognised. What is an e-mail is found anyway; nearly any word is a hostname."""
_TELLS_NOTHING: Final = frozenset({"sim", "nao", "yes", "no", "outro", "outra", "outros", "other", "nenhum", "nenhuma", "none"})
_CEP: Final = re.compile(r"\d{2}\.?\d{3}-?\d{3}", re.ASCII)
_WRITTEN_DATE: Final = re.compile(r"(?P<day>\d{1,2})(?P<by>[./-])(?P<month>\d{1,2})(?P=by)(?P<year>\d{4})")


def _schemas(schema: Json) -> Iterable[Mapping[str, Json]]:
    """The schema, and those of its parts that a value may be shaped by."""
    if not isinstance(schema, dict):
        return
    yield schema
    parts = [
        schema.get("items"),
        *(part for key in ("anyOf", "oneOf", "allOf", "prefixItems") for part in schema.get(key) or ()),
    ]
    properties = schema.get("properties")
    for part in [*parts, *(properties.values() if isinstance(properties, dict) else ())]:
        yield from _schemas(part)


def shapes(schema: Json) -> Iterable[Callable[[str], bool]]:
    """Whether a text is shaped as a pattern or format of the schema says, as publishing read it."""
    for part in _schemas(schema):
        if isinstance(part.get("pattern"), str):
            yield _shaped(part["pattern"])
        if part.get("format") in _FORMATS:
            yield _formatted(part["format"])


def choices(schema: Json) -> Iterable[str]:
    """The texts that the schema names one by one, save those that tell nothing of anybody."""
    for part in _schemas(schema):
        named = [*(part["enum"] if isinstance(part.get("enum"), list) else ()), part.get("const")]
        yield from (text for text in named if isinstance(text, str) and spelled(text) not in _TELLS_NOTHING)


@lru_cache(maxsize=8)
def _formatted(name: str) -> Callable[[str], bool]:
    if name == "cep":
        return lambda text: _CEP.fullmatch(text) is not None
    is_valid = jsonschema_rs.validator_for({"format": name}, validate_formats=True).is_valid
    return (lambda text: is_valid(_iso(text))) if name == "date" else is_valid


def _iso(text: str) -> str:
    """A date as people write it ("12/5/1980") in the order that the format has."""
    found = _WRITTEN_DATE.fullmatch(text)
    return text if found is None else f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}"


@lru_cache(maxsize=256)
def _shaped(pattern: str) -> Callable[[str], bool]:
    # Not Python's own expressions: those do not know all that JSON Schema knows, and a customer's text could keep them busy.
    return jsonschema_rs.validator_for({"pattern": pattern}).is_valid
