"""Moving proposed changes to the group that they are about (G7): what was proposed of one appliance is taken for another."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions import decisions, proposals, slots
from atendimento.actions import desk as desks
from atendimento.actions.desk import Written
from atendimento.actions.faults import invalid
from atendimento.actions.quoted import PRODUCER
from atendimento.models import Membership, Proposal, ProposedChange
from memoria import groups
from memoria.decisions import as_decided
from memoria.errors import Code, DomainError, Reason
from memoria.events import EventKind, canonical
from memoria.patch import MISSING, Json, same_json
from memoria.proposals import Change, Status, Verdict
from memoria.review import Accept, Edit, judge
from memoria.rows import ROOT, group_of

NEW = "-"
"""Stands for a group that begins with what is moved to it (G2)."""
FRESH = "new-1"
"""The same, within one proposal."""


@transaction.atomic
def move_changes(
    *,
    member: Membership,
    ticket_id: str | uuid.UUID,
    change_ids: Sequence[str | uuid.UUID],
    group: str,
    expected_version: int,
    reason: str,
    edits: Mapping[uuid.UUID, Edit] = MappingProxyType({}),
) -> Written:
    """Reject these changes where they stand and take them, with their evidence, for `group` (`NEW`: one that begins).

    It is one version: each change is said to be rejected with `reason`, and what was taken is the member's proposal.
    What would be refused there is refused here, and nothing changes. What a person has not seen on its card, a divergence,
    something that would fall, another caution, is not taken: it stays, as it was proposed, as a card of that group. `edits`
    by the change's id: the slot says who made them (E9); one without evidence is the member's own statement, in a version of
    its own. Where nothing undecided is left of a group that has not begun, what is proposed to apply to it goes along, as a
    card that says the other group (G5). The same again answers the same (V4).
    Raises InvalidInput, NotFound, DomainError.
    """
    access.require(member, Permission.DECIDE)
    book = ledger.open_to_change(member, ticket_id)
    rows = _rows(book, change_ids)
    if group != NEW and group not in _known(book):
        raise invalid("/group", "group.unknown", "no group of this ticket")
    stated = [row for row in rows if (edit := edits.get(row.pk)) is not None and edit.evidence == ()]
    if stated:
        return _state(member, book, rows, stated, group, expected_version, reason, edits)
    along = _along(book, rows)
    changes = [replace(desks.change_of(row), path=_path(row, group), reason=None) for row in rows]
    waiting = all(row.status == Status.PENDING for row in rows)
    proposal, is_new = proposals.store_proposal(
        member=member,
        ticket_id=ticket_id,
        base_version=expected_version,
        producer=PRODUCER,
        changes=[*changes, *_applied(along, rows, group)],
        key=_key_of(book, _key(rows, group, edits), again=waiting),
        moved=True,
    )
    every = list(ProposedChange.objects.filter(proposal=proposal).order_by("position"))
    made, applied = every[: len(rows)], every[len(rows) :]
    edited = {str(new.pk): edit for new, old in zip(made, rows, strict=True) if (edit := edits.get(old.pk)) is not None}
    if waiting:
        taken = _to_take(book, member, made, rows, edited)
    elif is_new:  # decided in another way meanwhile: this says how (V4)
        taken = [row for row in rows if row.status == Status.REJECTED]
        rows = [row for row in rows if row.status != Status.REJECTED]
    else:
        taken = [row for row in made if row.status in (Status.ACCEPTED, Status.EDITED)]
    return decisions.decide_changes(
        member=member,
        ticket_id=ticket_id,
        expected_version=expected_version,
        accept=[str(new.pk) for new in taken],
        reject=[str(row.pk) for row in (*rows, *_replaced(along, applied))],
        reason=reason,
        edits=edited,
    )


def _rows(book: ledger.Book, ids: Sequence[str | uuid.UUID]) -> list[ProposedChange]:
    """The changes in the order named, each of a group and once a field. Raises NotFound, InvalidInput."""
    try:
        keys = list(dict.fromkeys(uuid.UUID(str(one)) for one in ids))
        found = {row.pk: row for row in ProposedChange.objects.filter(ticket=book.ticket, pk__in=keys)}
        rows = [found[key] for key in keys]
    except (KeyError, ValueError):
        raise NotFound("change") from None
    if not rows:
        raise invalid("", "decision.empty", "names no change")
    if any(group_of(row.path) is None or row.op == "remove" for row in rows):
        raise invalid("/changes", "change.of_no_group", "must be values of groups")
    if len({_name(row) for row in rows}) != len(rows):
        raise invalid("/changes", "decision.repeated", "names a field twice")
    return rows


def _known(book: ledger.Book) -> set[str]:
    """The groups of the ticket, and those that something undecided would begin."""
    proposed = [(row.path, row.value) for row in desks.pending_of(book)]
    return {*groups.ids(book.state), *groups.proposed_groups(proposed, book.state)}


def _name(row: ProposedChange) -> str:
    return row.path.rsplit("/", 1)[1]


def _path(row: ProposedChange, group: str) -> str:
    return f"{ROOT}/{FRESH if group == NEW else group}/{_name(row)}"


def _along(book: ledger.Book, rows: Sequence[ProposedChange]) -> list[ProposedChange]:
    """What is proposed to apply to groups of which nothing is left once `rows` are rejected: it would bear on nothing."""
    moved, pending = {row.pk for row in rows}, desks.pending_of(book)
    left = {group_of(row.path) for row in pending if row.pk not in moved}
    emptied = {group_of(row.path) for row in rows} - left - set(groups.ids(book.state))
    return [row for row in pending if groups.groups_named(desks.change_of(row)) & emptied]


def _applied(along: Sequence[ProposedChange], rows: Sequence[ProposedChange], group: str) -> list[Change]:
    """The same, applying to the group that `rows` go to."""
    called = {str(group_of(row.path)): FRESH if group == NEW else group for row in rows}
    return [groups.renamed(replace(desks.change_of(row), reason=None), called) for row in along]


def _replaced(along: Sequence[ProposedChange], applied: Sequence[ProposedChange]) -> list[ProposedChange]:
    """Those of `along` in whose place a card of `applied` waits now."""
    waiting = [(row.path, _words(row)) for row in applied if row.status == Status.PENDING]
    return [row for row in along if (row.path, _words(row)) in waiting]


def _words(row: ProposedChange) -> Json:
    return {key: item for key, item in row.value.items() if key != "applies_to"}


def _key(rows: Sequence[ProposedChange], group: str, edits: Mapping[uuid.UUID, Edit]) -> str:
    """The same for the same move, so that a second press on the button finds the first one's proposal."""
    said: list[Json] = [[str(row.pk), group, *_said(edits.get(row.pk))] for row in rows]
    return "move:" + hashlib.sha256(canonical(said)).hexdigest()


