"""Erasing beside other work (L2, L4): what publishes, reads, exports or holds at the same time finds it, or is found by it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from atendimento import actions, tenancy
from atendimento.actions import erasing_files, erasures, exports, holds, publications, rereading, retention
from atendimento.actions.expiring import expire_values
from atendimento.actions.faults import InvalidInput
from atendimento.actions.import_writing import write_import
from atendimento.actions.imports import Plan, begin_import, preview_import
from atendimento.actions.merging import merge_ticket
from atendimento.actions.rereading import read_on
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.waking import wake
from atendimento.models import (
    Customer,
    CustomerExport,
    ErasureRequest,
    ErasureStatus,
    Import,
    ImportedTicket,
    ImportFile,
    LegalHold,
    OutboxEntry,
    Proposal,
    Publication,
    Ticket,
)
from tests.atendimento.test_erasure import CHAT, canary_ticket, erase
from tests.atendimento.test_rebuilds import begin
from tests.atendimento.test_runs import run
from tests.builders import House, change, make_house, make_ticket, say, ticket_type
from tests.support import canary
from tests.support.canary import CANARY
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def house(transactional_db: None) -> House:
    return make_house()


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[psycopg.Connection]:
    with canary.superuser() as link:
        yield link


def test_an_erased_ticket_waits_for_nobody(house: House) -> None:
    waits, sleeps = canary_ticket(house), make_ticket(house, f"{CANARY}-ext")
    merged = make_ticket(house, f"{CANARY}-ext")
    say(house, waits, "alguém aí?")
    until = datetime.now(UTC) + timedelta(days=1)
    actions.update_ticket(member=house.ana, ticket_id=sleeps.pk, status="snoozed", snoozed_until=until)
    merge_ticket(member=house.celia, ticket_id=merged.pk, into=waits.protocol)
    assert Ticket.objects.get(pk=waits.pk).waiting_since is not None

    assert erase(house, waits).done == 3

    for ticket in (waits, sleeps):
        row = Ticket.objects.get(pk=ticket.pk)
        assert (row.status, row.snoozed_until, row.waiting_since, row.assignee) == ("closed", None, None, None)
        assert row.closed_at is not None
    assert Ticket.objects.get(pk=merged.pk).status == "merged"


def test_an_erased_ticket_does_not_stand_in_the_way_of_a_publication(house: House) -> None:
    gone, other = canary_ticket(house), make_ticket(house, "cli-2")
    erase(house, gone)
    Ticket.objects.filter(pk=gone.pk).update(status="open", closed_at=None)  # as one that was erased long ago
    version, _new = publish_ticket_type(member=house.davi, document=ticket_type(name="Outro"))
    row = Publication.objects.get(version=version)

    with transaction.atomic():
        publications._see_to(row, house.organization, gone.pk, {})  # erased while the slice waited for its lock
    publications.run_publication(organization_id=house.organization.pk, publication_id=row.pk)

    row.refresh_from_db()
    assert (row.status, row.done, row.after) == ("done", 1, other.pk)


def test_the_clock_finds_nothing_to_do_in_an_erased_ticket(house: House) -> None:
    ticket = canary_ticket(house)
    erase(house, ticket)
    moment = datetime.now(UTC)
    # As the sweeps found them just before.
    Ticket.objects.filter(pk=ticket.pk).update(status="open", next_expiry=moment)

    assert expire_values(house.organization, moment) == 0
    assert not wake(organization_id=house.organization.pk, ticket_id=ticket.pk)
    assert not OutboxEntry.objects.filter(subject=ticket.pk).exists()


def erased_meanwhile(house: House, ticket: Ticket, model: ModelServer) -> None:
    """Have the model's server erase the customer before it answers with words of theirs."""
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    erasures.approve(member=house.davi, request_id=asked.pk)

    def answer(_body: Any) -> str:
        with tenancy.organization(house.organization.pk):
            erasures.work(organization_id=house.organization.pk, request_id=asked.pk)
        connections.close_all()
        return json.dumps({"changes": [change("/facts/bairro", CANARY, ("m-1", f"{CANARY} mora"))]})

    model.answer_with(answer)


