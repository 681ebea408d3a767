"""What counts as a correction, as it is written beside the event; and what a supervisor says of its cause."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import InternalError, ProgrammingError, transaction

from atendimento import corrections, embedded
from atendimento.actions import corrections as actions
from atendimento.actions import decisions, slots
from atendimento.actions.undo import undo_version
from atendimento.models import Correction, Membership, ProposedChange, Ticket
from memoria.patch import MISSING
from tests import settings as test_settings
from tests.support import stories
from tests.support.stories import World, change


@pytest.fixture
def world(db: None) -> World:
    return stories.make()


def version_of(ticket: Ticket) -> int:
    return Ticket.objects.get(pk=ticket.pk).state_version


def written(ticket: Ticket) -> list[tuple[Any, ...]]:
    """Act, field, old, new and cause of the ticket's corrections, in order."""
    rows = Correction.objects.filter(ticket=ticket).order_by("version", "position")
    return [(row.act, row.pointer, row.old, row.new, row.cause) for row in rows]


def decide(world: World, rows: list[ProposedChange], member: Membership | None = None, **more: Any) -> None:
    ticket = rows[0].ticket
    decisions.decide_changes(
        member=member or world.ana, ticket_id=ticket.pk, expected_version=version_of(ticket), accept=[], **more
    )


def test_first_values_correct_nothing(world: World) -> None:
    assert written(stories.recife(world)) == []


def test_what_the_customer_says_anew_replaces_and_what_is_rejected_was_misread(world: World) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[:2])
    decide(world, rows, reject=[str(rows[3].pk)])

    assert written(ticket) == [
        ("replaced", "/facts/bairro", "Boa Viagem", "Madalena", "changed_mind"),
        ("replaced", "/preferences/periodo", "manhã", "tarde", "changed_mind"),
        ("rejected", "/facts/orcamento", 350, MISSING, "model_misread"),
    ]
    first, *_, last = Correction.objects.filter(ticket=ticket).order_by("id")
    assert (first.label, first.old_source, first.source, first.verdict) == (
        "Bairro da visita",
        "customer",
        "customer",
        "allowed",
    )
    assert (first.member, first.message, first.version, first.change_id) == (world.ana, 4, 2, rows[0].pk)
    assert (last.verdict, last.source, last.message) == (rows[3].verdict, rows[3].source, 6)


def test_a_recorded_divergence_replaces_nothing_and_its_settling_does(world: World) -> None:
    ticket = stories.divergence(world)
    assert written(ticket) == []
    slots.resolve_slot(
        member=world.silvia,
        ticket_id=ticket.pk,
        path="/facts/endereco",
        expected_version=version_of(ticket),
        choice="challenger",
        challenger=0,
        reason="mandou a conta de luz",
    )
    assert written(ticket) == [
        ("resolved", "/facts/endereco", "Rua das Flores, 10", "Rua do Sol, 22", "old_record"),
    ]


def test_a_kept_value_puts_away_what_stood_against_it(world: World) -> None:
    ticket = stories.divergence(world)
    slots.resolve_slot(
        member=world.ana,
        ticket_id=ticket.pk,
        path="/facts/endereco",
        expected_version=version_of(ticket),
        choice="current",
        reason="cadastro conferido",
    )
    assert written(ticket) == [("resolved", "/facts/endereco", "Rua do Sol, 22", "Rua das Flores, 10", "")]


def test_what_staff_replace_withdraw_and_undo_was_an_error_of_the_staff(world: World) -> None:
    ticket = stories.recife(world)
    asked: dict[str, Any] = {"member": world.ana, "ticket_id": ticket.pk, "path": "/facts/aparelho"}
    slots.set_slot(**asked, value="freezer", expected_version=1, reason="era outro")
    slots.set_slot(**asked, value=MISSING, expected_version=2)
    undo_version(member=world.ana, ticket_id=ticket.pk, version=3, expected_version=3, reason="me enganei")

    assert written(ticket) == [
        ("replaced", "/facts/aparelho", "geladeira", "freezer", "staff_error"),
        ("withdrawn", "/facts/aparelho", "freezer", MISSING, "staff_error"),
        ("undone", "/facts/aparelho", MISSING, "freezer", "staff_error"),
    ]


def test_taking_back_a_recorded_divergence_corrects_nothing(world: World) -> None:
    ticket = stories.divergence(world)
    version = version_of(ticket)
    undo_version(member=world.silvia, ticket_id=ticket.pk, version=version, expected_version=version, reason="era outro")
    assert version_of(ticket) == version + 1
    assert written(ticket) == []


