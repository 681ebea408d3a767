"""Texts of the greatest length that somebody wrote to keep us busy: they cost no more than their length."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import pytest

from memoria.evidence import Found, Message, Messages, find_quote, missing_text
from memoria.proposals import Citation
from memoria.sources import Author, Kind
from memoria.typography import fold
from tests.memoria.bench import START

CUSTOMER = Author(Kind.CUSTOMER, "c-9", "Íris")
MOST = 100_000
SECONDS = 4.0  # of this processor; the square of the length takes many times that


@contextmanager
def briefly() -> Iterator[None]:
    begun = process_time()
    yield
    assert process_time() - begun < SECONDS


MARKS = ("\u0315\u0300", "\u0344\u0315", "\u0301", "\u0f73\u0f71")


@pytest.mark.parametrize("marks", MARKS)
def test_marks_without_end_are_put_in_order_quickly_and_as_unicode_has_it(marks: str) -> None:
    """E3: NFC."""
    with briefly():
        fold("a" + marks * (MOST // 2))
    text = "a" + marks * 50 + " e" + marks * 50
    assert fold(text).text == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("length", [2, 33, 1000, 20_000, 50_000])
def test_a_quote_that_overlaps_itself_is_found_quickly(length: int) -> None:
    """E3: every place, overlapping ones included."""
    with briefly():
        assert len(fold("a" * MOST).spans("a" * length)) == MOST - length + 1


def test_every_place_of_a_long_quote_is_found() -> None:
    """E3: the quick search finds what the plain one does."""
    chance = random.Random(7)
    for _ in range(300):
        text = "".join(chance.choice("ab") for _ in range(20)) * 12
        start = chance.randrange(60)
        needle = text[start : start + chance.randrange(33, 90)]
        plain = [match.start() for match in re.finditer(f"(?={needle})", text)]
        assert [span[0] for span in fold(text).spans(needle)] == plain


def test_an_identifier_is_looked_for_quickly() -> None:
    """E10: in its own quote, with its separators anywhere."""
    text = "1" * (MOST - 1) + "2"
    message = Message(1, CUSTOMER, text, START)
    found = find_quote(Citation("m-1", text), Messages([message]))
    assert isinstance(found, Found)
    with briefly():
        assert missing_text("1" * 40_000, [found], identifier=True) is not None
        assert missing_text("1-" * (MOST // 2), [found], identifier=True) is not None


def test_many_quotes_of_one_long_sentence_are_checked_quickly() -> None:
    """E3, E6, E8: the message is read for its sentences once, however often it is cited."""
    text = "ab " * 33_000 + "😀"
    transcript = Messages([Message(1, CUSTOMER, text, START), Message(2, CUSTOMER, "não" + "," * 90_000, START)])
    with briefly():
        for number in range(200):
            assert isinstance(find_quote(Citation("m-1", "ab", 3 * number), transcript), Found)
            assert isinstance(find_quote(Citation("m-1", "ab " * (number + 1)), transcript), Found)


@pytest.mark.parametrize(("between", "expected"), [(1900, ("negation",)), (2100, ())])
def test_a_negation_turns_what_is_near(between: int, expected: tuple[str, ...]) -> None:
    """E8."""
    text = "não " + "la " * (between // 3) + "quero a visita"
    found = find_quote(Citation("m-1", "quero a visita"), Messages([Message(1, CUSTOMER, text, START)]))
    assert isinstance(found, Found)
    assert found.evidence.cautions == expected


def test_long_texts_are_not_kept_in_great_number() -> None:
    """What customers send does not fill the memory."""
    texts = [f"{number} " + "é\u0301😀" * 2000 for number in range(40)]
    held = [fold(text) for text in texts]
    assert sum(fold(text) is before for text, before in zip(texts, held, strict=True)) < 20
