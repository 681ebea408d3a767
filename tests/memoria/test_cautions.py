"""E8: a quote cuts no word and no number, and what turns its meaning around it is seen."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoria.cautions import HEDGES, NEGATIONS, sentence_span
from memoria.evidence import Message, Messages, find_quote, find_quotes
from memoria.proposals import Change, Citation
from memoria.sources import Author, Kind
from tests.memoria.bench import START, Bench, cite

CUSTOMER, AGENT = Author(Kind.CUSTOMER, "c-9", "Íris"), Author(Kind.AGENT, "ana", "Ana")
CUTS = "evidence.quote_cuts_word"


def talk(*texts: str | tuple[Author, str]) -> Messages:
    """Messages in order; the customer's where no author is named."""
    lines = [(CUSTOMER, text) if isinstance(text, str) else text for text in texts]
    return Messages(
        Message(number, author, text, START + timedelta(minutes=number)) for number, (author, text) in enumerate(lines, 1)
    )


def cautions(quote: str, *texts: str | tuple[Author, str]) -> tuple[str, ...]:
    found = find_quotes([Citation("m-1", quote)], talk(*texts))
    assert isinstance(found, tuple), found
    return found[0].evidence.cautions


def outcome(text: str, quote: str) -> str:
    item = find_quote(Citation("m-1", quote), talk(text))
    return item.code.value if hasattr(item, "code") else "found"


# --- words and numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("R$ 1.500,00", "1.5"),
        ("R$ 1.500,00", "R$ 1"),  # ends beside a point between two digits
        ("R$ 1.500,00", "R$ 1."),
        ("R$ 1.500,00", ".500"),
        ("R$ 1.500,00", "500,00"),
        ("R$ 1.500,00", "1.500"),
        ("R$ 1.500,00", "R$ 1.500,"),
        ("R$ 1.500,00", ",00"),
        ("pedido 12345", "1234"),
        ("pedido 12345", "2345"),
        ("AB12345", "12345"),  # between a letter and a digit
        ("12h30", "12"),
        ("reembolso", "reem"),
        ("Mariana mora", "ana mora"),
        ("reem\u200bbolso", "bolso"),  # what cannot be seen parts no word
        ("nome_do_campo", "nome"),
        ("nome_do_campo", "_do_"),
        ("hindi नमस्ते aqui", "नमस"),  # beside a mark
        ("São", "Sa"),  # a composed letter is not cut in two, and here the folding has none to find
        ("x\u0323yz", "yz"),
    ],
)
def test_a_quote_that_begins_or_ends_inside_a_word_or_a_number_is_refused(text: str, quote: str) -> None:
    """E8: `1.5` is no quote of `R$ 1.500,00`."""
    assert outcome(text, quote) == ("evidence.quote_not_found" if text == "São" else CUTS)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("R$ 1.500,00", "1.500,00"),
        ("R$ 1.500,00 hoje", "R$ 1.500,00"),
        ("pago 1.500. Amanhã", "1.500"),  # that point ends the sentence
        ("pago 1.500.", "1.500."),
        ("são 10, 20 e 30", "são 10"),
        ("são 10, 20 e 30", "20 e 30"),
        ("item v.2 novo", "item v"),  # a point between a letter and a digit is no number's
        ("guarda-chuva", "chuva"),
        ("CPF 390.533.447-05", "390.533.447"),  # a hyphen ends a number; identifiers look further (E10)
        ("dia 12/03", "dia 12"),
        ("(Derby)", "Derby"),
        ("oi👍Derby", "Derby"),
        ("d'água", "água"),
        ("Derby: sim", "Derby"),
    ],
)
def test_a_quote_may_begin_and_end_at_whatever_is_neither_letter_nor_digit(text: str, quote: str) -> None:
    """E8: punctuation, signs and white space part words."""
    assert outcome(text, quote) == "found"


def test_a_quote_that_cuts_only_in_some_places_is_found_in_the_others() -> None:
    """E8, E6: the first whole occurrence is the one."""
    item = find_quote(Citation("m-1", "Ana"), talk("Mariana e Ana"))
    assert item.evidence.start == 10  # type: ignore[union-attr]
    named = find_quote(Citation("m-1", "ana", 4), talk("Mariana e ana"))
    assert getattr(named, "code", None) == CUTS