def test_an_undone_rejection_is_one_too(world: World) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    decide(world, rows, reject=[str(rows[1].pk)])
    undo_version(member=world.ana, ticket_id=ticket.pk, version=2, expected_version=2, reason="engano")

    assert written(ticket) == [
        ("rejected", "/preferences/periodo", "tarde", MISSING, "model_misread"),
        ("undone", "/preferences/periodo", MISSING, "tarde", "staff_error"),
    ]


def test_an_edited_proposal_is_a_misreading_and_still_replaces(world: World) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    decisions.edit_change(
        member=world.ana, change_id=rows[0].pk, expected_version=1, value="Madalena, Recife", reason="com a cidade"
    )
    assert written(ticket) == [
        ("edited", "/facts/bairro", "Madalena", "Madalena, Recife", "model_misread"),
        ("replaced", "/facts/bairro", "Boa Viagem", "Madalena, Recife", "changed_mind"),
    ]


def test_the_progress_of_a_promise_is_none_and_its_cancelling_is(world: World) -> None:
    ticket = stories.recife(world)
    asked: dict[str, Any] = {"member": world.ana, "ticket_id": ticket.pk, "path": "/commitments/c-1/status"}
    slots.set_slot(**asked, value="in_progress", expected_version=1)
    assert written(ticket) == []
    slots.set_slot(**asked, value="cancelled", expected_version=2)
    assert [row[:2] for row in written(ticket)] == [("withdrawn", "/commitments/c-1/status")]
    assert Correction.objects.get().label == "consultar a agenda"


def test_a_value_is_found_without_regard_to_case_and_accents(world: World) -> None:
    assert corrections.folded("  Água\u00a0FRIA\0 ") == "agua fria"
    ticket = world.ticket()
    world.say(ticket, "comprei em 5 de março, foi caro: 1250,5")
    world.accept(world.propose(ticket, change("/facts/comprado", "2026-03-05", ("m-1", "5 de março"))))
    slots.set_slot(
        member=world.ana, ticket_id=ticket.pk, path="/facts/comprado", value="2026-03-06", expected_version=version_of(ticket)
    )
    assert "05/03/2026" in Correction.objects.get().folded_old


def test_the_application_changes_nothing_but_the_cause(world: World) -> None:
    ticket = stories.recife(world)
    slots.set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/aparelho", value="freezer", expected_version=1)
    rows = Correction.objects.filter(ticket=ticket)
    for forbidden in (lambda: rows.update(label="outro"), rows.delete):
        with pytest.raises((ProgrammingError, InternalError)), transaction.atomic():
            forbidden()
    assert rows.update(cause="changed_mind") == 1


@pytest.fixture
def owner(transactional_db: None) -> Iterator[psycopg.Connection]:
    url = test_settings.POSTGRES.url(embedded.SUPERUSER, test_settings.TEST_DATABASE)
    with psycopg.connect(url, autocommit=True) as link:
        yield link


def test_the_corrections_of_an_older_log_are_found_once_and_a_chosen_cause_stays(owner: psycopg.Connection) -> None:
    world = stories.make()
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[:2])
    decide(world, rows, reject=[str(rows[3].pk)])
    version = version_of(ticket)
    undo_version(member=world.ana, ticket_id=ticket.pk, version=version, expected_version=version, reason="era isso mesmo")
    everything = written(ticket)
    assert [row[0] for row in everything] == ["replaced", "replaced", "rejected", "undone"]
    kept = Correction.objects.get(ticket=ticket, act="undone")
    actions.choose_cause(member=world.silvia, correction_id=kept.pk, cause="old_record")
    owner.execute("DELETE FROM atendimento_correction WHERE act <> 'undone'")

    said = StringIO()
    call_command("find_corrections", org=world.ana.organization.slug, stdout=said)
    assert "3 correction(s) added from 1 ticket(s)" in said.getvalue()
    world.enter()
    assert written(ticket)[:3] == everything[:3]
    assert written(ticket)[3][4] == "old_record"
    found = Correction.objects.filter(ticket=ticket).order_by("version", "position")
    assert all(row.event.version == row.version for row in found)
    assert found[0].member == world.ana

    call_command("find_corrections", stdout=said)
    assert "0 correction(s) added" in said.getvalue().splitlines()[-1]
