"""Files with gold states: dialogues as JSON Lines, and scenarios as TOML, read into one form.

A dialogue is one JSON object a line:

    {"id", "source"?, "domain"?, "ticket_type"?: a definition, "messages": [{"id", "author", "text", "name"?}],
     "gold": [{"after": "m3", "state": {slot: value}, "accept"?: {slot: [spelling]}}], "tags"?}

`state` is the whole state after that customer's message; a message without an entry changes nothing. A slot is a pointer
(`/facts/bairro`) or a plain name, which is read as `/facts/name`. Without `ticket_type` one is made of the source's slots.

A scenario is one TOML file: `ticket_type` names a definition in the folder `ticket-types` beside its own, `[[step]]` with
`do = "message"` says what was written and `do = "expect"` what holds then: `values` by pointer, `absent` pointers. What
people do in it by hand (set, confirm, resolve, undo, edit, reject) no model brings about: expectations after it are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memoria.patch import make_pointer
from memoria.sources import Kind
from memoria.strict_json import NotStrictJson, loads

Json = Any

AUTHORS: Final = frozenset({Kind.CUSTOMER, Kind.AGENT, Kind.THIRD_PARTY, Kind.ASSISTANT, Kind.TOOL, Kind.REGISTRY})
_BY_HAND: Final = frozenset({"set", "confirm", "resolve", "undo", "edit", "reject"})


class BadGold(ValueError):
    """A file that holds no gold states. `args[0]` is one line that says where and why."""


@dataclass(frozen=True, slots=True)
class Said:
    id: str
    kind: Kind
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What holds after a message: the whole state of the slots that are scored, or (`whole` False) only what is named."""

    values: Mapping[str, Json]
    absent: frozenset[str] = frozenset()
    accept: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Dialogue:
    id: str
    file: str
    ticket_type: Mapping[str, Json]
    said: tuple[Said, ...]
    gold: Mapping[str, Expected]  # by the id of the message after which it holds
    scored: frozenset[str]  # pointers that a whole state tells of
    language: str = ""  # as the file says

    @property
    def digest(self) -> str:
        """Of all that its result depends on."""
        told = [
            self.id,
            self.ticket_type,
            [[row.kind, row.name, row.text] for row in self.said],
            {key: [dict(row.values), sorted(row.absent)] for key, row in self.gold.items()},
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:16]


