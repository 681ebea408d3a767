"""Tests stand where the application stands: its role, its rights, a database emptied between them."""

from __future__ import annotations

import pytest
from django.db import ProgrammingError, connection, connections, transaction

from atendimento import embedded


@pytest.mark.django_db
def test_tests_run_as_the_application_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (embedded.APP, False)


@pytest.mark.django_db
def test_the_application_changes_no_table() -> None:
    with connection.cursor() as cursor, pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        cursor.execute("CREATE TABLE intruder ()")


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_owner_owns_the_same_database() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT current_user, current_database()")
        assert cursor.fetchone() == (embedded.OWNER, connection.settings_dict["NAME"])


@pytest.mark.parametrize("turn", [1, 2])
def test_committed_rows_are_gone_in_the_next_test(transactional_db: None, turn: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_session")
        assert cursor.fetchone() == (0,)
        cursor.execute("INSERT INTO django_session VALUES (%s, '', now())", [f"turn-{turn}"])
