"""The content files, read into types. A file that is not as it should be fails here, with its name and the step's."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atendimento.demo import chatter
from memoria.patch import MISSING, Json, Missing
from memoria.sources import Kind

FOLDER: Final = Path(__file__).parent
STAFF: Final = ("agent", "supervisor", "admin")


class ScriptError(Exception):
    """A content file is wrong."""


@dataclass(frozen=True, slots=True)
class MemberPart:
    key: str
    name: str
    email: str
    role: str


@dataclass(frozen=True, slots=True)
class OrganizationPart:
    slug: str
    name: str
    timezone: str
    password: str
    reject_reasons: tuple[str, ...]
    members: tuple[MemberPart, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or something, that writes and is not staff."""

    key: str
    kind: Kind
    name: str


# --- steps --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Say:
    """A message arrives. `by` is a person's key, or a member's; `key` is how later steps name the message."""

    key: str
    by: str
    at: str
    text: str
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The channel says that the message now reads so."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Erase:
    """The channel deleted the message."""

    key: str


Quote = tuple[str, str]  # a message's key, its words


@dataclass(frozen=True, slots=True)
class ChangePart:
    """One proposed change, and what the domain must say to it: anything else is a fault of the script."""

    op: str
    path: str
    value: Json | Missing
    quotes: tuple[Quote, ...]
    inference: bool = False
    reason: str | None = None
    verdict: str = "allowed"
    code: str | None = None
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Propose:
    """Changes are proposed, read up to the newest message. Later steps name them `label.0`, `label.1`, …"""

    label: str
    changes: tuple[ChangePart, ...]


@dataclass(frozen=True, slots=True)
class Decide:
    by: str
    accept: tuple[str, ...]
    reject: tuple[str, ...]
    reason: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Edit:
    by: str
    change: str
    value: Json
    reason: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Override:
    """A change in conflict is taken all the same, with a written reason."""

    by: str
    change: str
    reason: str
    label: str


@dataclass(frozen=True, slots=True)
class Put:
    """A member's own statement; `value` MISSING withdraws."""

    by: str
    path: str
    value: Json | Missing
    reported: Kind | None
    reason: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Confirm:
    by: str
    path: str
    quotes: tuple[Quote, ...]
    reported: Kind | None
    label: str


@dataclass(frozen=True, slots=True)
class Resolve:
    by: str
    path: str
    choice: str
    challenger: int | None
    reason: str
    label: str


@dataclass(frozen=True, slots=True)
class Undo:
    """The version that an earlier step of this label made is taken back."""

    by: str
    version_of: str
    reason: str
    label: str


@dataclass(frozen=True, slots=True)
class Visit:
    """The member looks at the ticket: what comes after is news to them."""

    by: str


@dataclass(frozen=True, slots=True)
class Shelve:
    """The ticket is closed, or asleep until the end of a day."""

    by: str
    status: str
    until: str | None


Step = Say | Rewrite | Erase | Propose | Decide | Edit | Override | Put | Confirm | Resolve | Undo | Visit | Shelve


@dataclass(frozen=True, slots=True)
class Conversation:
    slug: str
    subject: str
    ticket_type: str
    channel: str
    customer: str
    phone: str
    assignee: str | None
    team: str
    reading: str  # what becomes of the run that its messages ask for: "done", "waiting", or the code it is parked with
    people: Mapping[str, Person]
    steps: tuple[Step, ...]


# --- reading ------------------------------------------------------------------------------------------------------


