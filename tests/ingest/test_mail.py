"""Mails and mailboxes. Each table is of one kind of failure that people had with readers like this one."""

from __future__ import annotations

import pytest

from atendimento.ingest.neutral import Format, Mark, Options, Unreadable
from atendimento.ingest.reading import read
from tests.support.foreign import ZONE, mail, mailbox, one, times, told

ALTERNATIVE = (
    "--b\nContent-Type: text/plain; charset=utf-8\n\n{plain}\n--b\nContent-Type: text/html; charset=utf-8\n\n{html}\n--b--\n"
)


@pytest.mark.parametrize(
    ("label", "raw", "text", "guessed"),
    [
        ("utf-8", bytes.fromhex("6ee36f20726563656269"), "não recebi", True),
        ("iso-8859-1", bytes.fromhex("936ae12070616775656994"), "“já paguei”", False),
        ("x-desconhecido", bytes.fromhex("61c3a7c3a36f"), "ação", True),
        ("utf-8", "ação".encode(), "ação", False),
        ("windows-1252", "“não” – 50€".encode("cp1252"), "“não” – 50€", False),
        ("us-ascii", "não".encode("cp1252"), "não", True),
        ("us-ascii", "não".encode(), "não", True),
        ("iso-8859-1", "não recebi".encode(), "não recebi", True),
        ("", "coração".encode("cp1252"), "coração", True),
        ("", b"plain", "plain", False),
        ("rot13", b"anb", "anb", False),
        ("zlib_codec", "não".encode(), "não", True),
        ("utf-16", "ação".encode("utf-16"), "ação", False),
        ("iso-8859-15", "50€".encode("iso-8859-15"), "50€", False),
    ],
)
def test_a_wrong_charset_never_loses_a_mail(label: str, raw: bytes, text: str, guessed: bool) -> None:
    said = one(mail(raw, kind=f"text/plain; charset={label}" if label else "text/plain"))
    assert said.text == text
    assert (Mark.CHARSET_GUESSED in said.marks) == guessed
    assert not any(0x80 <= ord(char) < 0xA0 for char in said.text)


INLINE = (
    "Em 5 de mar. de 2026, Suporte escreveu:\n\n> Qual é o número do pedido?\n\nÉ o 4521.\n\n"
    "> Podemos trocar por outro modelo?\n\nNão, prefiro o dinheiro de volta.\n"
)


@pytest.mark.parametrize(
    ("body", "own", "quoted"),
    [
        pytest.param(
            INLINE,
            ["É o 4521.", "Não, prefiro o dinheiro de volta."],
            ["Em 5 de mar. de 2026, Suporte escreveu:", "Qual é o número", "Podemos trocar por outro modelo?"],
            id="answers between the quoted questions (IE-02)",
        ),
        pytest.param(
            "Pode ser sexta.\n\nOn Thu, Mar 5, 2026 at 2:07 PM Suporte <s@loja.test>\nwrote:\n> Quinta ou sexta?\n",
            ["Pode ser sexta."],
            ["On Thu, Mar 5", "wrote:", "Quinta ou sexta?"],
            id="an English announcement over two lines",
        ),
        pytest.param(
            "Sim.\n\n-----Mensagem original-----\nDe: Suporte\nEnviada em: quinta\nPara: Ana\n\nConfirma quinta?\n",
            ["Sim."],
            ["Confirma quinta?", "De: Suporte"],
            id="Outlook's original below, without any mark before its lines",
        ),
        pytest.param(
            "Sim.\n\nDe: Suporte <s@loja.test>\nEnviado: quinta-feira\nPara: Ana\nAssunto: Visita\n\nConfirma quinta?\n",
            ["Sim."],
            ["Confirma quinta?"],
            id="the same without the line of dashes",
        ),
        pytest.param(
            "Segue.\n\n---------- Forwarded message ---------\nFrom: Bia\n\nO valor é 300.\n",
            ["Segue."],
            ["O valor é 300."],
            id="what is passed on is somebody else's",
        ),
        pytest.param(
            "Ok!\n\nEm qui., 5 de mar. de 2026 às 14:07, Suporte <s@loja.test> escreveu:\nQuinta ou sexta?\n",
            ["Ok!"],
            ["Quinta ou sexta?"],
            id="a dated announcement whose quotation lost its marks",
        ),
        pytest.param(
            "Em casa meu pai escreveu:\nnão comprem nada\n",
            ["Em casa meu pai escreveu:", "não comprem nada"],
            [],
            id="a sentence that only sounds like an announcement",
        ),
        pytest.param(
            "De: é com a gente mesmo\nDe novo, sem resposta.\n",
            ["De: é com a gente mesmo", "De novo, sem resposta."],
            [],
            id="a line that begins like a header is none alone",
        ),
        pytest.param(
            ">> antes\n> depois\n  > recuado\nresposta > 10\n-- \nAna Exemplo\nTel. 3333-0000\n",
            ["resposta > 10", "Ana Exemplo", "Tel. 3333-0000"],
            ["antes", "depois", "recuado"],
            id="levels of quoting; the signature is the sender's own",
        ),
    ],
)
def test_quoted_parts_are_kept_and_are_no_evidence(body: str, own: list[str], quoted: list[str]) -> None:
    said = one(mail(body))
    assert said.text == body.strip("\n")

    def is_quotable(words: str) -> bool:
        at = said.text.index(words)
        return not any(low < at + len(words) and at < high for low, high in said.unquotable)

    assert [words for words in own if not is_quotable(words)] == []
    assert [words for words in quoted if is_quotable(words)] == []
    assert all(0 <= low < high <= len(said.text) for low, high in said.unquotable)


