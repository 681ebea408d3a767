"""Pending items: options that staff offer, and what the other side answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin import times
from atendimento.standin.changes import Proposal, Quote, quote
from atendimento.standin.due import whens
from atendimento.standin.fields import readers
from atendimento.standin.ticket import Message, Ticket
from atendimento.standin.words import Sentence, stems

_OFFER: Final = re.compile(
    r"\b(?:temos|tenho|ha|consigo|conseguimos|podemos (?!confirmar)|posso (?:oferecer|agendar|marcar|encaixar|enviar)|teriamos|"
    r"esta disponivel|tem vaga|oferecemos|sugiro)\b"
)
_ASKS: Final = re.compile(
    r"\b(?:posso confirmar|podemos confirmar|confirmo|confirma|pode ser|serve|fica bom|tudo bem|aceita|prefere|quer|deseja|"
    r"gostaria|atende|funciona|concorda|autoriza)\b"
)
_YES: Final = re.compile(
    r"^\s*(?:sim|isso(?: mesmo)?|ok|okay|pode(?: ser| confirmar)?|perfeito|claro|com certeza|combinado|confirmado|certo|"
    r"exato|fechado|beleza|blz|aceito|quero|👍|✅)(?!\w)"
)
_NO: Final = re.compile(r"^\s*nao\b(?!\s+(?:confirm\w+|precisa))")
_STILL_OPEN: Final = re.compile(r"\b(?:ainda|depois|calma|espera|primeiro|vou (?:ver|falar|pensar))\b")
_OR: Final = re.compile(r"\s+ou\s+")


def new_offers(ticket: Ticket) -> Iterable[Proposal]:
    """An offer with its question, in one sentence or in two that follow each other."""
    for message in ticket.new:
        if not message.of_staff or not ticket.may("pending", message):
            continue
        for first, second in zip(message.sentences, (*message.sentences[1:], None), strict=False):
            asks = first if first.question else second if second is not None and second.question else None
            if asks is None or not _OFFER.search(first.plain) or not _ASKS.search(asks.plain):
                continue
            if not first.question and _ASKS.search(first.plain):
                continue
            options = _options(message, first)
            if not options:
                continue
            question = message.text[first.start : asks.end]
            value = {"question": question, "options": options, "status": "open"}
            yield Proposal("/pending/-", "add", value, (quote(message, first.start, first.end),))


def _options(message: Message, offer: Sentence) -> list[str]:
    """The days offered; else what stands on both sides of an `ou`; else what is offered, in its words."""
    named = [offer.text[when.start : when.end] for when in whens(offer.plain, message.sent_at)]
    if named:
        return named
    match = _OFFER.search(offer.plain)
    if match is None:
        return []
    rest = offer.text[match.end() :].strip(" .!?,:")
    return [part.strip(" .!?,:") for part in _OR.split(rest) if part.strip(" .!?,:")][:6]


def answered_offers(ticket: Ticket) -> Iterable[Proposal]:
    """A yes or a no to the question of an open pending item; a yes to one day settles the appointment too."""
    waiting = [(pointer, member) for pointer, member in ticket.members_of("pending") if member.get("status") == "open"]
    for message in ticket.new:
        asked = ticket.question_before(message)
        if asked is None or message.of_staff or _STILL_OPEN.search(message.plain):
            continue
        agrees = _YES.search(message.plain) is not None
        if not agrees and not _NO.search(message.plain):
            continue
        question, sentence = asked
        fitting = [item for item in waiting if _same_matter(question, item[1].get("question"))]
        if not fitting:
            continue
        pointer, member = fitting[-1]
        cited = (quote(message, message.sentences[0].start, message.sentences[0].end), _cited_question(question, sentence))
        yield Proposal(f"{pointer}/status", "replace", "answered", cited)
        if agrees:
            yield from _settled(ticket, message, question, member.get("options"))


def _same_matter(question: Message, asked: object) -> bool:
    return isinstance(asked, str) and bool(stems(asked, 3) & stems(question.text, 3))


def _cited_question(question: Message, sentence: Sentence) -> Quote:
    return quote(question, question.sentences[0].start, sentence.end)


def _settled(ticket: Ticket, message: Message, question: Message, options: object) -> Iterable[Proposal]:
    """The one option that was said yes to, as the value of the field that holds appointments."""
    if not isinstance(options, list) or len(options) != 1 or not isinstance(options[0], str):
        return
    at = question.text.find(options[0])
    field = next((row for row in ticket.fields if times.appointment in readers(row)), None)
    if field is None or at < 0 or message.kind not in field.sources or ticket.values.get(field.path) == options[0]:
        return
    answer = quote(message, message.sentences[0].start, message.sentences[0].end)
    cited = (answer, quote(question, at, at + len(options[0])))
    yield Proposal(field.path, "replace" if field.path in ticket.values else "add", options[0], cited)
