"""What pages need of a ticket: its definition, its state, its messages by number. Reads alone."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from atendimento import timeline
from atendimento.models import Message, ProposedChange, TicketState, TicketType, TicketTypeVersion
from memoria import fields, groups
from memoria.evidence import message_number
from memoria.rows import ROOT, Rows, group_of, template_of
from memoria.state import State, state_from_json

FIELDS: Final = ("/goal", "/facts/", "/preferences/", "/identifiers/", f"{ROOT}/")
"""How the pointers of fields begin."""
LOOKED_BACK: Final = 200
"""Versions that are looked at for fields that are gone."""
STANDING: Final = (
    "version",
    "values",
    "slots",
    "minted",
    "ticket__ticket_type__published__digest",
    "ticket__ticket_type__published__number",
    "ticket__ticket_type__published_id",
)


@lru_cache(maxsize=512)
def _compiled(digest: str, number: int, version_id: int) -> fields.TicketType:
    document = TicketTypeVersion.objects.values_list("document", flat=True).get(pk=version_id)
    return fields.TicketType.from_document(document, number)


def definition(ticket_type_id: int) -> fields.TicketType:
    """The definition that is published now. A published version never changes, so each is compiled once."""
    key = TicketType.objects.values_list("published__digest", "published__number", "published_id").get(pk=ticket_type_id)
    return _compiled(*key)


def definition_at(ticket_type_id: int, number: int) -> fields.TicketType:
    """The definition as one of its versions has it. Raises TicketTypeVersion.DoesNotExist."""
    found = TicketTypeVersion.objects.values_list("digest", "pk").get(ticket_type_id=ticket_type_id, number=number)
    return _compiled(found[0], number, found[1])


def standing(ticket_id: uuid.UUID) -> tuple[State, fields.TicketType]:
    """The state that holds now and the definition that it stands on, in one query."""
    version, held, slots, minted, *key = TicketState.objects.values_list(*STANDING).get(ticket_id=ticket_id)
    return state_from_json({"version": version, "values": held, "slots": slots, "minted": minted}), _compiled(*key)


def with_groups(ticket_type: fields.TicketType, state: State, pending: Iterable[ProposedChange] = ()) -> fields.TicketType:
    """The definition as a page shows it: the fields of each group under the group's name (G6).

    `pending`: undecided changes, whose groups have their names before they begin.
    """
    return groups.unfolded(ticket_type, state, [(row.path, row.value) for row in pending])


def with_former(
    ticket_type: fields.TicketType, ticket_type_id: int, pointers: Iterable[str], state: State | None = None
) -> fields.TicketType:
    """The definition as a page on the past needs it: those of the fields that it has no more as the last version had them.

    So they keep their label, and what was sensitive stays so. A group's field is called by its group's name where `state`
    says it (G6), else by what such groups are called. One query where there is any, none else.
    """
    gone = {pointer for pointer in pointers if pointer not in ticket_type.fields and pointer.startswith(FIELDS)}
    found: dict[str, fields.Field] = {}
    for _key, former in former_definitions([ticket_type_id]) if gone else ():
        # The present rule comes first: what names a group may be sensitive by now.
        rules = ticket_type if ticket_type.groups is not None else former
        called = groups.labels(rules, state) if state is not None else {}
        found |= {pointer: _former(former, pointer, called) for pointer in gone - found.keys() if pointer in former.fields}
        if gone == found.keys():
            break
    if not found:
        return ticket_type
    rows = ticket_type.fields if isinstance(ticket_type.fields, Rows) else Rows(ticket_type.fields.values())
    return replace(ticket_type, fields=rows.after(found.values()))


def _former(former: fields.TicketType, pointer: str, called: Mapping[str, str]) -> fields.Field:
    group = group_of(pointer)
    if group is None or former.groups is None:
        return former.fields[pointer]
    return former.fields[template_of(pointer)].within(group, called.get(group, former.groups.label))


def former_definitions(ticket_types: Collection[int]) -> Iterator[tuple[int, fields.TicketType]]:
    """The latest versions of these types, newest first, each with its type's id. One query; each is compiled once."""
    rows = TicketTypeVersion.objects.filter(ticket_type__in=ticket_types).order_by("-number")
    for key, digest, number, version in rows.values_list("ticket_type_id", "digest", "number", "pk")[:LOOKED_BACK]:
        yield key, _compiled(digest, number, version)


def current_state(ticket_id: uuid.UUID) -> State:
    return timeline.current(ticket_id)


def state_before(state: State, ticket_id: uuid.UUID, version: int) -> State | None:
    """The state at an earlier version than `state`, the present one; None where there is none, or it is erased."""
    return timeline.state_at(ticket_id, version, state)


event_of = timeline.event_of


@dataclass(frozen=True, slots=True)
class Cited:
    """The messages that quotes on a page come from, by their id."""

    rows: Mapping[str, Message]

    def get(self, reference: str) -> Message | None:
        return self.rows.get(reference)

    def text_of(self, reference: str) -> str | None:
        row = self.rows.get(reference)
        return None if row is None else row.text


def cited(ticket_id: uuid.UUID, references: Iterable[str], known: Iterable[Message] = ()) -> Cited:
    """The messages named, in one query for those that are not `known`; none where all are."""
    rows = {row.ref: row for row in known}
    numbers = {message_number(reference) for reference in references if reference not in rows}
    missing = sorted(number for number in numbers if number is not None)
    if missing:
        rows |= {row.ref: row for row in Message.objects.filter(ticket_id=ticket_id, number__in=missing)}
    return Cited(rows)
