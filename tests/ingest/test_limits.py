"""What is too much, what is damaged, and that nothing at all makes a reader fall over."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atendimento.ingest import neutral
from atendimento.ingest.markup import to_text
from atendimento.ingest.neutral import Format, Options, Reading, Unreadable
from atendimento.ingest.quoting import unquotable
from atendimento.ingest.reading import read
from atendimento.ingest.summary import Staff, summarize
from tests.support.foreign import CHAT, ZONE, chat, mail, mailbox, told, zipped

OPTIONS = Options(ZONE)
TITLE = "Conversa do WhatsApp com Helena.txt"


def test_a_zip_gives_its_chat_and_counts_the_media() -> None:
    data = zipped([("_chat.txt", CHAT), ("IMG-1.jpg", b"\xff\xd8"), ("sub/nota.pdf", b"%PDF")])
    reading = read(data, "WhatsApp Chat - Helena.zip", OPTIONS)
    assert told(reading)[1] == ("Helena", "Oi, quero agendar uma visita")
    assert (reading.files_enclosed, reading.counterpart) == (2, "Helena")


def test_a_text_that_somebody_sent_is_not_taken_for_the_chat() -> None:
    reading = read(zipped([("lista.txt", "x"), (TITLE, CHAT)]), "a.zip", OPTIONS)
    assert reading.counterpart == "Helena"


ZIPS = {
    "zip_nested": zipped([("outra.zip", zipped([("_chat.txt", CHAT)]))]),
    "zip_without_chat": zipped([("foto.jpg", b"x")]),
    "zip_several_chats": zipped([("a.txt", CHAT), ("b.txt", CHAT)]),
    "zip_bad_path": zipped([("../../_chat.txt", CHAT)]),
    "zip_bomb": zipped([("_chat.txt", "a" * 2_000_000)]),
    "zip_damaged": zipped([("_chat.txt", CHAT)])[:-30],
    "zip_too_many_files": zipped([(f"{n}.jpg", b"") for n in range(20_001)]),
}


@pytest.mark.parametrize(
    ("code", "data"),
    [
        *ZIPS.items(),
        ("zip_bad_path", zipped([("C:\\x.txt", CHAT)])),
        ("zip_bad_path", zipped([("/etc/x.txt", CHAT)])),
        ("zip_damaged", zipped([("_chat.txt", CHAT * 50)]).replace(CHAT.encode()[:2], b"??")[:200] + b"PK"),
    ],
)
def test_a_bad_zip_is_refused_by_name(code: str, data: bytes) -> None:
    with pytest.raises(Unreadable) as refused:
        read(data, "a.zip", OPTIONS)
    assert refused.value.code == code


def test_media_are_never_unpacked() -> None:
    data = zipped([("_chat.txt", CHAT), ("bomba.mp4", b"\0" * 60_000_000)])
    begun = time.perf_counter()
    assert read(data, "a.zip", OPTIONS).files_enclosed == 1
    assert time.perf_counter() - begun < 2


@pytest.mark.parametrize(
    ("data", "form", "code"),
    [
        (b"", None, "file_empty"),
        (b" \n\0\n", None, "file_empty"),
        (b"a" * (neutral.MAX_FILE + 1), None, "file_too_large"),
        (b"qualquer coisa\nsem forma", None, "unknown_format"),
        (zipped([("_chat.txt", CHAT)]), Format.MBOX, "zip_not_whatsapp"),
        (b"bom dia", Format.MBOX, "no_messages"),
        (b"bom dia", Format.JSONL, "no_messages"),
        (b"\n\n", Format.EML, "file_empty"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_by_name(data: bytes, form: Format | None, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(data, "x", OPTIONS, form)
    assert refused.value.code == code


@pytest.mark.parametrize("form", list(Format))
def test_more_messages_than_can_be_taken_are_refused(form: Format) -> None:
    said = [{"author": "customer", "text": str(n)} for n in range(4)]
    files = {
        Format.WHATSAPP: CHAT.encode(),
        Format.MBOX: mailbox(*(mail(str(n)) for n in range(4))),
        Format.JSONL: json.dumps({"id": "d", "messages": said}).encode(),
        Format.EML: b"",
    }
    if form is Format.EML:
        return
    with pytest.raises(Unreadable) as refused:
        read(files[form], "x", Options(ZONE, max_messages=3), form)
    assert (refused.value.code, refused.value.data) == ("too_many_messages", {"most": 3})


def test_a_message_that_is_too_long_is_left_out_with_its_line() -> None:
    reading = chat("25/03/2026 14:07 - A: oi\n25/03/2026 14:08 - A: " + "a" * 100_001 + "\n25/03/2026 14:09 - A: fim\n")
    assert told(reading) == [("A", "oi"), ("A", "fim")]
    assert [(stray.line, stray.why) for stray in reading.not_understood] == [(2, "too_long")]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x.txt", CHAT.encode(), Format.WHATSAPP),
        ("x.eml", mail("Oi"), Format.EML),
        ("x", mail("Oi").replace(b"\n", b"\r\n"), Format.EML),
        ("x.txt", mailbox(mail("Oi")), Format.MBOX),
        ("x.eml", mailbox(mail("Oi")), Format.MBOX),
        ("x.txt", b'\xef\xbb\xbf{"id": "d", "messages": [{"author": "customer", "text": "oi"}]}', Format.JSONL),
        ("x.zip", zipped([("_chat.txt", CHAT)]), Format.WHATSAPP),
        ("x.mbox", ("\ufeff" + CHAT).encode(), Format.WHATSAPP),
    ],
)
def test_the_format_is_told_by_what_the_file_holds(name: str, data: bytes, expected: Format) -> None:
    assert read(data, name, OPTIONS).format is expected


# --- dialogues ----------------------------------------------------------------------------------------------------


def dialogue(**changes: Any) -> dict[str, Any]:
    return {"id": "d-1", "domain": "pizza", "messages": [{"id": "m1", "author": "customer", "text": "Oi"}]} | changes


def lines(*documents: Any) -> bytes:
    return "\n".join(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in documents).encode()


def test_each_line_is_a_conversation_of_its_own() -> None:
    second = dialogue(
        id="d-2", messages=[{"author": "agent", "text": "Olá"}, {"author": "customer", "text": "Olá", "name": "Bia"}]
    )
    reading = read(lines(dialogue(), second), "x.jsonl", OPTIONS)
    assert [(item.subject, len(item.messages)) for item in reading.conversations] == [("pizza · d-1", 1), ("pizza · d-2", 2)]
    assert [(person.key, person.preset) for person in reading.people] == [
        ("customer", "customer"),
        ("agent", "agent"),
        ("customer:Bia", "customer"),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not_json"),
        ('{"id": "a", "id": "b", "messages": []}', "not_json"),
        ('{"messages": [{"author": "customer", "text": "\\ud800"}]}', "not_json"),
        ("[]", "no_messages_in_line"),
        (dialogue(messages=[]), "no_messages_in_line"),
        (dialogue(messages=[{"author": "registry", "text": "x"}]), "unknown_author"),
        (dialogue(messages=[{"author": "customer"}]), "message_without_text"),
        (dialogue(messages=[{"author": "customer", "text": "x", "sent_at": "ontem"}]), "impossible_date"),
        (dialogue(messages=[{"author": "customer", "text": "x" * 100_001}]), "too_long"),
        (dialogue(), "same_dialogue_again"),
    ],
)
def test_a_line_that_is_no_dialogue_is_listed_and_the_others_are_taken(line: Any, why: str) -> None:
    reading = read(lines(dialogue(), line), "x.jsonl", OPTIONS, Format.JSONL)
    assert len(reading.conversations) == 1
    assert [(stray.line, stray.why) for stray in reading.not_understood] == [(2, why)]


# --- anything at all ----------------------------------------------------------------------------------------------


def survives(data: bytes, form: Format | None) -> Reading | None:
    try:
        reading = read(data, "x.zip", OPTIONS, form)
    except Unreadable:
        return None
    json.dumps(summarize(reading, Staff()), ensure_ascii=False).encode()
    for message in reading.messages:
        message.text.encode()
        assert all("\0" not in (name := item.name + item.kind) and name.encode() for item in message.attachments if item.name)
        assert "\0" not in message.text
        assert all(0 <= low < high <= len(message.text) for low, high in message.unquotable)
        assert message.sent_at is None or message.sent_at.utcoffset() is not None
    ids = [message.id for message in reading.messages]
    assert len(ids) == len(set(ids))
    assert {message.person for message in reading.messages} - {None} == {person.key for person in reading.people}
    return reading


PIECES = [
    *("From: a@b.test", "From a@b.test Thu Mar  5 14:07:00 2026", "Date: x", "Content-Type: multipart/mixed; boundary=b"),
    *("Content-Type: text/html; charset=utf-7", "Content-Transfer-Encoding: base64", "--b", "--b--", "", " ", ">From x", "> a"),
    *("Content-Type: text/plain; charset*=utf-8''%ff", "Subject: =?utf-8?B?!!!?=", "From: =?x?Q?=ff?= <", "Received: ; ;"),
    *(
        "05/03/2026 14:07 - A: b",
        "[05/03/2026, 14:07:00] A: \u200e<anexado: x>",
        "99/99/99 99:99 - A: b",
        "05/03/2026 14:07 - ",
    ),
    *('{"messages": [{"author": "customer", "text": "x"}]}', "<b>", "<blockquote>", "Em 5 de março escreveu:", "\ud83d", "\0"),
    *("Content-Type: message/rfc822", "Content-Disposition: attachment; filename*0*=a; filename*1=b", "MIME-Version: 1.0"),
]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([None, *Format]))
def test_no_bytes_make_a_reader_fall_over(data: bytes, form: Format | None) -> None:
    survives(data, form)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=25), st.sampled_from(list(Format)))
def test_no_arrangement_of_real_lines_makes_a_reader_fall_over(pieces: list[str], form: Format) -> None:
    survives("\n".join(pieces).encode("utf-8", "surrogatepass"), form)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_damage_to_a_zip_makes_the_reader_fall_over(damage: bytes, at: int) -> None:
    whole = zipped([("_chat.txt", CHAT), ("a.jpg", b"x")])
    survives(whole[:at] + damage + whole[at + len(damage) :], None)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_markup_makes_words_of_its_own(markup: str) -> None:
    unquotable(to_text(markup))


@pytest.mark.parametrize(
    "piece", ["<!--", "<", "<a ", "&", "<![CDATA[", "<blockquote>", "<?", "</", "<script>", '<a href="', "<template>"]
)
def test_time_grows_with_the_size_and_not_with_its_square(piece: str) -> None:
    begun = time.perf_counter()
    to_text(piece * (100_000 // len(piece)))
    assert time.perf_counter() - begun < 5
