"""What the stand-in reads out of a message for each kind of field, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.standin.talk import REMOVED, proposals, values_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # Greetings, thanks and noise say nothing.
        ("Olá, boa tarde! Tudo bem?", {}),
        ("ok, muito obrigada", {}),
        ("👍", {}),
        ("Boa noite", {}),  # no period of the day
        ("...", {}),
        # Goals, in the customer's own words.
        ("Gostaria de remarcar a instalação, por favor", {"/goal": "remarcar a instalação"}),
        ("preciso trocar o filtro porque venceu", {"/goal": "trocar o filtro"}),
        ("Queria um orçamento da pintura", {"/goal": "orçamento da pintura"}),
        ("Não quero cancelar nada", {}),
        # Places.
        ("moro no Jardim das Oliveiras", {"/facts/bairro": "Jardim das Oliveiras"}),
        ("O bairro é Cidade Nova.", {"/facts/bairro": "Cidade Nova"}),
        ("Mudei para Santa Cruz ontem", {"/facts/bairro": "Santa Cruz"}),
        ("Fica na Avenida Paulista, 1500", {"/facts/endereco": "Avenida Paulista, 1500"}),
        ("pode levar na unidade Lapa", {"/facts/unidade": "Lapa"}),
        ("Av. Norte, 20, apto 31", {"/facts/endereco": "Av. Norte, 20, apto 31"}),
        # Things.
        ("meu celular é (81) 98765-4321", {"/identifiers/telefone": "(81) 98765-4321"}),
        (
            "a secadora Polar faz um barulho e não aquece",
            {"/facts/aparelho": "secadora Polar", "/facts/sintoma": "faz um barulho e não aquece"},
        ),
        ("meu ar-condicionado pinga", {"/facts/aparelho": "ar-condicionado", "/facts/sintoma": "pinga"}),
        ("o forno não liga desde ontem", {"/facts/aparelho": "forno", "/facts/sintoma": "não liga desde ontem"}),
        # Times of day and appointments.
        ("prefiro de tarde", {"/preferences/periodo": "tarde"}),
        ("pode ser pela MANHÃ", {"/preferences/periodo": "manhã"}),
        ("talvez de tarde", {}),
        ("de tarde não, de noite", {"/preferences/periodo": "noite"}),
        ("Fica confirmado para sexta às 9h30", {"/facts/horario": "sexta às 9h30"}),
        ("vocês abrem na sexta às 9h?", {}),
        # Numbers and codes.
        ("a ordem é OS-1234", {"/identifiers/os": "OS-1234"}),
        ("é a OS 1234 mesmo", {"/identifiers/os": "OS-1234"}),
        ("OS-12345", {}),  # the pattern does not take it, and no digit is cut off
        ("cpf 111.444.777-35", {"/identifiers/cpf": "111.444.777-35"}),
        ("cpf 111.444.777-36", {}),  # wrong check digits
        ("meu numero (81) 98765-4321", {"/identifiers/telefone": "(81) 98765-4321"}),
        ("escreva para ana@exemplo.test", {"/identifiers/email": "ana@exemplo.test"}),
        # Money and payment.
        ("ficou em R$ 1.250,50", {"/facts/orcamento": 1250.5}),
        ("ficou em 300 reais", {"/facts/orcamento": 300}),
        ("vou pagar no pix", {"/facts/pagamento": "pix"}),
        ("já fiz o pix", {}),
        # By label, list and yes or no.
        ("cor preferida: azul escuro, por favor", {"/facts/cor": "azul escuro"}),
        ("a prioridade é alta", {"/facts/prioridade": "alta"}),
        ("ainda está na garantia", {"/facts/garantia": True}),
        ("já está fora da garantia", {"/facts/garantia": False}),
        ("está na garantia?", {}),
        # English yields little and breaks nothing.
        ("I would like to book a visit tomorrow, please", {}),
    ],
)
def test_a_message_of_the_customer_says_this_of_the_fields(text: str, values: dict[str, Any]) -> None:
    assert values_of(("customer", text)) == values


@pytest.mark.parametrize(
    ("text", "held", "values"),
    [
        # What holds already is not proposed again.
        ("moro em Boa Vista", {"/facts/bairro": "Boa Vista"}, {}),
        ("moro em boa vista, bairro Boa Vista", {"/facts/bairro": "BOA VISTA"}, {}),
        # Corrections.
        ("na verdade, bairro Centro", {"/facts/bairro": "Boa Vista"}, {"/facts/bairro": "Centro"}),
        ("o bairro não é Boa Vista, é Centro", {"/facts/bairro": "Boa Vista"}, {"/facts/bairro": "Centro"}),
        ("cor preferida não é azul, o certo é verde", {"/facts/cor": "azul"}, {"/facts/cor": "verde"}),
        ("bairro Centro. Aliás, bairro Torre", {"/facts/bairro": "Boa Vista"}, {"/facts/bairro": "Torre"}),
        # A withdrawal brings no value in its place.
        ("não é mais na sexta", {"/facts/horario": "sexta às 9h"}, {"/facts/horario": REMOVED}),
        ("não moro em Boa Vista", {"/facts/bairro": "Boa Vista"}, {"/facts/bairro": REMOVED}),
        ("sexta não consigo mais, tem outro dia?", {"/facts/horario": "sexta às 9h"}, {"/facts/horario": REMOVED}),
        ("não é na sexta?", {"/facts/horario": "sexta às 9h"}, {}),
        ("não é na quinta", {"/facts/horario": "sexta às 9h"}, {}),
    ],
)
def test_what_holds_decides_what_is_new(text: str, held: dict[str, Any], values: dict[str, Any]) -> None:
    assert values_of(("customer", text), values=held) == values


def test_what_staff_only_offer_is_no_fact() -> None:
    assert values_of(("agent", "Posso agendar para quinta de tarde ou sexta de manhã. O que prefere?")) == {}


def test_the_last_of_several_messages_has_the_last_word_on_a_field() -> None:
    assert values_of(("customer", "bairro Centro"), ("customer", "desculpa, bairro Torre")) == {"/facts/bairro": "Torre"}


def test_what_waits_for_its_decision_is_not_proposed_again() -> None:
    waiting = [{"path": "/facts/bairro", "value": "Centro"}]
    assert values_of(("customer", "bairro Centro"), proposed=waiting) == {}


def test_a_value_in_doubt_is_affirmed() -> None:
    held = {"/facts/bairro": "Centro"}
    assert values_of(("customer", "sim, bairro Centro"), values=held) == {}
    assert values_of(("customer", "sim, bairro Centro"), values=held, doubtful=("/facts/bairro",)) == held


def test_a_source_that_a_field_does_not_take_is_not_heard() -> None:
    fields = [{"path": "/facts/bairro", "label": "Bairro", "schema": {"type": "string"}, "sources": ["registry"]}]
    assert values_of(("customer", "bairro Centro"), fields=fields) == {}
    assert values_of(("registry", "bairro Centro"), fields=fields) == {"/facts/bairro": "Centro"}


def test_a_short_answer_to_the_question_for_a_field_is_its_value() -> None:
    asked = (("agent", "Qual a cor preferida?"),)
    assert values_of(("customer", "verde musgo"), before=asked) == {"/facts/cor": "verde musgo"}
    assert values_of(("customer", "sim"), before=asked) == {}


def test_a_numbered_list_after_the_fields_word_is_a_list() -> None:
    fields = [{"path": "/facts/passos", "label": "Passos", "schema": {"type": "array", "items": {"type": "string"}}}]
    found = values_of(("customer", "Passos: 1) abrir a tela 2) salvar. 3) fechar"), fields=fields)
    assert found == {"/facts/passos": ["abrir a tela", "salvar", "fechar"]}


ORDER = [
    {"path": "/facts/itens", "label": "Itens", "schema": {"type": "string"}},
    {"path": "/facts/endereco", "label": "Endereço", "schema": {"type": "string"}},
    {"path": "/facts/troco_para", "label": "Troco para", "schema": {"type": "string"}},
    {"path": "/facts/bandeira", "label": "Bandeira do cartão", "schema": {"type": "string"}},
]


@pytest.mark.parametrize(
    ("before", "text", "held", "values"),
    [
        ("Qual o pedido?", "quero 3 Calabresa e meia Portuguesa", None, {"/facts/itens": "3 Calabresa e meia Portuguesa"}),
        ("Qual o pedido?", "quero pedir uma pizza!", None, {}),
        ("Qual o pedido?", "posso pedir mais 1 pizza?", None, {}),
        ("Mais algo?", "adicione 1 Bauru", "2 Atum", {"/facts/itens": "2 Atum ; 1 Bauru"}),
        ("O que quer adicionar?", "1 Bauru", "2 Atum", {"/facts/itens": "2 Atum ; 1 Bauru"}),
        ("Como fica o pedido?", "quero 1 Bauru", "2 Atum", {"/facts/itens": "1 Bauru"}),
        ("Certo?", "troca 2 Atum por 1 Bauru", "2 Atum ; 1 Mista", {"/facts/itens": "1 Bauru ; 1 Mista"}),
        ("Onde entrego?", "É no Parque Azul Número 12", None, {"/facts/endereco": "Parque Azul Número 12"}),
        ("Precisa de troco?", "troco para R$ 100,00", None, {"/facts/troco_para": "R$ 100,00"}),
        ("Qual cartão?", "cartão visa", None, {"/facts/bandeira": "visa"}),
    ],
)
def test_an_order_is_taken_added_to_and_changed(before: str, text: str, held: str | None, values: dict[str, Any]) -> None:
    current = {"/facts/itens": held} if held else {}
    assert values_of(("customer", text), before=(("agent", before),), fields=ORDER, values=current) == values


def test_staff_who_read_an_order_back_propose_nothing() -> None:
    assert values_of(("agent", "Confirmando o pedido: 2 Atum ; 1 Mista"), fields=ORDER) == {}


def test_the_quote_holds_the_words_that_introduce_the_value() -> None:
    change = next(change for change in proposals(("customer", "Oi! Eu moro em Casa Amarela, perto da praça")))
    assert change["evidence"] == [{"message": "m-1", "quote": "moro em Casa Amarela"}]
