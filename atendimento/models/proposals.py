"""What the model, or a program outside, proposes; and the runs that ask the model."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from atendimento.models.fields import DocumentField, ValueField
from atendimento.models.ids import new_id
from atendimento.models.organizations import Membership, Organization
from atendimento.models.tickets import Ticket
from memoria.proposals import Status, Verdict


class Origin(models.TextChoices):
    MODEL = "model"
    API = "api"
    REBUILD = "rebuild"  # what reading the messages again brought
    RULE = "rule"  # what a rule read without a model: a yes to a question


class RunStatus(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    READY = "ready"
    PARKED = "parked"
    SUPERSEDED = "superseded"


class Waits(models.TextChoices):
    """What a queued run waits for, beside its time."""

    BREAKER = "breaker"  # the endpoint is not asked for a while: it failed too often
    SLOT = "slot"  # as many requests are under way as the endpoint is to have
    BUDGET = "budget"  # the organisation's day is spent
    CAP = "cap"  # as many readings were made today as the ticket type lets
    SCHEDULE = "schedule"  # the next time at which the ticket type has the model read


class Proposal(models.Model):
    """A set of proposed changes. One that the model makes begins as a run: queued, running, then ready or parked."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="proposals")
    origin = models.CharField(max_length=10, choices=Origin.choices)
    producer = models.CharField(max_length=100)
    key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null is no key: unique lets many be null
    status = models.CharField(max_length=20, choices=RunStatus.choices)
    base_version = models.PositiveIntegerField(default=0)  # the state that its producer had before it
    through_message = models.PositiveIntegerField(default=0)  # number of the last message read; 0: none
    created_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    # A run's life. The holder is whoever asks the model now; an answer by anyone else is no longer wanted.
    attempts = models.PositiveIntegerField(default=0)  # requests to the model
    not_before = models.DateTimeField(null=True, blank=True)
    waits_for = models.CharField(max_length=10, choices=Waits.choices, blank=True)
    holder = models.UUIDField(null=True, blank=True)
    run = DocumentField(null=True)  # what `memoria.runs` remembers between two requests
    problem_code = models.CharField(max_length=50, blank=True)
    problem_detail = models.TextField(blank=True)
    # What the model was given and what it said. The answer is stored before it is used: a crash costs no second call.
    request = DocumentField(null=True)  # {user, schema, masks}: as it was sent, and what its placeholders stand for
    raw_answer = DocumentField(null=True)
    context_report = DocumentField(null=True)
    usage = DocumentField(null=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=50, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "origin", "producer", "key"], name="proposal_key_unique"),
            models.UniqueConstraint(
                fields=["ticket"], condition=models.Q(status=RunStatus.RUNNING), name="proposal_one_running_a_ticket"
            ),
            models.CheckConstraint(condition=models.Q(status__in=RunStatus.values), name="proposal_status_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket", "-created_at", "-id"], name="proposal_recent"),
            models.Index(
                fields=["ticket", "created_at"], name="proposal_to_run", condition=models.Q(status__in=["queued", "running"])
            ),
            models.Index(
                fields=["organization", "-created_at"], name="proposal_parked", condition=models.Q(status=RunStatus.PARKED)
            ),
            models.Index(
                fields=["organization", "not_before"],
                name="proposal_under_way",
                condition=models.Q(status__in=["queued", "running"]),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class ProposedChange(models.Model):
    """One proposed operation, what the domain says to it now, and what became of it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    ticket = models.ForeignKey(Ticket, models.PROTECT, related_name="changes")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="changes")
    position = models.PositiveIntegerField()
    # As proposed.
    op = models.TextField()  # whatever was proposed: an operation that we do not take is refused, not lost
    path = models.TextField()
    value = ValueField()
    citations = DocumentField()  # [{message, quote, start?}]
    inference = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    proposed_verdict = models.CharField(max_length=20)  # when it arrived, or came back by an undo (V6)
    # As judged last.
    verdict = models.CharField(max_length=20, choices=[(item.value, item.value) for item in Verdict])
    reasons = DocumentField()  # [{code, rule, data}]
    evidence = DocumentField()  # quotes found, with their spans; empty where one was not
    source = models.CharField(max_length=30, blank=True)
    author = DocumentField(null=True)
    current_value = ValueField()
    cascade = DocumentField()
    same_as = models.CharField(max_length=250, blank=True)
    cautions = DocumentField()
    # As decided.
    status = models.CharField(max_length=20, choices=[(item.value, item.value) for item in Status])
    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="+", null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(null=True, blank=True)
    superseded_by = models.PositiveIntegerField(null=True, blank=True)  # the version that made it moot (V6); undone, it returns
    decision = DocumentField(null=True)  # what was decided, to tell the same decision from another one (V4)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["proposal", "position"], name="change_position_unique"),
            models.CheckConstraint(condition=models.Q(status__in=[item.value for item in Status]), name="change_status_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket", "status", "id"], name="change_of_ticket"),
            models.Index(fields=["organization", "status", "id"], name="change_queue"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class EndpointMode(models.Model):
    """The structured-output mode that a model's server was found to take. It belongs to the server, not to a tenant."""

    identity = models.CharField(max_length=32, primary_key=True)
    mode = models.CharField(max_length=20)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.identity}: {self.mode}"


