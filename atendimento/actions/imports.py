"""Bringing conversations in from a file: understand it first, then say who is who, then have it written by a worker."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction

from atendimento import access, jobs, ledger
from atendimento.access import Permission
from atendimento.actions.faults import Fault, InvalidInput
from atendimento.ingest.neutral import Format, Options, Reading, base_name, clean_name
from atendimento.ingest.reading import read
from atendimento.ingest.summary import Staff, summarize
from atendimento.models import (
    Import,
    ImportFile,
    ImportStatus,
    Membership,
    Organization,
    Ticket,
    TicketStatus,
    TicketType,
)

ROLES: Final = ("customer", "agent", "third_party", "assistant", "system")
"""What a person of the file can be. `system`: no person, but a notice that looked like one."""

KEPT: Final = timedelta(days=7)
"""A file that was looked at and not brought in is thrown away after so long."""

LIVE: Final = (ImportStatus.QUEUED, ImportStatus.RUNNING, ImportStatus.DONE)
ORDERS: Final = ("", "dmy", "mdy")


@dataclass(frozen=True, slots=True)
class How:
    """How a file is to be read, where it leaves that open."""

    date_order: str = ""
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, order: str, names: Sequence[str]) -> How:
        """From what somebody typed: an unknown order counts as none."""
        cleaned = (clean_name(name) for name in names)
        return cls(order if order in ORDERS else "", tuple(dict.fromkeys(name for name in cleaned if name))[:100])

    @property
    def document(self) -> dict[str, Any]:
        return {"date_order": self.date_order, "names": list(self.names)}

    def options(self, organization: Organization) -> Options:
        return Options(ZoneInfo(organization.timezone), self.date_order, self.names)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a person chose after the preview."""

    ticket_type: str
    roles: Mapping[str, str] = field(default_factory=dict)  # by a person's key
    ticket: str = ""  # the protocol of an existing ticket; empty: a new one
    subject: str = ""
    read: bool = True  # by the model, in one run at the end

    @property
    def document(self) -> dict[str, Any]:
        return {
            "ticket_type": self.ticket_type,
            "roles": dict(self.roles),
            "ticket": self.ticket,
            "subject": self.subject,
            "read": self.read,
        }


def reading_of(batch: Import) -> Reading:
    """The file of an import, read the way that was chosen. Raises ingest's Unreadable."""
    content = bytes(ImportFile.objects.values_list("content", flat=True).get(batch=batch))
    how = How.of(batch.options["date_order"], batch.options["names"])
    return read(content, batch.file_name, how.options(batch.organization), Format(batch.format))


def look_into(
    organization: Organization, file_name: str, content: bytes, form: Format | None = None, how: How | None = None
) -> tuple[Reading, dict[str, Any]]:
    """What a file holds, and the summary of it. Nothing is written. Raises ingest's Unreadable."""
    reading = read(content, base_name(file_name), (how or How()).options(organization), form)
    return reading, summarize(reading, _staff(organization))


def _staff(organization: Organization) -> Staff:
    rows = Membership.objects.filter(organization=organization, is_active=True).values_list("name", "user__email")
    names, emails = {organization.name.casefold()}, set()
    for name, email in rows:
        names.add(name.casefold())
        emails.add(email.lower())
    return Staff(frozenset(names), frozenset(emails))


@transaction.atomic
def preview_import(
    *,
    organization: Organization,
    member: Membership | None,
    file_name: str,
    content: bytes,
    form: Format | None = None,
    how: How | None = None,
) -> Import:
    """Keep a file with what was understood of it. A file that is here already, and was not undone, is that import.

    `member` None: the command line. Raises ingest's Unreadable, and DomainError `permission.denied`.
    """
    _require(member)
    moment = ledger.now()
    Import.objects.filter(organization=organization, status=ImportStatus.PREVIEW, created_at__lt=moment - KEPT).delete()
    digest = hashlib.sha256(content).hexdigest()
    known = Import.objects.filter(organization=organization, digest=digest).order_by("-created_at")
    live = known.filter(status__in=LIVE).first()
    if live is not None:
        return live
    how = how or How()
    reading, summary = look_into(organization, file_name, content, form, how)
    batch = known.filter(status=ImportStatus.PREVIEW, created_by=member).first()
    if batch is None:
        batch = Import(organization=organization, digest=digest, created_by=member, created_at=moment)
    batch.file_name = base_name(file_name) or "?"
    batch.format, batch.total = reading.format.value, summary["messages"]
    batch.options, batch.summary = how.document, summary
    batch.save()
    ImportFile.objects.get_or_create(batch=batch, defaults={"organization": organization, "content": content})
    return batch


