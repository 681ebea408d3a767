"""What keeps a change out of "accept all" though no caution stands on it. Each reservation beside words that are none."""

from __future__ import annotations

import pytest

from memoria.reservations import Kind, Reservation, condition, reservations

CONDITIONS = [
    ("Se passar de quinta, prefiro cancelar", "prefiro cancelar", "se"),
    ("Pode cancelar, se passar de quinta", "Pode cancelar", "se"),
    ("pode trocar mas se for de graça", "pode trocar", "se"),
    ("só se for de manhã", "for de manhã", "se"),
    ("Caso não dê certo, quero o dinheiro", "quero o dinheiro", "caso"),
    ("aceito desde que seja esta semana", "aceito", "desde que"),
    ("Depende do preço, mas quero na quinta", "quero na quinta", "depende"),
    ("If it rains, make it Friday", "make it Friday", "if"),
    ("Ela se enganou de rua", "de rua", None),
    ("Mudei-se o horário, é quinta", "é quinta", None),
    ("Nesse caso quero o dinheiro", "quero o dinheiro", None),
    ("Se puder, amanhã. O bairro é Madalena", "O bairro é Madalena", None),
    ("moro em Boa Viagem", "Boa Viagem", None),
]


@pytest.mark.parametrize(("text", "quote", "words"), CONDITIONS, ids=[row[0] for row in CONDITIONS])
def test_a_condition_is_one_of_the_quotes_own_sentence(text: str, quote: str, words: str | None) -> None:
    start = text.index(quote)
    assert condition(text, start, start + len(quote)) == words


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("A cliente parece que mudou de ideia", "parece que"),
        ("Não está claro se é a mãe dela", "não está claro"),
        ("Ambíguo: pode ser o outro endereço", "ambíguo"),
        ("unclear which day", "unclear"),
        ("A cliente corrigiu o bairro", None),
        ("", None),
    ],
)
def test_a_doubt_is_the_models_own(reason: str, words: str | None) -> None:
    assert reservations(inference=False, reason=reason, quotes=()) == ((Reservation(Kind.DOUBT, words),) if words else ())


def test_all_that_applies_is_said_and_a_condition_once() -> None:
    text = "Se passar de quinta, quero sexta"
    twice = [(text, text.index("quero"), len(text)), (text, 0, 4)]
    found = reservations(inference=True, reason="talvez sexta", quotes=twice)
    assert [(one.kind, one.words) for one in found] == [(Kind.INFERENCE, ""), (Kind.DOUBT, "talvez"), (Kind.CONDITION, "se")]
