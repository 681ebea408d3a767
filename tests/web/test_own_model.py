"""A model of an organisation's own: asked before it is kept, asked by its runs, its key sealed and bound to its server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as configured
from django.test import Client

from atendimento import embedded
from atendimento.actions import asking
from atendimento.actions.propose import propose_changes
from atendimento.models import AdministrativeAct, Membership, ModelEndpoint, Proposal
from tests.support.asking import text
from tests.support.model_server import Asked, ModelServer
from tests.support.stories import World
from tests.web.conftest import SignIn

KEY = "sk-not-for-anybody-else"


@pytest.fixture(autouse=True)
def _inside(settings: Any) -> None:
    settings.ALLOW_INTERNAL_ENDPOINTS = True


@pytest.fixture
def own_server(settings: Any) -> Iterator[ModelServer]:
    server = ModelServer(embedded.free_port())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def adm(world: World, sign_in: SignIn) -> Client:
    return sign_in(Membership.objects.get(organization=world.ana.organization, role="admin"))


def typed(server: ModelServer, **changed: str) -> dict[str, str]:
    return {"act": "save", "base_url": server.url, "name": "nosso-modelo", "key": KEY} | changed


def save(adm: Any, server: ModelServer, **changed: str) -> Any:
    server.answer()
    return adm.post("/admin/model/endpoint", typed(server, **changed))


def bearer(asked: Asked) -> str:
    return next((value for name, value in asked.headers.items() if name.lower() == "authorization"), "")


def test_it_is_asked_one_question_then_kept_sealed_and_logged(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer
) -> None:
    assert save(adm, own_server).status_code == 302
    (asked,) = own_server.chats
    assert bearer(asked) == f"Bearer {KEY}"
    assert model_server.chats == []
    kept = ModelEndpoint.objects.get()
    assert KEY not in kept.sealed_key
    page = adm.get("/admin/model/").content.decode()
    assert "nosso-modelo" in page
    assert KEY not in page
    assert AdministrativeAct.objects.get(kind="model_endpoint").subject == "nosso-modelo"
    assert "definiu o modelo: nosso-modelo" in text(adm.get("/admin/log/"))


def test_its_runs_ask_it_and_other_organisations_ask_the_installation_s(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer
) -> None:
    save(adm, own_server)
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    row = Proposal.objects.get(ticket=ticket)
    assert row.model == "nosso-modelo"
    own_server.answer()
    propose_changes(organization_id=ticket.organization_id, proposal_id=row.pk)
    assert len(own_server.chats) == 2
    assert model_server.chats == []
    assert asking.endpoint().base_url == configured.OPENAI_BASE_URL


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "não respondeu"),
        ({"base_url": "nada"}, "endereço de um serviço"),
        ({"name": ""}, "Dê o nome do modelo"),
        ({"name": "x" * 201}, "Dê o nome do modelo"),
    ],
)
def test_what_does_not_answer_is_not_kept(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer, wrong: dict[str, str], words: str
) -> None:
    answer = save(adm, own_server, **wrong)
    assert answer.status_code == 400
    assert words in text(answer)
    assert KEY not in answer.content.decode()
    assert not ModelEndpoint.objects.exists()


def test_a_refusal_is_told_in_the_server_s_own_words(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer
) -> None:
    own_server.fail(401, message="no such key")
    answer = adm.post("/admin/model/endpoint", typed(own_server))
    assert answer.status_code == 400
    assert "no such key" in text(answer)


def test_a_kept_key_goes_to_its_own_server_and_to_no_other(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer
) -> None:
    save(adm, own_server)
    save(adm, own_server, key="", name="outro-nome")
    assert bearer(own_server.chats[-1]) == f"Bearer {KEY}"
    model_server.answer()
    answer = adm.post("/admin/model/endpoint", typed(model_server, key=""))
    assert answer.status_code == 302
    assert KEY not in bearer(model_server.chats[-1])


def test_giving_it_up_returns_to_the_installation_s(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer
) -> None:
    save(adm, own_server)
    assert adm.post("/admin/model/endpoint", {"act": "drop"}).status_code == 302
    assert not ModelEndpoint.objects.exists()
    assert asking.endpoint(world.ana.organization_id) == asking.endpoint()


def test_a_key_sealed_under_another_secret_is_said_to_be_lost(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer, settings: Any
) -> None:
    save(adm, own_server)
    ModelEndpoint.objects.update(sealed_key="gAAAAAB-of-another-secret")
    assert "Digite-a de novo" in text(adm.get("/admin/model/"))
    assert asking.endpoint(world.ana.organization_id).api_key == ""


def test_an_address_inside_is_refused_where_the_operator_does_not_permit_it(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer, settings: Any
) -> None:
    settings.ALLOW_INTERNAL_ENDPOINTS = False
    assert save(adm, own_server).status_code == 400
    assert own_server.chats == []


def test_an_address_that_is_not_permitted_any_more_is_not_called(
    world: World, adm: Any, own_server: ModelServer, model_server: ModelServer, settings: Any
) -> None:
    save(adm, own_server)
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    row = Proposal.objects.get(ticket=ticket)
    settings.ALLOW_INTERNAL_ENDPOINTS = False
    propose_changes(organization_id=ticket.organization_id, proposal_id=row.pk)
    world.enter()
    row.refresh_from_db()
    assert (row.status, row.problem_code) == ("parked", "model.rejected_request")
    assert len(own_server.chats) == 1