@transaction.atomic
def read_again(*, member: Membership, import_id: str | uuid.UUID, how: How) -> Import:
    """Read a previewed file another way. Raises NotFound, InvalidInput where it is past the preview, Unreadable."""
    _require(member)
    batch = _locked(member.organization, import_id, ImportStatus.PREVIEW)
    content = bytes(ImportFile.objects.values_list("content", flat=True).get(batch=batch))
    _reading, summary = look_into(member.organization, batch.file_name, content, Format(batch.format), how)
    batch.options, batch.summary, batch.total = how.document, summary, summary["messages"]
    batch.save(update_fields=["options", "summary", "total"])
    return batch


@transaction.atomic
def discard_preview(*, member: Membership, import_id: str | uuid.UUID) -> None:
    """Throw a previewed file away. Raises NotFound, InvalidInput where it is past the preview."""
    _require(member)
    _locked(member.organization, import_id, ImportStatus.PREVIEW).delete()


def begin_import(*, organization: Organization, member: Membership | None, import_id: str | uuid.UUID, plan: Plan) -> Import:
    """Owe the writing of a previewed file. One that is under way or done stays as it is: it is begun once.

    Raises InvalidInput, with a fault for each thing that is missing; NotFound; DomainError `permission.denied`.
    """
    _require(member)
    try:
        with transaction.atomic():
            return _begin(organization, import_id, plan)
    except IntegrityError:
        # The same file was begun from another preview meanwhile.
        digest = access.import_batch(organization, import_id).digest
        return Import.objects.get(organization=organization, digest=digest, status__in=LIVE)


def _begin(organization: Organization, import_id: str | uuid.UUID, plan: Plan) -> Import:
    batch = locked_import(organization, import_id)
    if batch.status in LIVE:
        return batch
    if batch.status != ImportStatus.PREVIEW:
        raise InvalidInput(Fault("", "import.not_in_preview", "the import is past its preview"))
    faults = list(_faults(organization, batch.summary, plan))
    if faults:
        raise InvalidInput(*faults)
    moment = ledger.now()
    batch.plan, batch.status = plan.document, ImportStatus.QUEUED
    batch.save(update_fields=["plan", "status"])
    jobs.owe(jobs.WRITE_IMPORT, batch.pk, batch.organization_id, moment, moment)
    return batch


def _faults(organization: Organization, summary: Mapping[str, Any], plan: Plan) -> list[Fault]:
    faults = []
    people = summary["people"]
    for index, person in enumerate(people):
        if plan.roles.get(person["key"]) not in ROLES:
            faults.append(Fault(f"/roles/{index}", "import.role_missing", f"say who {person['name'] or person['key']} is"))
    if not faults and not plan.ticket and "customer" not in plan.roles.values():
        faults.append(Fault("/roles", "import.no_customer", "somebody must be the customer"))
    if plan.ticket:
        faults += _ticket_faults(organization, summary, plan.ticket)
    elif not TicketType.objects.filter(organization=organization, slug=plan.ticket_type, published__isnull=False).exists():
        faults.append(Fault("/ticket_type", "ticket_type.unknown", "no such ticket type is published"))
    return faults


def _ticket_faults(organization: Organization, summary: Mapping[str, Any], protocol: str) -> list[Fault]:
    if summary["conversations"] > 1:
        return [Fault("/ticket", "import.several_conversations", "each conversation of the file becomes a ticket of its own")]
    ticket = ticket_named(organization, protocol)
    if ticket is None:
        return [Fault("/ticket", "import.unknown_ticket", f"there is no ticket {protocol}")]
    if ticket.status == TicketStatus.MERGED:
        return [Fault("/ticket", "import.merged_ticket", f"the ticket {protocol} was merged into another one")]
    return []


def ticket_named(organization: Organization, protocol: str) -> Ticket | None:
    return Ticket.objects.filter(organization=organization, protocol=protocol).first()


def locked_import(organization: Organization, import_id: str | uuid.UUID) -> Import:
    """The import, locked until the transaction ends. Raises NotFound."""
    found = access.import_batch(organization, import_id)
    return Import.objects.select_for_update(of=("self",)).select_related("organization").get(pk=found.pk)


def _locked(organization: Organization, import_id: str | uuid.UUID, status: ImportStatus) -> Import:
    batch = locked_import(organization, import_id)
    if batch.status != status:
        raise InvalidInput(Fault("", "import.not_in_preview", "the import is past its preview"))
    return batch


def _require(member: Membership | None) -> None:
    if member is not None:
        access.require(member, Permission.IMPORT)
