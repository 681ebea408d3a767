"""Files that conversations were brought in from, as far as they are erased: by age (L1), and with a customer (L2).

A file holds whole conversations, often of several people, and cannot be cut: it goes as a whole, with all that was
understood of it. What it became, its tickets and messages, goes by rules of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet

from atendimento.models import Customer, Import, ImportedTicket, ImportFile, ImportStatus, Organization, Ticket
from atendimento.places import GONE
from memoria.patch import Json

UNDER_WAY: Final = (ImportStatus.QUEUED, ImportStatus.RUNNING)
LISTS: Final = ("people", "subjects", "attachment_names", "not_understood", "beginning")
SHORTEST_NAME: Final = 6
"""What is looked for in files that belong to no ticket: a shorter text stands in too many of them by chance."""


def over(organization: Organization, cut_off: datetime, kept: QuerySet[Ticket]) -> QuerySet[Import]:
    """The imports that are over their period and still hold something. `kept` are tickets under a hold."""
    rows = holding(organization).filter(created_at__lte=cut_off).exclude(status__in=UNDER_WAY)
    return rows.exclude(pk__in=ImportedTicket.objects.filter(ticket__in=kept).values("batch"))


def left_behind(organization: Organization, kept: QuerySet[Ticket]) -> QuerySet[Import]:
    """The imports that brought an erased customer's tickets and stayed for a hold on somebody else's, which is over (L4)."""
    brought = ImportedTicket.objects.filter(organization=organization)
    rows = holding(organization).filter(pk__in=brought.filter(ticket__customer__erased_at__isnull=False).values("batch"))
    return rows.exclude(status__in=UNDER_WAY).exclude(pk__in=brought.filter(ticket__in=kept).values("batch"))


def holding(organization: Organization) -> QuerySet[Import]:
    """The imports that are more than their numbers."""
    return Import.objects.filter(organization=organization).filter(Q(file__isnull=False) | ~Q(file_name=GONE))


def erase_import(row: Import) -> Mapping[str, int]:
    """Take the file away and leave of the import what counts it, in the caller's transaction. A mere preview goes."""
    files = ImportFile.objects.filter(batch=row).delete()[0]
    if row.status == ImportStatus.PREVIEW:
        row.delete()
    else:
        row.file_name, row.plan, row.problem, row.options = GONE, None, None, {"date_order": "", "names": []}
        row.summary = _counts(row.summary)
        row.save(update_fields=["file_name", "plan", "problem", "options", "summary"])
    return {"import": 1, "importfile": files}


def _counts(summary: Mapping[str, Json]) -> dict[str, Json]:
    return {key: [] if key in LISTS else value for key, value in summary.items()}


def under_way(tickets: Collection[uuid.UUID]) -> bool:
    """Whether a file is being written into one of these tickets."""
    return ImportedTicket.objects.filter(ticket__in=tickets, batch__status__in=UNDER_WAY).exists()


def of_customer(customer: Customer, tickets: Collection[uuid.UUID], kept: QuerySet[Ticket]) -> Iterator[Import]:
    """The imports that brought these tickets anything, and files of no ticket that name the customer.

    `kept` are tickets under a hold: a file that brought one of them, whosever it is, stays (L4).
    """
    brought = ImportedTicket.objects.filter(ticket__in=tickets).values("batch")
    held = ImportedTicket.objects.filter(ticket__in=kept).values("batch")
    yield from holding(customer.organization).filter(pk__in=brought).exclude(pk__in=held)
    names = [name.casefold() for name in _names(customer)]
    loose = holding(customer.organization).exclude(pk__in=ImportedTicket.objects.values("batch")).exclude(status__in=UNDER_WAY)
    for row in loose.select_related("file").iterator(chunk_size=5):  # whole files: a few at a time
        text = bytes(row.file.content).decode("utf-8", "ignore").casefold() if hasattr(row, "file") else ""
        if any(name in text or name in str(row.summary).casefold() for name in names):
            yield row


def _names(customer: Customer) -> Iterator[str]:
    for text in (customer.external_id, customer.name, customer.phone, customer.email):
        if len(text.strip()) >= SHORTEST_NAME:
            yield text.strip()
