"""What a reply says that the state does not bear out: deterministic findings, each with its words and what they run into.

A reply is read against the state, the changes that nobody has decided yet, and the messages that nobody has read for the
state yet. A finding informs: whoever writes may send all the same. Questions assert nothing: only rules on promises,
constraints and authorisations look past negations, and only a constraint looks at what is asked. Of a text longer than any
reply that a person writes, the beginning is read (`LONGEST`).

1. `done_but_open`: a sentence announces as done what an unfinished commitment, an open pending item, or a value that
   awaits confirmation still has open.
2. `promise_unrecorded`: a promise of ours that no unfinished commitment of ours holds; `promise_other_due` where one does,
   with another due; `promise_undecided` where a proposed one waits for its decision. The first comes with an offer.
3. `not_current`: the literal of a value that does not hold: corrected, withdrawn, rejected, in conflict, in doubt.
4. `undecided`: the literal of a proposed value, or of a present one that a proposed change would replace.
5. `constraint`: a word of a constraint that says something, or the value of what it applies to, and not negated; asked
   too ("may I call?"), unless it is asked whether a value that is in doubt holds.
6. `authorization_missing`, `authorization_revoked`: where the ticket type keeps authorisations, sharing somebody's data
   and carrying out (or charging) what was to be approved need a granted one whose scope shares a word; sending and
   contacting need none, unless one was revoked and none holds.
7. `gap`: the place of a field in brackets, as a canned reply leaves it where no value holds.
8. `unread`: messages that came and were not read for the state; it hinders nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memoria.cautions import turns
from memoria.date_words import plain
from memoria.fields import TicketType
from memoria.groups import ids, unfolded
from memoria.next_step import unfinished
from memoria.patch import Json, Missing, lookup, make_pointer
from memoria.reply_findings import Code, Finding, Ground, Offer, Proposed
from memoria.reply_literals import places
from memoria.reply_promises import promises
from memoria.reply_words import Sentence, announced, denied, same_thing, sentences, stem, telling
from memoria.rows import in_group
from memoria.state import Slot, SlotStatus, State

__all__ = ["LONGEST", "Code", "Finding", "Ground", "Offer", "Proposed", "check"]

LONGEST: Final = 20_000
"""Code points of a reply that are read: it is checked at each pause of whoever writes."""


def check(text: str, ground: Ground) -> tuple[Finding, ...]:
    """The findings of a reply, in the order of its words; what is about the whole of it stands last."""
    text = text[:LONGEST]
    if not text.strip():
        return ()
    ground = replace(ground, ticket_type=unfolded(ground.ticket_type, ground.state))
    found = [
        *_done(text, ground),
        *promises(text, ground),
        *_values(text, ground),
        *_constraints(text, ground),
        *_authorizations(text, ground),
        *_gaps(text, ground.ticket_type),
    ]
    ordered = sorted(dict.fromkeys(found), key=lambda item: (item.start, item.end))
    if ground.unread:
        ordered.append(Finding(Code.UNREAD, 0, 0, messages=tuple(ground.unread)))
    return tuple(ordered)


# --- announced as done --------------------------------------------------------------------------------------------


def _done(text: str, ground: Ground) -> Iterator[Finding]:
    state = ground.state
    tasks = [(pointer, telling(str(member["task"]))) for pointer, member in unfinished(state)]
    asked = [
        (make_pointer("pending", key), telling(str(member["question"])))
        for key, member in state.values.get("pending", {}).items()
        if member.get("status") == "open"
    ]
    doubtful = [
        (pointer, telling(row.label))
        for pointer, row in ground.ticket_type.fields.items()
        if _in_doubt(state.slots.get(pointer))
    ]
    for word in announced(text):
        own = stem(word.word)
        about = telling(word.sentence) - ({own} if word.generic else set())
        for pointer, stems in tasks:
            if (about & stems) if word.generic else (own in stems and same_thing(about, stems, own)):
                yield Finding(Code.DONE_BUT_OPEN, word.start, word.end, pointer)
        if word.generic:
            for pointer, stems in (*asked, *doubtful):
                if about & stems:
                    yield Finding(Code.DONE_BUT_OPEN, word.start, word.end, pointer)


def _in_doubt(slot: Slot | None) -> bool:
    return slot is not None and slot.status is not SlotStatus.CURRENT


# --- values -------------------------------------------------------------------------------------------------------


def _values(text: str, ground: Ground) -> Iterator[Finding]:
    state, asserting = ground.state, [item for item in sentences(text) if not item.asks]
    holding = [value for pointer in ground.ticket_type.fields if (value := _current(state, pointer)) is not None]
    for pointer in ground.ticket_type.fields:
        slot, held = state.slots.get(pointer), lookup(state.values, pointer)
        present = None if isinstance(held, Missing) else held
        for value, why in _not_holding(pointer, slot, held, ground):
            for start, end in _asserted(text, value, asserting, holding):
                yield Finding(Code.NOT_CURRENT, start, end, pointer, why, present if why not in _STANDING else None)
    for item in ground.undecided:
        if item.pointer not in ground.ticket_type.fields:
            continue
        proposed = None if isinstance(item.value, Missing) else item.value
        current = _current(state, item.pointer)
        if proposed is not None:
            for start, end in _asserted(text, proposed, asserting, holding):
                yield Finding(Code.UNDECIDED, start, end, item.pointer, "proposed", proposed, item.messages)
        if current is not None and current != proposed:
            others = [value for value in holding if value != current]
            for start, end in _asserted(text, current, asserting, others):
                yield Finding(Code.UNDECIDED, start, end, item.pointer, "contested", proposed, item.messages)


_WORDS: Final = ("task", "question", "text", "scope", "action")
"""The keys of a member that hold its own words."""
_STANDING: Final = frozenset({"conflict", "needs_confirmation"})


def _current(state: State, pointer: str) -> Json:
    slot, held = state.slots.get(pointer), lookup(state.values, pointer)
    return held if slot is not None and slot.status is SlotStatus.CURRENT and not isinstance(held, Missing) else None


def _not_holding(pointer: str, slot: Slot | None, held: Json | Missing, ground: Ground) -> Iterator[tuple[Json, str]]:
    if slot is not None:
        if slot.status in (SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT) and not isinstance(held, Missing):
            yield held, slot.status.value
        if slot.replaces is not None and not isinstance(slot.replaces.value, Missing):
            yield slot.replaces.value, "corrected" if slot.holds else "withdrawn"
        for challenger in slot.challengers:
            if not isinstance(challenger.value, Missing):
                yield challenger.value, "conflict"
    for item in ground.rejected:
        if item.pointer == pointer and not isinstance(item.value, Missing):
            yield item.value, "rejected"


def _asserted(text: str, value: Json, asserting: Sequence[Sentence], holding: Iterable[Json]) -> Iterator[tuple[int, int]]:
    """Where the text states this value, if it states no value that holds by the same words."""
    found = [
        (sentence.start + low, sentence.start + high) for sentence in asserting for low, high in places(value, sentence.text)
    ]
    if not found:
        return
    taken = [
        (sentence.start + low, sentence.start + high)
        for sentence in asserting
        for other in holding
        for low, high in places(other, sentence.text)
    ]
    for start, end in found:
        if any(low <= start and end <= high for low, high in taken):
            continue
        if not _negated(text, start, end):
            yield start, end


def _negated(text: str, start: int, end: int) -> bool:
    return any(turn.kind == "negation" for turn in turns(text, start, end, None))


# --- constraints and authorisations -------------------------------------------------------------------------------


def _constraints(text: str, ground: Ground) -> Iterator[Finding]:
    groups = ids(ground.state)
    for key, member in ground.state.values.get("constraints", {}).items():
        pointer = make_pointer("constraints", key)
        words = telling(str(member["text"]))
        named = [target for target in member.get("applies_to") or () if target in ground.ticket_type.fields]
        targets = [pointer for target in named for pointer in dict.fromkeys(in_group(target, one) for one in (*groups, ""))]
        for sentence in sentences(text):
            if _asks_back(sentence, ground.state):
                continue
            span = _first_shared(sentence, words) or _target_in(sentence, targets, ground)
            if span is not None and not _negated(text, *span):
                yield Finding(Code.CONSTRAINT, *span, pointer)
                break


def _asks_back(sentence: Sentence, state: State) -> bool:
    """Whether it asks about a value that is in doubt or disputed, by naming it: to ask whether it holds does nothing."""
    if not sentence.asks:
        return False
    for pointer, slot in state.slots.items():
        if slot.status in (SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT):
            held = lookup(state.values, pointer)
            told = [held[key] for key in _WORDS if key in held] if isinstance(held, dict) else [held]
            for value in (*told, *(challenger.value for challenger in slot.challengers)):
                if not isinstance(value, Missing) and next(places(value, sentence.text), None) is not None:
                    return True
    return False


def _first_shared(sentence: Sentence, words: frozenset[str]) -> tuple[int, int] | None:
    for found in re.finditer(r"[a-z0-9]+", plain(sentence.text)):
        if telling(found.group()) & words:
            return sentence.start + found.start(), sentence.start + found.end()
    return None


def _target_in(sentence: Sentence, targets: Iterable[str], ground: Ground) -> tuple[int, int] | None:
    for target in targets:
        held = lookup(ground.state.values, target)
        for value in () if isinstance(held, Missing) else (held,):
            for low, high in places(value, sentence.text):
                return sentence.start + low, sentence.start + high
    return None


_ACTS: Final = {
    "share": re.compile(
        r"\b(?:compartilh|repass)[a-z]+"
        r"|\b(?:passa|passei|passar|fornec|encaminh)[a-z]*\s+(?:os\s+)?(?:seus?|suas?|dados|o cpf)\b"
        r"|\bshar(?:e|ed|ing)\b"
    ),
    "execute": re.compile(
        r"\b(?:cobra|debita|execut|iniciar|iniciamos|iniciaremos)[a-z]*(?:\s+(?:o|a|os|as))?\s*"
        r"(?:reparo|conserto|servico|exame|procedimento|valor|taxa|debito|troca|cartao|conta)?\b|\bcharg(?:e|ed)\b"
    ),
    "send": re.compile(r"\b(?:envi|mand)[a-z]+|\bsen[dt]\b"),
    "contact": re.compile(r"\b(?:lig(?:ar|arei|aremos|o|amos|ou|uei)|telefon[a-z]+|entr[a-z]+ em contato)\b|\bcall(?:ed)?\b"),
}
_DEMANDED: Final = ("share", "execute")


def _authorizations(text: str, ground: Ground) -> Iterator[Finding]:
    if "authorizations" not in ground.ticket_type.collections:
        return
    held = ground.state.values.get("authorizations", {})
    for sentence in sentences(text):
        words, about = plain(sentence.text), telling(sentence.text)
        for action, pattern in _ACTS.items():
            match = None if sentence.asks else pattern.search(words)
            if match is None or denied(text, sentence.start + match.start(), sentence.start + match.end()):
                continue
            span = (sentence.start + match.start(), sentence.start + match.end())
            rows = [(key, row) for key, row in held.items() if row.get("action") == action]
            granted = [row for _key, row in rows if row.get("status") == "granted"]
            revoked = [key for key, row in rows if row.get("status") == "revoked"]
            if any(telling(str(row["scope"])) & about for row in granted) or (granted and action not in _DEMANDED):
                continue
            if revoked:
                yield Finding(Code.AUTHORIZATION_REVOKED, *span, make_pointer("authorizations", revoked[-1]), action)
            elif action in _DEMANDED:
                yield Finding(Code.AUTHORIZATION_MISSING, *span, why=action)


# --- gaps ---------------------------------------------------------------------------------------------------------


def _gaps(text: str, ticket_type: TicketType) -> Iterator[Finding]:
    labels = {row.label: pointer for pointer, row in ticket_type.fields.items()}
    for found in re.finditer(r"\[([^\[\]\n]{1,200})\]", text):
        if found[1] in labels:
            yield Finding(Code.GAP, found.start(), found.end(), labels[found[1]])
    # A place whose name this ticket type does not know was left as it is written.
    for found in re.finditer(r"\{[^\W\d][\w/ ]{0,119}\}", text):
        yield Finding(Code.GAP, found.start(), found.end())
