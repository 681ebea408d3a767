"""E1 to E6: does the quote stand in the message, where exactly, and whose words are they."""

from __future__ import annotations

import re
import sys
import unicodedata
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.evidence import Found, Message, Messages, find_quote, message_number, occurrences, still_stands
from memoria.proposals import Citation, Evidence
from memoria.sources import Author, Kind
from memoria.typography import fold, fold_quote
from tests.memoria.bench import START, Bench, a_field, a_type

NOT_FOUND, SHORT, UNKNOWN = "evidence.quote_not_found", "evidence.quote_too_short", "evidence.unknown_message"
CUSTOMER = Author(Kind.CUSTOMER, "c-9", "Íris")


def message(text: str, number: int = 1, **more: Any) -> Message:
    return Message(number, CUSTOMER, text, START + timedelta(minutes=number), **more)


def found(text: str, quote: str, start: int | None = None) -> Evidence:
    item = find_quote(Citation("m-1", quote, start), Messages([message(text)]))
    assert not hasattr(item, "code"), item
    return item.evidence


def refusal(text: str, quote: str, start: int | None = None, reference: str = "m-1", **more: Any) -> str:
    item = find_quote(Citation(reference, quote, start), Messages([message(text, **more)]))
    return item.code.value if hasattr(item, "code") else "found"


# --- E1, E2 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["add", "replace", "remove"])
def test_a_change_without_evidence_is_refused(op: str) -> None:
    """E1: every change cites at least one message, a withdrawal too."""
    bench = Bench()
    bench.say("customer", "Derby")
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "Derby")))
    assert bench.one(op, "/facts/a", "Torre").judgement.code == "evidence.missing"


@pytest.mark.parametrize(
    "reference",
    [
        "m-2",
        "m-999",
        "m-0",
        "m-01",
        "m--1",
        "M-1",
        "m-1 ",
        " m-1",
        "m-1\n",
        "m1",
        "1",
        "[1]",
        "m-１",
        "",
        "m-1.0",
        "m-9999999999",
    ],
)
def test_a_message_that_is_not_of_this_ticket_is_unknown(reference: str) -> None:
    """E2: an invented id, another ticket's and a misspelt one are answered alike."""
    assert refusal("chegou quebrado", "chegou quebrado", reference=reference) == UNKNOWN


def test_one_bad_item_spoils_the_change() -> None:
    """E2: `[m-1 as it is, m-999]` is no evidence, although the first item is fine."""
    bench = Bench()
    bench.say("customer", "chegou quebrado")
    held = bench.one("add", "/facts/a", "quebrado", ("m-1", "chegou quebrado"), ("m-999", "cartão"))
    assert held.judgement.code == UNKNOWN
    assert held.judgement.reasons[0].data == {"message": "m-999"}


def test_a_true_number_with_another_tickets_words_fails_on_the_words() -> None:
    """E2, E3: numbers count per ticket, so `m-1` exists here too."""
    assert refusal("chegou quebrado", "meu cartão termina em 0000") == NOT_FOUND


def test_a_message_number_is_read_from_its_id_alone() -> None:
    """E2: `m-48` is 48."""
    assert message_number("m-48") == 48
    assert message_number("m-048") is None


# --- E3 -----------------------------------------------------------------------------------------------------------

FAMILY = "👨\u200d👩\u200d👧"

