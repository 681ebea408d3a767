"""Writing an imported file, a slice at a time: each slice is a transaction, so a lost worker costs nothing but time.

How far it came stands in the import's row, which is locked for each slice. Two workers on one import take turns.
Old words arrive: they are numbered as they come and keep their own time (P7), wake no closed ticket, and are read by the
model in one run at the end.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from atendimento import access, jobs, ledger
from atendimento.access import Caller
from atendimento.actions import desk as desks
from atendimento.actions import runs
from atendimento.actions.faults import InvalidInput, invalid
from atendimento.actions.imports import locked_import, reading_of, ticket_named
from atendimento.actions.messages import READ_BY_MODEL, waits_since
from atendimento.actions.tickets import CustomerData, create_ticket
from atendimento.ingest.neutral import Conversation, Format, Mark, Person, Reading, Said, Unreadable, digest
from atendimento.models import (
    Customer,
    Import,
    ImportedTicket,
    ImportStatus,
    Message,
    Organization,
    Origin,
    Proposal,
    RunStatus,
    TicketStatus,
)
from atendimento.selectors.model_server import has_model
from memoria.evidence import said_at
from memoria.sources import Author, Kind

SLICE: Final = 200
LEASE: Final = timedelta(seconds=15)
"""After so long without a finished slice the job is posted again, in case its worker died."""

CHANNELS: Final = {Format.WHATSAPP: "whatsapp", Format.EML: "email", Format.MBOX: "email", Format.JSONL: ""}


@dataclass(frozen=True, slots=True)
class _Work:
    """What every slice of one import needs."""

    organization: Organization
    reading: Reading
    roles: Mapping[str, str]
    plan: Mapping[str, Any]
    starts: Sequence[int]  # the running number of each conversation's first message

    @property
    def source(self) -> str:
        return self.reading.format.source

    def at(self, done: int) -> tuple[int, list[Said]]:
        """The conversation in which the next message stands, and the messages to write now."""
        position = next(index for index in range(len(self.starts) - 1, -1, -1) if self.starts[index] <= done)
        offset = done - self.starts[position]
        return position, list(self.reading.conversations[position].messages[offset : offset + SLICE])

    def person(self, key: str) -> Person:
        return next(person for person in self.reading.people if person.key == key)


def write_import(*, organization_id: int, import_id: uuid.UUID) -> None:
    """Write what is left of an import, slice by slice, and settle its job."""
    batch = Import.objects.select_related("organization").filter(pk=import_id).first()
    if batch is None or batch.status not in (ImportStatus.QUEUED, ImportStatus.RUNNING):
        jobs.settle(jobs.WRITE_IMPORT, import_id)
        return
    try:
        work = _work_of(batch)
        with translation.override(batch.organization.language):
            while _write_slice(batch.pk, work):
                pass
    except Unreadable as error:
        _fail(batch, error.code, error.data)
    except access.NotFound:
        _fail(batch, "ticket_gone", {})
    except InvalidInput as error:
        _fail(batch, error.faults[0].code, {})


def _work_of(batch: Import) -> _Work:
    reading = reading_of(batch)
    starts, count = [], 0
    for conversation in reading.conversations:
        starts.append(count)
        count += len(conversation.messages)
    return _Work(batch.organization, reading, batch.plan["roles"], batch.plan, starts)


@transaction.atomic
def _fail(batch: Import, code: str, data: Mapping[str, Any]) -> None:
    row = locked_import(batch.organization, batch.pk)
    jobs.settle(jobs.WRITE_IMPORT, row.pk)
    if row.status in (ImportStatus.QUEUED, ImportStatus.RUNNING):
        row.status, row.problem, row.finished_at = ImportStatus.FAILED, {"code": code, "data": dict(data)}, ledger.now()
        row.save(update_fields=["status", "problem", "finished_at"])


@transaction.atomic
def _write_slice(import_id: uuid.UUID, work: _Work) -> bool:
    """Write the next messages; False where there is nothing left to do."""
    batch = locked_import(work.organization, import_id)
    if batch.status not in (ImportStatus.QUEUED, ImportStatus.RUNNING):
        jobs.settle(jobs.WRITE_IMPORT, batch.pk)
        return False
    moment = ledger.now()
    if batch.done >= batch.total:
        batch.status, batch.finished_at = ImportStatus.DONE, moment
        batch.save(update_fields=["status", "finished_at"])
        jobs.settle(jobs.WRITE_IMPORT, batch.pk)
        return False
    position, messages = work.at(batch.done)
    link = _ticket(batch, work, position)
    book = ledger.open_to_change(work.organization, link.ticket_id or uuid.UUID(int=0))
    if book.ticket.merged_into_id is not None:
        raise invalid("/ticket", "import.merged_ticket", "the ticket was merged into another one")
    added = _store(book, work, link, messages)
    if added:
        link.numbers = [*link.numbers, [added[0].number, added[-1].number]]
        link.added += len(added)
        link.save(update_fields=["numbers", "added"])
    batch.status = ImportStatus.RUNNING
    batch.done += len(messages)
    batch.added += len(added)
    batch.save(update_fields=["status", "done", "added"])
    at_end = batch.done >= work.starts[position] + len(work.reading.conversations[position].messages)
    if at_end and work.plan["read"]:
        _owe_reading(book, batch)
    desks.finish(book, "message", batch.created_by)
    jobs.postpone(jobs.WRITE_IMPORT, batch.pk, moment + LEASE, moment)
    return True


# --- the ticket ---------------------------------------------------------------------------------------------------


def _ticket(batch: Import, work: _Work, position: int) -> ImportedTicket:
    """What this conversation becomes: the ticket that was chosen, the one it is already, or a new one."""
    link = ImportedTicket.objects.filter(batch=batch, position=position).first()
    if link is not None:
        return link
    protocol = work.plan["ticket"]
    if protocol:
        ticket, made = ticket_named(work.organization, protocol), False
        if ticket is None:
            raise access.NotFound("ticket")
    else:
        conversation = work.reading.conversations[position]
        customer = _customer(work, conversation)
        subject = (work.plan["subject"] if len(work.starts) == 1 else "") or conversation.subject
        ticket, made = create_ticket(
            caller=Caller(work.organization, None, work.source),
            ticket_type=work.plan["ticket_type"],
            subject=(subject or _("Conversation with %(name)s") % {"name": customer.name or "?"})[:300],
            customer=customer,
            channel=CHANNELS[work.reading.format],
            external_id=conversation.digest,
        )
    return ImportedTicket.objects.create(
        organization=work.organization,
        batch=batch,
        position=position,
        ticket=ticket,
        protocol=ticket.protocol,
        made=made,
        numbers=[],
    )


def _customer(work: _Work, conversation: Conversation) -> CustomerData:
    """Whom the ticket is for: who wrote most of those who were named as customers.

    An address that exactly one known customer has is that customer; a bare name makes nobody the same person.
    """
    counts: dict[str, int] = {}
    for said in conversation.messages:
        if said.person is not None and work.roles.get(said.person) == Kind.CUSTOMER.value:
            counts[said.person] = counts.get(said.person, 0) + 1
    if not counts:
        return CustomerData(f"{work.source}:{conversation.digest}")
    person = work.person(max(counts, key=lambda key: counts[key]))
    if person.email:
        known = list(Customer.objects.filter(organization=work.organization, email__iexact=person.email)[:2])
        if len(known) == 1:
            return CustomerData(known[0].external_id)
        return CustomerData(_short(f"mail:{person.email}"), person.name, None, person.email[:254])
    if person.phone:
        digits = "".join(char for char in person.phone if char.isdigit())
        return CustomerData(f"phone:{digits}", person.name, person.phone[:50])
    return CustomerData(f"{work.source}:{conversation.digest}", person.name or None)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:150]}:{digest(text)}"


# --- messages -----------------------------------------------------------------------------------------------------


def _store(book: ledger.Book, work: _Work, link: ImportedTicket, messages: Sequence[Said]) -> list[Message]:
    """The messages that the ticket does not have yet, stored; the others change nothing."""
    ids = [said.id for said in messages]
    held = Message.objects.filter(ticket=book.ticket, source=work.source, external_id__in=ids)
    known = set(held.values_list("external_id", flat=True))
    authors = _authors(book, work, {said.person for said in messages}, link.made)
    rows: list[Message] = []
    for said in messages:
        if said.id not in known:
            number = book.ticket.last_message_number + len(rows) + 1
            rows.append(_row(book, work, said, authors[said.person], number))
    if not rows:
        return []
    Message.objects.bulk_create(rows)
    book.ticket.last_message_number = rows[-1].number
    book.ticket.last_message_at = book.moment
    if book.ticket.status in (TicketStatus.OPEN, TicketStatus.SNOOZED):  # old words wake nobody who is done
        book.ticket.waiting_since = waits_since(book.ticket)
    _reconsider(book)
    return rows


def _authors(book: ledger.Book, work: _Work, keys: Iterable[str | None], new_ticket: bool) -> dict[str | None, Author]:
    """Each person as an author. Whoever the ticket knows by kind and name is that author, whatever channel said so."""
    known: dict[tuple[str, str], str | None] = {}
    if not new_ticket:
        named = Message.objects.filter(ticket=book.ticket, author_external_id__isnull=False).exclude(source=work.source)
        columns = named.values_list("author_kind", "author_name", "author_external_id").distinct()
        known = {(kind, name): external_id for kind, name, external_id in columns}
    found: dict[str | None, Author] = {None: Author(Kind.SYSTEM)}
    for key in keys:
        if key is not None:
            person, kind = work.person(key), Kind(work.roles[key])
            own = person.email or person.phone or (None if person.name else person.key)
            external_id = known.get((kind.value, person.name)) if person.name else None
            found[key] = Author(kind, external_id or (_short(own) if own else None), person.name)
    return found


def _row(book: ledger.Book, work: _Work, said: Said, author: Author, number: int) -> Message:
    moment = said_at(said.sent_at, book.moment)
    automatic = said.automatic or author.kind is Kind.SYSTEM
    to_read = work.plan["read"] and not automatic and not said.deleted and author.kind in READ_BY_MODEL
    return Message(
        organization_id=book.ticket.organization_id,
        ticket=book.ticket,
        number=number,
        author_kind=author.kind.value,
        author_name=author.name,
        author_external_id=author.external_id,
        author_key=author.external_id or author.name,
        text=said.text,
        source=work.source,
        external_id=said.id,
        sent_at=said.sent_at,
        received_at=book.moment,
        said_at=moment,
        automatic=automatic,
        unquotable=[list(span) for span in said.unquotable],
        attachments=[{"name": item.name, "type": item.kind} for item in said.attachments],
        notes=sorted(mark.value for mark in said.marks),
        edited_at=moment if Mark.EDITED in said.marks else None,
        deleted_at=moment if said.deleted else None,
        awaits_reading=to_read,
    )


def _reconsider(book: ledger.Book) -> None:
    """Work out again the cautions of what is undecided: a new message may turn the meaning of one before it (E8)."""
    pending = desks.pending_of(book)
    if pending:
        book.transcript = type(book.transcript)(book.ticket.pk, book.ticket.last_message_number)
        desks.load_cited(book, pending)
        desks.refresh(pending, book.state, desks.desk_of(book, None))


def _owe_reading(book: ledger.Book, batch: Import) -> None:
    """One run about all that is unread, unless one waits already that will read it."""
    unread = Message.objects.filter(ticket=book.ticket, awaits_reading=True)
    if not has_model(book.ticket.organization_id) or not unread.exists():
        return
    waiting = Proposal.objects.filter(
        ticket=book.ticket, origin=Origin.MODEL, status=RunStatus.QUEUED, run=None, through_message=0
    )
    if not waiting.exists():
        runs.enqueue(book, batch.created_by, book.moment, 0)
