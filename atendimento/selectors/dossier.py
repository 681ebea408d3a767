"""A ticket's dossier: what was asked, answered, promised, kept, decided and why, each with its quote; masked, for the outside.

It is made from the state, its corrections and the messages that they quote. Personal identifiers and the values of
sensitive fields, present and past, are taken out of every text; internal notes are named and not quoted.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import Correction, Membership, Message, ProposedChange, Ticket, TicketState
from atendimento.selectors import queue, quotes, reading, values
from atendimento.selectors.dossier_words import FATES, corrected, hidden
from atendimento.selectors.of_fields import of_fields
from memoria.causes import Act
from memoria.fates import became, left
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.patch import Json, Missing
from memoria.proposals import Evidence
from memoria.redaction import SENSITIVE, Redactor
from memoria.sources import Kind
from memoria.state import Slot, SlotStatus, State

MOST_CORRECTIONS = 200
TOLD_ACTS = (Act.REPLACED, Act.WITHDRAWN, Act.RESOLVED, Act.OVERRIDDEN, Act.UNDONE, Act.UNFIT)
SEAL = 16  # characters of the chain's newest hash: enough to compare by eye


@dataclass(frozen=True, slots=True)
class DossierQuote:
    words: str  # empty where they are not for the outside
    author: str
    at: datetime | None
    ref: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class DossierEntry:
    text: str
    details: tuple[str, ...] = ()
    quotes: tuple[DossierQuote, ...] = ()
    tone: str = ""  # "", good, bad, warn


@dataclass(frozen=True, slots=True)
class DossierSection:
    key: str
    heading: str
    entries: tuple[DossierEntry, ...]
    none: str = ""  # what is said where there is nothing


@dataclass(frozen=True, slots=True)
class Dossier:
    title: str
    protocol: str
    organization: str
    customer: str
    ticket_type: str
    status: str
    opened: datetime
    first: datetime | None  # of the messages
    last: datetime | None
    count: int
    sections: tuple[DossierSection, ...]
    made_at: datetime
    made_by: str
    version: int
    seal: str
    url: str


def dossier(member: Membership, ticket_id: str | uuid.UUID) -> Dossier:
    """The ticket's dossier as of now. Raises NotFound."""
    access.require(member, Permission.READ)
    ticket = access.ticket(member, ticket_id)
    state = reading.current_state(ticket.pk)
    ticket_type = unfolded(reading.definition(ticket.ticket_type_id), state)
    corrections = list(
        Correction.objects.select_related("member")
        .filter(ticket=ticket, act__in=TOLD_ACTS)
        # A rejection that was taken back changed no value.
        .exclude(act=Act.UNDONE, change__isnull=False)
        .order_by("id")[:MOST_CORRECTIONS]
    )
    touched = [*state.slots, *(row.pointer for row in corrections)]
    whole = reading.with_former(reading.definition(ticket.ticket_type_id), ticket.ticket_type_id, touched)
    told = _Teller(ticket, state, ticket_type, redactor_of(ticket, state, whole, corrections), _messages(ticket, state))
    span = Message.objects.filter(ticket=ticket, internal=False).order_by("number").values_list("said_at", flat=True)
    times = [span.first(), span.last()]
    seal = TicketState.objects.filter(ticket=ticket).values_list("head_hash", flat=True).first() or ""
    return Dossier(
        title=told.safe(ticket.subject),
        protocol=ticket.protocol,
        organization=ticket.organization.name,
        customer=told.safe(str(ticket.customer.name or _("customer"))),
        ticket_type=ticket.ticket_type.name,
        status=str(queue.STATUSES[ticket.status]),
        opened=ticket.created_at,
        first=times[0],
        last=times[1],
        count=span.count(),
        sections=tuple(told.sections(corrections)),
        made_at=timezone.now(),
        made_by=member.name,
        version=state.version,
        seal=str(seal)[:SEAL],
        url=reverse("web:ticket", args=[ticket.pk]),
    )


def _messages(ticket: Ticket, state: State) -> reading.Cited:
    references = {item.message for slot in state.slots.values() for item in slot.evidence}
    for slot in state.slots.values():
        references |= {item.message for challenger in slot.challengers for item in challenger.evidence}
    return reading.cited(ticket.pk, references)


def redactor_of(ticket: Ticket, state: State, ticket_type: TicketType, corrections: Sequence[Correction]) -> Redactor:
    """Everything that a sensitive field of this ticket holds, held, or was proposed to hold."""
    declared = ticket_type.folded or ticket_type
    secrets: list[Json] = []
    for pointer, field in unfolded(ticket_type, state).fields.items():
        if not field.sensitive:
            continue
        slot = state.slots.get(pointer)
        candidates = [values.held(state, pointer)]
        if slot is not None:
            candidates += [challenger.value for challenger in slot.challengers]
            candidates += [slot.replaces.value] if slot.replaces is not None else []
        secrets += [value for value in candidates if not isinstance(value, Missing)]
    for row in corrections:
        if values.is_sensitive(declared, row.pointer):
            secrets += [value for value in (row.old, row.new) if not isinstance(value, Missing)]
    sensitive = of_fields("path", [pointer for pointer, field in declared.fields.items() if field.sensitive])
    proposed = ProposedChange.objects.filter(sensitive, ticket=ticket).values_list("value", flat=True)
    secrets += [value for value in proposed if not isinstance(value, Missing)]
    return Redactor(secrets, hidden)


