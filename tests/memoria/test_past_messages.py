"""T3: the messages as they stood at a moment: what had come, in the words that it had then, and what followed it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memoria.evidence import Message
from memoria.past_messages import Archive, Kept
from memoria.sources import Author, Kind

NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
HELENA, BRUNO = Author(Kind.CUSTOMER, "h", "Helena"), Author(Kind.CUSTOMER, "", "Bruno")


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def said(number: int, text: str, author: Author = HELENA, minutes: int | None = None, **more: object) -> Kept:
    arrived = at(number if minutes is None else minutes)
    return Kept(Message(number, author, text, arrived, unquotable=((0, 1),)), arrived, **more)  # type: ignore[arg-type]


EDITED = said(1, "três", texts=((at(1), "um"), (at(5), "dois"), (at(9), "três")))
GONE = said(1, "um", deleted_at=at(5))


@pytest.mark.parametrize(
    ("kept", "minute", "text", "deleted", "marks"),
    [
        (said(1, "um"), 0, None, False, True),
        (said(1, "um"), 1, "um", False, True),
        (EDITED, 1, "um", False, False),
        (EDITED, 4, "um", False, False),
        (EDITED, 5, "dois", False, False),
        (EDITED, 9, "três", False, True),  # which parts are somebody else's is known of the latest text alone
        (GONE, 4, "um", False, True),
        (GONE, 5, "um", True, True),
        (replace(EDITED, deleted_at=at(7)), 6, "dois", False, False),
        (replace(EDITED, deleted_at=at(7)), 8, "dois", True, False),
        (replace(EDITED, deleted_at=at(10)), 9, "três", False, True),
    ],
)
def test_a_message_has_the_words_of_then(kept: Kept, minute: int, text: str | None, deleted: bool, marks: bool) -> None:
    found = kept.at(at(minute))
    if text is None:
        assert found is None
        return
    assert found is not None
    assert (found.text, found.deleted, bool(found.unquotable)) == (text, deleted, marks)
    assert (found.number, found.author) == (1, HELENA)


def test_what_followed_is_the_same_author_s_next_that_had_come_and_was_not_deleted() -> None:
    archive = Archive(
        [
            said(3, "de Bruno", BRUNO),
            said(1, "um"),
            said(2, "outra Helena", Author(Kind.CUSTOMER, "x", "Helena")),
            said(4, "dois", deleted_at=at(8)),
            said(5, "três"),
            said(6, "mais de Bruno", BRUNO),
        ]
    )
    first, bruno = archive.find(1, at(9)), archive.find(3, at(9))
    assert first is not None
    assert bruno is not None

    def following(minute: int, message: Message = first) -> int | None:
        found = archive.at(at(minute)).following(message)
        return None if found is None else found.number

    assert [following(minute) for minute in (3, 4, 7, 8)] == [None, 4, 4, 5]
    assert [following(minute, bruno) for minute in (5, 6)] == [None, 6]
    assert following(9, Message(1, Author(Kind.TOOL, "t", "Agenda"), "x", at(0))) is None


def test_the_last_number_is_that_of_the_newest_that_had_come() -> None:
    archive = Archive([said(1, "um"), said(2, "tarde", minutes=8), said(3, "antes", minutes=3), said(4, "quatro", minutes=9)])

    assert [archive.at(at(minute)).last_number for minute in (0, 1, 3, 8, 9)] == [0, 1, 1, 3, 4]


def test_what_was_never_said_is_not_found() -> None:
    transcript = Archive([said(1, "um")]).at(at(5))

    assert [transcript.find(reference) for reference in ("m-2", "um", "")] == [None, None, None]
    assert transcript.find("m-1") == said(1, "um").message
