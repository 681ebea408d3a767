"""Taking an import back, as long as no decision rests on its messages.

A ticket that the import made, in which nothing else was said and nothing decided, goes with all that it held. Elsewhere
the messages stay as deleted ones, without their words, so that no number is given twice. The ledger is never touched.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError, Q, RestrictedError

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions import desk as desks
from atendimento.actions.imports import locked_import
from atendimento.actions.messages import waits_since
from atendimento.models import (
    Customer,
    Draft,
    Import,
    ImportedTicket,
    ImportFile,
    ImportStatus,
    LedgerEvent,
    Membership,
    Message,
    MessageRevision,
    OutboxEntry,
    Proposal,
    ProposedChange,
    RunStatus,
    TicketState,
    TicketVisit,
)
from memoria.evidence import message_number
from memoria.proposals import Status

DECIDED = (Status.ACCEPTED, Status.EDITED, Status.REJECTED)


class CannotUndo(Exception):
    """The import stays. `code` says why: `import.in_use` (with `protocol` and `messages`), `import.being_read`
    (with `protocol`), `import.not_finished`."""

    def __init__(self, code: str, **data: Any) -> None:
        self.code, self.data = code, data
        super().__init__(code)


@transaction.atomic
def undo_import(*, member: Membership, import_id: str | uuid.UUID) -> Import:
    """Take the import back; again changes nothing. Raises CannotUndo, NotFound, DomainError `permission.denied`."""
    access.require(member, Permission.IMPORT)
    batch = locked_import(member.organization, import_id)
    if batch.status == ImportStatus.UNDONE:
        return batch
    if batch.status not in (ImportStatus.DONE, ImportStatus.FAILED):
        raise CannotUndo("import.not_finished")
    # In one order, as everybody who locks several tickets does.
    links = list(ImportedTicket.objects.filter(batch=batch, ticket__isnull=False).order_by("ticket_id"))
    books = [ledger.open_to_change(batch.organization, link.ticket_id or uuid.UUID(int=0)) for link in links]
    for link, book in zip(links, books, strict=True):
        _refuse_if_in_use(link, book)
    for link, book in zip(links, books, strict=True):
        if not (link.made and _takes_away(batch, link, book)):
            _bury(link, book)
            desks.finish(book, "message", member)
    ImportFile.objects.filter(batch=batch).delete()
    batch.status, batch.undone_by, batch.undone_at = ImportStatus.UNDONE, member, ledger.now()
    batch.save(update_fields=["status", "undone_by", "undone_at"])
    return batch


def _own(link: ImportedTicket) -> Q:
    """The messages that the import added."""
    found = Q(pk__in=[])
    for first, last in link.numbers:
        found |= Q(number__gte=first, number__lte=last)
    return found


def _has(link: ImportedTicket, reference: object) -> bool:
    number = message_number(reference) if isinstance(reference, str) else None
    return number is not None and any(first <= number <= last for first, last in link.numbers)


def _refuse_if_in_use(link: ImportedTicket, book: ledger.Book) -> None:
    if Proposal.objects.filter(ticket=book.ticket, status=RunStatus.RUNNING).exists():
        raise CannotUndo("import.being_read", protocol=link.protocol)
    cited = set()
    for row in ProposedChange.objects.filter(ticket=book.ticket, status__in=DECIDED):
        cited |= {item["message"] for item in row.citations if _has(link, item["message"])}
    for content in LedgerEvent.objects.filter(ticket=book.ticket, content__isnull=False).values_list("content", flat=True):
        cited |= {reference for reference in _cited(content) if _has(link, reference)}
    elsewhere = Message.objects.filter(ticket__split_from=book.ticket, copied_from__isnull=False)
    copied = set(elsewhere.values_list("copied_from", flat=True))
    cited |= {f"m-{number}" for number in copied if number is not None and _has(link, f"m-{number}")}
    if cited:
        raise CannotUndo("import.in_use", protocol=link.protocol, messages=sorted(cited, key=lambda item: int(item[2:])))


def _cited(document: Any) -> Iterator[str]:
    """Every message that an event names, wherever it does."""
    if isinstance(document, dict):
        if isinstance(document.get("message"), str):
            yield document["message"]
        for value in document.values():
            yield from _cited(value)
    elif isinstance(document, list):
        for value in document:
            yield from _cited(value)


def _takes_away(batch: Import, link: ImportedTicket, book: ledger.Book) -> bool:
    """Remove the ticket with all that is in it; False where something else is, or refers to it."""
    ticket = book.ticket
    others = Message.objects.filter(ticket=ticket).exclude(_own(link)).exists()
    if others or book.state.version or LedgerEvent.objects.filter(ticket=ticket).exists():
        return False
    if ImportedTicket.objects.filter(ticket=ticket).exclude(pk=link.pk).exists():
        return False
    customer = ticket.customer_id
    try:
        with transaction.atomic():
            proposals = Proposal.objects.filter(ticket=ticket)
            OutboxEntry.objects.filter(job=jobs.PROPOSE, subject__in=list(proposals.values_list("pk", flat=True))).delete()
            ProposedChange.objects.filter(ticket=ticket).delete()
            proposals.delete()
            MessageRevision.objects.filter(message__ticket=ticket).delete()
            Message.objects.filter(ticket=ticket).delete()
            for table in (Draft, TicketVisit, TicketState):
                table.objects.filter(ticket=ticket).delete()
            ticket.delete()
            link.ticket = None
    except (ProtectedError, RestrictedError):
        return False
    # Nobody knew this customer before.
    with suppress(ProtectedError, RestrictedError):
        Customer.objects.filter(pk=customer, tickets=None, created_at__gte=batch.created_at).delete()
    return True


def _bury(link: ImportedTicket, book: ledger.Book) -> None:
    """The messages lose their words and count as deleted; what was proposed on them and not decided is superseded."""
    rows = Message.objects.filter(_own(link), ticket=book.ticket)
    MessageRevision.objects.filter(message__in=rows).delete()
    rows.update(
        text="", attachments=[], unquotable=[], external_id=None, awaits_reading=False, deleted_at=book.moment, edited_at=None
    )
    if book.ticket.waiting_since is not None:
        book.ticket.waiting_since = waits_since(book.ticket)
    moot = [row.pk for row in desks.pending_of(book) if any(_has(link, item["message"]) for item in row.citations)]
    ProposedChange.objects.filter(pk__in=moot).update(status=Status.SUPERSEDED)
