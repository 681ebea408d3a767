"""The model's page for administrators, without any script: masking, the budget, what waits, what failed, trying again."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone, translation

from atendimento.actions import asking
from atendimento.actions.propose import propose_changes
from atendimento.models import (
    AdministrativeAct,
    EndpointHealth,
    EndpointMode,
    Membership,
    ModelSpend,
    Organization,
    OutboxEntry,
    Proposal,
    Ticket,
)
from atendimento.selectors import model_words
from memoria.breaker import OPENS_AFTER
from memoria.extraction import BadAnswer, read_answer
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.model_server import ModelServer
from tests.support.stories import World
from tests.web.conftest import SignIn

PAGE = "/admin/model/"


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    return sign_in(boss)


def organization_of(world: World) -> Organization:
    return Organization.objects.get(pk=world.ana.organization_id)


def work(world: World) -> list[Proposal]:
    """What workers do when every run is due; the runs that are not done afterwards."""
    for row in Proposal.objects.filter(status__in=["queued", "running"]):
        Proposal.objects.filter(pk=row.pk, waits_for="").update(not_before=timezone.now() - timedelta(seconds=1))
        propose_changes(organization_id=world.ana.organization_id, proposal_id=row.pk)
    return list(Proposal.objects.exclude(status__in=["ready", "superseded"]).order_by("created_at"))


def said(world: World, words: str = "Moro em Torre") -> Ticket:
    ticket = world.ticket()
    world.say(ticket, words)
    return ticket


def test_masking_is_on_and_switched_off_by_an_administrator_alone_and_logged(world: World, adm: Any, silvia: Any) -> None:
    assert organization_of(world).masks_personal_data
    assert silvia.post(f"{PAGE}masking", {"masking": "off"}).status_code == 403
    assert organization_of(world).masks_personal_data

    adm.post(f"{PAGE}masking", {"masking": "off"})
    assert not organization_of(world).masks_personal_data
    assert "sem máscara" in text(adm.get(PAGE))
    adm.post(f"{PAGE}masking", {"masking": "off"})  # again: nothing to log
    adm.post(f"{PAGE}masking", {"masking": "on"})

    assert [row.details for row in AdministrativeAct.objects.filter(kind="masking").order_by("pk")] == [
        {"on": False},
        {"on": True},
    ]
    log = text(adm.get("/admin/log/"))
    assert "Adm desligou a máscara de dados pessoais" in log
    assert "Adm ligou a máscara de dados pessoais" in log


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"tokens": "muitos"}, "Dê um número inteiro"),
        ({"tokens": "-1"}, "Dê um número inteiro"),
        ({"cost": "1.234,56"}, "Dê um valor como"),
        ({"cost": "caro"}, "Dê um valor como"),
    ],
)
def test_a_budget_that_is_none_is_told_beside_its_control(world: World, adm: Any, typed: dict[str, str], words: str) -> None:
    answer = adm.post(f"{PAGE}budget", {"tokens": "", "cost": "", **typed})
    assert answer.status_code == 400
    assert words in text(answer)
    assert next(iter(typed.values())) in answer.content.decode()
    assert organization_of(world).daily_tokens is None


def test_a_budget_is_set_raised_and_lifted_and_logged(world: World, adm: Any) -> None:
    adm.post(f"{PAGE}budget", {"tokens": "1000", "cost": "12,5"})
    assert (organization_of(world).daily_tokens, organization_of(world).daily_cost) == (1000, Decimal("12.50"))
    adm.post(f"{PAGE}budget", {"tokens": "", "cost": ""})
    assert (organization_of(world).daily_tokens, organization_of(world).daily_cost) == (None, None)
    log = text(adm.get("/admin/log/"))
    assert "definiu o orçamento diário do modelo: 1000 tokens, dinheiro 12.5" in log
    assert "definiu o orçamento diário do modelo: sem limite tokens, dinheiro sem limite" in log


def test_where_the_budget_is_used_up_runs_wait_and_go_on_once_it_is_raised(
    world: World, adm: Any, ana: Any, model_server: ModelServer
) -> None:
    ticket = said(world)
    adm.post(f"{PAGE}budget", {"tokens": "1", "cost": ""})
    ModelSpend.objects.create(organization=world.ana.organization, day=_today(world), tokens=1)

    (row,) = work(world)

    assert (row.status, row.waits_for, row.attempts, len(model_server.chats)) == ("queued", "budget", 0, 0)
    assert row.not_before is not None
    assert row.not_before > timezone.now()
    assert "o orçamento de hoje para o modelo acabou" in text(ana.get(f"/tickets/{ticket.pk}/"))
    page = text(adm.get(PAGE))
    assert "esgotado" in page
    assert "espera o dia seguinte" in page
    # Looking again before that changes nothing, and costs no try.
    Proposal.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    (row,) = work(world)
    assert (row.waits_for, row.attempts) == ("budget", 0)

    adm.post(f"{PAGE}budget", {"tokens": "1000000", "cost": ""})

    assert OutboxEntry.objects.get().due_at <= timezone.now()
    assert work(world) == []
    assert len(model_server.chats) == 1


def _today(world: World) -> Any:
    return timezone.now().astimezone(ZoneInfo(world.ana.organization.timezone)).date()


def test_what_is_answered_is_booked_with_its_price(world: World, adm: Any, model_server: ModelServer, settings: Any) -> None:
    settings.MODEL_PRICE_INPUT, settings.MODEL_PRICE_OUTPUT = Decimal("2.00"), Decimal("10.00")
    said(world)
    model_server.answer()
    assert work(world) == []

    spend = ModelSpend.objects.get()
    proposal = Proposal.objects.latest("created_at")
    cost = (100 * 2 + proposal.usage["completion_tokens"] * 10) / 1_000_000
    assert proposal.usage["cost"] == pytest.approx(cost)
    assert (spend.requests, spend.tokens) == (1, 100 + proposal.usage["completion_tokens"])
    assert float(spend.cost) == pytest.approx(cost)
    grouped = f"{spend.tokens:,}".replace(",", ".")
    assert f"Respostas hoje: 1 · tokens: {grouped}" in text(adm.get(PAGE))


def test_a_budget_of_money_holds_too(world: World, adm: Any, model_server: ModelServer, settings: Any) -> None:
    settings.MODEL_PRICE_INPUT = Decimal(1000000)
    adm.post(f"{PAGE}budget", {"tokens": "", "cost": "50"})
    said(world)
    work(world)  # a hundred tokens, a unit each
    said(world, "Mais uma coisa")

    (row,) = work(world)

    assert (row.waits_for, len(model_server.chats)) == ("budget", 1)


def test_failures_are_shown_with_the_raw_answer_and_tried_again_one_or_all(
    world: World, adm: Any, ana: Any, model_server: ModelServer
) -> None:
    for words in ("um", "dois", "três"):
        said(world, words)
    for _ in range(3):
        model_server.refuse("<b>não</b> posso")
    rows = work(world)
    assert [row.status for row in rows] == ["parked"] * 3

    answer = adm.get(PAGE)
    assert "O modelo recusou responder." in text(answer)
    assert "&lt;b&gt;não&lt;/b&gt; posso" in answer.content.decode()
    assert "<b>não</b>" not in answer.content.decode()
    assert "Tentar todas as 3 de novo" in text(answer)
    assert ana.post(f"{PAGE}retry", {"run": str(rows[0].pk)}).status_code == 403

    adm.post(f"{PAGE}retry", {"run": str(rows[0].pk)})
    assert [row.status for row in Proposal.objects.order_by("created_at")] == ["queued", "parked", "parked"]
    adm.post(f"{PAGE}retry", {"run": re.findall(r'name="run"\s+value="([^"]+)"', adm.get(PAGE).content.decode())})
    assert work(world) == []
    assert "Nada falhou" in text(adm.get(PAGE))


def test_what_was_learned_of_the_server_is_told_in_words_and_forgotten_by_an_administrator(
    world: World, adm: Any, ana: Any, model_server: ModelServer
) -> None:
    assert "Esquecer" not in text(adm.get(PAGE))
    adm.post(f"{PAGE}forget")  # nothing is known: nothing to log
    said(world)
    model_server.answer()
    work(world)
    page = text(adm.get(PAGE))
    assert "responde por um esquema" in page
    assert "schema" not in page
    assert ana.post(f"{PAGE}forget").status_code == 403
    assert EndpointMode.objects.exists()

    answer = adm.post(f"{PAGE}forget", follow=True)

    assert "Esquecido." in text(answer)
    assert not EndpointMode.objects.exists()
    assert AdministrativeAct.objects.filter(kind="model_forgotten").count() == 1
    assert "Adm mandou descobrir de novo como o modelo" in text(adm.get("/admin/log/"))
    said(world, "de novo")
    model_server.answer()
    work(world)
    assert EndpointMode.objects.exists()


@pytest.mark.parametrize(
    ("problem", "stored", "words", "quoted"),
    [
        ("model.unavailable", "server_error boom", "Um erro dele mesmo.", "boom"),
        ("model.unavailable", "timeout", "Sem resposta a tempo.", ""),
        ("model.unavailable", "no model is configured", "Nenhum modelo está configurado.", ""),
        ("model.rejected_request", "400 unknown field", "HTTP 400.", "unknown field"),
        ("model.invalid_answer", "changes[0].evidence[1] is not an object", "changes[0].evidence[1] não é um objeto.", ""),
        (
            "model.invalid_answer",
            "not valid JSON: line 3, column 5: Expecting value",
            "Não é JSON válido (linha 3, coluna 5).",
            "",
        ),
        ("model.invalid_answer", "more than 100 changes", "Traz mais de 100 propostas.", ""),
        ("model.refused", "I cannot do that", "", "I cannot do that"),
        ("model.refused", "timeout", "", "timeout"),
    ],
)
def test_a_failure_is_told_in_the_reader_s_words_and_the_server_is_quoted(
    problem: str, stored: str, words: str, quoted: str
) -> None:
    with translation.override("pt-br"):
        assert model_words.detail(problem, stored) == model_words.Detail(words, quoted)


def test_every_finding_that_is_stored_of_a_bad_answer_has_words() -> None:
    change: dict[str, Any] = {"op": "add", "path": "/goal", "evidence": [{"message": "m-1", "quote": "x"}]}
    bad: list[Any] = [
        "{", "[1]", "{}", {"changes": [change] * 101}, {"changes": [1]}, {"changes": [{}]},
        {"changes": [change | {"evidence": 1}]}, {"changes": [change | {"inference": 1}]},
        {"changes": [change | {"reason": 1}]}, {"changes": [change | {"evidence": [1]}]},
        {"changes": [change | {"evidence": [{"message": 1}]}]},
        {"changes": [change | {"evidence": [{"message": "m-1", "quote": "x", "start": "1"}]}]},
        '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}',
    ]  # fmt: skip
    for answer in bad:
        with pytest.raises(BadAnswer) as raised:
            read_answer(answer if isinstance(answer, str) else json.dumps(answer))
        told = model_words.detail("model.invalid_answer", raised.value.args[0])
        assert (bool(told.words), told.quoted) == (True, ""), answer


def test_what_another_organisation_s_runs_are_is_not_seen_nor_tried(
    world: World, boss: Membership, sign_in: SignIn, model_server: ModelServer
) -> None:
    said(world, "segredo da casa")
    model_server.refuse()
    (row,) = work(world)
    other = stories.make("outra", "Outra")
    their_boss = Membership.objects.get(organization=other.ana.organization, role="admin")
    theirs = sign_in(their_boss)
    world.enter()

    assert row.ticket.protocol not in text(theirs.get(PAGE)) or "recusou" not in text(theirs.get(PAGE))
    theirs.post(f"{PAGE}retry", {"run": str(row.pk)})

    row.refresh_from_db()
    assert row.status == "parked"


def test_a_server_that_fails_on_and_on_is_left_alone_visibly_and_asked_again(
    world: World, adm: Any, ana: Any, model_server: ModelServer
) -> None:
    EndpointHealth.objects.create(identity=asking.endpoint().identity, failures=OPENS_AFTER - 1)
    ticket = said(world)
    model_server.fail(503)
    work(world)
    health = EndpointHealth.objects.get()
    assert health.open_until is not None
    said(world, "outro")

    first, second = work(world)

    assert (second.waits_for, second.attempts, first.attempts, len(model_server.chats)) == ("breaker", 0, 1, 1)
    page = adm.get(PAGE)
    assert 'data-circuit="open"' in page.content.decode()
    assert "um erro dele mesmo (HTTP 503)" in text(page)
    assert "não responde" in text(ana.get(f"/tickets/{ticket.pk}/"))

    # Its pause is over: one request tries it out while the others wait for what comes of it.
    EndpointHealth.objects.update(open_until=timezone.now() - timedelta(seconds=1))
    assert 'data-circuit="half_open"' in adm.get(PAGE).content.decode()
    EndpointHealth.objects.update(probe_until=timezone.now() + timedelta(seconds=60))
    Proposal.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert [row.waits_for for row in work(world)] == ["breaker", "breaker"]
    EndpointHealth.objects.update(probe_until=timezone.now() - timedelta(seconds=1))  # whoever tried it is gone
    Proposal.objects.update(not_before=timezone.now() - timedelta(seconds=1))

    assert work(world) == []

    health.refresh_from_db()
    assert [health.failures, health.open_until, health.probe_until] == [0, None, None]
    assert 'data-circuit="closed"' in adm.get(PAGE).content.decode()


def test_a_trial_that_fails_doubles_the_pause(world: World, model_server: ModelServer) -> None:
    past = timezone.now() - timedelta(seconds=1)
    EndpointHealth.objects.create(identity=asking.endpoint().identity, failures=OPENS_AFTER, pause=15.0, open_until=past)
    said(world)
    model_server.cut_connection()

    work(world)

    health = EndpointHealth.objects.get()
    assert health.pause == 30.0
    assert health.open_until is not None
    assert health.open_until > timezone.now() + timedelta(seconds=20)


def test_a_trial_that_meets_a_rate_limit_tells_nothing_and_leaves_the_next_one_to_try(
    world: World, model_server: ModelServer
) -> None:
    past = timezone.now() - timedelta(seconds=1)
    EndpointHealth.objects.create(identity=asking.endpoint().identity, failures=OPENS_AFTER, pause=15.0, open_until=past)
    said(world)
    model_server.fail(429)

    work(world)

    health = EndpointHealth.objects.get()
    assert (len(model_server.chats), health.open_until, health.probe_until) == (1, past, None)


def test_the_server_s_refusal_stands_in_the_settings(world: World, adm: Any, model_server: ModelServer) -> None:
    said(world)
    model_server.fail(401, message="invalid key")
    work(world)

    page = text(adm.get(PAGE))
    assert "O servidor não aceitou um pedido: HTTP 401." in page
    assert "invalid key" in page


def test_the_page_asks_the_database_the_same_however_much_there_is(world: World, adm: Any, model_server: ModelServer) -> None:
    said(world)
    model_server.refuse()
    work(world)
    few = queries_of(lambda: adm.get(PAGE))
    for number in range(6):
        said(world, f"mensagem {number}")
        model_server.refuse()
    work(world)
    assert queries_of(lambda: adm.get(PAGE)) == few
