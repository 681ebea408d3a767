"""The stand-in against public dialogues with gold states: everything proposed is accepted, and the state compared."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from atendimento.standin.answer import propose
from memoria.extraction import read_answer
from memoria.fields import TicketType
from memoria.proposals import Status
from tests.memoria.asking import ask_about, document_of
from tests.memoria.bench import Bench, Held

SLOTS = ("itens", "endereco", "forma_pagamento", "troco_para")
_OPENINGS = re.compile(r"^(?:eu quero|uma pizza de|uma pizza|quero)\s+")


@pytest.fixture(scope="module")
def shared() -> Path:
    path = os.environ.get("LASTRO_SHARED", "")
    assert path, "LASTRO_SHARED must name the folder of outside data"
    return Path(path)


@pytest.fixture(scope="module")
def pizzeria(shared: Path) -> TicketType:
    document = json.loads((shared / "acceptance" / "ticket-types" / "pizzaria.json").read_text("utf-8"))
    return TicketType.from_document(document, version=1)


@pytest.fixture(scope="module")
def dialogues(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "data" / "dialogues-dev.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _spelled(value: str) -> str:
    """Case, punctuation and an opening such as `eu quero` do not count."""
    return re.sub(r"[\W_]+", " ", _OPENINGS.sub("", value.lower().strip())).strip()


def _answer(bench: Bench, reference: str) -> Any:
    request = ask_about(bench, reference)
    return propose(document_of(request), request.system)


def _hear(bench: Bench, author: str, text: str) -> list[Held]:
    """One message, and what is proposed about it, accepted."""
    reference = bench.say(author, text)
    held = bench.propose(*read_answer(json.dumps(_answer(bench, reference))))
    taken = [item for item in held if item.status is Status.PENDING]
    if taken:
        bench.accept(*taken)
    return held


def test_orders_are_followed_through_portuguese_dialogues(dialogues: list[dict[str, Any]], pizzeria: TicketType) -> None:
    right = wrong = missed = refused = 0
    for dialogue in dialogues:
        # In two dialogues it is the agent who decides later whether items were added or replaced.
        if dialogue["language"] != "pt-BR" or "asked-to-add-but-replaced" in dialogue.get("tags", ()):
            continue
        bench, gold = Bench(pizzeria), {entry["after"]: entry for entry in dialogue["gold"]}
        now: dict[str, Any] = {"state": {}}
        for message in dialogue["messages"]:
            refused += sum(item.status is Status.REFUSED for item in _hear(bench, message["author"], message["text"]))
            now = gold.get(message["id"], now)
            if message["author"] != "customer":
                continue
            have = {slot: value for slot, value in bench.state.values["facts"].items() if slot in SLOTS}
            same = [
                slot
                for slot, value in have.items()
                if slot in now["state"]
                and _spelled(value) in map(_spelled, [now["state"][slot], *now.get("accept", {}).get(slot, [])])
            ]
            right += len(same)
            wrong += len(have) - len(same)
            missed += len(now["state"]) - len(same)
    assert right > 300
    assert refused == 0
    assert right / (right + wrong) > 0.97
    assert right / (right + missed) > 0.97


def test_english_dialogues_yield_next_to_nothing_and_break_nothing(
    dialogues: list[dict[str, Any]], pizzeria: TicketType
) -> None:
    proposed = 0
    english = [dialogue for dialogue in dialogues if dialogue["language"] == "en"]
    assert len(english) > 20
    for dialogue in english:
        bench = Bench(pizzeria)
        for message in dialogue["messages"]:
            proposed += len(_hear(bench, message["author"], message["text"]))
    assert proposed < 10
