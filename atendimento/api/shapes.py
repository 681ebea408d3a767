"""Rows and results as the documents that go out. Words are made here; nothing is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from atendimento import wording
from atendimento.actions import Written
from atendimento.ledger import StateRead
from atendimento.models import (
    ErasureRequest,
    LedgerEvent,
    Message,
    Proposal,
    ProposedChange,
    RunStatus,
    Ticket,
    TicketTypeVersion,
    Waits,
)
from memoria import fields
from memoria.groups import unfolded
from memoria.patch import MISSING
from memoria.runs import Problem
from memoria.state import Slot, State, slot_to_json

Document = dict[str, Any]


def moment(at: datetime | None) -> str | None:
    """RFC 3339, in UTC."""
    return None if at is None else at.astimezone(UTC).isoformat()


def reference(number: int) -> str | None:
    return f"m-{number}" if number else None


def ticket(row: Ticket, now: datetime) -> Document:
    return {
        "id": str(row.pk),
        "protocol": row.protocol,
        "external_id": row.external_id,
        "ticket_type": row.ticket_type.slug,
        "subject": row.subject,
        "channel": row.channel,
        "customer": {
            "id": str(row.customer.pk),
            "external_id": row.customer.external_id,
            "name": row.customer.name,
            "phone": row.customer.phone,
            "email": row.customer.email,
        },
        "status": row.status,
        "snoozed_until": moment(row.snoozed_until),
        "merged_into": str(row.merged_into_id) if row.merged_into_id else None,
        "split_from": str(row.split_from_id) if row.split_from_id else None,
        "assignee": str(row.assignee.pk) if row.assignee else None,
        "assignee_name": row.assignee.name if row.assignee else None,
        "team": row.team.name if row.team else "",
        "state_version": row.state_version,
        "last_message": reference(row.last_message_number),
        "through_message": reference(row.through_message),
        "attention": {
            "proposals": row.pending_count,
            "conflict": row.conflict_count,
            "needs_confirmation": row.stale_count,
            "parked": row.parked_count,
            "next_due": moment(row.next_due),
            "overdue": row.next_due is not None and row.next_due < now,
        },
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
    }


def message(row: Message) -> Document:
    return {
        "id": row.ref,
        "ticket": str(row.ticket_id),
        "copied_from": reference(row.copied_from) if row.copied_from else None,
        "external_id": row.external_id,
        "author": {"kind": row.author_kind, "external_id": row.author_external_id, "name": row.author_name},
        "text": row.text,
        "sent_at": moment(row.sent_at),
        "received_at": moment(row.received_at),
        "said_at": moment(row.said_at),
        "internal": row.internal,
        "automatic": row.automatic,
        "attachments": row.attachments,
        "notes": row.notes,
        "edited_at": moment(row.edited_at),
        "deleted_at": moment(row.deleted_at),
    }


def slot(pointer: str, held: Slot, ticket_type: fields.TicketType, values: Mapping[str, Any]) -> Document:
    shown = slot_to_json(held)
    for inner in ("ground", "as_of_number"):
        shown.pop(inner, None)
    return shown | {"label": wording.label(pointer, ticket_type, values)}


def state(held: State, ticket_type: fields.TicketType, through: int, narrative: str | None = None) -> Document:
    ticket_type = unfolded(ticket_type, held)
    shown: Document = {
        "version": held.version,
        "through_message": reference(through),
        "values": held.values,
        "slots": {pointer: slot(pointer, one, ticket_type, held.values) for pointer, one in held.slots.items()},
    }
    return shown if narrative is None else shown | {"narrative": narrative}


def state_read(read: StateRead, narrative: str) -> Document:
    return state(read.state, read.ticket_type, read.through_message, narrative)


def change(row: ProposedChange) -> Document:
    """A proposed change. Quotes that were found are shown with their spans, else as they were handed in."""
    shown: Document = {
        "id": str(row.pk),
        "ticket": str(row.ticket_id),
        "proposal": str(row.proposal_id),
        "op": row.op,
        "path": row.path,
        "evidence": row.evidence or row.citations,
        "inference": row.inference,
        "verdict": row.verdict,
        "reasons": [
            {"code": item["code"], "rule": item["rule"], "detail": wording.stored_sentence(item)} for item in row.reasons
        ],
        "current_value": None if row.current_value is MISSING else row.current_value,
        "cascade": row.cascade,
        "same_as": row.same_as or None,
        "source": row.source or None,
        "cautions": row.cautions,
        "status": row.status,
        "decided_by": {"member": str(row.decided_by.pk), "name": row.decided_by.name} if row.decided_by else None,
        "decided_at": moment(row.decided_at),
        "version": row.version,
    }
    if row.value is not MISSING:
        shown["value"] = row.value
    if row.reason:
        shown["reason"] = row.reason
    return shown


def proposal(row: Proposal, changes: Iterable[ProposedChange]) -> Document:
    shown: Document = {
        "id": str(row.pk),
        "ticket": str(row.ticket_id),
        "origin": row.origin,
        "producer": row.producer,
        "key": row.key,
        "status": row.status,
        "base_version": row.base_version,
        "through_message": reference(row.through_message),
        "created_at": moment(row.created_at),
        "finished_at": moment(row.finished_at),
        "attempts": row.attempts,
        "model": row.model or None,
        "prompt_version": row.prompt_version or None,
        "context_report": row.context_report,
        "usage": row.usage,
        "changes": [change(item) for item in changes],
    }
    if row.status == RunStatus.PARKED:
        shown["problem"] = {"code": row.problem_code, "detail": str(wording.PROBLEMS[row.problem_code])}
    elif row.status == RunStatus.QUEUED and row.waits_for == Waits.BUDGET:
        # It is read by itself tomorrow; until then this is why it is not.
        shown["problem"] = {"code": Problem.BUDGET.value, "detail": str(wording.PROBLEMS[Problem.BUDGET.value])}
    return shown


def written(result: Written, changes: Iterable[ProposedChange], narrative: str, *, batch: bool = False) -> Document:
    """The answer to a write on a ticket's state: the version, the change where there is one, and the state then."""
    shown = [change(row) for row in changes]
    answer: Document = {
        "version": result.version,
        "change": shown[0] if len(shown) == 1 and not batch else None,
        "state": state(result.state, result.ticket_type, result.through_message, narrative),
    }
    return answer | {"changes": shown} if batch else answer


