"""No personal datum reaches the model's server, nor a log (U2); what the model answers is checked with the data put back."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from atendimento import actions, embedded
from atendimento.actions.model_settings import set_masking
from atendimento.actions.rebuilds import start_rereading
from atendimento.actions.rereading import read_on
from atendimento.models import Message, Organization, Proposal, ProposedChange, RunStatus, Ticket
from atendimento.processes import Child
from memoria.masking import restored
from memoria.sources import Kind
from tests import settings as test_settings
from tests.atendimento.test_runs import run
from tests.builders import House, change, make_house, make_ticket, propose, say, ticket_type
from tests.support.live import start
from tests.support.model_server import ModelServer

CPF = "390.533.447-05"
CNPJ = "12.ABC.345/01DE-35"
CARD = "4111 1111 1111 1111"
PHONE = "(81) 98765-4321"
ABROAD = "+351 912 345 678"
MAIL = "helena@exemplo.test"
PIX = "123e4567-e89b-42d3-a456-426614174000"
SECRET = "neta de Dona Zefa"
CANARIES = (CPF, CNPJ, CARD, PHONE, ABROAD, MAIL, PIX, SECRET)
TOLD = f"CPF {CPF}, da empresa {CNPJ}, cartão {CARD}, fone {PHONE} ou {ABROAD}, {MAIL}, pix {PIX}."
SAID = f"{TOLD} Sou {SECRET}."


@pytest.fixture
def with_secrets(house: House) -> House:
    publish(house)
    return house


def publish(house: House) -> None:
    fields = ticket_type()["fields"] | {
        "/facts/parentesco": {
            "label": "Parentesco",
            "schema": {"type": "string"},
            "sources": ["agent", "customer"],
            "sensitive": True,
        },
        "/identifiers/cpf": {
            "label": "CPF",
            "schema": {"type": "string", "pattern": r"^\d{3}\.\d{3}\.\d{3}-\d{2}$", "maxLength": 14},
            "sources": ["registry", "customer"],
        },
    }
    actions.publish_ticket_type(member=house.davi, document=ticket_type(fields=fields))


def everywhere(house: House, ticket: Ticket) -> None:
    """The canaries in an older message, in the state, in what waits and what was rejected, and in the newest message."""
    say(house, ticket, SAID, name=PHONE)
    known = propose(
        house,
        ticket,
        change("/facts/parentesco", SECRET, ("m-1", f"Sou {SECRET}")),
        change("/identifiers/cpf", CPF, ("m-1", f"CPF {CPF}")),
        change("/constraints/-", {"text": f"fone {PHONE}"}, ("m-1", f"fone {PHONE}")),
    )
    house.api().post(
        f"tickets/{ticket.pk}/decisions", {"expected_version": 0, "accept": [row["id"] for row in known], "reject": []}
    )
    waits, goes = propose(
        house,
        ticket,
        change("/facts/bairro", f"perto de {MAIL}", ("m-1", MAIL)),
        change("/facts/horario", f"ligar para {ABROAD}", ("m-1", ABROAD)),
    )
    assert waits["verdict"] == "allowed"
    house.api().post(f"changes/{goes['id']}/reject", {"reason": f"não é {PIX}"})
    Message.objects.update(awaits_reading=False)
    Proposal.objects.filter(status=RunStatus.QUEUED).delete()
    say(house, ticket, f"De novo: {SAID} Falo como {SECRET.upper()}.", name=MAIL)


def assert_unseen(raw: str) -> None:
    digits = re.sub(r"[^0-9a-z]", "", raw.lower())
    for canary in CANARIES:
        assert canary.lower() not in raw.lower()
    for number in (CPF, CNPJ, CARD, PHONE, ABROAD):
        assert re.sub(r"[^0-9a-z]", "", number.lower()) not in digits


def masked_change(body: dict[str, Any]) -> dict[str, Any]:
    """What a model proposes that copies what it was shown: the newest message's CPF."""
    newest = json.loads(body["messages"][1]["content"])["new_messages"][-1]
    (found,) = re.findall(r"CPF (\[CPF-\d+\])", newest["text"])
    cited = {"message": newest["id"], "quote": f"CPF {found}"}
    return {"op": "add", "path": "/identifiers/cpf", "value": found, "evidence": [cited], "inference": False, "reason": found}


