"""What is ordered: quantities and names, added to the order or in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.mentions import Mention
from atendimento.standin.ticket import Field, Message, Ticket
from atendimento.standin.words import Sentence, plain, whole_words

_NOT_ORDERED: Final = (
    r"(?:pedido|pedidinho|item|itens|coisa|alteracao|vez|minutos?|horas?|dias?|reais|favor|pouco|momento|pergunta|"
    r"duvida|pizzas?\s*(?:[.,!?:]|$))"
)
_ITEM: Final = re.compile(
    rf"(?<!numero )(?<!r\$ )(?<![\d,.])\b(?:\d{{1,2}}|meia|uma?|duas|dois|tres|quatro)\s+(?:mais\s+)?(?!{_NOT_ORDERED})[a-z]"
)
_ADDS: Final = re.compile(r"\b(?:adicion\w*|acrescent\w*|inclu\w*|mais\s+(?:um|uma|1|algum\w*)\b|somar)")
_EXCHANGES: Final = re.compile(
    r"\b(?:altera|atera|troca|muda|substitui)r?\s+(?:a|o|as|os)?\s*(?P<old>.+?)\s+(?:pra|para|por)\s+(?P<new>.+)"
)
_ORDERS: Final = re.compile(
    r"\b(?:quer\w*|desej\w*|pedi\w*|pizzas?|sabor\w*|it(?:em|ens)|adicion\w*|acrescent\w*|inclu\w*|altera\w*|gostari\w*|me ver|"
    r"veja|anota|manda|pode ser|serao|sera|vai ser)\b"
)
_TRAILING: Final = re.compile(r"\s*(?:,?\s*por favor|\s+mesmo)\s*$")
_SEPARATOR: Final = " ; "


def items(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """From the first quantity that has a name behind it to the end of the sentence. Staff only read the order back."""
    if message.of_staff or _EXCHANGES.search(sentence.plain):
        return
    match = _ITEM.search(sentence.plain)
    if match is None:
        return
    end = len(sentence.plain)
    trailing = _TRAILING.search(sentence.plain.rstrip(".!?…"))
    if trailing:
        end = trailing.start()
    low, high = whole_words(message.text, sentence.start + match.start(), sentence.start + end)
    yield Mention(message.text[low:high], low, high, low)


def is_ordered(ticket: Ticket, message: Message, found: Mention) -> bool:
    """Whether the quantity is an order: after a word that orders, or as the answer to staff who spoke of the order."""
    if _ORDERS.search(message.plain[: found.at]):
        return True
    answered = _answered(ticket, message)
    return answered is not None and _ORDERS.search(answered.plain) is not None


def _answered(ticket: Ticket, message: Message) -> Message | None:
    """The other side's last message before this one."""
    said = ticket.before(message)
    return next((earlier for earlier in reversed(said) if earlier.of_staff != message.of_staff), None)


def with_what_was_ordered(ticket: Ticket, field: Field, message: Message, found: Mention) -> Mention:
    """Added to the order, where the customer or the question before says so; else in its place."""
    current = ticket.values.get(field.path)
    if not isinstance(current, str) or not _adds(ticket, message):
        return found
    if plain(found.value) in plain(current):
        return Mention(current, found.start, found.end, found.at)
    return Mention(f"{current}{_SEPARATOR}{found.value}", found.start, found.end, found.at)


def _adds(ticket: Ticket, message: Message) -> bool:
    if _ADDS.search(message.plain):
        return True
    answered = _answered(ticket, message)
    return answered is not None and _ADDS.search(answered.plain) is not None


def exchanged(ticket: Ticket, field: Field, message: Message, sentence: Sentence) -> Mention | None:
    """One item of the order for another: `troca A por B`, where A is in the order."""
    current = ticket.values.get(field.path)
    match = _EXCHANGES.search(sentence.plain)
    if match is None or not isinstance(current, str):
        return None
    at = plain(current).find(match["old"].strip())
    if at < 0:
        return None
    new = whole_words(message.text, sentence.start + match.start("new"), sentence.end)
    value = current[:at] + message.text[new[0] : new[1]] + current[at + len(match["old"].strip()) :]
    return Mention(value, sentence.start + match.start(), new[1], new[0])
