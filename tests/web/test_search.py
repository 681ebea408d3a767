"""The search: whatever the accents and the punctuation, in pages by key, within what the member sees, whatever is typed."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from atendimento.actions import messages, ticket_types
from atendimento.actions.tickets import CustomerData, create_ticket, update_ticket
from atendimento.models import Membership, Message, MessageWords, Organization, Team, Ticket, TicketState
from atendimento.selectors import search as pages
from atendimento.selectors import search_terms, values
from atendimento.selectors import ticket as tickets
from atendimento.selectors.search_filters import Filters
from atendimento.tenancy import enter
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.stories import World, change

WINDOW: Any = dict.fromkeys(("first", "last", "before", "after", "around"))


def found(client: Client, query: str, group: str = "messages", **more: str) -> list[str]:
    """What a group shows: each hit's words, its marks in brackets."""
    page = client.get("/search", {"q": query, "in": group, **more}).context["page"]
    return [
        "".join(f"[{part.text}]" if "found" in part.mark else part.text for part in hit.words or hit.title)
        for one in page.groups
        for hit in one.hits
    ]


def subjects(client: Client, query: str, **more: str) -> list[str]:
    return [re.sub(r"[\[\]]", "", title) for title in found(client, query, "tickets", **more)]


WORDS = [
    # what was said, what is typed, what is marked
    ("Meu endereço mudou", "endereco", "[endereço]"),
    ("meu endereco mudou", "endereço", "[endereco]"),
    ("MEU ENDEREÇO MUDOU", "Endereço", "[ENDEREÇO]"),
    ("meu endereço mudou", "endereco", "[endereço]"),  # the accents as characters of their own
    ("as geladeiras chegaram", "geladeira", "[geladeiras]"),
    ("tenho várias opções", "opcao", "[opções]"),
    ("fiz duas reclamacoes", "reclamação", "[reclamacoes]"),
    ("as entregas atrasaram", "entrega", "[entregas]"),
    ("quero agendar", "agend", "[agendar]"),  # the last word may be unfinished
    ("ela não gela direito", '"nao gela"', "[não gela]"),
    ("ela não gela direito", "“não gela”", "[não gela]"),
    ("compre um guarda-chuva", "guarda-chuva", "[guarda-chuva]"),
    ("compre um guarda-chuva", "guarda-ch", "[guarda-chuva]"),
    ("escreva a joao@exemplo.test", "joao@exemplo.test", "[joao@exemplo.test]"),
    ("veja https://exemplo.test/pedidos/12", "pedidos", "[pedidos]"),
    ("ﬁnalmente chegou", "finalmente", "[ﬁnalmente]"),  # a ligature
    ("أين طلبي من فضلك", "طلبي", "[طلبي]"),  # written from right to left
    ("где мой заказ", "ЗАКАЗ", "[заказ]"),
    ("a peça é 0x1f.2e5-b", "0x1f.2e5-b", "[0x1f.2e5-b]"),
]


def misses(world: World, client: Client, table: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, list[str]]]:
    """The rows whose message is not found, or not marked as it should be; empty `marked`: it must not be found."""
    ticket = world.ticket("-")
    wrong = []
    for said, asked, marked in table:
        world.many(ticket, [said])
        hits = found(client, asked)
        if (not any(marked in hit for hit in hits)) if marked else hits:
            wrong.append((said, asked, hits))
        Message.objects.filter(ticket=ticket).delete()
    return wrong


def test_words_are_found_whatever_their_accents_and_endings(world: World, ana: Client) -> None:
    assert misses(world, ana, WORDS) == []


NOT_FOUND = [
    ("meu endereço mudou", '"endereço meu"', ""),
    ("meu endereço mudou", "endereço -mudou", ""),
    ("meu endereço mudou", 'endereço -"endereço mudou"', ""),
    ("ela gela", '"não gela"', ""),
    ("a casa amarela", "casamento", ""),
    ("a geladeira", "gela ", ""),  # a space after it finishes the word
]


