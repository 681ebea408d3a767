"""The request as the stand-in reads it: the one JSON document of the user turn, forgiving about what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from atendimento.standin.words import Sentence, plain, sentences

Json = Any


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


def read_ticket(document: Json) -> Ticket | None:
    """The ticket in a request's document, None where it is no such document."""
    if not isinstance(document, dict) or not isinstance(document.get("new_messages"), list):
        return None
    ticket_type = _object(document.get("ticket_type"))
    state, literals = _object(document.get("state")), _object(document.get("literals"))
    usual = _texts(ticket_type.get("sources")) or ("customer", "agent")
    fields = tuple(_field(row, usual) for row in _list(ticket_type.get("fields")) if isinstance(row.get("path"), str))
    collections = {
        name: Collection(_texts(rules.get("sources")), _texts(rules.get("kinds")))
        for name, rules in _object(ticket_type.get("collections")).items()
        if isinstance(rules, dict)
    }
    known = {row.path for row in fields}
    rows = {**_object(literals.get("doubtful")), **_object(state.get("doubtful"))}
    values = {**_object(literals.get("values")), **_object(state.get("values"))}
    values |= {path: row["value"] for path, row in rows.items() if isinstance(row, dict) and "value" in row}
    members = {**_object(literals.get("members")), **_object(state.get("members"))}
    kinds = collections["commitments"].kinds if "commitments" in collections else ()
    return Ticket(
        fields,
        collections,
        {path: value for path, value in values.items() if path in known},
        frozenset(rows),
        {path: row for path, row in members.items() if isinstance(row, dict)},
        tuple((row["path"], row.get("value")) for row in _list(document.get("proposed")) if isinstance(row.get("path"), str)),
        tuple(map(_message, _list(document.get("context")))),
        tuple(map(_message, _list(document.get("new_messages")))),
        frozenset({*known, *(f"commitments:{kind}" for kind in kinds)}),
    )


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[dict[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _field(row: Mapping[str, Json], usual: tuple[str, ...]) -> Field:
    return Field(
        row["path"],
        str(row.get("label") or ""),
        _object(row.get("schema")) or {"type": row.get("type", "string")},
        _texts(row.get("sources")) or usual,
        str(row.get("description") or ""),
    )


def _message(row: Mapping[str, Json]) -> Message:
    author = _object(row.get("author"))
    try:
        sent_at = datetime.fromisoformat(str(row.get("sent_at")))
    except ValueError:
        sent_at = None
    return Message(
        str(row.get("id")), str(author.get("kind")), str(author.get("name") or ""), str(row.get("text") or ""), sent_at
    )
