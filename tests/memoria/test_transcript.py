"""E3, E6, E8: who goes on speaking, which parts of a message are no evidence, and which occurrence a quote means."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoria.errors import Reason
from memoria.evidence import Found, Message, Messages, find_quote, occurrences, still_stands
from memoria.proposals import Citation, Evidence
from memoria.sources import Author, Kind
from tests.memoria.bench import START

CUSTOMER = Author(Kind.CUSTOMER, "c-9", "Íris")


def message(text: str, number: int = 1, **more: Any) -> Message:
    return Message(number, CUSTOMER, text, START + timedelta(minutes=number), **more)


def found(text: str, quote: str, start: int | None = None) -> Evidence:
    item = find_quote(Citation("m-1", quote, start), Messages([message(text)]))
    assert not isinstance(item, Reason), item
    return item.evidence


# --- who says the next words (E8) -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("c-1", "Eva"), ("c-1", "Eva"), True),
        (("c-1", "Eva"), ("c-1", "Evinha"), True),  # a name may change
        (("c-1", "Eva"), ("c-2", "Eva"), False),
        ((None, "Eva"), (None, "Eva"), True),
        ((None, "Eva"), (None, "Ivo"), False),
        ((None, "Eva"), ("c-1", "Eva"), False),
    ],
)
def test_an_author_goes_on_by_id_or_by_name_where_there_is_none(
    one: tuple[str | None, str], other: tuple[str | None, str], same: bool
) -> None:
    """3, E8: the next message of the same author, with what others say in between left out."""
    said = [Message(number, Author(Kind.CUSTOMER, *who), "oi", START) for number, who in ((1, one), (3, other))]
    between = Message(2, Author(Kind.AGENT, *one), "pois não", START)
    following = Messages([said[1], between, said[0]]).following(said[0])
    assert following == (said[1] if same else None)


def test_a_deleted_message_goes_on_with_nothing() -> None:
    """E8."""
    gone = Message(2, CUSTOMER, "", START, deleted=True)
    first, last = message("confirme", 1), message("não", 3)
    assert Messages([first, gone, last]).following(first) == last
    assert Messages([first, gone]).following(first) is None
    assert Messages([gone]).following(gone) is None
    assert Messages([gone]).last_number == 2
    assert Messages([]).last_number == 0


# --- parts that are no evidence ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unquotable", "where"),
    [
        ((), [(0, 3), (4, 7)]),
        (((0, 3),), [(4, 7)]),
        (((2, 5),), []),  # both reach into it
        (((3, 4),), [(0, 3), (4, 7)]),  # both touch it
        (((7, 9),), [(0, 3), (4, 7)]),
        (((0, 1), (6, 7)), []),
    ],
)
def test_an_occurrence_may_touch_a_quoted_part_and_not_reach_into_it(
    unquotable: tuple[tuple[int, int], ...], where: list[tuple[int, int]]
) -> None:
    """E3: what a mail quotes of an earlier one is not said by its author."""
    said = message("sim sim", unquotable=unquotable)
    assert occurrences(said, "sim") == where
    assert still_stands(Evidence("m-1", "sim", 0, 3), said) is bool(where)


def test_a_quote_of_a_message_that_there_is_not_does_not_stand() -> None:
    """E7, L2."""
    assert not still_stands(Evidence("m-1", "sim", 0, 3), None)


@pytest.mark.parametrize(
    ("text", "unquotable", "start"),
    [("sim sim", ((0, 3),), 4), ("simples, sim", (), 9), ("assim e sim", (), 8), ("sim sim sim", ((0, 3), (4, 7)), 8)],
)
def test_occurrences_that_do_not_count_are_passed_over(text: str, unquotable: tuple[tuple[int, int], ...], start: int) -> None:
    """E3, E6, E8: and leave nothing ambiguous."""
    item = find_quote(Citation("m-1", "sim"), Messages([message(text, unquotable=unquotable)]))
    assert isinstance(item, Found)
    assert (item.evidence.start, item.evidence.end, item.evidence.ambiguous) == (start, start + 3, False)


def test_a_place_that_is_named_is_not_ambiguous_though_signs_fold_onto_it() -> None:
    """E8: an ellipsis is three signs in one place, and with the full stop behind it four."""
    assert found("oi…. e", "..").ambiguous
    assert not found("oi…. e", "..", 2).ambiguous
