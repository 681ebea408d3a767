"""How a reply's words are read, in Portuguese and English: sentences, stems, what it announces and what it promises.

The lists are closed and the reading is shallow on purpose: what it finds is shown to the person who writes, with the words
that it found, and hinders nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memoria.cautions import turns
from memoria.date_words import plain

# What stands in “…” is one word of the sentence around it, and the point of "Av. Boa Viagem" ends none.
_WITHIN: Final = r"(?>“[^”\n\r]*”|(?<!\w)(?i:av|al|r|rod|tv|sr|sra|dr|dra|jd|cond|apto?|tel)\.(?=[^\S\n\r])|[^\n\r.!?…])"
_SENTENCE: Final = re.compile(rf"{_WITHIN}+(?:[.!?…](?![\s.!?…]|\Z){_WITHIN}*)*[.!?…]*")
_WORD: Final = re.compile(r"[a-z0-9]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- stems --------------------------------------------------------------------------------------------------------

_SUFFIXES: Final = tuple(
    sorted(
        (
            *("acoes", "acao", "icoes", "icao", "amentos", "amento", "imentos", "imento", "ancas", "anca", "adas", "ados"),
            *("ada", "ado", "idas", "idos", "ida", "ido", "ando", "endo", "indo", "aremos", "eremos", "iremos", "arei"),
            *("erei", "irei", "aria", "eria", "iria", "amos", "emos", "imos", "aram", "eram", "iram", "ar", "er", "ir"),
            *("ei", "ou", "eu", "iu", "am", "em", "as", "os", "es", "is", "a", "o", "e", "i", "s"),
            *("ations", "ation", "ings", "ing", "ed"),
        ),
        key=len,
        reverse=True,
    )
)
_SHORTEST_STEM: Final = 3
_ALIKE: Final = {
    word: group[0]
    for group in (
        ("ligar", "retornar", "telefonar", "avisar", "contatar", "contato", "responder", "voltar", "comunicar", "informar",
         "call", "contact", "reply", "phone", "retorno", "ligacao", "resposta"),
        ("enviar", "mandar", "encaminhar", "despachar", "postar", "send", "sent", "envio", "encaminhamento", "despacho"),
        ("agendar", "marcar", "remarcar", "reagendar", "reservar", "combinar", "schedule", "reschedule", "book", "agendamento",
         "reagendamento", "remarcacao", "reserva"),
        ("consultar", "verificar", "checar", "conferir", "ver", "olhar", "check", "verify", "consulta", "verificacao"),
        ("trocar", "substituir", "replace", "exchange", "troca", "substituicao"),
        ("reembolsar", "estornar", "devolver", "refund", "reembolso", "estorno", "devolucao"),
        ("consertar", "reparar", "arrumar", "repair", "fix", "conserto", "reparo"),
        ("visitar", "visit", "visita"),
        ("entregar", "deliver", "entrega", "entregue"),
        ("cancelar", "cancel", "cancelamento"),
        ("resolver", "solucionar", "solve", "solucao", "resolucao"),
        ("pedir", "solicitar", "encomendar", "request", "order", "pedido", "solicitacao", "encomenda"),
        ("abrir", "registrar", "cadastrar", "open", "register", "abertura", "registro", "cadastro"),
        ("corrigir", "ajustar", "atualizar", "alterar", "correct", "update", "correcao", "ajuste", "atualizacao", "alteracao"),
        ("pagar", "depositar", "creditar", "pay", "pagamento", "deposito", "credito"),
        ("emitir", "gerar", "issue", "emissao"),
        ("liberar", "aprovar", "autorizar", "release", "approve", "liberacao", "aprovacao"),
        ("compartilhar", "repassar", "share"),
    )
    for word in group
}  # fmt: skip
_LITTLE: Final = _words(
    """a o as os e de do da dos das em no na nos nas um uma uns umas ao aos com sem por para pra pro pelo pela que se ja te lhe
    la lo me nos voce voces seu sua seus suas meu minha nosso nossa nossos isso isto esse essa este esta aqui ali entao tambem
    mais muito bem ate sobre quando como ou mas nao sim ok ola oi bom boa dia tarde noite obrigado obrigada senhor senhora vou
    vamos vai irei iremos sera serao foi foram esta estao ficou estar ser ter tem temos tudo todo toda hoje amanha agora logo
    so apenas ainda horas hora h the a an of to in on at for and or your you we i my our is are was will be it this that with
    by not do does up ll ontem segunda terca quarta quinta sexta sabado domingo feira semana mes manha
    today tomorrow until before cliente equipe gente dar fazer feito feita"""
)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What several forms of a word share; of words that stand for each other, the first one's stem. Takes plain words."""
    return _cut(_BY_STEM.get(_cut(word), _ALIKE.get(word, word)))


