"""JSON Lines: one dialogue a line, each a conversation of its own.

    {"id": "d-1", "domain": "pizza", "messages": [{"id": "m1", "author": "customer", "text": "Oi"}, …]}

`author` is `customer`, `agent`, `third_party` or `assistant`; a message may carry `sent_at` (RFC 3339) and `name`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any, Final

from atendimento.ingest import charsets
from atendimento.ingest.neutral import (
    MAX_CONVERSATIONS,
    MAX_TEXT,
    Conversation,
    Format,
    Ids,
    Mark,
    NotUnderstood,
    Options,
    Person,
    Reading,
    Said,
    Unreadable,
    clean_name,
    digest,
    enough,
    excerpt,
    people_of,
)
from memoria.strict_json import NotStrictJson, loads

AUTHORS: Final = ("customer", "agent", "third_party", "assistant")


class _Bad(Exception):
    """Why a line is no dialogue."""


def read(data: bytes, file_name: str, options: Options) -> Reading:
    """Every line that is a dialogue; the others are listed. Raises Unreadable where none is."""
    text, guessed = charsets.decode_file(data)
    found: list[Conversation] = []
    strays: list[NotUnderstood] = []
    people: dict[str, Person] = {}
    seen: set[str] = set()
    count = 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            conversation = _conversation(line, number, options.zone, people)
        except _Bad as why:
            strays.append(NotUnderstood(number, str(why), excerpt(line)))
            continue
        if conversation.digest in seen:
            strays.append(NotUnderstood(number, "same_dialogue_again", excerpt(line)))
            continue
        seen.add(conversation.digest)
        found.append(conversation)
        count += len(conversation.messages)
        enough(count, options.max_messages)
        if len(found) > MAX_CONVERSATIONS:
            raise Unreadable("too_many_conversations", most=MAX_CONVERSATIONS)
    if not found:
        raise Unreadable("no_messages", format="JSON Lines")
    everything = [message for conversation in found for message in conversation.messages]
    return Reading(Format.JSONL, tuple(found), people_of(people, everything), tuple(strays), charset_guessed=guessed)


def looks_like_one(text: str) -> bool:
    return text.lstrip().startswith("{")


def _conversation(line: str, number: int, zone: tzinfo, people: dict[str, Person]) -> Conversation:
    try:
        document = loads(line)
    except NotStrictJson:
        raise _Bad("not_json") from None
    messages = document.get("messages") if isinstance(document, dict) else None
    if not isinstance(messages, list) or not messages:
        raise _Bad("no_messages_in_line")
    name = _text(document.get("id"))
    ids, scope = Ids(), digest(_text(document.get("source")), name)
    said = tuple(_message(item, number, ids, scope, zone, people) for item in messages)
    subject = " · ".join(part for part in (_text(document.get("subject")) or _text(document.get("domain")), name) if part)
    return Conversation(clean_name(subject) or f"{number}", said)


def _message(item: Any, line: int, ids: Ids, scope: str, zone: tzinfo, people: dict[str, Person]) -> Said:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise _Bad("message_without_text")
    author, text = item.get("author"), item["text"].replace("\0", "")
    if author not in AUTHORS:
        raise _Bad("unknown_author")
    if len(text) > MAX_TEXT:
        raise _Bad("too_long")
    called = clean_name(_text(item.get("name")))
    key = f"{author}:{called}" if called else str(author)
    people.setdefault(key, Person(key, called, preset=str(author)))
    moment = _moment(item.get("sent_at"), zone)
    identity = ids.of(scope, _text(item.get("id")), key, text, moment.isoformat() if moment else "")
    marks = frozenset() if moment is not None else frozenset({Mark.DATE_MISSING})
    return Said(identity, line, key, text, moment, marks=marks)


def _moment(value: Any, zone: tzinfo) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _Bad("impossible_date") from None
    if not 1990 <= moment.year < 2100:
        raise _Bad("impossible_date")
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
