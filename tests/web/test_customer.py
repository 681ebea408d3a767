"""The customer beside the conversation: contact, record, other tickets, and a change of contact that is written down."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from atendimento.actions import erasures, ticket_types
from atendimento.actions.tickets import CustomerData, create_ticket, update_ticket
from atendimento.models import Act, AdministrativeAct, Customer, CustomerExport, Membership, Team, Ticket
from atendimento.selectors import customer as pages
from atendimento.selectors import values
from atendimento.selectors.customer import Panel
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.stories import World, change

HELENA = CustomerData("5581987654321@wa", "Helena Melo", "81987654321", "helena@exemplo.test")


def another(world: World, subject: str, customer: CustomerData = HELENA) -> Ticket:
    made, _new = create_ticket(
        caller=world.channel,
        ticket_type="assistencia-tecnica",
        subject=subject,
        customer=customer,
        channel="whatsapp",
        external_id=subject,
    )
    return made


@pytest.fixture
def ticket(world: World) -> Ticket:
    return another(world, "Visita da geladeira")


def panel(client: Client, ticket: Ticket) -> Panel:
    shown = ask(client, f"/tickets/{ticket.pk}/customer").context["panel"]
    assert isinstance(shown, Panel)
    return shown


def lines(found: Any) -> dict[str, str]:
    return {line.label: line.value for line in found}


def test_contact_says_how_to_reach_the_customer(ticket: Ticket, ana: Client) -> None:
    assert lines(panel(ana, ticket).contact) == {
        "Telefone": "(81) 98765-4321",
        "E-mail": "helena@exemplo.test",
        "Canal": "WhatsApp",
        "Identificador no canal": "5581987654321@wa",
        "Identificador do atendimento lá": "Visita da geladeira",
    }


def test_the_record_is_what_a_registry_said_whether_it_holds_or_not(world: World, ana: Client) -> None:
    ticket = stories.divergence(world)
    [line] = panel(ana, ticket).record
    assert (line.label, line.value, line.source, line.message, line.chip) == (
        "Endereço",
        "Rua das Flores, 10",
        "cadastro",
        "m-1",
        None,
    )
    other = world.ticket()
    world.say(other, "Meu aparelho é a geladeira")
    world.say(other, "Aparelho: lavadora", "registry", "Cadastro")
    world.accept(world.propose(other, change("/facts/endereco", "geladeira", ("m-1", "geladeira"))))
    assert panel(ana, other).record == (), "a customer's word is no record"
    assert "Nenhum cadastro" in text(ask(ana, f"/tickets/{other.pk}/customer"))


def test_a_sensitive_value_of_the_record_is_opened_in_the_state_alone(world: World, ana: Client) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    field = {"label": "CPF", "schema": {"type": "string"}, "sources": ["registry"], "sensitive": True}
    document = {**stories.TICKET_TYPE, "fields": {**stories.TICKET_TYPE["fields"], "/identifiers/cpf": field}}
    ticket_types.publish_ticket_type(member=admin, document=document)
    ticket = world.ticket()
    world.say(ticket, "cpf 123.456.789-09", "registry", "Cadastro")
    world.accept(world.propose(ticket, change("/identifiers/cpf", "123.456.789-09", ("m-1", "123.456.789-09"))))
    assert lines(panel(ana, ticket).record) == {"CPF": values.HIDDEN}


def test_each_other_ticket_has_its_state_in_a_line(world: World, ticket: Ticket, ana: Client) -> None:
    other = another(world, "Troca do motor")
    world.say(other, "quero trocar o motor e a tampa")
    world.accept(world.propose(other, change("/goal", "trocar o motor", ("m-1", "quero trocar o motor"))))
    promise = {"task": "retornar", "owner": "team", "due": "2020-01-02"}
    world.say(other, "retorno em breve", "agent", "Ana")
    world.accept(world.propose(other, change("/commitments/-", promise, ("m-2", "retorno em breve"))))
    world.propose(
        other,
        change("/facts/aparelho", "o motor", ("m-1", "o motor")),
        change("/facts/sintoma", "a tampa", ("m-1", "a tampa")),
    )
    closed = another(world, "Antigo")
    update_ticket(member=world.ana, ticket_id=closed.pk, status="closed")
    another(world, "De outra pessoa", CustomerData("outra", "Eva"))
    found = panel(ana, ticket).tickets
    assert [row.title for row in found] == ["Antigo", "Troca do motor"]
    assert found[1].goal == "trocar o motor"
    assert found[1].decided == "última decisão de Ana Lima"
    assert [chip.label for chip in found[0].chips] == ["encerrado"]
    chips = [chip.label for chip in found[1].chips]
    assert chips[1] == "2 a decidir"
    assert "02/01/2020" in chips[2]


def test_more_of_them_come_by_key_and_the_queries_stay_the_same(world: World, ticket: Ticket, ana: Client) -> None:
    another(world, "Primeiro")
    pages.panel(world.ana, ticket.pk)  # the definition is compiled once
    before = queries_of(lambda: pages.panel(world.ana, ticket.pk))
    for number in range(10):
        another(world, f"Atendimento {number}")
    assert queries_of(lambda: pages.panel(world.ana, ticket.pk)) == before <= 8
    first = panel(ana, ticket)
    more = ask(ana, first.next_url)
    titles = [row.title for row in (*first.tickets, *more.context["panel"].tickets)]
    assert titles == [*(f"Atendimento {number}" for number in reversed(range(10))), "Primeiro"]
    assert "<section" not in more.content.decode(), "the next ones alone"
    assert ask(ana, f"/tickets/{ticket.pk}/customer", after="nonsense").status_code == 200


def test_tickets_of_another_team_are_not_told(world: World, ticket: Ticket, ana: Client, silvia: Client) -> None:
    team = Team.objects.create(
        organization=world.ana.organization, slug="cobranca", name="Cobrança", created_at=datetime.now(UTC)
    )
    Ticket.objects.filter(pk=another(world, "Cobrança").pk).update(team=team)
    assert panel(ana, ticket).tickets == ()
    assert [row.title for row in panel(silvia, ticket).tickets] == ["Cobrança"]


def test_another_organisation_is_answered_as_if_there_were_none(ticket: Ticket, stranger: Client) -> None:
    address = f"/tickets/{ticket.pk}/customer"
    assert stranger.get(address).status_code == stranger.post(address, {"name": "x"}).status_code == 404
    assert Customer.objects.get(tickets=ticket).name == "Helena Melo"


def save(client: Client, ticket: Ticket, seen: str, **contact: str) -> Any:
    given = {"name": "Helena Melo", "phone": "81987654321", "email": "helena@exemplo.test"} | contact
    return client.post(f"/tickets/{ticket.pk}/customer", {**given, "seen": seen}, headers={"HX-Request": "true"})


def test_a_contact_is_changed_and_the_log_has_who_and_which_and_no_value(ticket: Ticket, world: World, ana: Client) -> None:
    seen = panel(ana, ticket).seen
    answer = save(ana, ticket, seen, phone="(81) 3222-1234", email=" helena.melo@exemplo.test ")
    assert answer.status_code == 200
    assert lines(answer.context["panel"].contact)["Telefone"] == "(81) 3222-1234"
    row = Customer.objects.get(tickets=ticket)
    assert (row.phone, row.email) == ("(81) 3222-1234", "helena.melo@exemplo.test")
    act = AdministrativeAct.objects.get(kind=Act.CUSTOMER_CHANGED)
    assert (act.member, act.subject, act.details) == (world.ana, ticket.protocol, {"fields": ["phone", "email"]})
    assert save(ana, ticket, "", phone="(81) 3222-1234", email="helena.melo@exemplo.test").status_code == 200
    assert AdministrativeAct.objects.filter(kind=Act.CUSTOMER_CHANGED).count() == 1, "the same again writes nothing"
    plain = ana.post(f"/tickets/{ticket.pk}/customer", {"name": "H. Melo", "seen": panel(ana, ticket).seen})
    assert (plain.status_code, plain["Location"]) == (302, f"/tickets/{ticket.pk}/customer")


def test_what_is_wrong_is_said_and_what_was_typed_stays(ticket: Ticket, ana: Client) -> None:
    seen = panel(ana, ticket).seen
    for wrong, said in (
        ({"email": "sem arroba"}, "Isto não é um endereço de e-mail."),
        ({"phone": "8" * 51}, "Isto é longo demais."),
        ({"name": "x" * 201}, "Isto é longo demais."),
    ):
        answer = save(ana, ticket, seen, **wrong)
        assert answer.status_code == 422
        assert said in text(answer)
        assert next(iter(wrong.values())) in answer.content.decode()
    assert Customer.objects.get(tickets=ticket).email == "helena@exemplo.test"


def test_a_contact_that_somebody_changed_meanwhile_is_not_overwritten(ticket: Ticket, ana: Client) -> None:
    seen = panel(ana, ticket).seen
    Customer.objects.filter(tickets=ticket).update(phone="111")
    answer = save(ana, ticket, seen, name="Outra")
    assert answer.status_code == 422
    assert "Alguém mudou isto" in text(answer)
    row = Customer.objects.get(tickets=ticket)
    assert (row.name, row.phone) == ("Helena Melo", "111")


def test_the_choice_is_remembered_and_the_panel_has_a_page_of_its_own(ticket: Ticket, ana: Client) -> None:
    assert 'data-customer="closed"' in ana.get(f"/tickets/{ticket.pk}/").content.decode()
    ana.post("/look", {"customer": "open"})
    assert 'data-customer="open"' in ana.get(f"/tickets/{ticket.pk}/").content.decode()
    assert "Helena Melo" in text(ana.get(f"/tickets/{ticket.pk}/customer"))


def test_of_an_erased_customer_no_contact_is_offered_to_be_changed(ticket: Ticket, world: World, ana: Client) -> None:
    assert "Mudar o contato" in text(ana.get(f"/tickets/{ticket.pk}/customer"))
    world.enter()
    Customer.objects.filter(pk=ticket.customer_id).update(erased_at=datetime.now(UTC))
    assert "Mudar o contato" not in text(ana.get(f"/tickets/{ticket.pk}/customer"))


def test_of_a_customer_about_to_be_erased_no_file_is_made_and_the_page_says_why(
    world: World, silvia: Client, ticket: Ticket
) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    asked, _new = erasures.request_erasure(member=world.silvia, customer_id=ticket.customer_id)
    erasures.approve(member=admin, request_id=asked.pk)

    answer = silvia.post(f"/customers/{ticket.customer_id}/export")

    assert answer.status_code == 409
    assert "estão apagados, ou prestes a ser: não se faz mais arquivo deles" in answer.content.decode()
    assert not CustomerExport.objects.exists()
