"""What tampering leaves behind, column by column, on the real tables; and kept states that the log does not give."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from atendimento import ledger, proof
from atendimento.models import LedgerEvent, StateSnapshot, Ticket, TicketState
from atendimento.proof import Finding
from tests import settings as test_settings
from tests.atendimento.test_ledger import versions
from tests.builders import House, assert_replays, make_house, make_ticket, say

UNTOUCHED = {"id"}
"""A row's own key: no other row, and no reading, hangs on it."""

TAMPERING: dict[str, tuple[str, tuple[int, str]]] = {
    "version": ("version = 9 WHERE version = 2", (2, "version")),
    "kind": ("kind = 'decision' WHERE version = 2", (2, "hash")),
    "actor": ('actor = \'{"member":null,"name":"x"}\' WHERE version = 1', (1, "hash")),
    "at": ("at = at + interval '1 second' WHERE version = 3", (3, "hash")),
    "ticket_type_version": ("ticket_type_version = 7 WHERE version = 2", (2, "hash")),
    "content": ("content = replace(content, 'B2', 'B9') WHERE version = 2", (2, "content")),
    "salt": ("salt = 'x' WHERE version = 1", (1, "content")),
    "content_digest": ("content_digest = repeat('a', 64) WHERE version = 2", (2, "hash")),
    "previous_hash": ("previous_hash = repeat('a', 64) WHERE version = 2", (2, "previous")),
    "hash": ("hash = repeat('a', 64) WHERE version = 1", (1, "hash")),
    "member_id": ("member_id = NULL WHERE version = 2", (2, "member")),
    "pointers": ("pointers = '{/goal}' WHERE version = 2", (2, "pointers")),
    "sources": ("sources = '{customer}' WHERE version = 3", (3, "sources")),
    "through_message": ("through_message = 1 WHERE version = 2", (2, "through_message")),
    # A row of another ticket, or of another organisation, is missing where it belongs.
    "ticket_id": ("ticket_id = (SELECT id FROM atendimento_ticket WHERE subject = 'outro') WHERE version = 3", (3, "head")),
    "organization_id": (
        "organization_id = (SELECT id FROM atendimento_organization WHERE slug = 'outra') WHERE version = 2",
        (2, "version"),
    ),
}


@pytest.fixture
def owner(transactional_db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(test_settings.POSTGRES.url("postgres", test_settings.TEST_DATABASE), autocommit=True) as link:
        yield link


@pytest.fixture
def three(owner: psycopg.Connection, settings: Any) -> Ticket:
    """A ticket with three versions, the second kept as a snapshot; another ticket, and another organisation."""
    settings.SNAPSHOT_EVERY = 2
    settings.OPENAI_BASE_URL = ""  # nothing is queued that a worker of another test would take up
    make_house("outra")
    house = make_house()
    ticket = make_ticket(house)
    other = make_ticket(house, "c-2")
    Ticket.objects.filter(pk=other.pk).update(subject="outro")
    say(house, ticket, "oi")
    versions(house, ticket, 3)
    assert proof.verify(ticket.pk) == []
    return ticket


def told() -> str:
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify_history", stderr=out)
    return out.getvalue()


def test_every_column_of_the_ledger_is_tried() -> None:
    columns = {field.column for field in LedgerEvent._meta.concrete_fields}

    assert columns == TAMPERING.keys() | UNTOUCHED


@pytest.mark.parametrize("column", TAMPERING)
def test_tampering_with_a_column_is_found_and_said_where(owner: psycopg.Connection, three: Ticket, column: str) -> None:
    statement, expected = TAMPERING[column]

    owner.execute(f"UPDATE atendimento_ledgerevent SET {statement}".encode())  # noqa: S608 - words of this file

    assert Finding(three.pk, *expected) in proof.verify(three.pk)
    version, what = expected
    assert f"casa {three.protocol} ({three.pk}), version {version}: {what} does not agree" in told()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DELETE FROM atendimento_ledgerevent WHERE version = 2", (2, "version")),
        ("DELETE FROM atendimento_ledgerevent WHERE version = 3", (3, "head")),
        ("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')", (3, "projection")),
        ("UPDATE atendimento_ticketstate SET slots = replace(slots, 'agent', 'registry')", (3, "projection")),
        ("UPDATE atendimento_ticketstate SET minted = '{\"commitments\":4}'", (3, "projection")),
        ("UPDATE atendimento_ticketstate SET head_hash = repeat('a', 64)", (3, "head")),
        ("UPDATE atendimento_ticketstate SET version = 2", (2, "head")),
        ("UPDATE atendimento_ticket SET state_version = 2", (3, "head")),
        ("UPDATE atendimento_statesnapshot SET values = replace(values, 'B2', 'B9')", (2, "snapshot")),
        ("UPDATE atendimento_statesnapshot SET slots = replace(slots, 'agent', 'registry')", (2, "snapshot")),
        ("UPDATE atendimento_statesnapshot SET minted = '{\"commitments\":4}'", (2, "snapshot")),
        ("UPDATE atendimento_statesnapshot SET version = 3", (3, "snapshot")),
        ("UPDATE atendimento_statesnapshot SET version = 8", (8, "snapshot")),
    ],
)
def test_a_log_with_a_gap_and_a_kept_state_that_it_does_not_give_are_found(
    owner: psycopg.Connection, three: Ticket, statement: str, expected: tuple[int, str]
) -> None:
    owner.execute(statement.encode())

    assert Finding(three.pk, *expected) in proof.verify(three.pk)


