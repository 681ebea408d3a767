"""The pages on which a ticket is split or merged: what they show, what they do without a script, and what they refuse."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from atendimento.actions import messages, slots, ticket_types, tickets
from atendimento.actions.merging import merge_ticket
from atendimento.models import Membership, Message, ProposedChange, Ticket
from memoria.proposals import Status
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World

ATTACK = "<script>alert(1)</script>"


def second(world: World, first: Ticket, subject: str = "Cobrança em dobro") -> Ticket:
    """Another open ticket of the same customer."""
    made, _new = tickets.create_ticket(
        caller=world.channel,
        ticket_type="assistencia-tecnica",
        subject=subject,
        customer=tickets.CustomerData(first.customer.external_id),
        channel="whatsapp",
    )
    return made


def hidden(page: Any, *names: str) -> dict[str, Any]:
    """What a form's hidden inputs hold, as its page object has it."""
    held = page.context["page"]
    holder = getattr(held, "preview", None) or held
    named = {"expected_version": holder.version, "into_version": getattr(holder, "into_version", None)}
    named |= {"key": getattr(held, "key", None), "into": getattr(holder, "protocol", None), "seen": getattr(holder, "seen", ())}
    return {name: " ".join(named[name]) if name == "seen" else named[name] for name in names}


def split(ana: Client, ticket: Ticket, **given: Any) -> Any:
    page = ana.get(f"/tickets/{ticket.pk}/split")
    form = hidden(page, "key", "expected_version") | {"subject": "Outro assunto", "type": "assistencia-tecnica"}
    return ana.post(f"/tickets/{ticket.pk}/split", form | given)


# --- splitting ------------------------------------------------------------------------------------------------------


def test_messages_and_values_go_to_a_new_ticket_without_a_script(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    page = ana.get(f"/tickets/{ticket.pk}/split")
    words = text(page)
    assert "Desmembrar este atendimento" in words
    assert "minha geladeira, moro em Boa Viagem" in words
    assert "Bairro da visita Boa Viagem" in words
    assert "cliente · m-1" in words

    answer = split(ana, ticket, message=["m-1"], value=["/facts/bairro", "/commitments/c-1"])

    new = Ticket.objects.get(split_from=ticket)
    assert answer["Location"] == f"/tickets/{new.pk}/"
    there = text(ana.get(answer["Location"]))
    assert f"desmembrado de {ticket.protocol}" in there
    assert f"veio de {ticket.protocol} m-1" in there
    assert f"Trazido de {ticket.protocol}, versão 1" in there
    assert f"deu origem a {new.protocol}" in text(ana.get(f"/tickets/{ticket.pk}/"))
    history = text(ana.get(f"/tickets/{new.pk}/?pane=history"))
    assert f"desmembrou valores de {ticket.protocol}, versão 1" in history
    assert "precisa confirmar" in history
    state = text(ana.get(f"/tickets/{new.pk}/?pane=state"))
    assert f"Trazido de {ticket.protocol}, versão 1: só vale depois de confirmado." in state
    brief = text(ana.get(f"/tickets/{new.pk}/summary"))
    assert "veio de outro atendimento" in brief


def test_the_same_form_twice_leads_to_the_same_ticket(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    form = hidden(ana.get(f"/tickets/{ticket.pk}/split"), "key", "expected_version")
    form |= {"subject": "Outro", "type": "assistencia-tecnica", "message": "m-1"}

    first, again = (ana.post(f"/tickets/{ticket.pk}/split", form)["Location"] for _ in range(2))

    assert first == again
    assert Ticket.objects.filter(split_from=ticket).count() == 1


def test_what_was_chosen_stays_while_other_messages_are_looked_at(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.many(ticket, [f"mensagem {number}" for number in range(1, 251)])
    page = ana.get(f"/tickets/{ticket.pk}/split").context["page"]
    assert [row.ref for row in page.messages[:1]] == ["m-151"]

    form = {"key": page.key, "expected_version": 0, "subject": "Outro", "type": "assistencia-tecnica"}
    older = ana.post(f"/tickets/{ticket.pk}/split", form | {"message": ["m-250", "m-160"], "window": page.older})

    shown = older.context["page"]
    assert (shown.messages[0].ref, shown.messages[-1].ref, shown.subject) == ("m-51", "m-150", "Outro")
    assert (shown.elsewhere, shown.key) == (("m-160", "m-250"), page.key)
    assert "2 mensagens escolhidas fora desta lista" in text(older)
    assert Ticket.objects.count() == 1
    newer = ana.post(f"/tickets/{ticket.pk}/split", form | {"message": shown.elsewhere, "window": shown.newer})
    assert [row.ref for row in newer.context["page"].messages if row.chosen] == ["m-160", "m-250"]


@pytest.mark.parametrize(("first", "last", "count"), [("m-2", "m-3", 2), ("3", "", 1), ("", "m-1", 1), ("m-1", "m-3", 3)])
def test_a_range_of_messages_is_named_by_its_ends(world: World, ana: Client, first: str, last: str, count: int) -> None:
    ticket = stories.recife(world)

    split(ana, ticket, first=first, last=last)

    assert Message.objects.filter(ticket__split_from=ticket).count() == count


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"subject": " "}, "Dê um assunto ao novo atendimento."),
        ({}, "Escolha uma mensagem ou um valor."),
        ({"message": "m-77"}, "Uma das mensagens não existe, ou foi apagada."),
        ({"first": "m-3", "last": "m-2"}, "Uma das mensagens não existe, ou foi apagada."),
        ({"first": "ontem"}, "Uma das mensagens não existe, ou foi apagada."),
        ({"first": "m-1", "last": "m-900"}, "No máximo 200 mensagens podem ser escolhidas."),
        ({"message": "m-1", "type": "nenhum"}, "O formulário está incompleto."),
        ({"message": "m-1", "type": "\0"}, "O formulário está incompleto."),
        ({"message": "m-1", "key": "x"}, "O formulário está incompleto."),
    ],
)
def test_a_form_that_is_not_whole_is_shown_again(world: World, ana: Client, given: dict[str, str], words: str) -> None:
    ticket = stories.recife(world)

    answer = split(ana, ticket, **{"value": [], **given})

    assert answer.status_code == 400
    assert words in text(answer)
    assert Ticket.objects.count() == 1


