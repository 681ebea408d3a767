"""The workers' door: one task, one action. What to do again, and when, the outbox knows; a task never waits.

Log lines carry the id of what a task is about while it runs, and not a moment longer: the process goes on with another.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from atendimento import jobs, ledger, tenancy
from atendimento.actions import erasures, retention
from atendimento.actions.erasing import NoOwner
from atendimento.actions.expiring import expire_values as expire_in
from atendimento.actions.import_writing import write_import as write_messages
from atendimento.actions.propose import propose_changes
from atendimento.actions.publications import run_publication
from atendimento.actions.reminder_mails import mail_reminder as send_mail
from atendimento.actions.reminders import remind_all
from atendimento.actions.rereading import read_on
from atendimento.actions.simulations import run_simulation
from atendimento.actions.waking import wake as wake_ticket
from atendimento.celery import app
from atendimento.models import Organization

log = structlog.get_logger("atendimento.tasks")

OWNER_WAIT: Final = timedelta(minutes=10)


@app.task(name=jobs.PROPOSE)
def propose(organization_id: int, proposal_id: str) -> None:
    """Ask the model about a ticket's new messages."""
    with bound_contextvars(proposal=proposal_id), tenancy.organization(organization_id):
        propose_changes(organization_id=organization_id, proposal_id=uuid.UUID(proposal_id))


@app.task(name=jobs.WRITE_IMPORT)
def write_import(organization_id: int, import_id: str) -> None:
    """Write the messages of a file that staff brought in."""
    with bound_contextvars(batch=import_id), tenancy.organization(organization_id):
        write_messages(organization_id=organization_id, import_id=uuid.UUID(import_id))


@app.task(name=jobs.REREAD)
def reread(organization_id: int, rebuild_id: str) -> None:
    """Have the model read the next window of a ticket's messages again."""
    with bound_contextvars(rebuild=rebuild_id), tenancy.organization(organization_id):
        read_on(organization_id=organization_id, rebuild_id=uuid.UUID(rebuild_id))


@app.task(name=jobs.MAIL_REMINDER)
def mail_reminder(organization_id: int, reminder_id: str) -> None:
    """Send the mail of a reminder."""
    with bound_contextvars(reminder=reminder_id), tenancy.organization(organization_id):
        send_mail(organization_id=organization_id, reminder_id=uuid.UUID(reminder_id))


@app.task(name="atendimento.tasks.sweep_reminders")
def sweep_reminders() -> None:
    """Remind of what is due soon or now, one organisation after the other."""
    for organization in Organization.objects.order_by("pk"):
        with tenancy.organization(organization.pk):
            remind_all(organization)


@app.task(name=jobs.WAKE)
def wake(organization_id: int, ticket_id: str) -> None:
    """Open a snoozed ticket again."""
    with bound_contextvars(ticket=ticket_id), tenancy.organization(organization_id):
        wake_ticket(organization_id=organization_id, ticket_id=uuid.UUID(ticket_id))


@app.task(name=jobs.SIMULATE)
def simulate(organization_id: int, simulation_id: str) -> None:
    """Try a draft of a ticket type on past decisions."""
    with bound_contextvars(simulation=simulation_id), tenancy.organization(organization_id):
        run_simulation(organization_id=organization_id, simulation_id=uuid.UUID(simulation_id))


@app.task(name=jobs.RETAIN)
def retain(organization_id: int, run_id: str) -> None:
    """Erase what is over its period."""
    with bound_contextvars(run=run_id), tenancy.organization(organization_id):
        _as_owner(jobs.RETAIN, run_id, lambda key: retention.work(organization_id=organization_id, run_id=key))


@app.task(name=jobs.ERASE)
def erase(organization_id: int, request_id: str) -> None:
    """Erase a customer."""
    with bound_contextvars(erasure=request_id), tenancy.organization(organization_id):
        _as_owner(jobs.ERASE, request_id, lambda key: erasures.work(organization_id=organization_id, request_id=key))


def _as_owner(job: str, subject: str, work: Callable[[uuid.UUID], object]) -> None:
    """A worker without the owner's password leaves the job to one that has it, or to `apply_retention`."""
    key = uuid.UUID(subject)
    try:
        work(key)
    except NoOwner:
        moment = ledger.now()
        log.warning("not the tables' owner", job=job, subject=subject)
        jobs.postpone(job, key, moment + OWNER_WAIT, moment)


@app.task(name="atendimento.tasks.start_retention")
def start_retention() -> None:
    """Begin the day's run for every organisation that has periods, or exports past their time."""
    for organization in Organization.objects.order_by("pk"):
        with tenancy.organization(organization.pk):
            if retention.is_wanted(organization):
                retention.begin_run(organization=organization, member=None)


@app.task(name="atendimento.tasks.expire_values")
def expire_values() -> None:
    """Put into doubt what has held as long as it was to, one organisation after the other."""
    for organization in Organization.objects.order_by("pk"):
        with tenancy.organization(organization.pk):
            expire_in(organization, ledger.now())


@app.task(name=jobs.SETTLE_PUBLICATION)
def settle_publication(organization_id: int, publication_id: str) -> None:
    """Do to tickets what the publishing of a version asks for."""
    with bound_contextvars(publication=publication_id), tenancy.organization(organization_id):
        run_publication(organization_id=organization_id, publication_id=uuid.UUID(publication_id))


@app.task(name="atendimento.tasks.sweep_outbox")
def sweep_outbox() -> None:
    """Post what is due and the broker missed or lost."""
    jobs.sweep(ledger.now())
