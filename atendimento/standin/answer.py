"""The answer to a request about new messages: every rule of thumb in turn, one proposal for each pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from atendimento.standin.attempts import moved_attempts, new_attempts
from atendimento.standin.changes import Json, Proposal
from atendimento.standin.fields import set_fields
from atendimento.standin.goals import set_goal
from atendimento.standin.limits import (
    answered_permissions,
    lifted_constraints,
    new_authorizations,
    new_constraints,
    new_decisions,
    revoked_authorizations,
)
from atendimento.standin.offers import answered_offers, new_offers
from atendimento.standin.promises import moved_commitments, moved_dues, new_commitments, promised_visits
from atendimento.standin.ticket import Ticket, read_ticket
from atendimento.standin.words import plain

_RULES: Final[tuple[Callable[[Ticket], Iterable[Proposal]], ...]] = (
    set_goal,
    set_fields,
    answered_offers,
    answered_permissions,
    moved_commitments,
    moved_dues,
    lifted_constraints,
    revoked_authorizations,
    moved_attempts,
    new_commitments,
    promised_visits,
    new_offers,
    new_constraints,
    new_decisions,
    new_authorizations,
    new_attempts,
)
_NAMES: Final = ("task", "question", "text", "scope", "action")
MOST: Final = 60  # far below what a proposal may hold


def propose(document: Json, instructions: str) -> dict[str, Json]:
    """`{"changes": […]}` for the document of a request; no changes where it is no such document."""
    ticket = read_ticket(document, instructions)
    if ticket is None:
        return {"changes": []}
    kept: dict[str, Proposal] = {}
    for rule in _RULES:
        for proposal in rule(ticket):
            key = _key(proposal)
            if key not in kept and not _is_known(ticket, proposal):
                kept[key] = proposal
    return {"changes": [proposal.to_json() for proposal in list(kept.values())[:MOST]]}


def _key(proposal: Proposal) -> str:
    """One proposal for a pointer; of new members, one for each text."""
    return f"{proposal.path} {_name(proposal.value)}" if proposal.path.endswith("/-") else proposal.path


def _name(value: Json) -> str:
    return plain(next((str(value[key]) for key in _NAMES if key in value), "")) if isinstance(value, dict) else ""


def _is_known(ticket: Ticket, proposal: Proposal) -> bool:
    """A member with the same words stands already, or waits for its decision."""
    if not proposal.path.endswith("/-"):
        return any((path, value) == (proposal.path, proposal.value) for path, value in ticket.proposed)
    name = _name(proposal.value)
    collection = proposal.path.removesuffix("-")
    held = [_name(dict(member)) for pointer, member in ticket.members.items() if pointer.startswith(collection)]
    return name in held or any(path == proposal.path and _name(value) == name for path, value in ticket.proposed)
