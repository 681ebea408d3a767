"""What staff do to a slot themselves: state, withdraw, confirm, settle a conflict."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions.desk import Written
from atendimento.models import Membership
from memoria import review
from memoria.events import Event
from memoria.patch import Json, Missing
from memoria.proposals import Citation
from memoria.sources import Kind


@transaction.atomic
def set_slot(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    path: str,
    value: Json | Missing,
    expected_version: int,
    evidence: Sequence[Citation] = (),
    reported: Kind | None = None,
    reason: str | None = None,
) -> Written:
    """The member's own statement at `path` (E9); MISSING withdraws. The same rules hold as for any change."""
    book, desk, since = _open(member, ticket_id, expected_version, evidence)
    event = review.set_value(
        book.state, path, value, desk, expected_version, since, evidence=evidence, reported=reported, reason=reason
    )
    return _store(book, desk, event, member)


@transaction.atomic
def confirm_slot(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    path: str,
    expected_version: int,
    evidence: Sequence[Citation] = (),
    reported: Kind | None = None,
) -> Written:
    """The member confirms a value that awaits it (K6)."""
    book, desk, since = _open(member, ticket_id, expected_version, evidence)
    event = review.confirm(book.state, path, desk, expected_version, since, evidence=evidence, reported=reported)
    return _store(book, desk, event, member)


@transaction.atomic
def resolve_slot(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    path: str,
    expected_version: int,
    choice: str,
    reason: str,
    challenger: int | None = None,
) -> Written:
    """The member settles a conflict (P8): `choice` is `current`, `challenger` (by its index) or `open`."""
    book, desk, since = _open(member, ticket_id, expected_version, ())
    event = review.resolve(book.state, path, choice, desk, expected_version, since, reason=reason, challenger=challenger)
    return _store(book, desk, event, member)


def _open(
    member: Membership, ticket_id: str | uuid.UUID, expected_version: int, evidence: Sequence[Citation]
) -> tuple[ledger.Book, review.Desk, list[Event]]:
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_decide(member, ticket_id)
    desks.load_cited(book, (), evidence)
    return book, desks.desk_of(book, member), book.since(expected_version) if expected_version >= 0 else []


def _store(book: ledger.Book, desk: review.Desk, event: Event, member: Membership) -> Written:
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desks.append(book, event, desk, pending)
    return desks.finish(book, "decision", member)
