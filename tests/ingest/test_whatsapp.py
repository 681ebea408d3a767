"""Chats that WhatsApp exported. Each table is of one kind of failure that people had with readers like this one."""

from __future__ import annotations

import pytest

from atendimento.ingest.neutral import Mark, Options, Unreadable
from atendimento.ingest.reading import read
from tests.support.foreign import CHAT, ZONE, chat, messages, times, told

ENCRYPTED = "As mensagens e as ligações são protegidas com a criptografia de ponta a ponta."
LRM, NARROW, NBSP = "\u200e", "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        pytest.param(
            "05/03/2026 14:07 - Ana Exemplo: Oi\n12:30 - chegou o entregador\n05/03 ele volta\nObs: sem nota\n"
            "05/03/2026 14:09 - Loja: Centro: Qual o horário: 14h ou 15h?\n",
            ["Ana Exemplo", "Loja: Centro"],
            [
                ("Ana Exemplo", "Oi\n12:30 - chegou o entregador\n05/03 ele volta\nObs: sem nota"),
                ("Loja: Centro", "Qual o horário: 14h ou 15h?"),
            ],
            id="lines that begin with a time or a date; colons in names and texts (WA-01)",
        ),
        pytest.param(
            "05/03/2026 14:07 - Ana: veja:\n[05/03/2026 14:00:00] Bia: eu pago\n3/5/26, 2:07 PM - Bia: eu pago\n",
            [],
            [("Ana", "veja:\n[05/03/2026 14:00:00] Bia: eu pago\n3/5/26, 2:07 PM - Bia: eu pago")],
            id="pasted lines of another phone's export are the words of who pasted them",
        ),
        pytest.param(
            "05/03/2026 14:07 - Ana: lista\n\n- pão\n\n- leite\n05/03/2026 14:08 - Ana: só\n\n",
            [],
            [("Ana", "lista\n\n- pão\n\n- leite"), ("Ana", "só")],
            id="blank lines inside a message stay, at its end they go",
        ),
        pytest.param(
            "05/03/2026 14:07 - Ana: um\u2028dois\x0btrês\x85quatro\r\n05/03/2026 14:08 - Ana: fim\r\n",
            [],
            [("Ana", "um\u2028dois\x0btrês\x85quatro"), ("Ana", "fim")],
            id="only real line ends end a line",
        ),
        pytest.param(
            f"05/03/2026 14:07 - +55{NBSP}31{NBSP}98888-0001: Oi\n05/03/2026 14:08 - ~{NARROW}Bia: oi\n",
            [],
            [("+55 31 98888-0001", "Oi"), ("Bia", "oi")],
            id="numbers without a contact, with fixed spaces, and the tilde before an unknown name",
        ),
        pytest.param(
            "05/03/2026 14:07 - Ana: \n05/03/2026 14:08 - Ana:\n05/03/2026 14:09 - Ana: ok: sim\n",
            [],
            [("Ana", ""), ("Ana", ""), ("Ana", "ok: sim")],
            id="messages without words, with and without the blank after the colon",
        ),
        pytest.param(
            "05/03/2026 14:07 - Dr. João: Cardio: bom dia\n05/03/2026 14:08 - Dr. João: Cardio: até logo\n",
            ["Dr. João: Cardio"],
            [("Dr. João: Cardio", "bom dia"), ("Dr. João: Cardio", "até logo")],
            id="a name that is given wins over its first colon",
        ),
        pytest.param(
            "05/03/2026 14:07 - Ana: olha 👨‍👩‍👧\u200d\n05/03/2026 14:08 - Ana: ok",
            [],
            [("Ana", "olha 👨‍👩‍👧\u200d"), ("Ana", "ok")],
            id="joiners in emoji stay; no line end at the end",
        ),
    ],
)
def test_who_said_what(text: str, names: list[str], expected: list[tuple[str, str]]) -> None:
    assert told(chat(text, *names)) == expected


