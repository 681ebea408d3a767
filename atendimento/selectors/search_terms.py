"""What somebody looks for: the terms of a query as typed, and what they come down to in the database's words.

geladeira endereço        both words, whatever their endings and accents
"não gela"                these words, as written, in this order
-garantia  -"na garantia" not these
123.456.789-09            a number, however it is punctuated; 123 456 789 09 is the same
gelad                     the last word may be unfinished; a space after it finishes it
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.search import SearchQuery
from django.db import connection

from atendimento.models import Membership
from memoria.spellings import folded

MOST_CHARACTERS: Final = 300
MOST_TERMS: Final = 16
SHORTEST_NUMBER: Final = 4  # letters and digits of one that is found however it is punctuated
LONGEST_IDENTIFIER: Final = 200
PROTOCOL_DIGITS: Final = 6

_TERM: Final = re.compile(r'(?P<minus>(?<!\S)-(?=["\w]))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
_DIGITS: Final = re.compile(r"[0-9()+./-]*[0-9][0-9()+./-]*")
_NUMBER: Final = re.compile(r"[0-9a-z./()+,-]*[0-9][0-9a-z./()+,-]*")
_PUNCTUATION: Final = re.compile(r"[^0-9a-z]+")


@dataclass(frozen=True, slots=True)
class Term:
    text: str
    exact: bool = False  # in quotes: as written, in this order
    excluded: bool = False
    unfinished: bool = False


def clean(query: str) -> str:
    """The query as it is kept: what the database takes in no text is gone, and so is what exceeds the limit."""
    return query.replace("\0", "").lstrip()[:MOST_CHARACTERS]


def terms(query: str) -> tuple[Term, ...]:
    """The terms of a query in their order, `MOST_TERMS` at most."""
    found = []
    written = query.translate(_QUOTES)
    for match in _TERM.finditer(written):
        phrase, word = match["phrase"], match["word"]
        text = phrase if word is None else word
        unfinished = word is not None and match["minus"] is None and match.end() == len(written)
        if any(character.isalnum() for character in text):
            found.append(Term(text, word is None, match["minus"] is not None, unfinished))
    return tuple(found[:MOST_TERMS])


def _number_of(text: str) -> str:
    """The number that a text is, without its punctuation; empty where it is none."""
    plain, _places = folded(text)
    return _PUNCTUATION.sub("", plain) if _NUMBER.fullmatch(plain) else ""


def runs(found: Sequence[Term]) -> tuple[tuple[int, int], ...]:
    """Stretches of two or more terms of digits alone, as (first, last): written apart, they may be one number."""
    stretches, first = [], None
    for index, term in enumerate((*found, Term(""))):
        digits = not (term.exact or term.excluded) and _DIGITS.fullmatch(term.text) is not None
        if digits and first is None:
            first = index
        elif not digits and first is not None:
            if index - first > 1:
                stretches.append((first, index - 1))
            first = None
    return tuple(stretches)


@dataclass(frozen=True, slots=True)
class Sought:
    """A query that looks for something: what it is in the database's words, and what to mark."""

    query: str  # as it was typed
    expression: str  # a tsquery's text, without the organisation
    organization_id: int
    terms: tuple[Term, ...]  # those that are marked
    numbers: tuple[tuple[str, bool], ...]  # without punctuation; True: only its beginning
    identifiers: tuple[str, ...]  # what the query may be as an identifier, as letters and digits alone

    def lexemes(self) -> ReadyQuery:
        """What a row's words must fulfil."""
        return ReadyQuery(f"'@{self.organization_id}' & ({self.expression})")

    def of_ticket(self) -> ReadyQuery:
        """The same for tickets: a few digits are the end of a protocol as well, which is filled with zeros."""
        alone = self.terms[0].text if len(self.terms) == 1 else ""
        if not (alone.isascii() and alone.isdecimal() and len(alone) <= PROTOCOL_DIGITS):
            return self.lexemes()
        return ReadyQuery(f"'@{self.organization_id}' & ({self.expression} | '{alone:0>{PROTOCOL_DIGITS}}')")

    def as_identifier(self) -> ReadyQuery:
        named = " | ".join(f"'{word}'" for word in self.identifiers)
        return ReadyQuery(f"'@{self.organization_id}' & ({named})")


class ReadyQuery(SearchQuery):
    """A tsquery whose lexemes are final: no dictionary looks at them again."""

    def __init__(self, expression: str) -> None:
        super().__init__(expression)
        self.expression = expression

    def as_sql(self, *_arguments: Any, **_more: Any) -> tuple[str, Any]:
        return "%s::tsquery", [self.expression]


_RESOLVE: Final = """
    SELECT lastro_sought(term, exact, unfinished)::text
    FROM unnest(%s::text[], %s::boolean[], %s::boolean[]) WITH ORDINALITY AS asked (term, exact, unfinished, place)
    ORDER BY place
"""


def sought(member: Membership, query: str) -> Sought | None:
    """What the query comes down to; None where it names nothing to look for. One query, or none."""
    asked = terms(query)
    if all(term.excluded for term in asked):
        return None
    with connection.cursor() as cursor:
        texts = [term.text for term in asked]
        cursor.execute(_RESOLVE, [texts, [term.exact for term in asked], [term.unfinished for term in asked]])
        resolved = [row[0] for row in cursor.fetchall()]
    numbers = [
        (number, term.unfinished and not term.exact and len(number) >= SHORTEST_NUMBER)
        for term in asked
        if not term.excluded and (number := _number_of(term.text))
    ]
    parts, at = [], 0
    stretches = dict(runs(asked))
    while at < len(asked):
        last = stretches.get(at, at)
        expression = " & ".join(f"({text})" for text in resolved[at : last + 1] if text)
        if last > at:
            whole = "".join(_number_of(term.text) for term in asked[at : last + 1])
            if len(whole) >= SHORTEST_NUMBER:
                unfinished = asked[last].unfinished
                numbers.append((whole, unfinished))
                expression = f"({expression} | '{whole}'{':*' if unfinished else ''})"
        if expression:
            parts.append(f"!{expression}" if asked[at].excluded else expression)
        at = last + 1
    if not any(not part.startswith("!") for part in parts):
        return None
    shown = tuple(term for term in asked if not term.excluded)
    return Sought(query, " & ".join(parts), member.organization_id, shown, tuple(numbers), _identifiers(shown))


def _identifiers(asked: Iterable[Term]) -> tuple[str, ...]:
    """Each term, and all of them together, as an identifier would be kept."""
    words = [_PUNCTUATION.sub("", folded(term.text)[0]) for term in asked]
    found = [word for word in (*words, "".join(words)) if any(letter.isdigit() for letter in word)]
    return tuple(dict.fromkeys(word for word in found if 2 <= len(word) <= LONGEST_IDENTIFIER))


def identifier(value: object) -> str:
    """A value as the index of identifiers keeps it."""
    return _PUNCTUATION.sub("", folded(value if isinstance(value, str) else str(value))[0])


_STEMS: Final = """
    SELECT word, (ts_lexize('pg_catalog.portuguese_stem', lastro_endings(word)))[1] FROM unnest(%s::text[]) AS words (word)
"""


def stems(words: Iterable[str]) -> Mapping[str, str]:
    """The stems of these words (small letters, no accents); those that stand in every sentence have none. One query."""
    asked = sorted(set(words))
    if not asked:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_STEMS, [asked])
        return {word: stem for word, stem in cursor.fetchall() if stem is not None}
