"""Messages as they arrive, are edited and are deleted; replies that staff write."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from atendimento import access, ledger
from atendimento.access import Caller, Permission
from atendimento.actions import answers, runs, waking
from atendimento.actions import desk as desks
from atendimento.actions.faults import invalid
from atendimento.models import Membership, Message, MessageRevision, Ticket, TicketStatus
from memoria import review
from memoria.errors import Code, DomainError
from memoria.evidence import said_at
from memoria.patch import Json
from memoria.reading import Event
from memoria.sources import Author, Kind

MAX_TEXT = 100_000  # code points
NUL_REMOVED = "nul_removed"
READ_BY_MODEL = frozenset(set(Kind) - {Kind.SYSTEM})
WAKES = frozenset({Kind.CUSTOMER, Kind.THIRD_PARTY})


@dataclass(frozen=True, slots=True)
class Received:
    message: Message  # in the ticket that the one named goes on in, where that was merged
    created: bool  # False: known before, edited or not


class _GoesOn(Exception):
    """The ticket was merged (S2): the message belongs to the one that it points at."""

    def __init__(self, protocol: str, into: uuid.UUID) -> None:
        self.protocol, self.into = protocol, into
        super().__init__(protocol)


def receive_message(
    *,
    caller: Caller,
    ticket_id: str | uuid.UUID,
    author: Author,
    text: str,
    external_id: str | None = None,
    sent_at: datetime | None = None,
    attachments: Sequence[Json] = (),
    internal: bool = False,
    automatic: bool = False,
    unquotable: Sequence[tuple[int, int]] = (),
) -> Received:
    """Take a message in: numbered by arrival, kept for good, and owed a proposal run in the same transaction.

    An external id that this source gave before names the message of then: the same text changes nothing, a text that
    it once had is a late repetition and changes nothing (E7), another one is a revision. A member writes as
    themselves, of the kind `agent`, whatever `author` says; DomainError `permission.denied` for another kind.

    What is new for a merged ticket lands in the one that it points at, and is known there by the ticket that it was
    brought for: two conversations may count their messages alike (S2). Each step on is a transaction of its own, so that
    nobody holds one ticket while waiting for the next. A member is sent there: DomainError `ticket.merged`.
    """
    given = (author, text, external_id, sent_at, attachments, internal, automatic, unquotable)
    source = caller.source
    while True:
        try:
            with transaction.atomic():
                return _receive(caller, ticket_id, source, *given)
        except _GoesOn as further:
            if source == caller.source:
                source = f"{caller.source}>{further.protocol}"
            ticket_id = further.into


def _receive(
    caller: Caller,
    ticket_id: str | uuid.UUID,
    source: str,
    author: Author,
    text: str,
    external_id: str | None,
    sent_at: datetime | None,
    attachments: Sequence[Json],
    internal: bool,
    automatic: bool,
    unquotable: Sequence[tuple[int, int]],
) -> Received:
    author = _author(caller, author)
    if internal and author.kind is not Kind.AGENT:
        raise invalid("/internal", "message.internal_not_agent", "an internal note is written by the kind agent")
    kept = text.replace("\0", "")
    if len(kept) > MAX_TEXT:
        raise invalid("/text", "message.too_long", f"more than {MAX_TEXT} characters")
    notes = [NUL_REMOVED] if kept != text else []
    if external_id is not None:  # it may be an edit
        _lock_targets(ticket_id)
    book = ledger.open_to_change(caller, ticket_id)
    known = None
    if external_id is not None:
        known = Message.objects.filter(ticket=book.ticket, source=source, external_id=external_id).first()
    if known is not None:
        if _is_news(known, kept):
            _revise(book, known, kept, notes, unquotable)
        return Received(known, created=False)
    if book.ticket.merged_into_id is not None:
        if caller.member is not None:
            ledger.refuse_merged(book.ticket)
        raise _GoesOn(book.ticket.protocol, book.ticket.merged_into_id)
    named = source if external_id is not None else ""
    row = _store(book, caller, author, kept, named, external_id, sent_at, attachments, internal, automatic, unquotable, notes)
    _reconsider(book, row)
    if not automatic and author.kind in READ_BY_MODEL:
        runs.owe(book, row)
    book.ticket.last_message_number = row.number
    book.ticket.last_message_at = book.moment
    asleep = book.ticket.status in (TicketStatus.CLOSED, TicketStatus.SNOOZED)
    if asleep and not automatic and author.kind in WAKES:
        if book.ticket.status == TicketStatus.SNOOZED:
            book.ticket.woken_at = book.moment
        book.ticket.status, book.ticket.snoozed_until = TicketStatus.OPEN, None
        waking.plan(book.ticket)
        runs.happened(book, Event.REOPENED)
    _wait(book, row)
    if not automatic and not internal and author.kind in WAKES:
        answers.read(book, row)
    desks.finish(book, "message", caller.member)
    return Received(row, created=True)


def _wait(book: ledger.Book, row: Message) -> None:
    """Somebody waits from the first message of theirs on that no reply has followed; a note or a machine's mail is none."""
    if row.automatic or row.internal:
        return
    if row.author_kind in WAKES:
        book.ticket.waiting_since = book.ticket.waiting_since or row.said_at
    elif row.author_kind == Kind.AGENT:
        book.ticket.waiting_since = None


