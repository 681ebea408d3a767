"""Small files of each foreign format, and short ways to look at what was read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

from atendimento.ingest.neutral import Format, Options, Reading, Said
from atendimento.ingest.reading import read

ZONE = ZoneInfo("America/Sao_Paulo")
CHAT = (
    "05/03/2026 14:00 - As mensagens e as ligações são protegidas com a criptografia de ponta a ponta.\n"
    "05/03/2026 14:07 - Helena: Oi, quero agendar uma visita\n"
    "05/03/2026 14:09 - Loja Centro: Claro! Qual o bairro?\n"
    "25/03/2026 09:15 - Helena: Moro em Boa Viagem\n"
)


def chat(text: str, *names: str, file_name: str = "conversa.txt", order: str = "") -> Reading:
    return read(text.encode(), file_name, Options(ZONE, order, names), Format.WHATSAPP)


def messages(reading: Reading) -> list[Said]:
    return list(reading.messages)


def told(reading: Reading) -> list[tuple[str | None, str]]:
    """Who said what."""
    return [(message.person, message.text) for message in reading.messages]


def times(reading: Reading) -> list[str]:
    return [message.sent_at.strftime("%Y-%m-%d %H:%M") if message.sent_at else "" for message in reading.messages]


def mail(
    body: str | bytes = "Oi",
    *,
    sender: str = "Ana Exemplo <ana@exemplo.test>",
    kind: str = "text/plain; charset=utf-8",
    **headers: str,
) -> bytes:
    """A mail; `headers` with underscores for dashes. An empty header is left out."""
    fields = {"From": sender, "Date": "Thu, 05 Mar 2026 14:07:00 -0300", "Content-Type": kind}
    fields |= {"Content-Transfer-Encoding": "8bit"} if kind.startswith("text/") else {}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    return head.encode() + b"\n" + (body.encode() if isinstance(body, str) else body)


def one(data: bytes) -> Said:
    """The only message of an `.eml`."""
    (message,) = read(data, "m.eml", Options(ZONE), Format.EML).messages
    return message


def mailbox(*mails: bytes) -> bytes:
    return b"".join(b"From ana@exemplo.test Thu Mar  5 14:07:00 2026\n" + item.rstrip(b"\n") + b"\n\n" for item in mails)


def zipped(entries: Iterable[tuple[str, str | bytes]], **options: Any) -> bytes:
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return held.getvalue()
