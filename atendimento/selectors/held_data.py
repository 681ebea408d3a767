"""All that is held about a customer, as one JSON document (L2), for the person whose data they are.

What other people said is there as far as it is said about the customer: their names and numbers are masked, wherever their
words are quoted too, and staff are named by their role. What is the customer's own is as it is, sensitive fields included.
What the model answered is there as what it proposed; its raw answers quote others unmasked, and are left out.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from atendimento import access, timeline
from atendimento.access import Permission
from atendimento.models import (
    Correction,
    Import,
    ImportedTicket,
    LedgerEvent,
    Membership,
    Message,
    MessageRevision,
    Proposal,
    ProposedChange,
    Ticket,
)
from memoria.patch import MISSING, Json
from memoria.redaction import Redactor
from memoria.sources import Kind
from memoria.state import slot_to_json

FORMAT = "lastro.customer-export/1"
OTHERS = frozenset({Kind.THIRD_PARTY.value})
MASKED = "[…]"
KNOWN = ("patch", "cause")
"""What is told of an event."""
_MASK = Redactor((), lambda kind: f"[{kind}]")


def held_data(member: Membership, customer_id: str | uuid.UUID, moment: datetime) -> dict[str, Json]:
    """The document. Raises NotFound, and DomainError `permission.denied`."""
    access.require(member, Permission.REQUEST_ERASURE)
    customer = access.customer(member.organization, customer_id)
    tickets = list(Ticket.objects.select_related("ticket_type").filter(customer=customer).order_by("created_at", "pk"))
    return {
        "format": FORMAT,
        "organization": member.organization.name,
        "made_at": moment.isoformat(),
        "customer": {
            "id": str(customer.pk),
            "external_id": customer.external_id,
            "name": customer.name,
            "phone": customer.phone,
            "email": customer.email,
            "since": customer.created_at.isoformat(),
            "erased_at": _time(customer.erased_at),
        },
        "tickets": [_ticket(ticket) for ticket in tickets],
        "imports": list(_imports(tickets)),
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None


def _ticket(ticket: Ticket) -> dict[str, Json]:
    state = timeline.current(ticket.pk)
    foreign = Message.objects.filter(ticket=ticket, author_kind__in=OTHERS)
    others = frozenset(message.ref for message in foreign.only("number"))
    return {
        "protocol": ticket.protocol,
        "external_id": ticket.external_id,
        "subject": ticket.subject,
        "type": ticket.ticket_type.name,
        "channel": ticket.channel,
        "status": ticket.status,
        "created_at": ticket.created_at.isoformat(),
        "closed_at": _time(ticket.closed_at),
        "erased_at": _time(ticket.erased_at),
        "messages": list(_messages(ticket)),
        "state": {
            "version": state.version,
            "values": state.values,
            "slots": {pointer: _without_others(slot_to_json(slot), others) for pointer, slot in state.slots.items()},
        },
        "history": list(_history(ticket, others)),
        "proposed": list(_proposed(ticket, others)),
        "corrections": list(_corrections(ticket)),
        "model": list(_runs(ticket)),
    }


def _messages(ticket: Ticket) -> Iterator[dict[str, Json]]:
    rows: QuerySet[Message] = Message.objects.filter(ticket=ticket).order_by("number")
    revisions: dict[int, list[str]] = {}
    for key, text in (
        MessageRevision.objects.filter(message__ticket=ticket).order_by("number").values_list("message_id", "text")
    ):
        revisions.setdefault(key, []).append(text)
    for row in rows.iterator(chunk_size=500):
        foreign = row.author_kind in OTHERS
        yield {
            "id": row.ref,
            "by": row.author_kind,
            "name": row.author_name if row.author_kind == Kind.CUSTOMER.value else MASKED if foreign else "",
            "text": _MASK.text(row.text) if foreign else row.text,
            "earlier_texts": [_MASK.text(text) if foreign else text for text in revisions.get(row.pk, [])],
            "attachments": [] if foreign else row.attachments,
            "sent_at": _time(row.sent_at),
            "received_at": row.received_at.isoformat(),
            "internal": row.internal,
            "deleted_at": _time(row.deleted_at),
            "erased_at": _time(row.erased_at),
        }


def _without_others(document: Json, others: frozenset[str]) -> Json:
    """The document without who of the staff, or of others, wrote or decided, and quotes from `others` as their messages."""
    if isinstance(document, list):
        return [_without_others(item, others) for item in document]
    if not isinstance(document, dict):
        return document
    if document.keys() >= {"kind", "external_id", "name"} and document["kind"] != Kind.CUSTOMER.value:
        return {"kind": document["kind"]}
    cleaned = {key: _without_others(value, others) for key, value in document.items()}
    if cleaned.get("message") in others and isinstance(cleaned.get("quote"), str):
        cleaned["quote"] = _MASK.text(cleaned["quote"])
    return cleaned


def _history(ticket: Ticket, others: frozenset[str]) -> Iterator[dict[str, Json]]:
    rows: QuerySet[LedgerEvent] = LedgerEvent.objects.filter(ticket=ticket).order_by("version")
    for row in rows.iterator(chunk_size=200):
        yield {
            "version": row.version,
            "kind": row.kind,
            "at": row.at.isoformat(),
            "by": "staff" if row.member_id is not None else "system",
            "erased": row.content is None,
            "changes": None if row.content is None else _without_others({key: row.content[key] for key in KNOWN}, others),
        }


def _proposed(ticket: Ticket, others: frozenset[str]) -> Iterator[dict[str, Json]]:
    rows: QuerySet[ProposedChange] = ProposedChange.objects.filter(ticket=ticket).order_by("pk")
    for row in rows.iterator(chunk_size=500):
        yield {
            "pointer": row.path,
            "value": None if row.value is MISSING else row.value,
            "quotes": _without_others(row.citations, others),
            "reason": row.reason,
            "status": row.status,
            "decided_at": _time(row.decided_at),
        }


def _corrections(ticket: Ticket) -> Iterator[dict[str, Json]]:
    for row in Correction.objects.filter(ticket=ticket).order_by("pk"):
        yield {
            "version": row.version,
            "pointer": row.pointer,
            "from": None if row.old is MISSING else row.old,
            "to": None if row.new is MISSING else row.new,
            "reason": row.reason or row.override,
        }


def _runs(ticket: Ticket) -> Iterator[dict[str, Json]]:
    """That a model was asked, and which. What about is the messages and the state above, what it answered is `proposed`."""
    rows = Proposal.objects.filter(ticket=ticket, raw_answer__isnull=False).order_by("created_at", "pk")
    for at, model in rows.values_list("created_at", "model"):
        yield {"at": at.isoformat(), "model": model}


def _imports(tickets: list[Ticket]) -> Iterator[dict[str, Json]]:
    """The files that conversations came in: named, not enclosed, for they may hold other people's as well."""
    brought = ImportedTicket.objects.filter(ticket__in=tickets).values("batch")
    for row in Import.objects.filter(pk__in=brought).order_by("created_at"):
        yield {"file": row.file_name, "format": row.format, "at": row.created_at.isoformat()}