def test_the_files_own_name_tells_a_name_with_a_colon() -> None:
    reading = chat("05/03/2026 14:07 - Loja: Centro: Oi\n", file_name="Conversa do WhatsApp com Loja: Centro.txt")
    assert told(reading) == [("Loja: Centro", "Oi")]
    assert reading.counterpart == "Loja: Centro"


@pytest.mark.parametrize(
    ("text", "notices", "said"),
    [
        pytest.param(
            f"{LRM}[05/03/2026 09:00:00] Loja Centro: {LRM}{ENCRYPTED}\r\n"
            f"[05/03/2026 14:07:33] Ana Exemplo: Bom dia\r\n"
            f"{LRM}[05/03/2026 14:08:02] Ana Exemplo: {LRM}<anexado: 00000003-PHOTO-2026-03-05-14-08-02.jpg>\r\n",
            ["As mensagens e as ligações são protegidas com a criptografia de ponta a ponta."],
            [("Ana Exemplo", "Bom dia"), ("Ana Exemplo", "")],
            id="the iPhone's notice under the contact's name (WA-02)",
        ),
        pytest.param(
            "[05/03/2026 09:00:00] Ana: As mensagens e as ligações são protegidas com a criptografia de ponta a ponta.\n",
            [],
            [("Ana", "As mensagens e as ligações são protegidas com a criptografia de ponta a ponta.")],
            id="the same words written by a person are that person's",
        ),
        pytest.param(
            f"[05/03/2026 09:00:00] Ana: {LRM}Bom dia, a primeira mensagem\n",
            [],
            [("Ana", "Bom dia, a primeira mensagem")],
            id="a mark before other words makes no notice of a real first message",
        ),
        pytest.param(
            f"05/03/2026 14:00 - {ENCRYPTED} Toque para saber mais.\n"
            '05/03/2026 14:01 - Ana criou o grupo "Visita: sexta"\n05/03/2026 14:02 - Bia saiu\n',
            [
                "As mensagens e as ligações são protegidas com a criptografia de ponta a ponta. Toque para saber mais.",
                'Ana criou o grupo "Visita: sexta"',
                "Bia saiu",
            ],
            [],
            id="Android's notices, one with a colon",
        ),
        pytest.param(
            "3/5/26, 9:00 AM - Messages and calls are end-to-end encrypted. Tap to learn more.\n3/5/26, 9:01 AM - Ana: hi\n",
            ["Messages and calls are end-to-end encrypted. Tap to learn more."],
            [("Ana", "hi")],
            id="in English",
        ),
        pytest.param(
            "05/03/2026 14:00 - Ana: Bia mudou o nome do grupo: que nome\n",
            [],
            [("Ana", "Bia mudou o nome do grupo: que nome")],
            id="somebody who tells of a notice",
        ),
        pytest.param(
            f"[05/03/2026 09:00:00] Família: {LRM}Ana adicionou você\n[05/03/2026 09:01:00] Bia: {LRM}Chamada de voz perdida\n",
            ["Ana adicionou você", "Chamada de voz perdida"],
            [],
            id="groups and calls on the iPhone",
        ),
        pytest.param(
            "[3/5/26, 9:00:00 AM] Ana: \u200eYour security code with Ana changed. Learn more.\n"
            "[3/5/26, 9:01:00 AM] Ana: it changed\n",
            ["Your security code with Ana changed. Learn more."],
            [("Ana", "it changed")],
            id="a changed security code",
        ),
    ],
)
def test_notices_have_no_author_and_are_no_evidence(text: str, notices: list[str], said: list[tuple[str, str]]) -> None:
    found = messages(chat(text))
    assert [message.text for message in found if message.person is None] == notices
    assert all(message.automatic == (message.person is None) for message in found)
    assert [(message.person, message.text) for message in found if message.person is not None] == said
    assert not any(mark in (message.person or "") + message.text for message in found for mark in "\u200e\u200f\u202a\u2066")


