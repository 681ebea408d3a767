"""Publishing a draft: what tickets hold that would not fit any more, and what is chosen for it; and values with an end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from atendimento.actions.expiring import expire_values
from atendimento.actions.publications import run_publication
from atendimento.actions.slots import set_slot
from atendimento.models import LedgerEvent, Membership, Publication, Ticket, TicketTypeDraft, TicketTypeVersion
from atendimento.selectors import misfits
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"
DRAFT = f"{TYPE}draft/"


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    client = sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))
    client.post(f"{TYPE}start")
    world.enter()
    return client


@pytest.fixture
def ticket(world: World) -> Ticket:
    made = world.ticket()
    set_slot(member=world.ana, ticket_id=made.pk, path="/facts/bairro", value="Torre", expected_version=0)
    return made


def changed(**row: Any) -> None:
    draft = TicketTypeDraft.objects.get()
    draft.document["fields"]["/facts/bairro"] |= row
    draft.save()


def settle() -> None:
    row = Publication.objects.get()
    run_publication(organization_id=row.organization_id, publication_id=row.pk)


def test_what_would_not_fit_is_counted_by_field_with_examples_before_publishing(
    world: World, adm: Client, ticket: Ticket
) -> None:
    changed(schema={"enum": ["Pina"]})

    page = text(adm.get(f"{DRAFT}publish"))

    assert "Publicar a versão 2 de Assistência técnica" in page
    assert "Bairro da visita" in page
    assert "O valor não cabe mais. 1 em atendimentos abertos" in page
    assert f"Torre · {ticket.protocol}" in page


def test_where_everything_fits_the_page_says_so(adm: Client, ticket: Ticket) -> None:
    assert "Tudo o que os atendimentos têm cabe no rascunho." in text(adm.get(f"{DRAFT}publish"))


def test_a_sensitive_value_is_no_example(world: World, adm: Client, ticket: Ticket) -> None:
    version = TicketTypeVersion.objects.get(ticket_type__slug="assistencia-tecnica")
    assert version.number == 1
    changed(schema={"enum": ["Pina"]}, sensitive=True)
    adm.post(f"{DRAFT}publish", {"revision": 1})
    world.enter()
    adm.post(f"{TYPE}start")
    world.enter()

    page = text(adm.get(f"{DRAFT}publish"))

    assert "Torre" not in page
    assert f"••• · {ticket.protocol}" in page


@pytest.mark.parametrize(
    ("fate", "status", "words"),
    [
        ("needs_confirmation", "needs_confirmation", "1 valor aguarda confirmação."),
        ("withdraw", "open", "1 valor foi retirado."),
        ("keep", "current", "Nada neles precisou mudar."),
    ],
)
def test_what_was_chosen_is_done_and_told_on_the_type_s_page(
    world: World, adm: Client, ticket: Ticket, fate: str, status: str, words: str
) -> None:
    changed(schema={"enum": ["Pina"]})

    answer = adm.post(f"{DRAFT}publish", {"revision": 1, "fate:value:/facts/bairro": fate})
    assert answer["Location"] == TYPE
    world.enter()
    assert "0 de 1 atendimento tratado" in text(adm.get(TYPE))
    world.enter()
    settle()

    page = text(adm.get(TYPE))
    assert words in page
    world.enter()
    last = LedgerEvent.objects.filter(ticket=ticket).latest("version")
    assert (last.kind == "ticket_type_changed") is (fate != "keep")
    assert last.content["slots"]["/facts/bairro"][1]["status"] == status


def test_history_tells_it_in_words_and_lets_it_be_taken_back(
    world: World, adm: Client, ticket: Ticket, sign_in: SignIn
) -> None:
    changed(schema={"enum": ["Pina"]})
    adm.post(f"{DRAFT}publish", {"revision": 1, "fate:value:/facts/bairro": "withdraw"})
    world.enter()
    settle()

    page = text(adm.get(f"/tickets/{ticket.pk}/?pane=history&show=memory"))

    assert "tratou o que a versão 2 do tipo não aceita mais" in page
    assert "Torre" in page
    corrections = text(adm.get("/corrections/"))
    assert "retirado com uma nova versão do tipo" in corrections


def test_while_it_is_under_way_a_script_asks_how_far_it_is(world: World, adm: Client, ticket: Ticket) -> None:
    adm.post(f"{DRAFT}publish", {"revision": 1})
    changed_type = adm.get(f"{TYPE}publication", headers={"HX-Request": "true"})
    assert 'hx-trigger="every 1s"' not in changed_type.content.decode()  # the same content publishes nothing
    world.enter()
    adm.post(f"{TYPE}start")
    world.enter()
    changed(label="Bairro")
    adm.post(f"{DRAFT}publish", {"revision": 1})

    assert 'hx-trigger="every 1s"' in adm.get(f"{TYPE}publication", headers={"HX-Request": "true"}).content.decode()
    assert adm.get(f"{TYPE}publication")["Location"] == TYPE


def test_of_very_many_the_newest_are_looked_at_the_page_says_so_and_the_task_sees_to_all(
    world: World, adm: Client, ticket: Ticket, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = world.ticket()
    set_slot(member=world.ana, ticket_id=newer.pk, path="/facts/bairro", value="Derby", expected_version=0)
    changed(schema={"enum": ["Pina"]})
    said = "Só os {} atendimentos que mudaram por último foram vistos.".format
    assert said(2) not in text(adm.get(f"{DRAFT}publish"))
    monkeypatch.setattr(misfits, "LOOKED_AT", 1)

    world.enter()
    page = text(adm.get(f"{DRAFT}publish"))
    assert said(1) in page
    assert "1 em atendimentos abertos" in page
    assert f"Derby · {newer.protocol}" in page
    assert ticket.protocol not in page
    assert "Também nos atendimentos encerrados" in page

    world.enter()
    adm.post(f"{DRAFT}publish", {"revision": 1, "fate:value:/facts/bairro": "withdraw"})
    world.enter()
    settle()
    assert Publication.objects.get().withdrawn == 2


# --- values with an end -------------------------------------------------------------------------------------------


def test_how_long_a_value_holds_is_set_in_the_field_s_form_and_told_in_words(world: World, adm: Client) -> None:
    form = {
        "pointer": "/facts/horario", "label": "Horário", "source": ["tool", "agent", "customer"], "tie": "latest",
        "inference": "refuse", "schema": '{"type": "string"}',
    }  # fmt: skip

    wrong = adm.post(f"{DRAFT}field", {**form, "revision": 1, "valid_for": "oito horas"})
    assert wrong.status_code == 302  # it is kept, and shown with its fault
    assert "Precisa ser uma duração" in text(adm.get(f"{DRAFT}?field=/facts/horario"))
    adm.post(f"{DRAFT}field", {**form, "revision": 2, "valid_for": "pt8h"})

    page = text(adm.get(DRAFT))
    assert "vale por: — → 8 horas" in page
    assert "Horário vale por 8 horas; depois precisa ser confirmado de novo." in page
    world.enter()
    assert TicketTypeDraft.objects.get().document["fields"]["/facts/horario"]["valid_for"] == "PT8H"
    adm.post(f"{DRAFT}field", {**form, "revision": 3, "valid_for": ""})
    world.enter()
    assert "valid_for" not in TicketTypeDraft.objects.get().document["fields"]["/facts/horario"]


def test_the_state_says_until_when_a_value_holds_and_since_when_it_does_not(world: World, adm: Client, ticket: Ticket) -> None:
    changed(valid_for="P1D")
    adm.post(f"{DRAFT}publish", {"revision": 1})
    world.enter()
    settle()
    address = f"/tickets/{ticket.pk}/?pane=state&show=memory"
    assert "vale até" in text(adm.get(address))
    world.enter()

    later = datetime.now(UTC) + timedelta(days=2)
    assert expire_values(world.ana.organization, later) == 0  # the clock of the ticket's own lock decides

    Ticket.objects.filter(pk=ticket.pk).update(next_expiry=datetime.now(UTC))
    assert expire_values(world.ana.organization, datetime.now(UTC)) == 0
