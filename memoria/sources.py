"""Who said something, and what weight that gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from memoria.patch import Json


class Kind(StrEnum):
    """What an author is."""

    CUSTOMER = "customer"
    THIRD_PARTY = "third_party"
    AGENT = "agent"
    ASSISTANT = "assistant"
    TOOL = "tool"
    REGISTRY = "registry"
    SYSTEM = "system"


INFERENCE: Final = "inference"
REPORTED: Final = {
    Kind.CUSTOMER: "customer_reported",
    Kind.THIRD_PARTY: "third_party_reported",
    Kind.REGISTRY: "registry_reported",
}
LISTABLE: Final = frozenset({*(kind.value for kind in Kind), *REPORTED.values()})
"""What a field's order of sources may name. `inference` has a rule of its own (P1)."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a message or made a statement."""

    kind: Kind
    external_id: str | None = None
    name: str = ""

    def same_as(self, other: Author | None) -> bool:
        """Kind and external id are the same; the name where there is none (section 3)."""
        if other is None or self.kind is not other.kind:
            return False
        return (self.external_id or self.name) == (other.external_id or other.name)

    def to_json(self) -> dict[str, Json]:
        return {"kind": self.kind.value, "external_id": self.external_id, "name": self.name}

    @classmethod
    def from_json(cls, document: Mapping[str, Json]) -> Author:
        return cls(Kind(document["kind"]), document["external_id"], document["name"])


@dataclass(frozen=True, slots=True, order=True)
class Age:
    """When words were said, in P7's order: the time, then the message's number.

    A statement, a confirmation and a resolution have their own moment and the number of the newest message then.
    """

    at: datetime
    number: int

    def to_json(self) -> list[Json]:
        return [self.at.isoformat(), self.number]

    @classmethod
    def from_json(cls, document: list[Json]) -> Age:
        return cls(datetime.fromisoformat(document[0]), document[1])


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a member of the organisation, or the system itself (`member` None)."""

    member: str | None
    name: str = ""
    may_override: bool = False  # P6, P8: supervisors and admins
    may_undo_any: bool = False  # H4: supervisors and admins

    @property
    def author(self) -> Author:
        return Author(Kind.AGENT if self.member else Kind.SYSTEM, self.member, self.name)


SYSTEM: Final = Actor(None, "system")