# --- what turns the meaning ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Não quero a visita na terça", "a visita na terça"),
        ("NÃO quero a visita", "a visita"),
        ("Na\u0303o quero a visita", "a visita"),
        ("Eu nunca pedi reembolso", "pedi reembolso"),
        ("Pode vir sem o técnico", "o técnico"),
        ("Deixei de morar no Derby", "morar no Derby"),
        ("nao quero visita", "quero visita"),
        ("ñ quero visita", "quero visita"),
        ("n quero visita", "quero visita"),
        ("O pedido (não o antigo): AB-1234", "AB-1234"),
        ("Não.\u00a0quero visita".replace(".", ","), "quero visita"),
        ("Chegou? Não quero mais a troca", "mais a troca"),
        ("Não: quero visita", ": quero visita"),  # right before the quote's first character
    ],
)
def test_a_negation_before_the_quote_in_its_sentence_is_seen(text: str, quote: str) -> None:
    """E8: `caution: negation`."""
    assert cautions(quote, text) == ("negation",)


@pytest.mark.parametrize("words", NEGATIONS)
def test_every_published_negation_turns_what_follows_it(words: str) -> None:
    """E8: the list is closed, and each of its words works, in capitals too."""
    assert "negation" in cautions("visita amanhã", f"Então {words} quero visita amanhã")
    assert "negation" in cautions("visita amanhã", f"{words.upper()} quero visita amanhã")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Não moro mais lá. Moro no Derby", "Moro no Derby"),  # another sentence
        ("Não moro mais lá!\nMoro no Derby", "Moro no Derby"),
        ("não\nMoro no Derby", "Moro no Derby"),
        ("Não quero a visita", "Não quero a visita"),  # the quote says it itself
        ("A senhora mora no Derby", "mora no Derby"),
        ("Noel mora no Derby", "mora no Derby"),  # `no` is a Portuguese word inside another here
        ("Rua A, n 10", "10"),  # a house number
        ("semana que vem no Derby", "que vem"),
        ("Quero o azul, o outro não quero", "Quero o azul"),  # a negation of something else, further on
        ("Moro no Derby. Não em Torre", "Moro no Derby"),
    ],
)
def test_a_negation_elsewhere_turns_nothing(text: str, quote: str) -> None:
    """E8: only words around it in the same sentence count."""
    assert cautions(quote, text) == ()


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("confirme não", "confirme"),
        ("quero não", "quero"),
        ("quero\u00a0NÃO", "quero"),
        ("Pode mandar não, obrigada", "Pode mandar"),
    ],
)
def test_a_negation_right_behind_the_quote_is_seen(text: str, quote: str) -> None:
    """E8: `confirme não`, `quero não`."""
    assert cautions(quote, text) == ("negation",)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Pode ser amanhã?", "amanhã"),
        ("Pode ser amanhã?", "Pode ser amanhã?"),
        ("Vocês entregam no Derby, é isso?!", "no Derby"),
        ("Oi. Amanhã dá? Obrigada.", "Amanhã dá"),
    ],
)
def test_a_quote_in_a_question_is_marked(text: str, quote: str) -> None:
    """E8: `caution: question`."""
    assert cautions(quote, text) == ("question",)


def test_a_question_next_to_the_quotes_sentence_is_another() -> None:
    """E8: `Tudo bem? Amanhã às 9h.`"""
    assert cautions("Amanhã às 9h", "Tudo bem? Amanhã às 9h.") == ()
    assert cautions("Amanhã às 9h", "Amanhã às 9h. Tudo bem?") == ()


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Acho que é amanhã", "amanhã"),
        ("Talvez amanhã", "amanhã"),
        ("Amanhã, se der", "Amanhã"),
        ("Vou ver amanhã", "amanhã"),
        ("Pode ser que amanhã dê", "amanhã"),
        ("É a placa, acho", "É a placa"),
    ],
)
def test_a_hedge_around_the_quote_is_seen(text: str, quote: str) -> None:
    """E8: `caution: hedge`, before the quote or behind it."""
    assert cautions(quote, text) == ("hedge",)


