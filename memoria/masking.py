"""Personal data to placeholders before a request leaves for the model, and back in what it answers (U2).

A placeholder names its kind and nothing else: `[CPF-482193]`. Its number is drawn from the value with a key of the
ticket's own, so that the same value has the same placeholder in every request about a ticket, and another one elsewhere.
Spellings are told apart: what comes back in a quote is the message's own, letter by letter.

Masked is all that a request is made of: messages, state, literals (U2 wins over N1), what was proposed or rejected, and
the answer that the model is asked to mend. A value of a field marked sensitive is masked in the state whatever it looks
like, and in texts from when it is known; before that, where it is what the field's schema says: its pattern, its format, or
one of its choices. A secret of no such shape that is said for the first time leaves as it was written.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from memoria.context import dump
from memoria.extraction import Reader, Request
from memoria.fields import TicketType
from memoria.members import FIELD_MAPS
from memoria.patch import Json, Missing, lookup, make_pointer
from memoria.personal import find
from memoria.proposals import Change
from memoria.rows import ITEMS, TEMPLATE, in_group, template_of
from memoria.runs import Repair
from memoria.secrecy import choices, shapes
from memoria.spellings import Spellings, spelled

Masks = Mapping[str, Json]
"""What each placeholder of a request stands for. Stored beside the request, so that an answer can be read at any time."""

NO_MASKS: Final[Masks] = MappingProxyType({})
_DIGITS: Final = 6
_PLACEHOLDER: Final = re.compile(r"\[?\b(?P<name>[A-Za-z]{2,20}-[0-9]{6,18})\b\]?")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[-./_#][^\W_]+)*")
_LONGEST_TOKEN: Final = 60
_NAMING: Final = frozenset({"id", "path", "op", "what", "status", "slot", "kind", "sent_at", "weekday", "message", "code"})
"""Keys of rows whose texts the product makes itself: words that a sensitive field holds are no secret there."""
_VALUES: Final = frozenset({"value", "was", "against"})
"""Keys that hold a field's value in a row which names the field."""
_CUT_AT: Final = 60  # code points after which the name of what is settled is cut
_CUT_WORD: Final = re.compile(r"[\d\s./()+-]*\S*$")

_WORDS_PT: Final = """

# Dados protegidos
[CPF-…], [EMAIL-…] e outras marcas assim são o próprio valor: copie-as inteiras e iguais, mesmo onde type pede outro \
formato."""
_WORDS_EN: Final = """

# Protected data
[CPF-…], [EMAIL-…] and other marks like these are the value itself: copy them whole and unchanged, even where type asks \
for another format."""
VERSION: Final = "masked-2"
"""Part of the prompt's version where data are masked: whoever changes the words above raises it."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A request as it may leave, and what its placeholders stand for."""

    request: Request
    masks: Masks = field(repr=False)


def masked(request: Request, ticket_type: TicketType, key: bytes, known: Iterable[tuple[str, Json | Missing]] = ()) -> Masked:
    """The request without personal data. `known` are values that sensitive fields have, or had, in this ticket."""
    mask = _Mask(key, ticket_type, known, request.user)
    document = json.loads(request.user)
    user = dump(mask.document(document))
    repair = request.repair
    if repair is not None:
        repair = Repair(mask.text(repair.raw), mask.text(repair.finding))
    words = _WORDS_PT if request.language.lower().startswith("pt") else _WORDS_EN
    sent = replace(
        request,
        system=mask.text(request.system, own_words=True) + words,
        user=user,
        repair=repair,
        prompt_version=f"{request.prompt_version}+{VERSION}",
    )
    return Masked(sent, dict(mask.stands_for))


def reader(masks: Masks, read: Reader) -> Reader:
    """`read`, with the placeholders of the changes put back before anything is checked."""
    if not masks:
        return read
    return lambda raw: tuple(unmasked(change, masks) for change in read(raw))