class EndpointHealth(models.Model):
    """The circuit breaker of a model's server (`memoria.breaker`). It belongs to the server, not to a tenant."""

    identity = models.CharField(max_length=32, primary_key=True)
    failures = models.PositiveIntegerField(default=0)  # in a row
    pause = models.FloatField(default=0.0)  # seconds of the present pause, 0: closed
    open_until = models.DateTimeField(null=True, blank=True)
    probe_until = models.DateTimeField(null=True, blank=True)  # one request tries it out until then
    last_failure = models.CharField(max_length=50, blank=True)  # its kind and status, none of the server's words
    last_failure_at = models.DateTimeField(null=True, blank=True)
    last_answer_at = models.DateTimeField(null=True, blank=True)  # the first answer after a failure

    def __str__(self) -> str:
        return self.identity


class ModelSpend(models.Model):
    """What an organisation's day with the model came to. The day is the organisation's own, by its time zone."""

    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    day = models.DateField()
    requests = models.PositiveBigIntegerField(default=0)  # that were answered
    tokens = models.PositiveBigIntegerField(default=0)  # of prompts and answers together
    cost = models.DecimalField(max_digits=18, decimal_places=8, default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "day"], name="model_spend_unique")]

    def __str__(self) -> str:
        return f"{self.organization_id} {self.day}"


class OutboxEntry(models.Model):
    """A job that is owed. Written in the transaction that causes it, removed in the one that settles it.

    Workers read it before they know whose it is, so row security does not cover it; it holds ids alone.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    job = models.CharField(max_length=50)
    subject = models.UUIDField()  # what the job is about: a proposal
    due_at = models.DateTimeField()
    posted_at = models.DateTimeField(null=True, blank=True)  # handed to the broker; null: not since it became due
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["job", "subject"], name="outbox_job_unique")]
        indexes: ClassVar = [models.Index(fields=["due_at"], name="outbox_due")]

    def __str__(self) -> str:
        return f"{self.job} {self.subject}"


class ModelEndpoint(models.Model):
    """An organisation's own model, where it has one; else the installation's is asked."""

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="+", primary_key=True)
    base_url = models.URLField(max_length=500)
    model = models.CharField(max_length=200)
    embedding_model = models.CharField(max_length=200, blank=True)
    sealed_key = models.TextField(blank=True)  # encrypted by `atendimento.seals`; empty: the server takes none
    tried_at = models.DateTimeField()  # when it answered, before it was kept
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.model
