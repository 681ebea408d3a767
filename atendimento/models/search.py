"""What can be searched: views that the database keeps beside the tables (migration `search`). They are read, never written.

Words, numbers and identifiers are without accents, capitals and punctuation; each row's lexemes hold `@<organisation>` as
well, so that an index over all organisations is entered at one's own.
"""

from __future__ import annotations

from django.contrib.postgres.search import SearchVectorField
from django.db import models

from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Customer, Ticket


class _OfTicket(models.Model):
    """The columns of a row's ticket that say who sees it and what it is, as `access.visible` and the filters name them.

    They stand in the views, for a query that joins a table under row security takes no index of words.
    """

    ticket_organization = models.BigIntegerField(db_column="ticket_organization_id")
    ticket_lane = models.BigIntegerField()
    ticket_assignee = models.BigIntegerField(db_column="ticket_assignee_id", null=True)
    ticket_escalated_to = models.BigIntegerField(db_column="ticket_escalated_to_id", null=True)
    ticket_status = models.CharField(max_length=20)
    ticket_kind = models.BigIntegerField(db_column="ticket_kind_id")

    class Meta:
        abstract = True


class MessageWords(_OfTicket):
    """A message that is not deleted, as its latest revision has it."""

    id = models.BigIntegerField(primary_key=True)
    organization = models.ForeignKey(Organization, models.DO_NOTHING, related_name="+")
    ticket = models.ForeignKey(Ticket, models.DO_NOTHING, related_name="+")
    number = models.PositiveIntegerField()
    author_kind = models.CharField(max_length=20)
    author_name = models.CharField(max_length=200)
    member = models.ForeignKey(Membership, models.DO_NOTHING, related_name="+", null=True)
    text = models.TextField()
    said_at = models.DateTimeField()
    internal = models.BooleanField()
    words = SearchVectorField()

    class Meta:
        managed = False
        db_table = "atendimento_messagewords"

    def __str__(self) -> str:
        return f"m-{self.number}"


class TicketWords(_OfTicket):
    """A ticket by subject, protocol and foreign id."""

    id = models.UUIDField(primary_key=True)
    organization = models.ForeignKey(Organization, models.DO_NOTHING, related_name="+")
    customer = models.ForeignKey(Customer, models.DO_NOTHING, related_name="+")
    ticket_updated_at = models.DateTimeField()
    words = SearchVectorField()

    class Meta:
        managed = False
        db_table = "atendimento_ticketwords"

    def __str__(self) -> str:
        return str(self.pk)


class CustomerWords(models.Model):
    """A customer by name, telephone, e-mail and foreign id."""

    id = models.UUIDField(primary_key=True)
    organization = models.ForeignKey(Organization, models.DO_NOTHING, related_name="+")
    created_at = models.DateTimeField()
    words = SearchVectorField()

    class Meta:
        managed = False
        db_table = "atendimento_customerwords"

    def __str__(self) -> str:
        return str(self.pk)


class TicketIdentifiers(_OfTicket):
    """The identifiers that a ticket's state holds, each whole."""

    ticket = models.OneToOneField(Ticket, models.DO_NOTHING, primary_key=True, related_name="+")
    organization = models.ForeignKey(Organization, models.DO_NOTHING, related_name="+")
    ticket_updated_at = models.DateTimeField()
    identifiers = SearchVectorField()

    class Meta:
        managed = False
        db_table = "atendimento_ticketidentifiers"

    def __str__(self) -> str:
        return str(self.ticket_id)
