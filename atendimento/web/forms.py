"""Forms read back by the same kinds of control that they were drawn with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from atendimento.selectors import notation
from atendimento.selectors.parts import Control, WrittenNumber
from memoria.patch import MISSING, Json, Missing
from memoria.proposals import Citation
from memoria.sources import Kind
from memoria.strict_json import NotStrictJson, loads

Typed = Mapping[str, str]
MOST_CITED = 10


class Unreadable(Exception):
    """What was typed is not of the kind that its control takes. `args[0]` says so in the reader's language."""


def typed(data: Mapping[str, Any]) -> dict[str, str]:
    """What a form holds, the last value of each name: a ticked box counts over the hidden one before it. No text holds NUL."""
    return {key: str(value).replace("\0", "") for key, value in data.items()}


def read_value(controls: Iterable[Control], given: Typed, base: Json | Missing = MISSING) -> Json:
    """The value that a form's controls hold; a member keeps what its form does not show. Raises Unreadable."""
    found = list(controls)
    if len(found) == 1 and found[0].name == "value":
        return _read(found[0], given.get("value", ""))
    member = dict(base) if isinstance(base, dict) else {}
    for control in found:
        key = control.name.removeprefix("value.")
        value = _read(control, given.get(control.name, ""))
        if value is None or value in ("", []):
            # An empty part is left out, unless it takes away what was there.
            if key in member:
                member[key] = None if key in ("due", "kind", "result", "reason") else value
            continue
        member[key] = value
    return {key: value for key, value in member.items() if value is not None or key in ("due", "kind", "due_text")}


def _read(control: Control, text: str) -> Json:
    match control.kind:
        case "switch":
            return text == "true"
        case "number":
            return _number(control, text)
        case "select" if not control.name.startswith("value."):
            return _chosen(control, text)
        case "lines":
            return [line.strip() for line in text.splitlines() if line.strip()]
        case "json":
            return _json(control, text)
        case "date":
            return text or None
        case "moment":
            return _moment(control, text)
    if control.number is not None:
        return _written(control.number, text)
    return text.strip() if control.kind == "text" else text.replace("\r\n", "\n").strip()


def _number(control: Control, text: str) -> Json:
    plain = text.strip().replace(" ", "")
    if "," in plain:
        plain = plain.replace(".", "").replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        raise Unreadable(_("“%(text)s” is no number.") % {"text": text}) from None
    if not isfinite(value):
        raise Unreadable(_("“%(text)s” is no number.") % {"text": text})
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _written(number: WrittenNumber, text: str) -> Json:
    try:
        return notation.read(number.notation, text, number.held, number.pattern, number.longest)
    except notation.Misspelled as error:
        raise Unreadable(*error.args) from None


def _chosen(control: Control, text: str) -> Json:
    if text not in {option.value for option in control.options} or not text:
        raise Unreadable(_("Choose one of the options."))
    try:
        return json.loads(text)
    except ValueError:
        return text  # a status: its options are the words themselves


def _json(control: Control, text: str) -> Json:
    try:
        return loads(text)
    except NotStrictJson:
        raise Unreadable(_("“%(label)s” is not valid JSON.") % {"label": control.label}) from None


def _moment(control: Control, text: str) -> Json:
    if not text:
        return None
    try:
        return timezone.make_aware(datetime.fromisoformat(text)).isoformat()
    except ValueError:
        raise Unreadable(_("“%(text)s” is no date and time.") % {"text": text}) from None


def reported(text: str) -> Kind | None:
    """Whose word staff relay; None for their own."""
    return {"customer": Kind.CUSTOMER, "third_party": Kind.THIRD_PARTY, "registry": Kind.REGISTRY}.get(text)


def citations(data: QueryDict) -> tuple[Citation, ...]:
    """The messages named in a form's rows `message`, `quote` and `start`; rows without a message are no evidence.

    Raises Unreadable where what is named is no message.
    """
    quotes, starts = data.getlist("quote"), data.getlist("start")
    found = []
    for index, message in enumerate(data.getlist("message")[:MOST_CITED]):
        if not message.strip():
            continue
        quote = quotes[index].replace("\0", "") if index < len(quotes) else ""
        start = starts[index] if index < len(starts) else ""
        named = citation(message, quote)
        found.append(
            replace(named, start=int(start)) if quote and start.isascii() and start.isdecimal() and len(start) < 10 else named
        )
    return tuple(found)


def starts(data: Typed) -> dict[int, int]:
    """Which place each ambiguous quote means: by its index among the change's quotes, its start in code points."""
    found = {}
    for name, value in data.items():
        index = name.removeprefix("start-")
        if index != name and all(text.isascii() and text.isdecimal() and len(text) < 8 for text in (index, value)):
            found[int(index)] = int(value)
    return found


def citation(message: str, quote: str) -> Citation:
    """A message of this conversation as evidence. Raises Unreadable where none is named."""
    reference = message.strip().lower().removeprefix("m-")
    if not (reference.isascii() and reference.isdecimal() and len(reference) < 10):
        raise Unreadable(_("Say which message confirms it, like m-12."))
    return Citation(f"m-{int(reference)}", quote)