@transaction.atomic
def write_reply(
    *, member: Membership, ticket_id: str | uuid.UUID, text: str, internal: bool = False, key: uuid.UUID | None = None
) -> Received:
    """A reply or an internal note written in the console. Nothing is sent to the channel.

    `key` names the form that it was written in: the same one again is the same reply, and writes nothing.
    """
    author = Author(Kind.AGENT, str(member.pk), member.name)
    caller = access.caller_of(member)
    if key is not None:
        ticket = ledger.open_to_change(member, ticket_id).ticket  # the second press waits for the first
        known = Message.objects.filter(ticket=ticket, send_key=key, member=member).first()
        if known is not None:
            return Received(known, created=False)
    written = receive_message(caller=caller, ticket_id=ticket_id, author=author, text=text, internal=internal)
    if key is not None:
        written.message.send_key = key
        written.message.save(update_fields=["send_key"])
    return written


@transaction.atomic
def delete_message(*, caller: Caller, ticket_id: str | uuid.UUID, message: str) -> None:
    """The channel deleted a message (`m-3`): it is kept, and is evidence no more (E7). Again changes nothing."""
    caller.require(Permission.DELIVER_MESSAGES)
    _lock_targets(ticket_id)
    book = ledger.open_to_change(caller, ticket_id)
    row = access.message(book.ticket, message)
    if row.deleted_at is None:
        _delete(book, row, caller)


def _delete(book: ledger.Book, row: Message, caller: Caller) -> None:
    row.deleted_at = book.moment
    row.awaits_reading = False
    row.save(update_fields=["deleted_at", "awaits_reading"])
    touched = _doubt(book, row, "deleted")
    if book.ticket.waiting_since is not None and row.author_kind in WAKES:
        book.ticket.waiting_since = waits_since(book.ticket)
    desks.finish(book, "message", caller.member)
    _doubt_there(book, row, "deleted", touched)
    for other, copy in _copies(book, row):
        if copy.deleted_at is None:
            _delete(other, copy, caller)


def waits_since(ticket: Ticket) -> datetime | None:
    """Since when somebody waits, by the messages that are there: from the first one on that no reply has followed."""
    said = Message.objects.filter(ticket=ticket, automatic=False, internal=False, deleted_at=None).order_by("number")
    replied = said.filter(author_kind=Kind.AGENT).values_list("number", flat=True).last() or 0
    return said.filter(author_kind__in=WAKES, number__gt=replied).values_list("said_at", flat=True).first()


def _copies(book: ledger.Book, row: Message) -> Iterator[tuple[ledger.Book, Message]]:
    """The message's copies in the tickets that were split off, each under its own ticket's lock.

    The ids of later tickets are greater, so tickets are locked in one order here too.
    """
    copied = Message.objects.filter(ticket__split_from=book.ticket, copied_from=row.number).order_by("ticket_id")
    for key, ticket_id in list(copied.values_list("pk", "ticket_id")):
        other = ledger.open_to_change(book.organization, ticket_id)
        yield other, Message.objects.get(pk=key)


def _author(caller: Caller, author: Author) -> Author:
    if caller.member is None:
        caller.require(Permission.DELIVER_MESSAGES)
        return author
    caller.require(Permission.WRITE_REPLIES)
    if author.kind is not Kind.AGENT:
        raise DomainError(Code.PERMISSION_DENIED, "§3", kind=author.kind.value)
    return Author(Kind.AGENT, str(caller.member.pk), caller.member.name)


def _store(
    book: ledger.Book,
    caller: Caller,
    author: Author,
    text: str,
    source: str,
    external_id: str | None,
    sent_at: datetime | None,
    attachments: Sequence[Json],
    internal: bool,
    automatic: bool,
    unquotable: Sequence[tuple[int, int]],
    notes: list[str],
) -> Message:
    return Message.objects.create(
        organization_id=book.ticket.organization_id,
        ticket=book.ticket,
        number=book.ticket.last_message_number + 1,
        author_kind=author.kind.value,
        author_name=author.name,
        author_external_id=author.external_id,
        author_key=author.external_id or author.name,
        member=caller.member,
        text=text,
        source=source,
        external_id=external_id,
        sent_at=sent_at,
        received_at=book.moment,
        said_at=said_at(sent_at, book.moment),
        internal=internal,
        automatic=automatic,
        unquotable=[list(span) for span in unquotable],
        attachments=list(attachments),
        notes=notes,
        awaits_reading=not automatic and author.kind in READ_BY_MODEL,
    )


