"""The stand-in reads a masked request as it reads the plain one: with the values put back, it proposes the same."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from atendimento.standin.answer import propose
from memoria.extraction import read_answer
from memoria.fields import TicketType
from memoria.masking import masked, reader
from memoria.proposals import Change, Status
from tests.architecture.support import ROOT
from tests.memoria.asking import ask_about, document_of
from tests.memoria.bench import Bench, a_field, a_type

CONVERSATIONS = sorted((ROOT / "atendimento" / "demo" / "conversations").glob("*.toml"))
FIELDS = {
    "/identifiers/cpf": a_field(label="CPF"),
    "/identifiers/documento": a_field(label="Documento", schema={"type": "string", "pattern": r"^\d{3}\.\d{3}\.\d{3}-\d{2}$"}),
    "/identifiers/cnpj": a_field(label="CNPJ"),
    "/identifiers/telefone": a_field(label="Telefone"),
    "/identifiers/email": a_field(label="E-mail"),
    "/identifiers/rg": a_field(label="RG", schema={"type": "string", "pattern": r"^\d{1,2}\.\d{3}\.\d{3}$"}, sensitive=True),
    "/identifiers/pedido": a_field(label="Pedido", schema={"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}),
}


def both(bench: Bench, reference: str) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """What is proposed about a message from the plain request, and from the masked one."""
    request = ask_about(bench, reference)
    sent = masked(request, bench.ticket_type, b"key")
    plain = read_answer(json.dumps(propose(document_of(request), request.system)))
    hidden = propose(document_of(sent.request), sent.request.system)
    return plain, reader(sent.masks, read_answer)(json.dumps(hidden))


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("meu cpf é 390.533.447-05", "/identifiers/cpf", "390.533.447-05"),
        ("anota: 390.533.447-05", "/identifiers/documento", "390.533.447-05"),
        ("o cnpj é 11.222.333/0001-81", "/identifiers/cnpj", "11.222.333/0001-81"),
        ("telefone: (81) 98765-4321", "/identifiers/telefone", "(81) 98765-4321"),
        ("pode ligar no (81) 3222-1234", "/identifiers/telefone", "(81) 3222-1234"),
        ("escreve pra ana@exemplo.test", "/identifiers/email", "ana@exemplo.test"),
        ("RG 7.654.321", "/identifiers/rg", "7.654.321"),
        ("é o pedido AB-1234, fone (81) 98765-4321", "/identifiers/pedido", "AB-1234"),
    ],
)
def test_each_kind_of_value_is_read_behind_its_placeholder(text: str, path: str, value: str) -> None:
    bench = Bench(a_type(FIELDS))
    plain, hidden = both(bench, bench.say("customer", text))

    assert {change.path: change.value for change in hidden}[path] == value
    assert hidden == plain


@pytest.mark.parametrize("file", CONVERSATIONS, ids=lambda file: file.stem)
def test_the_demonstration_s_conversations_are_read_the_same(file: Any) -> None:
    story = tomllib.loads(file.read_text("utf-8"))
    document = json.loads((ROOT / "atendimento" / "gallery" / f"{story['ticket_type']}.json").read_text("utf-8"))
    for row in document["fields"].values():
        row.pop("sensitive", None)  # what a field has held is hidden from the stand-in too, and then it may well ask again
    bench = Bench(TicketType.from_document(document, 1))
    for step in story["step"]:
        if step["do"] != "say":
            continue
        kind = step["by"] if step["by"] not in story["people"] else story["people"][step["by"]]["kind"]
        reference = bench.say(kind if kind in ("customer", "agent", "tool", "registry", "assistant") else "agent", step["text"])
        plain, hidden = both(bench, reference)
        assert hidden == plain
        held = [item for item in bench.propose(*plain) if item.status is Status.PENDING]
        if held:
            bench.accept(*held)