def event(row: LedgerEvent) -> Document:
    content = row.content or {}
    return {
        "ticket": str(row.ticket_id),
        "protocol": row.ticket.protocol,
        "version": row.version,
        "kind": row.kind,
        "actor": row.actor,
        "at": moment(row.at),
        "ticket_type_version": row.ticket_type_version,
        "patch": content.get("patch"),
        "inverse": content.get("inverse"),
        "slots": content.get("slots"),
        "pointers": row.pointers,
        "cause": content.get("cause"),
        "hash": row.hash,
        "previous_hash": row.previous_hash,
    }


def erasure(row: ErasureRequest) -> Document:
    """A request for a customer's erasure, with what was erased where once it is done."""
    decided = row.decided_by
    return {
        "id": str(row.pk),
        "customer": str(row.customer_id),
        "status": row.status,
        "requested_by": {"member": str(row.requested_by_id), "name": row.requested_by.name},
        "requested_at": moment(row.requested_at),
        "decided_by": None if decided is None else {"member": str(decided.pk), "name": decided.name},
        "decided_at": None if row.decided_at is None else moment(row.decided_at),
        "refusal": row.refusal,
        "tickets": {"done": row.done, "total": row.total},
        "report": row.report,
        "finished_at": None if row.finished_at is None else moment(row.finished_at),
    }


def ticket_type(version: TicketTypeVersion, slug: str, misfits: int | None = None) -> Document:
    """A published ticket type; `misfits` where it has just been published."""
    shown: Document = {
        "slug": slug,
        "name": version.document["name"],
        "version": version.number,
        "published_at": moment(version.published_at),
        "definition": version.document,
    }
    return shown if misfits is None else shown | {"misfits": misfits}