@pytest.mark.parametrize(
    ("headers", "kind", "automatic"),
    [
        ({"Auto_Submitted": "auto-replied"}, "text/plain", True),
        ({"Auto_Submitted": "auto-generated; owner-email=x@y.test"}, "text/plain", True),
        ({"Auto_Submitted": "no"}, "text/plain", False),
        ({"Auto_Submitted": "No"}, "text/plain", False),
        ({"Return_Path": "<>"}, "text/plain", True),
        ({"Return_Path": "<ana@exemplo.test>"}, "text/plain", False),
        ({}, "multipart/report; boundary=b; report-type=delivery-status", True),
        ({"Precedence": "bulk"}, "text/plain", True),
        ({"Precedence": "list"}, "text/plain", False),
        ({"X_Autoreply": "yes"}, "text/plain", True),
        ({"From": "MAILER-DAEMON@loja.test"}, "text/plain", True),
    ],
)
def test_what_a_machine_sent_is_marked_automatic(headers: dict[str, str], kind: str, automatic: bool) -> None:
    body = (
        "--b\nContent-Type: text/plain\n\nMailbox unavailable\n--b--\n" if kind.startswith("multipart") else "Estou de férias."
    )
    assert one(mail(body, kind=kind, **headers)).automatic == automatic


@pytest.mark.parametrize(
    ("date", "received", "moment", "mark"),
    [
        ("Thu, 05 Mar 2026 14:07:40 -0300", "", "2026-03-05 14:07", None),
        ("5 Mar 2026 17:07:40 GMT", "", "2026-03-05 14:07", None),
        ("Thu, 05 Mar 2026 17:07:40 -0000", "", "2026-03-05 14:07", None),
        ("qui, 5 mar 2026 14:07 -03", "Thu, 05 Mar 2026 17:07:40 +0000", "2026-03-05 14:07", Mark.DATE_ESTIMATED),
        ("Thu, 01 Jan 1970 00:00:00 +0000", "Thu, 05 Mar 2026 17:07:40 +0000", "2026-03-05 14:07", Mark.DATE_ESTIMATED),
        ("", "Thu, 05 Mar 2026 17:07:40 +0000 (UTC)", "2026-03-05 14:07", Mark.DATE_ESTIMATED),
        ("Thu, 05 Mar 2026 14:07:40", "", "2026-03-05 14:07", Mark.DATE_ESTIMATED),
        ("ontem", "sem data", "", Mark.DATE_MISSING),
        ("Thu, 99 Mar 2026 14:07:40 -0300", "", "", Mark.DATE_MISSING),
        ("Thu, 05 Mar 2026 14:07:40 +9999", "", "", Mark.DATE_MISSING),
    ],
)
def test_a_broken_date_is_taken_from_a_server_and_marked(date: str, received: str, moment: str, mark: Mark | None) -> None:
    said = one(mail("Oi", Date=date, Received=f"from a.test by b.test; {received}" if received else ""))
    assert (said.sent_at.astimezone(ZONE).strftime("%Y-%m-%d %H:%M") if said.sent_at else "") == moment
    assert said.marks & {Mark.DATE_ESTIMATED, Mark.DATE_MISSING} == ({mark} if mark else set())


