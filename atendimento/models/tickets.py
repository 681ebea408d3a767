"""Ticket types, customers, tickets, and the messages that are their evidence."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Coalesce

from atendimento.models.fields import DocumentField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.teams import Team
from memoria.sources import Kind

AUTHOR_KINDS = [(kind.value, kind.value) for kind in Kind]


class TicketType(models.Model):
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="ticket_types")
    slug = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    published = models.ForeignKey("TicketTypeVersion", models.PROTECT, related_name="+", null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "slug"], name="ticket_type_slug_unique")]

    def __str__(self) -> str:
        return self.slug


class TicketTypeVersion(models.Model):
    """A published definition. It never changes; events name its number (T1)."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket_type = models.ForeignKey(TicketType, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    document = DocumentField()
    digest = models.CharField(max_length=64)  # of the document: the same content again publishes nothing
    published_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True)
    published_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["ticket_type", "number"], name="ticket_type_version_unique")]

    def __str__(self) -> str:
        return f"{self.ticket_type_id} v{self.number}"


class Customer(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="customers")
    external_id = models.CharField(max_length=200)
    name = models.CharField(max_length=200, blank=True)
    phone = models.CharField(max_length=50, blank=True)
    email = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    erased_at = models.DateTimeField(null=True, blank=True)  # L2: the row stays, so that tickets can be counted

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "external_id"], name="customer_external_id_unique")
        ]

    def __str__(self) -> str:
        return self.name or (f"#{str(self.pk)[-6:]}" if self.erased_at is not None else self.external_id)


class TicketStatus(models.TextChoices):
    OPEN = "open"
    SNOOZED = "snoozed"
    CLOSED = "closed"
    MERGED = "merged"


