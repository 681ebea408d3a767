"""Commitments: what someone says that they will do, what came of it, and what nobody needs to do any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from atendimento.standin.changes import Json, Proposal, quote
from atendimento.standin.due import When, whens
from atendimento.standin.ticket import Message, Ticket
from atendimento.standin.words import Sentence, clause_end, listed, plain, stems

_FIRST_PERSON: Final[Mapping[str, str]] = {
    # First person, as staff write it -> infinitive.
    "retorno": "retornar", "ligo": "ligar", "aviso": "avisar", "envio": "enviar", "mando": "mandar",
    "verifico": "verificar", "consulto": "consultar", "encaminho": "encaminhar",
    "agendo": "agendar", "respondo": "responder", "passo": "passar", "deixo": "deixar", "providencio": "providenciar",
    "libero": "liberar", "atualizo": "atualizar", "abro": "abrir", "corrijo": "corrigir", "enviarei": "enviar",
    "ligarei": "ligar", "retornarei": "retornar", "verificarei": "verificar", "entrarei": "entrar", "entro": "entrar",
    "enviaremos": "enviar", "ligaremos": "ligar", "retornaremos": "retornar", "faremos": "fazer", "farei": "fazer",
}  # fmt: skip
_GOING_TO: Final = r"\b(?:vou|vamos|irei|iremos|te|lhe)\s+(?:ja\s+|te\s+|lhe\s+|estar\s+)?(?P<verb>[a-z]+(?:ar|er|ir))\b"
_PROMISE: Final = re.compile(rf"{_GOING_TO}|\b(?:ja\s+)?(?:te\s+|lhe\s+|a gente\s+)?(?P<first>{'|'.join(_FIRST_PERSON)})\b")
_TEAM_DOES_NOT_PROMISE: Final = listed(
    "confirmar ver precisar poder ter ser estar ficar querer tentar comprar pedir levar demorar custar sair la "
    "ir dar falar dizer"
)
_CUSTOMER_PROMISES: Final = listed("mandar enviar falar verificar confirmar ligar retornar passar conferir providenciar levar")
_KIND_WORDS: Final[Mapping[str, str]] = {
    "visit": "visit|tecnico|agendar a|ir ate|comparec",
    "return": "retorn|lig|avis|contat|respond|telefon",
    "call": "retorn|lig|avis|contat|telefon",
    "schedule": "agenda|consult|disponib|horario|vaga",
    "query": "consult|verific|confer|pesquis",
    "refund": "reembols|estorn|devol|ressarc",
    "deliver": "entreg|envi|mand|despach",
    "fix": "corrig|consert|arrum|resolv|ajust|repar",
    "answer": "respond|retorn|resposta|avis",
    "send": "envi|mand|encaminh",
}
_DONE: Final = re.compile(
    r"\b(?:realizad|concluid|feit|enviad|finalizad|resolvid|entregue|executad|corrigid|estornad|reembolsad)[oa]?s?\b"
    r"|\bja\s+(?:liguei|consultei|enviei|mandei|verifiquei|confirmei|retornei|fiz|fizemos|corrigi|avisei|encaminhei|falei)\b"
    r"|^\s*(?:liguei|consultei|enviei|mandei|verifiquei|retornei|avisei)\b"
)
_CALLED_OFF: Final = re.compile(
    r"\b(?:nao\s+(?:precisam?|e preciso|e necessario|quero)\s+mais|cancel(?:a|ar|e|em|o|amos|ado|ada)\b|desist\w+|"
    r"deixa\s+pra\s+la|esquec[ae]m?)\b"
)
_EVERYTHING: Final = re.compile(r"\b(?:tudo|todos|todas)\b")
_MOVES: Final = re.compile(
    r"\b(?:fica|ficou|passou|mudou|remarcad\w*|adiad\w*|transferid\w*|confirmad\w*|so\s+da)\b|\bsera\b|\bpode\s+ser\b"
)
_OWNER_OF: Final = {"agent": "team", "assistant": "team", "tool": "team", "customer": "customer", "third_party": "third_party"}


def new_commitments(ticket: Ticket) -> Iterable[Proposal]:
    """`vou …` and first persons that promise, one commitment for each clause."""
    for message in ticket.new:
        if not ticket.may("commitments", message) or message.kind not in _OWNER_OF:
            continue
        for sentence in message.sentences:
            if sentence.question or sentence.hedged:
                continue
            for match in _PROMISE.finditer(sentence.plain):
                if _is_promise(message, sentence, match):
                    yield _commitment(ticket, message, sentence, match)


def _is_promise(message: Message, sentence: Sentence, match: re.Match[str]) -> bool:
    if sentence.negated_before(match.start()):
        return False
    verb = match["verb"] or _FIRST_PERSON[match["first"]]
    if message.kind == "customer":
        return bool(match["verb"]) and verb in _CUSTOMER_PROMISES
    return verb not in _TEAM_DOES_NOT_PROMISE or verb == "entrar"


def _commitment(ticket: Ticket, message: Message, sentence: Sentence, match: re.Match[str]) -> Proposal:
    end = clause_end(sentence.text, match.end())
    named = [when for when in whens(sentence.plain, message.sent_at) if match.start() <= when.start < end]
    when = named[0] if named else None
    if when is not None:
        end = max(end, when.end)
    verb_start = match.start("verb") if match["verb"] else match.start("first")
    verb_end = match.end("verb") if match["verb"] else match.end("first")
    verb = sentence.text[verb_start:verb_end] if match["verb"] else _FIRST_PERSON[match["first"]]
    cut = when.start if when is not None and verb_end <= when.start else end
    rest = re.sub(
        r"(?:\s+(?:at[ée]|em|n[oa]|para|pra|dia|[àa]s|ainda|j[áa]))*\s*$",
        "",
        sentence.text[verb_end : max(cut, verb_end)].rstrip(" .!,;"),
    )
    value: dict[str, Json] = {
        "task": (verb + rest).strip(),
        "owner": _OWNER_OF[message.kind],
        "due": when.iso if when is not None else None,
        "due_text": _words_of(sentence, when),
        "status": "requested",
        "kind": kind_of(ticket, (verb + rest).strip()),
    }
    start, stop = sentence.start + match.start(), sentence.start + max(end, verb_end)
    return Proposal("/commitments/-", "add", value, (quote(message, start, stop),))


def _words_of(sentence: Sentence, when: When | None) -> str | None:
    return sentence.text[when.start : when.end] if when is not None else None


def kind_of(ticket: Ticket, task: str) -> str | None:
    """The kind of commitment whose words fit the task, the one with most of them first."""
    text = plain(task)
    best, most = None, 0
    for kind in ticket.collections["commitments"].kinds:
        patterns = [words for part, words in _KIND_WORDS.items() if part in kind]
        hits = sum(len(re.findall(rf"\b(?:{words})", text)) for words in patterns)
        if hits > most:
            best, most = kind, hits
    return best


_VISITS: Final = re.compile(
    r"\b(?:o\s+|a\s+|nosso\s+|nossa\s+)?(?:tecnic[oa]|equipe|entregador|motorista|prestador)\s+(?:[a-z]+\s+)?(?:passa|vai|chega|ira|visita|comparece)\b"
)


def promised_visits(ticket: Ticket) -> Iterable[Proposal]:
    """Staff say that someone comes on a day."""
    for message in ticket.new:
        if not ticket.may("commitments", message) or message.kind != "agent":
            continue
        for sentence in message.sentences:
            match = _VISITS.search(sentence.plain)
            named = whens(sentence.plain, message.sent_at)
            if match is None or not named or sentence.question or sentence.hedged:
                continue
            end = max(named[-1].end, clause_end(sentence.text, match.end()))
            task = sentence.text[match.start() : match.end()]
            value: dict[str, Json] = {
                "task": task,
                "owner": "team",
                "due": named[-1].iso,
                "due_text": _words_of(sentence, named[-1]),
                "status": "requested",
                "kind": kind_of(ticket, f"visita {task}"),
            }
            cited = quote(message, sentence.start + match.start(), sentence.start + end)
            yield Proposal("/commitments/-", "add", value, (cited,))


_COMES: Final = re.compile(r"visit|deliver|schedul")


def moved_dues(ticket: Ticket) -> Iterable[Proposal]:
    """`fica para …` moves the due of the one open commitment that has one."""
    dated = [(pointer, member) for pointer, member in ticket.members_of("commitments") if _open(member) and member.get("due")]
    if len(dated) != 1:
        return  # which one is meant is not said
    pointer, member = dated[0]
    for message in ticket.new:
        if not ticket.may("commitments", message):
            continue
        for sentence in message.sentences:
            match = _MOVES.search(sentence.plain)
            named = whens(sentence.plain, message.sent_at)
            if match is None or not named or named[-1].iso in (None, member.get("due")) or sentence.question or sentence.hedged:
                continue
            if not _COMES.search(str(member.get("kind"))) and not _about(ticket, sentence, member):
                continue
            start = sentence.start + min(match.start(), named[-1].start)
            cited = quote(message, start, sentence.start + max(match.end(), named[-1].end))
            yield Proposal(f"{pointer}/due", "replace", named[-1].iso, (cited,))


def moved_commitments(ticket: Ticket) -> Iterable[Proposal]:
    """Done, by the words of whoever performs it or of a tool; cancelled, by the customer's or the team's."""
    waiting = [(pointer, member) for pointer, member in ticket.members_of("commitments") if _open(member)]
    for message in ticket.new:
        for sentence in message.sentences:
            if sentence.question or sentence.hedged:
                continue
            done, off = _DONE.search(sentence.plain), _CALLED_OFF.search(sentence.plain)
            for pointer, member in waiting:
                if done and not sentence.negated_before(done.start()) and _performs(message, member):
                    if _about(ticket, sentence, member):
                        yield _status(message, sentence, pointer, "done")
                elif off and message.kind in ("customer", "agent") and _names(ticket, sentence, member):
                    yield _status(message, sentence, pointer, "cancelled")


def _open(member: Mapping[str, Json]) -> bool:
    return member.get("status", "requested") in ("requested", "in_progress")


def _performs(message: Message, member: Mapping[str, Json]) -> bool:
    if message.kind in ("tool", "registry"):
        return True
    return message.kind != "assistant" and _OWNER_OF.get(message.kind) == member.get("owner")


def _about(ticket: Ticket, sentence: Sentence, member: Mapping[str, Json]) -> bool:
    task = str(member.get("task", ""))
    if stems(task, 3) & stems(sentence.text, 3):
        return True
    kind = member.get("kind")
    return isinstance(kind, str) and kind_of(ticket, sentence.text) == kind


def _names(ticket: Ticket, sentence: Sentence, member: Mapping[str, Json]) -> bool:
    return _EVERYTHING.search(sentence.plain) is not None or _about(ticket, sentence, member)


def _status(message: Message, sentence: Sentence, pointer: str, status: str) -> Proposal:
    return Proposal(f"{pointer}/status", "replace", status, (quote(message, sentence.start, sentence.end),))
