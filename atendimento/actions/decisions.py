"""Deciding proposed changes: accept, edit, reject, one by one or in a batch. Deciding is applying."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import desk as desks
from atendimento.actions.desk import Written
from atendimento.actions.faults import invalid
from atendimento.models import Membership, ProposedChange
from memoria import review
from memoria.patch import Json
from memoria.proposals import Citation, Status


@transaction.atomic
def decide_changes(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    expected_version: int,
    accept: Sequence[str] = (),
    reject: Sequence[str] = (),
    reason: str | None = None,
    evidence: Mapping[str, Sequence[Citation]] = MappingProxyType({}),
    edits: Mapping[str, review.Edit] = MappingProxyType({}),
) -> Written:
    """Decide several changes of one ticket in one version, all or nothing (V5). `reason` is that of the rejections.

    By the change's id: `evidence` points at occurrences as in `accept_change`, `edits` are other values (E9).
    The same decision again answers the first result (V4). Raises InvalidInput, NotFound, DomainError.
    """
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    ids = [*accept, *reject]
    if not ids:
        raise invalid("", "decision.empty", "names no change")
    if len({_canonical(item) for item in ids}) != len(ids):
        raise invalid("", "decision.repeated", "names a change twice")
    pending = desks.pending_of(book)
    rows = _rows(book, ids, pending)
    return _decide(
        book,
        member,
        pending,
        [
            replace(_acceptance(row, None, evidence.get(str(row.pk))), edit=edits.get(str(row.pk)))
            for row in rows[: len(accept)]
        ],
        [review.Reject(str(row.pk), desks.change_of(row), reason) for row in rows[len(accept) :]],
        rows,
        expected_version,
    )


@transaction.atomic
def accept_change(
    *,
    member: Membership,
    change_id: str | uuid.UUID,
    expected_version: int,
    override: str | None = None,
    evidence: Sequence[Citation] | None = None,
    ticket_id: uuid.UUID | None = None,
) -> Written:
    """Accept one change. `override` is the written reason for taking a conflict (P6).

    `ticket_id`: where the caller knows it, the ticket that it must be of; NotFound where it is another's.
    `evidence` points at occurrences (E6): the proposal's quotes in their order, with a start each; InvalidInput for
    other quotes.
    """
    access.require(member, Permission.DECIDE)
    if override is not None:
        access.require(member, Permission.OVERRIDE)
    book, pending, row = _open(member, change_id, ticket_id)
    return _decide(book, member, pending, [_acceptance(row, override, evidence)], [], [row], expected_version)


def _acceptance(row: ProposedChange, override: str | None, evidence: Sequence[Citation] | None) -> review.Accept:
    """The acceptance of a change. Raises InvalidInput where `evidence` is not its own quotes with a start each."""
    change = desks.change_of(row)
    if evidence is None:
        return review.Accept(str(row.pk), change, override)
    starts = tuple(evidence)
    same = [(item.message, item.quote) for item in starts] == [(item.message, item.quote) for item in change.evidence]
    if not same or any(item.start is None for item in starts):
        raise invalid("/evidence", "evidence.other_quotes", "must be the proposal's quotes with a start each")
    return review.Accept(str(row.pk), change, override, starts)


@transaction.atomic
def edit_change(
    *,
    member: Membership,
    change_id: str | uuid.UUID,
    expected_version: int,
    value: Json,
    evidence: Sequence[Citation] | None = None,
    reason: str | None = None,
    ticket_id: uuid.UUID | None = None,
) -> Written:
    """Accept a change with another value (E9). `evidence` None is the proposal's; empty makes it a statement.

    `ticket_id` as in `accept_change`. One that changes neither value nor evidence is an accept.
    """
    access.require(member, Permission.DECIDE)
    book, pending, row = _open(member, change_id, ticket_id)
    edit = review.Edit(value, None if evidence is None else tuple(evidence), reason)
    accept = review.Accept(str(row.pk), desks.change_of(row), edit=edit)
    return _decide(book, member, pending, [accept], [], [row], expected_version)


@transaction.atomic
def reject_change(
    *, member: Membership, change_id: str | uuid.UUID, reason: str | None = None, ticket_id: uuid.UUID | None = None
) -> Written:
    """Reject a change. It writes no value, so it names no version; it is an event all the same (V1, V7).

    `ticket_id` as in `accept_change`.
    """
    access.require(member, Permission.DECIDE)
    book, pending, row = _open(member, change_id, ticket_id)
    reject = review.Reject(str(row.pk), desks.change_of(row), reason)
    return _decide(book, member, pending, [], [reject], [row], None)


def _open(
    member: Membership, change_id: str | uuid.UUID, ticket_id: uuid.UUID | None
) -> tuple[ledger.Book, list[ProposedChange], ProposedChange]:
    """Lock the change's ticket, then read what is undecided there, and the change as it is now. Raises NotFound."""
    of = ticket_id or access.change(member, change_id).ticket_id
    try:
        book = ledger.open_to_change(member, of)
    except NotFound:
        raise NotFound("change") from None
    pending = desks.pending_of(book)
    (row,) = _rows(book, [str(change_id)], pending)
    return book, pending, row


