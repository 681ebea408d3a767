"""What was suggested or tried, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.changes import Proposal, quote
from atendimento.standin.ticket import Ticket
from atendimento.standin.words import stems

_TRIED: Final = re.compile(
    r"\b(?:ja\s+)?(?:tentei|testei|reiniciei|desliguei|troquei|reinstalei|limpei|verifiquei|resetei|formatei|tirei\s+da\s+tomada)\b"
)
_SUGGESTS: Final = re.compile(
    r"\b(?:tente|experimente|teste|reinicie|desligue|verifique\s+se|sugiro|recomendo|por\s+favor\s+(?:reinicie|desligue|limpe))\b"
)
_AND: Final = re.compile(r"[,\s]+(?:e|mas|e\s+mesmo\s+assim)$", re.IGNORECASE)
_WORKED: Final = re.compile(r"\b(?:funcionou|deu\s+certo|resolveu|voltou\s+a\s+funcionar)\b")
_FAILED: Final = re.compile(
    r"\b(?:nao\s+(?:funcionou|deu\s+certo|resolveu|adiantou)|continua\s+(?:igual|na\s+mesma|o\s+mesmo)|mesmo\s+assim)\b"
)


def new_attempts(ticket: Ticket) -> Iterable[Proposal]:
    """The customer says what was tried; staff what might help."""
    for message in ticket.new:
        if not ticket.may("attempts", message) or message.kind not in ("customer", "agent"):
            continue
        pattern = _SUGGESTS if message.of_staff else _TRIED
        for sentence in message.sentences:
            match = pattern.search(sentence.plain)
            if match is None or sentence.question or sentence.negated_before(match.start()):
                continue
            result = _FAILED.search(sentence.plain, match.end()) or _WORKED.search(sentence.plain, match.end())
            end = result.start() if result else len(sentence.text)
            action = _AND.sub("", sentence.text[match.start() : end].strip(" .!,"))
            low = sentence.start + match.start()
            status = "suggested" if message.of_staff else "failed" if _FAILED.search(message.plain) else "tried"
            value = {
                "action": action,
                "by": "team" if message.of_staff else "customer",
                "status": status,
                "result": None,
            }
            yield Proposal("/attempts/-", "add", value, (quote(message, low, low + len(action)),))


def moved_attempts(ticket: Ticket) -> Iterable[Proposal]:
    """`funcionou` or `não adiantou` about the one thing that waits for its result."""
    waiting = [item for item in ticket.members_of("attempts") if item[1].get("status") in ("suggested", "tried")]
    for message in ticket.new:
        failed, worked = _FAILED.search(message.plain), _WORKED.search(message.plain)
        if (not failed and not worked) or not ticket.may("attempts", message) or not message.sentences:
            continue
        named = [item for item in waiting if stems(str(item[1].get("action"))) & stems(message.text)]
        chosen = named or waiting
        if len(chosen) == 1:
            cited = quote(message, message.sentences[0].start, message.sentences[-1].end)
            yield Proposal(f"{chosen[0][0]}/status", "replace", "failed" if failed else "worked", (cited,))
