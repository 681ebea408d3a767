"""The workers' door to simulating, publishing and ending values: the tasks as they are handed out by name."""

from __future__ import annotations

from datetime import timedelta

from atendimento import jobs, ledger, tasks, tenancy
from atendimento.actions import simulations, type_drafts
from atendimento.actions.simulations import Scope, start_simulation
from atendimento.actions.slots import set_slot
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.celery import app
from atendimento.models import OutboxEntry, Publication, Simulation, Ticket, WorkStatus
from tests.builders import House, change, propose, say, ticket_type


def test_each_job_that_is_owed_has_its_task() -> None:
    names = {jobs.SIMULATE, jobs.SETTLE_PUBLICATION, "atendimento.tasks.expire_values"}

    assert names <= set(app.tasks)
    assert app.conf.beat_schedule["expire-values"]["task"] == "atendimento.tasks.expire_values"


def test_a_simulation_is_run_by_its_task(house: House, ticket: Ticket) -> None:
    set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/bairro", value="Torre", expected_version=0)
    draft = type_drafts.start_draft(member=house.davi, slug="assistencia")
    row = start_simulation(member=house.davi, slug="assistencia", revision=draft.revision, scope=Scope())
    assert row.scope == {"last": simulations.DEFAULT_LAST}

    tasks.simulate(house.organization.pk, str(row.pk))

    tenancy.enter(house.organization.pk)
    assert Simulation.objects.get(pk=row.pk).status == WorkStatus.DONE


def test_a_publication_is_done_by_its_task(house: House, ticket: Ticket) -> None:
    version, _ = publish_ticket_type(member=house.davi, document=ticket_type(name="Outra"))
    row = Publication.objects.get(version=version)
    assert OutboxEntry.objects.get(subject=row.pk).job == jobs.SETTLE_PUBLICATION

    tasks.settle_publication(house.organization.pk, str(row.pk))

    tenancy.enter(house.organization.pk)
    assert (Publication.objects.get(pk=row.pk).status, OutboxEntry.objects.filter(subject=row.pk).count()) == ("done", 0)


def test_the_clock_ends_values_in_every_organisation(house: House, ticket: Ticket) -> None:
    document = ticket_type()
    document["fields"]["/facts/horario"]["valid_for"] = "PT8H"
    publish_ticket_type(member=house.davi, document=document)
    message = say(house, ticket, "às 14h", sent_at=ledger.now() - timedelta(hours=9))
    (row,) = propose(house, ticket, change("/facts/horario", "14h", (message, "14h")))
    house.api().post(f"changes/{row['id']}/accept", {"expected_version": 0})

    tasks.expire_values()

    tenancy.enter(house.organization.pk)
    assert Ticket.objects.get(pk=ticket.pk).stale_count == 1
