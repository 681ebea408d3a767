"""What was understood of a file, as a plain document: the preview shows it before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from atendimento.ingest.neutral import Person, Reading, Said, excerpt

MOST_LISTED: Final = 200
MOST_SHOWN: Final = 6
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Staff:
    """Who is known to be staff: names and addresses, in small letters."""

    names: frozenset[str] = frozenset()
    emails: frozenset[str] = frozenset()

    def has(self, person: Person) -> bool:
        return person.email in self.emails or person.name.casefold() in self.names


@dataclass(slots=True)
class _Tally:
    count: int = 0
    moments: list[datetime] = field(default_factory=list)

    def add(self, said: Said) -> None:
        self.count += 1
        if said.sent_at is not None:
            self.moments.append(said.sent_at)

    @property
    def document(self) -> Document:
        return {"messages": self.count, "first": _iso(self.moments, min), "last": _iso(self.moments, max)}


def summarize(reading: Reading, staff: Staff) -> Document:
    """The document. Dates are in UTC; texts are the file's own, cut to what a list can show."""
    everything, by_person = _Tally(), {person.key: _Tally() for person in reading.people}
    marks: Counter[str] = Counter()
    attachments: list[str] = []
    automatic = notices = enclosed = 0
    for said in reading.messages:
        everything.add(said)
        if said.person is None:
            notices += 1
        else:
            by_person[said.person].add(said)
            automatic += said.automatic
        marks.update(mark.value for mark in said.marks)
        enclosed += len(said.attachments)
        attachments.extend(item.name for item in said.attachments[: MOST_LISTED - len(attachments)] if item.name)
    roles = suggest(reading, staff)
    return {
        "format": reading.format.value,
        **everything.document,
        "people": [
            {"key": person.key, "name": person.name, "email": person.email, "role": roles.get(person.key, ""), **tally.document}
            for person, tally in zip(reading.people, by_person.values(), strict=True)
        ],
        "conversations": len(reading.conversations),
        "subjects": [excerpt(item.subject) for item in reading.conversations[:MOST_LISTED]],
        "notices": notices,
        "automatic": automatic,
        "marks": dict(sorted(marks.items())),
        "date_order": reading.date_order,
        "date_order_by": reading.date_order_by,
        "charset_guessed": reading.charset_guessed,
        "attachments": enclosed,
        "attachment_names": attachments,
        "files_enclosed": reading.files_enclosed,
        "not_understood": [
            {"line": item.line, "why": item.why, "text": item.text} for item in reading.not_understood[:MOST_LISTED]
        ],
        "not_understood_count": len(reading.not_understood),
        "beginning": _shown(reading),
    }


def suggest(reading: Reading, staff: Staff) -> dict[str, str]:
    """Who is what, as far as the file and the organisation's own people tell; nobody is guessed from what they say."""
    roles: dict[str, str] = {}
    for person in reading.people:
        if person.preset:
            roles[person.key] = person.preset
        elif staff.has(person):
            roles[person.key] = "agent"
        elif person.key == reading.counterpart:
            roles[person.key] = "customer"
    left = [person.key for person in reading.people if person.key not in roles]
    if len(left) == 1 and roles:
        held = set(roles.values())
        if held == {"agent"}:
            roles[left[0]] = "customer"
        elif held == {"customer"}:
            roles[left[0]] = "agent"
    return roles


def _shown(reading: Reading) -> Sequence[Document]:
    first = list(reading.conversations[0].messages[:MOST_SHOWN])
    names = {person.key: person.name or person.key for person in reading.people}
    return [
        {
            "line": said.line,
            "name": names.get(said.person, "") if said.person is not None else "",
            "text": excerpt(said.text, 300),
            "at": said.sent_at.astimezone(UTC).isoformat() if said.sent_at else "",
            "attachments": [item.name or item.kind for item in said.attachments],
            "automatic": said.automatic,
            "deleted": said.deleted,
        }
        for said in first
    ]


def _iso(moments: list[datetime], pick: Any) -> str:
    return pick(moments).astimezone(UTC).isoformat() if moments else ""
