"""When the model reads, as the ticket type says (T4): what is queued, for when, and what a person may always ask for."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from atendimento.actions.handing import assume
from atendimento.actions.propose import propose_changes
from atendimento.actions.runs import request_proposal
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.tickets import update_ticket
from atendimento.models import Message, OutboxEntry, Proposal, RunStatus, Ticket
from memoria.sources import Kind
from tests.builders import House, make_ticket, say, ticket_type
from tests.support.model_server import ModelServer

ZONE = ZoneInfo("America/Sao_Paulo")

pytestmark = pytest.mark.usefixtures("model_server")


def reads(house: House, **reading: Any) -> None:
    publish_ticket_type(member=house.davi, document=ticket_type(reading=reading))


def queued() -> list[Proposal]:
    return list(Proposal.objects.filter(status=RunStatus.QUEUED).order_by("created_at"))


def run(house: House, row: Proposal) -> None:
    Proposal.objects.filter(pk=row.pk).update(not_before=timezone.now() - timedelta(seconds=1))
    propose_changes(organization_id=house.organization.pk, proposal_id=row.pk)


def unread() -> int:
    return Message.objects.filter(awaits_reading=True).count()


# --- on demand ----------------------------------------------------------------------------------------------------


def test_on_demand_nothing_is_queued_and_a_person_has_it_all_read(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    reads(house, when="demand")
    for text in ("oi", "moro em Torre"):
        say(house, ticket, text)
    assert (queued(), unread()) == ([], 2)

    row = request_proposal(member=house.ana, ticket_id=ticket.pk)
    say(house, ticket, "e mais isto")  # comes while the run waits: it is read with it
    model_server.answer()
    run(house, row)

    assert (queued(), unread()) == ([], 0)


def test_on_demand_what_comes_after_a_reading_waits_for_the_next_asking(
    house: House, ticket: Ticket, model_server: ModelServer
) -> None:
    reads(house, when="demand")
    say(house, ticket, "oi")
    row = request_proposal(member=house.ana, ticket_id=ticket.pk)
    row.through_message = 1
    row.save(update_fields=["through_message"])
    say(house, ticket, "depois")
    model_server.answer()

    run(house, row)

    assert (queued(), unread()) == ([], 1)


# --- on events ----------------------------------------------------------------------------------------------------


def test_on_the_customer_s_message_what_staff_said_before_is_read_with_it(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["customer_message"])
    say(house, ticket, "em que posso ajudar?", Kind.AGENT, "Ana")
    assert queued() == []

    say(house, ticket, "moro em Torre")

    assert (len(queued()), unread()) == (1, 2)


def test_on_closing_what_is_unread_is_read_and_without_anything_unread_nothing_is(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["closing"])
    say(house, ticket, "moro em Torre")
    assert queued() == []

    update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")
    assert len(queued()) == 1

    quiet = make_ticket(house, "cli-2")
    update_ticket(member=house.ana, ticket_id=quiet.pk, status="closed")
    assert len(queued()) == 1


def test_on_reopening_by_a_person_or_by_a_message(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["reopened"])
    say(house, ticket, "oi")
    update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")
    assert queued() == []

    say(house, ticket, "voltou a parar")

    assert len(queued()) == 1


def test_on_assignment_to_somebody(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["assigned"])
    say(house, ticket, "oi")
    assert queued() == []

    update_ticket(member=house.ana, ticket_id=ticket.pk, assignee="me")

    assert len(queued()) == 1


def test_two_events_at_once_are_one_run(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["customer_message", "reopened"])
    update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")

    say(house, ticket, "voltou a parar")

    assert len(queued()) == 1


# --- at set times -------------------------------------------------------------------------------------------------


def test_at_set_times_one_run_waits_for_the_next_one_and_messages_do_not_move_it(house: House, ticket: Ticket) -> None:
    reads(house, when="schedule", every_minutes=30)
    say(house, ticket, "oi")
    (row,) = queued()
    assert row.not_before is not None
    local = row.not_before.astimezone(ZONE)
    assert (row.waits_for, local.minute % 30, local.second) == ("schedule", 0, 0)
    assert timezone.now() < row.not_before <= timezone.now() + timedelta(minutes=30)
    entry = OutboxEntry.objects.get(subject=row.pk)
    assert (entry.due_at, entry.posted_at) == (row.not_before, None)  # the sweep posts it then

    say(house, ticket, "mais")

    assert [item.not_before for item in queued()] == [row.not_before]


def test_closing_takes_the_set_time_away_and_opening_again_sets_one(house: House, ticket: Ticket) -> None:
    reads(house, when="schedule", at=["08:00", "14:00"])
    say(house, ticket, "oi")
    (row,) = queued()

    update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")
    row.refresh_from_db()
    assert (row.status, queued(), OutboxEntry.objects.filter(subject=row.pk).count()) == (RunStatus.SUPERSEDED, [], 0)
    say(house, ticket, "nota", Kind.AGENT, "Ana")
    assert queued() == []  # a closed ticket is not read

    update_ticket(member=house.ana, ticket_id=ticket.pk, status="open")

    (again,) = queued()
    assert again.not_before is not None
    assert again.not_before.astimezone(ZONE).strftime("%H:%M") in ("08:00", "14:00")


def test_a_person_need_not_wait_for_the_hour(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    reads(house, when="schedule", every_minutes=60)
    say(house, ticket, "oi")

    row = request_proposal(member=house.ana, ticket_id=ticket.pk)

    assert (row.waits_for, row.not_before is not None and row.not_before <= timezone.now()) == ("", True)
    model_server.answer()
    run(house, row)
    assert unread() == 0


# --- caps ---------------------------------------------------------------------------------------------------------


def finish(house: House, model_server: ModelServer) -> None:
    for row in queued():
        model_server.answer()
        propose_changes(organization_id=house.organization.pk, proposal_id=row.pk)


def next_midnight() -> datetime:
    local = timezone.now().astimezone(ZONE)
    return datetime.combine(local.date() + timedelta(days=1), datetime.min.time(), ZONE)


@pytest.fixture
def no_debounce(settings: Any) -> None:
    settings.PROPOSAL_DEBOUNCE = 0


def test_a_ticket_that_had_its_readings_waits_for_tomorrow(
    house: House, ticket: Ticket, model_server: ModelServer, no_debounce: None
) -> None:
    reads(house, when="burst", most_per_ticket_and_day=2)
    for text in ("um", "dois"):
        say(house, ticket, text)
        finish(house, model_server)
    assert unread() == 0

    say(house, ticket, "três")
    say(house, ticket, "quatro")

    (row,) = queued()
    assert (row.waits_for, row.not_before) == ("cap", next_midnight())
    other = make_ticket(house, "cli-2")
    say(house, other, "oi")
    assert queued()[-1].waits_for == ""


def test_a_type_that_had_its_readings_waits_too_whichever_ticket(
    house: House, ticket: Ticket, model_server: ModelServer, no_debounce: None
) -> None:
    reads(house, when="burst", most_per_day=1)
    say(house, ticket, "um")
    finish(house, model_server)
    first, second = make_ticket(house, "cli-2"), make_ticket(house, "cli-3")

    say(house, first, "dois")
    say(house, second, "três")

    days = [row.not_before for row in queued()]
    assert days == [next_midnight(), next_midnight() + timedelta(days=1)]


def test_what_a_person_asks_for_is_not_counted_and_not_capped(
    house: House, ticket: Ticket, model_server: ModelServer, no_debounce: None
) -> None:
    reads(house, when="burst", most_per_ticket_and_day=1)
    say(house, ticket, "um")
    finish(house, model_server)
    request_proposal(member=house.ana, ticket_id=ticket.pk)
    finish(house, model_server)
    say(house, ticket, "dois")
    (row,) = queued()
    assert row.waits_for == "cap"

    assert request_proposal(member=house.ana, ticket_id=ticket.pk).waits_for == ""


def test_assuming_a_ticket_is_an_assignment(house: House, ticket: Ticket) -> None:
    reads(house, when="events", on=["assigned"])
    say(house, ticket, "oi")

    assume(member=house.ana, ticket_id=ticket.pk)

    assert len(queued()) == 1
