"""Failures that people had with quotes, each kind as a table: CI-01, CI-02, CI-03 and CI-07.

The first rows of a table are those that somebody met; the rest are of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memoria.errors import Reason
from memoria.evidence import Messages, find_quote
from memoria.proposals import Change, Citation
from tests.memoria.bench import Bench, Held, a_field, a_type, cite

MISSING_EVIDENCE, UNKNOWN, NOT_FOUND = "evidence.missing", "evidence.unknown_message", "evidence.quote_not_found"
CUTS, SHORT = "evidence.quote_cuts_word", "evidence.quote_too_short"

# --- CI-01: invented ids, and another customer's words --------------------------------------------------------------------

OTHER = "meu cartão termina em 0000"


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        ([("m-999", "cartão")], UNKNOWN),
        ([("m-2", OTHER)], NOT_FOUND),
        ([("m-77", "cartão")], UNKNOWN),
        ([("[2]", "chegou quebrado")], UNKNOWN),
        ([("m-2", "chegou quebrado"), ("m-999", "cartão")], UNKNOWN),
        ([], MISSING_EVIDENCE),
        # of the same kind
        ([("m-5", "chegou quebrado")], UNKNOWN),  # the next, which is not there yet
        ([("m-02", "chegou quebrado")], UNKNOWN),
        ([("T-200/m-2", OTHER)], UNKNOWN),
        ([("m-2, m-3", "chegou quebrado")], UNKNOWN),
        ([("m-1", "chegou quebrado")], NOT_FOUND),  # another message's words
        ([("m-999", "cartão"), ("m-2", "chegou quebrado")], UNKNOWN),
        ([("m-2", "chegou quebrado"), ("m-2", OTHER)], NOT_FOUND),
        ([("m-2", "chegou quebrado"), ("m-3", "")], SHORT),
    ],
)
def test_ci_01_what_is_not_of_this_ticket_is_no_evidence(evidence: Sequence[tuple[str, str]], code: str) -> None:
    """E1, E2, E3: and no word of another ticket comes back in the answer."""
    bench = Bench()
    for text in ("bom dia", "chegou quebrado", "tem foto", "obrigada"):
        bench.say("customer", text)
    held = bench.propose(Change("replace", "/facts/a", "cartao", cite(*evidence)))[0]
    assert held.judgement.code == code
    assert held.judgement.evidence == ()
    assert bench.state.version == 0
    data = dict(held.judgement.reasons[0].data)
    assert set(data) <= {"message"}
    assert data.get("message") in {None, *(message for message, _ in evidence)}


# --- CI-02: typography ---------------------------------------------------------------------------------------------------

DITO = "Ele disse \u201cpode\u00a0cancelar\u201d\ne desligou."
REEMBOLSO = "quero o reem\u200bbolso \u2013 hoje\u2026"
SINAIS = "\u200fSa\u0303o\u202f12\u00a0cm \u2212 \u00ab\u200bok\u200b\u00bb \U0001f469\u200d\U0001f527\r\nfim"


@pytest.mark.parametrize(
    ("text", "quote", "stored"),
    [
        (DITO, 'Ele disse "pode cancelar" e desligou.', DITO),
        (DITO, 'Ele disse "pode cancelar", e desligou.', None),  # a comma was added
        (REEMBOLSO, "o reembolso", "o reem\u200bbolso"),
        (REEMBOLSO, "reembolso - hoje...", "reem\u200bbolso \u2013 hoje\u2026"),
        (DITO, "ele disse pode cancelar", None),  # marks removed, capital changed
        # of the same kind
        (DITO, "  'Ele disse", None),  # another mark
        (DITO, "pode cancelar", "pode\u00a0cancelar"),
        (DITO, "e\tdesligou.", "e desligou."),
        (SINAIS, "São 12 cm", "Sa\u0303o\u202f12\u00a0cm"),
        (SINAIS, "Sao 12 cm", None),  # accents count
        (SINAIS, '12 cm - "ok"', "12\u00a0cm \u2212 \u00ab\u200bok\u200b\u00bb"),
        (SINAIS, "\U0001f469\U0001f527 fim", "\U0001f469\u200d\U0001f527\r\nfim"),  # the joiner is not seen
        (SINAIS, "12cm", None),  # a space that is not there
        (REEMBOLSO, "reem bolso", None),  # nor one that was never written
        (REEMBOLSO, "hoje..", "hoje\u2026"),  # half of the ellipsis is the ellipsis
        (REEMBOLSO, "quero o reembolso -- hoje", None),
    ],
)
def test_ci_02_a_quote_is_found_whatever_its_typography_and_kept_as_it_was_written(
    text: str, quote: str, stored: str | None
) -> None:
    """E3: offsets are those of the message as received, in code points."""
    bench = Bench()
    bench.say("customer", text)
    found = find_quote(Citation("m-1", quote), Messages(bench.messages.values()))
    if stored is None:
        assert isinstance(found, Reason)
        assert found.code == NOT_FOUND
        return
    assert not isinstance(found, Reason)
    evidence = found.evidence
    assert (evidence.quote, text[evidence.start : evidence.end]) == (stored, stored)


# --- CI-03: what an ellipsis swallows ---------------------------------------------------------------------------------------

PRAZO = "O reembolso não está autorizado antes do dia 15."
VALOR = "São R$ 1.500,00 e não R$ 2.500,00, combinado?"


@pytest.mark.parametrize(
    ("text", "quote", "code"),
    [
        (PRAZO, "O reembolso ... está autorizado", NOT_FOUND),
        (PRAZO, "O reembolso \u2026 está autorizado", NOT_FOUND),
        (PRAZO, "O reembolso [...] está autorizado", NOT_FOUND),
        (PRAZO, "antes do dia 15 ... O reembolso", NOT_FOUND),
        (PRAZO, "O reembolso está autorizado", NOT_FOUND),
        # of the same kind
        (PRAZO, "O reembolso (...) está autorizado", NOT_FOUND),
        (PRAZO, "O reembolso\nestá autorizado", NOT_FOUND),
        (PRAZO, "O reembolso / está autorizado", NOT_FOUND),
        (PRAZO, "O reembolso n está autorizado", NOT_FOUND),
        (PRAZO, "O reembolso está autorizado antes do dia 15", NOT_FOUND),
        (PRAZO, "o está autorizado", CUTS),  # the "o" of "não"
        (PRAZO, "ão está autorizado", CUTS),
        (VALOR, "R$ 2.500,00 combinado", NOT_FOUND),
        (VALOR, "R$ 1.500", CUTS),
        (VALOR, "500,00", CUTS),
    ],
)
def test_ci_03_a_quote_has_no_gaps(text: str, quote: str, code: str) -> None:
    """E3, E8: every fragment is verbatim, and the whole says the opposite."""
    bench = Bench(a_type({"/facts/a": a_field(schema=True)}))
    held = bench.one("replace", "/facts/a", 1, (bench.say("customer", text), quote))
    assert held.judgement.code == code


@pytest.mark.parametrize("quote", ["está autorizado", "está autorizado antes do dia 15.", "autorizado"])
def test_ci_03_without_a_gap_what_turns_the_words_stands_on_the_card(quote: str) -> None:
    """E8: the negation before the quote bars it from "accept all"."""
    bench = Bench(a_type({"/facts/a": a_field(schema=True)}))
    judgement = bench.one("replace", "/facts/a", 1, (bench.say("customer", PRAZO), quote)).judgement
    assert [(caution.kind, caution.words) for caution in judgement.cautions] == [("negation", "não")]
    assert not judgement.bulk


# --- CI-07: messages that change ---------------------------------------------------------------------------------------------

ADDRESS, FREIGHT, NOTE = "/facts/endereco", "/facts/frete", "/facts/nota"


def cited() -> Bench:
    """An address that cites m-1 and m-2; a freight that it invalidates; a note from another message."""
    bench = Bench(a_type({ADDRESS: a_field(invalidates=[FREIGHT]), FREIGHT: a_field(), NOTE: a_field()}))
    one, two = bench.say("customer", "moro na Rua A, 10"), bench.say("customer", "Rua A, 10 mesmo, no Derby")
    bench.accept(bench.one("add", ADDRESS, "Rua A, 10", (one, "Rua A, 10"), (two, "Rua A, 10")))
    for pointer, words in ((FREIGHT, "frete de 12 reais"), (NOTE, "portão azul")):
        bench.accept(bench.one("add", pointer, words, (bench.say("customer", words), words)))
    return bench


def confirmed(bench: Bench) -> None:
    bench.rewrite("m-1", "moro na Rua B, 22")
    bench.confirm(ADDRESS)


@pytest.mark.parametrize(
    ("before", "what", "doubted"),
    [
        (None, lambda bench: bench.rewrite("m-1", "moro na Rua B, 22"), True),
        (None, lambda bench: bench.delete("m-1"), True),
        # of the same kind
        (None, lambda bench: bench.rewrite("m-2", "Rua A mesmo, no Derby"), True),  # not the first quote, a quote
        (None, lambda bench: bench.delete("m-2"), True),
        (None, lambda bench: bench.rewrite("m-1", "moro na Rua A, 101"), True),  # it would cut a number
        (None, lambda bench: bench.rewrite("m-1", "Moro na Rua A, 10!"), False),  # the quote still stands
        (None, lambda bench: bench.rewrite("m-1", "moro na  Rua\u00a0A, 10"), False),  # typography alone
        (None, lambda bench: bench.rewrite("m-3", "frete de 15 reais"), False),  # another message
        (confirmed, lambda bench: bench.rewrite("m-1", "moro na Rua C, 33"), False),  # doubted once, confirmed since
        (confirmed, lambda bench: bench.delete("m-1"), False),
        (confirmed, lambda bench: bench.delete("m-2"), True),  # the other quote goes too
    ],
)
def test_ci_07_an_edited_or_deleted_message_puts_in_doubt_what_rests_on_it(
    before: Callable[[Bench], None] | None, what: Callable[[Bench], object], doubted: bool
) -> None:
    """E7, K7: no value changes, what was read stays with its mark, and nothing falls with it."""
    bench = cited()
    if before is not None:
        before(bench)
    values, others = bench.state.values, [bench.slot(FREIGHT), bench.slot(NOTE)]
    slot = bench.slot(ADDRESS)
    what(bench)
    assert bench.state.values == values
    assert (bench.status(ADDRESS) == "needs_confirmation") is doubted
    assert [item.quote for item in bench.slot(ADDRESS).evidence] == [item.quote for item in slot.evidence]
    stale = bench.slot(ADDRESS).stale_because
    assert (stale.cause if stale else None) == ("evidence_changed" if doubted else None)
    if bench.messages[3].text == "frete de 12 reais":
        assert [bench.slot(FREIGHT), bench.slot(NOTE)] == others


def asked(bench: Bench, quote: str, value: str) -> Held:
    return bench.one("replace", ADDRESS, value, ("m-1", quote))


def test_ci_07_the_new_words_may_be_quoted_the_old_ones_no_more_and_their_return_confirms_nothing() -> None:
    """E3, E7."""
    bench = cited()
    bench.rewrite("m-1", "moro na Rua B, 22")
    assert asked(bench, "Rua A, 10", "Rua A, 10").judgement.code == NOT_FOUND
    assert asked(bench, "Rua B, 22", "Rua B, 22").judgement.verdict == "allowed"
    bench.rewrite("m-1", "moro na Rua A, 10")
    assert bench.status(ADDRESS) == "needs_confirmation"
    bench.rewrite("m-1", "na Rua A, 10, eu disse")
    assert bench.status(ADDRESS) == "needs_confirmation"
    bench.delete("m-1")
    assert asked(bench, "Rua A, 10", "Rua A, 10").judgement.code == NOT_FOUND