def _said(edit: Edit | None) -> list[Json]:
    if edit is None:
        return []
    return [edit.value, None if edit.evidence is None else [item.to_json() for item in edit.evidence]]


def _key_of(book: ledger.Book, key: str, *, again: bool) -> str:
    """The key of the last proposal of this move; another where that one was decided on and the changes wait `again`."""
    known = Proposal.objects.filter(ticket=book.ticket, producer=PRODUCER, key__startswith=key).count()
    last = key if known < 2 else f"{key}.{known}"
    made = ProposedChange.objects.filter(ticket=book.ticket, proposal__producer=PRODUCER, proposal__key=last)
    decided = again and made.filter(path__startswith=f"{ROOT}/").exclude(status=Status.PENDING).exists()
    return f"{key}.{known + 1}" if decided else last


def _to_take(
    book: ledger.Book,
    member: Membership,
    made: Sequence[ProposedChange],
    rows: Sequence[ProposedChange],
    edits: Mapping[str, Edit],
) -> list[ProposedChange]:
    """Those of `made` that say nothing new to whoever read `rows`. Raises DomainError for the first that is refused."""
    for row in made:
        if row.status == Status.REFUSED:
            first = row.reasons[0]
            raise DomainError.of(Reason(Code(first["code"]), first["rule"], first["data"]))
    return [new for new, old in zip(made, rows, strict=True) if _was_seen(_judged(book, member, new, edits), old)]


