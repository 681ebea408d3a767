"""What a card says of a change: whom it replaces, and which of its words nobody said."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from atendimento import wording
from atendimento.selectors.change_words import telling_words
from memoria.errors import Code, Reason
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World, change


@pytest.mark.parametrize(
    ("value", "quote", "marked"),
    [
        ("terça-feira, 01/12, às 15h", "terça-feira, 1/12, 15h", ()),
        ("pagar R$ 1180", "O compressor fica em R$ 1.180", ("pagar",)),
        ("estornar R$ 389,90 no cartão", "o estorno cai em 7 dias", ("estornar", "389,90", "cartão")),
        ("marcar a consulta de retorno", "Agora quero marcar o retorno", ("consulta",)),
        ("quinta 14h", "quinta 15h", ("14",)),
    ],
)
def test_little_words_and_other_spellings_of_a_number_are_not_marked(value: str, quote: str, marked: tuple[str, ...]) -> None:
    assert telling_words(value, [quote]) == marked


def test_a_correction_names_the_words_that_it_replaces_and_leads_to_them(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    page = ana.get(f"/tickets/{ticket.pk}/")
    card = page.context["page"].memory.changes[0]
    assert card.sentences == ("O cliente pode corrigir este campo; substitui o que disse em m-1.",)
    assert '<a href="?m=1#m-1" data-quote="m-1">m-1</a>' in page.content.decode()


def test_a_question_that_is_proposed_is_nobodys_words_and_none_of_them_is_marked(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    said = ("m-1", "minha geladeira")
    asked = {"question": "Qual a marca da geladeira?"}
    rows = world.propose(ticket, change("/pending/-", asked, said), change("/facts/sintoma", "marca fraca", said))
    cards = {card.id: card for card in ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes}
    assert [cards[str(row.pk)].unsupported for row in rows] == [(), ("marca", "fraca")]


def test_a_value_without_a_message_is_replaced_without_naming_one() -> None:
    data = {"source": "agent", "against": "agent", "replaced": None}
    with translation.override("en"):
        said = wording.sentence(Reason(Code.SAME_AUTHOR, "P5", data))
    assert said == "The staff may correct this field; it replaces what they said before."


def test_the_head_tells_when_the_last_message_that_was_read_was_said(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "Ainda estou aqui")
    ticket.messages.update(awaits_reading=False)
    newest = ticket.messages.order_by("-number").first()
    assert newest is not None
    newest.said_at = newest.said_at.replace(year=2020, month=3, day=9, hour=13, minute=7)
    newest.save(update_fields=["said_at"])
    assert "tudo lido até 09/03/2020 10:07" in text(ana.get(f"/tickets/{ticket.pk}/"))
