"""Places at the endpoint: no more requests at once than are set, whoever asks; what waits loses no try and is soon next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from atendimento import locks
from atendimento.actions import asking, gate
from atendimento.actions.propose import propose_changes
from atendimento.actions.rebuilds import start_rereading
from atendimento.actions.rereading import read_on
from atendimento.models import OutboxEntry, Proposal, RunStatus, Ticket
from atendimento.tasks import sweep_outbox
from memoria.extraction import Usage
from tests import settings as test_settings
from tests.atendimento.test_runs import TORRE
from tests.builders import House, make_ticket, say
from tests.support.model_server import ModelServer


@contextmanager
def taken(*places: int) -> Iterator[None]:
    """Another worker has these places."""
    number = gate._number(asking.endpoint().identity)
    with psycopg.connect(test_settings.POSTGRES.url("lastro_app", test_settings.TEST_DATABASE)) as other:
        for place in places:
            other.execute("SELECT pg_advisory_lock(%s, %s)", [number, place])
        yield


def held() -> int:
    """Places that this session has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND pid = pg_backend_pid()")
        (number,) = cursor.fetchone()
    return int(number)


def deliver(house: House, row: Proposal) -> Proposal:
    propose_changes(organization_id=house.organization.pk, proposal_id=row.pk)
    row.refresh_from_db()
    return row


