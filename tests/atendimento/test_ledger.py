"""The log is append-only, the chain tells of tampering, and any version can be folded from either end."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import ProgrammingError, connection, transaction

from atendimento import actions, ledger, proof
from atendimento.models import LedgerEvent, Ticket
from tests import settings
from tests.builders import House, assert_replays, make_house, make_ticket


def versions(house: House, ticket: Ticket, count: int) -> None:
    for version in range(count):
        actions.set_slot(
            member=house.ana,
            ticket_id=ticket.pk,
            path="/facts/bairro",
            value=f"B{version + 1}",
            expected_version=version,
        )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE atendimento_ledgerevent SET kind = 'x'",
        "DELETE FROM atendimento_ledgerevent",
        "TRUNCATE atendimento_ledgerevent",
        "UPDATE atendimento_tickettypeversion SET number = 9",
        "DELETE FROM atendimento_tickettypeversion",
        "UPDATE atendimento_statesnapshot SET version = 9",
        "DELETE FROM atendimento_statesnapshot",
        "TRUNCATE atendimento_statesnapshot",
    ],
)
def test_the_application_s_role_cannot_change_what_happened(house: House, ticket: Ticket, statement: str) -> None:
    versions(house, ticket, 1)

    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert_replays(ticket)


def test_a_version_is_written_once(house: House, ticket: Ticket) -> None:
    versions(house, ticket, 1)
    row = LedgerEvent.objects.get()
    row.pk = None

    with pytest.raises(Exception, match="ledger_version_unique"), transaction.atomic():
        row.save(force_insert=True)


def test_any_version_is_folded_from_the_nearer_end(house: House, ticket: Ticket) -> None:
    versions(house, ticket, 7)

    for version in range(1, 8):
        state = ledger.state_at(ticket.pk, version)
        assert state is not None
        assert (state.version, state.values["facts"]) == (version, {"bairro": f"B{version}"})
        assert state.slots["/facts/bairro"].since_version == version
    assert ledger.state_at(ticket.pk, 8) is None
    assert ledger.state_at(ticket.pk, -1) is None


def test_reading_far_back_reads_few_events(house: House, ticket: Ticket) -> None:
    versions(house, ticket, 3)

    assert [event.version for event in ledger.events_between(ticket.pk, 1, 3)] == [2, 3]


@pytest.fixture
def owner(transactional_db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(settings.POSTGRES.url("postgres", settings.TEST_DATABASE), autocommit=True) as link:
        yield link


def test_an_erased_event_leaves_the_chain_whole(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)

    owner.execute("UPDATE atendimento_ledgerevent SET content = NULL, salt = NULL WHERE version = 2")

    assert proof.verify(ticket.pk) == []
