"""Which control a value is edited with. The page draws it; the form reads it back by the same kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.selectors import grounds, notation, values
from atendimento.selectors.parts import Control, Option, WrittenNumber
from memoria.fields import TicketType
from memoria.members import OWNERS, SHAPES, Place
from memoria.patch import Json, Missing

LONG = 60  # characters from which a text gets several lines


def for_place(ticket_type: TicketType, place: Place, value: Json | Missing) -> tuple[Control, ...]:
    """The controls that edit what stands at a place; none where it cannot be typed."""
    if place.kind == "field":
        field = ticket_type.fields[place.pointer]
        return (_of_schema("value", field.label, field.schema, value, field.description),)
    collection = place.collection or ""
    if place.kind == "status":
        statuses = SHAPES[collection].statuses
        options = _options(((item, str(wording.MEMBER_STATUSES[item])) for item in statuses), value)
        return (Control("value", _("Status"), "select", options=options, required=True),)
    if place.kind == "due":
        return (_due("value", value),)
    if place.kind == "new":
        return _member(ticket_type, collection, value if isinstance(value, dict) else {})
    return ()


def to_record(ticket_type: TicketType, place: Place, value: Json | Missing) -> tuple[Control, ...]:
    """The controls that record a value there, and on whose word; without the latter, only quoted words count there."""
    forms, word = for_place(ticket_type, place, value), grounds.whose_word(ticket_type, place)
    return (*forms, word) if forms and word is not None else forms


def on_whose_word(controls: Iterable[Control], whose: str) -> tuple[tuple[Control, ...], bool]:
    """The same controls with this source chosen, and whether they have it to choose."""
    found = tuple(controls)
    takes = any(control.name == "reported" and whose in {option.value for option in control.options} for control in found)
    return (typed(found, {"reported": whose}) if takes else found), takes


def typed(controls: Iterable[Control], given: Mapping[str, str]) -> tuple[Control, ...]:
    """The same controls holding what a person typed, so that nothing is lost with a refusal."""
    return tuple(_holding(control, given[control.name]) if control.name in given else control for control in controls)


def _holding(control: Control, text: str) -> Control:
    options = tuple(replace(option, selected=option.value == text) for option in control.options)
    return replace(control, value=text, checked=text == "true", options=options)


def _options(pairs: Iterable[tuple[str, str]], value: Json | Missing) -> tuple[Option, ...]:
    return tuple(Option(key, text, key == value) for key, text in pairs)


def _of_schema(name: str, label: str, schema: Any, value: Json | Missing, hint: str = "") -> Control:
    kind = kind_of(schema)
    rules = schema if isinstance(schema, dict) else {}
    plain = Control(name, label, kind, written(kind, value), required=True, hint=hint)
    if kind == "select":
        choices = [(json.dumps(item, ensure_ascii=False), values.show(item)) for item in rules["enum"]]
        chosen = None if isinstance(value, Missing) else json.dumps(value, ensure_ascii=False)
        empty = () if chosen in {key for key, _text in choices} else (Option("", "—", selected=True),)
        return replace(plain, options=(*empty, *_options(choices, chosen)))
    if kind == "switch":
        return replace(plain, checked=value is True, required=False)
    if kind == "number":
        step = "1" if rules.get("type") == "integer" else str(rules.get("multipleOf", "any"))
        return replace(plain, minimum=str(rules.get("minimum", "")), maximum=str(rules.get("maximum", "")), step=step)
    if kind == "lines":
        return replace(plain, hint=hint or _("One per line."))
    if kind == "text":
        asked = notation.of_schema(schema)
        if asked:
            return _in_notation(plain, asked, rules)
        long = isinstance(value, str) and len(value) > LONG
        return replace(plain, kind="textarea" if long else "text", max_length=str(rules.get("maxLength", "")))
    return plain


def _in_notation(plain: Control, asked: str, rules: Mapping[str, Any]) -> Control:
    """A text that is written in a way of its own; what is typed may be longer than what is kept of it."""
    rule, longest = notation.NOTATIONS[asked], rules.get("maxLength")
    number = WrittenNumber(
        notation=asked,
        held=plain.value,
        pattern=str(rules.get("pattern", "")),
        longest=longest if isinstance(longest, int) else None,
        keyboard=rule.keyboard,
        example=rule.example,
    )
    return replace(plain, value=notation.shown(asked, plain.value), number=number)


def kind_of(schema: Any) -> str:
    """The kind of control that a JSON Schema asks for."""
    if not isinstance(schema, dict):
        return "text"
    if isinstance(schema.get("enum"), list):
        return "select"
    match schema.get("type"):
        case "boolean":
            return "switch"
        case "integer" | "number":
            return "number"
        case "array" if isinstance(schema.get("items"), dict) and schema["items"].get("type") == "string":
            return "lines"
        case "array" | "object":
            return "json"
        case "string" | None:
            return {"date": "date", "date-time": "moment"}.get(schema.get("format", ""), "text")
    return "json"


def written(kind: str, value: Json | Missing) -> str:
    """A value as its control holds it."""
    if isinstance(value, Missing) or value is None:
        return ""
    if kind == "json":
        return json.dumps(value, ensure_ascii=False, indent=2)
    if kind == "lines":
        return "\n".join(map(str, value)) if isinstance(value, list) else ""
    if kind == "moment":
        moment = parse_datetime(value) if isinstance(value, str) else None
        return timezone.localtime(moment).strftime("%Y-%m-%dT%H:%M") if moment else ""
    return str(value)


def _due(name: str, value: Json | Missing) -> Control:
    timed = isinstance(value, str) and len(value) > len("2026-01-31")
    kind = "moment" if timed else "date"
    return Control(name, _("Due"), kind, written(kind, value), hint=_("Empty: no date."))


def _member(ticket_type: TicketType, collection: str, member: Mapping[str, Json]) -> tuple[Control, ...]:
    """The parts of a new member that a person fills in; what else a proposal gave it is kept."""

    def text(key: str, label: str, *, required: bool = False, long: bool = False) -> Control:
        return Control(f"value.{key}", label, "textarea" if long else "text", str(member.get(key) or ""), required=required)

    def choice(key: str, label: str, pairs: Iterable[tuple[str, str]], default: str = "") -> Control:
        return Control(f"value.{key}", label, "select", options=_options(pairs, member.get(key) or default))

    owners = [(item, str(wording.OWNERS[item])) for item in OWNERS]
    statuses = [(item, str(wording.MEMBER_STATUSES[item])) for item in SHAPES[collection].statuses]
    match collection:
        case "commitments":
            named = member.get("owner")
            if isinstance(named, str) and named not in OWNERS:
                owners.append((named, named))
            kinds = ticket_type.collections["commitments"].kinds
            kind = choice("kind", _("Kind"), [("", "—"), *((item, wording.kind(item)) for item in kinds)])
            parts = (
                text("task", _("Task"), required=True),
                choice("owner", _("Who keeps it"), owners, "team"),
                _due("value.due", member.get("due")),
            )
            return (*parts, kind) if kinds else parts
        case "pending":
            options = written("lines", member.get("options"))
            return (
                text("question", _("Question"), required=True),
                Control("value.options", _("Options"), "lines", options, hint=_("One per line.")),
            )
        case "authorizations":
            actions = [(key, str(word)) for key, word in values.ACTIONS.items()]
            return choice("action", _("Action"), actions, "contact"), text("scope", _("Scope"), required=True)
        case "attempts":
            by = choice("by", _("By whom"), owners, "customer")
            return (
                text("action", _("What was tried"), required=True),
                by,
                choice("status", _("Outcome"), statuses, "tried"),
                text("result", _("Result")),
            )
        case "decisions":
            return text("text", _("Decision"), required=True, long=True), text("reason", _("Reason"))
    return (text("text", _("Constraint"), required=True, long=True),)
