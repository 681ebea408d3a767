"""Fields that repeat, in the type editor: drafted, told, tried out, published, without any script."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

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