def test_where_every_place_is_taken_a_run_waits_without_a_try_and_goes_on_once_one_is_free(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_CONCURRENCY = 2
    say(house, ticket, "Moro em Torre")
    model_server.answer(TORRE)
    row = Proposal.objects.get()

    with taken(0, 1):
        row = deliver(house, row)
        assert (row.status, row.waits_for, row.attempts, len(model_server.chats)) == (RunStatus.QUEUED, "slot", 0, 0)
        assert row.not_before is not None
        assert timedelta() < row.not_before - timezone.now() <= timedelta(seconds=30)
        assert OutboxEntry.objects.get().due_at == row.not_before
    Proposal.objects.update(not_before=timezone.now() - timedelta(seconds=1))

    # A dead worker gives its places back: its session is over.
    with taken(0):
        row = deliver(house, row)
    assert (row.status, row.waits_for, row.attempts) == (RunStatus.READY, "", 1)
    assert held() == 0


@pytest.mark.parametrize("fault", ["fails", "refuses", "breaks off"])
def test_a_place_is_given_back_however_the_request_ends(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any, fault: str
) -> None:
    settings.MODEL_CONCURRENCY = 1
    say(house, ticket, "Moro em Torre")
    {"fails": lambda: model_server.fail(503), "refuses": model_server.refuse, "breaks off": model_server.cut_connection}[
        fault
    ]()

    deliver(house, Proposal.objects.get())

    assert len(model_server.chats) == 1
    assert held() == 0


def test_a_place_that_falls_free_goes_to_who_has_waited_longest(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_CONCURRENCY = 1
    others = [make_ticket(house, f"cli-{number}") for number in range(2, 4)]
    for one in (ticket, *others):
        say(house, one, "Moro em Torre")
    first, second, third = Proposal.objects.order_by("created_at")
    with taken(0):
        assert [deliver(house, row).waits_for for row in (second, third)] == ["slot", "slot"]

    deliver(house, first)

    second.refresh_from_db()
    third.refresh_from_db()
    assert (second.waits_for, third.waits_for) == ("", "slot")
    assert second.not_before is not None
    assert second.not_before <= timezone.now()
    assert OutboxEntry.objects.get(subject=second.pk).due_at <= timezone.now()


def test_a_reading_of_old_messages_waits_for_a_place_too_and_is_woken_after_the_new_ones(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_CONCURRENCY = 1
    other = make_ticket(house, "cli-2")
    say(house, other, "Moro em Torre")
    Proposal.objects.update(status=RunStatus.SUPERSEDED)
    old = start_rereading(organization=house.organization, member=house.celia, ticket_id=other.pk)
    for one in (ticket, make_ticket(house, "cli-3")):
        say(house, one, "Moro em Torre")
    first, second = Proposal.objects.filter(status=RunStatus.QUEUED).order_by("created_at")
    with taken(0):
        read_on(organization_id=house.organization.pk, rebuild_id=old.pk)
        assert deliver(house, second).waits_for == "slot"
    old.refresh_from_db()
    assert old.waits_for == "slot"

    deliver(house, first)
    second.refresh_from_db()
    old.refresh_from_db()
    assert (second.waits_for, old.waits_for) == ("", "slot")
    deliver(house, second)
    old.refresh_from_db()
    assert old.waits_for == ""
    assert OutboxEntry.objects.get(subject=old.pk).due_at <= timezone.now()

    # Its own place goes on as well.
    third = make_ticket(house, "cli-4")
    say(house, third, "Moro em Torre")
    row = Proposal.objects.get(status=RunStatus.QUEUED)
    with taken(0):
        assert deliver(house, row).waits_for == "slot"
    read_on(organization_id=house.organization.pk, rebuild_id=old.pk)
    row.refresh_from_db()
    assert (row.waits_for, held()) == ("", 0)


def _lose_the_connection_and_fail(other: psycopg.Connection[Any]) -> None:
    with locks.held(7, 7) as ours:
        assert ours
        other.execute("SELECT pg_terminate_backend(%s)", [_session()])
        raise ZeroDivisionError


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_cannot_be_given_back_hides_no_error_and_ends_with_its_connection() -> None:
    with psycopg.connect(test_settings.POSTGRES.url("postgres", test_settings.TEST_DATABASE), autocommit=True) as other:
        with pytest.raises(ZeroDivisionError):
            _lose_the_connection_and_fail(other)
        other.execute("SELECT pg_advisory_lock(7, 7)")  # free, or this waits for ever
    assert held() == 0  # and the connection is a new one


@pytest.mark.django_db(transaction=True)
def test_a_worker_keeps_its_connection_from_task_to_task_and_takes_a_new_one_where_the_database_dropped_it() -> None:
    assert sweep_outbox.apply().get() is None
    first = _session()
    assert sweep_outbox.apply().get() is None
    assert _session() == first
    with psycopg.connect(test_settings.POSTGRES.url("postgres", test_settings.TEST_DATABASE), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [first])
    assert sweep_outbox.apply().get() is None
    assert _session() != first


def _session() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(pid)


def test_without_a_limit_no_place_is_asked_for(house: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(house, ticket, "Moro em Torre")
    with taken(0, 1, 2):
        assert deliver(house, Proposal.objects.get()).status == RunStatus.READY


@pytest.mark.parametrize(
    ("prices", "usage", "cost"),
    [
        ((None, None, None), Usage(1000, 100, 500), None),
        (("2", None, "10"), Usage(1000, 100, 0), "0.003"),
        (("2", "0.2", "10"), Usage(1000, 100, 500), "0.0021"),
        (("2", None, "10"), Usage(1000, 100, 500), "0.003"),  # what was cached costs as much where nothing else is set
        ((None, None, "10"), Usage(1000, 100, 0), "0.001"),
        (("2", "0.2", None), Usage(100, 100, 500), "0.00002"),  # a server that counts more cached than there was
    ],
)
def test_what_an_answer_costs_is_what_the_prices_say(
    settings: Any, prices: tuple[str | None, ...], usage: Usage, cost: str | None
) -> None:
    names = ("MODEL_PRICE_INPUT", "MODEL_PRICE_CACHED", "MODEL_PRICE_OUTPUT")
    for name, price in zip(names, prices, strict=True):
        setattr(settings, name, None if price is None else Decimal(price))
    assert gate.price(usage) == (None if cost is None else Decimal(cost))


def test_a_day_begins_at_the_organisation_s_own_midnight(house: House) -> None:
    house.organization.timezone = "America/Sao_Paulo"
    late = datetime.fromisoformat("2026-03-10T02:30:00+00:00")
    assert str(gate.today(house.organization, late)) == "2026-03-09"
    assert gate.tomorrow(house.organization, late).isoformat() == "2026-03-10T00:00:00-03:00"