def _is_news(row: Message, text: str) -> bool:
    """Whether a repeated delivery brings a text that the message never had. An erased one stays erased (L)."""
    if row.deleted_at is not None or row.erased_at is not None or row.text == text:
        return False
    return not MessageRevision.objects.filter(message=row, text=text).exists()


def _revise(book: ledger.Book, row: Message, text: str, notes: Sequence[str], unquotable: Sequence[tuple[int, int]]) -> None:
    number = MessageRevision.objects.filter(message=row).count() + 1
    MessageRevision.objects.create(
        organization_id=row.organization_id,
        message=row,
        number=number,
        text=row.text,
        received_at=row.edited_at or row.received_at,
    )
    row.text, row.edited_at = text, book.moment
    row.notes = sorted({*row.notes, *notes})
    row.unquotable = [list(span) for span in unquotable]
    merged = book.ticket.merged_into_id is not None  # nobody decides there what would be read (S2)
    row.awaits_reading = not (row.automatic or merged) and Kind(row.author_kind) in READ_BY_MODEL
    row.unread = None
    row.save(update_fields=["text", "edited_at", "notes", "unquotable", "awaits_reading", "unread"])
    touched = _doubt(book, row, "edited")
    if row.awaits_reading:
        runs.owe(book, row)
    desks.finish(book, "message", row.member)
    _doubt_there(book, row, "edited", touched)
    for other, copy in _copies(book, row):
        if _is_news(copy, text):
            _revise(other, copy, text, notes, unquotable)


def _doubt_there(book: ledger.Book, row: Message, how: str, touched: Collection[str]) -> None:
    """E7 where this ticket's values went on by a merge: what came of the touched ones is in doubt there too."""
    ticket = book.ticket
    if ticket.merged_into_id is None or not touched:
        return
    there = ledger.open_to_change(book.organization, ticket.merged_into_id)
    pending = desks.pending_of(there)
    desks.load_cited(there, pending)
    desk = desks.desk_of(there, None)
    event = review.revise_carried(there.state, str(ticket.pk), ticket.protocol, touched, row.ref, how, desk)
    if event is None:
        return
    desks.append(there, event, desk, pending)
    desks.finish(there, "message", None)
    _doubt_there(there, row, how, event.pointers)


def _lock_targets(ticket_id: str | uuid.UUID) -> None:
    """Lock the older tickets that this one went on in: tickets are locked in the order of their ids, here too."""
    try:
        key: uuid.UUID | None = uuid.UUID(str(ticket_id))
    except ValueError:
        return
    older = []
    while key is not None:
        into = Ticket.objects.filter(pk=key).values_list("merged_into_id", flat=True).first()
        if into is not None and into < key:
            older.append(into)
        key = into
    if older:
        list(Ticket.objects.select_for_update().filter(pk__in=older).order_by("pk").values_list("pk"))


def _doubt(book: ledger.Book, row: Message, how: str) -> Collection[str]:
    """E7: the slots that rest on words that are gone, and the undecided changes that cite the message.

    The pointers of the slots are answered.
    """
    pending = desks.pending_of(book)
    desks.load_cited(book, pending)
    desk = desks.desk_of(book, None)
    event = review.revise(book.state, row.ref, how, desk)
    if event is not None:
        desks.append(book, event, desk, pending)
    _reconsider(book, row)
    return event.pointers if event is not None else ()


def _reconsider(book: ledger.Book, row: Message) -> None:
    """Work out again the cautions that this message bears on: of what cites it, or its author's message before it (E8)."""
    before = (
        Message.objects.filter(
            ticket=book.ticket, author_kind=row.author_kind, author_key=row.author_key, number__lt=row.number, deleted_at=None
        )
        .order_by("-number")
        .values_list("number", flat=True)
        .first()
    )
    bears_on = {row.ref, f"m-{before}"}
    rows = [change for change in desks.pending_of(book) if any(item["message"] in bears_on for item in change.citations)]
    if not rows:
        return
    book.transcript = type(book.transcript)(book.ticket.pk, max(row.number, book.ticket.last_message_number))
    desks.load_cited(book, rows)
    desks.refresh(rows, book.state, desks.desk_of(book, None))
