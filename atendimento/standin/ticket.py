"""The request as the stand-in reads it: the one JSON document of the user turn and the fields at the end of the
instructions, forgiving about what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from atendimento.standin.field_list import read_field_list
from atendimento.standin.groups import in_group
from atendimento.standin.words import Sentence, plain, sentences

Json = Any

COLLECTIONS: Final[Mapping[str, str | None]] = {
    # With the status that a member begins with.
    "commitments": "requested",
    "pending": "open",
    "constraints": None,
    "decisions": None,
    "authorizations": "granted",
    "attempts": "tried",
}


@dataclass(frozen=True)
class Message:
    id: str
    kind: str
    name: str
    text: str
    sent_at: datetime | None

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return sentences(self.text)

    @property
    def of_staff(self) -> bool:
        return self.kind in ("agent", "assistant")


@dataclass(frozen=True)
class Field:
    path: str
    label: str
    schema: Mapping[str, Json]
    sources: tuple[str, ...]
    description: str = ""

    @cached_property
    def words(self) -> str:
        """What names the field, in plain letters: the last part of its path, label and description."""
        return plain(f"{self.path.rpartition('/')[2].replace('_', ' ')} {self.label} {self.description}")

    @property
    def enum(self) -> tuple[Json, ...]:
        return tuple(self.schema.get("enum", ()))

    @property
    def kinds(self) -> tuple[str, ...]:
        kind = self.schema.get("type", ())
        return (kind,) if isinstance(kind, str) else tuple(kind)

    def takes(self, kind: str) -> bool:
        """Whether a value of this JSON type fits; a schema that names none takes any text."""
        return kind in self.kinds or (not self.kinds and not self.enum and kind == "string")


@dataclass(frozen=True)
class Collection:
    sources: tuple[str, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ticket:
    fields: tuple[Field, ...]
    collections: Mapping[str, Collection]
    values: Mapping[str, Json]  # field pointer -> value that holds
    doubtful: frozenset[str]  # pointers whose value awaits confirmation or is in conflict
    members: Mapping[str, Mapping[str, Json]]  # pointer -> member
    proposed: tuple[tuple[str, Json], ...]
    context: tuple[Message, ...]
    new: tuple[Message, ...]
    targets: frozenset[str] = field(default_factory=frozenset)

    def may(self, collection: str, message: Message) -> bool:
        """Whether this collection takes a member on this author's words."""
        return collection in self.collections and message.kind in self.collections[collection].sources

    def members_of(self, collection: str) -> Iterable[tuple[str, Mapping[str, Json]]]:
        return [(pointer, member) for pointer, member in self.members.items() if pointer.startswith(f"/{collection}/")]

    def before(self, message: Message) -> tuple[Message, ...]:
        """What was said before this message, oldest first."""
        everything = self.context + self.new
        return everything[: next(index for index, other in enumerate(everything) if other.id == message.id)]

    def question_before(self, message: Message) -> tuple[Message, Sentence] | None:
        """The last question of the other side that this message may answer: no message of that side came after it."""
        for earlier in reversed(self.before(message)):
            if earlier.of_staff != message.of_staff:
                asked = [sentence for sentence in earlier.sentences if sentence.question]
                return (earlier, asked[-1]) if asked else None
        return None


def read_ticket(document: Json, instructions: str) -> Ticket | None:
    """The ticket in a request's document and the fields at the end of its instructions; None where it is no such document."""
    if not isinstance(document, dict) or not isinstance(document.get("new_messages"), list):
        return None
    listed = read_field_list(instructions)
    placed = in_group(listed.fields, document)
    fields = tuple(Field(row.path, row.label, _object(row.schema), row.sources, row.description) for row in placed)
    collections = {name: Collection(rules.sources, rules.kinds) for name, rules in listed.collections.items()}
    known = {row.path for row in fields}
    values: dict[str, Json] = {}
    members: dict[str, Mapping[str, Json]] = {}
    doubtful: dict[str, Json] = {}
    for part in (_object(document.get("literals")), _object(document.get("state"))):
        doubtful |= _object(part.get("doubtful"))
        for group, held in part.items():
            if group in ("doubtful", "settled"):
                continue
            if not isinstance(held, dict):
                values[f"/{group}"] = held
            elif group == "items":
                rows = ((key, _object(row)) for key, row in held.items())
                values |= {f"/items/{key}/{_escaped(name)}": value for key, row in rows for name, value in row.items()}
            elif group in COLLECTIONS:
                members |= {f"/{group}/{key}": _begun(group, row) for key, row in held.items() if isinstance(row, dict)}
            else:
                values |= {f"/{group}/{_escaped(key)}": value for key, value in held.items()}
    values |= {path: row["value"] for path, row in doubtful.items() if isinstance(row, dict) and "value" in row}
    kinds = collections["commitments"].kinds if "commitments" in collections else ()
    new = tuple(map(_message, _list(document.get("new_messages"))))
    # An older message without a time was said on the day of the first new one.
    today = new[0].sent_at if new else None
    before = [_message(row) for row in _list(document.get("context"))]
    return Ticket(
        fields,
        collections,
        {path: value for path, value in values.items() if path in known},
        frozenset(doubtful),
        members,
        tuple((row["path"], row.get("value")) for row in _list(document.get("proposed")) if isinstance(row.get("path"), str)),
        tuple(message if message.sent_at else replace(message, sent_at=today) for message in before),
        new,
        frozenset({*known, *(f"commitments:{kind}" for kind in kinds)}),
    )


def _begun(collection: str, member: Mapping[str, Json]) -> Mapping[str, Json]:
    """The member with the status that it began with, where the document leaves it out."""
    status = COLLECTIONS[collection]
    return member if status is None else {"status": status, **member}


def _escaped(name: str) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[dict[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _message(row: Mapping[str, Json]) -> Message:
    try:
        sent_at = datetime.fromisoformat(str(row.get("sent_at")))
    except ValueError:
        sent_at = None
    return Message(str(row.get("id")), str(row.get("kind")), str(row.get("name") or ""), str(row.get("text") or ""), sent_at)
