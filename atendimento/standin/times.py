"""When: the time of day that suits, appointments, forecasts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.due import whens
from atendimento.standin.mentions import Mention, mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence, plain

_PERIOD: Final = re.compile(
    r"(?<!boa )(?:\b(?:prefer\w+|pode ser|melhor|so posso|so consigo)\b[^.;!?]{0,40}?)?"
    r"\b(?:(?:de|pela|a|na|da|durante a)\s+)?(?P<value>manha|tarde|noite)\b"
)
_FIXED: Final = re.compile(
    r"\b(?:pode ser|so da|fica|ficou|sera|marcad|agendad|confirmad|remarcad|mudou|reservad|combinad|"
    r"marc[ae]\b|confirm[ao]\b|passa\b)"
)
_OFFERED: Final = re.compile(r"\b(?:temos|tenho|disponive\w*|livre|seria|quando|consult\w*)\b")
_PROMISED: Final = re.compile(r"\b(?:vou|retorno|ligo|mando|envio|aviso)\b")
_FORECAST: Final = re.compile(
    r"\b(?:pront[oa]|entregue|demorar?|levar?|leva|chegar?a?|previsao)\b\s*(?:(?:de|em|e|:|uns|umas|cerca|ate|mais|menos|o|a|"
    r"aproximadamente|para|entrega)\s+)*(?P<value>\d+\s*(?:minutos|min|horas?|dias?(?:\s+uteis)?))"
)


def period(field: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """`de manhã`, `à tarde`; as the field's enumeration spells it, where it has one."""
    spelled = {plain(value): value for value in field.enum if isinstance(value, str)}
    for match in _PERIOD.finditer(sentence.plain):
        found = mention(message, sentence, match)
        value = spelled.get(match["value"]) if field.enum else found.value
        if value is not None:
            yield Mention(value, found.start, found.end, found.at)


def appointment(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """A day that is said to be settled, with its time; one that is only offered or asked about is none."""
    if _OFFERED.search(sentence.plain):
        return
    fixed = _FIXED.search(sentence.plain)
    named = whens(sentence.plain, message.sent_at)
    if not named or (fixed is None and not (message.kind == "tool" or re.search(r"\d{1,2}\s*h", sentence.plain))):
        return
    when = named[-1]
    if _PROMISED.search(sentence.plain, 0, when.start):
        return  # the day of a promise
    start = min(fixed.start(), when.start) if fixed else when.start
    low, high = sentence.start + when.start, sentence.start + when.end
    yield Mention(message.text[low:high], sentence.start + start, high, low)


def forecast(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """How long it will take: `pronto em 40 minutos`."""
    return (mention(message, sentence, match) for match in _FORECAST.finditer(sentence.plain))