def test_a_value_that_changed_meanwhile_is_shown_first_and_what_was_typed_stays(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    form = hidden(ana.get(f"/tickets/{ticket.pk}/split"), "key", "expected_version")
    slots.set_slot(member=world.rui, ticket_id=ticket.pk, path="/facts/bairro", value="Madalena", expected_version=1)

    form |= {"subject": ATTACK, "type": "assistencia-tecnica", "value": ["/facts/bairro"]}
    answer = ana.post(f"/tickets/{ticket.pk}/split", form)

    assert answer.status_code == 409
    assert "Rui Prado" in text(answer)
    assert ATTACK.encode() not in answer.content
    assert b"&lt;script&gt;" in answer.content
    again = {"expected_version": answer.context["page"].version, "key": answer.context["page"].key}
    assert ana.post(f"/tickets/{ticket.pk}/split", form | again).status_code == 302


def test_a_type_without_the_field_says_which_value_it_does_not_take(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    fields = {"/facts/aparelho": {"label": "Aparelho", "schema": {"type": "string"}, "sources": ["customer"]}}
    other = {"slug": "cobranca", "name": "Cobrança", "fields": fields, "collections": {}}
    ticket_types.publish_ticket_type(member=admin, document=other)

    answer = split(ana, ticket, type="cobranca", value=["/facts/bairro", "/facts/aparelho"])

    assert answer.status_code == 409
    assert "Bairro da visita: esse tipo de atendimento não tem lugar para isto" in text(answer)
    assert Ticket.objects.count() == 1


def test_the_split_page_costs_the_same_however_long_the_ticket_is(world: World, ana: Client) -> None:
    short, long = stories.recife(world), stories.recife(world)
    world.many(long, ["mais uma"] * 300)

    ana.get(f"/tickets/{short.pk}/split")  # the ticket type is compiled once a process

    counts = {queries_of(partial(ana.get, f"/tickets/{ticket.pk}/split")) for ticket in (short, long)}

    assert len(counts) == 1


# --- merging --------------------------------------------------------------------------------------------------------


def merge(ana: Client, ticket: Ticket, target: Ticket, **given: Any) -> Any:
    page = ana.get(f"/tickets/{ticket.pk}/merge?into={target.protocol}")
    form = hidden(page, "into", "expected_version", "into_version", "seen")
    return ana.post(f"/tickets/{ticket.pk}/merge", form | given)


def test_only_open_tickets_of_the_same_customer_can_be_chosen(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    wanted, closed = second(world, ticket), second(world, ticket, "Fechado")
    tickets.update_ticket(member=world.ana, ticket_id=closed.pk, status="closed")
    foreign = world.ticket("De outra pessoa", "Eva Torres")

    page = ana.get(f"/tickets/{ticket.pk}/merge").context["page"]
    by_subject = ana.get(f"/tickets/{ticket.pk}/merge?q=cobran").context["page"]
    nothing = ana.get(f"/tickets/{ticket.pk}/merge?q=xyz")

    assert [row.protocol for row in page.candidates] == [wanted.protocol]
    assert [row.protocol for row in by_subject.candidates] == [wanted.protocol]
    assert "Nenhum outro atendimento em aberto deste cliente." in text(nothing)
    for other in (closed, foreign, ticket):
        answer = ana.get(f"/tickets/{ticket.pk}/merge?into={other.protocol}")
        assert f"O atendimento {other.protocol} não pode receber este" in text(answer)
        assert answer.context["page"].preview is None


def test_what_is_left_open_is_shown_and_what_is_chosen_is_carried(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    target = second(world, ticket)
    stories.correction(world, ticket)
    slots.set_slot(member=world.ana, ticket_id=target.pk, path="/facts/bairro", value="Casa Forte", expected_version=0)

    page = ana.get(f"/tickets/{ticket.pk}/merge?into={target.protocol}")
    words = text(page)
    assert "Ainda sem decisão aqui: não será mais decidido" in words
    assert "Bairro da visita Madalena" in words
    assert "Compromisso c-1 consultar a agenda" in words
    assert "Bairro da visita Boa Viagem o outro atendimento já tem um valor aqui" in words
    preview = page.context["page"].preview
    assert {row.pointer for row in preview.carried if row.chosen} == {row.pointer for row in preview.carried}

    answer = merge(ana, ticket, target, value=["/facts/aparelho", "/commitments/c-1"])

    assert answer["Location"] == f"/tickets/{ticket.pk}/"
    merged, there = ana.get(f"/tickets/{ticket.pk}/"), ana.get(f"/tickets/{target.pk}/")
    assert f"Unido a {target.protocol} por Ana Lima" in text(merged)
    assert f"Continuar em {target.protocol}" in text(merged)
    assert f"recebeu {ticket.protocol}" in text(there)
    assert f"Trazido de {ticket.protocol}, versão 1" in text(there)
    assert ProposedChange.objects.filter(ticket=ticket, status=Status.PENDING).count() == 0
    assert f"trouxe valores de {ticket.protocol}, versão 1" in text(ana.get(f"/tickets/{target.pk}/?pane=history"))


def test_a_merged_ticket_is_read_in_every_pane_and_has_no_form(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    target = second(world, ticket)
    stories.correction(world, ticket)
    slots.set_slot(member=world.ana, ticket_id=ticket.pk, path="/facts/bairro", value="Madalena", expected_version=1)
    merge_ticket(member=world.ana, ticket_id=ticket.pk, into=target.protocol)

    for pane in ("decide", "state", "history"):
        content = ana.get(f"/tickets/{ticket.pk}/?pane={pane}").content.decode()
        assert "moro em Boa Viagem" in content
        posts = [form for form in content.split("<form")[1:] if 'method="post"' in form.split(">", 1)[0]]
        assert [form for form in posts if f"/tickets/{ticket.pk}/" in form.split(">", 1)[0]] == [], pane


def test_a_page_that_was_open_when_the_ticket_was_merged_is_told_so(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    target = second(world, ticket)
    merge_ticket(member=world.rui, ticket_id=ticket.pk, into=target.protocol)
    address = f"/tickets/{ticket.pk}/"

    reply = ana.post(f"{address}reply", {"text": "Tudo certo!"}, headers={"HX-Request": "true"})
    confirm = ana.post(f"{address}set", {"path": "/facts/bairro", "value": "x", "expected_version": 1})

    assert (reply.status_code, confirm.status_code) == (409, 409)
    assert f"Este atendimento foi unido a {target.protocol}" in text(reply)
    assert "Tudo certo!" in reply.content.decode()
    assert ana.post(f"{address}status", {"act": "open"})["Location"] == address
    assert ana.post(f"{address}merge", {"into": target.protocol, "expected_version": 1, "into_version": 0}).status_code == 302
    assert ana.post(f"{address}split", {"key": "", "message": "m-1"}).status_code == 400
    assert split(ana, ticket, message="m-1")["Location"] == address


@pytest.mark.parametrize("given", [{"into": "nada"}, {"expected_version": ""}, {"into_version": "x"}])
def test_a_merge_form_that_is_not_whole_is_shown_again(world: World, ana: Client, given: dict[str, str]) -> None:
    ticket = stories.recife(world)

    answer = merge(ana, ticket, second(world, ticket), **given)

    assert answer.status_code == 400
    assert "Escolha o atendimento que recebe este." in text(answer)


def test_a_decision_made_meanwhile_is_shown_before_merging(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    target = second(world, ticket)
    form = hidden(
        ana.get(f"/tickets/{ticket.pk}/merge?into={target.protocol}"), "into", "expected_version", "into_version", "seen"
    )
    slots.set_slot(member=world.rui, ticket_id=ticket.pk, path="/facts/bairro", value="Madalena", expected_version=1)

    answer = ana.post(f"/tickets/{ticket.pk}/merge", form | {"value": ["/facts/aparelho"]})

    assert answer.status_code == 409
    assert "Rui Prado" in text(answer)
    preview = answer.context["page"].preview
    assert [row.pointer for row in preview.carried if row.chosen] == ["/facts/aparelho"]
    assert Ticket.objects.get(pk=ticket.pk).status == "open"


def test_another_organisation_sees_neither_page(world: World, stranger: Client) -> None:
    ticket = stories.recife(world)

    for address in ("split", "merge"):
        assert stranger.get(f"/tickets/{ticket.pk}/{address}").status_code == 404
        assert stranger.post(f"/tickets/{ticket.pk}/{address}").status_code == 404


def test_what_the_channel_deletes_is_offered_no_more(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "e também a máquina", ago=timedelta(minutes=5))
    messages.delete_message(caller=world.channel, ticket_id=ticket.pk, message="m-4")

    assert "m-4" not in {row.ref for row in ana.get(f"/tickets/{ticket.pk}/split").context["page"].messages}
