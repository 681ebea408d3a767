"""Codes of imports to sentences, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento.selectors.parts import Option

FORMATS: Final[Mapping[str, Promise]] = {
    "whatsapp": gettext_lazy("WhatsApp export"),
    "eml": gettext_lazy("mail"),
    "mbox": gettext_lazy("mailbox"),
    "jsonl": gettext_lazy("dialogues (JSON Lines)"),
}
ROLES: Final[Mapping[str, Promise]] = {
    "customer": gettext_lazy("Customer"),
    "agent": gettext_lazy("Staff"),
    "third_party": gettext_lazy("Third party"),
    "assistant": gettext_lazy("Automatic assistant"),
    "system": gettext_lazy("Nobody: a notice"),
}
ORDERS: Final[Mapping[str, Promise]] = {
    "dmy": gettext_lazy("day before month"),
    "mdy": gettext_lazy("month before day"),
    "ymd": gettext_lazy("year, month, day"),
}
WHY: Final[Mapping[str, Promise]] = {
    "before_first_message": gettext_lazy("stands before the first message"),
    "impossible_date": gettext_lazy("a date or time that does not exist in the file's order"),
    "too_long": gettext_lazy("longer than 100,000 characters"),
    "mail_damaged": gettext_lazy("a damaged mail"),
    "markup_too_long": gettext_lazy("more HTML than can be read"),
    "not_json": gettext_lazy("no valid JSON"),
    "no_messages_in_line": gettext_lazy("no messages in it"),
    "message_without_text": gettext_lazy("a message without text"),
    "unknown_author": gettext_lazy("an author that is not known"),
    "same_dialogue_again": gettext_lazy("the same dialogue again"),
}
FILE_PROBLEMS: Final[Mapping[str, Promise]] = {
    "file_empty": gettext_lazy("The file is empty."),
    "file_missing": gettext_lazy("Choose a file first."),
    "file_too_large": gettext_lazy("The file is larger than %(most)s."),
    "unknown_format": gettext_lazy("This is no WhatsApp export, mail, mailbox or list of dialogues."),
    "no_messages": gettext_lazy("No message was found in the file."),
    "too_many_messages": gettext_lazy("The file holds more than %(most)s messages. Split it."),
    "too_many_conversations": gettext_lazy("The file holds more than %(most)s conversations. Split it."),
    "too_many_people": gettext_lazy("More than %(most)s people write in this file. Split it."),
    "too_long": gettext_lazy("The message at line %(line)s is longer than 100,000 characters."),
    "mail_damaged": gettext_lazy("The mail at line %(line)s is damaged and cannot be read."),
    "markup_too_long": gettext_lazy("The mail holds more HTML than can be read."),
    "zip_damaged": gettext_lazy("The zip is damaged."),
    "zip_encrypted": gettext_lazy("“%(name)s” in the zip is locked with a password."),
    "zip_bomb": gettext_lazy("“%(name)s” in the zip unpacks to more than %(most)s, or shrinks as no chat does."),
    "zip_nested": gettext_lazy("The zip holds another zip, “%(name)s”, and no chat. Unpack it first."),
    "zip_without_chat": gettext_lazy("The zip holds no chat: a .txt is missing."),
    "zip_several_chats": gettext_lazy("The zip holds several texts that could be the chat: %(names)s."),
    "zip_bad_path": gettext_lazy("A name in the zip leads out of it: “%(name)s”."),
    "zip_too_many_files": gettext_lazy("The zip holds more than %(most)s files."),
    "zip_not_whatsapp": gettext_lazy("Only a WhatsApp export may be a zip."),
    "ticket_gone": gettext_lazy("The ticket is no longer there."),
    "ticket_type.unknown": gettext_lazy("The ticket type is no longer published."),
}
FAULTS: Final[Mapping[str, Promise]] = {
    "import.role_missing": gettext_lazy("Say who %(name)s is."),
    "import.no_customer": gettext_lazy("Say who the customer is."),
    "import.several_conversations": gettext_lazy("Each conversation of this file becomes a ticket of its own."),
    "import.unknown_ticket": gettext_lazy("There is no ticket with this protocol."),
    "import.merged_ticket": gettext_lazy("This ticket was merged into another one: choose that one."),
    "import.not_in_preview": gettext_lazy("This import was begun already."),
    "ticket_type.unknown": gettext_lazy("Choose a ticket type."),
}
MARKS: Final[Mapping[str, Promise]] = {
    "date_estimated": gettext_lazy("estimated date"),
    "date_missing": gettext_lazy("no date of its own"),
    "charset_guessed": gettext_lazy("character set guessed"),
}
UNDO: Final[Mapping[str, Promise]] = {
    "import.in_use": gettext_lazy(
        "Decisions in ticket %(protocol)s rest on %(messages)s. "
        "Their history stays, and so does the import: correct the values there."
    ),
    "import.being_read": gettext_lazy("The model is reading ticket %(protocol)s. Try again in a minute."),
    "import.not_finished": gettext_lazy("The import has not ended yet."),
}


def marks(notes: Iterable[str]) -> tuple[str, ...]:
    """What a reader of the message should know of how it was read."""
    return tuple(str(MARKS[note]) for note in notes if note in MARKS)


def form(code: str) -> str:
    return str(FORMATS.get(code, code))


def role(code: str) -> str:
    return str(ROLES.get(code, code))


def roles() -> Iterator[tuple[str, str]]:
    yield "", _("choose…")
    yield from ((code, str(label)) for code, label in ROLES.items())


def order(code: str) -> str:
    return str(ORDERS.get(code, code))


def orders(current: str) -> Iterator[Option]:
    yield from (Option(code, order(code), code == current) for code in ("dmy", "mdy"))


def why(code: str) -> str:
    return str(WHY.get(code, code))


def file_problem(code: str, data: Mapping[str, Any]) -> str:
    """Why a file cannot be taken, naming what and where."""
    filled = {key: str(value) for key, value in data.items()}
    if code in ("file_too_large", "zip_bomb") and isinstance(data.get("most"), int):
        filled["most"] = filesizeformat(data["most"])
    return str(FILE_PROBLEMS.get(code, code)) % filled


def fault(code: str, name: str) -> str:
    return str(FAULTS.get(code, code)) % {"name": name or "?"}


def undo_problem(code: str, data: Mapping[str, Any]) -> str:
    named = list(data.get("messages", ()))
    shown = ", ".join(named[:5]) + (" …" if len(named) > 5 else "")
    return str(UNDO.get(code, code)) % {**data, "messages": shown}


def notices(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a person should know before anything is written: tone and sentence."""
    written = order(summary["date_order"])
    match summary["date_order_by"]:
        case "assumed":
            yield "confirm", _("No date in the file tells day from month. It was assumed: %(order)s.") % {"order": written}
        case "sequence":
            yield "confirm", _("Day and month were told by the sequence of the dates alone: %(order)s.") % {"order": written}
    if summary["charset_guessed"]:
        yield "confirm", _("The file's character set was guessed. Look whether accents are right.")
    marks = summary["marks"]
    for code, text in _counted(marks):
        yield ("confirm" if code in ("date_estimated", "date_missing", "charset_guessed") else ""), text
    if summary["notices"]:
        count = summary["notices"]
        said = ngettext(
            "%(count)d notice without an author: no evidence.", "%(count)d notices without an author: no evidence.", count
        )
        yield "", said % {"count": count}
    if summary["automatic"]:
        count = summary["automatic"]
        said = ngettext("%(count)d automatic message: no evidence.", "%(count)d automatic messages: no evidence.", count)
        yield "", said % {"count": count}
    if summary["attachments"] or summary["files_enclosed"]:
        yield "", _("Of attachments the names are kept, the files are not.")


def _counted(marks: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for code, count in marks.items():
        match code:
            case "date_estimated":
                said = ngettext("%(count)d message has an estimated date.", "%(count)d messages have an estimated date.", count)
            case "date_missing":
                said = ngettext(
                    "%(count)d message has no date and counts as said when it is brought in.",
                    "%(count)d messages have no date and count as said when they are brought in.",
                    count,
                )
            case "charset_guessed":
                said = ngettext(
                    "The character set of %(count)d message was guessed.",
                    "The character set of %(count)d messages was guessed.",
                    count,
                )
            case "from_html":
                said = ngettext("%(count)d message was only HTML.", "%(count)d messages were only HTML.", count)
            case "edited_in_channel":
                said = ngettext("%(count)d message was edited.", "%(count)d messages were edited.", count)
            case "deleted_in_channel":
                said = ngettext("%(count)d message was deleted.", "%(count)d messages were deleted.", count)
            case _:
                continue
        yield code, said % {"count": count}
