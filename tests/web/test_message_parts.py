"""How a message is laid out: quotations fold away without moving a letter, files say what they are."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from atendimento.models import Message
from atendimento.selectors.message_parts import file_label, laid_out
from atendimento.selectors.parts import Segment
from tests.support.stories import World, change

QUOTED = "> escreveu a equipe em 5 de março, às 10:00, sobre a visita de amanhã de manhã:\n> pode ser às 14h?"
TEXT = f"Pode sim 😩\r\n{QUOTED}\nObrigada"
SPAN = (TEXT.index(QUOTED), TEXT.index(QUOTED) + len(QUOTED))


def test_a_quotation_folds_away_and_no_letter_moves(world: World, ana: Client) -> None:
    ticket = world.ticket()
    message = world.say(ticket, TEXT)
    Message.objects.filter(pk=message.pk).update(unquotable=[list(SPAN)])
    world.propose(ticket, change("/facts/sintoma", "Obrigada", ("m-1", "Obrigada")))
    body = ana.get(f"/tickets/{ticket.pk}/").content.decode()
    (words,) = re.findall(r'<span class="words">(.*?)</span>', body, re.DOTALL)
    assert unescape(re.sub(r"<[^>]+>", "", words)) == TEXT
    (folded,) = re.findall(r"<details class=\"quoted\">(.*?)</details>", words, re.DOTALL)
    assert unescape(re.sub(r"<[^>]+>", "", folded)) == QUOTED
    assert re.search(r"<mark[^>]*>Obrigada</mark>", words.partition("</details>")[2])


PLAIN = (Segment("a" * 300),)
SPANS = [
    ("nothing is quoted", [], [False]),
    ("the end", [(200, 300)], [False, True]),
    ("the beginning", [(0, 100)], [True, False]),
    ("between", [(100, 200)], [False, True, False]),
    ("two stretches", [(0, 90), (200, 300)], [True, False, True]),
    ("too short to be worth it", [(100, 150)], [False]),
    ("all of it stays open", [(0, 300)], [False]),
    ("a stored list", [[100, 200]], [False, True, False]),
]


@pytest.mark.parametrize(("spans", "folded"), [row[1:] for row in SPANS], ids=[row[0] for row in SPANS])
def test_only_what_is_worth_it_folds(spans: list[tuple[int, int]], folded: list[bool]) -> None:
    parts = laid_out(PLAIN, spans, 300)
    assert [part.quoted for part in parts] == folded
    assert "".join(segment.text for part in parts for segment in part.segments) == "a" * 300


def test_a_mark_across_the_fold_is_cut_there() -> None:
    parts = laid_out((Segment("a" * 50), Segment("b" * 100, "state", title="Bairro"), Segment("c" * 100)), [(100, 250)], 250)
    assert [(part.quoted, [(len(piece.text), piece.mark) for piece in part.segments]) for part in parts] == [
        (False, [(50, ""), (50, "state")]),
        (True, [(50, "state"), (100, "")]),
    ]


@pytest.mark.parametrize(
    ("attachment", "said"),
    [
        ({"name": "nota.pdf", "type": "application/pdf", "size": 2048}, "nota.pdf · application/pdf · 2,0"),
        ({"filename": "foto.jpg"}, "foto.jpg"),
        ({"type": "audio/ogg", "size": 0}, "anexo · audio/ogg · 0"),
        ({"name": "x", "size": -1}, "x"),
        ({"name": "x", "size": "muitos"}, "x"),
        ({}, "anexo"),
        ("foto.jpg", "foto.jpg"),
    ],
)
def test_an_attachment_says_name_type_and_size(settings: object, attachment: object, said: str) -> None:
    assert file_label(attachment).replace("\xa0", " ").startswith(said)