class _Row:
    """A table of a content file whose keys are taken one by one; what is left over is a mistake."""

    def __init__(self, where: str, row: Mapping[str, Any]) -> None:
        self.where = where
        self._left = dict(row)

    def _take(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        found = self._left.pop(key, default)
        if found is ...:
            raise ScriptError(f"{self.where}: {key} is missing")
        if found is not default and not isinstance(found, kind):
            raise ScriptError(f"{self.where}: {key} is of the wrong type")
        return found

    def text(self, key: str, default: Any = ...) -> str:
        found: str = self._take(key, str, default)
        return found

    def text_or_none(self, key: str) -> str | None:
        found: str | None = self._take(key, str, None)
        return found

    def flag(self, key: str) -> bool:
        found: bool = self._take(key, bool, False)  # noqa: FBT003 - a default
        return found

    def number_or_none(self, key: str) -> int | None:
        found: int | None = self._take(key, int, None)
        return found

    def number(self, key: str) -> int:
        found: int = self._take(key, int, ...)
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(self._take(key, list, []))

    def rows(self, key: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._take(key, list, [])
        return found

    def table(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self._take(key, dict, {})
        return found

    def value(self, key: str) -> Json | Missing:
        return self._left.pop(key, MISSING)

    def kind_or_none(self, key: str) -> Kind | None:
        found = self.text_or_none(key)
        return None if found is None else Kind(found)

    def quotes(self, key: str) -> tuple[Quote, ...]:
        return tuple((message, words) for message, words in self._take(key, list, []))

    def end(self) -> None:
        if self._left:
            raise ScriptError(f"{self.where}: nothing takes {', '.join(sorted(self._left))}")


def _change(row: _Row) -> ChangePart:
    named = [(op, path) for op in ("set", "add", "remove") if (path := row.text_or_none(op)) is not None]
    if len(named) != 1:
        raise ScriptError(f"{row.where}: a change sets, adds or removes one thing")
    op, path = named[0]
    part = ChangePart(
        {"set": "replace", "add": "add", "remove": "remove"}[op],
        f"/{path}/-" if op == "add" else path,
        row.value("to"),
        row.quotes("from"),
        row.flag("inference"),
        row.text_or_none("why"),
        row.text("verdict", "allowed"),
        row.text_or_none("code"),
        row.texts("cautions"),
    )
    row.end()
    return part


def _propose(row: _Row, label: str) -> Propose:
    changes = [_change(_Row(f"{row.where}, change {index}", item)) for index, item in enumerate(row.rows("changes"))]
    return Propose(label, tuple(changes))


_READERS: Final[Mapping[str, Callable[[_Row, str], Step]]] = {
    "say": lambda row, label: Say(label, row.text("by"), row.text("at"), row.text("text"), row.flag("internal")),
    "rewrite": lambda row, _label: Rewrite(row.text("message"), row.text("text")),
    "erase": lambda row, _label: Erase(row.text("message")),
    "propose": _propose,
    "decide": lambda row, label: Decide(
        row.text("by"), row.texts("accept"), row.texts("reject"), row.text_or_none("reason"), label
    ),
    "edit": lambda row, label: Edit(row.text("by"), row.text("change"), row.value("to"), row.text_or_none("reason"), label),
    "override": lambda row, label: Override(row.text("by"), row.text("change"), row.text("reason"), label),
    "put": lambda row, label: Put(
        row.text("by"),
        row.text("path"),
        row.value("to"),
        row.kind_or_none("reported"),
        row.text_or_none("reason"),
        label,
    ),
    "confirm": lambda row, label: Confirm(
        row.text("by"), row.text("path"), row.quotes("from"), row.kind_or_none("reported"), label
    ),
    "resolve": lambda row, label: Resolve(
        row.text("by"),
        row.text("path"),
        row.text("choice"),
        row.number_or_none("challenger"),
        row.text("reason"),
        label,
    ),
    "undo": lambda row, label: Undo(row.text("by"), row.text("version_of"), row.text("reason"), label),
    "visit": lambda row, _label: Visit(row.text("by")),
    "shelve": lambda row, _label: Shelve(row.text("by"), row.text("status"), row.text_or_none("until")),
}


def _steps(where: str, rows: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    steps: list[Step] = []
    told = chatter.Told()
    for index, document in enumerate(rows):
        label = str(document.get("as", f"step-{index + 1}"))
        row = _Row(f"{where}, {label}", document)
        row.text_or_none("as")
        what = row.text("do")
        if what == "chatter":
            lines = told.scenes(row.number("scenes"), first_day=row.number("first_day"), last_day=row.number("last_day"))
            steps.extend(Say(f"{label}-{number}", line.by, line.at, line.text) for number, line in enumerate(lines))
        elif what in _READERS:
            steps.append(_READERS[what](row, label))
        else:
            raise ScriptError(f"{row.where}: no such step: {what}")
        row.end()
    return tuple(steps)


def _person(where: str, key: str, document: Mapping[str, Any]) -> Person:
    row = _Row(f"{where}, {key}", document)
    person = Person(key, Kind(row.text("kind")), row.text("name"))
    row.end()
    return person


def _conversation(path: Path) -> Conversation:
    row = _Row(path.name, tomllib.loads(path.read_text("utf-8")))
    people = {key: _person(path.name, key, document) for key, document in row.table("people").items()}
    conversation = Conversation(
        path.stem,
        row.text("subject"),
        row.text("ticket_type"),
        row.text("channel", "whatsapp"),
        row.text("customer"),
        row.text("phone"),
        row.text_or_none("assignee"),
        row.text("team", ""),
        row.text("reading", "done"),
        people,
        _steps(path.name, row.rows("step")),
    )
    row.end()
    unknown = {step.by for step in conversation.steps if isinstance(step, Say)} - {*people, *STAFF}
    if unknown or conversation.customer not in people:
        raise ScriptError(f"{path.name}: nobody is called {', '.join(sorted(unknown)) or conversation.customer}")
    return conversation


def conversations() -> list[Conversation]:
    """Every conversation, in the order of their files' names. Raises ScriptError."""
    return [_conversation(path) for path in sorted((FOLDER / "conversations").glob("*.toml"))]


def ticket_types() -> list[Json]:
    """Every ticket type's document (the file format of `load_ticket_type`)."""
    return [json.loads(path.read_text("utf-8")) for path in sorted((FOLDER.parent / "gallery").glob("*.json"))]


def canned() -> list[tuple[str, str]]:
    """Replies written beforehand: title and text. Raises ScriptError."""
    whole = _Row("canned.toml", tomllib.loads((FOLDER / "canned.toml").read_text("utf-8")))
    found = []
    for index, document in enumerate(whole.rows("canned")):
        row = _Row(f"canned.toml, {index + 1}", document)
        found.append((row.text("title"), row.text("text")))
        row.end()
    whole.end()
    return found


def organization() -> OrganizationPart:
    """The organisation and its members. Raises ScriptError."""
    row = _Row("organization.toml", tomllib.loads((FOLDER / "organization.toml").read_text("utf-8")))
    members = []
    for key, document in row.table("members").items():
        member = _Row(f"organization.toml, {key}", document)
        members.append(MemberPart(key, member.text("name"), member.text("email"), member.text("role")))
        member.end()
    part = OrganizationPart(
        row.text("slug"),
        row.text("name"),
        row.text("timezone"),
        row.text("password"),
        row.texts("reject_reasons"),
        tuple(members),
    )
    row.end()
    return part
