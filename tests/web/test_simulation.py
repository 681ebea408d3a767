"""The pages of a simulation: its outcome, its tallies, and one difference with both answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.actions.simulations import run_simulation
from atendimento.actions.slots import set_slot
from atendimento.models import Membership, Simulation, TicketTypeDraft
from tests.support import appliances
from tests.support.asking import text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    """An administrator with a draft in which staff may no longer state the neighbourhood, and two decided tickets."""
    boss = Membership.objects.get(organization=world.ana.organization, role="admin")
    for subject in ("Geladeira", "Fogão"):
        ticket = world.ticket(subject)
        set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/bairro", value="Torre", expected_version=0)
        set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/horario", value="14h", expected_version=1)
    client = sign_in(boss)
    client.post(f"{TYPE}start")
    world.enter()
    draft = TicketTypeDraft.objects.get()
    draft.document["fields"]["/facts/bairro"]["sources"] = ["customer"]
    draft.save()
    return client


def tried(world: World, adm: Client, **form: Any) -> str:
    answer = adm.post(f"{TYPE}draft/simulate", {"revision": 1, "last": 500, **form})
    assert answer.status_code == 302, text(answer)
    world.enter()
    row = Simulation.objects.latest("created_at")
    run_simulation(organization_id=row.organization_id, simulation_id=row.pk)
    return str(answer["Location"])


def test_the_outcome_is_one_sentence_and_its_differences_are_counted_by_kind_and_field(world: World, adm: Client) -> None:
    page = text(adm.get(tried(world, adm)))

    assert "2 de 4 seriam decididas de outro modo." in page
    assert "permitida → recusada" in page
    assert "Bairro da visita" in page
    assert "Horário" not in page


def test_of_what_repeats_it_is_said_which_and_acts_are_counted_beside_decisions(world: World, sign_in: SignIn) -> None:
    """One decision took five changes, two of which would come out otherwise; their values would not fit the draft."""
    _ticket, rows = appliances.two(world)
    world.accept(rows)
    boss = sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))
    boss.post(f"{TYPE}start")
    world.enter()
    draft = TicketTypeDraft.objects.get()
    draft.document["fields"][appliances.WHERE] |= {"sources": ["registry"], "schema": {"enum": ["Olinda"]}}
    draft.save()
    page = text(boss.get(tried(world, boss)))
    assert "2 atos saem de outro modo, e cada um tem aqui a sua linha." in page
    assert "Aparelho: geladeira Consul · Endereço da visita" in page
    assert "Aparelho: fogão Dako · Endereço da visita" in page
    assert "Aparelho: fogão Dako · Rua das Flores, 10" in text(boss.get(f"{TYPE}draft/publish"))


def test_a_difference_shows_both_answers_with_their_reasons_and_leads_to_the_ticket_as_it_was(
    world: World, adm: Client
) -> None:
    address = tried(world, adm)
    world.enter()
    row = Simulation.objects.get().differences.order_by("pk").first()
    assert row is not None

    page = text(adm.get(f"{address}{row.pk}"))

    assert "Sob a versão 1, em vigor então" in page
    assert "Sob o rascunho" in page
    assert "Torre" in page
    assert "P1" in page
    assert (
        f"/tickets/{row.ticket_id}/?pane=state&amp;show=memory&amp;version=0" in adm.get(f"{address}{row.pk}").content.decode()
    )


def test_a_field_that_the_draft_does_not_have_is_called_what_it_was_last_called(world: World, adm: Client) -> None:
    draft = TicketTypeDraft.objects.get()
    del draft.document["fields"]["/facts/bairro"]
    draft.save()
    address = tried(world, adm)

    page = text(adm.get(address))
    world.enter()
    row = Simulation.objects.get().differences.order_by("pk").first()
    assert row is not None

    assert page.count("Bairro da visita") == 3  # counted once, and a line for each ticket
    assert "Bairro da visita" in text(adm.get(f"{address}{row.pk}"))


def test_what_a_sensitive_field_holds_is_told_by_no_difference_and_by_no_quote(world: World, adm: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro na Madalena")
    world.accept(world.propose(ticket, change("/facts/bairro", "Madalena", ("m-1", "Madalena"))))
    draft = TicketTypeDraft.objects.get()
    draft.document["fields"]["/facts/bairro"] |= {"sources": ["registry"], "sensitive": True}
    draft.save()
    address = tried(world, adm)
    world.enter()
    row = Simulation.objects.get().differences.get(ticket=ticket)

    page = text(adm.get(f"{address}{row.pk}"))

    assert "••••••" in page
    assert "Madalena" not in page


def test_differences_are_narrowed_by_kind_and_by_field(world: World, adm: Client) -> None:
    address = tried(world, adm)

    assert "2 de 4" in text(adm.get(address, {"kind": "allowed>refused", "field": "/facts/bairro"}))
    none = adm.get(address, {"kind": "cascade"}).content.decode()
    assert f'href="{address}1' not in none


def test_a_draft_that_changed_makes_the_outcome_stale(world: World, adm: Client) -> None:
    address = tried(world, adm)
    world.enter()
    draft = TicketTypeDraft.objects.get()
    draft.document["name"] = "Outro nome"
    draft.save()

    assert "O rascunho mudou desde então" in text(adm.get(address))
    assert "O rascunho mudou desde então" in text(adm.get(f"{TYPE}draft/"))


def test_while_it_is_under_way_the_page_tells_how_far_and_can_stop_it(world: World, adm: Client) -> None:
    address = adm.post(f"{TYPE}draft/simulate", {"revision": 1, "last": 500})["Location"]
    page = adm.get(address).content.decode()
    assert 'hx-trigger="every 1s"' in page
    assert "0 de 4 decisões examinadas" in text(adm.get(address))

    adm.post(f"{address}stop")

    assert "interrompida" in text(adm.get(address))


def test_a_scope_that_is_none_and_a_draft_that_was_overtaken_change_nothing(world: World, adm: Client) -> None:
    assert adm.post(f"{TYPE}draft/simulate", {"revision": 1, "last": "0"}).status_code == 400
    assert adm.post(f"{TYPE}draft/simulate", {"revision": 7, "last": "5"}).status_code == 409
    world.enter()
    assert not Simulation.objects.exists()


def test_where_nothing_was_decided_the_page_says_so(world: World, adm: Client) -> None:
    address = tried(world, adm, to="2020-01-01")

    assert "Não há decisões passadas" in text(adm.get(address))
