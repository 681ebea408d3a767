"""The workers' door: one task, one action. What to do again, and when, the outbox knows; a task never waits.

Log lines carry the id of what a task is about while it runs, and not a moment longer: the process goes on with another.
"""

from __future__ import annotations

import uuid

from structlog.contextvars import bound_contextvars

from atendimento import jobs, ledger, tenancy
from atendimento.actions.import_writing import write_import as write_messages
from atendimento.actions.propose import propose_changes
from atendimento.actions.reminder_mails import mail_reminder as send_mail
from atendimento.actions.reminders import remind_all
from atendimento.actions.rereading import read_on
from atendimento.actions.simulations import run_simulation
from atendimento.actions.waking import wake as wake_ticket
from atendimento.celery import app
from atendimento.models import Organization


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


@app.task(name="atendimento.tasks.sweep_outbox")
def sweep_outbox() -> None:
    """Post what is due and the broker missed or lost."""
    jobs.sweep(ledger.now())
