"""The log is append-only, the chain tells of tampering, and any version can be folded from either end."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import ProgrammingError, connection, transaction

from atendimento import actions, ledger
from atendimento.ledger import Finding
from atendimento.models import LedgerEvent, Ticket, TicketState
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


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE atendimento_ledgerevent SET content = replace(content, 'B2', 'B9') WHERE version = 2", (2, "content")),
        ("UPDATE atendimento_ledgerevent SET kind = 'decision' WHERE version = 2", (2, "hash")),
        ("UPDATE atendimento_ledgerevent SET at = at + interval '1 second' WHERE version = 3", (3, "hash")),
        ('UPDATE atendimento_ledgerevent SET actor = \'{"member":null,"name":"x"}\' WHERE version = 1', (1, "hash")),
        ("UPDATE atendimento_ledgerevent SET hash = repeat('0', 64) WHERE version = 1", (1, "hash")),
        ("UPDATE atendimento_ledgerevent SET salt = 'x' WHERE version = 1", (1, "content")),
        ("DELETE FROM atendimento_ledgerevent WHERE version = 2", (2, "version")),
        ("DELETE FROM atendimento_ledgerevent WHERE version = 3", (3, "head")),
        ("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')", (3, "projection")),
        ("UPDATE atendimento_ticketstate SET version = 2", (2, "head")),
    ],
)
def test_tampering_is_found_and_said_where(owner: psycopg.Connection, statement: str, expected: tuple[int, str]) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    assert ledger.verify(ticket.pk) == []

    owner.execute(statement.encode())

    assert Finding(ticket.pk, *expected) in ledger.verify(ticket.pk)


def test_an_erased_event_leaves_the_chain_whole(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)

    owner.execute("UPDATE atendimento_ledgerevent SET content = NULL, salt = NULL WHERE version = 2")

    assert ledger.verify(ticket.pk) == []


def test_the_projection_is_written_anew_from_the_log(owner: psycopg.Connection) -> None:
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 3)
    owner.execute("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')")

    with transaction.atomic():
        assert ledger.rebuild(house.organization, ticket.pk) is True
    with transaction.atomic():
        assert ledger.rebuild(house.organization, ticket.pk) is False

    assert TicketState.objects.get().values["facts"] == {"bairro": "B3"}
    assert_replays(ticket)
