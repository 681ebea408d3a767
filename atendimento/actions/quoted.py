"""What a person reads out of a message: proposed in their name, and taken at once where nothing speaks against it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Permission
from atendimento.actions import decisions, proposals
from atendimento.actions.desk import Written
from atendimento.actions.faults import invalid
from atendimento.models import Membership, ProposedChange
from memoria.errors import Code, DomainError, Reason
from memoria.patch import Json, Missing, lookup
from memoria.proposals import Change, Citation, Status, Verdict

PRODUCER = "console"


@transaction.atomic
def record_quoted(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    path: str,
    value: Json | Missing,
    expected_version: int,
    evidence: Sequence[Citation],
    reason: str | None = None,
) -> Written | None:
    """Record what quoted words say, with the weight of whoever said them; MISSING withdraws.

    A statement would make it the member's own word (E9); as a change that cites the message it is the customer's, and
    every check runs. What is allowed and bears no caution is accepted in the same stroke. Anything else stays as a card
    to decide, and None is answered. Raises DomainError with the reason where the change is refused: nothing is kept then.
    Pressed twice, the second finds the value there with the same words: nothing is kept of it.
    """
    try:
        with transaction.atomic():
            return _record(member, ticket_id, path, value, expected_version, evidence, reason)
    except _NothingNew:
        return None


class _NothingNew(Exception):
    """The value is held, and rests on these words already."""


def _record(
    member: Membership,
    ticket_id: str | uuid.UUID,
    path: str,
    value: Json | Missing,
    expected_version: int,
    evidence: Sequence[Citation],
    reason: str | None,
) -> Written | None:
    op = "remove" if isinstance(value, Missing) else "add" if path.endswith("/-") else "replace"
    change = Change(op, path, value, tuple(evidence), reason=reason)
    proposal, _new = proposals.store_proposal(
        member=member, ticket_id=ticket_id, base_version=expected_version, producer=PRODUCER, changes=[change]
    )
    row = ProposedChange.objects.get(proposal=proposal)
    if row.status == Status.REFUSED:
        first = row.reasons[0]
        raise DomainError.of(Reason(Code(first["code"]), first["rule"], first["data"]))
    if row.verdict == Verdict.NO_CHANGE:
        slot = ledger.open_to_change(member, ticket_id).state.slots.get(path)
        held = [(item.message, item.start, item.end) for item in slot.evidence] if slot is not None else []
        if all((item["message"], item["start"], item["end"]) in held for item in row.evidence):
            raise _NothingNew
    if row.verdict not in (Verdict.ALLOWED, Verdict.NO_CHANGE) or row.cautions:
        return None
    return decisions.accept_change(member=member, change_id=row.pk, expected_version=expected_version)


@transaction.atomic
def accept_and_keep(
    *,
    member: Membership,
    change_id: str | uuid.UUID,
    expected_version: int,
    keep: Sequence[str],
    evidence: Sequence[Citation] | None = None,
) -> Written:
    """Accept a correction and keep, in the same version, dependents that were said after it.

    Each is said again with the words that it rests on already: a change that reaffirms a value is not invalidated by
    the decision it belongs to (K3). `evidence` as in `decisions.accept_change`. Raises InvalidInput where a pointer is
    none of a field that holds a quoted value.
    """
    access.require(member, Permission.DECIDE)
    found = access.change(member, change_id)
    book = ledger.open_to_decide(member, found.ticket_id)
    found.refresh_from_db()
    if found.status != Status.PENDING:
        # A second press on the same button: the first answer, or who decided before (V4).
        return decisions.accept_change(member=member, change_id=found.pk, expected_version=expected_version, evidence=evidence)
    again = [_again(book, pointer) for pointer in dict.fromkeys(keep)]
    proposal, _new = proposals.store_proposal(
        member=member, ticket_id=found.ticket_id, base_version=expected_version, producer=PRODUCER, changes=again
    )
    kept = ProposedChange.objects.filter(proposal=proposal).order_by("position").values_list("pk", flat=True)
    return decisions.decide_changes(
        member=member,
        ticket_id=found.ticket_id,
        expected_version=expected_version,
        accept=[str(found.pk), *map(str, kept)],
        evidence={str(found.pk): evidence} if evidence is not None else {},
    )


def _again(book: ledger.Book, pointer: str) -> Change:
    slot = book.state.slots.get(pointer)
    if slot is None or not slot.evidence or pointer not in book.ticket_type.fields:
        raise invalid("/keep", "keep.no_value", "holds no value with a quote")
    quotes = tuple(Citation(item.message, item.quote, item.start) for item in slot.evidence)
    return Change("replace", pointer, lookup(book.state.values, pointer), quotes)
