"""One dialogue through the product: messages come in, the worker's own code reads them, what the domain allows is accepted.

The reviewer here accepts every allowed change and nothing else, the newest where several touch one pointer. So the state
that is scored is what model and rules make together, with nobody who mends anything.
"""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings

from atendimento import actions, ledger
from atendimento.access import Caller
from atendimento.actions.propose import propose_changes
from atendimento.evaluation.gold import Dialogue
from atendimento.evaluation.scoring import Proposed, Turn
from atendimento.models import Membership, Message, Organization, Origin, Proposal, ProposedChange, Role, RunStatus, Ticket
from memoria.errors import DomainError
from memoria.patch import Missing
from memoria.proposals import Status, Verdict
from memoria.sources import Author, Kind

Json = Any

ORGANIZATION: Final = "avaliacao"
_EMAIL: Final = "avaliacao@example.test"
_SOURCE: Final = "evaluate"
_UNDER_WAY: Final = (RunStatus.QUEUED, RunStatus.RUNNING)
NOT_IN_TIME: Final = "evaluation.not_in_time"
"""The problem of a turn whose reading came to no end: what is scored there is the state before it."""
_LEAST: Final = 60.0  # seconds for a reading's own work, beside what the model's tries may take
_PAUSE: Final = 0.2  # seconds, between two looks at a run that waits or that another worker has


def stage() -> tuple[Organization, Membership]:
    """The organisation in which dialogues are played, apart from every real one, and who reviews there."""
    organization, _ = actions.create_organization(slug=ORGANIZATION, name="Avaliação")
    known = Membership.objects.filter(organization=organization, user__email=_EMAIL).first()
    if known is not None:
        return organization, known
    member, _ = actions.create_member(
        organization=organization,
        email=_EMAIL,
        role=Role.ADMIN,
        name="Avaliação",
        password=secrets.token_urlsafe(24),
    )
    return organization, member


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a dialogue, and what it cost."""

    turns: tuple[Turn, ...]
    usage: Mapping[str, int]
    seconds: float
    model: str
    prompt_version: str


def play(dialogue: Dialogue, organization: Organization, member: Membership) -> Played:
    """Play it on a ticket of its own. Raises what publishing its ticket type raises."""
    started = time.monotonic()
    actions.publish_ticket_type(member=member, document=dict(dialogue.ticket_type))
    channel = Caller(organization, None, _SOURCE)
    ticket, _ = actions.create_ticket(
        caller=channel,
        ticket_type=str(dialogue.ticket_type["slug"]),
        subject=dialogue.id[:300],
        customer=actions.CustomerData(dialogue.id[:200]),
    )
    turns: list[Turn] = []
    counted: set[uuid.UUID] = set()  # runs that a turn was told of
    last = dialogue.said[-1].id
    for said in dialogue.said:
        actions.receive_message(
            caller=channel,
            ticket_id=ticket.pk,
            author=Author(said.kind, f"{said.kind.value}:{said.name}"[:200], said.name),
            text=said.text,
        )
        if said.kind is not Kind.AGENT or said.id == last or said.id in dialogue.gold:
            turns.append(_read(said.id, ticket, member, counted))
    runs = Proposal.objects.filter(ticket=ticket, origin=Origin.MODEL)
    usage: dict[str, int] = {}
    for row in runs:
        for key in ("prompt_tokens", "completion_tokens", "cached_tokens"):
            usage[key] = usage.get(key, 0) + int((row.usage or {}).get(key, 0))
    newest = runs.order_by("-created_at").first()
    named = (newest.model, newest.prompt_version) if newest is not None else ("", "")
    return Played(tuple(turns), usage, round(time.monotonic() - started, 3), *named)


def _read(after: str, ticket: Ticket, member: Membership, counted: set[uuid.UUID]) -> Turn:
    """Have all that is unread read, and accept what is allowed."""
    in_time = _run(ticket, member) if Message.objects.filter(ticket=ticket, awaits_reading=True).exists() else True
    rows = Proposal.objects.filter(ticket=ticket, origin=Origin.MODEL)
    # What is under way still is told of in the turn in which it ends.
    fresh = list(rows.exclude(pk__in=counted).exclude(status__in=_UNDER_WAY).order_by("created_at", "id"))
    counted.update(row.pk for row in fresh)
    changes = ProposedChange.objects.filter(proposal__in=fresh).order_by("id")
    proposed = tuple(
        Proposed(
            row.op,
            row.path,
            None if isinstance(row.value, Missing) else row.value,
            row.verdict,
            tuple(reason["code"] for reason in row.reasons),
        )
        for row in changes
    )
    _accept(ticket, member)
    problem = next((row.problem_code for row in fresh if row.status == RunStatus.PARKED), "" if in_time else NOT_IN_TIME)
    calls = sum(row.attempts for row in fresh)
    return Turn(after, ledger.current_state(ticket.pk).values, proposed, calls, problem)


def _run(ticket: Ticket, member: Membership) -> bool:
    """The ticket's runs to their ends, by the code that workers run; one that another worker has is waited for.

    False where they came to no end in the time that every try of a run may take.
    """
    rows = Proposal.objects.filter(ticket=ticket, origin=Origin.MODEL)
    deadline = time.monotonic() + _LEAST + 4 * float(settings.MODEL_TIMEOUT) * settings.MODEL_MAX_TRIES
    asked = False
    while time.monotonic() < deadline:
        row = rows.filter(status__in=_UNDER_WAY).order_by("created_at", "id").first()
        if row is None and asked:
            return True  # read, or parked: a person would look at it, and nobody asks for the same twice here
        if row is None or (row.status == RunStatus.QUEUED and row.run is None):
            # Not for the debounce: what is new is all there.
            row = actions.request_proposal(member=member, ticket_id=ticket.pk)
        asked = True
        propose_changes(organization_id=ticket.organization_id, proposal_id=row.pk)
        if rows.filter(pk=row.pk, status__in=_UNDER_WAY).exists():
            time.sleep(_PAUSE)
    return False


def _accept(ticket: Ticket, member: Membership) -> None:
    pending = ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING, verdict=Verdict.ALLOWED).order_by("id")
    newest: dict[str, ProposedChange] = {}
    for row in pending:
        newest[str(row.pk) if row.path.endswith("/-") else row.path] = row
    for row in newest.values():
        # One by one: what an earlier one made moot is refused, and holds up nothing else.
        version = ledger.current_state(ticket.pk).version
        try:
            actions.accept_change(member=member, change_id=row.pk, expected_version=version)
        except DomainError:
            continue
