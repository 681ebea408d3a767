"""A quote and its message: does the quote stand there, where exactly, and may it back a value (section 3)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from memoria.cautions import Turn, turns
from memoria.errors import Code, Reason
from memoria.patch import Json, Missing
from memoria.proposals import Caution, Citation, Evidence
from memoria.sources import Age, Author
from memoria.typography import Folded, cuts_at, fold, fold_quote, fold_words, joins_number, places, visible

SEPARATORS: Final = ".-/()+ "
"""What may differ between the characters of an identifier (E10)."""

_REFERENCE = re.compile(r"m-([1-9][0-9]{0,8})\Z")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the ticket, as its latest revision has it."""

    number: int  # by arrival, from 1
    author: Author
    text: str
    said_at: datetime  # see `said_at`
    deleted: bool = False
    unquotable: tuple[tuple[int, int], ...] = ()  # spans that are no evidence: quoted parts of a mail
    automatic: bool = False  # a bounce, an absence note, a system notice: no evidence at all
    erased: bool = False  # L: its words are gone for good, and back nothing

    @property
    def id(self) -> str:
        return f"m-{self.number}"

    @property
    def age(self) -> Age:
        return Age(self.said_at, self.number)


class Transcript(Protocol):
    """The messages of one ticket; nothing of another is ever found here (E2)."""

    def find(self, reference: str) -> Message | None:
        """The message with this id (`m-3`); None where there is none in this ticket."""

    def following(self, message: Message) -> Message | None:
        """The next message by the same author, deleted ones left out."""

    @property
    def last_number(self) -> int:
        """The number of the newest message, 0 where there is none."""


def _identity(author: Author) -> tuple[str, str]:
    return author.kind.value, author.external_id or author.name