def _judged(book: ledger.Book, member: Membership, new: ProposedChange, edits: Mapping[str, Edit]) -> ProposedChange:
    """The change as it would be taken: with an edit, as that is judged. Raises DomainError where that is refused."""
    edit = edits.get(str(new.pk))
    change, edited, _stated = as_decided(Accept(str(new.pk), desks.change_of(new), edit=edit))
    if not edited:
        return new
    desks.load_cited(book, [new], change.evidence)
    judgement = judge(book.state, change, desks.desk_of(book, member))
    if judgement.refused:
        raise DomainError.of(judgement.reasons[0])
    taken = ProposedChange(pk=new.pk)
    desks.write_judgement(taken, judgement)
    return taken


def _was_seen(new: ProposedChange, old: ProposedChange) -> bool:
    """Whether taking the change says nothing that its first card did not."""
    plain = new.verdict in (Verdict.ALLOWED, Verdict.NO_CHANGE) and not new.cascade
    return plain and all(caution in old.cautions for caution in new.cautions)


def _state(
    member: Membership,
    book: ledger.Book,
    rows: Sequence[ProposedChange],
    stated: Sequence[ProposedChange],
    group: str,
    expected_version: int,
    reason: str,
    edits: Mapping[uuid.UUID, Edit],
) -> Written:
    """The member's own word in the place of a proposed one (E9): a rejection, then a statement."""
    if len(rows) != 1:
        raise invalid("/changes", "decision.repeated", "one statement at a time")
    (row,) = stated
    edit = edits[row.pk]
    before = _stated_before(book, member, row, group, edit)
    if before is not None:
        return desks.as_of(book, before, [row.pk])
    if row.status != Status.PENDING:  # another decision was made: this says which (V4)
        return decisions.edit_change(
            member=member, change_id=row.pk, expected_version=expected_version, value=edit.value, evidence=()
        )
    if group == NEW:  # the statement's group has to have its id before there is one, for what goes along
        group = f"i-{desks.desk_of(book, member).last_group + 1}"
    along, applied = _along(book, rows), list[ProposedChange]()
    if along:
        proposal, _new = proposals.store_proposal(
            member=member,
            ticket_id=book.ticket.pk,
            base_version=expected_version,
            producer=PRODUCER,
            changes=_applied(along, rows, group),
            moved=True,
        )
        applied = list(ProposedChange.objects.filter(proposal=proposal))
    left = decisions.decide_changes(
        member=member,
        ticket_id=book.ticket.pk,
        expected_version=expected_version,
        reject=[str(one.pk) for one in (row, *_replaced(along, applied))],
        reason=reason,
    )
    return slots.set_slot(
        member=member,
        ticket_id=book.ticket.pk,
        path=_path(row, group),
        value=edit.value,
        expected_version=left.version,
        reason=edit.reason,
    )


def _stated_before(book: ledger.Book, member: Membership, row: ProposedChange, group: str, edit: Edit) -> int | None:
    """The version of this very statement, where the member made it already: the one after the rejection (V4)."""
    if row.status != Status.REJECTED or row.decided_by_id != member.pk or row.version is None:
        return None
    for event in ledger.events_between(book.ticket.pk, row.version, row.version + 1):
        path = str(event.cause.get("path", ""))
        there = group_of(path) is not None and path.endswith(f"/{_name(row)}") if group == NEW else path == _path(row, group)
        mine = event.kind is EventKind.STATEMENT and event.actor.member == str(member.pk)
        if mine and there and same_json(event.cause.get("value", MISSING), edit.value):
            return event.version
    return None