@pytest.mark.parametrize("again", [False, True], ids=["a run", "a new reading"])
def test_what_a_model_answers_about_a_ticket_erased_meanwhile_is_written_nowhere(
    house: House, model_server: ModelServer, again: bool
) -> None:
    ticket = canary_ticket(house)
    say(house, ticket, f"{CANARY} mora no Derby", name=CANARY)
    row = begin(house, ticket) if again else Proposal.objects.get()
    erased_meanwhile(house, ticket, model_server)

    if again:
        read_on(organization_id=house.organization.pk, rebuild_id=row.pk)
    else:
        run(house, Proposal.objects.get(pk=row.pk))

    row.refresh_from_db()
    assert (row.status, row.holder, len(model_server.chats)) == ("superseded", None, 1)
    assert Ticket.objects.get(pk=ticket.pk).erased_at is not None
    assert canary.everywhere() == set()


def test_a_new_reading_that_was_ended_meanwhile_asks_nothing(
    house: House, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = canary_ticket(house)
    say(house, ticket, f"{CANARY} mora no Derby", name=CANARY)
    row = begin(house, ticket)
    window = rereading._window

    def erased_after(claimed: Any) -> Any:
        found = window(claimed)
        erase(house, ticket)
        return found

    monkeypatch.setattr(rereading, "_window", erased_after)  # what happens between two steps of the worker
    read_on(organization_id=house.organization.pk, rebuild_id=row.pk)

    assert model_server.chats == []
    assert canary.everywhere() == set()


# --- exports and holds ----------------------------------------------------------------------------------------------


def approved(house: House, ticket: Ticket) -> ErasureRequest:
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    return erasures.approve(member=house.davi, request_id=asked.pk)


def test_no_file_is_made_of_a_customer_who_is_erased_or_about_to_be(house: House) -> None:
    ticket = canary_ticket(house)
    erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    exports.make_export(member=house.celia, customer_id=ticket.customer_id)
    row = approved(house, ticket)
    for _moment in ("about to be", "erased"):
        with pytest.raises(InvalidInput, match=r"erasure\.no_export"):
            exports.make_export(member=house.celia, customer_id=ticket.customer_id)
        erasures.work(organization_id=house.organization.pk, request_id=row.pk)

    assert not CustomerExport.objects.exists()
    assert canary.everywhere() == set()


def make_file(house: House, ticket: Ticket) -> object:
    return exports.make_export(member=house.celia, customer_id=ticket.customer_id)


def hold_customer(house: House, ticket: Ticket) -> LegalHold:
    return holds.place_hold(member=house.davi, customer_id=ticket.customer_id, reason="processo")


def hold_ticket(house: House, ticket: Ticket) -> LegalHold:
    return holds.place_hold(member=house.davi, ticket_id=ticket.pk, reason="processo")


def waited_for(link: psycopg.Connection, thread: threading.Thread) -> None:
    """Until somebody waits for a lock of ours."""
    until = time.monotonic() + 60
    while not link.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
        assert thread.is_alive(), "it did not wait"
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("act", [make_file, hold_customer, hold_ticket])
def test_what_comes_while_the_last_step_is_under_way_waits_and_finds_it_done(
    house: House, superuser: psycopg.Connection, act: Callable[[House, Ticket], object]
) -> None:
    ticket = canary_ticket(house)
    came: list[object] = []

    def work() -> None:
        with tenancy.organization(house.organization.pk):
            try:
                came.append(act(house, ticket))
            except InvalidInput as error:
                came.append(error.faults[0].code)
        connections.close_all()

    thread = threading.Thread(target=work)
    with canary.superuser() as erasing:
        erasing.execute("BEGIN")
        erasing.execute("UPDATE atendimento_customer SET erased_at = now(), name = '' WHERE id = %s", [ticket.customer_id])
        erasing.execute("UPDATE atendimento_ticket SET erased_at = now() WHERE id = %s", [ticket.pk])
        thread.start()
        waited_for(superuser, thread)
        erasing.execute("COMMIT")
    thread.join(60)

    assert came in (["erasure.no_export"], ["hold.erased_already"])
    assert not CustomerExport.objects.exists()
    assert not LegalHold.objects.exists()


def bring(house: House, ticket: Ticket) -> Import:
    """A file that was written into the ticket."""
    batch = preview_import(organization=house.organization, member=house.celia, file_name="x.txt", content=CHAT.encode())
    plan = Plan("assistencia", {CANARY: "customer", "Loja Centro": "agent"}, ticket=ticket.protocol)
    begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=plan)
    write_import(organization_id=house.organization.pk, import_id=batch.pk)
    return batch


