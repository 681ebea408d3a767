"""The ticket type as the model reads it: a line a field, what most of them share left out.

    /facts/
    bairro
    valor: Valor combinado | type=number | sources=tool,agent
    periodo | type=["manhã","tarde"] | inference=flag

A path is its group's heading and the name; behind the heading of fields that repeat stands what one of them is called. The
label stands only where it says more than the name. Without `type` a field is a text, without `sources` those named in the
second line give its value, without `inference` nobody concludes it. A collection has a line where it has kinds, takes other
sources than the usual ones, or is not there (`none`). All is made from the ticket type alone, never from a ticket: equal
for every message, so that caches hit (N4).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from memoria.fields import Field, TicketType
from memoria.members import SHAPES
from memoria.patch import Json
from memoria.typography import fold_words

USUAL_OF_COLLECTIONS: Final[Mapping[str, frozenset[str]]] = {
    "commitments": frozenset({"registry", "tool", "agent", "customer"}),
    "pending": frozenset({"agent", "customer", "third_party", "assistant"}),
    "constraints": frozenset({"agent", "customer"}),
    "decisions": frozenset({"agent"}),
    "authorizations": frozenset({"registry", "customer"}),
    "attempts": frozenset({"agent", "customer", "tool"}),
}
"""Who may speak of a collection where its line says nothing: what the instructions tell of it."""

_FILLERS: Final = frozenset(
    {"de", "da", "do", "das", "dos", "e", "o", "a", "os", "as", "no", "na", "em", "para", "of", "the", "in", "for", "and"}
)
_BARS: Final = re.compile(r"\s*\|\s*|\s+")
_UNSAID: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "title", "description"})
"""What of a schema the domain checks and the model need not know."""


def field_list(ticket_type: TicketType) -> str:
    """The lines of all fields, grouped, then one line a collection."""
    orders = Counter(row.sources for row in ticket_type.fields.values())
    usual = orders.most_common(1)[0][0] if orders else ()
    lines = [_line(ticket_type.name), f"sources={','.join(usual)}"]
    group = ""
    for row in sorted(ticket_type.fields.values(), key=_group):
        if _group(row) != group:
            group = _group(row)
            called = ticket_type.groups.label if ticket_type.groups is not None and row.repeats else ""
            lines.append(f"{group} | {_line(called)}" if called else group)
        lines.append(_field(row, usual))
    for name in SHAPES:
        rules = ticket_type.collections.get(name)
        parts = [f"/{name}/-"]
        if rules is None:
            parts.append("none")
        elif set(rules.sources) != USUAL_OF_COLLECTIONS[name]:
            parts.append(f"sources={','.join(rules.sources)}")
        if rules is not None and rules.kinds:
            parts.append(f"kind={','.join(rules.kinds)}")
        if len(parts) > 1:
            lines.append(" | ".join(parts))
    return "\n".join(lines)


def _group(row: Field) -> str:
    """The heading under which a field stands; `/goal` stands by itself, before any."""
    head, _, name = row.pointer.rpartition("/")
    return f"{head}/" if name and head else ""


def _field(row: Field, usual: tuple[str, ...]) -> str:
    name = row.pointer if not _group(row) else row.pointer.rpartition("/")[2]
    parts = [name if _told(row.label) <= _told(name) else f"{name}: {_line(row.label)}"]
    kind = _type(row.schema)
    if kind:
        parts.append(f"type={kind}")
    if row.sources != usual:
        parts.append(f"sources={','.join(row.sources)}")
    if row.inference != "refuse":
        parts.append(f"inference={row.inference}")
    if row.literal and not row.is_identifier:
        parts.append("literal")
    if row.description:
        parts.append(f"about={_line(row.description)}")
    return " | ".join(parts)


def _told(text: str) -> frozenset[str]:
    """The words that say something, in plain letters, however they are ordered."""
    return frozenset(re.findall(r"[a-z0-9]+", _plain(text))) - _FILLERS


def _plain(text: str) -> str:
    return "".join(_LETTERS.get(char, char) for char in fold_words(text))


_LETTERS: Final = dict(zip("áàâãäéêèëíìïóôõòöúùüçñ", "aaaaaeeeeiiiooooouuucn", strict=True))


def _line(text: str) -> str:
    return _BARS.sub(" ", text).strip()


def _type(schema: Json) -> str:
    """The shortest that tells what a value must be: nothing for a text, a word, a list of words, else the schema."""
    if not isinstance(schema, dict):
        return "any"
    told = {key: part for key, part in schema.items() if key not in _UNSAID}
    spelled = _short(told)
    # A bar between spaces parts the columns.
    return spelled if " | " not in spelled else _dump(told).replace("|", "\\u007c")


def _short(told: Mapping[str, Json]) -> str:
    kind, inner = told.get("type"), told.get("items")
    if not told:
        return "any"
    if set(told) <= {"type", "enum"} and isinstance(told.get("enum"), list):
        return _dump(told["enum"])
    if set(told) == {"type"} and isinstance(kind, str) and kind not in ("object", "array"):
        return "" if kind == "string" else kind
    if kind == "array" and set(told) == {"type", "items"} and isinstance(inner, dict):
        of = _type(inner)
        if of in ("", "number", "integer", "boolean"):
            return f"{of or 'string'}[]"
    if kind == "string" and set(told) == {"type", "pattern"}:
        return f"/{told['pattern']}/"
    if kind == "string" and set(told) == {"type", "format"}:
        return str(told["format"])
    return _dump(told)


def _dump(document: Mapping[str, Json] | Json) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
