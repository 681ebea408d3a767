"""What a list shows of a long text: the words around the first hit, every hit in it marked, no word cut."""

from __future__ import annotations

import pytest

from atendimento.selectors import search_marks
from atendimento.selectors.search_terms import MOST_CHARACTERS, MOST_TERMS, Term, clean, runs, terms

LONG = "palavra " * 40 + "geladeira " + "outra " * 60 + "geladeira"


def cut(text: str, *spans: tuple[int, int]) -> str:
    return "".join(f"[{part.text}]" if part.mark else part.text for part in search_marks.segments(text, spans))


def test_the_words_around_the_first_hit_are_shown_whole() -> None:
    at = LONG.index("geladeira")
    shown = cut(LONG, (at, at + 9), (len(LONG) - 9, len(LONG)))
    assert shown.startswith("… palavra ")
    assert shown.endswith("outra …")
    assert shown.count("[geladeira]") == 1
    assert set(shown.replace("[geladeira]", "").replace("…", "").split()) == {"palavra", "outra"}


@pytest.mark.parametrize(
    ("text", "spans", "shown"),
    [
        ("a geladeira", [(2, 11)], "a [geladeira]"),
        ("uma e outra", [(0, 3), (6, 11)], "[uma] e [outra]"),
        ("nada", [], "nada"),
        ("", [], ""),
        ("x" * 400, [(0, 400)], f"[{'x' * 400}]"),
    ],
)
def test_a_short_text_is_shown_as_it_is(text: str, spans: list[tuple[int, int]], shown: str) -> None:
    assert cut(text, *spans) == shown


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("gela", [Term("gela", unfinished=True)]),
        ("gela ", [Term("gela")]),
        ('"não gela" -fogão', [Term("não gela", exact=True), Term("fogão", excluded=True)]),
        ('-"na garantia', [Term("na garantia", exact=True, excluded=True)]),
        ("«não gela» ok", [Term("não gela", exact=True), Term("ok", unfinished=True)]),
        ("guarda-chuva", [Term("guarda-chuva", unfinished=True)]),
        ("& | ! ( ) :*", []),
        ("- -- a", [Term("a", unfinished=True)]),
    ],
)
def test_terms(query: str, found: list[Term]) -> None:
    assert list(terms(query)) == found


def test_a_query_has_its_limits() -> None:
    assert len(clean("x" * 10_000)) == MOST_CHARACTERS
    assert len(terms("a " * 100)) == MOST_TERMS
    assert clean(" a\0b ") == "ab "


def test_digits_written_apart_may_be_one_number() -> None:
    assert runs(terms("cpf 123 456 789 09 de maria 12 34")) == ((1, 4), (7, 8))
    assert runs(terms('123 "456" -789 1')) == ()