def test_what_is_not_there_is_not_found(world: World, ana: Client) -> None:
    assert misses(world, ana, NOT_FOUND) == []
    assert "Nada encontrado para “helicóptero”" in text(ana.get("/search", {"q": "helicóptero"}))


NUMBERS = [
    ("meu cpf é 123.456.789-09, ok?", "12345678909", "[123.456.789-09]"),
    ("meu cpf é 12345678909", "123.456.789-09", "[12345678909]"),
    ("meu cpf é 123 456 789 09", "123.456.789-09", "[123 456 789 09]"),
    ("meu cpf é 12345678909", "123 456 789 09", "[12345678909]"),
    ("cnpj 12.345.678/0001-95.", "12345678000195", "[12.345.678/0001-95]"),
    ("cnpj 12345678000195", "12.345.678/0001-95", "[12345678000195]"),
    ("ligue (81) 98765-4321", "81987654321", "[81) 98765-4321]"),
    ("ligue +55 81 98765 4321", "81987654321", "[81 98765 4321]"),
    ("pedido AB-1234", "ab1234", "[AB-1234]"),
    ("pedido ab1234", "AB-1234", "[ab1234]"),
    ("pedido １２３４５６", "123456", "[１２３４５６]"),  # full-width digits
    ("pedido 987654", "9876", "[9876"),  # while it is typed
]


PARTS = [
    ("cpf 390.533.447-05", "390533447 ", ""),
    ("pedido AB-12345", "AB-1234 ", ""),
    ("pedido 51234", "1234", ""),
    ("ligue 81 98765-4321", "8765", ""),
]


def test_a_number_is_found_however_it_is_punctuated_and_a_part_of_it_is_not(world: World, ana: Client) -> None:
    assert misses(world, ana, NUMBERS) == []
    assert misses(world, ana, PARTS) == []


HOSTILE = [
    "'", "''; DROP TABLE x; --", ":*", "a:*", "&|!()", "! & a", "<->", "\\", "\\'", "a\0b", "%", "_", "((((((", '"', '""""',
    '-"', "-", "--", "- a", "x" * 10_000, "a " * 5_000, '"' * 5_000, "\u202eabc", "\ufeff", "\u0301\u0301", "😀", "١٢٣", "½",
    "@1", "'@1'", "@", "1" * 300, "1-" * 150, "<script>alert(1)</script>",
]  # fmt: skip


def test_whatever_is_typed_is_only_looked_for(world: World, ana: Client) -> None:
    ticket = world.ticket("Assunto")
    world.say(ticket, "uma mensagem")
    for asked in HOSTILE:
        pages.page(world.ana, Filters.read({"q": asked}))
        assert tickets.messages_window(world.ana, ticket.pk, **WINDOW, find=search_terms.clean(asked)) is not None
    for asked in HOSTILE[-3:]:
        response = ana.get("/search", {"q": asked})
        assert response.status_code == 200, asked
        assert "<script>alert" not in response.content.decode()
        assert ask(ana, f"/tickets/{ticket.pk}/messages", find=asked).status_code == 200, asked


def test_a_query_that_names_nothing_says_what_can_be_searched(world: World, ana: Client) -> None:
    world.say(world.ticket(), "de garantia")
    for asked in ("", " ", "-garantia", "de ", "&|", '"'):
        page = text(ana.get("/search", {"q": asked}))
        assert "Um protocolo, um cliente, palavras de uma mensagem" in page, asked


def test_a_hit_is_marked_and_nothing_that_was_written_becomes_markup(world: World, ana: Client) -> None:
    world.say(world.ticket(), '<b>geladeira</b> <img src=x onerror="alert(1)"> ' + "muito longo " * 40)
    body = ana.get("/search", {"q": "geladeira"}).content.decode()
    assert '&lt;b&gt;<mark class="found">geladeira</mark>&lt;/b&gt;' in body
    assert "<img" not in body
    assert "…" in body


