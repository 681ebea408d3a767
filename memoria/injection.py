"""Messages that try to instruct the model (U3): found by how such attempts are written, so that staff see a mark.

Nothing hangs on it. What a message can do is bounded by the checks on proposals, whoever reads it and whatever it says;
one that is not found does no more than one that is.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memoria.typography import INVISIBLE

_LONGEST: Final = 20_000  # code points that are looked at


class Attempt(StrEnum):
    """How a message tries it."""

    INSTRUCTIONS = "instructions"  # tells it what to do, or to forget what it was told
    FAKE_ANSWER = "fake_answer"  # JSON of the shape that the model answers with
    CLOSED_BLOCK = "closed_block"  # ends the data early, so that what follows reads as something else
    FAKE_TURN = "fake_turn"  # poses as another turn of the conversation with the model
    FORGED_ID = "forged_id"  # names messages by the ids that only the model is shown
    OTHER_TICKET = "other_ticket"  # asks for what stands in other tickets
    INVISIBLE = "invisible"  # hides letters that only machines read
    ENCODED = "encoded"  # hides words in another encoding
    MARKUP = "markup"  # hides words, or calls outside, by mark-up
    POLITE = "polite"  # asks the model kindly to act in somebody's place


def attempts(text: str) -> tuple[Attempt, ...]:
    """The ways in which the text tries to instruct the model, in their order; none, for nearly every message."""
    text = text[:_LONGEST]
    plain = _plain(text)
    return tuple(attempt for attempt, detect in DETECTORS.items() if detect(text, plain))


def _plain(text: str) -> str:
    """Small letters without accents, nothing invisible in between, white space as it is."""
    seen = "".join(character for character in text if character not in INVISIBLE)
    folded = unicodedata.normalize("NFKD", seen.casefold())
    return "".join(character for character in folded if not unicodedata.combining(character))


_WHO: Final = (
    r"(?:assistente|assistant|inteligencia artificial|artificial intelligence|i\.?a\.?|a\.?i\.?|modelo|model|robo|bot|chatbot|"
    r"llm|gpt|sistema de memoria)"
)
_ORDERED: Final = (
    r"(?:instruc\w+|instruct\w*|regras?|rules?|ordens|orders|orientac\w+|guidelines?|diretrizes|prompts?|"
    r"comandos?|commands?|restric\w+|restrictions?)"
)
_INSTRUCTIONS: Final = re.compile(
    rf"\b(?:ignor\w+|desconsider\w+|esquec\w+|desobedec\w+|descart\w+|burl\w+|disregard|forget|override|bypass|do not follow|"
    rf"nao siga)\b[^.!?\n]{{0,40}}\b{_ORDERED}\b"
    rf"|\b(?:siga|obedeca|cumpra|execute|follow|obey)\b[^.!?\n]{{0,25}}\b(?:estas?|essas?|minhas|novas|these|my|new)\b"
    rf"[^.!?\n]{{0,15}}\b{_ORDERED}\b"
    r"|\b(?:a partir de agora|de agora em diante|from now on)\b[^.!?\n]{0,20}\b(?:voce (?:e|deve|vai|sera)|"
    r"you (?:are|must|will))\b"
    r"|\b(?:aja como|finja ser|act as|pretend (?:to be|you are)|you are now)\b[^.!?\n]{0,30}\b(?:admin\w*|root|developer|"
    r"desenvolvedor|sistema|system|supervisor\w*)\b"
    r"|\b(?:sua nova tarefa|your new task|novo objetivo do modelo|new objective)\b"
)
_FAKE_ANSWER: Final = re.compile(
    r'"changes"\s*:\s*\[|"op"\s*:\s*"(?:add|replace|remove|move|copy|test)"|"path"\s*:\s*"/|"evidence"\s*:\s*\['
    r"|'op'\s*:\s*'(?:add|replace|remove)'|\bop\s*=\s*(?:add|replace|remove)\s*,?\s*path\s*=\s*/"
)
_CLOSED_BLOCK: Final = re.compile(
    r"</\s*(?:mensage\w*|messages?|dados?|data|documento?|document|user|usuario|context\w*|texto?|input|entrada|new_messages)\s*>"
    r"|\]\]>"
    r"|(?<![-=#*_])[-=#*_]{3,}\s*(?:fim|end)\b[^\n]{0,30}\b(?:mensage\w*|messages?|dados|data|documento?|document|input|entrada|"
    r"conversa|conversation|transcript)\b"
)
_JSON_END: Final = re.compile(r'"\s*\}\s*\]\s*\}')
_FAKE_TURN: Final = re.compile(
    r"<\|[a-z_]+\|>|\[/?inst\]|<</?sys>>|</?\s*(?:system|sistema|assistant|developer)\s*>"
    r"|^[^\S\n]*#{2,}\s*(?:system|sistema|instruction|instrucao|assistant|response)\b"
    r"|^[^\S\n]*\**(?:system|sistema|developer|assistant|human)\**\s*(?:message|prompt|mensagem)?\s*:",
    re.MULTILINE,
)
_FORGED_ID: Final = re.compile(
    r'"(?:id|message)"\s*:\s*"m-\d+"'
    r"|\b(?:mensage\w*|messages?|evidencias?|evidence|cit\w+|quot\w+|ids?|fonte|source)\b[^.!?\n]{0,25}\bm-\d{1,6}\b"
    r"|\bm-\d{1,6}\b[^.!?\n]{0,25}\b(?:evidencias?|evidence|cit\w+|quot\w+|prov\w+)\b"
)
_OTHER_TICKET: Final = re.compile(
    r"\b(?:copi\w+|use|usar|mostr\w+|inclu\w+|traga|traz\w*|leia|ler|list\w+|revel\w+|repit\w+|pegue|copy|show|tell|include|read|"
    r"reveal|repeat|take|list|fetch)\b[^.!?\n]{0,60}\b(?:d[oae]s?\s+)?(?:outr[oa]s?\s+(?:atendimentos?|clientes?|conversas?|"
    r"tickets?|chamados?|pessoas?|organizac\w+)|(?:another|other)\s+(?:tickets?|customers?|conversations?|people|"
    r"organi[sz]ations?)|atendimento\s+\d{4}-\d+|ticket\s+(?:number\s+)?\d{4}-\d+)"
)
_POLITE: Final = re.compile(
    rf"\b(?:car[oa]|querid[oa]|prezad[oa]|dear|hello|ola|oi)\s+{_WHO}\b"
    rf"|\b(?:por favor|por gentileza|gentilmente|seria possivel|poderia|peco|please|kindly|could|would)\b"
    rf"[^.!?\n]{{0,60}}\b(?:a|o|como|as an?|the|que a|que o)?\s*{_WHO}\b[^.!?\n]{{0,60}}\b(?:marc\w+|registr\w+|aprov\w+|"
    rf"confirm\w+|autoriz\w+|consider\w+|anot\w+|mark|approve|record|register|set|note|treat|authori[sz]e)\b"
    rf"|\b(?:como|as)\s+(?:um\s+|uma\s+|an?\s+)?{_WHO},?\s+(?:voce|you)\b"
)
_MARKUP: Final = re.compile(
    r"<\s*(?:script|iframe|object|embed|svg|style|img|meta|link|form)\b|<!--|\bon(?:error|load|click)\s*="
    r"|display\s*:\s*none|font-size\s*:\s*0|!\[[^\]\n]{0,200}\]\(|\]\(\s*(?:javascript|data):|\{\{.{1,200}?\}\}|\{%.{1,200}?%\}"
)
_ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}(?![A-Za-z0-9+/_=-])")
_LETTER: Final = re.compile(r"[^\W\d_]")


def _closes_block(_text: str, plain: str) -> bool:
    """An end mark of data; of JSON, one that nothing before it has opened."""
    closing = _JSON_END.search(plain)
    return _CLOSED_BLOCK.search(plain) is not None or (closing is not None and "{" not in plain[: closing.start()])


def _invisible(text: str, _plain_text: str) -> bool:
    """Tag characters, overridden directions, or several unseen characters inside of words."""
    if any("\U000e0000" <= character <= "\U000e007f" or character in "\u202d\u202e" for character in text):
        # Flags of regions are written with tag characters, behind a black flag.
        return "\U0001f3f4" not in text or any(character in "\u202d\u202e" for character in text)
    inside = sum(
        text[at] in INVISIBLE and _LETTER.match(text[at - 1]) is not None and _LETTER.match(text[at + 1]) is not None
        for at in range(1, len(text) - 1)
    )
    return inside >= 2


def _encoded(text: str, _plain_text: str) -> bool:
    return any(_hides_words(found.group()) for found in _ENCODED.finditer(text))


def _hides_words(written: str) -> bool:
    """Whether it is base64 or hexadecimal of a text of several words."""
    padded = written.rstrip("=").replace("-", "+").replace("_", "/")
    readings: list[bytes] = []
    with suppress(binascii.Error):
        readings.append(base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True))
    if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", written):
        readings.append(bytes.fromhex(written))
    return any(_is_words(reading) for reading in readings)


def _is_words(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    letters = sum(character.isalpha() or character == " " for character in text)
    return " " in text.strip() and text.isprintable() and letters >= 0.7 * len(text)


def _by(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda _text, plain: pattern.search(plain) is not None


DETECTORS: Final[Mapping[Attempt, Callable[[str, str], bool]]] = MappingProxyType(
    {
        Attempt.INSTRUCTIONS: _by(_INSTRUCTIONS),
        Attempt.FAKE_ANSWER: _by(_FAKE_ANSWER),
        Attempt.CLOSED_BLOCK: _closes_block,
        Attempt.FAKE_TURN: _by(_FAKE_TURN),
        Attempt.FORGED_ID: _by(_FORGED_ID),
        Attempt.OTHER_TICKET: _by(_OTHER_TICKET),
        Attempt.INVISIBLE: _invisible,
        Attempt.ENCODED: _encoded,
        Attempt.MARKUP: _by(_MARKUP),
        Attempt.POLITE: _by(_POLITE),
    }
)
