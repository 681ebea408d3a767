"""The status machines of the collections, and what counts as completion (section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memoria.errors import Code, Reason
from memoria.fields import Collection
from memoria.members import FINISHED
from memoria.patch import Json
from memoria.sources import Author, Kind

TRANSITIONS: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "commitments": {
        "requested": frozenset({"in_progress", "done", "failed", "cancelled"}),
        "in_progress": frozenset({"done", "failed", "cancelled"}),
        "done": frozenset(),
        "failed": frozenset(),
        "cancelled": frozenset(),
    },
    "pending": {"open": frozenset({"answered", "withdrawn"}), "answered": frozenset(), "withdrawn": frozenset()},
    "attempts": {
        "suggested": frozenset({"tried", "worked", "failed"}),
        "tried": frozenset({"worked", "failed"}),
        "worked": frozenset(),
        "failed": frozenset(),
    },
    "authorizations": {"granted": frozenset({"revoked"}), "revoked": frozenset()},
}
_TRANSITION_CODES: Final = {
    "commitments": (Code.COMMITMENT_TRANSITION, "M3"),
    "pending": (Code.PENDING_TRANSITION, "M3"),
    "attempts": (Code.ATTEMPT_TRANSITION, "M8"),
    "authorizations": (Code.AUTHORIZATION_TRANSITION, "M8"),
}
_COMPLETED: Final = frozenset({"done", "failed"})


@dataclass(frozen=True, slots=True)
class Voice:
    """Whose words a change of status rests on: the primary message's author and, for a statement, the member."""

    cited: Author | None
    stated: Author | None = None  # E9: the member; a statement counts as words of the kind `agent`, beside what it cites

    @property
    def authors(self) -> tuple[Author, ...]:
        return tuple(author for author in (self.stated, self.cited) if author is not None)

    @property
    def is_staff(self) -> bool:
        return any(author.kind is Kind.AGENT for author in self.authors)

    @property
    def is_customer(self) -> bool:
        return any(author.kind is Kind.CUSTOMER for author in self.authors)


def is_finished(commitment: Mapping[str, Json]) -> bool:
    return commitment.get("status") in FINISHED


def performs(owner: Json, author: Author) -> bool:
    """Whether this author is the one who performs what `owner` promised (M1)."""
    match owner:
        case "team":
            return author.kind is Kind.AGENT
        case "customer":
            return author.kind is Kind.CUSTOMER
        case "third_party":
            return author.kind is Kind.THIRD_PARTY
        case _:
            return author.kind is not Kind.ASSISTANT and author.name == owner


def is_performed(owner: Json, voice: Voice) -> bool:
    return any(performs(owner, author) for author in voice.authors)


def completes(collection: Collection, owner: Json, voice: Voice) -> bool:
    """M1: the words come from a completion source, or from the one who performs. M2: never from an assistant."""
    sources = collection.completion_sources
    return any(
        author.kind is not Kind.ASSISTANT
        and (author.kind.value in sources or ("performer" in sources and performs(owner, author)))
        for author in voice.authors
    )


def status_problem(collection: Collection, owner: Json, status: Json, voice: Voice) -> Reason | None:
    """M1, M2 and M4: whether these words may bring a commitment to `status`, by a change or by being added so."""
    if status in _COMPLETED and not completes(collection, owner, voice):
        return Reason(Code.COMPLETION_NOT_EVIDENCED, "M1", {"owner": owner, "status": status})
    if status == "cancelled" and not (voice.is_customer or voice.is_staff):
        return Reason(Code.CANCEL_NOT_PERMITTED, "M4")
    return None


def move_problem(collection: Collection, member: Mapping[str, Json], status: str, voice: Voice) -> Reason | None:
    """Whether a member may move to `status`: its transitions first (M3, M8), then M1 and M4."""
    held = member["status"]
    if status not in TRANSITIONS[collection.name][held]:
        code, rule = _TRANSITION_CODES[collection.name]
        return Reason(code, rule, {"from": held, "to": status})
    if collection.name == "commitments":
        return status_problem(collection, member.get("owner"), status, voice)
    return None


def add_problem(
    collection: Collection,
    value: Mapping[str, Json],
    voice: Voice,
    commitments: Mapping[str, Json],
    reason: str | None,
) -> Reason | None:
    """Whether a commitment may be added as it is: M3 for one that reopens another, M1 and M4 for one that is finished.

    `commitments` are those that there are, by id. Reopening is by a statement, with a reason, of a finished one.
    """
    reopens = value.get("reopens")
    if reopens is not None:
        reopened = commitments.get(reopens)
        is_statement = voice.stated is not None
        if not is_statement or not (reason or "").strip() or reopened is None or not is_finished(reopened):
            return Reason(Code.COMMITMENT_TRANSITION, "M3", {"from": None, "to": "reopened", "reopens": reopens})
    return status_problem(collection, value.get("owner"), value.get("status"), voice)
