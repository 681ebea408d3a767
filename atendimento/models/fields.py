"""Columns that keep a JSON document exactly as it was written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from memoria.patch import MISSING, Json


def missing() -> Json:
    """The default of a value that is absent."""
    return MISSING


def dump(document: Json) -> str:
    """The document's text, which reads back as the same document."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


if TYPE_CHECKING:
    TextField = models.TextField[Any, Any]
else:
    TextField = models.TextField


class DocumentField(TextField):
    """A JSON document kept as text.

    PostgreSQL's own `jsonb` respells numbers (`1e23` comes back as a whole number that Python holds for another one)
    and refuses `\\u0000`; a replayed log must equal the projection exactly, so the text is kept as it is.
    """

    # For the type checker: any JSON document may be assigned, not only a text.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any
    _pyi_lookup_exact_type: Any

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else dump(value)

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)


class ValueField(DocumentField):
    """A JSON value that may be absent: `MISSING` is SQL's null, `None` is the JSON null."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"null": True, "default": missing}
        super().__init__(*args, **kwargs)

    def get_prep_value(self, value: Any) -> Any:
        return None if value is MISSING else dump(value)

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return MISSING if value is None else json.loads(value)