SAME: list[tuple[str, str, str]] = [
    # (message, quote, the message's own words that are stored)
    ("São José", "Sa\u0303o Jose\u0301", "São José"),  # NFC, the quote decomposed
    ("em Sa\u0303o Jose\u0301, tá", "São José", "Sa\u0303o Jose\u0301"),  # NFC, the message decomposed
    ("q\u0323\u0307uero", "q\u0307\u0323uero", "q\u0323\u0307uero"),  # two marks on one letter, in the other order
    ("5 \u212b", "5 \u00c5", "5 \u212b"),  # a sign that NFC writes as a letter
    ("\u1112\u1161\u11ab\u1100\u1173\u11af ok", "한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"),  # Hangul by its parts
    ("Ele disse “pode\u00a0cancelar”\ne desligou.", 'Ele disse "pode cancelar" e desligou.', ""),
    ("‘a’ ‚b‛ ‹c›", "'a' 'b' 'c'", ""),
    ("“a” „b‟ «c»", '"a" "b" "c"', ""),
    ("1‐2‑3‒4–5—6―7−8", "1-2-3-4-5-6-7-8", ""),
    ("hoje…", "hoje...", ""),
    ("hoje...", "hoje…", ""),
    ("quero o reem\u200bbolso – hoje…", "o reembolso", "o reem\u200bbolso"),
    ("quero o reem\u200bbolso – hoje…", "reembolso - hoje...", "reem\u200bbolso – hoje…"),
    ("a\u00a0b\u202fc  d\t\te\r\nf", "a b c d e f", ""),
    ("a b", "a\r\n\t b", "a b"),
    ("linha um\r\nlinha dois", "um linha dois", "um\r\nlinha dois"),
    ("o\u200cl\u200dá\u2060 m\ufeffundo", "olá mundo", ""),
    ("a \u200b b", "a b", ""),  # what cannot be seen does not break a run of white space
    ("\u202bCasa\u202c \u2067Forte\u2069\u061c\u200e\u200f", "Casa Forte", "Casa\u202c \u2067Forte"),
    (f"obrigada {FAMILY}!", f"obrigada {FAMILY}!", ""),
    (f"obrigada {FAMILY}!", "obrigada 👨👩👧!", ""),  # a joiner is no character that one sees
    (f"{FAMILY} no Derby", "no Derby", "no Derby"),  # five code points stand before
    ("🇧🇷 Derby 👍🏽", "Derby", "Derby"),
    ("oi ❤\ufe0fobrigada", "obrigada", "obrigada"),  # the mark behind a sign makes no word of it
    ("Derby\u200e, tá?", "  Derby , tá?  ".replace(" ,", ","), "Derby\u200e, tá?"),
    ("no Derby", "\u00a0\n Derby\t", "Derby"),  # white space at the quote's ends is dropped
    ("no Derby", "\u200bDerby\ufeff", "Derby"),
]


@pytest.mark.parametrize(("text", "quote", "own"), SAME)
def test_a_quote_is_compared_without_regard_to_typography_and_located_in_the_original(text: str, quote: str, own: str) -> None:
    """E3: what is stored is the message's own text, its offsets are code points of the original."""
    evidence = found(text, quote)
    assert evidence.quote == (own or text)
    assert text[evidence.start : evidence.end] == evidence.quote


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Ele disse “pode cancelar”\ne desligou.", 'Ele disse "pode cancelar", e desligou.'),  # a comma was added
        ("Ele disse “pode cancelar”\ne desligou.", "ele disse pode cancelar"),
        ("moro em Casa Forte", "casa forte"),  # case counts
        ("moro em São José", "Sao José"),  # accents count
        ("moro em Sa\u0303o José", "Sao José"),
        ("pago 10 – 12", "pago 10 12"),
        ("CasaForte", "Casa Forte"),  # white space is no nothing
        ("Casa Forte", "CasaForte"),
        ("ﬁm do mês", "fim do mês"),  # NFC, not NFKC
        ("m² de piso", "m2 de piso"),
        ("１２３ casas", "123 casas"),
        ("O reembolso não está autorizado antes do dia 15.", "O reembolso ... está autorizado"),
        ("O reembolso não está autorizado antes do dia 15.", "O reembolso … está autorizado"),
        ("O reembolso não está autorizado antes do dia 15.", "O reembolso [...] está autorizado"),
        ("O reembolso não está autorizado antes do dia 15.", "antes do dia 15 ... O reembolso"),
        ("O reembolso não está autorizado antes do dia 15.", "O reembolso está autorizado"),
        ("soft\u00adhyphen aqui", "softhyphen aqui"),  # the list of what is removed is closed
        ("", "Derby"),
    ],
)
def test_other_words_are_no_quote(text: str, quote: str) -> None:
    """E3: `evidence.quote_not_found`; an ellipsis stands for nothing that was left out."""
    assert refusal(text, quote) == NOT_FOUND


def test_a_deleted_message_holds_no_quote() -> None:
    """E3: its text may still be kept for reading; it is no evidence."""
    assert refusal("moro no Derby", "moro no Derby", deleted=True) == NOT_FOUND
    assert refusal("moro no Derby", "Derby", deleted=True) == NOT_FOUND
    assert occurrences(message("moro no Derby", deleted=True), "Derby") == []


def test_the_quote_must_stand_in_the_latest_revision() -> None:
    """E3: words that were edited away are words no more."""
    bench = Bench()
    bench.say("customer", "Rua A, 10")
    bench.rewrite("m-1", "Rua B, 22")
    assert bench.one("add", "/facts/a", "Rua A", ("m-1", "Rua A, 10")).judgement.code == NOT_FOUND
    assert bench.one("add", "/facts/a", "Rua B", ("m-1", "Rua B, 22")).judgement.verdict == "allowed"


