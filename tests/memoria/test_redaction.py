"""What is personal or sensitive is gone from a text, and the rest stays letter by letter."""

from __future__ import annotations

import pytest

from memoria.patch import Json
from memoria.redaction import Redactor


def redact(text: str, *secrets: Json) -> str:
    return Redactor(secrets, lambda kind: f"<{kind}>").text(text)


@pytest.mark.parametrize(
    ("text", "secrets", "right", "leaks"),
    [
        ("meu CPF é 390.533.447-05", (), "meu CPF é <CPF>", "447"),
        ("cpf 39053344705.", (), "cpf <CPF>.", "39053344705"),
        ("ana@exemplo.test", (), "<EMAIL>", "ana"),
        ("ligue (81) 98765-4321 já", (), "ligue <TELEFONE> já", "4321"),
        ("Rua das Flores, 10", ("Rua das Flores, 10",), "<sensitive>", "Flores"),
        ("moro na rua  das\nflores, 10, casa", ("Rua das Flores, 10",), "moro na <sensitive>, casa", "flores"),
        ("Rua das Flores, 100", ("Rua das Flores, 10",), "Rua das Flores, 100", "<"),
        ("Asa", ("as",), "Asa", "<"),
        ("senha A1B2 e a1b2", ("A1B2",), "senha <sensitive> e <sensitive>", "A1B2"),
        ("resultado 1180", (1180,), "resultado <sensitive>", "1180"),
        ("resultado 11800", (1180,), "resultado 11800", "<"),
        ("verdade", (True, None), "verdade", "<"),
        ("dois: Dr. Abreu e Dra. Lia", (["Dr. Abreu", {"nome": "Dra. Lia"}],), "dois: <sensitive> e <sensitive>", "Lia"),
        ("CPF 390.533.447-05 da mãe", ("CPF 390.533.447-05 da",), "<sensitive> mãe", "390"),
        ("sou jose da conceicao", ("José da Conceição",), "sou <sensitive>", "jose"),
        ("sou José\u200b da Conceic\u0327a\u0303o!", ("José da Conceição",), "sou <sensitive>!", "Conceic"),
        ("nada aqui", (), "nada aqui", "<"),
        ("Ana é a mãe", ("Ana",), "<sensitive> é a mãe", "Ana"),  # three letters are enough
        ("390.533.447-05 da Ana e só", ("390.533.447-05 da Ana",), "<sensitive> e só", "390"),  # the longer names both
        ("Ana(81) 98765-4321", ("Ana",), "<sensitive><TELEFONE>", "98765"),  # side by side they are two
        ("", ("x",), "", "<"),
        ("(a+b)*c custa", ("(a+b)*c",), "<sensitive> custa", "a+b"),
        ("Rua Nova, 5 e Rua Nova", ("Rua Nova", "Rua Nova, 5"), "<sensitive> e <sensitive>", ", 5"),
    ],
)
def test_what_is_gone_and_what_stays(text: str, secrets: tuple[Json, ...], right: str, leaks: str) -> None:
    found = redact(text, *secrets)
    assert found == right
    assert leaks not in found or not leaks
