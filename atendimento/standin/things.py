"""What it is about: appliances, symptoms, people in charge."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atendimento.standin.mentions import Mention, mention
from atendimento.standin.ticket import Field, Message
from atendimento.standin.words import Sentence, clause_end

_APPLIANCES: Final = (
    "geladeira|refrigerador|freezer|frigobar|fogao|forno|cooktop|coifa|micro-?ondas|lavadora|lava-?loucas|lava-?e-?seca|"
    "maquina de lavar|secadora|ar-?condicionado|ventilador|televisao|televisor|tv|aspirador|liquidificador|batedeira|"
    "cafeteira|purificador|bebedouro|aquecedor|chuveiro|celular|tablet|notebook|computador|impressora|monitor|"
    "roteador|modem|videogame|camera|drone|bicicleta|relogio"
)
_APPLIANCE: Final = re.compile(rf"\b(?:(?:minha|meu|uma?|a|o|da|do|na|no)\s+)?(?P<value>{_APPLIANCES})(?!\w)")
_NUMBER: Final = re.compile(r"\d{4}")
_MODEL: Final = re.compile(
    r"(?:\s+(?:[A-Z][a-zà-ÿ]{2,}(?=\s+(?:n[ãa]o|est[áa]|que|parou|faz|com|e)\b|[.,!?]|$)|[A-Z][\w-]*\d[\w-]*|[A-Z][a-z]+\s+\d{2,4}|\d{3,4}\b(?!\s*reais)))"
)
_SYMPTOM: Final = re.compile(
    r"\b(?P<value>(?:nao|n)\s+(?:esta\s+|ta\s+)?(?:gela|liga|esfri|aquec|esquent|funcion|centrifug|carreg|acend|abr|fech|"
    r"conect|sai|imprim|lava|seca|resfri)\w*|faz(?:endo)?\s+(?:um\s+)?(?:barulh\w+|ruid\w+)|vaza(?:ndo)?\b|esta\s+vazando|"
    r"parou\s+de\s+\w+|queimou|quebrou|trav(?:a|ou|ando)\b|pinga(?:ndo)?\b|esquent\w*\s+demais|desliga\s+soz\w+|"
    r"cheiro\s+de\s+queimado|comida\s+estraga\w*|tela\s+(?:preta|azul|branca)|sai\s+em\s+branco)"
)
_IN_CHARGE: Final = re.compile(
    r"\b(?:[Tt][ée]cnic[oa]|[Rr]espons[áa]vel(?:\s+[ée])?|[Aa]tribu[íi]d[oa]\s+(?:a|ao|à|para))\s*:?\s+(?P<value>[A-ZÀ-Ý][\wà-ÿ]+)"
)


def appliance(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """An appliance by its name, with a model number that follows it."""
    for match in _APPLIANCE.finditer(sentence.plain):
        if match["value"] == "celular" and _NUMBER.search(sentence.plain):
            continue  # where to call, not what is broken
        found = mention(message, sentence, match)
        model = _MODEL.match(message.text, found.end)
        end = model.end() if model else found.end
        yield Mention(message.text[found.at : end], found.start, end, found.at)


def symptom(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """What does not work: from the first sign in the sentence to the end of the last one's clause."""
    signs = list(_SYMPTOM.finditer(sentence.plain))
    if signs:
        end = max(signs[-1].end(), clause_end(sentence.text, signs[-1].start() + 1))
        low, high = sentence.start + signs[0].start(), sentence.start + end
        yield Mention(message.text[low:high].rstrip(" .!?"), low, high, low)


def in_charge(_: Field, message: Message, sentence: Sentence) -> Iterable[Mention]:
    """`técnico X`, `responsável: X`."""
    return (mention(message, sentence, match) for match in _IN_CHARGE.finditer(sentence.text))
