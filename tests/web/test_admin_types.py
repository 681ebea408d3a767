"""Ticket types as administrators see them: the policy in words, its table and graph, and every version."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from django.test import Client

from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership
from atendimento.selectors import graph
from memoria.fields import TicketType
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    return sign_in(boss)


def changed(**fields: Any) -> dict[str, Any]:
    document = copy.deepcopy(stories.TICKET_TYPE)
    for name, change in fields.items():
        document["fields"][f"/facts/{name}"] |= change
    return document


def test_the_policy_is_said_in_sentences(adm: Any) -> None:
    page = text(adm.get(TYPE))
    assert "Se o cliente e o cadastro divergirem, o cadastro vale; a divergência é registrada." in page
    assert "Se duas pessoas do mesmo peso divergirem, uma pessoa resolve." in page
    assert "O que o modelo deduz pode ser aceito, e aguarda confirmação." in page
    assert (
        page.count("O que o modelo deduz é recusado.") == page.count("A palavra de quem um campo não nomeia é recusada.") == 1
    )
    assert "Se Bairro da visita mudar, aguardam confirmação:" in page
    assert "O valor de Pedido tem de estar, letra por letra, na citação." in page


def test_it_is_said_in_english_too(adm: Any) -> None:
    adm.cookies["lastro_language"] = "en"
    adm.post("/look", {"language": "en", "next": "/"})
    page = text(adm.get(TYPE))
    assert "If the customer and the registry differ, the registry holds; the divergence is recorded." in page


def test_the_table_names_what_fits_and_the_collections_what_completes(adm: Any) -> None:
    page = text(adm.get(TYPE))
    assert "Bairro da visita /facts/bairro texto, até 80 caracteres o cadastro a equipe o cliente" in page
    assert "uma opção: manhã, tarde, noite" in page
    assert "visita, consulta de agenda uma ferramenta, o cadastro, quem executa" in page


def test_every_version_is_kept_and_shown(adm: Any, boss: Membership) -> None:
    publish_ticket_type(member=boss, document=changed(bairro={"sources": ["customer", "registry"]}))
    page = text(adm.get(TYPE))
    assert "versão 2 em vigor" in page
    assert "Se o cadastro e o cliente divergirem, o cliente vale" in page
    first = text(adm.get(TYPE + "?version=1"))
    assert "versão 1 fora de vigor" in first
    assert "Se o cadastro e o cliente divergirem" not in first
    assert adm.get(TYPE + "?version=3").status_code == 404
    assert "versão 2" in text(adm.get("/admin/ticket-types/"))


def test_who_may_not_and_who_is_elsewhere(world: World, ana: Any, silvia: Any, adm: Any, sign_in: SignIn) -> None:
    other = stories.make("outra", "Outra")
    theirs = Membership.objects.get(organization=other.ana.organization, role="admin")
    publish_ticket_type(member=theirs, document=stories.TICKET_TYPE | {"slug": "so-deles", "name": "Só deles"})
    world.enter()
    for path in ("/admin/ticket-types/", TYPE):
        assert ana.get(path).status_code == silvia.get(path).status_code == 403
        assert Client().get(path).status_code == 302
    assert adm.get("/admin/ticket-types/so-deles/").status_code == 404
    assert "Só deles" not in text(adm.get("/admin/ticket-types/"))
    assert "Só deles" in text(sign_in(theirs).get("/admin/ticket-types/so-deles/"))


def test_the_graph_is_drawn_by_the_server_without_inline_style(adm: Any) -> None:
    body = adm.get(TYPE).content.decode()
    drawn = body[body.index("<svg width=") :].split("</svg>", 1)[0]
    assert drawn.count('class="edge"') == 2
    assert re.findall(r"<title>([^<]+)</title>", drawn) == ["Bairro da visita", "Horário", "compromissos do tipo visita"]
    assert "style=" not in body


def test_in_the_graph_every_consequence_stands_right_of_its_causes() -> None:
    rows = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["e"], "e": [], "x": ["e"], "lone": []}
    fields = {
        f"/facts/{name}": {
            "label": name,
            "schema": {},
            "sources": ["customer"],
            "invalidates": [f"/facts/{effect}" for effect in effects],
        }
        for name, effects in rows.items()
    }
    drawn = graph.draw(TicketType.from_document({"slug": "t", "name": "T", "fields": fields}))
    assert drawn is not None
    at = {node.name: node.x for node in drawn.nodes}
    assert "lone" not in at
    assert all(at[cause] < at[effect] for cause, effects in rows.items() for effect in effects)
    assert len({(node.x, node.y) for node in drawn.nodes}) == len(drawn.nodes)
    assert max(node.x + graph.WIDTH for node in drawn.nodes) <= drawn.width
    assert max(node.y + graph.HEIGHT for node in drawn.nodes) <= drawn.height


def test_names_are_never_markup(adm: Any, boss: Membership) -> None:
    publish_ticket_type(member=boss, document=changed(bairro={"label": "<img src=x>"}) | {"name": "<img src=y>"})
    for path in ("/admin/ticket-types/", TYPE):
        assert "<img" not in adm.get(path).content.decode()


def test_pages_ask_the_database_the_same_however_much_there_is(adm: Any, boss: Membership) -> None:
    pages = ("/admin/ticket-types/", TYPE)
    few = [queries_of(lambda page=page: adm.get(page)) for page in pages]  # type: ignore[misc]
    for number in range(6):
        publish_ticket_type(member=boss, document=changed(bairro={"label": f"Bairro {number}"}))
        publish_ticket_type(member=boss, document=stories.TICKET_TYPE | {"slug": f"t{number}"})
    assert [queries_of(lambda page=page: adm.get(page)) for page in pages] == few  # type: ignore[misc]
