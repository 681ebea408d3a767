"""Builders for tests of what the model is asked: a count of words for tokens, and requests about a few messages."""

from __future__ import annotations

import json
from typing import Any
from zoneinfo import ZoneInfo

from memoria.context import Budget, Material
from memoria.evidence import Message
from memoria.extraction import Request, build_request
from tests.memoria.bench import Bench

ZONE = ZoneInfo("America/Sao_Paulo")


def count_words(text: str) -> int:
    """Four characters are a token here: exact figures are the tokenizer's affair, proportions are ours."""
    return (len(text) + 3) // 4


def ask_about(bench: Bench, *new: str, language: str = "pt-BR", budget: Budget | None = None, **more: Any) -> Request:
    """The request about the messages with these ids; all that came before the first of them are older."""
    first = int(new[0][2:]) if new else len(bench.messages) + 1
    older = [message for number, message in bench.messages.items() if number < first]
    chosen: list[Message] = [bench.messages[int(reference[2:])] for reference in new]
    material = Material(bench.ticket_type, bench.state, chosen, older, **more)
    return build_request(material, language=language, zone=ZONE, count_tokens=count_words, budget=budget)


def document_of(request: Request) -> Any:
    return json.loads(request.user)
