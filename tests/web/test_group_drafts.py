"""Fields that repeat, in the type editor: drafted, told, tried out, published, without any script."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, TicketTypeDraft, TicketTypeVersion
from tests.support import appliances
from tests.support.appliances import NAME, WHEN, WHERE
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"
DRAFT = f"{TYPE}draft/"


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    return sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))


def send(client: Any, what: str, **data: Any) -> Any:
    return client.post(f"{DRAFT}{what}", {"revision": TicketTypeDraft.objects.get().revision} | data)


def field(client: Any, pointer: str, label: str, **more: Any) -> Any:
    said = {"label": label, "source": ["agent", "customer"], "tie": "latest", "inference": "refuse"}
    return send(client, "field", pointer=pointer, schema='{"type": "string"}', **said, **more)


def test_fields_that_repeat_are_drafted_and_published_by_plain_forms(adm: Any) -> None:
    adm.post(f"{TYPE}start")
    assert 'action="/admin/ticket-types/assistencia-tecnica/draft/groups"' not in adm.get(DRAFT).content.decode()
    for name in ("aparelho", "endereco", "horario"):
        assert send(adm, "add", map="/items/{id}/", name=name, label=name.capitalize()).status_code == 302
    send(adm, "groups", label="Aparelho", plural="Aparelhos", named_by="/items/{id}/marca", most="99")
    faulty = text(adm.get(DRAFT))
    assert "Escolha um dos campos que se repetem." in faulty
    assert "Isto precisa ser um número inteiro de 1 a 50." in faulty
    send(adm, "groups", label="Aparelho", plural="Aparelhos", named_by=NAME, most="3")
    field(adm, NAME, "Modelo")
    field(adm, WHERE, "Endereço da visita", invalidates=[WHEN, "commitments:visit"])
    field(adm, WHEN, "Horário da visita")
    field(adm, "/facts/bairro", "Bairro da visita", invalidates=[WHERE])
    page = text(adm.get(f"{DRAFT}?field={WHERE}"))
    assert "Horário da visita (no mesmo grupo: Aparelho)" in page
    page = text(adm.get(f"{DRAFT}?field=/facts/bairro"))
    assert "Endereço da visita (em todos os grupos: Aparelhos)" in page
    assert "Cada um destes existe uma vez por grupo (Aparelhos): Modelo, Endereço da visita e Horário da visita." in page
    assert "O grupo se chama pelo seu campo Modelo." in page
    assert "Um atendimento tem no máximo 3 grupos." in page
    assert "O que se repete o nome de um: Item → Aparelho" in page
    assert send(adm, "publish").status_code == 302
    document = TicketTypeVersion.objects.get(number=2).document
    assert document["groups"] == {"items": {"label": "Aparelho", "plural": "Aparelhos", "named_by": NAME, "most": 3}}
    assert document["fields"][WHERE]["invalidates"] == [WHEN, "commitments:visit"]


def test_trying_out_tells_the_same_group_from_all(world: World, adm: Any) -> None:
    appliances.publish(world)
    asked = {"try": WHERE, "current": "Rua A", "current_source": "customer", "new": "Rua B", "new_source": "customer"}
    page = text(adm.get(TYPE, asked | {"same": "yes"}))
    assert "Aparelho 1 · Horário da visita" in page.split("Aceitar poria em dúvida:")[1]
    assert "Aparelho 2 · Horário da visita" not in page


def test_what_does_not_fit_any_more_is_told_of_all_groups_at_once(world: World, adm: Any) -> None:
    _ticket, rows = appliances.two(world)
    world.accept(rows)
    adm.post(f"{TYPE}start")
    send(adm, "field", pointer=WHERE, do="remove")
    field(adm, NAME, "Modelo", invalidates=[])
    page = text(adm.get(f"{DRAFT}publish"))
    assert "Aparelhos · Endereço da visita" in page
    assert "2 em atendimentos abertos" in page


def publish_page(client: Any, **groups: Any) -> str:
    """What the page before publishing says where the draft says this of its groups."""
    draft = TicketTypeDraft.objects.get()
    draft.document["groups"]["items"] |= groups
    draft.save()
    return text(client.get(f"{DRAFT}publish"))


def test_tickets_with_more_groups_than_the_draft_permits_are_counted_and_named(world: World, adm: Any) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows)
    adm.post(f"{TYPE}start")
    assert "Tudo o que os atendimentos têm cabe no rascunho." in publish_page(adm, most=2)
    page = publish_page(adm, most=1)
    assert "1 atendimento tem mais grupos do que o rascunho permite (1)." in page
    assert "Ele os mantém; nenhum outro pode começar ali." in page
    assert f"2 · {ticket.protocol}" in page
    assert "Tudo o que os atendimentos têm" not in page


def test_groups_that_would_be_called_otherwise_are_shown_before_publishing(world: World, adm: Any) -> None:
    ticket, rows = appliances.two(world)
    world.accept(rows)
    adm.post(f"{TYPE}start")
    assert "Como os grupos se chamam" not in publish_page(adm, plural="Vários")
    page = publish_page(adm, named_by=WHEN)
    assert "2 grupos se chamariam de outro modo. 1 deles ficaria sem nome, só com um número." in page
    assert f"Aparelho: geladeira Consul → Aparelho: quinta às 14h · {ticket.protocol}" in page
    assert f"Aparelho: fogão Dako → Aparelho 2 · {ticket.protocol}" in page


def test_a_name_that_is_shown_with_care_is_not_told_before_publishing(world: World, adm: Any) -> None:
    _ticket, rows = appliances.two(world)
    world.accept(rows)
    document = appliances.document()
    document["fields"][WHEN]["sensitive"] = True
    publish_ticket_type(member=Membership.objects.get(organization=world.ana.organization, role="admin"), document=document)
    adm.post(f"{TYPE}start")
    draft = TicketTypeDraft.objects.get()
    draft.document["fields"][WHEN]["sensitive"] = False
    draft.save()
    page = publish_page(adm, named_by=WHEN)
    assert "→ Aparelho: •••" in page
    assert "quinta às 14h" not in page