def test_no_canary_is_in_the_bytes_that_leave_and_what_comes_back_is_whole(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    everywhere(with_secrets, ticket)
    model_server.answer_with(lambda body: {"changes": [masked_change(body)]})

    row = run(with_secrets)

    (asked,) = model_server.chats
    assert asked.raw
    assert_unseen(asked.raw.decode())
    for kind in ("CPF", "CNPJ", "CARTAO", "TELEFONE", "EMAIL", "PIX", "PARENTESCO"):
        assert f"[{kind}-" in asked.raw.decode()
    assert row.status == RunStatus.READY
    made = ProposedChange.objects.get(proposal=row)
    assert (made.value, made.reason, made.citations[0]["quote"]) == (CPF, CPF, f"CPF {CPF}")
    assert made.verdict == "no_change"  # it holds already: the value came back whole, and its quote stands


def test_what_was_sensitive_stays_masked_when_its_field_is_gone(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    everywhere(with_secrets, ticket)
    actions.publish_ticket_type(member=with_secrets.davi, document=ticket_type())

    run(with_secrets)

    (asked,) = model_server.chats
    assert SECRET.lower() not in asked.raw.decode().lower()
    assert "[PARENTESCO-" in asked.raw.decode()


def test_placeholders_are_the_same_in_every_request_of_a_ticket_and_others_elsewhere(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    for _ in range(2):
        say(with_secrets, ticket, f"é {CPF}")
        run(with_secrets)
    say(with_secrets, make_ticket(with_secrets, "cli-2"), f"é {CPF}")
    run(with_secrets)

    names = [re.findall(r"é (\[CPF-\d+\])", asked.raw.decode())[-1] for asked in model_server.chats]
    assert names[0] == names[1] != names[2]


def test_an_answer_that_a_lost_worker_left_is_put_back_from_what_was_stored(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(with_secrets, ticket, SAID)
    model_server.answer_with(lambda body: {"changes": [masked_change(body)]})
    row = run(with_secrets)
    left = {"status": RunStatus.RUNNING, "attempts": 1, "finished_at": None}
    ProposedChange.objects.filter(proposal=row).delete()
    Proposal.objects.filter(pk=row.pk).update(**left)

    again = run(with_secrets, row)

    assert (again.status, len(model_server.chats)) == (RunStatus.READY, 1)
    assert ProposedChange.objects.get(proposal=row).value == CPF
    assert restored(json.loads(row.request["user"]), row.request["masks"])["new_messages"][0]["text"] == SAID


def test_the_answer_that_the_model_is_to_mend_shows_nothing_either(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(with_secrets, ticket, TOLD)
    model_server.answer_text(f"Claro! O CPF é {CPF}, e aqui está:")  # a model that remembers it from elsewhere
    model_server.answer_with(lambda body: {"changes": [masked_change(body)]})
    run(with_secrets)
    run(with_secrets)

    for asked in model_server.chats:
        assert_unseen(asked.raw.decode())
    assert ProposedChange.objects.get().value == CPF


def test_a_placeholder_that_was_made_up_is_nobody_s_number(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    say(with_secrets, ticket, SAID)
    model_server.answer(change("/identifiers/cpf", "[CPF-000000]", ("m-1", "Sou")))
    run(with_secrets)

    made = ProposedChange.objects.get()
    assert (made.status, made.reasons[0]["code"]) == ("refused", "schema.invalid_value")


def test_where_an_administrator_has_switched_it_off_data_leave_as_they_are(
    with_secrets: House, ticket: Ticket, model_server: ModelServer
) -> None:
    set_masking(member=with_secrets.davi, on=False)
    say(with_secrets, ticket, SAID)
    run(with_secrets)

    assert CPF in model_server.chats[0].raw.decode()
    assert Proposal.objects.get().request["masks"] == {}
    with_secrets.organization.refresh_from_db()
    set_masking(member=with_secrets.davi, on=True)
    say(with_secrets, make_ticket(with_secrets, "cli-2"), TOLD)
    run(with_secrets)
    assert_unseen(model_server.chats[1].raw.decode())


def test_a_new_organisation_masks(db: None) -> None:
    organization, _ = actions.create_organization(slug="nova", name="Nova")
    assert Organization.objects.get(pk=organization.pk).masks_personal_data


def test_a_rereading_is_masked_too(with_secrets: House, ticket: Ticket, model_server: ModelServer) -> None:
    say(with_secrets, ticket, TOLD)
    say(with_secrets, ticket, "consulta feita", Kind.TOOL, "Agenda")
    Message.objects.update(awaits_reading=False)
    Proposal.objects.all().delete()
    model_server.answer_with(lambda body: {"changes": [masked_change_of_first(body)]})
    rebuild = start_rereading(organization=with_secrets.organization, member=with_secrets.celia, ticket_id=ticket.pk)

    read_on(organization_id=with_secrets.organization.pk, rebuild_id=rebuild.pk)

    (asked,) = model_server.chats
    assert_unseen(asked.raw.decode())
    assert ProposedChange.objects.get().value == CPF


def masked_change_of_first(body: dict[str, Any]) -> dict[str, Any]:
    first = json.loads(body["messages"][1]["content"])["new_messages"][0]
    (found,) = re.findall(r"CPF (\[CPF-\d+\])", first["text"])
    return change("/identifiers/cpf", found, (first["id"], f"CPF {found}"))


@pytest.fixture
def talkative(transactional_db: None, model_server: ModelServer) -> Iterator[Child]:
    """A worker that writes down all it can."""
    folder = test_settings.RUN_DIR / test_settings.WORKER / "masking-redis"
    embedded.prepare_folder(folder)
    redis = embedded.Redis(folder, test_settings.PASSWORDS["redis"], lasting=False)
    redis.start()
    words = ("-m", "celery", "--app", "atendimento.celery", "worker", "--pool", "prefork", "--concurrency", "1")
    clock = ("--beat", "--scheduler", "celery.beat:Scheduler", "--loglevel", "DEBUG")
    worker = start("talkative", *words, *clock, REDIS_URL=redis.url, LOG_LEVEL="DEBUG")
    yield worker
    worker.stop(3)
    if redis.child is not None:
        redis.child.stop(2)


def test_no_canary_is_in_the_worker_s_log_however_much_it_tells(talkative: Child, model_server: ModelServer) -> None:
    house = make_house()
    publish(house)
    ticket = make_ticket(house)
    everywhere(house, ticket)
    model_server.fail(500, message=f"no {CPF} here")  # a server that repeats what it should not know
    model_server.answer_text(f"isto não é JSON: {MAIL}")
    model_server.answer_with(lambda body: {"changes": [masked_change(body)]})
    Proposal.objects.filter(status=RunStatus.QUEUED).update(not_before=timezone.now() - timedelta(seconds=1))

    deadline = time.monotonic() + 60
    while not Proposal.objects.filter(status=RunStatus.READY, origin="model", attempts=3).exists():
        assert time.monotonic() < deadline, talkative.last_words(20)
        time.sleep(0.1)

    written = talkative.log.read_text()
    assert "model not reached" in written
    assert_unseen(written)
