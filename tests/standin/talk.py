"""Short talks for the stand-in: what was said before, what is new, and what it proposes about it."""

from __future__ import annotations

from typing import Any

from atendimento.standin.answer import propose
from atendimento.standin.words import plain
from memoria.field_list import field_list
from memoria.fields import TicketType
from memoria.instructions import instructions

Json = Any

SERVICE: list[Json] = [
    {"path": "/goal", "label": "Objetivo", "schema": {"type": "string"}},
    {"path": "/facts/aparelho", "label": "Aparelho", "schema": {"type": "string"}},
    {"path": "/facts/sintoma", "label": "Sintoma", "schema": {"type": "string"}},
    {"path": "/facts/bairro", "label": "Bairro", "schema": {"type": "string"}},
    {"path": "/facts/unidade", "label": "Unidade", "schema": {"type": "string"}},
    {"path": "/facts/horario", "label": "Horário", "schema": {"type": "string"}},
    {"path": "/facts/endereco", "label": "Endereço", "schema": {"type": "string"}},
    {"path": "/facts/orcamento", "label": "Orçamento", "schema": {"type": "number"}},
    {"path": "/facts/garantia", "label": "Em garantia", "schema": {"type": "boolean"}},
    {"path": "/facts/pagamento", "label": "Forma de pagamento", "schema": {"type": "string"}},
    {"path": "/facts/cor", "label": "Cor preferida", "schema": {"type": "string"}},
    {"path": "/facts/prioridade", "label": "Prioridade", "schema": {"enum": ["baixa", "alta"]}},
    {"path": "/preferences/periodo", "label": "Período", "schema": {"enum": ["manhã", "tarde", "noite"]}},
    {"path": "/identifiers/os", "label": "Ordem", "schema": {"type": "string", "pattern": "^OS-[0-9]{4}$"}},
    {"path": "/identifiers/cpf", "label": "CPF", "schema": {"type": "string"}},
    {"path": "/identifiers/telefone", "label": "Telefone", "schema": {"type": "string"}},
    {"path": "/identifiers/email", "label": "E-mail", "schema": {"type": "string"}},
]
EVERYBODY = ["customer", "agent", "tool", "registry", "third_party", "assistant"]


KINDS = ["visit", "schedule_query", "return_call", "refund", "delivery"]
OTHERS = ("pending", "constraints", "decisions", "authorizations", "attempts")


def instructed(fields: list[Json] | None = None) -> str:
    """The instructions of a ticket type with these fields, whose values everybody may give."""
    rows = {row["path"]: {"sources": EVERYBODY, **row} for row in (SERVICE if fields is None else fields)}
    document = {
        "slug": "assistencia",
        "name": "Assistência",
        "fields": {path: {key: part for key, part in row.items() if key != "path"} for path, row in rows.items()},
        "collections": {
            "commitments": {"sources": EVERYBODY, "kinds": KINDS},
            **{name: {"sources": EVERYBODY} for name in OTHERS},
        },
    }
    return instructions("pt-BR") + field_list(TicketType.from_document(document, 1))


def a_document(
    *new: tuple[str, str],
    before: tuple[tuple[str, str], ...] = (),
    values: dict[str, Json] | None = None,
    doubtful: tuple[str, ...] = (),
    members: dict[str, Json] | None = None,
    proposed: list[Json] | None = None,
) -> Json:
    """The user turn's document for these (kind, text) messages; said on Thursday, 5 March 2026, from 10:00 on."""
    said = [
        {"id": f"m-{number}", "kind": kind, "name": kind, "sent_at": f"2026-03-05T10:{number:02}-03:00", "text": text}
        for number, (kind, text) in enumerate((*before, *new), 1)
    ]
    state: dict[str, Json] = {}
    held = {path: value for path, value in (values or {}).items() if path not in doubtful}
    for path, value in {**held, **(members or {})}.items():
        group, _, name = path[1:].partition("/")
        if name:
            state.setdefault(group, {})[name] = value
        else:
            state[group] = value
    if doubtful:
        state["doubtful"] = {path: {"value": (values or {})[path], "status": "needs_confirmation"} for path in doubtful}
    return {
        "state": state,
        **({"proposed": proposed} if proposed else {}),
        "context": said[: len(before)],
        "new_messages": said[len(before) :],
    }


def proposals(*new: tuple[str, str], fields: list[Json] | None = None, **more: Any) -> list[Json]:
    """The changes proposed; each of their quotes is checked to be a piece of its message."""
    document = a_document(*new, **more)
    changes: list[Json] = propose(document, instructed(fields))["changes"]
    texts = {row["id"]: row["text"] for row in document["context"] + document["new_messages"]}
    fresh = {row["id"] for row in document["new_messages"]}
    for change in changes:
        assert change["evidence"], change
        assert change["evidence"][0]["message"] in fresh, change
        assert all(cited["quote"] in texts[cited["message"]] and cited["quote"] for cited in change["evidence"]), change
    return changes


def values_of(*new: tuple[str, str], **more: Any) -> dict[str, Json]:
    """Pointer -> proposed value of the fields; REMOVED for a withdrawal."""
    return {
        change["path"]: REMOVED if change["op"] == "remove" else change["value"]
        for change in proposals(*new, **more)
        if not change["path"].startswith(("/commitments", "/pending", "/constraints", "/decisions", "/auth", "/attempts"))
    }


def members_of(collection: str, *new: tuple[str, str], **more: Any) -> list[Json]:
    """The values proposed on pointers of a collection: new members, or `(pointer, value)` of moves."""
    return [
        change["value"] if change["path"].endswith("/-") else (change["path"], change["value"])
        for change in proposals(*new, **more)
        if change["path"].startswith(f"/{collection}/")
    ]


REMOVED = "(removed)"

__all__ = ["REMOVED", "a_document", "instructed", "members_of", "plain", "proposals", "values_of"]
