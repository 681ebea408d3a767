"""A canned reply takes what holds now, and leaves a visible gap for all else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoria.canned import field_named, fill, names_in
from memoria.patch import Json
from memoria.proposals import Change
from tests.memoria.bench import Bench, a_field, a_type, cite

SERVICE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro", invalidates=["/facts/horario"]),
        "/facts/horario": a_field(label="Horário"),
        "/facts/endereco": a_field("registry", "customer", label="Endereço"),
        "/facts/cor": a_field(label="Cor"),
        "/preferences/cor": a_field(label="Cor preferida"),
        "/facts/valor": a_field(label="Valor", schema={"type": "number"}),
    }
)
NAMES = {"cliente": "Helena {bairro}", "protocolo": "2026-000001"}
Given = Callable[[Bench], object]


def put(path: str, value: Json) -> Given:
    return lambda bench: bench.put(path, value)


def fallen(bench: Bench) -> None:
    for path, value in (("bairro", "Boa Viagem"), ("horario", "14h"), ("bairro", "Madalena")):
        bench.put(f"/facts/{path}", value)


def withdrawn(bench: Bench) -> None:
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/bairro")


def divided(bench: Bench) -> None:
    for kind, words in (("registry", "Rua A"), ("customer", "Rua B")):
        message = bench.say(kind, words)
        bench.accept(bench.propose(Change("add", "/facts/endereco", words, cite((message, words))))[0])


ROWS: list[tuple[str, Given, str, str, str]] = [
    # name, what happened, the canned reply, what comes of it, what must not
    ("a value that holds", put("/facts/bairro", "Madalena"), "em {bairro}", "em Madalena", "em {bairro}"),
    ("by its whole name", put("/facts/bairro", "Madalena"), "em {facts/bairro}", "em Madalena", "em {facts/bairro}"),
    ("in any case, with spaces", put("/facts/bairro", "Madalena"), "em { Bairro }", "em Madalena", "em [Bairro]"),
    ("the goal", put("/goal", "visita"), "sobre {goal}", "sobre visita", "sobre [Objetivo]"),
    ("no value", lambda bench: None, "em {bairro}", "em [Bairro]", "em "),
    ("a value in doubt", fallen, "em {bairro}, {horario}", "em Madalena, [Horário]", "em Madalena, 14h"),
    ("a withdrawn value", withdrawn, "em {bairro}", "em [Bairro]", "em Boa Viagem"),
    ("a divergence", divided, "na {endereco}", "na [Endereço]", "na Rua A"),
    ("a name of two maps", put("/facts/cor", "azul"), "{cor}", "{cor}", "azul"),
    ("told apart", put("/preferences/cor", "azul"), "{preferences/cor}", "azul", "{preferences/cor}"),
    ("an unknown name", lambda bench: None, "{nada}", "{nada}", ""),
    (
        "the caller's names, taken once",
        put("/facts/bairro", "X"),
        "{cliente}: {PROTOCOLO}",
        "Helena {bairro}: 2026-000001",
        "Helena X: 2026-000001",
    ),
    ("a value with braces is no place", put("/facts/bairro", "{goal}"), "{bairro}", "{goal}", "[Objetivo]"),
    ("a number by its writer", put("/facts/valor", 3), "{valor}", "=3", "3"),
    ("braces that hold nothing", lambda bench: None, "{} {\n}", "{} {\n}", ""),
    ("no place at all", lambda bench: None, "Bom dia!", "Bom dia!", ""),
]


@pytest.mark.parametrize(("given", "text", "right", "wrong"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_comes_of_a_canned_reply(given: Given, text: str, right: str, wrong: str) -> None:
    bench = Bench(SERVICE)
    given(bench)

    def show(pointer: str, value: Json) -> str:
        return value if isinstance(value, str) else f"={value}"

    filled = fill(text, bench.state, SERVICE, NAMES, show).text
    assert filled == right
    assert filled != wrong


def test_the_gaps_are_named_once() -> None:
    filled = fill("{bairro} {bairro} {horario} {nada}", Bench(SERVICE).state, SERVICE, {}, lambda _pointer, value: str(value))
    assert filled.gaps == ("/facts/bairro", "/facts/horario")


def test_names_and_fields() -> None:
    assert list(names_in("{a} e { b/c }")) == ["a", "b/c"]
    assert field_named("horario", SERVICE) == "/facts/horario"
    assert field_named("rario", SERVICE) is None
