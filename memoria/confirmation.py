"""A customer's yes, right after our question, as a change that cites both (E11). A rule, no model.

It is read only where nothing is left to guess: the whole message is a yes; the messages right before it are ours and ask
once; what they ask names, letter by letter, a value that awaits confirmation or is one side of a divergence; nothing in the
question offers a choice or denies. What comes of it is a proposal like any other: a person decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from memoria.date_words import plain
from memoria.evidence import Message
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.patch import Json, Missing, lookup, same_json
from memoria.proposals import Change, Citation
from memoria.reply_literals import places
from memoria.reply_words import Sentence, denied, sentences
from memoria.rows import template_of
from memoria.sources import Kind
from memoria.state import SlotStatus, State

PRODUCER: Final = "rule:confirmation"
_LOOK_BACK: Final = 3  # messages of ours in a row: a question is often followed by a courtesy
_ANSWERING: Final = frozenset({Kind.CUSTOMER, Kind.THIRD_PARTY})
_YES: Final = frozenset(
    {
        *("sim", "isso", "correto", "certo", "exato", "exatamente", "confirmo", "confirmado", "confirmada", "positivo"),
        *("perfeito", "certinho", "ss", "s", "yes", "yep", "yeah", "correct", "right", "exactly", "confirmed"),
    }
)
_COURTESY: Final = frozenset(
    {
        *("mesmo", "ai", "e", "esta", "tudo", "por", "favor", "obrigado", "obrigada", "obg", "senhor", "senhora", "please"),
        *("thanks", "pode", "confirmar", "thank", "you", "that's", "is", "it", "claro", "bom", "boa", "dia", "tarde", "noite"),
    }
)
_LONGEST: Final = 60  # code points: a yes is short
_THUMB: Final = re.compile("[\U0001f44d\U0001f44c\u2705\u2714][\U0001f3fb-\U0001f3ff\ufe0f]?")
_NO_SIGN: Final = re.compile("[\U0001f44e\u274c\u274e\u2716\U0001f6ab\u26d4\U0001f645]")
_WORD: Final = re.compile(r"[a-z0-9']+")
_CHOICE: Final = re.compile(r"\b(?:ou|or)\b")


def is_yes(text: str) -> bool:
    """Whether the whole of a message is a yes: its words, a thumb, and courtesies. Anything more is no plain yes."""
    if len(text.strip()) > _LONGEST or "?" in text or _NO_SIGN.search(text):
        return False
    words = _WORD.findall(plain(text))
    thumbs = bool(_THUMB.search(text))
    if not words:
        return thumbs and not re.search(r"\w", text)
    return (thumbs or any(word in _YES for word in words)) and all(word in _YES or word in _COURTESY for word in words)


def confirmed(answer: Message, before: Sequence[Message], state: State, ticket_type: TicketType) -> tuple[Change, ...]:
    """The changes that a yes comes to; none where anything is unclear. `before` are the messages before it, newest first."""
    if answer.author.kind not in _ANSWERING or answer.deleted or answer.automatic or not is_yes(answer.text):
        return ()
    found = _question(before)
    if found is None:
        return ()
    message, question = found
    cited = (Citation(answer.id, answer.text.strip()), Citation(message.id, question.text, question.start))
    asked = list(_asked(question, state, ticket_type))
    named = Counter(template_of(pointer) for pointer, _ in asked)  # of which group it is asked, the same words do not say (G7)
    return tuple(Change("replace", pointer, value, cited) for pointer, value in asked if named[template_of(pointer)] == 1)


def _question(before: Sequence[Message]) -> tuple[Message, Sentence] | None:
    """The one sentence in which we asked; None where there is none, or more than one."""
    asked: list[tuple[Message, Sentence]] = []
    for message in before[:_LOOK_BACK]:
        if message.author.kind is not Kind.AGENT:
            break
        if not message.deleted and not message.automatic:
            asked += [(message, sentence) for sentence in sentences(message.text) if sentence.asks]
    if len(asked) != 1:
        return None
    message, sentence = asked[0]
    if _CHOICE.search(plain(sentence.text)) or denied(message.text, sentence.end - 1, sentence.end):
        return None
    return message, sentence


def _asked(question: Sentence, state: State, ticket_type: TicketType) -> Iterator[tuple[str, Json]]:
    """The values in doubt that the question names, each with its field; a field of which it names two sides is unclear."""
    for pointer in unfolded(ticket_type, state).fields:
        slot, held = state.slots.get(pointer), lookup(state.values, pointer)
        if slot is None or slot.status not in (SlotStatus.NEEDS_CONFIRMATION, SlotStatus.CONFLICT):
            continue
        sides: list[Json] = []
        for value in (held, *(challenger.value for challenger in slot.challengers)):
            if not isinstance(value, Missing) and not any(same_json(value, other) for other in sides):
                sides.append(value)
        named = [value for value in sides if next(places(value, question.text), None) is not None]
        if len(named) == 1:
            yield pointer, named[0]
