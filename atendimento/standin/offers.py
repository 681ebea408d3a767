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
from atendimento.standin.words import Sentence, plain, stems

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
        question, sentence = asked
        fitting = [item for item in waiting if _same_matter(question, item[1].get("question"))]
        if not fitting:
            continue
        pointer, member = fitting[-1]
        chosen = _chosen(message, member.get("options"))
        if not chosen and not _NO.search(message.plain) and not _YES.search(message.plain):
            continue
        cited = (quote(message, message.sentences[0].start, message.sentences[0].end), _cited_question(question, sentence))
        yield Proposal(f"{pointer}/status", "replace", "answered", cited)
        if chosen:
            yield from _settled(ticket, message, question, chosen)


def _same_matter(question: Message, asked: object) -> bool:
    return isinstance(asked, str) and bool(stems(asked, 3) & stems(question.text, 3))


def _cited_question(question: Message, sentence: Sentence) -> Quote:
    return quote(question, question.sentences[0].start, sentence.end)


def _chosen(message: Message, options: object) -> str | None:
    """The option that the answer takes: the one that it names, or by a yes the only one. A no takes none."""
    texts = [option for option in options if isinstance(option, str)] if isinstance(options, list) else []
    if any(sentence.question for sentence in message.sentences) or _NO.search(message.plain):
        return None
    named = [option for option in texts if plain(option) in message.plain]
    if len(named) == 1:
        return named[0]
    return texts[0] if len(texts) == 1 and _YES.search(message.plain) else None


def _settled(ticket: Ticket, message: Message, question: Message, option: str) -> Iterable[Proposal]:
    """The option taken, as the value of the field that holds appointments."""
    at = question.text.find(option)
    field = next((row for row in ticket.fields if times.appointment in readers(row)), None)
    if field is None or at < 0 or message.kind not in field.sources or ticket.values.get(field.path) == option:
        return
    answer = quote(message, message.sentences[0].start, message.sentences[0].end)
    cited = (answer, quote(question, at, at + len(option)))
    yield Proposal(field.path, "replace" if field.path in ticket.values else "add", option, cited)
