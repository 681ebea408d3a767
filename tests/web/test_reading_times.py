"""When the model reads: the draft's form, what the policy says of it, and why a ticket was not read yet."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, TicketTypeDraft
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"
DRAFT = f"{TYPE}draft/"


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    client = sign_in(boss)
    client.post(f"{TYPE}start")
    return client


def saved(world: World, adm: Client, **form: Any) -> Any:
    world.enter()
    revision = TicketTypeDraft.objects.get().revision
    assert adm.post(f"{DRAFT}reading", {"revision": revision, **form}).status_code == 302
    world.enter()
    return TicketTypeDraft.objects.get().document.get("reading")


@pytest.mark.parametrize(
    ("form", "document", "sentence"),
    [
        ({"when": "demand", "on": ["closing"], "at": "08:00"}, {"when": "demand"}, "O modelo lê só quando alguém pede."),
        (
            {"when": "events", "on": ["customer_message", "closing"], "every_minutes": "30"},
            {"when": "events", "on": ["customer_message", "closing"]},
            "O modelo lê só em: mensagem do cliente ou de terceiro, encerramento.",
        ),
        (
            {"when": "schedule", "at": "13:30, 08:00"},
            {"when": "schedule", "at": ["13:30", "08:00"]},
            "O modelo lê às 08:00, 13:30, enquanto o atendimento está aberto.",
        ),
        (
            {"when": "schedule", "every_minutes": "30", "most_per_ticket_and_day": "4"},
            {"when": "schedule", "every_minutes": 30, "most_per_ticket_and_day": 4},
            "O modelo lê a cada 30 minutos, enquanto o atendimento está aberto. No máximo 4 leituras por atendimento e dia.",
        ),
    ],
)
def test_each_choice_is_kept_without_what_belongs_to_another_and_told_in_words(
    world: World, adm: Client, form: dict[str, Any], document: dict[str, Any], sentence: str
) -> None:
    assert saved(world, adm, **form) == document

    assert f"→ {sentence}" in text(adm.get(DRAFT))


def test_after_each_burst_without_caps_is_what_a_type_says_by_saying_nothing(world: World, adm: Client) -> None:
    saved(world, adm, when="demand")

    assert saved(world, adm, when="burst") is None


def test_a_fault_is_kept_and_shown_with_the_form(world: World, adm: Client) -> None:
    assert saved(world, adm, when="schedule", at="8h") == {"when": "schedule", "at": ["8h"]}

    page = text(adm.get(DRAFT))
    assert "Isto não está como deve" in page
    assert "Ainda não dá para publicar" in page


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        ({"when": "demand"}, "1 mensagem ainda não lida pelo modelo: este tipo só lê a pedido"),
        ({"when": "events", "on": ["closing"]}, "este tipo só lê em: encerramento"),
        ({"when": "schedule", "every_minutes": 30}, "este tipo lê a cada 30 minutos"),
    ],
)
def test_a_ticket_says_why_it_was_not_read_yet(
    world: World, boss: Membership, sign_in: SignIn, reading: dict[str, Any], why: str
) -> None:
    publish_ticket_type(member=boss, document=stories.TICKET_TYPE | {"reading": reading})
    ticket = world.ticket()
    world.say(ticket, "oi")

    assert why in text(sign_in(world.ana).get(f"/tickets/{ticket.pk}/"))
