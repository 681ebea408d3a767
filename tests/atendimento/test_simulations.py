"""Simulating a draft in the workers: progress, a lost worker, stopping, and what is kept of it."""

from __future__ import annotations

from datetime import date

import pytest

from atendimento import tenancy
from atendimento.actions import simulations, type_drafts
from atendimento.actions.faults import InvalidInput
from atendimento.actions.simulations import Scope, cancel_simulation, run_simulation, start_simulation
from atendimento.actions.slots import set_slot
from atendimento.models import (
    OutboxEntry,
    ProposedChange,
    Simulation,
    SimulationDifference,
    Ticket,
    TicketTypeDraft,
    WorkStatus,
)
from atendimento.selectors import past_decisions
from memoria.errors import DomainError
from memoria.fields import TicketType
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, say


def tickets_with_decisions(house: House, count: int = 3) -> list[Ticket]:
    """Tickets in each of which staff stated a neighbourhood and then another one."""
    made = [make_ticket(house, f"cli-{number}") for number in range(count)]
    for ticket in made:
        for version, value in enumerate(("Torre", "Pina")):
            set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/bairro", value=value, expected_version=version)
    return made


def a_draft(house: House, *sources: str) -> TicketTypeDraft:
    draft = type_drafts.start_draft(member=house.davi, slug="assistencia")
    document = draft.document
    document["fields"]["/facts/bairro"]["sources"] = list(sources)
    return type_drafts.save_document(member=house.davi, slug="assistencia", revision=draft.revision, document=document)


def begin(house: House, draft: TicketTypeDraft, scope: Scope | None = None) -> Simulation:
    return start_simulation(member=house.davi, slug="assistencia", revision=draft.revision, scope=scope or Scope())


def run(row: Simulation, step: int = simulations.SLICE) -> Simulation:
    run_simulation(organization_id=row.organization_id, simulation_id=row.pk, step=step)
    return Simulation.objects.get(pk=row.pk)


def test_a_simulation_counts_what_would_differ_and_writes_to_no_ticket(house: House) -> None:
    tickets = tickets_with_decisions(house)
    row = begin(house, a_draft(house, "customer"))
    assert OutboxEntry.objects.filter(subject=row.pk).exists()

    done = run(row)

    assert (done.status, done.total, done.done, done.different, done.incomparable) == (WorkStatus.DONE, 6, 6, 6, 0)
    kinds = set(SimulationDifference.objects.values_list("kind", "act", "pointer"))
    assert kinds == {("allowed>refused", "statement", "/facts/bairro")}
    assert not OutboxEntry.objects.filter(subject=row.pk).exists()
    for ticket in tickets:
        assert Ticket.objects.get(pk=ticket.pk).state_version == 2
        assert_replays(ticket)


def test_the_draft_of_what_is_in_force_differs_nowhere(house: House) -> None:
    tickets_with_decisions(house)

    assert run(begin(house, a_draft(house, "registry", "agent", "customer"))).different == 0


def test_after_a_lost_worker_it_goes_on_where_it_was_and_counts_nothing_twice(house: House) -> None:
    tickets_with_decisions(house)
    row = begin(house, a_draft(house, "customer"))
    draft = TicketType.from_document(row.document)
    assert simulations._slice(row.pk, draft, past_decisions.actors_of(row.organization_id), 1)  # then the worker dies
    halfway = Simulation.objects.get(pk=row.pk)

    done = run(row, step=1)

    assert (halfway.status, halfway.position, halfway.done, halfway.different) == (WorkStatus.RUNNING, 1, 2, 2)
    assert (done.status, done.done, done.different, done.differences.count()) == (WorkStatus.DONE, 6, 6, 6)
    assert run(row).differences.count() == 6  # the job comes once more


def test_a_stopped_one_does_nothing_more_and_keeps_what_it_found(house: House) -> None:
    tickets_with_decisions(house)
    row = begin(house, a_draft(house, "customer"))
    simulations._slice(row.pk, TicketType.from_document(row.document), {}, 1)

    cancel_simulation(member=house.davi, slug="assistencia", simulation_id=row.pk)
    after = run(row)

    assert (after.status, after.done, after.differences.count()) == (WorkStatus.CANCELLED, 2, 2)
    assert cancel_simulation(member=house.davi, slug="assistencia", simulation_id=row.pk).status == WorkStatus.CANCELLED


def test_a_new_one_stops_the_one_that_is_under_way(house: House) -> None:
    tickets_with_decisions(house)
    draft = a_draft(house, "customer")

    first, second = begin(house, draft), begin(house, draft)

    assert Simulation.objects.get(pk=first.pk).status == WorkStatus.CANCELLED
    assert run(second).status == WorkStatus.DONE


def test_the_last_decisions_are_the_newest(house: House) -> None:
    tickets = tickets_with_decisions(house)

    row = begin(house, a_draft(house, "customer"), Scope(last=1))

    assert row.plan == [[str(tickets[-1].pk), [2]]]


def test_a_period_is_days_of_the_organisation_s_zone(house: House) -> None:
    tickets_with_decisions(house)
    draft = a_draft(house, "customer")

    assert begin(house, draft, Scope(None, since=date(2020, 1, 1))).total == 6
    assert begin(house, draft, Scope(None, until=date(2020, 1, 1))).total == 0


def test_only_this_organisation_s_decisions_are_looked_at(house: House) -> None:
    other = make_house("outra")
    tickets_with_decisions(other)
    draft = a_draft(other, "customer")

    assert begin(other, draft).total == 6


def test_a_draft_that_somebody_changed_and_an_agent_are_refused(house: House) -> None:
    draft = a_draft(house, "customer")

    with pytest.raises(InvalidInput, match=r"draft\.overtaken"):
        start_simulation(member=house.davi, slug="assistencia", revision=draft.revision - 1, scope=Scope())
    with pytest.raises(DomainError, match=r"permission\.denied"):
        start_simulation(member=house.ana, slug="assistencia", revision=draft.revision, scope=Scope())


def test_an_occurrence_that_was_pointed_at_is_remembered_and_taken_again(house: House, ticket: Ticket) -> None:
    message = say(house, ticket, "é na Torre, não na torre velha: Torre")
    (row,) = propose(house, ticket, change("/facts/bairro", "Torre", (message, "Torre")))
    body = {"expected_version": 0, "evidence": [{"message": message, "quote": "Torre", "start": 32}]}
    answer = house.api().post(f"changes/{row['id']}/accept", body)
    assert answer.status == 200, answer.body
    tenancy.enter(house.organization.pk)
    assert ProposedChange.objects.get(pk=row["id"]).decision["starts"] == body["evidence"]

    done = run(begin(house, a_draft(house, "registry", "agent", "customer")))

    assert (done.done, done.different, done.incomparable) == (1, 0, 0)


def test_messages_are_read_as_they_stood_when_it_was_decided(house: House, ticket: Ticket) -> None:
    message = say(house, ticket, "moro na Torre", external_id="x-1")
    (row,) = propose(house, ticket, change("/facts/bairro", "Torre", (message, "Torre")))
    house.api().post(f"changes/{row['id']}/accept", {"expected_version": 0})
    tenancy.enter(house.organization.pk)
    say(house, ticket, "moro no Pina", external_id="x-1")  # the channel edits it

    done = run(begin(house, a_draft(house, "customer")))

    assert (done.done, done.different, done.incomparable) == (1, 0, 0)