HOSTILE = (
    '<p>Oi</p><img src=x onerror=alert(1)><svg><a xlink:href="java&#9;script:alert(1)"><text>clique</text></a></svg>'
    '<img src="https://rastreio.exemplo.test/p.gif">'
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            HOSTILE,
            "Oi\n\nclique",
        ),
        ("um<br>dois<div>três</div>quatro", "um\ndois\ntrês\nquatro"),
        ("<head><title>t</title><style>p{}</style></head><body>corpo<script>alert(1)</script></body>", "corpo"),
        ("Sim<blockquote>Confirma?<br>Quinta</blockquote>obrigada", "Sim\n> Confirma?\n> Quinta\nobrigada"),
        ("a &lt;b&gt; &amp;amp; c&nbsp;d", "a <b> &amp; c\u00a0d"),
        ("1 < 2 e 3 > 2 <3", "1 < 2 e 3 > 2 <3"),
        ("<ul><li>um<li>dois</ul>", "- um\n- dois"),
        ("<table><tr><td>Pedido</td><td>4521</td></tr></table>", "Pedido 4521"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("antes <!-- nada --> depois <!-- sem fim", "antes depois"),
        ("<a href='x>y'>link</a> <p title=\"a>b\">fim", "link\nfim"),
        ("texto <b", "texto"),
    ],
)
def test_markup_becomes_words(html: str, text: str) -> None:
    said = one(mail(html, kind="text/html; charset=utf-8"))
    assert said.text == text
    assert Mark.FROM_HTML in said.marks


@pytest.mark.parametrize(
    ("plain", "html", "text", "from_html"),
    [("simples", "<p>rico</p>", "simples", False), ("", "<p>rico</p>", "rico", True), ("  \n", "<b>rico</b>", "rico", True)],
)
def test_of_alternatives_the_plain_one_is_taken_where_it_says_anything(
    plain: str, html: str, text: str, from_html: bool
) -> None:
    said = one(mail(ALTERNATIVE.format(plain=plain, html=html), kind="multipart/alternative; boundary=b"))
    assert (said.text, Mark.FROM_HTML in said.marks) == (text, from_html)


def test_attachments_are_named_and_a_mail_inside_a_mail_is_one() -> None:
    body = (
        "--b\nContent-Type: text/plain; charset=utf-8\n\nSegue a nota.\n"
        "--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''nota%20n%C2%BA1.pdf\n\n%PDF\n"
        '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="../../log.txt"\n\nnada disto\n'
        "--b\nContent-Type: message/rfc822\n\nSubject: antigo\nFrom: bia@x.test\n\nwords of another\n--b--\n"
    )
    said = one(mail(body, kind="multipart/mixed; boundary=b"))
    assert said.text == "Segue a nota."
    assert [(item.name, item.kind) for item in said.attachments] == [
        ("nota nº1.pdf", "document"),
        ("log.txt", "document"),
        ("antigo", "mail"),
    ]


@pytest.mark.parametrize(
    ("sender", "key", "name"),
    [
        ("Ana Exemplo <Ana@Exemplo.Test>", "ana@exemplo.test", "Ana Exemplo"),
        ("=?utf-8?Q?Jo=C3=A3o=2C_da_Loja?= <joao@x.test>", "joao@x.test", "João, da Loja"),
        ("=?iso-8859-1?Q?Jos=E9?= <jose@x.test>", "jose@x.test", "José"),
        ("jose@x.test", "jose@x.test", "jose@x.test"),
        ('"Exemplo, Ana" <ana@x.test>', "ana@x.test", "Exemplo, Ana"),
        ("Sem endereço", "Sem endereço", "Sem endereço"),
        ("", None, None),
    ],
)
def test_who_sent_it(sender: str, key: str | None, name: str | None) -> None:
    reading = read(mail("Oi", sender=sender), "m.eml", Options(ZONE), Format.EML)
    assert [(person.key, person.name) for person in reading.people] == ([(key, name)] if key else [])
    (said,) = reading.messages
    assert said.automatic == (key is None)