def read(path: Path, ticket_type: Mapping[str, Json] | None = None) -> list[Dialogue]:
    """The dialogues of a file; `ticket_type`, where given, is that of those that name none. Raises BadGold."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadGold(f"{path}: {error}") from None
    if path.suffix == ".toml":
        return [_scenario(path, text)]
    rows = [_row(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise BadGold(f"{path}: no dialogue in it")
    slots = _described(path)
    by_source: dict[str, dict[str, Json]] = {}
    for row in rows:
        found = by_source.setdefault(str(row.get("source", "")), {})
        for entry in row["gold"]:
            found |= dict.fromkeys(entry["state"])
    return [
        _dialogue(path, row, row.get("ticket_type") or ticket_type, by_source[str(row.get("source", ""))], slots)
        for row in rows
    ]


def pointer_of(slot: str) -> str:
    return slot if slot.startswith("/") else make_pointer("facts", slot)


# --- dialogues ----------------------------------------------------------------------------------------------------


def _row(path: Path, number: int, line: str) -> dict[str, Json]:
    where = f"{path}:{number}"
    try:
        row = loads(line)
    except NotStrictJson as error:
        raise BadGold(f"{where}: no JSON: {error.args[0]}") from None
    if not isinstance(row, dict) or not isinstance(row.get("messages"), list) or not isinstance(row.get("gold"), list):
        raise BadGold(f"{where}: a dialogue has `messages` and `gold`")
    known = set()
    for message in row["messages"]:
        if not isinstance(message, dict) or not all(isinstance(message.get(key), str) for key in ("id", "author", "text")):
            raise BadGold(f"{where}: a message has `id`, `author` and `text`")
        if message["author"] not in AUTHORS:
            raise BadGold(f"{where}: unknown author {message['author']!r}")
        known.add(message["id"])
    for entry in row["gold"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("state"), dict) or entry.get("after") not in known:
            raise BadGold(f"{where}: a gold entry has `state`, and `after` names a message")
    return row


def _described(path: Path) -> Mapping[str, Mapping[str, Json]]:
    """What the file beside it (`name-slots.json`) says of slots, by source."""
    beside = path.with_name(f"{path.stem}-slots.json")
    if not beside.is_file():
        return {}
    try:
        found = loads(beside.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, NotStrictJson) as error:
        raise BadGold(f"{beside}: {error}") from None
    return found if isinstance(found, dict) else {}


def _dialogue(
    path: Path,
    row: Mapping[str, Json],
    ticket_type: Mapping[str, Json] | None,
    slots: Iterable[str],
    described: Mapping[str, Mapping[str, Json]],
) -> Dialogue:
    own = _slots_of(row, slots)
    if ticket_type is None:
        ticket_type = _made_type(str(row.get("source", "")), own, described.get(str(row.get("source", "")), {}))
    gold = {
        entry["after"]: Expected(
            {pointer_of(slot): value for slot, value in entry["state"].items()},
            accept={pointer_of(slot): tuple(values) for slot, values in (entry.get("accept") or {}).items()},
        )
        for entry in row["gold"]
    }
    said = tuple(
        Said(message["id"], Kind(message["author"]), str(message.get("name") or message["author"]), message["text"])
        for message in row["messages"]
    )
    return Dialogue(
        str(row.get("id") or path.stem),
        path.name,
        ticket_type,
        said,
        gold,
        frozenset(map(pointer_of, own)),
        str(row.get("language", "")),
    )


def _slots_of(row: Mapping[str, Json], slots: Iterable[str]) -> list[str]:
    """The source's slots; of slots named `Service.slot` those of the services that this dialogue speaks of."""
    services = {slot.partition(".")[0] for entry in row["gold"] for slot in entry["state"] if "." in slot}
    return sorted(slot for slot in slots if "." not in slot or slot.partition(".")[0] in services)


def _made_type(source: str, slots: Sequence[str], described: Mapping[str, Json]) -> dict[str, Json]:
    """A definition with a field for each slot, which customer and staff may fill."""
    fields: dict[str, Json] = {}
    for slot in slots:
        told = described.get(slot) or {}
        label = slot.rpartition("/")[2].rpartition(".")[2].replace("_", " ").strip().capitalize() or slot
        fields[pointer_of(slot)] = {
            "label": label,
            "description": str(told.get("description", "")),
            "schema": {"enum": told["values"]} if told.get("values") else {"type": "string"},
            "sources": ["agent", "customer"],
        }
    name = re.sub(r"[^a-z0-9]+", "-", source.lower()).strip("-") or "dialogos"
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:8]
    return {"slug": f"{name[:60]}-{digest}", "name": source or "Diálogos", "fields": fields, "collections": {}}


# --- scenarios ----------------------------------------------------------------------------------------------------


def _scenario(path: Path, text: str) -> Dialogue:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadGold(f"{path}: no TOML: {error}") from None
    definition = path.parent.parent / "ticket-types" / f"{document.get('ticket_type')}.json"
    try:
        ticket_type = loads(definition.read_text("utf-8"))
    except (OSError, NotStrictJson):
        raise BadGold(f"{path}: there is no ticket type {definition}") from None
    said: list[Said] = []
    gold: dict[str, Expected] = {}
    for step in document.get("step", ()):
        if step.get("do") in _BY_HAND or step.get("reject"):
            break
        if step.get("do") == "message":
            author = step.get("author")
            if author not in AUTHORS or not isinstance(step.get("text"), str):
                raise BadGold(f"{path}: a message has `author` and `text`")
            said.append(Said(f"m{len(said) + 1}", Kind(author), str(step.get("name") or author), step["text"]))
        elif step.get("do") == "expect" and said and (step.get("values") or step.get("absent")):
            before = gold.get(said[-1].id, Expected({}, whole=False))
            values = {**before.values, **step.get("values", {})}
            gold[said[-1].id] = Expected(values, before.absent | frozenset(step.get("absent", ())), whole=False)
    if not said:
        raise BadGold(f"{path}: no message in it")
    return Dialogue(str(document.get("id") or path.stem), path.name, ticket_type, tuple(said), gold, frozenset())
