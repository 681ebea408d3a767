"""What the customer wants to reach."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.changes import Proposal, quote
from atendimento.standin.ticket import Ticket
from atendimento.standin.words import plain

_WANTS: Final = r"\b(?:quero|queria|gostaria(?:\s+de)?|preciso|precisava|desejo|pretendo|vim)\s+(?:so\s+|somente\s+|muito\s+)?"
_VERBS: Final = (
    "agendar|marcar|remarcar|reagendar|cancelar|trocar|consertar|comprar|pedir|fazer|devolver|reclamar|solicitar|receber|"
    "resolver|alterar|abrir|atualizar|contratar|obter|emitir|rastrear|instalar|retirar|mudar|orcar"
)
_NOUNS: Final = "cotacao|orcamento|visita|reembolso|troca|segunda via|conserto|atendimento|estorno|instalacao|devolucao"
_WISH: Final = re.compile(
    rf"{_WANTS}(?P<value>(?:{_VERBS})\b[^.,;!?\n]*)|{_WANTS}(?:uma?|o|a)\s+(?P<noun>(?:{_NOUNS})\b[^.,;!?\n]*)"
)
_STOPS: Final = re.compile(r"\s(?:para (?:minha|meu|a|o)|porque|pois|mas|que|por favor|de novo|novamente|hoje|amanha|entao)\b")
_NOT_A_GOAL: Final = re.compile(r"^(?:fazer uma (?:pergunta|alteracao)|mudar de assunto|pedir desculpas?)")


def set_goal(ticket: Ticket) -> Iterable[Proposal]:
    """`quero` and its like with a verb that a support desk serves, in the customer's own words."""
    field = next((row for row in ticket.fields if row.path == "/goal"), None)
    if field is None:
        return
    found: Proposal | None = None
    for message in ticket.new:
        if message.kind not in field.sources or message.of_staff:
            continue
        for sentence in message.sentences:
            for match in _WISH.finditer(sentence.plain):
                group = "value" if match["value"] else "noun"
                low, high = match.span(group)
                stop = _STOPS.search(sentence.plain, low, high)
                high = stop.start() if stop else high
                value = sentence.text[low:high].strip(" .:;()-")
                if sentence.negated_before(match.start()) or _NOT_A_GOAL.match(plain(value)):
                    continue
                cited = quote(message, sentence.start + match.start(), sentence.start + high)
                found = Proposal("/goal", "replace" if "/goal" in ticket.values else "add", value, (cited,))
    held = ticket.values.get("/goal")
    if found is not None and not (isinstance(held, str) and plain(held) == plain(found.value)):
        yield found