@pytest.mark.parametrize(("before", "files"), [("_erase_files", 1), ("_erase_customer", 0)])
def test_a_hold_that_comes_before_a_later_step_stops_that_step(
    house: House, monkeypatch: pytest.MonkeyPatch, before: str, files: int
) -> None:
    ticket = canary_ticket(house)
    bring(house, ticket)
    row = approved(house, ticket)
    placed: list[LegalHold] = []
    step = getattr(erasures, before)

    def held_first(*args: Any) -> Any:
        if not placed:
            placed.append(holds.place_hold(member=house.davi, customer_id=ticket.customer_id, reason="processo"))
        return step(*args)

    monkeypatch.setattr(erasures, before, held_first)  # what another person does between two steps of the job
    erasures.work(organization_id=house.organization.pk, request_id=row.pk)

    row.refresh_from_db()
    assert (row.status, ImportFile.objects.count()) == (ErasureStatus.HELD, files)
    assert Customer.objects.get(pk=ticket.customer_id).erased_at is None
    holds.lift_hold(member=house.davi, hold_id=placed[0].pk)
    erasures.approve(member=house.davi, request_id=row.pk)
    erasures.work(organization_id=house.organization.pk, request_id=row.pk)
    row.refresh_from_db()
    assert (row.status, ImportFile.objects.count()) == (ErasureStatus.DONE, 0)
    assert canary.everywhere() == set()


@pytest.mark.parametrize("whole", [False, True], ids=["of the ticket", "of the customer"])
def test_a_file_that_brought_somebody_else_s_held_ticket_stays(house: House, whole: bool) -> None:
    ticket, other = canary_ticket(house), make_ticket(house, "cli-2")
    batch = bring(house, ticket)
    ImportedTicket.objects.create(
        organization=house.organization, batch=batch, position=1, ticket=other, protocol=other.protocol, made=False, numbers=[]
    )
    place = hold_customer if whole else hold_ticket
    hold = place(house, other)

    assert erase(house, ticket).status == ErasureStatus.DONE

    assert ImportFile.objects.count() == 1
    now = datetime.now(UTC)
    assert not erasing_files.over(house.organization, now, holds.held_tickets(house.organization)).exists()
    assert not retention.is_wanted(house.organization)
    holds.lift_hold(member=house.davi, hold_id=hold.pk)
    assert erasing_files.over(house.organization, now, holds.held_tickets(house.organization)).get() == batch
    # It goes with the next run, though no period is set.
    assert [(item.kind, item.days, item.count) for item in retention.due(house.organization, {}, now)] == [("imports", None, 1)]
    assert retention.is_wanted(house.organization)
    run = retention.begin_run(organization=house.organization, member=None)
    assert retention.work(organization_id=house.organization.pk, run_id=run.pk)
    assert (ImportFile.objects.count(), retention.is_wanted(house.organization)) == (0, False)
    assert canary.everywhere() == set()