@pytest.mark.parametrize(
    ("text", "order", "by", "expected"),
    [
        ("03/04/26 08:00 - A: um\n25/04/26 08:00 - A: dois\n", "dmy", "file", ["2026-04-03 08:00", "2026-04-25 08:00"]),
        ("03/04/26 08:00 - A: um\n", "dmy", "assumed", ["2026-04-03 08:00"]),
        (
            f"04/03/26, 2:07{NARROW}PM - A: um\n04/25/26, 2:08{NARROW}PM - A: dois\n",
            "mdy",
            "file",
            ["2026-04-03 14:07", "2026-04-25 14:08"],
        ),
        ("5/3/26 08:00 - A: um\n15/3/26 08:00 - A: dois\n", "dmy", "file", ["2026-03-05 08:00", "2026-03-15 08:00"]),
        ("03/04/26 08:00 - A: um\n04/03/26 08:00 - A: dois\n", "mdy", "sequence", ["2026-03-04 08:00", "2026-04-03 08:00"]),
        ("3/4/26, 2:07 PM - A: um\n", "mdy", "assumed", ["2026-03-04 14:07"]),
        ("03/04/2026, 2:07 pm - A: um\n", "dmy", "assumed", ["2026-04-03 14:07"]),
        ("2026-03-05 08:00 - A: um\n", "ymd", "file", ["2026-03-05 08:00"]),
        ("[05.03.26, 14:07:33] A: um\n[31.03.26, 00:00:01] A: dois\n", "dmy", "file", ["2026-03-05 14:07", "2026-03-31 00:00"]),
        (
            f"[3/13/26, 12:05:00{NBSP}AM] A: um\n[3/13/26, 12:06:00{NBSP}PM] A: dois\n",
            "mdy",
            "file",
            ["2026-03-13 00:05", "2026-03-13 12:06"],
        ),
        (
            "05/03/2026 às 14:07 - A: um\n05/03/2026 às 14:08 - A: dois\n",
            "dmy",
            "assumed",
            ["2026-03-05 14:07", "2026-03-05 14:08"],
        ),
    ],
)
def test_the_order_of_day_and_month_is_one_for_the_whole_file(text: str, order: str, by: str, expected: list[str]) -> None:
    reading = chat(text)
    assert (reading.date_order, reading.date_order_by, times(reading)) == (order, by, expected)
    assert all(message.sent_at and str(message.sent_at.tzinfo) == "America/Sao_Paulo" for message in messages(reading))


def test_a_person_may_choose_the_order() -> None:
    reading = chat("03/04/26 08:00 - A: um\n", order="mdy")
    assert (reading.date_order_by, times(reading)) == ("chosen", ["2026-03-04 08:00"])


def test_a_date_that_does_not_fit_the_files_order_is_listed_and_never_reordered() -> None:
    reading = chat(
        "25/03/26 08:00 - A: um\n03/26/26 08:00 - A: dois\n26/03/26 25:00 - A: três\n"
        "31/02/26 09:00 - A: quatro\n27/03/26 09:00 - A: x\n"
    )
    assert told(reading) == [("A", "um"), ("A", "x")]
    assert [(stray.line, stray.why) for stray in reading.not_understood] == [
        (2, "impossible_date"),
        (3, "impossible_date"),
        (4, "impossible_date"),
    ]