TYPOGRAPHY = st.text(
    st.one_of(
        st.sampled_from("aAeEn. ,-'\"1₂\u0301\u0303\u0327\u0323\u1100\u1161\u11a8\u09c7\u09be"),
        st.sampled_from("‘’‚‛‹›“”„‟«»‐‑‒–—―−…\u00a0\u202f\u2003\t\r\n"),
        st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\u202a\u202e\u2066\u2069👨👩👍🏽\ufe0f"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


def _folded_in_one_go(text: str) -> str:
    """E3 as it is written, without offsets."""
    text = unicodedata.normalize("NFC", text)
    for characters, plain in (("‘’‚‛‹›", "'"), ("“”„‟«»", '"'), ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")):
        text = re.sub(f"[{characters}]", plain, text)
    text = text.replace("…", "...")
    text = re.sub("[\u200b-\u200d\u2060\ufeff\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]", "", text)
    return "".join(" " if char.isspace() else char for char in text)


@given(TYPOGRAPHY)
def test_folding_piece_by_piece_gives_what_folding_the_whole_gives(text: str) -> None:
    """E3: offsets are kept character by character, and no composition is lost at a seam."""
    assert fold(text).text == re.sub(" +", " ", _folded_in_one_go(text))


def test_no_character_of_unicode_is_torn_from_what_it_merges_with() -> None:
    """E3: every character that NFC takes apart, whole and in parts, alone and behind a mark of a high class."""
    for char in map(chr, range(sys.maxunicode + 1)):
        if not unicodedata.decomposition(char) and not "가" <= char <= "힣":
            continue
        for text in (char, unicodedata.normalize("NFD", char), "\u0f40\u0f74" + char):
            assert fold(text).text == re.sub(" +", " ", _folded_in_one_go(text)), ascii(text)


@given(TYPOGRAPHY, st.integers(0, 30), st.integers(0, 30))
def test_any_stretch_of_a_message_that_is_a_quote_is_stored_as_one_that_stands_there(text: str, one: int, other: int) -> None:
    """E3, E7: the span lies in the original and reads as the quote does; looked for again, it is where it was."""
    low, high = sorted((min(one, len(text)), min(other, len(text))))
    quote = text[low:high]
    item = find_quote(Citation("m-1", quote), Messages([message(text)]))
    if not isinstance(item, Found):
        return
    evidence = item.evidence
    assert evidence.quote == text[evidence.start : evidence.end]
    assert fold_quote(quote) in fold(evidence.quote).text
    assert (evidence.start, evidence.end) in occurrences(message(text), quote)
    assert still_stands(evidence, message(text))


@pytest.mark.parametrize(
    ("text", "quote", "start", "end"),
    [
        ("n\u0323o Derby", "Derby", 4, 9),  # n and dot have no letter of their own
        ("x \u1161\u1161b", "\u1161b", 3, 5),
        ("‘\u1161 _", "'", 0, 1),  # what does not merge keeps its place
        ("x ‘\u0301 y", "x '", 0, 3),
        ("e\u0301 Derby", "e\u0301 Derby", 0, 8),
    ],
)
def test_a_character_that_merges_with_nothing_keeps_its_own_place(text: str, quote: str, start: int, end: int) -> None:
    """E3: the console highlights exactly that span, and not the marks beside it."""
    assert fold(text).original(fold(text).spans(fold_quote(quote))[0]) == (start, end)


# --- E4 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote", "outcome"),
    [
        ("O pedido", "O", SHORT),
        ("O pedido", " O ", SHORT),
        ("O\u0303 pedido", "O\u0303", SHORT),  # a mark is no second character
        ("👍🏽 beleza", "👍🏽", SHORT),
        ("O pedido", "x", SHORT),  # E4 comes before E3
        ("S", "S", "found"),  # the whole message is enough
        (" s \n", "s", "found"),
        ("s", " s ", "found"),
        ("👍", "👍", "found"),
        ("👍🏽", "👍🏽", "found"),
        ("❤\ufe0f", "❤\ufe0f", "found"),
        ("👍🏽", "👍", SHORT),  # another sign, not the whole message
        ("ok", "ok", "found"),
        ("ok", "k", SHORT),
        ("S.", "S", SHORT),
        ("", "", SHORT),
        (" ", " ", SHORT),  # without a visible character it always is, the whole message or not
        ("\u200b", "\u200b", SHORT),
        ("\u200b\u200e", "\u200b\u200e", SHORT),
        ("\u0301", "\u0301", SHORT),
        ("no Derby", "\u00a0\u2060", SHORT),
        ("no Derby", "", SHORT),
    ],
)
def test_a_quote_has_two_visible_characters_or_is_the_whole_message(text: str, quote: str, outcome: str) -> None:
    """E4: `evidence.quote_too_short`."""
    assert refusal(text, quote) == outcome


def test_of_a_deleted_message_no_single_character_is_the_whole() -> None:
    """E4, E3: what is deleted is no message any more, so E4 speaks first."""
    assert refusal("S", "S", deleted=True) == SHORT


# --- E5 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind.value for kind in Kind])
def test_the_first_items_author_decides_the_source(kind: str) -> None:
    """E5: the order of the items counts, not the strength of their authors."""
    bench = Bench(a_type({"/facts/a": a_field(*(kind.value for kind in Kind))}))
    first, second = bench.say(kind, "moro no Derby", "quem disse"), bench.say("registry", "Derby, Recife")
    judgement = bench.one("add", "/facts/a", "Derby", (first, "Derby"), (second, "Derby")).judgement
    assert judgement.source == kind
    assert judgement.author == Author(Kind(kind), "quem disse", "quem disse")
    assert judgement.age == bench.messages[1].age


def test_a_proposal_can_lower_its_source_to_an_inference_but_its_author_stays() -> None:
    """E5: `inference: true`, and no other opinion of the model's, is heard."""
    bench = Bench(a_type({"/facts/a": a_field("customer", inference="flag")}))
    bench.say("customer", "dá choque", "Íris")
    judgement = bench.one("add", "/facts/a", "curto", ("m-1", "dá choque"), inference=True).judgement
    assert judgement.source == "inference"
    assert judgement.author is not None
    assert judgement.author.name == "Íris"


# --- E6 -----------------------------------------------------------------------------------------------------------

TWICE = "Entrega no Derby, não: cobrança no Derby."


def test_a_quote_that_stands_twice_is_kept_with_its_first_span_and_marked() -> None:
    """E6: `ambiguous: true`."""
    evidence = found(TWICE, "no Derby")
    assert (evidence.start, evidence.end, evidence.ambiguous) == (8, 16, True)
    assert evidence.to_json()["ambiguous"] is True
    assert not found(TWICE, "cobrança no Derby").ambiguous


def test_an_occurrence_that_is_named_is_not_ambiguous() -> None:
    """E6, E8: `start` is in code points of the original, so that joiners before it count."""
    evidence = found(TWICE, "no Derby", 32)
    assert (evidence.start, evidence.end, evidence.ambiguous) == (32, 40, False)
    assert found(f"{FAMILY} Derby, Derby", "Derby", 13).start == 13
    assert found(TWICE, "no Derby", 8).ambiguous is False


@pytest.mark.parametrize("start", [0, 7, 9, 31, 33, 400, -1])
def test_an_occurrence_that_is_not_there_is_not_found(start: int) -> None:
    """E8: `evidence.quote_not_found`, never the nearest one."""
    assert refusal(TWICE, "no Derby", start) == NOT_FOUND


def test_occurrences_that_cut_a_word_do_not_count() -> None:
    """E6: `Ana` stands once in `Mariana, Ana e Anabela`."""
    evidence = found("Mariana, Ana e Anabela", "Ana")
    assert (evidence.start, evidence.end, evidence.ambiguous) == (9, 12, False)


def test_an_ambiguous_change_is_left_out_of_bulk_acceptance_but_may_be_named() -> None:
    """E6: "accept all" leaves it; a decision that names it takes it, or points at another occurrence."""
    bench = Bench()
    bench.say("customer", "no Derby ou no Derby")
    held = bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby"))
    assert held.judgement.verdict == "allowed"
    assert [caution.kind for caution in held.judgement.cautions] == ["ambiguous"]
    assert held.judgement.cautions[0].evidence == 0
    assert not held.judgement.bulk
    bench.accept(held, starts=(Citation("m-1", "no Derby", 12),))
    (evidence,) = bench.slot("/facts/a").evidence
    assert (evidence.start, evidence.ambiguous) == (12, False)


def test_an_unambiguous_allowed_change_may_be_accepted_in_bulk() -> None:
    """E6: the rule does not bar what is clear."""
    bench = Bench()
    bench.say("customer", "no Derby")
    assert bench.one("add", "/facts/a", "Derby", ("m-1", "no Derby")).judgement.bulk


def test_quoted_parts_of_a_mail_and_automatic_mails_are_no_evidence() -> None:
    """Contract 3: `evidence.not_quotable`; the same words outside the quoted part are evidence, and not ambiguous."""
    text = "> moro no Derby\nIsso, no Derby."
    quoted = Message(1, CUSTOMER, text, START, unquotable=((0, 15),))
    only = find_quote(Citation("m-1", "moro no Derby"), Messages([quoted]))
    assert getattr(only, "code", None) == "evidence.not_quotable"
    both = find_quote(Citation("m-1", "no Derby"), Messages([quoted]))
    assert both.evidence.start == 22  # type: ignore[union-attr]
    assert not both.evidence.ambiguous  # type: ignore[union-attr]
    across = find_quote(Citation("m-1", "Derby Isso"), Messages([quoted]))
    assert getattr(across, "code", None) == "evidence.not_quotable"
    assert refusal("Estou de férias.", "Estou de férias.", automatic=True) == "evidence.not_quotable"
