"""Playing a conversation on a stage: the database in the demonstration, memory alone in the tests of the content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from atendimento.demo import script
from atendimento.demo.moments import Moments
from memoria.errors import DomainError
from memoria.patch import MISSING, Json, Missing
from memoria.proposals import Change, Citation
from memoria.sources import Kind


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposed change as the stage keeps it."""

    id: str
    verdict: str
    code: str
    cautions: tuple[str, ...]


class Stage(Protocol):
    """One ticket that is played. Writes answer the version that they made; `by` is a member's key."""

    def say(self, by: str, text: str, sent_at: datetime, key: str, *, internal: bool) -> str: ...
    def rewrite(self, key: str, text: str) -> None: ...
    def erase(self, message: str) -> None: ...
    def propose(self, changes: Sequence[Change]) -> Sequence[Judged]: ...
    def decide(self, by: str, accept: Sequence[str], reject: Sequence[str], reason: str | None) -> int: ...
    def edit(self, by: str, change: str, value: Json, reason: str | None) -> int: ...
    def override(self, by: str, change: str, reason: str) -> int: ...
    def put(self, by: str, path: str, value: Json | Missing, reported: Kind | None, reason: str | None) -> int: ...
    def confirm(self, by: str, path: str, evidence: Sequence[Citation], reported: Kind | None) -> int: ...
    def resolve(self, by: str, path: str, choice: str, challenger: int | None, reason: str) -> int: ...
    def undo(self, by: str, version: int, reason: str) -> int: ...
    def visit(self, by: str) -> None: ...
    def shelve(self, by: str, status: str, until: datetime | None) -> None: ...


class PlayError(Exception):
    """A step did not do what the script says."""


@dataclass
class Play:
    """What the steps of one conversation have named so far."""

    conversation: script.Conversation
    stage: Stage
    moments: Moments
    messages: dict[str, str] = field(default_factory=dict)  # key -> "m-3"
    changes: dict[str, str] = field(default_factory=dict)  # label -> id
    versions: dict[str, int] = field(default_factory=dict)  # label -> the version that the step made
    last_sent: datetime | None = None

    def run(self) -> None:
        """Play every step. Raises PlayError with the conversation's and the step's name."""
        for number, step in enumerate(self.conversation.steps, 1):
            try:
                self._step(step)
            except (PlayError, DomainError, KeyError, ValueError) as problem:
                name = getattr(step, "label", "") or getattr(step, "key", "")
                where = f"{self.conversation.slug}, step {number} ({type(step).__name__.lower()} {name})"
                raise PlayError(f"{where}: {type(problem).__name__} {problem}") from problem

    def _step(self, step: script.Step) -> None:
        stage = self.stage
        version: int | None = None
        match step:
            case script.Say():
                self._say(step)
            case script.Rewrite():
                stage.rewrite(step.key, self.moments.told(step.text))
            case script.Erase():
                stage.erase(self.messages[step.key])
            case script.Propose():
                self._propose(step)
            case script.Decide():
                accept, reject = self._ids(step.accept), self._ids(step.reject)
                version = stage.decide(step.by, accept, reject, step.reason)
            case script.Edit():
                value = self.moments.filled(step.value)
                version = stage.edit(step.by, self.changes[step.change], value, step.reason)
            case script.Override():
                version = stage.override(step.by, self.changes[step.change], step.reason)
            case script.Put():
                version = stage.put(step.by, step.path, self._filled(step.value), step.reported, step.reason)
            case script.Confirm():
                version = stage.confirm(step.by, step.path, self._citations(step.quotes), step.reported)
            case script.Resolve():
                version = stage.resolve(step.by, step.path, step.choice, step.challenger, step.reason)
            case script.Undo():
                version = stage.undo(step.by, self.versions[step.version_of], step.reason)
            case script.Visit():
                stage.visit(step.by)
            case script.Shelve():
                until = None if step.until is None else datetime.fromisoformat(self.moments.told(step.until))
                stage.shelve(step.by, step.status, until)
        if version is not None:
            self.versions[getattr(step, "label", "")] = version

    def _say(self, step: script.Say) -> None:
        sent_at = self.moments.sent(step.at)
        if sent_at > self.moments.now or (self.last_sent is not None and sent_at < self.last_sent):
            raise PlayError("is sent before the message above it, or not yet")
        if step.key in self.messages:
            raise PlayError("two messages have this name")
        self.last_sent = sent_at
        text = self.moments.told(step.text)
        self.messages[step.key] = self.stage.say(step.by, text, sent_at, step.key, internal=step.internal)

    def _propose(self, step: script.Propose) -> None:
        judged = self.stage.propose([self._change(part) for part in step.changes])
        for index, (part, got) in enumerate(zip(step.changes, judged, strict=True)):
            self.changes[f"{step.label}.{index}"] = got.id
            told = (got.verdict, got.cautions)
            if told != (part.verdict, part.cautions) or part.code not in (None, got.code):
                raise PlayError(f"{step.label}.{index} at {part.path} is {got.verdict} ({got.code}) {list(got.cautions)}")

    def _change(self, part: script.ChangePart) -> Change:
        evidence = self._citations(part.quotes)
        return Change(part.op, part.path, self._filled(part.value), evidence, part.inference, part.reason)

    def _citations(self, quotes: Sequence[script.Quote]) -> tuple[Citation, ...]:
        return tuple(Citation(self.messages[key], self.moments.told(words)) for key, words in quotes)

    def _filled(self, value: Json | Missing) -> Json | Missing:
        return MISSING if isinstance(value, Missing) else self.moments.filled(value)

    def _ids(self, labels: Sequence[str]) -> list[str]:
        return [self.changes[label] for label in labels]
