"""Writes what an event corrected as rows of their own, so that corrections are found across tickets."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from atendimento.models import Correction, LedgerEvent, ProposedChange, TicketTypeVersion
from memoria import corrections
from memoria.events import Event
from memoria.evidence import message_number
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.members import SHAPES
from memoria.patch import MISSING, Json, Missing, lookup, make_pointer, parse_pointer
from memoria.rows import template_of
from memoria.state import State

WORDS: Final = ("task", "question", "text", "scope", "action")
DAY: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def folded(text: str) -> str:
    """The text as the filters compare it: without regard to case, accents and runs of white space."""
    apart = unicodedata.normalize("NFD", _clean(text).casefold())
    return " ".join("".join(char for char in apart if not unicodedata.combining(char)).split())


def _clean(text: str) -> str:
    """The text without what the database takes in no text."""
    return text.replace("\0", "")


def former_labels(ticket_type_id: int, pointers: Collection[str]) -> Mapping[str, str]:
    """What fields that a ticket type has no more were last called, by their pointer. One query; none where none is named."""
    wanted, found = set(pointers), dict[str, str]()
    if not wanted:
        return found
    versions = TicketTypeVersion.objects.filter(ticket_type_id=ticket_type_id).order_by("-number")
    for document in versions.values_list("document", flat=True).iterator(chunk_size=10):
        fields = document["fields"]
        declared = {pointer: template_of(pointer) for pointer in wanted - found.keys()}
        found |= {pointer: fields[one]["label"] for pointer, one in declared.items() if one in fields}
        if wanted == found.keys():
            break
    return found


def write(row: LedgerEvent, event: Event, before: State, after: State, undone: Event | None, ticket_type: TicketType) -> None:
    """Write the corrections of an event that was just stored, in its transaction."""
    found = corrections.corrections_of(event, before, after, undone)
    if not found:
        return
    judged = _judged([item.change for item in found if item.change is not None and item.source is None])
    labels = {
        pointer: field.label
        for state in (before, after)  # a group is called as it is now; one that is gone, as it was
        for pointer, field in unfolded(ticket_type, state).fields.items()
    }
    labels |= {
        item.pointer: field.label
        for item in found
        if item.pointer not in labels and (field := ticket_type.fields.get(item.pointer)) is not None
    }
    gone = [item.pointer for item in found if item.pointer not in labels and _is_field(item.pointer)]
    labels |= former_labels(row.ticket.ticket_type_id, gone)
    rows = []
    for position, item in enumerate(found):
        proposed = judged.get(item.change or "")
        label = _clean(_label(item, labels, before, after))
        message = item.message or (_cited(proposed) if proposed is not None else None)
        cause = item.cause.value if item.cause is not None else ""
        rows.append(
            Correction(
                organization_id=row.organization_id,
                ticket_id=row.ticket_id,
                event=row,
                position=position,
                version=row.version,
                at=row.at,
                member_id=row.member_id,
                change_id=item.change,
                act=item.act.value,
                pointer=item.pointer[:250],
                label=label,
                old=item.old,
                new=item.new,
                old_source=item.old_source or "",
                source=item.source or (proposed.source if proposed is not None else ""),
                verdict=item.verdict or (proposed.verdict if proposed is not None else ""),
                override=_clean(item.override or ""),
                reason=_clean(item.reason or ""),
                message=message,
                proposed_cause=cause,
                cause=cause,
                folded_label=folded(label),
                folded_old=_searched(item.old),
                folded_new=_searched(item.new),
            )
        )
    Correction.objects.bulk_create(rows)


def _judged(ids: Collection[str]) -> dict[str, ProposedChange]:
    """The changes whose source and verdict the event does not say: those that were rejected."""
    if not ids:
        return {}
    rows = ProposedChange.objects.filter(pk__in=ids).only("source", "verdict", "citations")
    return {str(row.pk): row for row in rows}


def _cited(row: ProposedChange) -> int | None:
    numbers = (message_number(str(item.get("message"))) for item in row.citations)
    return next((number for number in numbers if number is not None), None)


def _is_field(pointer: str) -> bool:
    return pointer.startswith("/") and parse_pointer(pointer)[0] not in SHAPES


def _label(item: corrections.Correction, labels: Mapping[str, str], before: State, after: State) -> str:
    """The field's label, the last one where the type has it no more; or the member's own words.

    No word of ours: it is read in any language.
    """
    if item.pointer in labels:
        return labels[item.pointer]
    parts = parse_pointer(item.pointer) if item.pointer.startswith("/") else ()
    if len(parts) >= 2:
        member = make_pointer(*parts[:2])
        for held in (lookup(before.values, member), lookup(after.values, member), item.old, item.new):
            if isinstance(held, dict):
                return next((str(held[key]) for key in WORDS if isinstance(held.get(key), str)), item.pointer)
    return item.pointer


def _searched(value: Json | Missing) -> str:
    return "" if value is MISSING else folded(" ".join(_words(value)))


def _words(value: Json | Missing) -> Iterator[str]:
    """The value's words, in the forms in which people read and type them."""
    if isinstance(value, str):
        yield value
        for year, month, day in DAY.findall(value):
            yield f"{day}/{month}/{year}"
    elif isinstance(value, dict):
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif value is not None:
        text = json.dumps(value)
        yield text
        if "." in text:
            yield text.replace(".", ",")
