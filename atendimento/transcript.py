"""A ticket's messages as the domain reads them: by id, a few at a time, however long the conversation is."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db.models import OuterRef, Subquery

from atendimento.models import Message
from memoria import evidence
from memoria.evidence import message_number
from memoria.sources import Author, Kind


def author_of(row: Message) -> Author:
    """The author of a message; a member's messages are that member's, by the membership's id."""
    return Author(Kind(row.author_kind), row.author_external_id, row.author_name)


def to_domain(row: Message) -> evidence.Message:
    """The message as its latest revision has it."""
    return evidence.Message(
        row.number,
        author_of(row),
        row.text,
        row.said_at,
        row.deleted_at is not None,
        tuple((start, end) for start, end in row.unquotable),
        row.automatic,
        row.erased_at is not None,
    )


class TicketTranscript:
    """`memoria.evidence.Transcript` over the database. What is loaded is kept for the object's life: one transaction.

    `load` what will be asked for: two queries, however many messages. `expect` what may be: nothing is read until
    something that was not loaded is asked for, and then all of it at once.
    """

    def __init__(self, ticket_id: uuid.UUID, last_number: int) -> None:
        self._ticket_id = ticket_id
        self._last_number = last_number
        self._messages: dict[int, evidence.Message | None] = {}
        self._following: dict[int, int | None] = {}
        self._expected: set[str] = set()

    @property
    def last_number(self) -> int:
        return self._last_number

    def load(self, references: Iterable[str]) -> None:
        """Fetch these messages and, for each, the next one by the same author."""
        numbers = {message_number(reference) for reference in references}
        wanted = {number for number in numbers if number is not None and number not in self._following}
        if not wanted:
            return
        later = Message.objects.filter(
            ticket_id=self._ticket_id,
            author_kind=OuterRef("author_kind"),
            author_key=OuterRef("author_key"),
            number__gt=OuterRef("number"),
            deleted_at=None,
        ).order_by("number")
        rows = Message.objects.filter(ticket_id=self._ticket_id, number__in=wanted)
        for row in rows.annotate(next_number=Subquery(later.values("number")[:1])):
            self._messages[row.number] = to_domain(row)
            self._following[row.number] = row.next_number
        for number in wanted - self._messages.keys():
            self._messages[number] = self._following[number] = None
        followers = {number for number in map(self._following.get, wanted) if number is not None}
        missing = followers - self._messages.keys()
        if missing:
            for follower in Message.objects.filter(ticket_id=self._ticket_id, number__in=missing):
                self._messages[follower.number] = to_domain(follower)

    def expect(self, references: Iterable[str]) -> None:
        """These messages may be asked for."""
        self._expected.update(references)

    def find(self, reference: str) -> evidence.Message | None:
        number = message_number(reference)
        if number is None or number > self._last_number:
            return None
        if number not in self._messages:
            self.load([reference, *self._expected])
        return self._messages.get(number)

    def following(self, message: evidence.Message) -> evidence.Message | None:
        if message.number not in self._following:
            self.load([message.id, *self._expected])
        number = self._following[message.number]
        return None if number is None else self._messages[number]
