"""The model's view of a ticket: what people pinned, and of each reading what went in, what was left out, what it cost."""

from __future__ import annotations

import difflib
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Membership, MessagePin, Origin, PromptText, Proposal
from atendimento.selectors.model_saw import SawInFull, model_saw
from memoria.instructions import PROMPT_VERSION, instructions

READINGS: Final = 20
_EXCERPT: Final = 300  # code points of a pinned text
FAULTS: Final[dict[str, Promise]] = {
    "pin.unknown_message": gettext_lazy("There is no such message in this ticket."),
    "pin.not_in_message": gettext_lazy("These words do not stand in the message, letter by letter."),
    "pin.too_many": gettext_lazy("Too much is pinned already. Every question pays for it: unpin something first."),
    "brief.other_version": gettext_lazy("The ticket has changed since. Read it once more."),
}


@dataclass(frozen=True, slots=True)
class PinView:
    id: int
    message: str  # m-3
    url: str
    author: str
    text: str
    is_passage: bool
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ContextPage:
    ticket: str  # id
    title: str
    protocol: str
    url: str  # of the ticket
    pins: tuple[PinView, ...]
    readings: tuple[SawInFull, ...]  # newest first
    message: str  # what the form is filled with
    words: str
    fault: str


def context_page(
    member: Membership, ticket_id: str | uuid.UUID, *, message: str = "", words: str = "", fault: str = ""
) -> ContextPage:
    """Raises NotFound."""
    access.require(member, Permission.DECIDE)
    ticket = access.ticket(member, ticket_id)
    url = reverse("web:ticket", args=[ticket.pk])
    rows = Proposal.objects.filter(ticket=ticket, origin=Origin.MODEL, context_report__isnull=False)
    readings = [saw for row in rows.order_by("-created_at", "-id")[:READINGS] if (saw := model_saw(row)) is not None]
    pins = MessagePin.objects.filter(message__ticket=ticket).select_related("message", "pinned_by")
    return ContextPage(
        str(ticket.pk),
        ticket.subject,
        ticket.protocol,
        url,
        tuple(_pin(row, url) for row in pins.order_by("message__number", "start")),
        tuple(readings),
        message,
        words,
        str(FAULTS.get(fault, fault)),
    )


def _pin(row: MessagePin, url: str) -> PinView:
    text = row.message.text[row.start : row.end]
    number = row.message.number
    return PinView(
        row.pk,
        row.message.ref,
        f"{url}?m={number}&show=talk#m-{number}",
        row.message.author_name or row.message.author_kind,
        text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…",
        row.start is not None,
        row.pinned_by.name,
        row.pinned_at,
    )


# --- prompts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptView:
    version: str
    first_used_at: datetime | None  # None: not yet
    proposals: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class Line:
    kind: str  # same, out, in
    text: str


@dataclass(frozen=True, slots=True)
class PromptsPage:
    versions: tuple[PromptView, ...]  # newest first
    shown: str
    against: str  # '' where one is read alone
    lines: tuple[Line, ...]


def prompts_page(member: Membership, shown: str = "", against: str = "") -> PromptsPage:
    """The prompt versions used here, one of them in full or beside another. Raises NotFound for an unknown version."""
    access.require(member, Permission.PUBLISH_TYPES)
    language = member.organization.language
    texts = {row.version: row for row in PromptText.objects.filter(language=language).order_by("-first_used_at", "-id")}
    counted = Proposal.objects.filter(organization_id=member.organization_id, origin=Origin.MODEL).exclude(prompt_version="")
    used = dict(counted.values_list("prompt_version").annotate(Count("pk")).order_by())
    read = {version: row.text for version, row in texts.items()}
    current = next((version for version in texts if version.partition("+")[0] == PROMPT_VERSION), PROMPT_VERSION)
    read.setdefault(current, instructions(language))
    versions = tuple(
        PromptView(
            version,
            texts[version].first_used_at if version in texts else None,
            used.get(version, 0),
            version.partition("+")[0] == PROMPT_VERSION,
        )
        for version in ([] if current in texts else [current]) + list(texts)
    )
    shown = shown or current
    if shown not in read or (against and against not in read):
        raise access.NotFound("prompt version")
    lines = _difference(read[against], read[shown]) if against else [Line("same", text) for text in read[shown].split("\n")]
    return PromptsPage(versions, shown, against, tuple(lines))


def _difference(before: str, after: str) -> list[Line]:
    kinds = {"  ": "same", "- ": "out", "+ ": "in"}
    told = difflib.ndiff(before.split("\n"), after.split("\n"))
    return [Line(kinds[row[:2]], row[2:]) for row in told if row[:2] in kinds]
