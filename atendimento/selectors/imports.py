"""The pages on which conversations are brought in from files: what was understood, how far it came, what it became."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Import, ImportedTicket, ImportFile, ImportStatus, Membership, TicketType
from atendimento.selectors import import_words as words
from atendimento.selectors.parts import Chip, Option, Problem

RECENT: Final = 50
LISTED: Final = 50

STATUSES: Final[Mapping[str, tuple[Promise, str]]] = {
    ImportStatus.PREVIEW.value: (gettext_lazy("to check"), "confirm"),
    ImportStatus.QUEUED.value: (gettext_lazy("waiting"), "proposed"),
    ImportStatus.RUNNING.value: (gettext_lazy("being written"), "proposed"),
    ImportStatus.DONE.value: (gettext_lazy("imported"), "ok"),
    ImportStatus.FAILED.value: (gettext_lazy("stopped"), "conflict"),
    ImportStatus.UNDONE.value: (gettext_lazy("undone"), ""),
}


@dataclass(frozen=True, slots=True)
class Row:
    url: str
    name: str
    form: str
    messages: int
    who: str
    at: datetime
    chip: Chip


@dataclass(frozen=True, slots=True)
class ListPage:
    rows: tuple[Row, ...]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class PersonRow:
    field: str  # the form's name for this person's role
    name: str
    note: str
    options: tuple[Option, ...]
    missing: bool = False


@dataclass(frozen=True, slots=True)
class LineRow:
    line: int
    why: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownMessage:
    line: int
    name: str
    at: datetime | None
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """What was chosen in the form, to be shown again beside what is wrong with it."""

    roles: Mapping[int, str] | None = None
    ticket_type: str = ""
    existing: bool = False
    ticket: str = ""
    subject: str = ""
    read: bool = True


@dataclass(frozen=True, slots=True)
class Preview:
    facts: tuple[tuple[str, str], ...]
    notices: tuple[tuple[str, str], ...]  # tone, sentence
    people: tuple[PersonRow, ...]
    messages: tuple[ShownMessage, ...]
    lines: tuple[LineRow, ...]
    more_lines: int
    attachments: tuple[str, ...]
    orders: tuple[Option, ...]  # empty where the file leaves no choice
    names: str
    takes_names: bool
    ticket_types: tuple[Option, ...]
    several: bool
    existing: bool
    ticket: str
    subject: str
    read: bool


@dataclass(frozen=True, slots=True)
class TicketRow:
    url: str
    protocol: str
    subject: str
    note: str


@dataclass(frozen=True, slots=True)
class ImportPage:
    id: str
    url: str
    name: str
    status: str
    chip: Chip
    line: str  # who brought it, and when
    preview: Preview | None = None
    done: int = 0
    total: int = 0
    progress: str = ""
    outcome: str = ""
    tickets: tuple[TicketRow, ...] = ()
    more_tickets: int = 0
    can_undo: bool = False
    has_file: bool = False
    problem: Problem | None = None

    @property
    def under_way(self) -> bool:
        return self.status in (ImportStatus.QUEUED, ImportStatus.RUNNING)


def may_import(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.IMPORT)


def list_page(member: Membership, problem: Problem | None = None) -> ListPage:
    """The latest imports. Raises DomainError `permission.denied`."""
    access.require(member, Permission.IMPORT)
    rows = Import.objects.filter(organization=member.organization).select_related("created_by")
    # What was understood of each file is long, and is not shown here.
    recent = rows.defer("plan", "options", "summary", "problem").order_by("-created_at", "-id")[:RECENT]
    return ListPage(tuple(map(_row, recent)), problem)


def _row(batch: Import) -> Row:
    return Row(
        reverse("web:import", args=[batch.pk]),
        batch.file_name,
        words.form(batch.format),
        batch.total,
        batch.created_by.name if batch.created_by else _("command line"),
        batch.created_at,
        _chip(batch),
    )


def _chip(batch: Import) -> Chip:
    label, tone = STATUSES[batch.status]
    return Chip(str(label), tone)


def import_page(
    member: Membership, import_id: str | uuid.UUID, problem: Problem | None = None, typed: Typed | None = None
) -> ImportPage:
    """One import, whichever stage it is at. Raises NotFound, DomainError `permission.denied`."""
    access.require(member, Permission.IMPORT)
    batch = access.import_batch(member.organization, import_id)
    row = _row(batch)
    shared: dict[str, Any] = {
        "id": str(batch.pk),
        "url": row.url,
        "name": row.name,
        "status": batch.status,
        "chip": row.chip,
        "line": " · ".join((row.form, row.who, _moment(row.at))),
        "problem": problem,
        "has_file": ImportFile.objects.filter(batch=batch).exists(),
    }
    if batch.status == ImportStatus.PREVIEW:
        return ImportPage(**shared, preview=_preview(member, batch, typed or Typed()))
    links = list(ImportedTicket.objects.filter(batch=batch).select_related("ticket").order_by("position")[: LISTED + 1])
    count = ngettext("%(done)d of %(total)d message", "%(done)d of %(total)d messages", batch.total)
    return ImportPage(
        **shared,
        done=batch.done,
        total=batch.total,
        progress=count % {"done": batch.done, "total": batch.total},
        outcome=_outcome(batch),
        tickets=tuple(_ticket(link) for link in links[:LISTED]),
        more_tickets=max(0, ImportedTicket.objects.filter(batch=batch).count() - LISTED) if len(links) > LISTED else 0,
        can_undo=batch.status in (ImportStatus.DONE, ImportStatus.FAILED),
    )


def raw_file(member: Membership, import_id: str | uuid.UUID) -> tuple[str, bytes]:
    """The file as it came. Raises NotFound where it is gone."""
    access.require(member, Permission.IMPORT)
    batch = access.import_batch(member.organization, import_id)
    held = ImportFile.objects.filter(batch=batch).first()
    if held is None:
        raise access.NotFound("file")
    return batch.file_name, bytes(held.content)


def people_keys(member: Membership, import_id: str | uuid.UUID) -> list[str]:
    """The people of a previewed file, in the order in which the form asks about them."""
    access.require(member, Permission.IMPORT)
    return [person["key"] for person in access.import_batch(member.organization, import_id).summary["people"]]


def people_names(member: Membership, import_id: str | uuid.UUID) -> list[str]:
    """The same people as the form names them."""
    access.require(member, Permission.IMPORT)
    people = access.import_batch(member.organization, import_id).summary["people"]
    return [person["name"] or words.role(person["key"]) for person in people]


# --- after writing ------------------------------------------------------------------------------------------------


def _outcome(batch: Import) -> str:
    match batch.status:
        case ImportStatus.DONE if batch.added:
            said = ngettext("%(count)d message was brought in.", "%(count)d messages were brought in.", batch.added)
            return said % {"count": batch.added}
        case ImportStatus.DONE:
            return _("Nothing was added: every message was there already.")
        case ImportStatus.FAILED:
            return words.file_problem(batch.problem["code"], batch.problem["data"])
        case ImportStatus.UNDONE if batch.undone_at:
            who = batch.undone_by.name if batch.undone_by else "?"
            return _("Undone by %(name)s, %(moment)s.") % {"name": who, "moment": _moment(batch.undone_at)}
    return ""


def _ticket(link: ImportedTicket) -> TicketRow:
    count = ngettext("%(count)d new message", "%(count)d new messages", link.added) % {"count": link.added}
    kind = _("new ticket") if link.made else _("existing ticket")
    if link.ticket is None:
        return TicketRow("", link.protocol, "", _("removed"))
    return TicketRow(reverse("web:ticket", args=[link.ticket_id]), link.protocol, link.ticket.subject, f"{kind} · {count}")


# --- before writing -----------------------------------------------------------------------------------------------


def _preview(member: Membership, batch: Import, typed: Typed) -> Preview:
    summary = batch.summary
    types = TicketType.objects.filter(organization=member.organization, published__isnull=False).order_by("name")
    open_order = summary["date_order_by"] in ("assumed", "sequence", "chosen")
    return Preview(
        facts=tuple(_facts(summary)),
        notices=tuple(words.notices(summary)),
        people=tuple(_person(index, person, typed) for index, person in enumerate(summary["people"])),
        messages=tuple(_shown(item) for item in summary["beginning"]),
        lines=tuple(LineRow(item["line"], words.why(item["why"]), item["text"]) for item in summary["not_understood"][:LISTED]),
        more_lines=max(0, summary["not_understood_count"] - LISTED),
        attachments=tuple(summary["attachment_names"][:LISTED]),
        orders=tuple(words.orders(summary["date_order"])) if open_order else (),
        names="\n".join(batch.options["names"]),
        takes_names=summary["format"] == "whatsapp",
        ticket_types=tuple(Option(slug, name, slug == typed.ticket_type) for slug, name in types.values_list("slug", "name")),
        several=summary["conversations"] > 1,
        existing=typed.existing,
        ticket=typed.ticket,
        subject=typed.subject or (summary["subjects"][0] if summary["conversations"] == 1 else ""),
        read=typed.read,
    )


def _facts(summary: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    yield _("Messages"), str(summary["messages"])
    yield _("People"), str(len(summary["people"]))
    if summary["conversations"] > 1:
        yield _("Conversations, a ticket each"), str(summary["conversations"])
    if summary["first"]:
        yield _("First message"), _moment(datetime.fromisoformat(summary["first"]))
        yield _("Last message"), _moment(datetime.fromisoformat(summary["last"]))
    if summary["date_order"]:
        yield _("Dates"), words.order(summary["date_order"])
    if summary["attachments"]:
        yield _("Attachments named"), str(summary["attachments"])


def _person(index: int, person: Mapping[str, Any], typed: Typed) -> PersonRow:
    role = person["role"] if typed.roles is None else typed.roles.get(index, "")
    count = ngettext("%(count)d message", "%(count)d messages", person["messages"]) % {"count": person["messages"]}
    name = person["name"] or words.role(person["key"])
    address = person["email"] if person["email"] != person["name"] else ""
    options = tuple(Option(key, label, key == role) for key, label in words.roles())
    return PersonRow(
        f"role-{index}", name, " · ".join(filter(None, (address, count))), options, typed.roles is not None and not role
    )


def _shown(item: Mapping[str, Any]) -> ShownMessage:
    notes: list[str] = [_("attachment: %(name)s") % {"name": name} for name in item["attachments"]]
    if item["deleted"]:
        notes.append(_("deleted in the channel"))
    if item["automatic"]:
        notes.append(_("automatic, no evidence"))
    at = datetime.fromisoformat(item["at"]) if item["at"] else None
    return ShownMessage(item["line"], item["name"] or _("notice"), at, item["text"], tuple(notes))


def _moment(moment: datetime) -> str:
    return date_format(localtime(moment), "SHORT_DATETIME_FORMAT")


def fault_items(summary_names: Sequence[str], faults: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What is missing in a form, as sentences: (pointer, code) of each fault."""
    found: list[str] = []
    for pointer, code in faults:
        index = pointer.removeprefix("/roles/")
        name = summary_names[int(index)] if pointer.startswith("/roles/") and index.isdecimal() else ""
        found.append(words.fault(code, name))
    return tuple(dict.fromkeys(found))
