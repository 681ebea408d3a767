"""The walls between organisations are the database's, whatever a query forgets."""

from __future__ import annotations

import psycopg
import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from psycopg_pool import ConnectionPool

from atendimento import embedded, settings, tenancy
from atendimento.models import Customer, Message, Organization, Ticket
from tests import settings as test_settings
from tests.builders import House, make_house, make_ticket, say

# Read before it is known whose request it is.
OUTSIDE = {
    "apitoken",
    "membership",
    "organization",
    "user",
    "outboxentry",
    "endpointmode",
    "endpointhealth",
    "prompttext",
    "invitation",
    "singlesignon",
}


def tables() -> dict[str, bool]:
    """Our tables, and whether row security covers each."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relrowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)"
            " FROM pg_class WHERE relkind = 'r' AND starts_with(relname::text, 'atendimento_')"
        )
        return {name.removeprefix("atendimento_"): inside for name, inside in cursor.fetchall()}


def test_every_table_is_inside_or_named_here_as_outside(db: None) -> None:
    many_to_many = {"user_groups", "user_user_permissions"}

    assert {name for name, inside in tables().items() if not inside} == OUTSIDE | many_to_many


def test_the_tests_connect_as_the_application_s_role(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == ("lastro_app", False)


def test_without_an_organisation_nothing_is_seen(house: House, ticket: Ticket) -> None:
    say(house, ticket, "oi")
    tenancy.leave()

    assert (Ticket.objects.count(), Message.objects.count(), Customer.objects.count()) == (0, 0, 0)


def test_another_organisation_s_rows_are_neither_seen_nor_changed_nor_removed(house: House, ticket: Ticket) -> None:
    other = make_house("outra")

    assert Ticket.objects.filter(pk=ticket.pk).count() == 0
    assert Ticket.objects.filter(pk=ticket.pk).update(subject="x") == 0
    with tenancy.organization(other.organization.pk):
        assert Ticket.objects.all().delete()[0] == 0
    tenancy.enter(house.organization.pk)
    assert Ticket.objects.get().subject == "Geladeira parada"


def test_no_row_is_written_into_another_organisation(house: House) -> None:
    other = Organization.objects.create(slug="outra", name="Outra")

    with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
        Customer.objects.create(organization=other, external_id="x")
    Customer.objects.create(organization=house.organization, external_id="x")
    with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
        Customer.objects.update(organization=other)


def test_the_organisation_is_cleared_after_the_block_even_when_it_fails(house: House) -> None:
    tenancy.leave()
    with pytest.raises(RuntimeError), tenancy.organization(house.organization.pk):
        raise RuntimeError

    assert Ticket.objects.count() == 0


def test_a_connection_of_the_pool_forgets_whom_it_worked_for(db: None) -> None:
    options = settings.with_pool({"OPTIONS": {}}, 1)["OPTIONS"]["pool"]
    arguments = connection.get_connection_params() | {"autocommit": True}
    asked = "SELECT nullif(current_setting('lastro.organization', true), '')"
    with ConnectionPool(kwargs=arguments, open=True, **options) as connections:
        with connections.connection() as lent:
            lent.execute("SELECT set_config('lastro.organization', '7', false)")
        with connections.connection() as lent:
            assert lent.execute(asked).fetchone() == (None,)


def test_protocols_are_unique_in_an_organisation_and_free_in_another(house: House, ticket: Ticket) -> None:
    other = make_house("outra")
    assert make_ticket(other).protocol == ticket.protocol

    tenancy.enter(house.organization.pk)
    second = make_ticket(house, "c-2")
    with pytest.raises(IntegrityError), transaction.atomic():
        Ticket.objects.filter(pk=second.pk).update(protocol=ticket.protocol)


def test_a_connection_that_the_database_dropped_fails_no_request_and_carries_nothing_over(transactional_db: None) -> None:
    house = make_house()
    make_ticket(house)
    tenancy.enter(house.organization.pk)
    assert Ticket.objects.count() == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (number,) = cursor.fetchone()
    url = test_settings.POSTGRES.url(embedded.SUPERUSER, test_settings.TEST_DATABASE)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 10000)", [number])

    tenancy.leave()

    assert Ticket.objects.count() == 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (number,)
