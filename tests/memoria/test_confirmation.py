"""A yes to our question comes back as a change that cites both; where anything is unclear, nothing does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoria.confirmation import PRODUCER, confirmed, is_yes
from memoria.evidence import Message
from memoria.proposals import Change, Verdict
from memoria.state import SlotStatus
from tests.memoria.bench import Bench, a_field, a_type, cite

SERVICE = a_type(
    {
        "/facts/bairro": a_field(label="Bairro", invalidates=["/facts/horario", "/facts/unidade"]),
        "/facts/horario": a_field("tool", "agent", "customer", label="Horário"),
        "/facts/unidade": a_field("customer", label="Unidade"),
        "/facts/endereco": a_field("registry", "customer", label="Endereço"),
    }
)
Given = Callable[[Bench], None]
ASKED = "Só confirmando: horário, quinta 14h?"
HOUR = ("/facts/horario", "quinta 14h")


def said(bench: Bench, kind: str, path: str, value: str) -> None:
    message = bench.say(kind, value)
    bench.accept(bench.propose(Change("add", path, value, cite((message, value))))[0])


def fallen(bench: Bench) -> None:
    """Madalena holds; the hour (a tool's) and the unit (the customer's) await confirmation."""
    said(bench, "agent", "/facts/bairro", "Boa Viagem")
    said(bench, "tool", "/facts/horario", "quinta 14h")
    said(bench, "customer", "/facts/unidade", "Centro")
    said(bench, "agent", "/facts/bairro", "Madalena")


def divided(bench: Bench) -> None:
    said(bench, "registry", "/facts/endereco", "Rua A, 10")
    said(bench, "customer", "/facts/endereco", "Rua B, 20")


def read(bench: Bench, *talk: tuple[str, str]) -> list[tuple[str, object]]:
    """What comes of the last message of a talk, as (pointer, value)."""
    for kind, words in talk:
        bench.say(kind, words)
    rows: list[Message] = [bench.messages[number] for number in sorted(bench.messages, reverse=True)]
    return [(change.path, change.value) for change in confirmed(rows[0], rows[1:], bench.state, SERVICE)]


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("sim", True),
        ("Sim!", True),
        ("SIM 👍", True),
        ("👍", True),
        ("👍🏽", True),
        ("isso", True),
        ("Isso mesmo, obrigada!", True),
        ("é isso aí", True),
        ("correto", True),
        ("Exatamente.", True),
        ("confirmado, pode confirmar", True),
        ("s", True),
        ("Yes, that's right", True),
        ("não", False),
        ("sim, mas às 15h", False),
        ("sim?", False),
        ("acho que sim", False),
        ("isso não", False),
        ("pode ser", False),
        ("obrigada", False),
        ("", False),
        ("😀", False),
        ("sim " * 30, False),
        ("simples", False),
        ("👍 amanhã", False),
        ("👍👎", False),
        ("sim 👎", False),
        ("✅ ❌", False),
    ],
)
def test_what_is_a_plain_yes(words: str, right: bool) -> None:
    assert is_yes(words) is right


Talk = list[tuple[str, str]]
ROWS: list[tuple[str, Given, Talk, list[tuple[str, str]], list[tuple[str, str]]]] = [
    # name, what happened, who said what, what comes of it, what somebody might think
    ("a value in doubt", fallen, [("agent", ASKED), ("customer", "sim")], [HOUR], []),
    ("its case does not count", fallen, [("agent", "É QUINTA 14H?"), ("customer", "isso")], [HOUR], []),
    (
        "two values in one question",
        fallen,
        [("agent", "Unidade Centro, quinta 14h?"), ("customer", "👍")],
        [HOUR, ("/facts/unidade", "Centro")],
        [HOUR],
    ),
    ("a courtesy between", fallen, [("agent", ASKED), ("agent", "Fico no aguardo."), ("customer", "sim")], [HOUR], []),
    ("a third party", fallen, [("agent", ASKED), ("third_party", "sim")], [HOUR], []),
    ("no", fallen, [("agent", ASKED), ("customer", "não")], [], [HOUR]),
    ("yes and more", fallen, [("agent", ASKED), ("customer", "sim, mas às 15h")], [], [HOUR]),
    ("words between", fallen, [("agent", ASKED), ("customer", "deixa eu ver"), ("customer", "sim")], [], [HOUR]),
    ("nobody asked", fallen, [("agent", "Fica quinta 14h."), ("customer", "sim")], [], [HOUR]),
    ("the robot asked", fallen, [("assistant", ASKED), ("customer", "sim")], [], [HOUR]),
    ("we ourselves said yes", fallen, [("agent", ASKED), ("agent", "sim")], [], [HOUR]),
    ("a choice", fallen, [("agent", "Quinta 14h ou sexta?"), ("customer", "sim")], [], [HOUR]),
    ("a denial", fallen, [("agent", "Não é mais quinta 14h?"), ("customer", "sim")], [], [HOUR]),
    ("two questions", fallen, [("agent", ASKED + " Tudo bem?"), ("customer", "sim")], [], [HOUR]),
    ("another hour", fallen, [("agent", "Quinta 15h?"), ("customer", "sim")], [], [HOUR]),
    ("a value that holds", fallen, [("agent", "Madalena?"), ("customer", "sim")], [], [("/facts/bairro", "Madalena")]),
    ("a corrected value", fallen, [("agent", "Boa Viagem?"), ("customer", "sim")], [], [("/facts/bairro", "Boa Viagem")]),
    (
        "one side of a divergence",
        divided,
        [("agent", "É Rua B, 20?"), ("customer", "sim")],
        [("/facts/endereco", "Rua B, 20")],
        [],
    ),
    (
        "both sides",
        divided,
        [("agent", "É Rua A, 10, hoje Rua B, 20?"), ("customer", "sim")],
        [],
        [("/facts/endereco", "Rua A, 10")],
    ),
    (
        "an older question",
        fallen,
        [("agent", ASKED), ("agent", "a"), ("agent", "b"), ("agent", "c"), ("customer", "sim")],
        [],
        [HOUR],
    ),
]


@pytest.mark.parametrize(("given", "talk", "right", "wrong"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_a_yes_comes_to(given: Given, talk: Talk, right: list[tuple[str, str]], wrong: list[tuple[str, str]]) -> None:
    bench = Bench(SERVICE)
    given(bench)
    assert read(bench, *talk) == right
    assert right != wrong


def test_the_change_cites_the_answer_first_and_then_the_question_and_the_rules_take_it() -> None:
    bench = Bench(SERVICE)
    fallen(bench)
    question, answer = bench.say("agent", "Oi! Unidade, Centro?"), bench.say("customer", " sim ")
    rows = [bench.messages[number] for number in sorted(bench.messages, reverse=True)]
    (change,) = confirmed(rows[0], rows[1:], bench.state, SERVICE)
    assert [(item.message, item.quote) for item in change.evidence] == [(answer, "sim"), (question, "Unidade, Centro?")]
    (held,) = bench.propose(change, producer=PRODUCER)
    assert (held.judgement.verdict, held.judgement.source, held.judgement.cautions) == (Verdict.NO_CHANGE, "customer", ())
    bench.accept(held)
    assert bench.state.slots["/facts/unidade"].status is SlotStatus.CURRENT


def test_where_the_customer_weighs_less_a_confirmation_on_the_same_words_lifts_the_doubt() -> None:
    bench = Bench(SERVICE)
    fallen(bench)
    read(bench, ("agent", ASKED), ("customer", "sim"))
    rows = [bench.messages[number] for number in sorted(bench.messages, reverse=True)]
    (change,) = confirmed(rows[0], rows[1:], bench.state, SERVICE)
    bench.accept(bench.propose(change, producer=PRODUCER)[0])
    assert bench.state.slots["/facts/horario"].status is SlotStatus.NEEDS_CONFIRMATION
    bench.confirm("/facts/horario", evidence=change.evidence)
    slot = bench.state.slots["/facts/horario"]
    assert (slot.status, slot.source, slot.confirmed.ground if slot.confirmed else None) == (
        SlotStatus.CURRENT,
        "tool",
        "evidence",
    )