def test_a_hit_names_author_time_and_ticket_and_leads_to_the_message(world: World, ana: Client) -> None:
    ticket = world.ticket("Visita")
    world.many(ticket, [f"conversa {number}" for number in range(1, 300)])
    world.say(ticket, "o técnico não veio", name="Helena")
    world.many(ticket, [f"conversa {number}" for number in range(301, 600)])
    hit = ana.get("/search", {"q": "técnico"}).context["page"].groups[-1].hits[0]
    assert hit.url == f"/tickets/{ticket.pk}/?m=300&show=talk&find=t%C3%A9cnico#m-300"
    assert hit.title[0].text == "Helena · cliente"
    assert ticket.protocol in hit.subtitle
    assert hit.at is not None
    page = ana.get(hit.url.partition("#")[0])
    shown = page.context["page"].transcript
    assert 300 in [message.number for message in shown.messages]
    assert '<mark class="found" title="procurado" data-refs="">técnico</mark>' in page.content.decode()
    assert "find=t%C3%A9cnico" in shown.older_url, "the other windows are marked the same"
    older = ask(ana, shown.older_url)
    assert older.status_code == 200


def test_tickets_are_found_by_protocol_its_digits_its_beginning_and_their_subject(world: World, ana: Client) -> None:
    ticket = world.ticket("Máquina de lavar pára")
    other = world.ticket("Fogão")
    year, number = ticket.protocol.split("-")
    for asked in (ticket.protocol, f"{year}{number}", number, str(int(number)), "maquina lavar", f"{year}-{number[:-1]}"):
        assert "Máquina de lavar pára" in subjects(ana, asked), asked
    assert subjects(ana, ticket.protocol) == ["Máquina de lavar pára"]
    assert set(subjects(ana, f"{year}-")) == {ticket.subject, other.subject}


def test_customers_are_found_by_name_telephone_mail_and_foreign_id_and_lead_to_their_newest_ticket(
    world: World, ana: Client
) -> None:
    data = CustomerData("CLI/77-A", "Conceição Araújo", "(81) 98765-4321", "conceicao@exemplo.test")
    made = [
        create_ticket(caller=world.channel, ticket_type="assistencia-tecnica", subject=str(index), customer=data)[0]
        for index in range(2)
    ]
    for asked in ("conceicao", "ARAUJO conc", "81987654321", "98765-4321", "conceicao@exemplo.test", "cli77a", "CLI/77-A"):
        assert len(found(ana, asked, "customers")) == 1, asked
    hit = ana.get("/search", {"q": "conceição", "in": "customers"}).context["page"].groups[0].hits[0]
    assert hit.url.startswith(f"/tickets/{made[1].pk}/")
    assert [chip.label for chip in hit.chips] == ["2 atendimentos"]
    assert "(81) 98765-4321" in hit.subtitle


def test_identifiers_of_the_state_are_found_whole_and_told_with_their_label(world: World, ana: Client) -> None:
    ticket = world.ticket("Com pedido")
    world.say(ticket, "meu pedido é o AB-1234")
    world.accept(world.propose(ticket, change("/identifiers/pedido", "AB-1234", ("m-1", "AB-1234"))))
    for asked in ("AB-1234", "ab1234", "AB 1234", "pedido AB-1234"):
        assert found(ana, asked, "identifiers") == ["[AB-1234]"], asked
    for asked in ("AB-123", "1234", "pedido"):
        assert found(ana, asked, "identifiers") == [], asked
    hit = ana.get("/search", {"q": "AB-1234", "in": "identifiers"}).context["page"].groups[0].hits[0]
    assert hit.title[0].text == "Pedido"
    assert hit.url == f"/tickets/{ticket.pk}/?pane=state&show=memory"


def test_a_sensitive_identifier_is_opened_in_the_state_alone(world: World, ana: Client) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    field = {"label": "CPF", "schema": {"type": "string"}, "sources": ["customer"], "sensitive": True}
    document = {**stories.TICKET_TYPE, "fields": {**stories.TICKET_TYPE["fields"], "/identifiers/cpf": field}}
    ticket_types.publish_ticket_type(member=admin, document=document)
    ticket = world.ticket()
    world.say(ticket, "cpf 123.456.789-09")
    world.accept(world.propose(ticket, change("/identifiers/cpf", "123.456.789-09", ("m-1", "123.456.789-09"))))
    assert found(ana, "12345678909", "identifiers") == [f"[{values.HIDDEN}]"]
    world.say(ticket, "ou melhor, é o 98-765-4")
    world.accept(world.propose(ticket, change("/identifiers/cpf", "98-765-4", ("m-2", "98-765-4"))))
    assert found(ana, "987654", "identifiers") == []  # so short a one could be guessed, and to be found is to be told