class Messages:
    """A transcript held in memory."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._by_number = {message.number: message for message in messages}
        self._by_id = {message.id: message for message in self._by_number.values()}
        self._by_author: dict[tuple[str, str], list[int]] = {}
        for number in sorted(self._by_number):
            if not self._by_number[number].deleted:
                self._by_author.setdefault(_identity(self._by_number[number].author), []).append(number)

    def find(self, reference: str) -> Message | None:
        return self._by_id.get(reference)

    def following(self, message: Message) -> Message | None:
        numbers = self._by_author.get(_identity(message.author), [])
        at = bisect_right(numbers, message.number)
        return self._by_number[numbers[at]] if at < len(numbers) else None

    @property
    def last_number(self) -> int:
        return max(self._by_number, default=0)


def message_number(reference: str) -> int | None:
    """The number in a message id: `m-48` -> 48; None for anything that is no message id."""
    match = _REFERENCE.match(reference)
    return int(match.group(1)) if match else None


def said_at(sent_at: datetime | None, arrived_at: datetime) -> datetime:
    """When the words were said (P7): the time they were sent; their arrival where that is missing or in the future."""
    return arrived_at if sent_at is None else min(sent_at, arrived_at)


@dataclass(frozen=True, slots=True)
class Found:
    """An evidence item with its message, and the quote's span in the message's folded text."""

    evidence: Evidence
    message: Message
    span: tuple[int, int]
    turned: tuple[Turn, ...] = ()


def occurrences(message: Message, quote: str) -> list[tuple[int, int]]:
    """Where the quote may be pointed at in the message: spans of its original text, in code points, in order.

    Those that cut a word (E8) or lie in a part that is no evidence are left out; a deleted message has none.
    """
    folded = fold(message.text)
    return [folded.original(span) for span in _usable(message, folded, fold_quote(quote))]


def _usable(message: Message, folded: Folded, needle: str) -> Iterator[tuple[int, int]]:
    if message.deleted or message.automatic:
        return
    for span in folded.each(needle):
        if not folded.cuts(span) and _quotable(message, folded.original(span)):
            yield span


def _quotable(message: Message, original: tuple[int, int]) -> bool:
    return not any(low < original[1] and original[0] < high for low, high in message.unquotable)


def still_stands(evidence: Evidence, message: Message | None) -> bool:
    """E7: whether the quote is still in the message as it now reads."""
    if message is None:
        return False
    return next(_usable(message, fold(message.text), fold_quote(evidence.quote)), None) is not None


def find_quote(citation: Citation, transcript: Transcript) -> Found | Reason:
    """Check one evidence item: E2, E4, E3, E8 in this order; the first that fails is the reason."""
    message = transcript.find(citation.message)
    if message is None:
        return Reason(Code.UNKNOWN_MESSAGE, "E2", {"message": citation.message})
    data = {"message": message.id}
    folded, needle = fold(message.text), fold_quote(citation.quote)
    seen = visible(needle, 2)
    if seen == 0 or (seen < 2 and (message.deleted or needle != folded.text.strip(" "))):
        return Reason(Code.QUOTE_TOO_SHORT, "E4", data)
    if message.deleted:
        return Reason(Code.QUOTE_NOT_FOUND, "E3", data)
    first: tuple[tuple[int, int], tuple[int, int]] | None = None  # in the folded text, in the original
    stands = quotable = ambiguous = False
    for span in folded.each(needle) if citation.start is None else folded.each_from(needle, citation.start):
        stands = True
        original = folded.original(span)
        if message.automatic or not _quotable(message, original):
            continue
        quotable = True
        if folded.cuts(span):
            continue
        if first is None:
            first = span, original
        elif citation.start is None and original != first[1]:
            ambiguous = True
            break
    if not stands:
        return Reason(Code.QUOTE_NOT_FOUND, "E3", data)
    if not quotable:
        return Reason(Code.NOT_QUOTABLE, "E3", data)
    if first is None:
        return Reason(Code.QUOTE_CUTS_WORD, "E8", data)
    span, (start, end) = first
    following = transcript.following(message)
    turned = turns(message.text, start, end, following.text if following else None)
    evidence = Evidence(message.id, message.text[start:end], start, end, ambiguous, tuple(turn.kind for turn in turned))
    return Found(evidence, message, span, turned)


def find_quotes(citations: Sequence[Citation], transcript: Transcript) -> tuple[Found, ...] | Reason:
    """Check evidence item by item; one bad item spoils the change.

    A question that a later item's author answered is no caution: it is what E11 asks for.
    """
    found: list[Found] = []
    for citation in citations:
        item = find_quote(citation, transcript)
        if isinstance(item, Reason):
            return item
        if found and _is_question_answered(found[0].message, item.message):
            turned = tuple(turn for turn in item.turned if turn.kind != "question")
            cautions = tuple(turn.kind for turn in turned)
            item = replace(item, turned=turned, evidence=replace(item.evidence, cautions=cautions))
        found.append(item)
    return tuple(found)


def _is_question_answered(answer: Message, question: Message) -> bool:
    return question.number < answer.number and not question.author.same_as(answer.author)


def evidence_cautions(found: Sequence[Found]) -> tuple[Caution, ...]:
    """E6 and E8 as cautions of the change, each with the index of its evidence item and the words that turn it."""
    cautions: list[Caution] = []
    for index, item in enumerate(found):
        if item.evidence.ambiguous:
            cautions.append(Caution("ambiguous", index))
        cautions.extend(Caution(turn.kind, index, words=turn.words) for turn in item.turned)
    return tuple(cautions)


# --- literals (E10) -----------------------------------------------------------------------------------------------


def literal_texts(value: Json | Missing) -> list[str]:
    """The texts of a literal value that must stand in a quote: of a list or an object, each text in it.

    A bare whole number (`12.0` is `12`) is looked for by its digits; booleans, null and fractions are not looked for.
    """
    whole = _whole(value)
    return _texts_within(value) if whole is None else [str(whole)]


def _whole(value: Json | Missing) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts_within(value: Json | Missing) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts_within(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts_within(item)]
    return []


def missing_text(value: Json | Missing, found: Sequence[Found], identifier: bool) -> str | None:
    """The first text of the value that no quote holds (E10), or None where every one stands in a quote."""
    if isinstance(value, Missing):
        return None
    loose = identifier or _whole(value) is not None
    for text in literal_texts(value):
        if not any(_stands_in(text, item, loose) for item in found):
            return text
    return None


def _stands_in(text: str, item: Found, identifier: bool) -> bool:
    folded = fold(item.message.text)
    low, high = item.span
    if visible(text, 1) == 0:
        return False
    within = folded.text[low:high]
    spans = _identifier_spans(text, within) if identifier else places(within, fold_quote(text))
    for start, end in ((low + start, low + end) for start, end in spans):
        if cuts_at(folded.text, start) or cuts_at(folded.text, end):
            continue
        if identifier and (_number_goes_on(folded.text, start) or _number_goes_on(folded.text, end)):
            continue
        return True
    return False


def _identifier_spans(text: str, within: str) -> Iterator[tuple[int, int]]:
    bare = "".join(_one_case(char) for char in fold_quote(text) if char not in SEPARATORS)
    kept = [index for index, char in enumerate(within) if char not in SEPARATORS]
    letters = "".join(_one_case(within[index]) for index in kept)
    # Overlapping occurrences are all tried: the first may cut a number where the second does not.
    return ((kept[start], kept[end - 1] + 1) for start, end in places(letters, bare))


def _one_case(char: str) -> str:
    folded = char.casefold()
    return folded if len(folded) == 1 else char


def _number_goes_on(text: str, at: int) -> bool:
    """An identifier's number goes on over `-` and `/`: `390533447` does not stand in `390.533.447-05`."""
    return 0 < at < len(text) and joins_number(text, at, "-/")


def unsupported_words(value: Json | Missing, quotes: Sequence[str]) -> list[str]:
    """The words of a value's texts that no quote holds, for the card to mark; case does not matter here."""
    held = {word for quote in quotes for word in _plain_words(quote)}
    return [word for text in _texts_within(value) for word in re.findall(r"\w+", text) if not set(_plain_words(word)) <= held]


def _plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", fold_words(text))
