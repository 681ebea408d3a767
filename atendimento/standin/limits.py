"""What must not be done, what was decided, and what is allowed expressly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from atendimento.standin.changes import Json, Proposal, quote
from atendimento.standin.promises import kind_of
from atendimento.standin.ticket import Message, Ticket
from atendimento.standin.words import Sentence, plain, stems

_FORBIDS: Final = re.compile(
    r"\b(?:por favor,?\s+)?nao\s+(?:me\s+|nos\s+|podem?\s+|quero\s+que\s+|deve(?:m)?\s+)?"
    r"(?:lig|toqu|toc|mand|envi|entreg|deix|mex|apagu?|us|alter|cobr|compartilh|divulg|cham|marqu|agend|visit|troqu|publi|"
    r"mostr|fa[cl])\w*(?:em|e|am|ar|er)\b(?!\s+(?:ainda|nada\s+ainda))"
    r"|\b(?:nada\s+de|jamais|nunca)\s+[a-z]+"
    r"|\b(?:e\s+)?proibid[oa]\b"
)
_COURTESY: Final = re.compile(r"(?:,?\s+por\s+favor)?[\s.!]*$")
_NO_MORE: Final = re.compile(r"\bmais\b\s*[.!]?$")
_ALLOWS_AGAIN: Final = re.compile(r"\b(?:podem?|pode sim|liberad[oa])\b")
_DECIDES: Final = re.compile(
    r"\b(?:fica|ficou|esta|esta tudo)\s+(?:combinado|decidido|acertado|definido)\s*(?:que\s+|:\s*)?"
    r"|\b(?:decidimos|optamos\s+por|resolvemos|combinamos)\s+"
    r"|\bvamos\s+(?:com|de|usar|adotar|manter|seguir\s+com)\s+"
)
_REASON: Final = re.compile(r",?\s+(?:por\s+causa\s+d[aeo]s?|porque|pois|ja\s+que|devido\s+a[os]?)\s+(?P<reason>[^.;!?]+)")
_AUTHORIZES: Final = re.compile(
    r"\b(?:autorizo|autorizamos|esta\s+autorizad[oa]|dou\s+permissao\s+para|permito|podem?\s+(?=(?:enviar|mandar|compartilhar|executar|"
    r"consertar|repassar)\b))\s*(?:que\s+|a\s+|o\s+|voces\s+a\s+)?(?P<scope>[^.;!?]+)"
)
_ACTIONS: Final = (
    ("contact", r"\b(?:lig|contat|cham|avis|entrar em)"),
    ("share", r"\b(?:compartilh|repass|divulg|fornec)"),
    ("send", r"\b(?:envi|mand|remet|despach|encaminh)"),
    ("execute", r"\b(?:execut|consert|troc|faz|realiz|inici|instal|reparo|servico|cobr)"),
)
_AGREES: Final = re.compile(
    r"^\s*(?:sim|autorizo|autorizado|pode(?:m)?(?:\s+(?:sim|fazer|mandar))?|claro|ok|isso|com certeza|👍)(?!\w)"
)
_ASKS_LEAVE: Final = re.compile(r"\b(?:voces?\s+)?autorizam?\b(?:\s+que)?\s+(?P<scope>[^?]+)")
_STILL_OPEN: Final = re.compile(r"\b(?:ainda nao|espera|depois)\b")
_TAKES_BACK: Final = re.compile(
    r"\b(?:nao\s+(?:autorizo|quero)|mudei\s+de\s+ideia|nao\s+\w+(?:em|e|am)\s+mais|desautorizo|revogo)\b"
)


def new_constraints(ticket: Ticket) -> Iterable[Proposal]:
    """A prohibition in its own words; one that takes back a permission is none."""
    for message in ticket.new:
        if not ticket.may("constraints", message):
            continue
        for sentence in message.sentences:
            match = _FORBIDS.search(sentence.plain)
            if match is None or sentence.question or sentence.hedged or _NO_MORE.search(sentence.plain):
                continue
            end = _COURTESY.search(sentence.plain)
            low, high = sentence.start + match.start(), sentence.start + (end.start() if end else len(sentence.text))
            text = message.text[low:high]
            value: dict[str, Json] = {"text": text, "applies_to": _targets(ticket, text)}
            yield Proposal("/constraints/-", "add", value, (quote(message, low, high),))


def _targets(ticket: Ticket, text: str) -> list[str]:
    if "commitments" not in ticket.collections:
        return []
    kind = kind_of(ticket, text)
    return [f"commitments:{kind}"] if kind is not None and f"commitments:{kind}" in ticket.targets else []


def lifted_constraints(ticket: Ticket) -> Iterable[Proposal]:
    """`podem …` with the words of a prohibition lifts it."""
    for message in ticket.new:
        if message.kind not in ("customer", "agent"):
            continue
        for sentence in message.sentences:
            allows = _ALLOWS_AGAIN.search(sentence.plain)
            if allows is None or sentence.question or sentence.hedged or sentence.negated_before(allows.start()):
                continue
            for pointer, member in ticket.members_of("constraints"):
                words = _what_is_limited(member)
                if words and words <= stems(sentence.text, 3):
                    yield Proposal(pointer, "remove", None, (quote(message, sentence.start, sentence.end),))


def _what_is_limited(member: Mapping[str, Json]) -> set[str]:
    """The last word that says something: the day, the hour or the thing that the prohibition names."""
    words = [word for word in re.findall(r"\w+", str(member.get("text", ""))) if stems(word, 3)]
    return stems(words[-1], 3) if words else set()


def new_decisions(ticket: Ticket) -> Iterable[Proposal]:
    """What was decided, with the reason where one is given in the same sentence."""
    for message in ticket.new:
        if not ticket.may("decisions", message):
            continue
        for sentence in message.sentences:
            match = _DECIDES.search(sentence.plain)
            if match is None or sentence.question or sentence.hedged or sentence.negated_before(match.start()):
                continue
            because = _REASON.search(sentence.plain, match.end())
            low = sentence.start + (match.start() if "vamos" in match.group() else match.end())
            high = sentence.start + (because.start() if because else len(sentence.text.rstrip(" .!")))
            if high <= low:
                continue
            reason = sentence.text[because.start("reason") : because.end("reason")].strip() if because else None
            value: dict[str, Json] = {"text": message.text[low:high].strip(), "applies_to": [], "reason": reason}
            yield Proposal("/decisions/-", "add", value, (quote(message, sentence.start, sentence.end),))


def new_authorizations(ticket: Ticket) -> Iterable[Proposal]:
    """Express permission, with its scope in its own words."""
    for message in ticket.new:
        if not ticket.may("authorizations", message):
            continue
        for sentence in message.sentences:
            match = _AUTHORIZES.search(sentence.plain)
            if match is None or sentence.question or sentence.hedged or sentence.negated_before(match.start()):
                continue
            action = next((name for name, words in _ACTIONS if re.search(words, sentence.plain[match.start() :])), None)
            low, high = (sentence.start + place for place in match.span("scope"))
            scope = message.text[low:high].strip()
            if action is None or not scope or _AGREES.match(plain(scope)) or _is_granted(ticket, action, scope):
                continue
            value = {"action": action, "scope": scope, "status": "granted"}
            yield Proposal("/authorizations/-", "add", value, (quote(message, sentence.start + match.start(), high),))


def answered_permissions(ticket: Ticket) -> Iterable[Proposal]:
    """A yes to the question whether something is authorized: the scope stands in the question."""
    for message in ticket.new:
        asked = ticket.question_before(message)
        if asked is None or not ticket.may("authorizations", message) or not _AGREES.match(message.plain):
            continue
        question, sentence = asked
        match = _ASKS_LEAVE.search(sentence.plain)
        if match is None or _STILL_OPEN.search(message.plain):
            continue
        low, high = (sentence.start + place for place in match.span("scope"))
        scope = question.text[low:high].strip()
        action = next((name for name, words in _ACTIONS if re.search(words, plain(scope))), "execute")
        if not _is_granted(ticket, action, scope):
            cited = (quote(message), quote(question, sentence.start + match.start(), high))
            yield Proposal("/authorizations/-", "add", {"action": action, "scope": scope, "status": "granted"}, cited)


def _is_granted(ticket: Ticket, action: str, scope: str) -> bool:
    return any(
        member.get("action") == action and stems(str(member.get("scope"))) == stems(scope)
        for _, member in ticket.members_of("authorizations")
        if member.get("status", "granted") == "granted"
    )


def revoked_authorizations(ticket: Ticket) -> Iterable[Proposal]:
    """A change of mind about what was allowed."""
    for message in ticket.new:
        if message.kind not in ("customer", "agent"):
            continue
        for sentence in message.sentences:
            if not _TAKES_BACK.search(sentence.plain) or sentence.question:
                continue
            for pointer, member in ticket.members_of("authorizations"):
                if member.get("status", "granted") == "granted" and _takes_back(sentence, message, member):
                    yield Proposal(f"{pointer}/status", "replace", "revoked", (quote(message, sentence.start, sentence.end),))


def _takes_back(sentence: Sentence, message: Message, member: Mapping[str, Json]) -> bool:
    words = dict(_ACTIONS).get(str(member.get("action")), r"(?!)")
    return bool(re.search(words, message.plain)) or bool(stems(str(member.get("scope"))) & stems(sentence.text))
