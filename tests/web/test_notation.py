"""CPF, CNPJ, CEP and telephones: shown as people write them, read as the schema spells them, never changed on the way."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.actions import slots
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, TicketState
from atendimento.selectors import notation
from tests.support import stories
from tests.support.stories import World


@pytest.mark.parametrize(
    ("kind", "stored", "shown"),
    [
        ("cpf", "12345678909", "123.456.789-09"),
        ("cpf", "123.456.789-09", "123.456.789-09"),
        ("cpf", "123 456 789 09", "123.456.789-09"),
        ("cpf", "12345678900", "123.456.789-00"),  # wrong, and shown all the same: showing is no judgement
        ("cpf", "1234567890", "1234567890"),  # one digit short
        ("cpf", "123.456.789-09 (titular)", "123.456.789-09 (titular)"),
        ("cpf", "", ""),
        ("cpf", "١٢٣٤٥٦٧٨٩٠٩", "١٢٣٤٥٦٧٨٩٠٩"),
        ("cnpj", "12345678000195", "12.345.678/0001-95"),
        ("cnpj", "12.345.678/0001-95", "12.345.678/0001-95"),
        ("cnpj", "12ABC34501DE35", "12.ABC.345/01DE-35"),  # with letters, as of July 2026
        ("cnpj", "12abc34501de35", "12.ABC.345/01DE-35"),
        ("cnpj", "12ABC34501DEAB", "12ABC34501DEAB"),  # the last two are always digits
        ("cpf-cnpj", "12345678909", "123.456.789-09"),
        ("cpf-cnpj", "12345678000195", "12.345.678/0001-95"),
        ("cep", "50030230", "50030-230"),
        ("cep", "50.030-230", "50030-230"),
        ("cep", "5003023", "5003023"),
        ("phone-br", "81999999999", "(81) 99999-9999"),
        ("phone-br", "8132221234", "(81) 3222-1234"),
        ("phone-br", "+5581999999999", "+55 (81) 99999-9999"),
        ("phone-br", "558132221234", "+55 (81) 3222-1234"),
        ("phone-br", "08001234567", "0800 123 4567"),
        ("phone-br", "999999999", "99999-9999"),
        ("phone-br", "190", "190"),
        ("phone-br", "+55 00 90000-0101", "+55 00 90000-0101"),  # no area begins with 0
        ("phone-br", "+351912345678", "+351912345678"),  # another country's, not ours to write
    ],
)
def test_a_number_is_shown_as_it_is_written_here(kind: str, stored: str, shown: str) -> None:
    assert notation.shown(kind, stored) == shown


@pytest.mark.parametrize(
    ("kind", "typed", "kept"),
    [
        ("cpf", " 123.456.789-09 ", "123.456.789-09"),
        ("cpf", "12345678909", "12345678909"),
        ("cnpj", "12.345.678/0001-95", "12.345.678/0001-95"),
        ("cnpj", "12abc34501de35", "12abc34501de35"),
        ("cep", "50030-230", "50030-230"),
        ("phone-br", "(81) 99999-9999", "(81) 99999-9999"),
        ("cpf", "", ""),
    ],
)
def test_without_a_rule_of_the_schema_it_is_kept_as_typed(kind: str, typed: str, kept: str) -> None:
    assert notation.read(kind, typed) == kept


@pytest.mark.parametrize(
    ("kind", "typed", "pattern", "longest", "kept"),
    [
        ("cpf", "123.456.789-09", "^[0-9]{11}$", None, "12345678909"),
        ("cpf", "12345678909", r"^\d{3}\.\d{3}\.\d{3}-\d{2}$", None, "123.456.789-09"),
        ("cpf", "123.456.789-09", "", 11, "12345678909"),
        ("cnpj", "12.abc.345/01de-35", "^[0-9A-Z]{12}[0-9]{2}$", None, "12ABC34501DE35"),
        ("phone-br", "(81) 99999-9999", "^[0-9]+$", None, "81999999999"),
        ("cpf", "12345678909", "^(?<nome>[0-9]+)$", None, "12345678909"),  # a pattern of JavaScript's own
    ],
)
def test_a_rule_of_the_schema_decides_the_spelling(kind: str, typed: str, pattern: str, longest: int | None, kept: str) -> None:
    assert notation.read(kind, typed, pattern=pattern, max_length=longest) == kept


def test_the_same_number_in_another_spelling_changes_nothing() -> None:
    assert notation.read("cpf", "123.456.789-09", held="12345678909") == "12345678909"
    assert notation.read("cpf", "12345678900", held="123.456.789-00") == "123.456.789-00"  # wrong since before


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("cpf", "123.456.789-00"),
        ("cpf", "111.111.111-11"),
        ("cpf", "1234567890"),
        ("cpf", "doze"),
        ("cnpj", "12.345.678/0001-96"),
        ("cnpj", "12.ABC.345/01DE-36"),
        ("cep", "00000-000"),
        ("cep", "5003-230"),
        ("phone-br", "(20) 99999-9999"),  # no such area
        ("phone-br", "(81) 19999-9999"),  # nine digits begin with 9
        ("phone-br", "12"),
        ("cpf-cnpj", "12345678900"),
    ],
)
def test_what_is_no_such_number_is_refused(kind: str, typed: str) -> None:
    with pytest.raises(notation.Misspelled):
        notation.read(kind, typed)


# --- in the console -----------------------------------------------------------------------------------------------


@pytest.fixture
def with_cpf(world: World) -> World:
    boss = Membership.objects.get(organization=world.ana.organization, role="admin")
    document: dict[str, Any] = {**stories.TICKET_TYPE, "fields": dict(stories.TICKET_TYPE["fields"])}
    document["fields"]["/identifiers/cpf"] = {
        "label": "CPF",
        "schema": {"type": "string", "format": "cpf"},
        "sources": ["registry", "customer", "agent"],
    }
    publish_ticket_type(member=boss, document=document)
    return world


def test_the_state_shows_the_mask_and_keeps_the_value(with_cpf: World, ana: Client) -> None:
    ticket = with_cpf.ticket()
    slots.set_slot(member=with_cpf.ana, ticket_id=ticket.pk, path="/identifiers/cpf", value="12345678909", expected_version=0)

    page = ana.get(f"/tickets/{ticket.pk}/?pane=state").content.decode()

    assert "123.456.789-09" in page
    assert TicketState.objects.get(ticket=ticket).values["identifiers"]["cpf"] == "12345678909"


def test_a_form_says_that_the_check_digit_does_not_match_and_keeps_what_was_typed(with_cpf: World, ana: Client) -> None:
    ticket = with_cpf.ticket()
    typed = {"path": "/identifiers/cpf", "value": "123.456.789-00", "expected_version": "0", "pane": "state"}

    answer = ana.post(f"/tickets/{ticket.pk}/set", typed)

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "O dígito verificador não confere." in page
    assert 'value="123.456.789-00"' in page
    assert "cpf" not in TicketState.objects.get(ticket=ticket).values["identifiers"]


def test_a_form_that_changes_only_the_spelling_changes_nothing(with_cpf: World, ana: Client) -> None:
    ticket = with_cpf.ticket()
    slots.set_slot(member=with_cpf.ana, ticket_id=ticket.pk, path="/identifiers/cpf", value="12345678909", expected_version=0)

    ana.post(f"/tickets/{ticket.pk}/set", {"path": "/identifiers/cpf", "value": "123.456.789-09", "expected_version": "1"})

    assert TicketState.objects.get(ticket=ticket).values["identifiers"]["cpf"] == "12345678909"