def unmasked(change: Change, masks: Masks) -> Change:
    """The change with the values that its placeholders stand for. One that nobody gave stays, and stands in no message."""
    # A place in the masked text is none in the message: the quote is looked for.
    evidence = tuple(replace(item, quote=str(restored(item.quote, masks)), start=None) for item in change.evidence)
    # Of a field's own choices the value is the choice, and the quote what was written.
    value = change.value if isinstance(change.value, Missing) else restored(change.value, _with_choices(masks))
    reason = None if change.reason is None else str(restored(change.reason, masks))
    path = str(restored(change.path, masks))  # a group's id may look like somebody's number
    return replace(change, path=path, value=value, evidence=evidence, reason=reason)


def _chosen(name: str) -> str:
    """Under what a mask tells which of a field's choices its placeholder means; no text can name it."""
    return f"={name}"


def _with_choices(masks: Masks) -> Masks:
    return {name: masks.get(_chosen(name), value) for name, value in masks.items()}


def restored(value: Json, masks: Masks) -> Json:
    """The JSON value with every known placeholder in its texts put back; a whole text becomes the value itself."""
    if isinstance(value, str):
        return _restored_text(value, masks)
    if isinstance(value, list):
        return [restored(item, masks) for item in value]
    if isinstance(value, dict):
        return {_text_of(_restored_text(key, masks)): restored(item, masks) for key, item in value.items()}
    return value


def _restored_text(text: str, masks: Masks) -> Json:
    whole = _PLACEHOLDER.fullmatch(text.strip())
    if whole is not None and _name(whole) in masks:
        return masks[_name(whole)]
    return _PLACEHOLDER.sub(lambda found: _text_of(masks.get(_name(found), found.group())), text)


def _name(found: re.Match[str]) -> str:
    return f"[{found['name'].upper()}]"


def _text_of(value: Json) -> str:
    return value if isinstance(value, str) else dump(value)


# --- masking ------------------------------------------------------------------------------------------------------