class _Teller:
    """Tells the state in sentences, every one of them without what is personal."""

    def __init__(
        self, ticket: Ticket, state: State, ticket_type: TicketType, redactor: Redactor, messages: reading.Cited
    ) -> None:
        self.ticket, self.state, self.type = ticket, state, ticket_type
        self.safe = redactor.text
        self.messages = messages

    def sections(self, corrections: Sequence[Correction]) -> Iterator[DossierSection]:
        yield DossierSection("asked", _("What was asked"), tuple(self.goal()), _("No goal was recorded."))
        yield DossierSection("answered", _("Questions and answers"), tuple(self.pending()), _("No question was recorded."))
        yield DossierSection("promised", _("Commitments"), tuple(self.commitments()), _("No commitment was recorded."))
        yield DossierSection(
            "decided", _("Decisions and their reasons"), tuple(self.decisions()), _("No decision was recorded.")
        )
        yield DossierSection("told", _("What was told"), tuple(self.facts()), _("Nothing was recorded."))
        changed = tuple(self.correction(row) for row in corrections)
        if changed:
            yield DossierSection("changed", _("What changed on the way"), changed)
        limits = (*self.members("constraints"), *self.members("authorizations"))
        if limits:
            yield DossierSection("limits", _("What was forbidden or authorised"), limits)
        tried = tuple(self.members("attempts"))
        if tried:
            yield DossierSection("tried", _("What was tried"), tried)
        yield DossierSection("open", _("What is still open"), tuple(self.open()), _("Nothing is open."))

    # --- parts -------------------------------------------------------------------------------------------------------

    def quoted(self, *groups: Iterable[Evidence]) -> tuple[DossierQuote, ...]:
        found: dict[tuple[str, int], DossierQuote] = {}
        for item in (item for group in groups for item in group):
            found.setdefault((item.message, item.start), self._quote(item))
        return tuple(found.values())

    def _quote(self, item: Evidence) -> DossierQuote:
        message = self.messages.get(item.message)
        if message is None:
            return DossierQuote("", "", None, item.message, _("this message is no longer kept"))
        author = quotes.author_name(message)
        if message.internal:
            return DossierQuote("", author, message.said_at, item.message, _("an internal note, not reproduced"))
        gone = item.gone or message.deleted_at is not None
        note = _("the channel edited or deleted this message later") if gone else ""
        return DossierQuote(self.safe(item.quote), author, message.said_at, item.message, note)

    def value(self, pointer: str, value: Json | Missing) -> str:
        field = self.type.fields.get(pointer)
        if field is not None and field.sensitive:
            return hidden(SENSITIVE)
        return self.safe(values.show_at(self.type, pointer, value, self.state))

    def held(self, collection: str) -> Iterator[tuple[str, Mapping[str, Json], Slot | None]]:
        for key, member in self.state.values.get(collection, {}).items():
            pointer = f"/{collection}/{key}"
            yield pointer, member, self.state.slots.get(pointer)

    def doubt(self, slot: Slot | None) -> tuple[str, ...]:
        if slot is None or slot.status is SlotStatus.CURRENT:
            return ()
        word = (
            _("divergence between sources") if slot.status is SlotStatus.CONFLICT else wording.SLOT_STATUSES[slot.status.value]
        )
        return (str(word),)

    # --- sections ----------------------------------------------------------------------------------------------------

    def goal(self) -> Iterator[DossierEntry]:
        slot = self.state.slots.get("/goal")
        if slot is None:
            return
        details = list(self.doubt(slot))
        if slot.replaces is not None and not isinstance(slot.replaces.value, Missing):
            details.append(_("Before: %(value)s") % {"value": self.value("/goal", slot.replaces.value)})
        before = slot.replaces.evidence if slot.replaces is not None else ()
        text = self.value("/goal", values.held(self.state, "/goal")) or _("withdrawn")
        yield DossierEntry(text, (self.by(slot), *details), self.quoted(slot.evidence, before))

    def by(self, slot: Slot) -> str:
        """On whose word, and when it was said."""
        name = slot.author.name or values.source(slot.source)
        said = _("%(name)s (%(source)s), %(when)s")
        return said % {"name": self.safe(name), "source": values.source(slot.source), "when": _moment(slot.age.at)}

    def pending(self) -> Iterator[DossierEntry]:
        for pointer, member, slot in self.held("pending"):
            status = self.state.slots.get(f"{pointer}/status")
            word = str(member.get("status", "open"))
            details = [self.by(slot)] if slot is not None else []
            if member.get("options"):
                details.append(_("Options: %(options)s") % {"options": self.safe(", ".join(map(str, member["options"])))})
            if status is not None:
                details.append(f"{wording.MEMBER_STATUSES[word]}: {self.by(status)}".capitalize())
            answered = status.evidence if status is not None else ()
            tone = {"answered": "good", "open": "warn"}.get(word, "")
            found = self.quoted(slot.evidence if slot is not None else (), answered)
            yield DossierEntry(self.safe(str(member["question"])), tuple(details), found, tone)

    def commitments(self) -> Iterator[DossierEntry]:
        zone, now = timezone.get_current_timezone(), timezone.now()
        for pointer, member, slot in self.held("commitments"):
            fate = became(pointer, member, self.state.slots, now, zone)
            words, tone = FATES[fate.fate]
            status, due = self.state.slots.get(f"{pointer}/status"), member.get("due")
            details = [
                _("Promised by %(who)s, %(when)s")
                % {"who": self.who(member, slot), "when": _moment(slot.age.at) if slot is not None else ""}
            ]
            if isinstance(due, str):
                said = f" (“{self.safe(str(member['due_text']))}”)" if member.get("due_text") else ""
                details.append(_("Due %(due)s%(said)s") % {"due": values.moment_or_text(due), "said": said})
            when = f": {_moment(fate.at)}" if fate.at is not None else ""
            details.append(f"{words}{when}")
            found = self.quoted(slot.evidence if slot is not None else (), status.evidence if status is not None else ())
            yield DossierEntry(self.safe(str(member["task"])), (*details, *self.doubt(slot)), found, tone)

    def who(self, member: Mapping[str, Json], slot: Slot | None) -> str:
        owner = str(member.get("owner", ""))
        if owner == "team" and slot is not None and slot.author.kind is Kind.AGENT and slot.author.name:
            return _("%(name)s, of the staff") % {"name": self.safe(slot.author.name)}
        return self.safe(str(wording.OWNERS.get(owner, owner)))

    def decisions(self) -> Iterator[DossierEntry]:
        for _pointer, member, slot in self.held("decisions"):
            reason = member.get("reason")
            why = _("Reason: %(reason)s") % {"reason": self.safe(str(reason))} if reason else _("No reason was recorded.")
            by = (self.by(slot),) if slot is not None else ()
            quotes_found = self.quoted(slot.evidence) if slot is not None else ()
            yield DossierEntry(self.safe(str(member["text"])), (*by, why, *self.doubt(slot)), quotes_found)

    def facts(self) -> Iterator[DossierEntry]:
        for pointer, field in self.type.fields.items():
            slot = self.state.slots.get(pointer)
            if slot is None or pointer == "/goal":
                continue
            shown = self.value(pointer, values.held(self.state, pointer)) if slot.holds else _("open")
            tone = "" if slot.status is SlotStatus.CURRENT else "warn"
            found = () if field.sensitive else self.quoted(slot.evidence)
            yield DossierEntry(f"{field.label}: {shown}", (self.by(slot), *self.doubt(slot)), found, tone)

    def correction(self, row: Correction) -> DossierEntry:
        old = self.value(row.pointer, row.old) if not isinstance(row.old, Missing) else ""
        new = self.value(row.pointer, row.new) if not isinstance(row.new, Missing) else ""
        who = row.member.name if row.member is not None else _("the system")
        details = [_("%(name)s, %(when)s") % {"name": who, "when": _moment(row.at)}]
        reason = row.override or row.reason
        if reason:
            details.append(_("Reason: %(reason)s") % {"reason": self.safe(reason)})
        if row.message is not None:
            details.append(_("See m-%(number)d.") % {"number": row.message})
        return DossierEntry(corrected(self.safe(row.label), row.act, old, new), tuple(details))

    def members(self, collection: str) -> Iterator[DossierEntry]:
        for pointer, member, slot in self.held(collection):
            status = self.state.slots.get(f"{pointer}/status")
            details = [self.by(slot)] if slot is not None else []
            if member.get("status"):
                details.append(str(wording.MEMBER_STATUSES.get(member["status"], member["status"])))
            if member.get("result"):
                details.append(_("Result: %(result)s") % {"result": self.safe(str(member["result"]))})
            text = f"{wording.COLLECTIONS[collection]}: {self.safe(values.member_text(member))}"
            found = self.quoted(slot.evidence if slot is not None else (), status.evidence if status is not None else ())
            yield DossierEntry(text, (*details, *self.doubt(slot)), found)

    def open(self) -> Iterator[DossierEntry]:
        rest = left(self.state, self.type)
        for pointer in (*rest.doubtful, *rest.questions, *rest.promises):
            slot = self.state.slots.get(pointer)
            label = self.type.fields[pointer].label if pointer in self.type.fields else ""
            held = values.held(self.state, pointer)
            text = label or f"{values.kind_and_id(pointer)}: {self.safe(values.member_text(held))}"
            yield DossierEntry(text, self.doubt(slot), (), "warn")


def _moment(at: datetime) -> str:
    return values.moment_or_text(at.isoformat())