class ProtocolCounter(models.Model):
    """The last protocol number given in a year; its row's lock makes two tickets wait for each other."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    year = models.PositiveIntegerField()
    last = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "year"], name="protocol_counter_unique")]

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"


def _of_view(name: str, condition: models.Q, *order: str) -> tuple[models.Index, models.Index]:
    """Two indexes for one of the queue's views: of the whole organisation, and of each team, in the view's order."""
    order = order or ("-updated_at", "-id")
    return (
        models.Index(fields=["organization", *order], name=f"queue_{name}", condition=condition),
        models.Index(fields=["organization", "lane", *order], name=f"queue_{name}_lane", condition=condition),
    )


class Ticket(models.Model):
    """A conversation with its working memory. The row is the lock under which both change (V3)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="tickets")
    protocol = models.CharField(max_length=30)
    source = models.CharField(max_length=120, blank=True)  # who gave the external id
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null is no id: unique lets many be null
    ticket_type = models.ForeignKey(TicketType, models.PROTECT, related_name="tickets")
    customer = models.ForeignKey(Customer, models.PROTECT, related_name="tickets")
    subject = models.CharField(max_length=300)
    channel = models.CharField(max_length=50, blank=True)
    status = models.CharField(max_length=20, choices=TicketStatus.choices, default=TicketStatus.OPEN)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    assignee = models.ForeignKey(Membership, models.SET_NULL, related_name="+", null=True, blank=True)
    team = models.ForeignKey(Team, models.PROTECT, related_name="tickets", null=True, blank=True)
    # The team's id, 0 for none: what an index can look up and put in order in one stroke.
    lane = models.GeneratedField(
        expression=Coalesce("team_id", models.Value(0)), output_field=models.BigIntegerField(), db_persist=True
    )
    escalated_to = models.ForeignKey(Membership, models.SET_NULL, related_name="+", null=True, blank=True)
    escalated_by = models.ForeignKey(Membership, models.SET_NULL, related_name="+", null=True, blank=True)
    escalated_at = models.DateTimeField(null=True, blank=True)
    waiting_since = models.DateTimeField(null=True, blank=True)  # of the first message that nobody has replied to since
    woken_at = models.DateTimeField(null=True, blank=True)  # it was snoozed until then, and nobody has worked on it since
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)  # of a closed or merged one; what is kept counts from here (L1)
    erased_at = models.DateTimeField(null=True, blank=True)  # with its customer (L2): nothing is written here any more
    last_message_at = models.DateTimeField(null=True, blank=True)
    last_message_number = models.PositiveIntegerField(default=0)
    state_version = models.PositiveIntegerField(default=0)
    through_message = models.PositiveIntegerField(default=0)  # up to where a finished proposal has read; 0: nothing yet
    # S1: of a ticket that was split off, where its first messages and values come from. The key makes a form sent twice one.
    split_from = models.ForeignKey("self", models.PROTECT, related_name="split_off", null=True, blank=True)
    split_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    split_key = models.UUIDField(null=True, blank=True)
    # S2: where this one goes on. Once set it stays.
    merged_into = models.ForeignKey("self", models.PROTECT, related_name="merged_here", null=True, blank=True)
    merged_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    merged_at = models.DateTimeField(null=True, blank=True)
    # What calls for attention, kept by the ledger in the same transaction as what it counts.
    pending_count = models.PositiveIntegerField(default=0)  # changes that wait for a decision
    conflict_count = models.PositiveIntegerField(default=0)  # slots in conflict
    stale_count = models.PositiveIntegerField(default=0)  # slots that await confirmation
    parked_count = models.PositiveIntegerField(default=0)  # proposal runs that failed for good
    next_due = models.DateTimeField(null=True, blank=True)  # the first end of an unfinished commitment; past: overdue
    next_expiry = models.DateTimeField(null=True, blank=True)  # the first end of a value's `valid_for` (D1); past: it is due
    remind_at = models.DateTimeField(null=True, blank=True)  # when its commitments are looked at next for reminders

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "protocol"], name="ticket_protocol_unique"),
            models.UniqueConstraint(fields=["organization", "source", "external_id"], name="ticket_external_id_unique"),
            models.UniqueConstraint(fields=["organization", "split_key"], name="ticket_split_once"),
            models.CheckConstraint(condition=models.Q(status__in=TicketStatus.values), name="ticket_status_known"),
            models.CheckConstraint(
                condition=models.Q(merged_into=None) | models.Q(status=TicketStatus.MERGED), name="ticket_merged_stays"
            ),
            models.CheckConstraint(
                condition=models.Q(merged_into=None) | ~models.Q(merged_into=models.F("id")), name="ticket_not_into_itself"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "closed_at"], name="ticket_closed", condition=models.Q(closed_at__isnull=False)
            ),
            models.Index(
                fields=["organization", "next_expiry"], name="ticket_expiry", condition=models.Q(next_expiry__isnull=False)
            ),
            models.Index(fields=["organization", "-updated_at", "-id"], name="ticket_recent"),
            models.Index(fields=["organization", "status", "-updated_at", "-id"], name="ticket_by_status"),
            models.Index(fields=["organization", "assignee", "-updated_at", "-id"], name="ticket_by_assignee"),
            models.Index(fields=["customer", "-updated_at", "-id"], name="ticket_of_customer"),
            models.Index(
                fields=["organization", "assignee", "-updated_at", "-id"],
                name="ticket_mine",
                condition=models.Q(status__in=["open", "snoozed"], assignee__isnull=False),
            ),
            # The view of one's own open tickets, in its order: the one above names the status, and has to look at each row.
            models.Index(
                fields=["organization", "assignee", "-updated_at", "-id"],
                name="queue_mine",
                condition=models.Q(status="open", assignee__isnull=False),
            ),
            models.Index(
                fields=["organization", "escalated_to", "-updated_at", "-id"],
                name="ticket_escalated",
                condition=models.Q(escalated_to__isnull=False),
            ),
            *_of_view("open", models.Q(status="open")),
            *_of_view("decide", models.Q(status="open", pending_count__gt=0)),
            *_of_view("confirm", models.Q(status="open", stale_count__gt=0)),
            *_of_view("conflict", models.Q(status="open", conflict_count__gt=0)),
            *_of_view("unowned", models.Q(status="open", assignee__isnull=True)),
            *_of_view("failed", models.Q(parked_count__gt=0)),
            *_of_view("snoozed", models.Q(status="snoozed")),
            *_of_view("closed", models.Q(status="closed")),
            *_of_view("due", models.Q(status="open", next_due__isnull=False), "next_due", "id"),
            models.Index(
                fields=["organization", "remind_at"], name="ticket_remind", condition=models.Q(remind_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.protocol


class Message(models.Model):
    """What somebody said. Its text is the latest revision's; what the channel edits or deletes is kept beside it."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="messages")
    number = models.PositiveIntegerField()
    author_kind = models.CharField(max_length=20, choices=AUTHOR_KINDS)
    author_name = models.CharField(max_length=200, blank=True)
    author_external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null: known by name alone
    author_key = models.CharField(max_length=200, blank=True)  # external id, else name: the same author has the same one
    member = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    text = models.TextField(blank=True)
    source = models.CharField(max_length=120, blank=True)
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null is no id
    sent_at = models.DateTimeField(null=True, blank=True)  # as the channel has it
    received_at = models.DateTimeField()
    said_at = models.DateTimeField()  # P7: when sent, or when received
    internal = models.BooleanField(default=False)
    automatic = models.BooleanField(default=False)  # a bounce, an absence note: no evidence, reopens nothing
    unquotable = models.JSONField(default=list, blank=True)  # [start, end] spans that quote somebody else's mail
    attachments = models.JSONField(default=list, blank=True)
    notes = models.JSONField(default=list, blank=True)  # what was changed on arrival, as codes
    edited_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)  # its words are gone, by retention or with its customer (L)
    awaits_reading = models.BooleanField(default=False)  # no finished proposal has read its present text, or all of it
    unread = models.JSONField(null=True, blank=True)  # of one that was read in part: the [start, end] spans that are left
    send_key = models.UUIDField(null=True, blank=True)  # of the form that a reply was written in: pressed twice, it is one
    copied_from = models.PositiveIntegerField(null=True, blank=True)  # its number in the ticket that this one was split from

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "number"], name="message_number_unique"),
            models.UniqueConstraint(fields=["ticket", "source", "external_id"], name="message_external_id_unique"),
            models.UniqueConstraint(fields=["ticket", "send_key"], name="message_sent_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket", "author_kind", "author_key", "number"], name="message_by_author"),
            models.Index(fields=["ticket", "number"], name="message_unread", condition=models.Q(awaits_reading=True)),
        ]

    def __str__(self) -> str:
        return f"m-{self.number}"

    @property
    def ref(self) -> str:
        return f"m-{self.number}"


class MessageRevision(models.Model):
    """A text that a message had before the channel edited it, from the first one on."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    message = models.ForeignKey(Message, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    received_at = models.DateTimeField()  # when this text came

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["message", "number"], name="message_revision_unique")]

    def __str__(self) -> str:
        return f"{self.message_id} r{self.number}"
