"""Money: amounts, ways to pay, cards, change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.mentions import Mention, mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence

_AMOUNT: Final = re.compile(r"(?P<value>r\$\s*\d[\d.]*(?:,\d{2})?|\b\d[\d.]*(?:,\d{2})?\s+reais)")
_BRANDS: Final = "visa|mastercard|master|elo|amex|american express|hipercard|diners"
_METHOD: Final = re.compile(
    rf"\b(?P<value>pix|dinheiro|cartao(?:\s+de\s+(?:credito|debito))?(?:\s+(?:{_BRANDS})\b)?|boleto|vale[- ]refeicao|"
    r"transferencia|credito|debito)(?!\w)"
)
_PAYS: Final = re.compile(r"\b(?:pag\w*|forma|sera|vai ser|quero|prefiro|gostaria|mais facil|por|no|com|em)\b")
_PAID: Final = re.compile(
    r"\b(?:chave|codigo|realiz\w+|efetu\w+|enviado|enviei|feito|fiz|recebid\w+|confirmad\w+|paguei|pago|pronto|"
    r"para pagamentos?)\b"
)
_BRAND: Final = re.compile(rf"\b(?P<value>{_BRANDS})\b")
_CHANGE: Final = re.compile(r"\btroco\s+(?:para|pra|p/|de)\s+(?P<value>(?:r\$\s*)?\d[\d.]*(?:,\d{2})?(?:\s+reais)?)")


def amount(field: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """An amount of money: as a number where the field wants one, else as it is written."""
    for match in _AMOUNT.finditer(sentence.plain):
        found = mention(message, sentence, match)
        value = _number(found.value) if field.takes("number") or field.takes("integer") else found.value
        yield Mention(value, found.start, found.end, found.at)


def _number(written: str) -> float | int:
    digits = re.sub(r"[^\d,]", "", written).replace(",", ".")
    return float(digits) if "." in digits else int(digits)


def method(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """How the customer wants to pay; a payment that was made, or a key to pay to, names no wish."""
    if message.of_staff or _PAID.search(sentence.plain):
        return
    for match in _METHOD.finditer(sentence.plain):
        if len(sentence.plain.split()) <= 3 or _PAYS.search(sentence.plain):
            yield mention(message, sentence, match)


def brand(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """A card's brand."""
    return (mention(message, sentence, match) for match in _BRAND.finditer(sentence.plain))


def change(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """What the customer will pay with, so that there is change."""
    return (mention(message, sentence, match) for match in _CHANGE.finditer(sentence.plain))
