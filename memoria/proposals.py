"""What is proposed, and what the domain says to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoria.errors import Code, Reason
from memoria.patch import MISSING, Json, Missing
from memoria.sources import Age, Author, Kind


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote as it is handed in, not yet checked. `start` names the occurrence, in code points of the original."""

    message: str  # "m-3"
    quote: str
    start: int | None = None

    def to_json(self) -> dict[str, Json]:
        document: dict[str, Json] = {"message": self.message, "quote": self.quote}
        if self.start is not None:
            document["start"] = self.start
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Citation:
        return cls(document["message"], document["quote"], document.get("start"))


@dataclass(frozen=True, slots=True)
class Change:
    """One proposed operation with the words that back it, as handed in."""

    op: str  # any text: an operation that we do not take is refused, not lost
    path: str
    value: Json | Missing = MISSING
    evidence: tuple[Citation, ...] = ()
    inference: bool = False
    reason: str | None = None

    @property
    def removes(self) -> bool:
        return self.op == "remove"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote that was found: the message's own text from `start` to `end` (code points of the original)."""

    message: str
    quote: str
    start: int
    end: int
    ambiguous: bool = False  # E6
    cautions: tuple[str, ...] = ()  # E8: negation, question, hedge
    gone: bool = False  # E7: the message was edited or deleted since, and this quote with it

    def to_json(self) -> dict[str, Json]:
        document: dict[str, Json] = {
            "message": self.message,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
        }
        if self.ambiguous:
            document["ambiguous"] = True
        if self.cautions:
            document["caution"] = self.cautions[0]
            document["cautions"] = list(self.cautions)
        if self.gone:
            document["gone"] = True
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Evidence:
        return cls(
            document["message"],
            document["quote"],
            document["start"],
            document["end"],
            document.get("ambiguous", False),
            tuple(document.get("cautions", ())),
            document.get("gone", False),
        )

    def same_span(self, other: Evidence) -> bool:
        """The same words at the same place; an edited message may hold other words there."""
        mine, its = (self.message, self.start, self.quote), (other.message, other.start, other.quote)
        return mine == its


@dataclass(frozen=True, slots=True)
class Caution:
    """What informs a person and bars a change from bulk acceptance (E6, E8, M7, K9)."""

    kind: str  # ambiguous, negation, question, hedge, possible_duplicate, constraint, group_exists, group_unknown
    evidence: int | None = None  # index of the evidence item
    members: tuple[str, ...] = ()  # ids
    words: str | None = None

    def to_json(self) -> dict[str, Json]:
        document: dict[str, Json] = {"kind": self.kind}
        if self.evidence is not None:
            document["evidence"] = self.evidence
        if self.members:
            document["members"] = list(self.members)
        if self.words is not None:
            document["words"] = self.words
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Caution:
        return cls(document["kind"], document.get("evidence"), tuple(document.get("members", ())), document.get("words"))


class Verdict(StrEnum):
    ALLOWED = "allowed"
    NO_CHANGE = "no_change"
    CONFLICT = "conflict"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Statement:
    """What staff say themselves (E9): their own word, or what they heard or saw elsewhere."""

    reported: Kind | None = None  # customer, third_party or registry


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one change against one state, with everything that a person needs to see before deciding."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    evidence: tuple[Evidence, ...] = ()
    source: str | None = None
    author: Author | None = None
    age: Age | None = None
    current_value: Json | Missing = MISSING
    cascade: tuple[str, ...] = ()  # K5: pointers that taking the change would put in doubt, topological
    same_as: str | None = None  # M7: the member's pointer
    cautions: tuple[Caution, ...] = ()

    @property
    def refused(self) -> bool:
        return self.verdict is Verdict.REFUSED

    @property
    def code(self) -> Code:
        return self.reasons[0].code

    @property
    def bulk(self) -> bool:
        """Whether "accept all" may take the change: allowed, and nothing about it calls for care."""
        return self.verdict is Verdict.ALLOWED and not self.cautions


class Status(StrEnum):
    """The fate of a proposed change."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"
    REFUSED = "refused"
    SUPERSEDED = "superseded"