def test_the_latest_revision_is_found_and_what_was_deleted_is_not(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "quero a geladeira", external_id="a")
    world.say(ticket, "quero o fogão", external_id="a")
    world.say(ticket, "quero a lavadora", external_id="b")
    messages.delete_message(caller=world.channel, ticket_id=ticket.pk, message="m-2")
    assert found(ana, "geladeira") == []
    assert found(ana, "lavadora") == []
    assert found(ana, "fogão") == ["quero o [fogão]"]


def test_a_text_of_any_make_can_be_kept(world: World, ana: Client) -> None:
    ticket = world.ticket()
    for made in ("ﷺ " * 30_000, " ".join(str(number) for number in range(20_000))[:100_000], "1-" * 50_000, "😀é" * 30_000):
        world.say(ticket, made[:100_000])
    world.say(ticket, "palavra " * 12_000 + "derradeira")
    assert len(found(ana, "derradeira")) == 1


def test_filters_narrow_what_is_found(world: World, ana: Client) -> None:
    old = world.ticket("Antigo")
    world.say(old, "geladeira velha", ago=timedelta(days=40))
    update_ticket(member=world.ana, ticket_id=old.pk, status="closed")
    new = world.ticket("Novo")
    world.say(new, "geladeira nova")
    world.say(new, "geladeira anotada", "agent", "Ana")
    assert len(found(ana, "geladeira")) == 3
    assert found(ana, "geladeira", status="closed") == ["[geladeira] velha"]
    assert found(ana, "geladeira", author="agent") == ["[geladeira] anotada"]
    day = (datetime.now(UTC) - timedelta(days=20)).date().isoformat()
    assert found(ana, "geladeira", to=day) == ["[geladeira] velha"]
    assert len(found(ana, "geladeira", **{"from": day})) == 2
    assert len(found(ana, "geladeira", type="assistencia-tecnica")) == 3
    assert found(ana, "geladeira", type="outro") == []
    assert subjects(ana, "antigo", status="closed") == ["Antigo"]
    both = ana.get("/search", {"q": "geladeira", "author": "agent"}).context["page"]
    assert [group.key for group in both.groups] == ["messages"]
    for nonsense in ({"from": "x"}, {"to": "9999-99-99"}, {"status": "x"}, {"author": "x"}, {"in": "x"}, {"after": "x_y"}):
        assert ana.get("/search", {"q": "geladeira", **nonsense}).status_code == 200


