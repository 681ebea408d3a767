"""The words that WhatsApp itself writes into an exported chat, in Portuguese and English."""

from __future__ import annotations

import re
from typing import Final

from atendimento.ingest.neutral import DIRECTION_MARKS, Attachment, base_name

_MARKS: Final = "\u200e\u200f"

# Notices. On iPhones they carry the chat's name as their author, and a direction mark before the words.
_NOTICE: Final = re.compile(
    r"""
      as\ mensagens\ e\ (?:as\ )?(?:ligações|chamadas)\ .*criptografia
    | as\ mensagens\ (?:deste\ grupo|que\ você\ enviar|enviadas).*criptografia
    | messages\ (?:and\ calls\ are|to\ this\ (?:chat|group)).*end-to-end
    | (?:[^:]{1,80}\ )?(?:criou\ (?:este|o)\ grupo|criou\ a\ comunidade|created\ (?:this\ group|group|the\ group|community))
    | [^:]{1,80}\ (?:adicionou|removeu)\ [^:]{1,200}$
    | [^:]{1,80}\ (?:added|removed)\ [^:]{1,200}$
    | [^:]{1,80}\ (?:saiu|left|entrou\ usando\ o\ link.*|joined\ using\ .*invite\ link|foi\ adicionad[oa]|was\ added)\.?$
    | (?:[^:]{1,80}\ )?(?:mudou|alterou|atualizou)\ (?:
          o\ (?:nome|assunto|ícone|número) | a\ (?:descrição|imagem) | as\ configurações | de\ número | para)
    | (?:[^:]{1,80}\ )?(?:changed|updated)\ (?:
          the\ (?:subject|group|description|settings|message\ timer|security) | this\ group | their\ phone\ number | to)
    | (?:o\ )?(?:seu\ )?código\ de\ segurança\ (?:com\ .*\ )?mudou
    | your\ security\ code\ with\ .*\ changed
    | (?:você\ )?(?:bloqueou|desbloqueou)\ (?:este|esse)\ contato | you\ (?:un)?blocked\ this\ contact
    | as\ mensagens\ temporárias\ (?:foram|estão) | disappearing\ messages\ (?:were|are)
    | .{0,80}(?:agora\ é|é\ agora)\ (?:admin|administrador) | .{0,80}\ (?:is|are)\ now\ an?\ admin
    | est[ae]\ (?:empresa|conversa|conta)\ (?:usa|está|trabalha|é\ uma) | this\ (?:business|chat)\ (?:uses|is|works)
    | (?:ligação|chamada)\ (?:de\ (?:voz|vídeo)\ )?(?:perdida|não\ atendida) | missed\ (?:voice|video|group)?\ ?call
    | (?:ligação|chamada)\ de\ (?:voz|vídeo)(?:[.,]|\ •|$) | (?:voice|video)\ call(?:[.,]|\ •|$)
    | aguardando\ (?:esta\ )?mensagem | waiting\ for\ this\ message
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# These carry no author on Android, yet may hold a colon; nothing that a person writes begins like them.
_PLAIN_NOTICE: Final = re.compile(
    r"""
      as\ mensagens\ e\ (?:as\ )?(?:ligações|chamadas)\ .*criptografia
    | messages\ and\ calls\ are\ end-to-end
    | [^:]{1,80}\ (?:mudou|alterou)\ (?:o\ nome|o\ assunto|a\ descrição)\ d[eo]\b
    | [^:]{1,80}\ changed\ the\ (?:subject|group\ (?:name|description)|description)
    | [^:]{1,80}\ criou\ (?:o\ grupo|a\ comunidade)\ ["“] | [^:]{1,80}\ created\ (?:group|community)\ ["“]
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_DELETED: Final = re.compile(
    r"(?:esta\ )?mensagem\ (?:foi\ )?apagada(?:\ por\ .{1,80})?\.?|(?:você\ )?apagou\ esta\ mensagem\.?"
    r"|this\ message\ was\ deleted(?:\ by\ .{1,80})?\.?|you\ deleted\ this\ message\.?|message\ deleted\.?",
    re.IGNORECASE,
)
_EDITED: Final = re.compile(r"<(?:esta mensagem foi editada|mensagem editada|this message was edited)\.?>\Z", re.IGNORECASE)

_KINDS: Final = {
    "imagem": "image", "foto": "image", "image": "image", "photo": "image",
    "vídeo": "video", "video": "video", "mensagem de vídeo": "video", "video note": "video",
    "áudio": "audio", "audio": "audio", "mensagem de voz": "audio",
    "documento": "document", "document": "document",
    "figurinha": "sticker", "sticker": "sticker", "gif": "gif",
    "cartão do contato": "contact", "contato": "contact", "contact card": "contact",
    "mídia": "media", "media": "media",
}  # fmt: skip
_LEFT_OUT: Final = re.compile(
    rf"<?(?:arquivo de )?({'|'.join(map(re.escape, _KINDS))}) (?:ocult[oa]d?[oa]?|omitid[oa]|omitted)>?\.?", re.IGNORECASE
)
_MARKED: Final = re.compile(r"\u200e<(?:anexado|attached):\s*([^<>\n]{1,200})>", re.IGNORECASE)  # the iPhone's
_ENCLOSED: Final = (
    re.compile(r"<(?:anexado|attached):\s*([^<>\n]{1,200})>", re.IGNORECASE),
    re.compile(r"([^\n]{1,200}\.\w{1,5})\s+\((?:arquivo anexado|file attached)\)", re.IGNORECASE),
    re.compile(r"([^\n]{1,200}\.\w{1,5})\s+<(?:anexado|attached)>", re.IGNORECASE),
)
_PAGES: Final = re.compile(r"[^\n]{1,200} • \d+ (?:páginas?|pages?)")


def is_notice(text: str) -> bool:
    """Whether WhatsApp itself speaks, in words that stand under somebody's name.

    The direction mark at their front is what tells: a person who writes the same words does not write it.
    """
    return text[:1] in _MARKS and _NOTICE.match(plain(text)) is not None


def is_plain_notice(text: str) -> bool:
    """The same where no name stands before the words."""
    return _PLAIN_NOTICE.match(plain(text)) is not None


def is_deleted(text: str) -> bool:
    return _DELETED.fullmatch(plain(text).strip()) is not None


def take_edited(text: str) -> tuple[str, bool]:
    """The text without the remark that it was edited, and whether it had one."""
    bare = text.rstrip("\u200e\u200f \n")
    found = _EDITED.search(bare, max(0, len(bare) - 60))
    return (bare[: found.start()].rstrip("\u200e\u200f \n"), True) if found else (text, False)


def take_attachment(text: str) -> tuple[str, tuple[Attachment, ...]]:
    """The caption, without direction marks, and the file that the text names or says was left out.

    What names a file is the whole first line, or stands behind a direction mark: a person who types the same is quoted.
    """
    marked = _MARKED.search(text)
    if marked:
        name = base_name(marked[1])
        caption = plain(text[: marked.start()] + text[marked.end() :]).strip()
        return "" if _PAGES.fullmatch(caption) else caption, (Attachment(name, kind_of(name)),)
    bare = plain(text)
    first, _newline, rest = bare.partition("\n")
    line = first.strip()
    for pattern in _ENCLOSED:
        found = pattern.fullmatch(line)
        if found:
            name = base_name(found[1])
            return rest.strip("\n"), (Attachment(name, kind_of(name)),)
    found = _LEFT_OUT.fullmatch(line)
    if found:
        return rest.strip("\n"), (Attachment("", _KINDS[found[1].lower()]),)
    return bare, ()


def kind_of(name: str) -> str:
    suffix = name.rpartition(".")[2].lower()
    for kind, suffixes in (
        ("image", "jpg jpeg png heic webp gif"),
        ("video", "mp4 mov 3gp mkv"),
        ("audio", "opus ogg m4a mp3 aac amr wav"),
        ("contact", "vcf"),
    ):
        if suffix in suffixes.split():
            return "sticker" if suffix == "webp" else kind
    return "document"


def plain(text: str) -> str:
    """Without direction marks."""
    return text.translate(DIRECTION_MARKS)