def test_the_stored_state_is_set_beside_the_log_s_and_nothing_is_written(owner: psycopg.Connection, three: Ticket) -> None:
    owner.execute("UPDATE atendimento_ticketstate SET values = replace(values, 'B3', 'B9')")

    found, state = proof.compare_with_log(three.pk)

    assert found.differs == ("/facts/bairro",)
    assert state is not None
    assert state.values["facts"] == {"bairro": "B3"}
    assert TicketState.objects.get(ticket=three).values["facts"] == {"bairro": "B9"}


def test_from_a_log_that_does_not_verify_no_state_is_had(owner: psycopg.Connection, three: Ticket) -> None:
    owner.execute("UPDATE atendimento_ledgerevent SET content = replace(content, 'B2', 'B9') WHERE version = 2")

    found, state = proof.compare_with_log(three.pk)

    assert (state, found.unsound) == (None, (Finding(three.pk, 2, "content"),))


# --- snapshots ----------------------------------------------------------------------------------------------------


def test_a_snapshot_is_kept_with_the_version_that_it_is_of(house: House, ticket: Ticket, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = 3
    versions(house, ticket, 7)

    assert list(StateSnapshot.objects.order_by("version").values_list("version", flat=True)) == [3, 6]
    assert_replays(ticket)


def test_what_does_not_commit_keeps_no_snapshot(house: House, ticket: Ticket, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = 1
    with transaction.atomic():
        versions(house, ticket, 1)
        transaction.set_rollback(True)

    assert not StateSnapshot.objects.exists()


def test_reading_a_version_needs_no_event_beyond_its_snapshot(owner: psycopg.Connection, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = 4
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 20)
    for version in range(21):
        state = ledger.state_at(ticket.pk, version)
        assert state is not None
        assert state.version == version
        assert state.values["facts"] == ({"bairro": f"B{version}"} if version else {})
    # Whatever lies outside of the stretch between two snapshots is not read.
    owner.execute("DELETE FROM atendimento_ledgerevent WHERE version <= 8 OR version > 12")

    for version in (8, 9, 10, 11, 12):
        state = ledger.state_at(ticket.pk, version)
        assert state is not None
        assert state.values["facts"] == {"bairro": f"B{version}"}


def test_what_is_erased_is_walked_around_or_not_there(owner: psycopg.Connection, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = 4
    house = make_house()
    ticket = make_ticket(house)
    versions(house, ticket, 9)
    owner.execute("UPDATE atendimento_ledgerevent SET content = NULL, salt = NULL WHERE version = 6")

    near = ledger.state_at(ticket.pk, 6)
    assert near is not None
    assert near.values["facts"] == {"bairro": "B6"}  # unwound from version 8
    assert ledger.state_at(ticket.pk, 5) is not None
    owner.execute("UPDATE atendimento_ledgerevent SET content = NULL, salt = NULL WHERE version = 7")
    assert ledger.state_at(ticket.pk, 6) is None
    assert proof.verify(ticket.pk) == []