def _canonical(reference: str) -> str:
    try:
        return str(uuid.UUID(reference))
    except ValueError:
        return reference


def _rows(book: ledger.Book, ids: Sequence[str], pending: Sequence[ProposedChange]) -> list[ProposedChange]:
    """The changes of this ticket in the order named, the very rows of `pending` where they are. Raises NotFound."""
    keys = [_canonical(item) for item in ids]
    found = {str(row.pk): row for row in pending}
    try:
        others = [uuid.UUID(key) for key in keys if key not in found]
        if others:
            # With who decided it: a decision that is made again asks for each.
            rows = ProposedChange.objects.select_related("decided_by").filter(ticket=book.ticket, pk__in=others)
            found |= {str(row.pk): row for row in rows}
        return [found[key] for key in keys]
    except (KeyError, ValueError):
        raise NotFound("change") from None


def _decide(
    book: ledger.Book,
    member: Membership,
    pending: Sequence[ProposedChange],
    accept: Sequence[review.Accept],
    reject: Sequence[review.Reject],
    rows: Sequence[ProposedChange],
    expected_version: int | None,
) -> Written:
    before = review.first_answer({str(row.pk): _decided(row) for row in rows}, accept, reject)
    if before is not None:
        return desks.as_of(book, before, [row.pk for row in rows])
    ledger.refuse_merged(book.ticket)
    more = [item for one in accept for item in (*(one.starts or ()), *((one.edit.evidence or ()) if one.edit else ()))]
    desks.load_cited(book, pending, more)
    desk = desks.desk_of(book, member)
    since = book.since(expected_version) if expected_version is not None and expected_version >= 0 else []
    event = review.decide(book.state, accept, reject, desk, expected_version, since)
    aftermath = desks.append(book, event, desk, pending, skip={str(row.pk) for row in rows})
    _write_fates(book, member, accept, rows, event.cause["changes"])
    return desks.finish(book, "decision", member, [row.pk for row in rows], aftermath)


def _decided(row: ProposedChange) -> review.Decided:
    """The change's fate as stored."""
    decision = row.decision or {}
    evidence = decision.get("evidence")
    return review.Decided(
        str(row.pk),
        desks.change_of(row),
        Status(row.status),
        row.version,
        decision.get("value"),
        None if evidence is None else tuple(Citation.from_json(item) for item in evidence),
        row.decided_by.name if row.decided_by else "",
        row.decided_at,
        decision.get("override", False),
    )


def _write_fates(
    book: ledger.Book,
    member: Membership,
    accept: Sequence[review.Accept],
    rows: Sequence[ProposedChange],
    entries: Json,
) -> None:
    fates = {entry["id"]: entry["decision"] for entry in entries}
    edits = {item.id: item.edit for item in accept if item.edit is not None}
    overridden = {item.id for item in accept if item.override is not None}
    pointed = {item.id: item.starts for item in accept if item.starts is not None}
    for row in rows:
        row.status = Status(fates[str(row.pk)])
        row.decided_by, row.decided_at, row.version = member, book.moment, book.state.version
        row.decision = {"kind": row.status.value}
        if str(row.pk) in overridden:
            row.decision |= {"override": True}
        if str(row.pk) in pointed:
            row.decision |= {"starts": [item.to_json() for item in pointed[str(row.pk)]]}
        edit = edits.get(str(row.pk))
        if edit is not None and row.status is Status.EDITED:
            evidence = None if edit.evidence is None else [item.to_json() for item in edit.evidence]
            row.decision |= {"value": edit.value, "evidence": evidence}
    columns = ["status", "decided_by", "decided_at", "version", "decision"]
    if len(rows) == 1:
        rows[0].save(update_fields=columns)
    else:
        ProposedChange.objects.bulk_update(rows, columns)