@pytest.mark.parametrize(
    ("words", "text", "names", "kinds"),
    [
        (f"{LRM}<anexado: 0001-PHOTO.jpg>", "", ["0001-PHOTO.jpg"], ["image"]),
        (f"{LRM}<attached: 0002-AUDIO.opus>", "", ["0002-AUDIO.opus"], ["audio"]),
        (f"contrato.pdf • {LRM}3 páginas {LRM}<anexado: 0003-contrato.pdf>", "", ["0003-contrato.pdf"], ["document"]),
        (f"olha a nota {LRM}<anexado: 0004-PHOTO.jpg>", "olha a nota", ["0004-PHOTO.jpg"], ["image"]),
        (f"{LRM}IMG-20260305-WA0001.jpg (arquivo anexado)\nolha isso", "olha isso", ["IMG-20260305-WA0001.jpg"], ["image"]),
        ("VID-20260305-WA0002.mp4 (file attached)", "", ["VID-20260305-WA0002.mp4"], ["video"]),
        ("<Mídia oculta>", "", [""], ["media"]),
        ("<Media omitted>", "", [""], ["media"]),
        (f"{LRM}imagem ocultada", "", [""], ["image"]),
        (f"{LRM}sticker omitted", "", [""], ["sticker"]),
        ("escrevi <anexado: x.jpg> à mão", "escrevi <anexado: x.jpg> à mão", [], []),
        (f"{LRM}<anexado: ..\\..\\etc/passwd>", "", ["passwd"], ["document"]),
    ],
)
def test_attachments_are_named_and_captions_stay(words: str, text: str, names: list[str], kinds: list[str]) -> None:
    (message,) = messages(chat(f"25/03/2026 14:07 - Ana: {words}\n"))
    assert message.text == text
    assert [item.name for item in message.attachments] == names
    assert [item.kind for item in message.attachments] == kinds


@pytest.mark.parametrize(
    ("words", "text", "deleted", "edited"),
    [
        ("Mensagem apagada", "", True, False),
        (f"{LRM}Esta mensagem foi apagada.", "", True, False),
        ("Você apagou esta mensagem", "", True, False),
        (f"{LRM}This message was deleted.", "", True, False),
        ("You deleted this message", "", True, False),
        ("a mensagem apagada era outra", "a mensagem apagada era outra", False, False),
        (f"são 15h {LRM}<Esta mensagem foi editada>", "são 15h", False, True),
        ("at 3pm <This message was edited>", "at 3pm", False, True),
        ("<Esta mensagem foi editada> é o que aparece", "<Esta mensagem foi editada> é o que aparece", False, False),
    ],
)
def test_deleted_and_edited_messages_are_marked(words: str, text: str, deleted: bool, edited: bool) -> None:
    (message,) = messages(chat(f"25/03/2026 14:07 - Ana: {words}\n"))
    assert (message.person, message.text, message.deleted) == ("Ana", text, deleted)
    assert (Mark.EDITED in message.marks) == edited


def test_what_stands_before_the_first_message_is_listed_with_its_line() -> None:
    reading = chat("exportado por mim\n\n" + CHAT)
    assert [(stray.line, stray.why, stray.text) for stray in reading.not_understood] == [
        (1, "before_first_message", "exportado por mim")
    ]


def test_the_same_message_has_the_same_id_in_every_file_and_repetitions_stay_apart() -> None:
    ok = "25/03/2026 14:07 - Ana: ok\n"
    once, twice = messages(chat(ok)), messages(chat("25/03/2026 14:06 - Bia: oi\n" + ok + ok))
    assert once[0].id == twice[1].id
    assert twice[1].id != twice[2].id
    assert chat(CHAT).conversations[0].digest == chat(CHAT.replace("\n", "\r\n")).conversations[0].digest


def test_a_file_without_any_message_is_refused_by_name() -> None:
    with pytest.raises(Unreadable) as refused:
        chat("bom dia\n12:30 - nada\n")
    assert refused.value.code == "no_messages"


@pytest.mark.parametrize(
    ("charset", "guessed"), [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("cp1252", True), ("latin-1", True)]
)
def test_any_charset_is_read_and_a_guess_is_told(charset: str, guessed: bool) -> None:
    reading = read(CHAT.encode(charset), "conversa.txt", Options(ZONE))
    assert told(reading)[1:3] == [("Helena", "Oi, quero agendar uma visita"), ("Loja Centro", "Claro! Qual o bairro?")]
    assert told(reading)[0][1].startswith("As mensagens e as ligações são")
    assert reading.charset_guessed == guessed