class _Mask:
    """Gives out placeholders for one request."""

    def __init__(self, key: bytes, ticket_type: TicketType, known: Iterable[tuple[str, Json | Missing]], original: str) -> None:
        self.stands_for: dict[str, Json] = {}
        self._secret = key
        self._original = original
        self._given: dict[tuple[str, str], str] = {}
        sensitive = [row for row in ticket_type.fields.values() if row.sensitive]
        self._sensitive = {row.pointer: _kind_of(row.pointer) for row in sensitive}
        self._patterns = [(self._sensitive[row.pointer], shape) for row in sensitive for shape in shapes(row.schema)]
        self._known: dict[str, str] = {}
        self._spellings = Spellings(())
        # What a sensitive field may hold is a secret from the first time on, whoever says it.
        self._choices = {
            (self._sensitive[row.pointer], spelled(choice)): choice for row in sensitive for choice in choices(row.schema)
        }
        self._learn((row.pointer, list(choices(row.schema))) for row in sensitive)
        self._learn(known)

    def document(self, document: Json) -> Json:
        """The user turn's document. What sensitive fields hold in it is looked for in every text of it."""
        self._learn(_values_at(document, self._sensitive))
        if not isinstance(document, dict):
            return self._walk(document, None)
        return {
            key: self._held(part) if key in ("literals", "state") and isinstance(part, dict) else self._walk(part, None)
            for key, part in document.items()
        }

    def _held(self, part: Mapping[str, Json]) -> Json:
        """What holds, in the shape that pointers address: each value by its field."""
        shown: dict[str, Json] = {}
        for group, held in part.items():
            if group in FIELD_MAPS and isinstance(held, dict):
                shown[group] = self._fields(make_pointer(group), held)
            elif group == ITEMS and isinstance(held, dict):
                shown[group] = {self._key(one): self._fields(make_pointer(group, one), row) for one, row in held.items()}
            elif group in ("doubtful", "settled"):
                shown |= self._row({group: held}, None)
            else:
                shown[group] = self._walk(held, self._kind(make_pointer(group)))
        return shown

    def _kind(self, pointer: str) -> str | None:
        """The kind of a sensitive field's values, a group's own included (G3); None for any other pointer."""
        return self._sensitive.get(template_of(pointer))

    def _fields(self, above: str, held: Mapping[str, Json]) -> Json:
        return {name: self._walk(item, self._kind(above + make_pointer(name))) for name, item in held.items()}

    def text(self, text: str, *, own_words: bool = False) -> str:
        """The text with placeholders for what is personal, sensitive and known, or looks as a sensitive field does.

        `own_words` are the product's own, or an administrator's: only what is personal goes.
        """
        spans = _detected_in(text) if own_words else self._spans(text)
        parts, last = [], 0
        for low, high, kind in spans:
            parts += [text[last:low], self._placeholder(kind, text[low:high])]
            last = high
        return "".join([*parts, text[last:]])

    def _learn(self, known: Iterable[tuple[str, Json | Missing]]) -> None:
        for pointer, value in known:
            kind = self._kind(pointer)
            if kind is not None and not isinstance(value, Missing):
                for leaf in _leaves(value):
                    words = spelled(_text_of(leaf))
                    if len(words) >= (3 if isinstance(leaf, str) else 4):
                        self._known[words] = kind
        self._spellings = Spellings(self._known)

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        """Start, end and kind of what is to go, the first reading of a place first: known, detected, by pattern."""
        # In the answer that the model is asked to mend, what is masked already stays as it is.
        done = [found.span() for found in _PLACEHOLDER.finditer(text) if _name(found) in self.stands_for]
        spans: list[tuple[int, int, str]] = []
        readings: list[Callable[[str], Iterable[tuple[int, int, str]]]] = [self._known_in, _detected_in, self._shaped_in]
        for reading in readings:
            fresh = [(start, end, kind) for low, high, kind in reading(text) for start, end in _besides(low, high, done, text)]
            spans += fresh
            done += [(low, high) for low, high, _ in fresh]
        return sorted(spans)

    def _known_in(self, text: str) -> Iterable[tuple[int, int, str]]:
        return [(place.start, place.end, self._known[place.words]) for place in self._spellings.find(text)]

    def _shaped_in(self, text: str) -> Iterable[tuple[int, int, str]]:
        if not self._patterns:
            return
        tokens = [found.span() for found in _TOKEN.finditer(text) if found.end() - found.start() <= _LONGEST_TOKEN]
        pairs = [(one[0], other[1]) for one, other in pairwise(tokens) if text[one[1] : other[0]] == " "]
        last = 0
        for low, high in sorted([*pairs, *tokens], key=lambda span: (span[0], -span[1])):
            written = text[low:high]
            if low < last or not any(character.isdigit() for character in written):
                continue
            kind = next((kind for kind, is_shaped in self._patterns if is_shaped(written)), None)
            if kind is not None:
                last = high
                yield low, high, kind

    def _placeholder(self, kind: str, value: Json) -> str:
        if isinstance(value, str) and (detected := _detected_in(value)) and detected[0][:2] == (0, len(value)):
            kind = detected[0][2]  # a sensitive telephone is called one, before and after it is known to be sensitive
        written = (kind, dump(value))
        if written not in self._given:
            digest = hashlib.blake2b(f"{kind}\0{written[1]}".encode(), key=self._secret, digest_size=12).digest()
            number = f"{int.from_bytes(digest):030d}"
            digits = _DIGITS
            # Taken by another value, or written by somebody into the very text: a longer one, which is neither.
            while (made := f"[{kind}-{number[-digits:]}]") in self.stands_for or made in self._original:
                digits += _DIGITS
            self.stands_for[made] = value
            choice = self._choices.get((kind, spelled(value))) if isinstance(value, str) else None
            if choice is not None and choice != value:
                self.stands_for[_chosen(made)] = choice
            self._given[written] = made
        return self._given[written]

    def _walk(self, value: Json, kind: str | None) -> Json:
        """The value with its texts masked; below a sensitive field (`kind`) every single value has a placeholder."""
        if isinstance(value, dict):
            return (
                self._row(value, None)
                if kind is None
                else {self._key(key): self._walk(item, kind) for key, item in value.items()}
            )
        if isinstance(value, list):
            return [self._walk(item, kind) for item in value]
        if kind is not None and value is not None:
            return self._placeholder(kind, value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        return value

    def _row(self, row: Mapping[str, Json], kind: str | None) -> Json:
        """An object. It may be a row about a field: one that names it as its path, or that stands under its pointer."""
        path = row.get("path")
        kind = kind or (self._kind(path) if isinstance(path, str) else None)
        shown: dict[str, Json] = {}
        for key, item in row.items():
            if key in _VALUES and kind is not None:
                shown[key] = self._walk(item, kind)
            elif key in _NAMING and isinstance(item, str):
                shown[key] = self.text(item, own_words=True)
            elif key == "doubtful" and isinstance(item, dict):
                shown[key] = {
                    self._key(pointer): self._row(part, self._kind(pointer)) if isinstance(part, dict) else part
                    for pointer, part in item.items()
                }
            elif key == "settled" and isinstance(item, list):
                shown[key] = [self._walk(_without_cut_word(name), None) for name in item]
            else:
                shown[self._key(key)] = self._walk(item, self._kind(key))
        return shown

    def _key(self, key: str) -> str:
        return self.text(key, own_words=key.startswith("/"))

    def _number(self, value: int | float) -> Json:
        """A number that is somebody's, as a number: a CPF without its points, a known sensitive value."""
        written = dump(value)
        spans = self._spans(written)
        return self._placeholder(spans[0][2], value) if spans and spans[0][:2] == (0, len(written)) else value


def _detected_in(text: str) -> list[tuple[int, int, str]]:
    return [(found.start, found.end, found.kind.value) for found in find(text)]


def _besides(low: int, high: int, done: Iterable[tuple[int, int]], text: str) -> Iterable[tuple[int, int]]:
    """What of a span nothing has taken yet: half a number that is told is still half of somebody's number."""
    at = low
    for start, end in sorted(span for span in done if span[0] < high and low < span[1]):
        if any(character.isalnum() for character in text[at:start]):
            yield at, start
        at = max(at, end)
    if any(character.isalnum() for character in text[at:high]):
        yield at, high


def _without_cut_word(name: Json) -> Json:
    """A name that was cut short may end inside of a number, which nobody would recognise any more."""
    if not isinstance(name, str) or len(name) < _CUT_AT:
        return name
    return _CUT_WORD.sub("…", name[:_CUT_AT], count=1) + name[_CUT_AT:]


def _kind_of(pointer: str) -> str:
    """The kind of a sensitive field's values, from its name: letters alone, so that the placeholder is one word."""
    name = unicodedata.normalize("NFD", pointer.rpartition("/")[2])
    letters = "".join(character for character in name if character.isascii() and character.isalpha()).upper()[:20]
    return letters if len(letters) >= 2 else "DADO"


def _leaves(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def _values_at(document: Json, pointers: Mapping[str, str]) -> Iterable[tuple[str, Json]]:
    """Every value that stands in the document under one of these pointers, or in a row that names it as its path."""
    if not isinstance(document, dict):
        return
    for part in (document.get("literals"), document.get("state")):
        groups = part.get(ITEMS, {}) if isinstance(part, dict) else {}
        for declared in pointers:
            for pointer in (in_group(declared, group) for group in (groups if declared.startswith(TEMPLATE) else ("",))):
                held = lookup(part, pointer)
                if not isinstance(held, Missing):
                    yield pointer, held
    yield from _in_rows(document, pointers)


def _in_rows(document: Json, pointers: Mapping[str, str]) -> Iterable[tuple[str, Json]]:
    if isinstance(document, dict):
        path = document.get("path")
        if isinstance(path, str) and template_of(path) in pointers:
            yield path, [item for key, item in document.items() if key in _VALUES]
        for key, item in document.items():
            if key == "doubtful" and isinstance(item, dict):
                known = ((pointer, row) for pointer, row in item.items() if template_of(pointer) in pointers)
                rows = [(pointer, row) for pointer, row in known if isinstance(row, dict)]
                yield from ((pointer, [part for name, part in row.items() if name in _VALUES]) for pointer, row in rows)
            yield from _in_rows(item, pointers)
    elif isinstance(document, list):
        for item in document:
            yield from _in_rows(item, pointers)