def test_pages_follow_each_other_by_key_without_gap_or_repetition(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.many(ticket, [f"geladeira número {number}" for number in range(45)])
    Message.objects.filter(ticket=ticket, number__lte=30).update(said_at=datetime.now(UTC))  # many at one moment
    seen: list[str] = []
    address = "/search?q=geladeira&in=messages"
    for _page in range(3):
        page = ana.get(address).context["page"]
        seen += ["".join(part.text for part in hit.words) for hit in page.groups[0].hits]
        address = page.groups[0].more_url
    assert address == ""
    assert sorted(seen) == sorted(f"geladeira número {number}" for number in range(45))


def test_the_other_groups_have_pages_too(world: World, ana: Client) -> None:
    for index in range(23):
        ticket = world.ticket(f"Pedido comum {index}", f"Cliente comum {index}")
        held = {**TicketState.objects.get(ticket=ticket).values, "identifiers": {"pedido": "AB-1234"}}
        TicketState.objects.filter(ticket=ticket).update(values=held)
    for group, asked in (("tickets", "comum"), ("customers", "comum"), ("identifiers", "AB-1234")):
        first = ana.get("/search", {"q": asked, "in": group}).context["page"].groups[0]
        second = ana.get(first.more_url).context["page"].groups[0]
        assert (len(first.hits), len(second.hits), second.more_url) == (20, 3, ""), group
        assert not {hit.url for hit in first.hits} & {hit.url for hit in second.hits}


def test_another_organisation_finds_nothing_of_it(world: World, stranger: Client) -> None:
    ticket = world.ticket("Visita da geladeira")
    world.say(ticket, "geladeira AB-1234")
    world.accept(world.propose(ticket, change("/identifiers/pedido", "AB-1234", ("m-1", "AB-1234"))))
    for asked in ("geladeira", ticket.protocol, "Helena", "AB-1234"):
        assert not stranger.get("/search", {"q": asked}).context["page"].found, asked


def test_the_views_keep_the_wall_themselves_and_take_no_writing(world: World) -> None:
    ticket = world.ticket()
    world.say(ticket, "geladeira")
    with connection.cursor() as cursor:
        for view in ("messagewords", "ticketwords", "customerwords", "ticketidentifiers"):
            name = f"atendimento_{view}"
            cursor.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 - names of ours
            assert cursor.fetchone() == (1,)
            for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"):
                cursor.execute("SELECT has_table_privilege(current_user, %s, %s)", [name, right])
                assert cursor.fetchone() == (False,), (view, right)
    other, _new = Organization.objects.get_or_create(slug="outra", defaults={"name": "Outra"})
    enter(other.pk)
    assert MessageWords.objects.count() == 0
    assert not MessageWords.objects.filter(organization=world.ana.organization_id).exists()
    world.enter()


def test_a_constant_number_of_queries_however_much_is_found(world: World) -> None:
    def everything() -> None:
        pages.page(world.ana, Filters.read({"q": "AB-1234"}))

    def more() -> None:
        ticket = world.ticket("Pedido AB-1234", "AB-1234")
        world.say(ticket, "pedido AB-1234")
        world.accept(world.propose(ticket, change("/identifiers/pedido", "AB-1234", ("m-1", "AB-1234"))))

    more()
    before = queries_of(everything)
    for _number in range(6):
        more()
    assert queries_of(everything) == before <= 20


def test_what_is_typed_is_in_no_log(world: World, ana: Client, caplog: pytest.LogCaptureFixture) -> None:
    world.say(world.ticket(), "segredíssimo")
    with caplog.at_level(logging.DEBUG):
        ana.get("/search", {"q": "segredíssimo"})
    lines = [
        json.dumps(record.msg, default=str) + record.getMessage()
        for record in caplog.records
        if record.name != "django.db.backends"
    ]
    assert not [line for line in lines if "segred" in line]


def test_the_panel_is_a_fragment_with_options_and_the_way_to_the_page(world: World, ana: Client) -> None:
    world.say(world.ticket(), "geladeira")
    body = ask(ana, "/search", q="gelad").content.decode()
    assert "<html" not in body
    assert body.count('role="option"') == 3  # the ticket's subject, the message, everything
    assert "/search?q=gelad" in body


def test_what_another_team_has_is_not_found(world: World, ana: Client, silvia: Client) -> None:
    """Neither its tickets, nor their messages and identifiers, nor a customer who has no other."""
    organization = world.ana.organization
    team = Team.objects.create(organization=organization, slug="financeiro", name="Financeiro", created_at=datetime.now(UTC))
    ticket = world.ticket("Visita da geladeira", "Conceição Araújo")
    world.say(ticket, "a geladeira do pedido AB-1234")
    world.accept(world.propose(ticket, change("/identifiers/pedido", "AB-1234", ("m-1", "AB-1234"))))
    Ticket.objects.filter(pk=ticket.pk).update(team=team)
    for asked in ("geladeira", ticket.protocol, "conceição", "AB-1234"):
        assert not ana.get("/search", {"q": asked}).context["page"].found, asked
        assert silvia.get("/search", {"q": asked}).context["page"].found, asked
    world.ticket("Outra visita", "Conceição Araújo")
    hits = ana.get("/search", {"q": "conceição", "in": "customers"}).context["page"].groups[0].hits
    assert [[chip.label for chip in hit.chips] for hit in hits] == [["1 atendimento"]], "of the customer who has one of hers"
