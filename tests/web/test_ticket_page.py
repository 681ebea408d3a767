"""A ticket's page: what it shows, whose it is, what it costs."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from atendimento.selectors.memory import Asked
from atendimento.selectors.queue import Filters
from atendimento.selectors.ticket import ticket_page
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.stories import World, change


def test_it_shows_conversation_cards_and_cascade_before_deciding(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    response = ana.get(f"/tickets/{ticket.pk}/")
    words = text(response)
    assert "O aparelho está na casa da minha mãe, na Madalena . E pode ser à tarde" in words
    card = response.context["page"].memory.changes[0]
    assert (card.label, card.old, card.new) == ("Bairro da visita", "Boa Viagem", "Madalena")
    assert [(row.label, row.value) for row in card.cascade] == [("Horário", "quinta às 14h")]
    assert [(quote.author, quote.message) for quote in card.quotes] == [("Helena", "m-4")]
    assert "Passa a precisar de confirmação Horário: quinta às 14h" in words


def test_what_turns_a_quote_is_said_in_words_with_its_sentence(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    budget = ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes[3]
    assert "“não”" in budget.cautions[0].text
    assert [(part.text, part.mark) for part in budget.quotes[0].segments] == [
        ("não", "caution"),
        (" confirme ainda, ", ""),
        ("vou falar com ela", "quoted"),
    ]


def test_words_in_state_and_words_proposed_are_marked_in_their_place(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    messages = ana.get(f"/tickets/{ticket.pk}/").context["page"].transcript.messages
    assert [(part.text, part.mark) for part in messages[0].segments if part.mark] == [
        ("Quero agendar uma visita", "state"),
        ("minha geladeira", "state"),
        ("moro em Boa Viagem", "state"),
        ("De preferência pela manhã", "state"),
    ]
    proposed = [part for part in messages[3].segments if part.mark == "proposed"]
    assert [(part.text, part.refs) for part in proposed] == [
        ("na casa da minha mãe, na Madalena", f"ch-{rows[0].pk}"),
        ("pode ser à tarde", f"ch-{rows[1].pk}"),
    ]


def test_once_corrected_the_older_words_carry_a_tag_and_are_never_struck(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    assert "substituído" not in text(ana.get(f"/tickets/{ticket.pk}/"))
    world.accept(rows[:1])
    assert "Bairro da visita: substituído por m-4" in text(ana.get(f"/tickets/{ticket.pk}/"))


def test_message_text_is_escaped_everywhere(world: World, ana: Client) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'&"
    ticket = world.ticket(attack, attack)
    world.say(ticket, f"{attack} geladeira", name=attack)
    world.propose(ticket, change("/facts/aparelho", attack, ("m-1", attack)))
    for pane in ("decide", "state", "history"):
        body = ana.get(f"/tickets/{ticket.pk}/", {"pane": pane}).content.decode()
        assert "<script>alert" not in body
        assert "<img" not in body
    world.accept(world.propose(ticket, change("/facts/sintoma", attack, ("m-1", attack))))
    for pane in ("decide", "state", "history"):
        assert "<img" not in ana.get(f"/tickets/{ticket.pk}/", {"pane": pane}).content.decode()
    assert "<img" not in ana.get("/").content.decode()


def test_no_inline_script_or_style_and_nothing_is_kept_by_caches(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    for path in ("/", f"/tickets/{ticket.pk}/", f"/tickets/{ticket.pk}/?pane=state", f"/tickets/{ticket.pk}/?pane=history"):
        response = ana.get(path)
        body = response.content.decode()
        assert response["Cache-Control"] == "no-store, private"
        assert "script-src 'self'" in response["Content-Security-Policy"]
        assert "unsafe" not in response["Content-Security-Policy"]
        assert " style=" not in body
        assert "<style" not in body
        assert "hx-on" not in body
        assert " onclick" not in body
        assert body.count("<script") == body.count("<script src=")


@pytest.mark.parametrize("path", ["", "memory", "messages", "summary"])
def test_another_organisations_ticket_is_not_there(world: World, stranger: Client, path: str) -> None:
    ticket = stories.recife(world)
    assert stranger.get(f"/tickets/{ticket.pk}/{path}").status_code == 404
    assert ask(stranger, f"/tickets/{ticket.pk}/{path}").status_code == 404
    assert stranger.get(f"/tickets/{uuid.uuid4()}/{path}").status_code == 404


def test_a_version_that_does_not_exist_is_not_there(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    assert ana.get(f"/tickets/{ticket.pk}/", {"pane": "state", "version": "9"}).status_code == 404
    assert ask(ana, f"/tickets/{ticket.pk}/memory", pane="state", version=9).status_code == 404


def test_the_state_as_it_was(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    address = f"/tickets/{ticket.pk}/"
    assert "Como estava na versão 1" in text(ana.get(address, {"pane": "state", "version": "1"}))
    assert "Boa Viagem" in text(ask(ana, f"{address}memory", pane="state", version=1))
    now = text(ask(ana, f"{address}memory", pane="state"))
    assert "Antes deste Boa Viagem versão 1" in now
    assert "precisa confirmar" in now


def test_history_says_who_what_and_on_which_words(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    words = text(ask(ana, f"/tickets/{ticket.pk}/memory", pane="history"))
    assert "Ana Lima aceitou 1 mudança v2" in words
    assert "Boa Viagem Madalena" in words
    assert "Horário · precisa confirmar quinta às 14h" in words


def test_a_long_conversation_comes_by_windows_both_ways(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.many(ticket, [f"mensagem {number}" for number in range(1, 131)])
    address = f"/tickets/{ticket.pk}/"
    newest = ana.get(address).context["page"].transcript
    assert (newest.first, newest.last, len(newest.messages)) == (31, 130, 100)
    assert newest.newer_url == ""
    older = ask(ana, newest.older_url).context["transcript"]
    assert (older.first, older.last, older.older_url, older.newer_url) == (1, 30, "", "")
    linked = ana.get(address, {"m": 8}).context["page"].transcript
    assert (linked.first, linked.last, linked.focus) == (1, 100, 8)
    newer = ask(ana, linked.newer_url).context["transcript"]
    assert (newer.first, newer.last, newer.newer_url) == (101, 130, "")
    again = ask(ana, f"{address}messages", **{"from": 1, "to": 130}).context["transcript"]
    assert len(again.messages) == 130
    around = ask(ana, f"{address}messages", around=60).context["transcript"]
    assert around.first <= 60 <= around.last
    assert ana.get(f"{address}messages", {"around": 60}).status_code == 302


def test_the_same_queries_however_long_the_conversation(
    world: World, django_assert_max_num_queries: Any, django_assert_num_queries: Any
) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    for pane in ("decide", "state", "history"):
        ticket_page(world.ana, ticket.pk, Asked(pane), Filters())  # compiles the ticket type
        with django_assert_max_num_queries(20) as before:
            ticket_page(world.ana, ticket.pk, Asked(pane), Filters())
        world.many(ticket, [f"mais uma {number}" for number in range(120)])
        asked = [change("/pending/-", {"question": f"{pane} {number}?"}, ("m-4", "pode ser à tarde")) for number in range(20)]
        world.propose(ticket, *asked)
        # Messages beyond the window are fetched by one query more, however many they are.
        with django_assert_max_num_queries(len(before) + 1):
            ticket_page(world.ana, ticket.pk, Asked(pane), Filters())


def test_what_the_rules_refused_stays_visible_with_its_reason(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "olá")
    world.propose(ticket, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    response = ana.get(f"/tickets/{ticket.pk}/")
    assert "1 proposta recusada pelas regras" in text(response)
    assert "Nada a decidir" in text(response)


def test_an_empty_ticket_has_its_page(world: World, ana: Client) -> None:
    ticket = world.ticket()
    for pane in ("decide", "state", "history", "nonsense"):
        assert ana.get(f"/tickets/{ticket.pk}/", {"pane": pane}).status_code == 200
    assert "ainda não dito" in text(ana.get(f"/tickets/{ticket.pk}/summary"))


def test_the_summary_says_how_much_is_proposed_and_not_in_it(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem, de manhã")
    address = f"/tickets/{ticket.pk}/summary"
    assert "não foi decidida" not in text(ana.get(address))
    world.enter()
    world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem")))
    assert "1 mudança proposta ainda não foi decidida e não está neste texto." in text(ana.get(address))


def test_the_summary_says_what_is_in_doubt(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.accept(stories.correction(world, ticket)[:1])
    words = text(ask(ana, f"/tickets/{ticket.pk}/summary"))
    assert "quinta às 14h" in words
    assert "confirm" in words
    assert "<html" not in ask(ana, f"/tickets/{ticket.pk}/summary").content.decode()
    torn = text(ana.get(f"/tickets/{stories.divergence(world).pk}/summary"))
    assert "Rua das Flores, 10" in torn
    assert "Rua do Sol, 22" in torn


def test_english_is_complete_too(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    ana.post("/look", {"language": "en", "next": "/"})
    assert "Reply Internal note" in text(ana.get(f"/tickets/{ticket.pk}/"))
