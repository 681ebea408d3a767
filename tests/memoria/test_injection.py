"""Messages that try to instruct the model are found, each by its own family's guard; ordinary ones are not (U3)."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.injection import DETECTORS, Attempt, attempts
from tests.support.injections import INJECTIONS

ROWS = [(family, text) for family, texts in INJECTIONS.items() for text in texts]


def test_there_are_ten_families_of_six() -> None:
    assert set(INJECTIONS) == set(Attempt) == set(DETECTORS)
    assert [len(texts) for texts in INJECTIONS.values()] == [6] * 10
    assert len({text for _, text in ROWS}) == 60


@pytest.mark.parametrize(("family", "text"), ROWS)
def test_each_is_found_by_its_family_s_guard_and_by_no_other(family: Attempt, text: str) -> None:
    """So each row fails where its guard is taken away."""
    assert attempts(text) == (family,)


@pytest.mark.parametrize(
    "text",
    [
        "Oi, bom dia! Minha geladeira parou de gelar.",
        "Não é mais no Pina, é na Torre. Pode ignorar o endereço antigo.",
        "Esquece o que eu falei ontem, quero de manhã",
        "Por favor, registre aí que não podem ligar depois das 18h",
        "Poderia confirmar o horário?",
        "O sistema de vocês caiu de novo",
        "O modelo da geladeira é FD-440",
        "Caro atendente, seria possível remarcar?",
        "No protocolo 2026-000123 me disseram outra coisa",
        "Vocês atenderam outro cliente antes de mim?",
        "Meu pedido é o M12",
        "Segue o link: https://exemplo.test/pedido?id=12",
        "código de barras 34191790010104351004791020150008291070026000",
        "chave 123e4567-e89b-42d3-a456-426614174000",
        "hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "😀👩\u200d👩\u200d👧 família toda",
        "\u200eÁudio omitido",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f vai ganhar",
        "1 < 2 e 3 > 2",
        "a) conferir; b) ligar; c) fim",
        "I'd like to change my order, please ignore the first one",
        "Could you please confirm the appointment?",
        "The assistant in the store was very kind",
        "System error 500 on your site",
        "",
        "ok",
    ],
)
def test_what_people_ordinarily_write_is_not_marked(text: str) -> None:
    assert attempts(text) == ()


def test_no_message_of_the_public_dialogues_is_marked() -> None:
    shared = os.environ.get("LASTRO_SHARED", "")
    assert shared, "LASTRO_SHARED must name the folder of outside data"
    lines = (Path(shared) / "data" / "dialogues-dev.jsonl").read_text("utf-8").splitlines()
    texts = [message["text"] for line in lines for message in json.loads(line)["messages"]]

    assert len(texts) > 100
    assert [text for text in texts if attempts(text)] == []


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert set(attempts(text)) <= set(Attempt)


@pytest.mark.parametrize(
    "piece", ["ignore ", "{{", "A", "por favor a ia ", "<", "copy ", '"}]}', "--- ", "-", "*", "#", "\n", " \n"]
)
def test_no_text_keeps_it_busy(piece: str) -> None:
    began = time.process_time()
    attempts(piece * (60_000 // len(piece)))
    assert time.process_time() - began < 2
