"""A reply against constraints and authorisations. Each right answer beside a wrong one."""

from __future__ import annotations

import pytest

from memoria.reply_check import Code, Ground, check
from tests.memoria.bench import Bench, a_field, a_type
from tests.memoria.replying import WEDNESDAY, ZONE, Given, Told, ground, put, said, withdraw

CONSTRAINT = put("/constraints/-", {"text": "não ligar de manhã"})
DOUBTED = (
    put("/constraints/-", {"text": "horário só de manhã", "applies_to": ["/facts/horario"]}),
    put("/facts/bairro", "Boa Viagem"),
    put("/facts/horario", "quinta 14h"),
    put("/commitments/-", {"task": "visita na quinta, com horário", "owner": "team", "kind": "visit"}),
    put("/facts/bairro", "Madalena"),
)
CONSTRAINTS: list[tuple[str, tuple[Given, ...], str, list[str], str]] = [
    ("its word", (CONSTRAINT,), "Posso ligar às 15h?", ["ligar"], "15h"),
    ("another form", (CONSTRAINT,), "A ligação foi feita.", ["ligação"], "feita"),
    ("a word that stands for it", (CONSTRAINT,), "Podemos telefonar?", ["telefonar"], "Podemos"),
    ("negated", (CONSTRAINT,), "Não vamos ligar.", [], "ligar"),
    ("other words", (CONSTRAINT,), "O técnico chega às 9h.", [], "técnico"),
    ("a little word alone", (CONSTRAINT,), "Bom dia, boa manhã de quinta!", [], "manhã"),
    ("removed", (CONSTRAINT, withdraw("/constraints/k-1")), "Posso ligar?", [], "ligar"),
    (
        "what it applies to",
        (put("/facts/bairro", "Madalena"), put("/constraints/-", {"text": "só com portaria", "applies_to": ["/facts/bairro"]})),
        "A equipe chega em Madalena.",
        ["Madalena"],
        "equipe",
    ),
    ("whether a value in doubt holds", DOUBTED, "Só confirmando: horário, quinta 14h?", [], "horário"),
    ("whether a promise in doubt holds", DOUBTED, "Só confirmando: visita na quinta, com horário?", [], "horário"),
    ("something else, asked", DOUBTED, "Qual horário prefere?", ["horário"], "prefere"),
    ("a value in doubt, stated", DOUBTED, "No horário de quinta 14h.", ["horário"], "quinta 14h"),
]


@pytest.mark.parametrize(
    ("given", "text", "right", "wrong"), [row[1:] for row in CONSTRAINTS], ids=[row[0] for row in CONSTRAINTS]
)
def test_constraints(given: tuple[Given, ...], text: str, right: list[str], wrong: str) -> None:
    found = [text[item.start : item.end] for item in check(text, ground(*given)) if item.code is Code.CONSTRAINT]
    assert found == right
    assert wrong not in found


def authorized(action: str, scope: str) -> Given:
    return said("customer", "/authorizations/-", {"action": action, "scope": scope}, scope)


REVOKED = put("/authorizations/a-1/status", "revoked")
SHARED = "Compartilhei seu endereço com a seguradora."
AUTHORIZATIONS: list[tuple[str, tuple[Given, ...], str, list[Told], Told]] = [
    (
        "sharing needs one",
        (),
        SHARED,
        [("authorization_missing", "Compartilhei", "share")],
        ("authorization_missing", "Compartilhei", "send"),
    ),
    (
        "one of its scope",
        (authorized("share", "meu endereço com a seguradora"),),
        SHARED,
        [],
        ("authorization_missing", "Compartilhei", "share"),
    ),
    (
        "one of another scope",
        (authorized("share", "a nota fiscal"),),
        SHARED,
        [("authorization_missing", "Compartilhei", "share")],
        ("authorization_revoked", "Compartilhei", "share"),
    ),
    (
        "one for another act",
        (authorized("send", "meu endereço"),),
        SHARED,
        [("authorization_missing", "Compartilhei", "share")],
        ("authorization_revoked", "Compartilhei", "share"),
    ),
    (
        "revoked",
        (authorized("share", "meu endereço"), REVOKED),
        SHARED,
        [("authorization_revoked", "Compartilhei", "share")],
        ("authorization_missing", "Compartilhei", "share"),
    ),
    (
        "granted again",
        (authorized("share", "meu endereço"), REVOKED, authorized("share", "o endereço da loja")),
        SHARED,
        [],
        ("authorization_revoked", "Compartilhei", "share"),
    ),
    (
        "carrying out needs one",
        (),
        "Iniciamos o reparo hoje.",
        [("authorization_missing", "Iniciamos o reparo", "execute")],
        ("authorization_missing", "Iniciamos", "send"),
    ),
    ("sending needs none", (), "Enviei o link.", [], ("authorization_missing", "Enviei", "send")),
    (
        "unless it was revoked",
        (authorized("send", "mensagens por e-mail"), REVOKED),
        "Enviei o link.",
        [("authorization_revoked", "Enviei", "send")],
        ("authorization_missing", "Enviei", "send"),
    ),
    ("a question", (), "Posso compartilhar seu endereço?", [], ("authorization_missing", "compartilhar", "share")),
    ("a negation", (), "Não compartilhamos seu endereço.", [], ("authorization_missing", "compartilhamos", "share")),
]


@pytest.mark.parametrize(
    ("given", "text", "right", "wrong"), [row[1:] for row in AUTHORIZATIONS], ids=[row[0] for row in AUTHORIZATIONS]
)
def test_authorizations(given: tuple[Given, ...], text: str, right: list[Told], wrong: Told) -> None:
    found = [
        (item.code.value, text[item.start : item.end], item.why)
        for item in check(text, ground(*given))
        if item.code.value.startswith("authorization")
    ]
    assert found == right
    assert wrong not in found


def test_a_type_that_keeps_no_authorisations_demands_none() -> None:
    plain_type = a_type({"/facts/a": a_field()}, {"pending": {"sources": ["agent"]}})
    assert check(SHARED, Ground(Bench(plain_type).state, plain_type, WEDNESDAY, ZONE)) == ()