def _cut(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return _hard(word[: -len(suffix)])
    return _hard(word)


def _hard(root: str) -> str:
    """One spelling for a sound that is written otherwise before e and i: marquei is of marcar, liguei of ligar."""
    for soft, plain_ in (("qu", "c"), ("gu", "g")):
        if root.endswith(soft) and len(root) > len(soft) + 1:
            return root.removesuffix(soft) + plain_
    return root


_BY_STEM: Final = {_cut(word): first for word, first in _ALIKE.items()}


@lru_cache(maxsize=1024)
def telling(text: str) -> frozenset[str]:
    """The stems of a text's words that say something. Numbers and little words do not."""
    return frozenset(
        stem(word) for word in _WORD.findall(plain(text)) if word not in _LITTLE and len(word) > 1 and not word[0].isdecimal()
    )


def same_thing(mine: frozenset[str], theirs: frozenset[str], verb: str) -> bool:
    """Whether what two stretches of words say besides a verb that they share may be one thing: each names another, or not."""
    rest, other = mine - {verb}, theirs - {verb}
    return not rest or not other or bool(rest & other)


# --- sentences ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    start: int  # code points of the reply
    asks: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a reply, in order, without the white space around them."""
    for found in _SENTENCE.finditer(text):
        words = found.group().strip()
        if words:
            start = found.start() + found.group().index(words)
            yield Sentence(words, start, "?" in words)


def denied(text: str, start: int, end: int) -> bool:
    """Whether the words around these, in their sentence, negate or weaken them. "Vou ver" is a promise as well."""
    found = turns(text, start, end, None)
    return any(turn.kind == "negation" or (turn.kind == "hedge" and turn.words != "vou ver") for turn in found)


# --- what is announced --------------------------------------------------------------------------------------------

_SAID: Final = re.compile(
    r"(?P<later>\b(?:sera|serao|vai ser|vao ser|a ser|quando|assim que|logo que|depois de|apos|se|para ser|precisa ser|"
    r"will be|when|once|as soon as|if|to be|after)\b)|(?P<clause>[,;])|(?P<word>[a-z0-9]+)"
)
"""A sentence's words, what says that the words behind it are of later, and where a clause ends that is."""
_NOT_PAST: Final = re.compile(r"(?:arei|erei|irei|aremos|eremos|iremos)\Z")
_REALLY_PAST: Final = _words(
    """tirei retirei virei preparei separei reparei parei comparei esperei gerei liberei alterei considerei recuperei
    operei"""
)
_PAST: Final = re.compile(r"(?:ad|id)[oa]s?\Z|ei\Z|amos\Z|emos\Z|imos\Z|aram\Z|ou\Z|iu\Z|ed\Z")
_PAST_WORDS: Final = _words(
    """feito feita feitos feitas fiz fez fizemos pronto pronta prontos prontas aberto aberta entregue entregues pago paga
    visto vista dito ok certo pedi pedimos abri abrimos emiti emitimos recebi consegui devolvi inclui corrigi transferi
    atendi transmiti escrevi vendi pus trouxe dei sent done booked made paid"""
)
_NOT_DONE: Final = _words("vamos temos estamos podemos precisamos queremos devemos iremos obrigado obrigada estado")
GENERIC_DONE: Final = _words(
    """feito feita feitos feitas fiz fez fizemos pronto pronta prontos prontas concluido concluida concluidos concluidas
    resolvido resolvida resolvidos resolvidas resolvi resolvemos confirmado confirmada confirmados confirmadas confirmei
    confirmamos finalizado finalizada finalizei finalizamos realizado realizada realizei realizamos efetuado efetuada
    ok certo done confirmed resolved finished completed solved"""
)


@dataclass(frozen=True, slots=True)
class Announced:
    """A word that says that something is done. `generic`: it does not say what by itself."""

    word: str
    start: int
    end: int
    generic: bool
    sentence: str  # that it stands in


def announced(text: str) -> Iterator[Announced]:
    """The words of a text that announce as done, those aside that are asked, negated, weakened, or said of later."""
    for sentence in sentences(text):
        if sentence.asks:
            continue
        later = False
        for found in _SAID.finditer(plain(sentence.text)):
            word = found["word"]
            if word is None:
                later = found["later"] is not None
            elif not later and _says_done(word):
                start, end = sentence.start + found.start(), sentence.start + found.end()
                if not denied(text, start, end):
                    yield Announced(word, start, end, word in GENERIC_DONE, sentence.text)


def _says_done(word: str) -> bool:
    if word in _NOT_DONE or len(word) < 2:
        return False
    if word in _PAST_WORDS:
        return True
    if len(word) < 5 or (_NOT_PAST.search(word) and word not in _REALLY_PAST):
        return False
    return _PAST.search(word) is not None


# --- what is promised ---------------------------------------------------------------------------------------------

_SOON: Final = {
    "retorno": "retornar", "ligo": "ligar", "envio": "enviar", "mando": "mandar", "aviso": "avisar", "volto": "voltar",
    "respondo": "responder", "verifico": "verificar", "agendo": "agendar", "marco": "marcar", "encaminho": "encaminhar",
    "consulto": "consultar", "resolvo": "resolver", "retornamos": "retornar", "ligamos": "ligar", "enviamos": "enviar",
    "mandamos": "mandar", "avisamos": "avisar", "voltamos": "voltar", "respondemos": "responder", "passo": "passar",
    "entro em contato": "entrar em contato", "entramos em contato": "entrar em contato", "dou retorno": "dar retorno",
    "damos retorno": "dar retorno", "dou uma resposta": "dar uma resposta", "confirmo": "confirmar",
}  # fmt: skip
_FUTURE: Final = {"fare": "fazer", "dire": "dizer", "trare": "trazer"}
_NO_PROMISE: Final = _words(
    """precisar explicar ajudar perguntar querer gostar lembrar poder ter ser estar ficar indicar recomendar sugerir comecar
    dizer deixar tentar la need ask explain help be have like suggest try want"""
)
_BETWEEN: Final = r"(?:(?:te|lhe|ja|sim|entao|agora|tambem|ja te|la)\s+){0,2}"
_WHO: Final = r"(?:tecnic[oa]|equipe|entregador|medic[oa]|setor|colega|gente|motoboy|instalador|loja|unidade)"
_PROMISES: Final = re.compile(
    rf"\b(?:(?:vou|vamos|{_WHO}\s+vai)\s+{_BETWEEN}(?P<verb>[a-z]+[aei]r)\b"
    r"|(?P<future>[a-z]+[aei]r(?:ei|emos))\b"
    rf"|(?P<mark>te|lhe)?\s*\b(?P<soon>{'|'.join(sorted(_SOON, key=len, reverse=True))})\b"
    r"|(?P<passive>ser(?:a|ao)\s+(?:\w+\s+)?[a-z]+(?:ad|id)[oa]s?)\b"
    r"|(?:i|we)(?:'ll|\s+will|'m going to|'re going to|\s+am going to|\s+are going to)\s+(?P<english>[a-z]+)\b)"
)
_JOINS: Final = re.compile(r"(?:[,;]|\s(?:e|mas|ou|porém|and|but))?\s*\Z")
"""What a clause ends in where the next promise follows at once."""
_CLAUSE_END: Final = re.compile(r"[;,]|\s(?:e|mas|ou|porem|and|but)\s")


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise in a reply: its own words, and what is to be done with its verb as a dictionary has it."""

    start: int  # of its words, to the clause's end
    end: int
    verb: str  # plain; of a passive, the participle
    task_start: int  # where in the reply the words behind the verb begin


def promised(text: str, names_a_day: frozenset[int] | set[int]) -> Iterator[Promised]:
    """The promises of a text, in order. `names_a_day` are the starts of sentences that name a day or an hour.

    A present tense is a promise only where it names whom it is for ("te ligo") or its sentence names a day.
    """
    for sentence in sentences(text):
        if sentence.asks:
            continue
        words = plain(sentence.text)
        starts = [found for found in _PROMISES.finditer(words) if _is_promise(found, sentence.start in names_a_day)]
        for index, found in enumerate(starts):
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            limit = starts[index + 1].start() if index + 1 < len(starts) else len(words)
            ends = _CLAUSE_END.search(words, found.end(), limit)
            end = ends.start() if ends is not None else limit
            if denied(text, sentence.start + start, sentence.start + found.end()):
                continue
            tail = _JOINS.sub("", sentence.text[:end]).rstrip(" .!…")
            yield Promised(
                sentence.start + start, sentence.start + max(len(tail), found.end()), _verb(found), sentence.start + found.end()
            )


def _is_promise(found: re.Match[str], day: bool) -> bool:
    if found["verb"]:
        return found["verb"] not in _NO_PROMISE
    if found["future"]:
        return found["future"] not in _REALLY_PAST and _infinitive(found["future"]) not in _NO_PROMISE
    if found["soon"]:
        return bool(found["mark"]) or day
    if found["english"]:
        return found["english"] not in _NO_PROMISE
    return True


def _verb(found: re.Match[str]) -> str:
    if found["future"]:
        return _infinitive(found["future"])
    if found["soon"]:
        return _SOON[found["soon"]]
    return str(found["verb"] or found["english"] or found["passive"].split()[-1])


def _infinitive(future: str) -> str:
    base = re.sub(r"(?:i|mos)\Z", "", future)  # ligare, retornare, fare
    return _FUTURE.get(base, base.removesuffix("e"))
