"""What publishing does to tickets, in the workers: misfits settled as chosen, and undecided changes judged anew (T2)."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from atendimento import tenancy
from atendimento.actions import publications
from atendimento.actions.faults import InvalidInput
from atendimento.actions.publications import run_publication
from atendimento.actions.slots import set_slot
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.tickets import update_ticket
from atendimento.models import (
    Correction,
    LedgerEvent,
    OutboxEntry,
    ProposedChange,
    Publication,
    Ticket,
    TicketTypeVersion,
    WorkStatus,
)
from memoria.misfits import Why
from memoria.publishing import Choice, Fate
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, say, ticket_type

DOUBT = Choice("/facts/bairro", Why.VALUE, Fate.CONFIRM)
WITHDRAW = Choice("/facts/bairro", Why.VALUE, Fate.WITHDRAW)
KEEP = Choice("/facts/bairro", Why.VALUE, Fate.KEEP)


def narrower(**more: Any) -> dict[str, Any]:
    """The type with a neighbourhood that must be Pina."""
    document = ticket_type()
    document["fields"]["/facts/bairro"] |= {"schema": {"enum": ["Pina"]}, **more}
    return document


def in_torre(house: House, count: int = 3) -> list[Ticket]:
    tickets = [make_ticket(house, f"cli-{number}") for number in range(count)]
    for ticket in tickets:
        set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/bairro", value="Torre", expected_version=0)
        set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/horario", value="14h", expected_version=1)
    return tickets


def published(house: House, *choices: Choice, document: dict[str, Any] | None = None, **more: Any) -> Publication:
    version, _ = publish_ticket_type(member=house.davi, document=document or narrower(), choices=choices, **more)
    return Publication.objects.get(version=version)


def run(row: Publication, step: int = publications.SLICE) -> Publication:
    run_publication(organization_id=row.organization_id, publication_id=row.pk, step=step)
    return Publication.objects.get(pk=row.pk)


def status(house: House, ticket: Ticket, pointer: str = "/facts/bairro") -> str:
    return str(house.api().get(f"tickets/{ticket.pk}/state").body["slots"][pointer]["status"])


def settled(ticket: Ticket) -> list[LedgerEvent]:
    return list(LedgerEvent.objects.filter(ticket=ticket, kind="ticket_type_changed"))


def test_each_ticket_gets_one_event_that_names_the_version_and_replays(house: House) -> None:
    tickets = in_torre(house)

    done = run(published(house, DOUBT))

    assert (done.status, done.done, done.total, done.changed, done.doubted, done.withdrawn) == (WorkStatus.DONE, 3, 3, 3, 3, 0)
    assert not OutboxEntry.objects.filter(subject=done.pk).exists()
    for ticket in tickets:
        (event,) = settled(ticket)
        assert (event.ticket_type_version, event.content["cause"]["version"], event.member) == (2, 2, house.davi)
        assert (status(house, ticket), Ticket.objects.get(pk=ticket.pk).stale_count) == ("needs_confirmation", 1)
        tenancy.enter(house.organization.pk)
        assert_replays(ticket)


def test_a_withdrawal_puts_in_doubt_what_rests_on_it_and_is_a_correction(house: House) -> None:
    (ticket,) = in_torre(house, 1)

    assert run(published(house, WITHDRAW)).withdrawn == 1

    found = Correction.objects.get(ticket=ticket, act="unfit")
    assert (found.old, found.label, found.cause) == ("Torre", "Bairro", "")
    assert (status(house, ticket), status(house, ticket, "/facts/horario")) == ("open", "needs_confirmation")


def test_the_correction_of_a_field_that_is_gone_has_its_last_label(house: House) -> None:
    (ticket,) = in_torre(house, 1)
    document = ticket_type()
    del document["fields"]["/facts/horario"]
    document["fields"]["/facts/bairro"]["invalidates"] = ["commitments:visit"]

    run(published(house, document=document))  # nobody chose

    found = Correction.objects.get(ticket=ticket)
    assert (found.pointer, found.label, found.old) == ("/facts/horario", "Horário", "14h")


def test_what_is_kept_stays_and_the_ticket_keeps_its_place(house: House) -> None:
    (ticket,) = in_torre(house, 1)
    before = Ticket.objects.get(pk=ticket.pk)

    done = run(published(house, KEEP))

    after = Ticket.objects.get(pk=ticket.pk)
    assert (done.changed, after.state_version, after.updated_at) == (0, before.state_version, before.updated_at)


def test_after_a_lost_worker_it_goes_on_and_no_ticket_gets_a_second_event(house: House) -> None:
    tickets = in_torre(house, 4)
    row = published(house, DOUBT)
    assert publications._slice(house.organization, row.pk, 2)  # then the worker dies
    first = min(tickets, key=lambda ticket: ticket.pk)
    house.api().post(f"tickets/{first.pk}/slots/confirm", {"path": "/facts/bairro", "expected_version": 3})
    tenancy.enter(house.organization.pk)
    assert Publication.objects.get(pk=row.pk).done == 2

    done = run(row, step=2)
    run(row)  # the job comes once more

    assert (done.done, done.changed) == (4, 4)
    assert [len(settled(ticket)) for ticket in tickets] == [1, 1, 1, 1]
    assert status(house, first) == "current"  # what a person confirmed meanwhile is not doubted again


class _Killed(Exception):
    pass


def test_a_worker_that_dies_within_a_slice_leaves_nothing_of_it(house: House) -> None:
    tickets = in_torre(house, 3)
    row = published(house, DOUBT)

    @transaction.atomic
    def dies_before_it_commits() -> None:
        publications._slice(house.organization, row.pk, 2)
        raise _Killed

    with pytest.raises(_Killed):
        dies_before_it_commits()
    assert [len(settled(ticket)) for ticket in tickets] == [0, 0, 0]

    done = run(row, step=2)

    assert (done.done, [len(settled(ticket)) for ticket in tickets]) == (3, [1, 1, 1])
    for ticket in tickets:
        assert_replays(ticket)


def test_closed_tickets_are_left_alone_unless_they_are_asked_for(house: House) -> None:
    open_one, closed = in_torre(house, 2)
    update_ticket(member=house.ana, ticket_id=closed.pk, status="closed")

    assert run(published(house, DOUBT)).total == 1
    assert (len(settled(open_one)), len(settled(closed))) == (1, 0)

    again = narrower(label="Outro")
    assert run(published(house, DOUBT, document=again, closed=True)).total == 2
    assert len(settled(closed)) == 1


def test_what_is_undecided_is_judged_by_the_new_version(house: House) -> None:
    (ticket,) = in_torre(house, 1)
    message = say(house, ticket, "agora é Graças, às 15h")
    bairro, horario = propose(
        house, ticket, change("/facts/bairro", "Graças", (message, "Graças")), change("/facts/horario", "15h", (message, "15h"))
    )
    tenancy.enter(house.organization.pk)

    done = run(published(house, KEEP))

    refused = ProposedChange.objects.get(pk=bairro["id"])
    assert (refused.status, refused.reasons[0]["code"]) == ("refused", "schema.invalid_value")
    assert ProposedChange.objects.get(pk=horario["id"]).status == "pending"
    assert done.judged == 1
    assert Ticket.objects.get(pk=ticket.pk).pending_count == 1


def test_a_later_version_takes_over_what_an_earlier_one_has_not_done(house: House) -> None:
    in_torre(house, 1)
    first = published(house, WITHDRAW)
    second = published(house, DOUBT, document=narrower(label="Outro"))

    assert run(first).status == WorkStatus.CANCELLED
    assert (run(second).status, Publication.objects.get(pk=first.pk).changed) == (WorkStatus.DONE, 0)


def test_a_first_version_has_nothing_to_do_to_tickets(house: House) -> None:
    version, _ = publish_ticket_type(member=house.davi, document=ticket_type("nova"))

    assert not Publication.objects.filter(version=version).exists()


def test_what_cannot_become_of_a_misfit_is_refused_before_anything_is_published(house: House) -> None:
    with pytest.raises(InvalidInput, match=r"publication\.fate"):
        published(house, Choice("/facts/bairro", Why.GONE, Fate.CONFIRM))
    assert TicketTypeVersion.objects.filter(ticket_type__slug="assistencia").count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_publication_take_turns() -> None:
    house = make_house()
    tickets = in_torre(house, 6)
    row = published(house, DOUBT)

    def work() -> None:
        with tenancy.organization(house.organization.pk):
            run_publication(organization_id=row.organization_id, publication_id=row.pk, step=1)
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    tenancy.enter(house.organization.pk)
    assert [len(settled(ticket)) for ticket in tickets] == [1] * 6
    assert Publication.objects.get(pk=row.pk).changed == 6
