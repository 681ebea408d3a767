"""Values that are named by the field's own label: `telefone: …`, `o certo é …`, true or false, one of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from atendimento.standin.mentions import Mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence, listed, plain

_LINK: Final = r"\s*(?:(?:correto|certo|nova?|atual)\s+)?(?:(?:e|eh|sera|agora e|passou a ser|mudou para|ficou)\s+|[:=]\s*)"
_NOT_BUT: Final = (
    r"\s*nao\s+e\s+(?:[^.;!?]|[.]\d)*?,\s*(?:mas\s+)?(?:(?:o|a)\s+(?:certo|correto|certa|correta)\s+)?(?:e|sim)\s+"
)
_VALUE_END: Final = re.compile(r"(?:,(?!\s*\d)|[;!?\n]|\.(?=\s|$)|\s(?:e|mas|não|nao)\s|\s\()")
_DENIES: Final = re.compile(r"\b(?:nao|fora|sem|acabou|venceu|vencida|expirou)\b")
_LIST: Final = re.compile(r"(?:^|\s)\d{1,2}[).]\s*")
_BETWEEN: Final = r"\s+(?:(?:de|da|do|das|dos|para|o|a)\s+)?"
_COMMON: Final = listed("de da do das dos em no na o a e para por com seu sua atual")


def stated(field: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """`label: value`, `label é value`, `label não é old, é value`."""
    if not field.takes("string") and not field.takes("number") and not field.takes("integer"):
        return
    for pattern in _patterns(field.label, field.path):
        for match in pattern.finditer(sentence.plain):
            end = _VALUE_END.search(sentence.text, match.end())
            low, high = match.end(), end.start() if end else len(sentence.plain.rstrip(".!?…"))
            written = sentence.text[low:high].strip()
            value = written if field.takes("string") else _number(written)
            if written and len(written) <= 80 and value is not None:
                yield Mention(value, sentence.start + match.start(), sentence.start + high, sentence.start + low)


@lru_cache(maxsize=2048)
def _patterns(label: str, path: str) -> tuple[re.Pattern[str], ...]:
    names = {plain(label).strip(), plain(path.rpartition("/")[2].replace("_", " ")).strip()} - {""}
    # A field list leaves out a label that only adds "de" and the like to the name.
    spelled = "|".join(_BETWEEN.join(map(re.escape, name.split())) for name in sorted(names, key=len, reverse=True))
    return tuple(re.compile(rf"\b(?:{spelled})(?:{link})") for link in (_NOT_BUT, _LINK)) if spelled else ()


def _number(written: str) -> int | float | None:
    digits = re.sub(r"[^\d,]", "", written).replace(",", ".")
    try:
        return float(digits) if "." in digits else int(digits)
    except ValueError:
        return None


def yes_or_no(field: Field, _: Message, sentence: Sentence) -> Iterable[Mention]:
    """A sentence with the label's word says yes, unless it denies."""
    for word in _telling_words(field):
        match = re.search(rf"\b{re.escape(word)}\b", sentence.plain)
        if match and not sentence.question:
            start = sentence.start
            yield Mention(_DENIES.search(sentence.plain) is None, start, sentence.end, start + match.start())
            return


def one_of_a_list(field: Field, _: Message, sentence: Sentence) -> Iterable[Mention]:
    """One of the values that the field allows, written out."""
    for value in field.enum:
        if isinstance(value, str) and len(value) >= 2:
            for match in re.finditer(rf"(?<!\w){re.escape(plain(value))}(?!\w)", sentence.plain):
                low, high = sentence.start + match.start(), sentence.start + match.end()
                yield Mention(value, low, high, low)


def numbered(field: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """The items of a numbered list that begins with the field's word; the list may run over sentences."""
    for word in _telling_words(field):
        match = re.search(rf"\b{re.escape(word)}\b[^:\d]*:\s*", sentence.plain)
        if match is None:
            continue
        low = sentence.start + match.start()
        parts = [part.strip(" ,;.\n") for part in _LIST.split(message.text[sentence.start + match.end() :])]
        parts = [part for part in parts if part]
        if parts:
            yield Mention(parts, low, len(message.text), low)
        return


def _telling_words(field: Field) -> list[str]:
    return [word for word in plain(field.label).split() if word not in _COMMON and len(word) > 3]