def test_a_mailbox_with_sentences_that_begin_with_from_and_a_broken_date() -> None:
    broken = mail("B", Date="qui, 5 mar 2026 14:07 -03", Received="from a.test by b.test; Thu, 05 Mar 2026 17:07:40 +0000")
    last = mail(
        "olá\n\nFrom agora em diante, só por e-mail.\n>From o começo, pedi nota.", Date="Thu, 05 Mar 2026 15:00:00 -0300"
    )
    data = mailbox(mail("A", Subject="Re: Pedido 4521", Date="Thu, 05 Mar 2026 14:00:00 -0300"), broken, last)
    reading = read(data, "caixa.mbox", Options(ZONE))
    assert reading.format is Format.MBOX
    assert [words for _person, words in told(reading)] == [
        "A",
        "B",
        "olá\n\nFrom agora em diante, só por e-mail.\nFrom o começo, pedi nota.",
    ]
    assert times(reading) == ["2026-03-05 14:00", "2026-03-05 14:07", "2026-03-05 15:00"]
    assert [Mark.DATE_ESTIMATED in said.marks for said in reading.messages] == [False, True, False]
    assert reading.conversations[0].subject == "Pedido 4521"
    assert reading.not_understood == ()


@pytest.mark.parametrize(
    ("between", "count"),
    [
        (b"From bia@x.test Thu Mar  5 15:00:00 2026\nFrom: bia@x.test\n\nB\n", 2),
        (b"From - Thu Mar  5 15:00:00 2026\nX-Mozilla-Status: 0001\nFrom: bia@x.test\n\nB\n", 2),
        (b"From bia@x.test Thu, 5 Mar 2026 15:00:00 +0000\nFrom: bia@x.test\n\nB\n", 2),
        (b"From bia at x.test Thu Mar  5 15:00:00 2026\nFrom: bia@x.test\n\nB\n", 2),
        (b"From bia@x.test\nFrom: bia@x.test\n\nB\n", 2),
        (b"From Thu Mar  5 on, nobody came\nnota: sem\n", 1),
        (b"From bia@x.test Thu Mar  5 15:00:00 2026\nthat is what she wrote to me\n", 1),
        (b"From hoje em diante\n", 1),
    ],
)
def test_where_a_mail_of_a_mailbox_begins(between: bytes, count: int) -> None:
    data = mailbox(mail("A")) + between
    assert len(list(read(data, "x.mbox", Options(ZONE)).messages)) == count


def test_mails_are_in_the_order_they_were_sent_and_a_copy_counts_once() -> None:
    first = mail("primeiro", Date="Thu, 05 Mar 2026 14:00:00 -0300", Message_ID="<1@x.test>")
    second = mail("segundo", Date="Thu, 05 Mar 2026 15:00:00 -0300", Message_ID="<2@x.test>")
    assert [text for _, text in told(read(mailbox(second, first, second), "x.mbox", Options(ZONE)))] == ["primeiro", "segundo"]


def test_the_same_mail_has_one_id_alone_and_in_a_mailbox_however_it_was_escaped() -> None:
    plain = mail("olá\n\nFrom o começo, pedi nota.", Message_ID="<1@x.test>")
    escaped = plain.replace(b"\nFrom o", b"\n>From o")
    alone = one(plain.replace(b"\n", b"\r\n"))
    (boxed,) = read(mailbox(escaped), "x.mbox", Options(ZONE)).messages
    assert (alone.id, alone.text) == (boxed.id, boxed.text)
    assert Format.EML.source == Format.MBOX.source


def test_one_broken_mail_does_not_stop_the_mailbox() -> None:
    deep = b"Content-Type: multipart/mixed; boundary=b0\nFrom: x@x.test\n\n"
    for level in range(600):
        deep += b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (level, level + 1)
    reading = read(mailbox(mail("A"), deep, mail("B")), "x.mbox", Options(ZONE))
    assert [text for _, text in told(reading)] == ["A", "B"]
    (stray,) = reading.not_understood
    assert (stray.why, stray.line) == ("mail_damaged", 9)


def test_a_mail_beyond_the_longest_message_is_refused_with_its_line() -> None:
    with pytest.raises(Unreadable) as refused:
        one(mail("a" * 100_001))
    assert (refused.value.code, refused.value.data) == ("too_long", {"line": 1})
