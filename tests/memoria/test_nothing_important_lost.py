"""N1 over a long conversation: what must never pass through a summary stands letter by letter in every context."""

from __future__ import annotations

import random
from typing import Any

import pytest

from memoria.context import Budget, dump
from memoria.marks import marks
from memoria.narrative import narrative
from tests.memoria.asking import ask_about, document_of
from tests.memoria.bench import Bench, a_field, a_type

LENGTH = 400
TYPE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro"),
        "/facts/unidade": a_field(label="Unidade", literal=True),
        "/identifiers/pedido": a_field(label="Pedido"),
        "/identifiers/nota": a_field(label="Nota fiscal"),
    }
)
TIGHT = Budget(state=60, members=1, recent=40, older=2, new=200)


class Walk:
    """A conversation in which something is accepted, corrected, finished or withdrawn every few messages."""

    def __init__(self, seed: int) -> None:
        self.bench = Bench(TYPE)
        self.chance = random.Random(seed)
        self.must: dict[str, str] = {}  # pointer -> words that must stand in every context from now on

    def step(self, number: int) -> str:
        """One message and what is decided about it; the id of the message."""
        words = f"caso “{number}” \\ linha {number}\nsegunda, ç e 👍"
        act = self.chance.choice(["identifier", "unit", "constraint", "decision", "promise", "finish", "lift", *["talk"] * 5])
        match act:
            case "identifier":
                pointer = self.chance.choice(["/identifiers/pedido", "/identifiers/nota"])
                self._set(pointer, f"AB-{number:05}", f"o número certo é AB-{number:05}, anote")
            case "unit":
                self._set("/facts/unidade", f"Loja {number} da Torre", f"vai ser na Loja {number} da Torre")
            case "constraint":
                self._add("constraints", {"text": f"não liguem, {words}"}, f"atenção: não liguem, {words}, por favor")
            case "decision":
                self._add("decisions", {"text": f"trocar a placa, {words}"}, f"ficou decidido trocar a placa, {words} hoje")
            case "promise":
                task = f"verificar {words}"
                self._add("commitments", {"task": task, "owner": "team"}, f"vou {task}")
            case "finish" | "lift":
                self._end("commitments" if act == "finish" else "constraints")
            case _:
                self.bench.say("customer", f"mensagem {number}: bom dia, alguma novidade sobre o meu caso? " * 3)
        return f"m-{len(self.bench.messages)}"

    def _set(self, pointer: str, value: str, text: str) -> None:
        reference = self.bench.say("agent", text)
        self.bench.accept(self.bench.one("replace", pointer, value, (reference, text)))
        self.must[pointer] = value

    def _add(self, collection: str, member: dict[str, Any], text: str) -> None:
        reference = self.bench.say("agent", text)
        before = set(self.bench.state.values[collection])
        self.bench.accept(self.bench.one("add", f"/{collection}/-", member, (reference, text)))
        (identifier,) = set(self.bench.state.values[collection]) - before
        self.must[f"/{collection}/{identifier}"] = member.get("text") or member["task"]

    def _end(self, collection: str) -> None:
        pointers = [pointer for pointer in self.must if pointer.startswith(f"/{collection}/")]
        text = "isso já foi feito" if collection == "commitments" else "isso não vale mais"
        reference = self.bench.say("agent", text)
        if not pointers:
            return
        pointer = self.chance.choice(pointers)
        change = ("replace", f"{pointer}/status", "done") if collection == "commitments" else ("remove", pointer, None)
        self.bench.accept(self.bench.one(*change, (reference, text)))
        del self.must[pointer]


def _held(document: dict[str, Any], pointer: str) -> Any:
    """What the context shows at a pointer: a field's value, a member's words; None where it shows nothing."""
    group, name = pointer[1:].split("/")
    for part in (document.get("literals", {}), document.get("state", {})):
        found = part.get(group, {}).get(name)
        if found is not None:
            return (found.get("text") or found["task"]) if isinstance(found, dict) else found
    return None


@pytest.mark.parametrize("budget", [None, TIGHT], ids=["as it is", "a tight budget"])
def test_constraints_decisions_identifiers_and_open_promises_stand_in_every_context_after_they_were_accepted(
    budget: Budget | None,
) -> None:
    walk, looked, most = Walk(seed=7), 0, 0
    for number in range(1, LENGTH + 1):
        reference = walk.step(number)
        request = ask_about(walk.bench, reference, budget=budget, marks=marks(walk.bench.state))
        document = document_of(request)
        for pointer, words in walk.must.items():
            assert _held(document, pointer) == words, (number, pointer)
            assert dump(words) in request.user
        looked += len(walk.must)
        most = max(most, len(walk.must))
    assert len(walk.bench.messages) == LENGTH
    assert looked > 5 * LENGTH
    assert most > 15


def test_the_narrative_tells_them_letter_by_letter_too() -> None:
    walk = Walk(seed=11)
    for number in range(1, 121):
        walk.step(number)
        told = narrative(walk.bench.state, TYPE, language="pt-BR")
        verbatim = {item.pointer: item.text for item in told.verbatim}
        for pointer, words in walk.must.items():
            assert words in told.text
            assert pointer.startswith("/commitments/") or verbatim[pointer] == words