@pytest.mark.parametrize("words", HEDGES)
def test_every_published_hedge_is_seen_before_and_behind(words: str) -> None:
    """E8: the list is closed, and each of its expressions works."""
    assert "hedge" in cautions("amanhã cedo", f"Olha, {words} amanhã cedo")
    assert "hedge" in cautions("amanhã cedo", f"É amanhã cedo, {words}")


def test_a_hedge_is_a_whole_expression() -> None:
    """E8: `achocolatado` hedges nothing, nor does `vou` without `ver`."""
    assert cautions("amanhã", "Achocolatado amanhã") == ()
    assert cautions("amanhã", "Vou amanhã") == ()


def test_several_turns_are_all_told_the_negation_first() -> None:
    """E8: one evidence item may carry more than one."""
    found = find_quotes([Citation("m-1", "visita amanhã")], talk("Acho que não quero visita amanhã?"))
    assert isinstance(found, tuple)
    assert found[0].evidence.cautions == ("negation", "question", "hedge")
    assert found[0].evidence.to_json()["caution"] == "negation"


@pytest.mark.parametrize("opening", ["Não", "não, espera", "Nao!", "NÃO quero", "nunca"])
def test_a_negation_that_opens_the_same_authors_next_message_is_seen(opening: str) -> None:
    """E8: on WhatsApp a sentence is often two messages."""
    assert cautions("quero a visita", "quero a visita", opening) == ("negation",)


@pytest.mark.parametrize(
    "later",
    [
        [(AGENT, "Não temos horário")],  # another author's
        ["Obrigada", "Não"],  # not the next one
        ["Obrigada, não precisa ligar"],  # does not open it
        ["Noite"],
    ],
)
def test_a_later_message_that_does_not_open_so_turns_nothing(later: list[str | tuple[Author, str]]) -> None:
    """E8: the next message of the same author, its first word."""
    assert cautions("quero a visita", "quero a visita", *later) == ()


def test_the_same_authors_next_message_counts_with_others_in_between() -> None:
    """E8: the other side may write in between."""
    assert cautions("quero a visita", "quero a visita", (AGENT, "Certo!"), "não") == ("negation",)


def test_the_caution_is_worked_out_again_when_the_next_message_arrives() -> None:
    """E8, contract 3: what was proposed before "não" came is barred from bulk acceptance after it."""
    bench = Bench()
    bench.say("customer", "quero a visita", "Íris")
    held = bench.one("add", "/facts/a", "visita", ("m-1", "quero a visita"))
    assert held.judgement.bulk
    bench.say("customer", "não", "Íris")
    again = Change("add", "/facts/a", "visita", cite(("m-1", "quero a visita")))
    assert not bench.propose(again, producer="another")[0].judgement.bulk
    bench.accept(held)  # a decision that names it takes it
    assert bench.slot("/facts/a").evidence[0].cautions == ("negation",)


def test_a_change_with_a_caution_is_allowed_but_not_in_bulk_and_says_which_words() -> None:
    """E8: the card shows the sentence with those words marked."""
    bench = Bench()
    bench.say("customer", "Oi! Eu não moro no Derby. Tchau")
    judgement = bench.one("add", "/facts/a", "Derby", ("m-1", "Oi"), ("m-1", "moro no Derby")).judgement
    assert judgement.verdict == "allowed"
    assert not judgement.bulk
    (caution,) = judgement.cautions
    assert (caution.kind, caution.evidence, caution.words) == ("negation", 1, "não")


@pytest.mark.parametrize(
    ("text", "quote", "sentence"),
    [
        ("Oi! Moro no Derby. Tchau", "Derby", "Moro no Derby."),
        ("Custa 1.500,00 hoje. Pago", "hoje", "Custa 1.500,00 hoje."),
        ("um\ndois três\nquatro", "dois", "dois três"),
        ("Sério?! Amanhã… talvez", "Amanhã", "Amanhã…"),
        ("Um. Dois. Três.", "Um. Dois", "Um. Dois."),
        ("só isto", "só isto", "só isto"),
    ],
)
def test_a_sentence_ends_at_its_mark_or_at_the_lines_end(text: str, quote: str, sentence: str) -> None:
    """E8: `the card shows the whole sentence`; a point within a number ends none."""
    start = text.index(quote)
    low, high = sentence_span(text, start, start + len(quote))
    assert text[low:high] == sentence
