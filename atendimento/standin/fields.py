"""Field by field: which rule of thumb reads it, what the new messages say, and whether that is new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from atendimento.standin import identifiers, labelled, orders, payments, places, things, times
from atendimento.standin.changes import Json, Proposal, quote
from atendimento.standin.mentions import Mention, Reader
from atendimento.standin.ticket import Field, Message, Ticket
from atendimento.standin.words import Sentence, plain, stems

_READERS: Final[tuple[tuple[str, Reader], ...]] = (
    # What a field's path or label says, and who reads it; the first that fits.
    (r"\bcpf\b", identifiers.cpf),
    (r"\bcnpj\b", identifiers.cnpj),
    (r"\be-?mail\b", identifiers.email),
    (r"\b(?:telefone|celular|whatsapp|fone)\b", identifiers.phone),
    (r"\b(?:arquivo|location)\b", identifiers.location),
    (r"\bbandeira\b", payments.brand),
    (r"\btroco\b", payments.change),
    (r"\bpagamento\b", payments.method),
    (r"\b(?:valor|orcamento|preco|total|custo|reembolso)\b", payments.amount),
    (r"\b(?:itens|items|produtos|sabores)\b", orders.items),
    (r"\bbairro\b", places.neighbourhood),
    (r"\b(?:endereco|logradouro)\b", places.address),
    (r"\b(?:unidade|filial|loja)\b", places.branch),
    (r"\b(?:aparelho|equipamento|eletrodomestico|produto)\b", things.appliance),
    (r"\b(?:sintoma|defeito|problema|descricao)\b", things.symptom),
    (r"\b(?:responsavel|tecnico)\b", things.in_charge),
    (r"\b(?:periodo|turno)\b", times.period),
    (r"\b(?:previsao)\b", times.forecast),
    (r"\b(?:horario|agendamento|data|dia)\b", times.appointment),
)
_QUESTIONS_NAME: Final = (
    # How a question asks for a field that it does not call by its label.
    (r"\b(?:endereco|logradouro)\b", r"\b(?:onde|endereco|entreg)"),
    (r"\b(?:itens|sabores)\b", r"\b(?:itens|pedido|sabor|pizza|pedir|quer)"),
    (r"\bpagamento\b", r"\b(?:pagar|pagamento|pagara)"),
    (r"\btroco\b", r"\btroco\b"),
)
_SELF_NEGATED: Final = (things.symptom, labelled.yes_or_no)  # a "não" belongs to what they read
_AS_WRITTEN: Final = (things.appliance, things.symptom, things.in_charge, places.neighbourhood, places.branch)
_AFFIRMS: Final = re.compile(
    r"^(?:sim|isso|ok|certo|correto|exato|perfeito|claro|pode|nao|obrigad|blz|beleza|ta\b|esta\b|e isso)"
)
_OFFERED: Final = re.compile(r"\b(?:temos|tenho|posso|podemos|consigo|conseguimos|teriamos)\b")
_CANNOT: Final = re.compile(r"\bnao\s+(?:posso|consigo|da|vou\s+poder)\b(?:\s+mais)?")
_DENIAL: Final = re.compile(
    r"\b(?:nao\s+(?:e|eh|sera|vai ser|fica|moro|quero|queria|esta|estou)\b(?:\s+mais)?|nao\s+mais|esqueca|desconsider\w+)\s*"
)


def readers(field: Field) -> list[Reader]:
    """The readers of a field, the most telling first."""
    found: list[Reader] = []
    if "pattern" in field.schema:
        found.append(identifiers.by_pattern)
    elif "array" in field.kinds:
        found.append(labelled.numbered)
    elif "boolean" in field.kinds:
        found.append(labelled.yes_or_no)
    else:
        found.extend([reader for words, reader in _READERS if re.search(words, field.words)][:1])
        if field.enum and times.period not in found:
            found = [labelled.one_of_a_list]
    return found


@dataclass(frozen=True, slots=True)
class _Claim:
    """Words that name a field by its label: no other field reads them."""

    path: str
    found: Mention


def set_fields(ticket: Ticket) -> Iterable[Proposal]:
    """What the new messages say of each field: the last word on it, where it is new."""
    claims = {message.id: _claims(ticket, message) for message in ticket.new}
    for field in ticket.fields:
        if field.path == "/goal":
            continue
        said: tuple[Message, Mention] | None = None
        for message in ticket.new:
            if message.kind not in field.sources:
                continue
            claimed = claims[message.id]
            heard = (
                _last_mention(ticket, field, message, claimed)
                or _reply(ticket, field, message)
                or _withdrawal(ticket, field, message, claimed)
            )
            said = (message, heard) if heard is not None else said
        if said is None:
            continue
        message, found = said
        value, cited = _tidy(found.value), (quote(message, found.start, found.end),)
        if value is None:
            yield Proposal(field.path, "remove", None, cited)
        elif _is_new(ticket, field, value):
            yield Proposal(field.path, "replace" if field.path in ticket.values else "add", value, cited)


def _claims(ticket: Ticket, message: Message) -> list[_Claim]:
    """The label that begins first takes the words; `prazo do pedido: …` says nothing of `pedido`."""
    found = [
        _Claim(field.path, heard)
        for sentence in message.sentences
        for field in ticket.fields
        if field.path != "/goal" and not field.enum
        for heard in labelled.stated(field, message, sentence)
        if not sentence.question and not sentence.hedged
    ]
    kept: list[_Claim] = []
    for claim in sorted(found, key=lambda claim: claim.found.start):
        if not any(_overlap(claim.found, other.found) for other in kept):
            kept.append(claim)
    return kept


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _tidy(value: Json) -> Json:
    """One space for a run of white space, and nothing invisible: what channels leave in texts is no part of a value."""
    return re.sub(r"\s+", " ", re.sub(r"[\u200b-\u200f\u2060\ufeff]", "", value)).strip() if isinstance(value, str) else value


def _is_new(ticket: Ticket, field: Field, value: Json) -> bool:
    """Not what holds, unless that is in doubt and this affirms it; nor what waits for its decision."""
    if field.path in ticket.values and field.path not in ticket.doubtful and _alike(ticket.values[field.path], value):
        return False
    return not any(path == field.path and _alike(waiting, value) for path, waiting in ticket.proposed)


def _alike(one: Json, other: Json) -> bool:
    return plain(one) == plain(other) if isinstance(one, str) and isinstance(other, str) else bool(one == other)


def _last_mention(ticket: Ticket, field: Field, message: Message, claims: Sequence[_Claim] = ()) -> Mention | None:
    """The last thing that the message says of the field; what its label introduces counts before anything else."""
    own = [claim.found for claim in claims if claim.path == field.path]
    others = [claim.found for claim in claims if claim.path != field.path]
    if own and any(reader in _AS_WRITTEN for reader in readers(field)):
        return own[-1]
    for reader in readers(field):
        found: Mention | None = None
        for sentence in message.sentences:
            if reader is orders.items:
                found = orders.exchanged(ticket, field, message, sentence) or found
            for heard in reader(field, message, sentence):
                if any(_overlap(heard, other) for other in others) or (own and not _within(heard, own[-1])):
                    continue
                ordered = reader is not orders.items or orders.is_ordered(ticket, message, heard)
                if ordered and _holds(reader, message, sentence, heard):
                    found = heard
        if found is not None:
            return orders.with_what_was_ordered(ticket, field, message, found) if reader is orders.items else found
    return own[-1] if own else None


def _within(heard: Mention, claim: Mention) -> bool:
    return claim.at <= heard.at and heard.end <= claim.end


def _holds(reader: Reader, message: Message, sentence: Sentence, heard: Mention) -> bool:
    """Said as a fact: not asked, not supposed, not denied, not only offered."""
    if sentence.question or sentence.hedged or (message.of_staff and _OFFERED.search(sentence.plain)):
        return False
    return reader in _SELF_NEGATED or not sentence.negated_before(heard.at - sentence.start)


def _reply(ticket: Ticket, field: Field, message: Message) -> Mention | None:
    """A short answer to the question that asks for this field is its value, whole."""
    asked = ticket.question_before(message)
    if asked is None or not field.takes("string") or field.enum or "pattern" in field.schema:
        return None
    if not _asks_for(field, asked[1]) or len(message.sentences) != 1 or len(message.text) > 60:
        return None
    sentence = message.sentences[0]
    if sentence.question or sentence.hedged or _AFFIRMS.match(sentence.plain) or not re.search(r"\w", sentence.plain):
        return None
    if any(_asks_for(other, asked[1]) and _last_mention(ticket, other, message) for other in ticket.fields if other != field):
        return None
    shaped = [reader for words, reader in _READERS if re.search(words, field.words)]
    if shaped and shaped[0] not in (places.neighbourhood, things.appliance, places.branch):
        return None  # its reader would have known the value
    value = sentence.text.rstrip(".!… ")
    return Mention(value, sentence.start, sentence.end, sentence.start)


def _asks_for(field: Field, question: Sentence) -> bool:
    if stems(field.label, 3) & stems(question.plain, 3):
        return True
    return any(re.search(named, field.words) and re.search(asked, question.plain) for named, asked in _QUESTIONS_NAME)


def _withdrawal(ticket: Ticket, field: Field, message: Message, claims: Sequence[_Claim]) -> Mention | None:
    """`não é X`, where X is what holds or was proposed, and the message brings nothing in its place."""
    held = [ticket.values[field.path]] if field.path in ticket.values else []
    held += [value for path, value in ticket.proposed if path == field.path]
    if not held:
        return None
    for sentence in message.sentences:
        if any(sentence.start <= claim.found.start < sentence.end for claim in claims):
            continue
        for match in _CANNOT.finditer(sentence.plain):
            before = sentence.plain.rfind(",", 0, match.start()) + 1
            named = _telling(sentence.plain[before : match.start()])
            if any(isinstance(value, str) and named & _telling(value) for value in held):
                low, high = sentence.start + before, sentence.start + match.end()
                return Mention(None, low, high, low)
        if sentence.question:
            continue
        for match in _DENIAL.finditer(sentence.plain):
            rest = sentence.plain[match.end() :]
            named = {word for word in re.findall(r"[a-z0-9]+", rest) if len(word) > 3 or word.isdigit()}
            if any(isinstance(value, str) and named & _telling(value) for value in held):
                low, high = sentence.start + match.start(), sentence.end
                return Mention(None, low, high, low)
    return None


def _telling(value: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9]+", plain(value)) if len(word) > 3 or word.isdigit()}
