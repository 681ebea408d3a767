"""Where: neighbourhoods, addresses, branches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.mentions import Mention, mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence, listed, plain

_CAPITAL: Final = r"(?!N[úu]mero\b)[A-ZÀ-Ý][\w'’]*"
_NAME: Final = rf"{_CAPITAL}(?:\s+(?:(?:d[aeo]s?|e)\s+)?{_CAPITAL})*"
_NEIGHBOURHOOD_LEADS: Final = (
    r"\bbairro\s*(?:é|e|:|do|da|de)?\s+",
    r"\b(?:[Mm]oro|[Rr]esido|[Ff]ico|[Ee]stou|[Mm]oramos)\s+(?:em|no|na|nos|nas)\s+(?:bairro\s+(?:d[aeo]\s+)?)?",
    r"\best[áa]\s+(?:em|no|na)\s+[^.;!?,]*,\s*(?:em|no|na)\s+",
    r"\b(?:[Mm]udei|[Mm]udou|[Mm]udamos)(?:-me)?\s+(?:para|pra|pro)\s+(?:(?:o|a)\s+)?(?:bairro\s+(?:d[aeo]\s+)?)?",
)
_STREET: Final = r"(?:[Rr]ua|[Aa]venida|[Aa]v\.?|[Tt]ravessa|[Aa]lameda|[Pp]ra[çc]a|[Rr]odovia|[Ee]strada|[Ll]argo)"
_HOUSE: Final = r"(?:\s*,?\s*(?:[Nn][úu]mero|[Nn][º°.])(?:\s+n[úu]mero)?\s*|\s*,\s*)\d+[A-Za-z]?(?!\w)"
_WITHIN: Final = r"(?:,?\s*(?:[Aa]pto\.?|[Aa]partamento|[Aa]p\.?|[Bb]loco|[Ss]ala|[Cc]onj\.?|[Cc]asa)\s*\w+)*"
_ADDRESSES: Final = (
    re.compile(rf"(?P<value>{_STREET}\s+(?:(?:d[aeo]s?|e)\s+)?{_NAME}(?:{_HOUSE}{_WITHIN})?)"),
    re.compile(rf"(?<!\w)(?P<value>{_NAME}\s+[Nn][úu]mero(?:\s+n[úu]mero)?\s*\d+)"),
)
_NOT_A_NAME: Final = listed(
    "e é no na em a o as os meu minha ok claro perfeito certo sim isso entrega endereco entregar moro fica"
)
_NOT_A_NEIGHBOURHOOD: Final = re.compile(r"(?:rua|avenida|av|travessa|alameda|praca|unidade|loja|filial)\b")
_BRANCH: Final = re.compile(rf"\b(?:[Uu]nidade|[Ff]ilial|[Ll]oja)\s+(?:d[aeo]\s+)?(?P<value>{_NAME})")


def neighbourhood(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """`bairro X`, `moro em X`, `mudei para X`: a name in capitals, or after `bairro` any word."""
    for lead in _NEIGHBOURHOOD_LEADS:
        for match in re.finditer(rf"{lead}(?P<value>{_NAME})", sentence.text):
            if not _NOT_A_NEIGHBOURHOOD.match(plain(match["value"])):
                yield mention(message, sentence, match)
    for match in re.finditer(r"\bbairro\s*:?\s+(?P<value>[a-zà-ÿ]{4,})\b", sentence.text):
        if plain(match["value"]) not in ("onde", "esta", "errado", "certo", "mudou"):
            yield mention(message, sentence, match)


def address(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """A street with its number, or a place name followed by a house number."""
    taken = 0
    for match in sorted((match for pattern in _ADDRESSES for match in pattern.finditer(sentence.text)), key=re.Match.start):
        found = _without_opening_words(mention(message, sentence, match))
        if re.search(r"\d", found.value) and match.start() >= taken:
            taken = match.end()
            yield found


def _without_opening_words(found: Mention) -> Mention:
    """A capital at the sentence's start makes `É` or `No` look like part of the name."""
    value, at = found.value, found.at
    while (space := value.find(" ")) > 0 and plain(value[:space]) in _NOT_A_NAME:
        at += space + 1
        value = value[space + 1 :]
    return Mention(value, at, found.end, at)


def branch(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """`unidade X`, `filial de X`."""
    return (mention(message, sentence, match) for match in _BRANCH.finditer(sentence.text))
